"""Golden: facts 11, and loops over images in float64. Contract: every corruption of both sets. Law, bad input."""

from pathlib import Path

import loops
import numpy as np
import pytest
import torch
from scipy import stats

from mistrust import random
from mistrust.data import load
from mistrust.errors import MistrustError
from mistrust.inputs import CORRUPTIONS, PERTURBATIONS, Draws, perturb, perturbed, pointwise, to_uint8
from mistrust.inputs.corruptions import FASHION_MNIST_C, MNIST_C, blurs, edges, noise, strokes, warps, weather
from mistrust.inputs.corruptions import pointwise as pixelwise

# Those of CIFAR-10-C and of the safety monitors are tested with the fault templates that they are, in test_faults.py.
ENTRIES = {name: one for name, one in CORRUPTIONS.items() if name.startswith(("mnistc/", "fmnistc/"))}
SETTINGS = [(name, level) for name, entry in ENTRIES.items() for level in range(1, len(entry.levels) + 1)]


@pytest.fixture(scope="module")
def seven():
    """Test image 0 of MNIST, as float64 in [0, 1]."""
    pixels = np.loadtxt(Path(__file__).with_name("seven.txt"))
    assert (pixels.sum(), np.count_nonzero(pixels), pixels[7, 7]) == (18454, 116, 185)
    return torch.from_numpy(pixels).view(1, 1, 28, 28) / 255


@pytest.fixture(scope="module")
def digits():
    return load("digits", "test").take(torch.arange(40))


@pytest.fixture(scope="module")
def grey():
    """Fifty digits of 28 x 28."""
    return load("mnist5k", "test").floats()[:50]


@pytest.fixture(scope="module")
def images(grey):
    """Four digits and three pictures of noise, with ids in no order."""
    pixels = torch.cat([grey[:4], random.uniform(0, "golden", torch.arange(3), (1, 28, 28))])
    return pixels, torch.tensor([5, 90, 3, 256, 255, 7, 511])


def added(overlay):
    return lambda x: (x + overlay[:, None]).clamp(0, 1)


ROWS = torch.arange(28, dtype=torch.float64)
# Facts 11: sum, [7, 7], [10, 14], [20, 12] in grey levels, from scikit-image 0.26 with explicit matrices, or scipy.
GOLDEN = {
    "brightness 5": (lambda x: pointwise.brightness(x, None, shift=0.5), 111580.5, 255, 194.5, 130.5),
    "contrast 4": (lambda x: pixelwise.contrast(x, None, factor=0.1), 18454, 39.684, 27.884, 21.484),
    "saturate 5": (
        lambda x: pixelwise.saturate(x, None, factor=20, shift=0.2), 61743.639, 249.155, 249.155, 108.456
    ),
    "stripe": (lambda x: pixelwise.stripe(x, None), 117036, 185, 67, 3),
    "rotate 2, sign +": (lambda x: warps.warped(x, warps.rotated(0.4)), 18454.486, 0, 35.443, 0),
    "shear 2, sign +": (lambda x: warps.warped(x, warps.sheared(0.4)), 19941.126, 180.313, 48.489, 0),
    "scale 3": (lambda x: warps.warped(x, warps.scaled(0.7)), 8708.597, 0, 226, 159.867),
    "translate 3, dx +3, dy -3": (lambda x: warps.moved(x, torch.tensor([[3, -3]])), 16966, 0, 0, 126),
    "canny": (lambda x: edges.canny(x).double(), 18870, 255, 255, 255),
    "dotted_line r0=5, r1=20": (
        added(strokes.dotted(torch.tensor([5.0]), torch.tensor([20.0]), 28, 28)), 23332.845, 185, 67, 3
    ),
    "zigzag r0=10, r1=13": (
        added(strokes.zigzagged(torch.tensor([3.0]).double(), ROWS - 10, 28)), 29243.536, 185, 67, 3
    ),
    "blur .7 vertical": (lambda x: blurs.normal_blur(x, 0.7, isotropic=False), 18448.142, 158.690, 92.256, 11.684),
    "blur .7 isotropic": (lambda x: blurs.normal_blur(x, 0.7), 18448.142, 140.573, 84.821, 44.864),
    "motion r10 s3, 0": (lambda x: blurs.smeared(x, torch.tensor([0.0]), 10, 3), 18435.352, 119.136, 77.146, 128.085),
    "motion r10 s3, 30": (
        lambda x: blurs.smeared(x, torch.tensor([30.0]), 10, 3), 18447.028, 193.996, 54.607, 104.586
    ),
    "fog 5, a ramp for plasma": (
        lambda x: weather.fogged(x, torch.linspace(0, 1, 784, dtype=x.dtype).view_as(x), 3),
        79583.5, 95.833, 88.560, 140.463,
    ),
    "spatter 4": (
        lambda x: weather.spattered(
            x, torch.from_numpy(np.random.RandomState(0).normal(0.65, 0.3, (1, 1, 28, 28))), 1, 0.65, 1.5
        ),
        20657.188, 185, 67, 3,
    ),
    "shot 5": (
        lambda x: (torch.from_numpy(np.random.RandomState(0).poisson(x.numpy() * 3)) / 3).clamp(0, 1),
        14790, 255, 0, 0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", list(GOLDEN))
def test_golden_values_to_the_printed_digits(name, seven):
    make, *expected = GOLDEN[name]
    made = make(seven)[0, 0] * 255
    found = [made.sum().item(), *(made[place].item() for place in ((7, 7), (10, 14), (20, 12)))]
    assert np.abs(np.subtract(found, expected)).max() <= 5.001e-4


def test_spatter_covers_forty_pixels(seven):
    drawn = torch.from_numpy(np.random.RandomState(0).normal(0.65, 0.3, (1, 1, 28, 28)))
    assert (weather.spattered(seven * 0, drawn, 1, 0.65, 1.5) > 0).sum() == 40


def test_matrices_and_taps_are_those_of_the_facts(seven):
    for inverse, rows in (
        (warps.sheared(0.4), ((1, -0.389418, 5.257148), (0, 0.921061, 1.065677))),
        (warps.scaled(0.7), ((1.428571, 0, -5.785714), (0, 1.428571, -5.785714))),
    ):
        for (a, b), expected in zip(inverse, rows, strict=True):
            assert (a, b, 13.5 * (1 - a - b)) == pytest.approx(expected, abs=5e-7)
    point = torch.zeros(1, 1, 1, 41, dtype=torch.float64)
    point[..., 20] = 1
    taps = blurs.smeared(point, torch.tensor([0.0]), 10, 3).flatten()
    assert taps[15:21].flip(0).tolist() == pytest.approx(
        [0.234745, 0.222059, 0.187969, 0.142380, 0.096507, 0.058534], abs=5e-7
    )
    assert taps[21:].abs().max() == 0  # to one side
    lines = strokes.line(ROWS, 28, *(torch.tensor([v]) for v in (0.0, 10.5, 27.0, 10.5)))[0]
    assert lines[11:13, 5].tolist() == pytest.approx([0.7549, 0], abs=5e-5)
    lines = strokes.line(ROWS, 28, *(torch.tensor([v]) for v in (0.0, 10.0, 27.0, 10.0)))[0]
    assert lines[11, 5].item() == pytest.approx(0.4295, abs=5e-5)
    assert lines[:, 27].max() == 0


# The whole of every corruption at every severity, with its own draws, against a loop in float64.


def reference(name, level, images, ids, seed):
    short, entry = name.partition("/")[2], CORRUPTIONS[name]
    key = f"{name}/" + ",".join(f"{k}={float(v):g}" for k, v in sorted(entry.levels[level - 1].items()))
    kept = {}
    return np.stack([
        loops.FORMULAS[short](image, loops.Replayed(Draws(seed, key, ids), i, kept), *loops.LEVELS[short][level - 1])
        for i, image in enumerate(images[:, 0].double().numpy())
    ])  # fmt: skip


@pytest.mark.parametrize(("name", "level"), SETTINGS)
def test_every_severity_is_the_loop_over_images(name, level, images):
    pixels, ids = images
    ours = perturb(pixels, name, level, ids=ids, seed=4)[:, 0].numpy()
    assert np.abs(ours - reference(name, level, pixels, ids, 4)).max() < 1e-5


@pytest.mark.parametrize("name", [name for name in ENTRIES if "turn" not in name])
def test_other_sizes_follow_the_same_formula(name):
    ids = torch.arange(3)
    for shape in ((9, 13), (17, 8)):
        pixels = random.uniform(1, "sizes", ids, (1, *shape))
        ours = perturb(pixels, name, 1, ids=ids)[:, 0].numpy()
        assert np.abs(ours - reference(name, 1, pixels, ids, 0)).max() < 1e-5


def test_the_table_is_that_of_the_facts():
    assert [name.removeprefix("mnistc/") for name in MNIST_C] == [
        "shot_noise", "impulse_noise", "glass_blur", "motion_blur", "shear", "scale", "rotate", "brightness",
        "translate", "stripe", "fog", "spatter", "dotted_line", "zigzag", "canny_edges",
    ]  # fmt: skip
    assert [name.removeprefix("fmnistc/") for name in FASHION_MNIST_C] == [
        "shot_noise", "impulse_noise", "glass_blur", "motion_blur", "shear", "scale", "rotate", "brightness",
        "contrast", "saturate", "inverse", "flip_left_right", "flip_up_down", "turn_right", "turn_left",
    ]  # fmt: skip
    assert list(ENTRIES) == [*MNIST_C, *FASHION_MNIST_C]
    severities = {name.partition("/")[2]: entry.severity for name, entry in ENTRIES.items()}
    assert {name: s for name, s in severities.items() if s != 1} == {
        "shot_noise": 5, "impulse_noise": 4, "shear": 2, "scale": 3, "rotate": 2, "brightness": 5, "translate": 3,
        "fog": 5, "spatter": 4, "contrast": 4, "saturate": 5,
    }  # fmt: skip
    assert {name: len(entry.levels) for name, entry in ENTRIES.items()} == {
        name: len(loops.LEVELS[name.partition("/")[2]]) for name in ENTRIES
    }


def test_the_twelve_perturbations_stay_twelve():
    assert len(PERTURBATIONS) == 12
    assert not set(PERTURBATIONS) & set(CORRUPTIONS)


@pytest.mark.parametrize("name", list(ENTRIES))
class TestContract:
    def test_has_severities_title_and_source(self, name):
        entry = CORRUPTIONS[name]
        assert len(entry.levels) in (1, 5)
        assert 1 <= entry.severity <= len(entry.levels)
        assert entry.title
        assert ("Fashion" in entry.source) == name.startswith("fmnistc/")

    def test_stays_in_range_and_shape_and_leaves_its_input_alone(self, name, digits):
        images = digits.floats()
        before = images.clone()
        for level in range(1, len(CORRUPTIONS[name].levels) + 1):
            out = perturb(images, name, level)
            assert out.shape == images.shape
            assert out.dtype == torch.float32
            assert out.min() >= 0
            assert out.max() <= 1
            assert not torch.equal(out, images)
            out.zero_()
        assert torch.equal(images, before)

    def test_stored_as_grey_levels_it_is_the_same_cut_off(self, name, digits):
        before = digits.images.clone()
        stored = perturbed(digits, name, CORRUPTIONS[name].severity, seed=3)
        floats = perturb(digits.floats(), name, CORRUPTIONS[name].severity, ids=digits.ids, seed=3)
        assert stored.images.dtype == torch.uint8
        assert torch.equal(stored.images, to_uint8(floats))
        assert torch.equal(stored.ids, digits.ids)
        assert torch.equal(stored.labels, digits.labels)
        assert torch.equal(digits.images, before)

    def test_ids_decide_the_draws_and_not_the_batch(self, name):
        pixels = random.uniform(5, "batch", torch.arange(60), (1, 13, 13))
        ids = torch.arange(60) * 9
        whole = perturb(pixels, name, CORRUPTIONS[name].severity, ids=ids)
        for some in ([59], [3, 28, 4, 3], list(range(7, 50))):
            here = torch.tensor(some)
            again = perturb(pixels[here], name, CORRUPTIONS[name].severity, ids=ids[here])
            assert (again - whole[here]).abs().max() < 1e-6

    def test_how_images_lie_in_memory_does_not_matter(self, name):
        pixels = random.uniform(6, "strides", torch.arange(2), (3, 9, 7))
        whole = perturb(pixels, name, 1) if "turn" not in name else perturb(pixels[..., :7, :], name, 1)
        for other in (pixels.to(memory_format=torch.channels_last), pixels.mT.contiguous().mT):
            other = other[..., :7, :] if "turn" in name else other
            assert (perturb(other, name, 1) - whole).abs().max() < 1e-6

    def test_only_random_ones_heed_the_seed(self, name, digits):
        first, second = (perturb(digits.floats(), name, CORRUPTIONS[name].severity, seed=s) for s in (1, 2))
        assert torch.equal(first, second) != CORRUPTIONS[name].random

    def test_no_images_give_no_images(self, name):
        assert perturb(torch.zeros(0, 1, 8, 8), name, 1).shape == (0, 1, 8, 8)

    def test_channels_are_corrupted_alike_but_for_noise(self, name):
        grey = random.uniform(2, "colour", torch.arange(3), (1, 20, 20))
        out = perturb(grey.expand(-1, 3, -1, -1).contiguous(), name, 1)
        assert out.shape == (3, 3, 20, 20)
        alike = (out[:, :1] - out).abs().max() < 1e-6
        assert alike != name.endswith(("shot_noise", "impulse_noise"))

    def test_refuses_what_it_cannot_take(self, name, digits):
        last = len(CORRUPTIONS[name].levels)
        for level in (0, last + 1, 1.5):
            with pytest.raises(MistrustError, match=f"'{name}' has levels 1 to {last}, got {level}"):
                perturb(digits.floats(), name, level)
        with pytest.raises(MistrustError, match=f"'{name}' takes"):
            perturb(digits.floats(), name, {"wrong": 1.0})
        with pytest.raises(MistrustError, match=f"'{name}' has no continuous form"):
            perturb(digits.floats(), name, {"severity": 1.0})

    def test_refuses_parameters_out_of_range(self, name, digits):
        setting = CORRUPTIONS[name].levels[0]
        for parameter in setting:
            for value in (-11.0, "much", float("nan")):
                with pytest.raises(MistrustError, match=rf"{parameter} is ('much'|-11|nan), expected a number"):
                    perturb(digits.floats(), name, {**setting, parameter: value})


# Severities are not always harder: fog 4 falls more slowly than fog 3 but is as thick, spatter 4 has finer drops than
# 3, saturation 3 brightens what 1 and 2 darken, and a digit that has left its place can leave it no further.
UNEVEN = ("fog", "spatter", "saturate", "motion_blur", "translate")


@pytest.mark.parametrize("name", [n for n in MNIST_C + FASHION_MNIST_C[8:] if len(CORRUPTIONS[n].levels) == 5])
def test_severities_change_more_and_more(name, grey):
    away = [(perturb(grey, name, level) - grey).abs().mean().item() for level in range(1, 6)]
    assert min(away) > 0.005
    if not name.endswith(UNEVEN):
        assert (np.diff(away) > 0).all()
    else:
        assert away[4] > away[0]


# Laws of the parts.


def test_photons_are_poisson():
    rate = torch.tensor([0.0, 0.001, 0.1, 0.5, 0.9, 1.0]).double().repeat_interleave(2000)
    chance = (torch.arange(12000).double() * 0.61803398875) % 1
    for most in (3, 60):
        ours = noise.counted(rate, chance, most)
        theirs = np.maximum(stats.poisson.ppf(chance.numpy(), rate.numpy() * most), 0)
        assert np.array_equal(ours.numpy(), np.minimum(theirs, most))


def test_impulses_are_half_black_and_half_white():
    out = perturb(torch.full((400, 1, 28, 28), 0.25), "mnistc/impulse_noise", {"share": 0.27})
    for value in (0, 1):
        assert abs((out == value).double().mean().item() - 0.135) < 5 * (0.135 * 0.865 / out.numel()) ** 0.5
    assert ((out == 0.25) | (out == 0) | (out == 1)).all()


def test_swaps_at_once_are_swaps_one_by_one():
    for reach, rounds, height, width in ((1, 3, 12, 9), (2, 2, 9, 13), (3, 2, 20, 17), (4, 1, 8, 30)):
        pixels = torch.arange(2 * 3 * height * width, dtype=torch.float32).view(2, 3, height, width)
        size = max(0, height - 2 * reach), max(0, width - 2 * reach)
        codes = Draws(reach, "swaps", torch.arange(2)).integers(0, 8 * reach**2, (rounds, *size))
        expected = pixels.clone()
        for index in range(2):
            for swaps in codes[index].tolist():
                for row, line in zip(range(height - reach, reach, -1), swaps, strict=True):
                    for column, code in zip(range(width - reach, reach, -1), line, strict=True):
                        if code < 4 * reach**2:
                            other = row + code // (2 * reach) - reach, column + code % (2 * reach) - reach
                            a, b = expected[index, :, row, column].clone(), expected[index, :, *other].clone()
                            expected[index, :, row, column], expected[index, :, *other] = b, a
        assert torch.equal(blurs.swapped(pixels, codes, reach), expected)


def test_glass_blurs_both_ways_when_asked():
    point = torch.zeros(1, 1, 28, 28)
    point[..., 2, 14] = 1  # above and left of all that is swapped
    setting = {"sigma": 1.0, "reach": 1, "rounds": 0, "isotropic": 0}
    assert perturb(point, "mnistc/glass_blur", setting)[0, 0].sum(0).nonzero().flatten().tolist() == [14]
    both = perturb(point, "mnistc/glass_blur", {**setting, "isotropic": 1})[0, 0].sum(0)
    # The first blur leaves grey levels up to 2 pixels away: 255 (.399)^2 exp(-k^2/2) is 5 at 2, and 0.45 at 3, cut off.
    assert both.nonzero().flatten().tolist() == list(range(14 - 6, 14 + 7))
    with pytest.raises(MistrustError, match=r"glass_blur: isotropic is 2, expected a number in \[0, 1\]"):
        perturb(point, "mnistc/glass_blur", {**setting, "isotropic": 2})


def test_landscapes_span_the_unit_interval_and_are_those_of_the_loop():
    noise_ = Draws(0, "fog", torch.arange(40)).integers(-(2**15), 2**15, (32**2 - 1,))
    ours = weather.landscape(noise_, 1.7, 32, 32)
    assert ours.amin((1, 2)).eq(0).all()
    assert (ours.amax((1, 2)) - 1).abs().max() < 1e-6
    for index in (0, 39):
        assert np.abs(ours[index].numpy() - loops.plasma(noise_[index].numpy() / 2**15, 32, 1.7)).max() < 1e-6
    assert torch.equal(weather.landscape(noise_, 1.7, 5, 9), ours[:, :5, :9])


def test_fog_and_black_pictures_stay_black():
    assert perturb(torch.zeros(2, 1, 28, 28), "mnistc/fog", 5).max() == 0


def test_warps_keep_the_middle_and_are_black_outside():
    for name in ("shear", "rotate", "scale"):
        out = perturb(torch.ones(3, 1, 9, 13), f"mnistc/{name}", 5)
        assert out[..., 4, 6].eq(1).all()
        assert out[..., 0, 0].min() == 0
    board = random.uniform(0, "board", torch.arange(4), (1, 9, 13))
    assert torch.equal(warps.warped(board, warps.rotated(0)), board)
    assert (warps.warped(board, warps.rotated(np.pi)) - board.flip((2, 3))).abs().max() < 1e-6
    assert perturb(torch.ones(2, 1, 3, 3), "mnistc/translate", 5).max() == 0  # moved out of sight


def test_directions_are_drawn_evenly():
    x = torch.zeros(400, 1, 28, 28)
    x[:, :, 13:15, 13:15] = 1
    right = perturb(x, "mnistc/translate", 5)[:, 0, :, 14:].sum((1, 2)) > 0
    down = perturb(x, "mnistc/translate", 5)[:, 0, 14:].sum((1, 2)) > 0
    for share in (right, down, right == down):
        assert abs(share.double().mean().item() - 0.5) < 5 * 0.5 / 20


def test_turns_and_flips_by_hand():
    x = torch.tensor([[0.1, 0.2], [0.3, 0.4]]).view(1, 1, 2, 2)
    for name, expected in (
        ("flip_left_right", [0.2, 0.1, 0.4, 0.3]),
        ("flip_up_down", [0.3, 0.4, 0.1, 0.2]),
        ("turn_right", [0.3, 0.1, 0.4, 0.2]),
        ("turn_left", [0.2, 0.4, 0.1, 0.3]),
        ("inverse", [0.9, 0.8, 0.7, 0.6]),
    ):
        assert perturb(x, f"fmnistc/{name}", 1).flatten().tolist() == pytest.approx(expected)


def test_edges_of_a_square_are_its_outline():
    square = torch.zeros(1, 1, 40, 40)
    square[..., 10:30, 10:30] = 1
    found = edges.canny(square)[0, 0]
    assert torch.equal(found, found.T)
    assert torch.equal(found, found.flip(0))
    assert found[20].nonzero().flatten().tolist() == [9, 10, 29, 30]  # as steep on either side of the edge
    assert not edges.canny(torch.ones(2, 1, 20, 20)).any()
    assert not edges.canny(square * 0.02).any()
    assert not edges.canny(random.uniform(0, "border", torch.arange(5), (1, 9, 9)))[..., [0, -1], :].any()


def test_weak_edges_count_where_they_touch_strong_ones():
    weak = torch.tensor([[1, 1, 0, 0, 1], [0, 0, 1, 0, 1], [1, 0, 0, 1, 0], [1, 0, 0, 0, 1]]).bool()[None, None]
    seeds = torch.zeros_like(weak)
    seeds[..., 0, 0] = True
    assert edges.connected(seeds, weak)[0, 0].int().tolist() == [
        [1, 1, 0, 0, 1], [0, 0, 1, 0, 1], [0, 0, 0, 1, 0], [0, 0, 0, 0, 1]
    ]  # fmt: skip


def test_pictures_that_leave_no_room_are_refused():
    for name, shape, message in (
        ("fmnistc/turn_left", (8, 9), "turn_left: images are 8x9, expected as high as wide"),
        ("fmnistc/turn_right", (9, 8), "turn_right: images are 9x8, expected as high as wide"),
        ("mnistc/dotted_line", (1, 9), "dotted_line: images are 1x9, expected at least 2x2"),
        ("mnistc/zigzag", (9, 6), "zigzag: images are 9x6, expected at least 7x7"),
    ):
        with pytest.raises(MistrustError, match=message):
            perturb(torch.zeros(2, 1, *shape), name, 1)


def test_an_unknown_name_gets_the_nearest():
    with pytest.raises(MistrustError, match=r"no corruption 'mnistc/shotnoise'\. Did you mean 'mnistc/shot_noise'"):
        perturb(torch.zeros(1, 1, 9, 9), "mnistc/shotnoise", 1)


def test_photons_looked_up_are_those_counted_at_the_rarest_chances_too():
    """Chances of a draw are multiples of 2^-24, 0 among them: tables of 4,096 bins must not round the lowest."""
    levels = torch.arange(256).float().div(255).repeat_interleave(64).view(1, 1, 256, 64)
    rare = torch.arange(64).float().square().mul(2**-24).repeat(256).view(1, 1, 256, 64)
    common = torch.linspace(0, 1 - 2**-24, 256 * 64).view(1, 1, 256, 64)
    for photons in (3, 12, 60, 500):
        for chance in (rare, common, common.flip(3)):
            assert torch.equal(noise.photons_seen(levels, chance, photons), noise.counted(levels, chance, photons))
