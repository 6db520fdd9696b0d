"""Golden: facts 12 and loops over images with scipy and OpenCV. Contract: every fault template. Law, bad input."""

from dataclasses import replace

import colour_loops
import cv2
import loops
import numpy as np
import pytest
import torch
from PIL import Image
from scipy import ndimage, stats
from torch.nn import functional

from mistrust import random
from mistrust.data import ImageSet, load
from mistrust.errors import MistrustError, UnknownName
from mistrust.inputs import CORRUPTIONS, FAULTS, Corruption, Draws, Fault, faulty, perturb, to_uint8
from mistrust.inputs.corruptions.noise import counted
from mistrust.inputs.faults import CATEGORIES, anomalies, blurs, copied, noise, origin, spatter, warps, weather
from mistrust.networks import wrap

NAMES = [name for name in CORRUPTIONS if name.startswith(("cifar10c/", "farm/"))]
PLAIN = [name for name, one in FAULTS.items() if not one.needs_classifier]
SIZES = [(3, 32, 32), (3, 28, 28), (1, 28, 28), (3, 20, 25), (1, 22, 13)]
# Every severity at the sizes of both image sets; two of them, water and mud among them, at any other.
SETTINGS = [
    (name, level, shape)
    for name in NAMES
    for shape in SIZES
    for level in range(1, len(CORRUPTIONS[name].levels) + 1)
    if (shape[0] == 3 or not FAULTS[name.partition("/")[2]].colour) and (shape in SIZES[:2] or level in (2, 4))
]


@pytest.fixture(scope="module")
def photos():
    return load("photos", "test").take(torch.arange(40))


@pytest.fixture(scope="module")
def pictures(photos):
    """By shape: three photographs in whole grey levels and three pictures of noise, with ids in no order."""
    made = {}
    for shape in SIZES:
        small = functional.interpolate(photos.floats()[:3], shape[1:], mode="area")[:, : shape[0]]
        made[shape] = torch.cat([(small * 255).round() / 255, random.uniform(0, "golden", torch.arange(3), shape)])
    return made, torch.tensor([5, 90, 3, 256, 255, 7])


def reference(name, level, images, ids, seed, **changed):
    short, setting = name.partition("/")[2], {**CORRUPTIONS[name].levels[level - 1], **changed}
    draws = Draws(seed, f"{name}/" + ",".join(f"{k}={float(v):g}" for k, v in sorted(setting.items())), ids)
    kept, values = {}, (*colour_loops.LEVELS[short][level - 1], *changed.values())
    return np.stack([
        colour_loops.FORMULAS[short](image.transpose(1, 2, 0), colour_loops.Replayed(draws, i, kept), *values)
        for i, image in enumerate(images.double().numpy())
    ]).transpose(0, 3, 1, 2)  # fmt: skip


@pytest.mark.parametrize(("name", "level", "shape"), SETTINGS)
def test_every_severity_is_the_loop_over_images(name, level, shape, pictures):
    images, ids = pictures[0][shape], pictures[1]
    ours = perturb(images, name, level, ids=ids, seed=4).numpy()
    assert np.abs(ours - reference(name, level, images, ids, 4)).max() < 1e-5


@pytest.mark.parametrize(("name", "level"), [(n, s) for n in ("snow", "spatter") for s in (2, 5)])
def test_the_published_slip_is_the_layer_on_0_to_255(name, level, photos):
    found = faulty(photos, name, level, seed=3, as_published=True)
    expected = reference(f"cifar10c/{name}", level, photos.floats(), photos.ids, 3, scale=255)
    assert np.abs(found.images.numpy() / 255 - expected).max() < 1.01 / 255
    white = [(one.images == 255).all(1).double().mean().item() for one in (found, faulty(photos, name, level, seed=3))]
    assert white[0] > white[1] + 0.02


def test_the_constants_are_those_of_the_facts():
    assert {name.partition("/")[2] for name in NAMES} == set(colour_loops.LEVELS)
    for name in NAMES:
        short = name.partition("/")[2]
        for ours, theirs in zip(CORRUPTIONS[name].levels, colour_loops.LEVELS[short], strict=True):
            extra = {"glass_blur": (1,), "spatter": (1,), "snow": (1,), "rotated": (0,)}
            assert sorted(ours.values()) == sorted((*theirs, *extra.get(short, ())))


# Facts 12.

RAMP = torch.tensor([[[(12 * h + 3 * w + c) / 47 for w in range(4)] for h in range(4)] for c in range(3)])[None]
GOLDEN = [
    ("contrast", 5, (0, 0), (0.406915, 0.428191, 0.449468)),
    ("contrast", 2, (0, 0), (0.239362, 0.260638, 0.281915)),
    ("brightness", 5, (1, 1), (0.583855, 0.622778, 0.661702)),
    ("saturate", 2, (1, 1), (0.357447, 0.359574, 0.361702)),
    ("saturate", 5, (1, 1), (0.182979, 0.272340, 0.361702)),
]


@pytest.mark.parametrize(("name", "level", "place", "expected"), GOLDEN)
def test_golden_colours(name, level, place, expected):
    found = perturb(RAMP, f"cifar10c/{name}", level)[(0, slice(None), *place)]
    assert found.tolist() == pytest.approx(expected, abs=6e-7)


def test_golden_grey_levels_are_cut_off():
    images = ImageSet("ramp", RAMP, torch.zeros(1).long(), torch.zeros(1).long(), ("a",))
    assert faulty(images, "saturate", 5).images[0, :, 1, 1].tolist() == [46, 69, 92]


def test_golden_kernels():
    two = blurs.disc(0.4, 0.5)
    assert (two[1, 1], two[0, 1], two[0, 0]) == pytest.approx((0.61935, 0.08382, 0.01134), abs=5e-6)
    five = blurs.disc(1.5, 0.1)
    middle = len(five) // 2
    assert five[middle - 1 : middle + 2, middle - 1 : middle + 2] == pytest.approx(np.full((3, 3), 1 / 9), abs=1e-6)
    for setting in colour_loops.LEVELS["defocus_blur"]:
        ours, theirs = blurs.disc(*setting), colour_loops.kernel(*setting)
        reach = len(ours) // 2
        assert ours == pytest.approx(theirs[8 - reach : 9 + reach, 8 - reach : 9 + reach], abs=1e-7)
        assert ours.sum() == pytest.approx(1)


def test_golden_anomalies():
    images = torch.arange(64.0).view(1, 1, 8, 8) / 63
    column = anomalies.row_add_logic(images, None, rows=3)[0, 0, :, 0] * 63
    assert column.round().tolist() == [0, 8, 16, 16, 16, 16, 48, 56]
    shifts = torch.tensor([[0, 1, 2, 0, 0, 0, 0, 0]])
    rows = (anomalies.turned_rows(images, shifts)[0, 0, :3] * 63).round().tolist()
    assert rows == [list(range(8)), [9, 10, 11, 12, 13, 14, 15, 8], [18, 19, 20, 21, 22, 23, 16, 17]]


# Laws of the parts.


@pytest.mark.whole
def test_photons_are_poisson_whether_looked_up_or_summed():
    ids = torch.arange(40)
    levels = random.keyed(0, "levels", ids, lambda g, m: g.integers(0, 256, (m, 3, 16, 16)))
    images = levels.float() / 255
    draws = Draws(1, "photons", ids)
    chance = noise.chances(draws, (3, 16, 16))
    for photons in (500, 75, 7):
        found = noise.shot_noise(images, draws, photons=photons)
        assert torch.equal(found, counted(images, chance, photons) / photons)
        ppf = stats.poisson.ppf(chance.double().numpy(), images.double().numpy() * photons).clip(0, photons)
        assert np.array_equal((found * photons).round().numpy(), ppf)
    between = images * 0.999
    assert torch.equal(noise.shot_noise(between, draws, photons=9), counted(between, chance, 9) / 9)


def test_normal_numbers_are_normal():
    drawn = noise.normal(Draws(0, "normal", torch.arange(300)), (3, 20, 20)).double().flatten()
    n = len(drawn)
    assert abs(drawn.mean()) < 4 / n**0.5
    assert abs(drawn.var() - 1) < 4 * (2 / n) ** 0.5
    assert stats.kstest(drawn.numpy(), "norm").pvalue > 1e-3
    assert 4 < drawn.abs().max() < 4.4


def test_water_is_that_of_opencv():
    drawn = random.normal(0, "liquid", torch.arange(60), (1, 30, 37)).double()
    for mean, deviation, sigma, threshold, *_ in colour_loops.LEVELS["spatter"][:3]:
        liquid = np.stack([colour_loops.gauss(one * deviation + mean, sigma) for one in drawn[:, 0].numpy()])
        levels = (np.clip(np.where(liquid < threshold, 0, liquid), 0, 1) * 255).astype(np.uint8)
        ours = spatter.water(torch.from_numpy(levels).int()[:, None])[:, 0].numpy()
        assert np.abs(ours - np.stack([colour_loops.water(one) for one in levels])).max() < 1e-12
        edges = spatter.canny(torch.from_numpy(levels).int()[:, None])
        far = spatter.distance(edges)[:, 0].double().numpy() / 2**16
        for i, one in enumerate(levels):
            theirs = cv2.Canny(one, 50, 150)
            assert np.array_equal(edges[i, 0].numpy(), theirs > 0)
            assert np.abs(far[i] - cv2.distanceTransform(255 - theirs, cv2.DIST_L2, 5)).max() < 1e-4
    assert not spatter.water(torch.zeros(1, 1, 9, 9, dtype=torch.int32)).any()


def test_histograms_are_equalised_as_opencv_does():
    values = random.keyed(0, "values", torch.arange(30), lambda g, m: g.integers(0, 21, (m, 1, 9, 11)))
    values[0] = 7
    values[1] = values[1].clamp(max=2)
    ours = spatter.equalised(values.int())[:, 0].numpy()
    for found, one in zip(ours, values[:, 0].numpy(), strict=True):
        assert np.array_equal(found, cv2.equalizeHist(one.astype(np.uint8)))


def test_zooming_is_scipys_with_the_factors_of_numpy():
    assert [len(np.arange(1, end, 0.01)) for (end,) in colour_loops.LEVELS["zoom_blur"]] == [7, 12, 16, 21, 26]
    for size in (5, 28, 32, 45):
        for factor in (1, 1.01, 1.13, 1.25, 1.75, 2.25, 3.9):
            row = np.random.default_rng(0).random((size, 1))
            assert (blurs.zoomed(factor, size).numpy() @ row)[:, 0] == pytest.approx(
                colour_loops.clipped_zoom(np.repeat(row, size, 1), factor)[:, 0], abs=1e-12
            )


def test_three_points_go_where_opencv_moves_them(photos):
    shifts = random.uniform(0, "shifts", torch.arange(3), (3, 2)).double() * 4 - 2
    images = photos.floats()[:3]
    ours = warps._read(images, *warps.sheared(shifts, 32, 32), edge=False)
    points = np.float32([[26, 26], [26, 6], [6, 6]])
    for i, image in enumerate(images.permute(0, 2, 3, 1).numpy()):
        matrix = cv2.getAffineTransform(points, points + shifts[i].numpy().astype(np.float32))
        theirs = cv2.warpAffine(image, matrix, (32, 32), borderMode=cv2.BORDER_REFLECT_101)
        assert np.abs(ours[i].permute(1, 2, 0).numpy() - theirs).max() < 0.04  # places rounded to 1/32 pixel
        assert np.abs(ours[i].permute(1, 2, 0).numpy() - theirs).mean() < 0.002


def test_rotation_is_scipys_spline_also_beyond_the_range():
    images = random.uniform(0, "turned", torch.arange(2), (3, 15, 20)).double()
    for degrees in (-45, -22.5, 10, 90, 180):
        for background in (0.0, -0.5):
            ours = warps.turned(images, degrees, background)
            theirs = np.stack([
                np.dstack([ndimage.rotate(c, degrees, reshape=False, cval=background) for c in one]).transpose(2, 0, 1)
                for one in images.numpy()
            ])  # fmt: skip
            assert np.abs(ours.numpy() - theirs).max() < 1e-5
    assert warps.turned(images, 45, -0.5).min() < -0.4
    still = warps.turned(images, 0)
    assert (still - images).abs().max() < 1e-6


def test_the_published_background_is_black_once_clipped(photos):
    ours, theirs = (faulty(photos, "rotated", as_published=one) for one in (False, True))
    assert torch.equal(ours.images, theirs.images)
    assert (warps.turned(photos.floats(), 45.0, -0.5)[:, :, 0, 0] == -0.5).all()


def test_glass_copies_as_published_and_swaps_when_asked():
    levels = torch.arange(64.0).view(1, 1, 8, 8).expand(200, 1, 8, 8).contiguous() / 255
    setting = {"sigma": 0.05, "reach": 1, "rounds": 1}
    for copies, kept in ((0, True), (1, False)):
        found = perturb(levels, "cifar10c/glass_blur", {**setting, "copies": copies})
        same = [(one.flatten() * 255).round().sort().values.tolist() == list(range(64)) for one in found]
        assert all(same) if kept else not any(same)


def test_snow_falls_from_45_to_135_degrees():
    class Fixed(Draws):
        def normal(self, shape, part="z"):
            z = torch.zeros(len(self.ids), *shape)
            z[:, 0, 16, 16] = 5
            return z

        def uniform(self, shape, part="u"):
            return torch.tensor([0.0, 0.5, 1.0])

    black = torch.zeros(3, 3, 32, 32)
    setting = {**CORRUPTIONS["cifar10c/snow"].levels[1], "keep": 1, "mean": 0, "scale": 1}
    found = weather.snow(black, Fixed(0, "", torch.arange(3)), **setting)
    assert torch.equal(found, found.flip((2, 3)))  # added with its half turn
    lit = found[1, 0].nonzero()
    assert set(lit[:, 1].tolist()) <= {15, 16}  # at -90 degrees up and down, by way of the two columns in the middle
    for i in (0, 2):
        spots = found[i, 0].nonzero().double() - 15.5
        assert abs(np.corrcoef(spots.T.numpy())[0, 1]) > 0.9  # slanting


def test_fogs_landscape_is_the_whole_map():
    found = weather.fog(torch.full((1, 1, 32, 32), 1.0), Draws(0, "fog", torch.tensor([3])), amount=1.0, decay=2.0)
    drawn = Draws(0, "fog", torch.tensor([3])).integers(-(2**15), 2**15, (32**2 - 1,))[0].numpy() / 2**15
    veil = (1 + loops.plasma(drawn, 32, 2.0)) / 2
    assert np.abs(found[0, 0].numpy() - veil).max() < 1e-6
    assert veil.min() == 0.5
    assert veil.max() == 1


def test_what_changes_nothing():
    images = random.uniform(0, "still", torch.arange(4), (3, 12, 12))
    for name, setting in (
        ("brightness", {"shift": 0}), ("saturate", {"factor": 1, "shift": 0}), ("contrast", {"factor": 1}),
        ("speckle_noise", {"sigma": 0}), ("impulse_noise", {"share": 0}), ("fog", {"amount": 0, "decay": 2}),
        ("gaussian_noise", {"sigma": 0}), ("defocus_blur", {"radius": 0, "alias": 0.01}),
        ("gaussian_blur", {"sigma": 0}), ("elastic_transform", {"alpha": 0, "sigma": 0, "affine": 0}),
    ):  # fmt: skip
        assert (perturb(images, f"cifar10c/{name}", setting) - images).abs().max() < 3e-6
    for name, setting in (
        ("pixel_trap", {"rows": 0}), ("row_add_logic", {"rows": 0}), ("shifted_pixel", {"below": 1}),
        ("rotated", {"angle": 0, "background": 0}),
    ):  # fmt: skip
        assert (perturb(images, f"farm/{name}", setting) - images).abs().max() < 1e-6


def test_anomalies_change_whole_rows():
    images = torch.full((50, 3, 28, 28), 0.5)
    for level, count in ((1, 3), (2, 5), (3, 10)):
        black = perturb(images, "farm/pixel_trap", level).eq(0).all(3).all(1).sum(1)
        assert black.eq(count).all()
    assert perturb(torch.ones(1, 1, 4, 4), "farm/pixel_trap", 3).max() == 0  # as many as there are
    ramp = torch.arange(28.0).div(27).expand(50, 1, 28, 28).contiguous()
    shifts = (perturb(ramp, "farm/shifted_pixel", 2)[..., 0] * 27).round()
    assert set(shifts.unique().tolist()) == {0, 1, 2, 3, 4}


# Severities are not always harder: saturation first takes colour away and then adds some, spatter changes from water to
# mud, an elastic transform moves points less and pixels more, and snow 4 has fewer flakes than 3.
UNEVEN = ("saturate", "spatter", "elastic_transform", "snow", "glass_blur")


@pytest.mark.parametrize("name", [name for name in NAMES if not name.endswith("rotated")])
def test_severities_change_more_and_more(name, photos):
    away = [(perturb(photos.floats(), name, s) - photos.floats()).abs().mean().item() for s in range(1, 4)]
    if not name.endswith(UNEVEN):
        assert (np.diff(away) > 0).all()
    assert min(away) > 1e-4


# Contract.


@pytest.mark.parametrize("name", NAMES)
class TestContractOfCorruptions:
    def test_stays_in_range_and_shape_and_leaves_its_input_alone(self, name, photos):
        entry, images = CORRUPTIONS[name], photos.floats()
        before = images.clone()
        assert entry.title
        assert entry.source
        for level in range(1, len(entry.levels) + 1):
            out = perturb(images, name, level)
            assert (out.shape, out.dtype) == (images.shape, torch.float32)
            assert out.min() >= 0
            assert out.max() <= 1
            assert not torch.equal(out, images)
            out.zero_()
        assert torch.equal(images, before)

    def test_ids_decide_the_draws_and_not_the_batch(self, name):
        images, ids = random.uniform(5, "batch", torch.arange(60), (3, 13, 13)), torch.arange(60) * 9
        whole = perturb(images, name, 2, ids=ids)
        for some in ([59], [3, 28, 4, 3], list(range(7, 50))):
            here = torch.tensor(some)
            assert (perturb(images[here], name, 2, ids=ids[here]) - whole[here]).abs().max() < 1e-6

    def test_only_random_ones_heed_the_seed(self, name, photos):
        first, second = (perturb(photos.floats(), name, 2, seed=s) for s in (1, 2))
        assert torch.equal(first, second) != CORRUPTIONS[name].random

    def test_no_images_give_no_images(self, name):
        assert perturb(torch.zeros(0, 3, 8, 8), name, 1).shape == (0, 3, 8, 8)

    def test_refuses_parameters_out_of_range(self, name, photos):
        setting = CORRUPTIONS[name].levels[0]
        for parameter in setting:
            for value in (-200.0, "much", float("nan")):
                with pytest.raises(MistrustError, match=rf"{parameter} is ('much'|-200|nan), expected a number"):
                    perturb(photos.floats(), name, {**setting, parameter: value})


@pytest.mark.parametrize("name", PLAIN)
class TestContractOfFaults:
    def test_names_its_category_severities_and_source(self, name):
        fault = FAULTS[name]
        assert fault.category in CATEGORIES
        assert fault.title
        assert fault.source
        assert bool(fault.severities) == bool(fault.levels)
        assert fault.times == (4 if name == "rotated" else 1)
        assert fault.differs_as_published == (name in ("snow", "spatter", "rotated"))

    def test_gives_grey_levels_cut_off_with_labels_and_ids(self, name, photos):
        fault = FAULTS[name]
        severity = fault.severities[0] if fault.severities else None
        found = faulty(photos, name, severity, seed=3)
        level = severity or 1
        expected = to_uint8(perturb(photos.floats(), fault.corruption, level, ids=photos.ids, seed=3))
        assert torch.equal(found.images[: len(photos)], expected)
        assert torch.equal(found.labels, photos.labels.repeat(fault.times))
        assert torch.equal(origin(found.ids), photos.ids.repeat(fault.times))
        assert torch.equal(found.ids[: len(photos)], photos.ids)
        assert len(found.ids.unique()) == fault.times * len(photos)

    def test_of_some_images_it_is_that_part_of_all(self, name, photos):
        severity = FAULTS[name].severities[-1] if FAULTS[name].severities else None
        for published in (False, True):
            whole = faulty(photos, name, severity, as_published=published)
            some = torch.tensor([17, 3, 30])
            part = faulty(photos.take(some), name, severity, as_published=published)
            for copy in range(FAULTS[name].times):
                assert torch.equal(part.images[3 * copy : 3 * copy + 3], whole.images[40 * copy + some])

    def test_refuses_severities_that_it_does_not_have(self, name, photos):
        fault = FAULTS[name]
        if fault.levels:
            for severity in (None, 0, fault.levels + 1, 1.5):
                with pytest.raises(MistrustError, match=f"'{name}' has severities 1 to {fault.levels}, got {severity}"):
                    faulty(photos, name, severity)
        else:
            with pytest.raises(MistrustError, match=f"'{name}' has no severities, got 2"):
                faulty(photos, name, 2)


def test_floats_and_bytes_give_the_same(photos):
    floats = replace(photos, images=photos.floats())
    for name in ("contrast", "pixel_trap", "shot_noise", "snow"):
        assert torch.equal(faulty(photos, name, 2).images, faulty(floats, name, 2).images)


def test_copies_can_be_traced():
    ids = torch.tensor([0, 7, 2**40 - 1])
    many = torch.cat([copied(ids, number) for number in (0, 1, 2**23 - 1)])
    assert len(many.unique()) == 9
    assert many.min() >= 0
    assert torch.equal(origin(many), ids.repeat(3))
    for wrong in (torch.tensor([3, 2**40]), torch.tensor([-1])):
        with pytest.raises(MistrustError, match=r"expected 0 to 2\^40 - 1: these images are copies already"):
            copied(wrong, 1)
    with pytest.raises(MistrustError, match="copies already"):
        faulty(faulty(load("photos", "test").take([0, 1]), "rotated"), "rotated")


# Bad input.


def test_unknown_faults_get_the_nearest(photos):
    with pytest.raises(UnknownName, match=r"no fault 'gausian_noise'\. Did you mean 'gaussian_noise'"):
        faulty(photos, "gausian_noise", 2)


@pytest.mark.parametrize(
    ("apply", "shape"),
    [(lambda images: images[0], r"\(3, 32, 32\)"), (lambda images: images[:, :, :16], r"\(20, 3, 16, 32\)")],
)
def test_a_fault_that_gives_another_shape_is_named(apply, shape, photos):
    """Of a fault that forgets the batch torch would make 20 copies of one picture without a word."""
    some, told = photos.take(slice(0, 20)), rf"gives images of shape {shape}, expected .* \(20, 3, 32, 32\)"
    corruption = Corruption("First", "this test", lambda images, draws: apply(images), ({},))
    CORRUPTIONS.add("own/first", corruption)
    FAULTS.add("first", Fault("anomaly", "own/first", severities=(1,)))
    attack = Fault("adversarial", attack=lambda classifier, images, labels, draws: apply(images), title="First")
    FAULTS.add("first attack", attack)
    try:
        with pytest.raises(MistrustError, match=f"Corruption 'own/first' {told}"):
            faulty(some, "first", 1)
        with pytest.raises(MistrustError, match=f"Fault 'first attack' {told}"):
            faulty(some, "first attack", classifier=wrap(lambda x: x.mean((2, 3))[:, :2], photos.classes))
    finally:
        CORRUPTIONS._entries.pop("own/first")
        for name in ("first", "first attack"):
            FAULTS._entries.pop(name)


def test_saturation_needs_colours(photos):
    grey = ImageSet("grey", photos.images[:, :1], photos.labels, photos.ids, photos.classes)
    with pytest.raises(MistrustError, match=r"'saturate' changes colours, but images of 'grey' have 1 channels"):
        faulty(grey, "saturate", 2)
    with pytest.raises(MistrustError, match=r"saturate: images have 1 channels, expected 3"):
        perturb(grey.floats(), "cifar10c/saturate", 2)
    assert [name for name, one in FAULTS.items() if one.colour] == ["saturate"]


def test_small_images_are_refused_where_nothing_could_be_moved():
    with pytest.raises(MistrustError, match="elastic_transform: images are 2x9, expected at least 3x3"):
        perturb(torch.zeros(1, 1, 2, 9), "cifar10c/elastic_transform", 1)
    for shape in ((1, 8), (8, 1), (1, 1)):
        with pytest.raises(MistrustError, match=f"spatter: images are {shape[0]}x{shape[1]}, expected at least 2x2"):
            perturb(torch.zeros(1, 3, *shape), "cifar10c/spatter", 1)
    assert perturb(torch.zeros(1, 3, 2, 2), "cifar10c/spatter", 1).shape == (1, 3, 2, 2)


@pytest.mark.parametrize("shape", [(5, 4), (4, 5), (1, 40), (40, 1), (1, 1), (9, 30)])
def test_zooms_of_small_pictures_are_the_mean_of_all(shape):
    x = random.uniform(0, "zoomed", torch.arange(2), (3, *shape)).double()
    for (end,) in colour_loops.LEVELS["zoom_blur"]:
        factors = [1, *np.arange(1, end, 0.01).tolist()]
        down, across = ([blurs.zoomed(factor, size) for factor in factors] for size in shape)
        mean = sum(d @ x @ a.T for d, a in zip(down, across, strict=True)) / len(factors)
        torch.testing.assert_close(blurs.zoom_blur(x, Draws(0, "", torch.arange(2)), end=end), mean, rtol=0, atol=1e-12)


@pytest.mark.parametrize("wrong", ["2", None, float("nan"), [1], 0, 6, 2.5])
def test_what_is_no_severity_is_told_as_it_was_given(wrong, photos):
    with pytest.raises(MistrustError) as caught:
        faulty(photos, "gaussian_noise", wrong)
    assert str(caught.value) == f"Fault 'gaussian_noise' has severities 1 to 5, got {wrong!r}."


def test_a_severity_may_be_a_float_and_images_must_be_a_set(photos):
    some = photos.take(slice(0, 2))
    assert torch.equal(faulty(some, "fog", 2.0).images, faulty(some, "fog", 2).images)
    with pytest.raises(MistrustError, match=r"faulty takes an ImageSet, .* got Tensor"):
        faulty(some.images, "fog", 2)


def test_a_fault_that_leaves_the_range_is_refused(photos):
    CORRUPTIONS.add("test/bright", Corruption("", "", lambda images, draws: images + 0.3, ({},)))
    FAULTS.add("too_bright", Fault("noise", "test/bright", (1,)))
    try:
        with pytest.raises(
            MistrustError, match=r"to be stored as grey levels reach from .* to 1\.3, expected \[0, 1\]"
        ):
            faulty(photos, "too_bright", 1)
    finally:
        FAULTS._entries.pop("too_bright")
        CORRUPTIONS._entries.pop("test/bright")


def test_wrong_templates_are_refused_when_made():
    for wrong, message in (
        ({"category": "nois", "corruption": "cifar10c/fog"}, "Did you mean 'noise'"),
        ({"category": "novelty", "corruption": "cifar10c/fog"}, "There is no category of faults 'novelty'"),
        ({"category": "noise", "corruption": "cifar10c/fogg"}, "Did you mean 'cifar10c/fog'"),
        ({"category": "noise"}, "expected one of the two"),
        ({"category": "noise", "corruption": "cifar10c/fog", "severities": (2, 6)}, "has 1 to 5"),
    ):
        with pytest.raises(MistrustError, match=message):
            Fault(**wrong)


def test_a_table_of_pictures_can_be_looked_at(photos):
    # Pillow reads what `faulty` gives as it is: bytes, channels last once permuted.
    image = Image.fromarray(faulty(photos, "fog", 5).images[0].permute(1, 2, 0).numpy())
    assert image.size == (32, 32)
