import numpy as np
import pytest
import torch

from mistrust import random
from mistrust.data import load
from mistrust.errors import MistrustError
from mistrust.inputs import PERTURBATIONS, Draws, Perturbation, continuous, perturb, perturbed, to_uint8


@pytest.fixture
def digits():
    return load("digits", "test").take(torch.arange(40))


@pytest.mark.parametrize("name", list(PERTURBATIONS))
class TestContract:
    def test_has_ten_levels_title_and_source(self, name):
        entry = PERTURBATIONS[name]
        assert len(entry.levels) == 10
        assert entry.title
        assert "Sikar" in entry.source

    def test_stays_in_range_and_shape_and_leaves_its_input_alone(self, name, digits):
        images = digits.floats()
        before = images.clone()
        for level in range(1, 11):
            out = perturb(images, name, level)
            assert out.shape == images.shape
            assert out.dtype == torch.float32
            assert out.min() >= 0
            assert out.max() <= 1
        assert torch.equal(images, before)

    def test_a_subset_gets_what_the_whole_gets(self, name, digits):
        some = torch.tensor([30, 2, 17])
        whole = perturbed(digits, name, 5, seed=3)
        assert torch.equal(perturbed(digits.take(some), name, 5, seed=3).images, whole.images[some])

    def test_levels_differ_and_only_random_ones_heed_the_seed(self, name, digits):
        images = digits.floats()
        first = perturb(images, name, 4, seed=1)
        assert not torch.equal(first, perturb(images, name, 10, seed=1))
        assert torch.equal(first, perturb(images, name, 4, seed=1))
        assert torch.equal(first, perturb(images, name, 4, seed=2)) != PERTURBATIONS[name].random

    def test_refuses_what_it_cannot_take(self, name, digits):
        images = digits.floats()
        for level in (0, 11, 2.5):
            with pytest.raises(MistrustError, match=f"levels 1 to 10, got {level}"):
                perturb(images, name, level)
        with pytest.raises(MistrustError, match="takes"):
            perturb(images, name, {"wrong": 1.0})
        with pytest.raises(MistrustError, match=r"expected \[0, 1\]"):
            perturb(images * 255, name, 1)
        with pytest.raises(MistrustError, match=r"float64, expected float32"):
            perturb(images.double(), name, 1)
        with pytest.raises(MistrustError, match=r"one id per image"):
            perturb(images, name, 1, ids=torch.arange(3))
        first = next(iter(PERTURBATIONS[name].levels[0]))
        for value, expected in (
            (float("nan"), "nan, expected"),
            ("much", "'much', expected a number"),
            (-2, "-2, exp"),
        ):
            with pytest.raises(MistrustError, match=f"{first} is {expected}"):
                perturb(images, name, {**PERTURBATIONS[name].levels[0], first: value})

    def test_no_images_give_no_images(self, name):
        assert perturb(torch.zeros(0, 1, 8, 8), name, 3).shape == (0, 1, 8, 8)

    @pytest.mark.parametrize("shape", [(600, 1, 28, 28), (300, 3, 32, 32)])
    def test_an_image_does_not_depend_on_its_batch(self, name, shape):
        images = random.uniform(5, "batch", torch.arange(shape[0]), shape[1:])
        for setting in (2, 10):
            whole = perturb(images, name, setting)
            for some in ([299], [3, 280, 4, 3], list(range(7, 270))):
                here = torch.tensor(some)
                assert (perturb(images[here], name, setting, ids=here) - whole[here]).abs().max() < 1e-6


@pytest.mark.parametrize("name", [name for name, entry in PERTURBATIONS.items() if entry.continuous is not None])
class TestContinuousContract:
    def test_runs_over_its_grid_and_no_further(self, name, digits):
        images, form = digits.floats(), continuous(name)
        assert list(form.grid) == sorted(set(form.grid))
        assert len(form.grid) == 21
        for severity in form.grid:
            out = perturb(images, name, {"severity": severity})
            assert out.min() >= 0
            assert out.max() <= 1
        for severity in (form.grid[0] - 0.1, form.grid[-1] + 0.1, float("nan")):
            with pytest.raises(MistrustError, match=f"'{name}': severity is .*, expected a number in"):
                perturb(images, name, {"severity": severity})

    def test_grows_along_its_grid(self, name):
        images = load("mnist5k", "test").floats()[:30]
        away = [(perturb(images, name, {"severity": s}) - images).abs().mean().item() for s in continuous(name).grid]
        assert max(away) > 0.05
        if name not in ("contrast", "gaussian_noise"):  # these two change the image at any setting
            assert away[0] == 0
            assert (np.diff(away) > -0.005).all()

    def test_an_image_does_not_depend_on_its_batch(self, name):
        images = random.uniform(5, "batch", torch.arange(300), (1, 28, 28))
        setting = {"severity": continuous(name).grid[12]}
        whole, here = perturb(images, name, setting), torch.tensor([3, 280, 4, 3])
        assert (perturb(images[here], name, setting, ids=here) - whole[here]).abs().max() < 1e-6

    def test_what_comes_out_is_no_view_of_what_went_in(self, name, digits):
        images = digits.floats()
        before = images.clone()
        for setting in (1, {"severity": continuous(name).grid[0]}):
            perturb(images, name, setting).zero_()
        assert torch.equal(images, before)

    def test_severities_share_their_noise_and_levels_do_not(self, name, digits):
        seen = []

        def listening(seed, name, ids):
            seen.append(name)
            return Draws(seed, name, ids)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("mistrust.inputs.perturbations.Draws", listening)
            for setting in (*({"severity": s} for s in continuous(name).grid[1:]), 9, 10):
                perturb(digits.floats(), name, setting)
        assert len(set(seen[:20])) == 1
        assert len(set(seen)) == 3


# Settings that change nothing, and those that look as if they did not.


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        ("brightness", {"shift": 0}),
        ("motion_blur", {"size": 1}),
        ("zoom_blur", {"size": 1}),
        ("defocus_blur", {"size": 7, "amount": 0}),
        ("defocus_blur", {"size": 1, "amount": 1.5}),
        ("fog", {"density": 0}),
        ("frost", {"strength": 0}),
        ("impulse_noise", {"share": 0.99 / 784}),
        ("shot_noise", {"rate": 0}),
        ("snow", {"share": 0, "size": 3}),
        *((name, {"severity": continuous(name).grid[0]}) for name in PERTURBATIONS
          if name not in ("contrast", "gaussian_noise")),
    ],
)  # fmt: skip
def test_identity_settings_give_the_images_exactly(name, setting):
    images = random.uniform(0, "identity", torch.arange(20), (1, 28, 28))
    assert torch.equal(perturb(images, name, setting), images)


def test_what_is_no_identity():
    images = random.uniform(0, "identity", torch.arange(20), (1, 28, 28)) * 0.5 + 0.1
    for name, setting in (
        ("contrast", {"factor": 1}),
        ("pixelation", {"factor": 1}),
        ("gaussian_noise", {"mean": 0, "sigma": 0.125}),
    ):
        assert (perturb(images, name, setting) - images).abs().mean() > 0.05
    stretched = perturb(images, "pixelation", {"factor": 1})
    low, high = images.amin((1, 2, 3), keepdim=True), images.amax((1, 2, 3), keepdim=True)
    assert (stretched - (images - low) / (high - low)).abs().max() < 1e-6
    spanning = images.clone()
    spanning[:, 0, 0, 0], spanning[:, 0, 0, 1] = 0, 1
    assert torch.equal(perturb(spanning, "pixelation", {"factor": 1}), spanning)


@pytest.mark.parametrize("level", range(1, 11))
def test_pixelation_leaves_constant_images_exactly_and_others_in_their_batch_stretched(level):
    constant = torch.tensor([0.0, 0.1, 0.3333, 1.0]).view(4, 1, 1, 1).expand(4, 3, 28, 28).contiguous()
    other = random.uniform(0, "pixelation", torch.arange(1), (3, 28, 28))
    out = perturb(torch.cat([constant, other]), "pixelation", level)
    assert torch.equal(out[:4], constant)
    assert torch.equal(out[4:], perturb(other, "pixelation", level))
    assert out[4].min() == 0
    assert out[4].max() == 1


def test_pixelation_leaves_what_becomes_constant_at_its_mean():
    board = (torch.arange(28).view(28, 1) + torch.arange(28)) % 2
    assert (perturb(board.view(1, 1, 28, 28).float(), "pixelation", {"factor": 2}) - 0.5).abs().max() < 1e-6


def test_a_single_pixel_can_be_perturbed():
    for name in PERTURBATIONS:
        for level in (1, 10):
            out = perturb(torch.full((2, 1, 1, 1), 0.25), name, level)
            assert torch.isfinite(out).all()


# Statistics of the random ones. Each bound is five standard errors or more.

GREY = torch.full((400, 1, 28, 28), 0.25)
PIXELS = GREY.numel()


@pytest.mark.parametrize("share", [0.0013, 0.25, 0.5, 0.999, 1.0])
def test_impulse_noise_salts_exactly_its_share_of_pixels_anywhere(share):
    colour = GREY.expand(400, 3, 28, 28)
    salted = perturb(colour, "impulse_noise", {"share": share})
    assert torch.equal(salted[:, 0], salted[:, 2])
    here = salted[:, 0] == 0.75
    assert ((salted[:, 0] == 0.25) | here).all()
    count = int(784 * share)
    assert here.flatten(1).sum(1).tolist() == [count] * 400
    rate = count / 784
    if 0 < rate < 1:  # chi square over places: expected 784, standard deviation about 40
        spread = (here.double().mean(0) - rate).square().sum().item() / (rate * (1 - rate) / 400)
        assert 584 < spread < 984


@pytest.mark.whole
def test_more_impulses_keep_those_that_were_there():
    few, many = (Draws(0, "x", torch.arange(300)).chosen(n, (9, 9)) for n in (20, 33))
    assert (many | ~few).all()
    large = Draws(0, "x", torch.arange(2)).chosen(777, (1, 257, 256))
    assert large.flatten(1).sum(1).tolist() == [777, 777]


def test_impulses_and_snow_go_on_with_a_larger_step_beyond_their_strongest_level():
    for name, most, other in (("impulse_noise", 0.75, {}), ("snow", 0.99, {"size": 3})):
        for amount, step in ((0.7, 0.5), (most, 0.5), (most + 0.2, 0.7), (most + 0.5, 1.0)):
            out = perturb(GREY * 0, name, {"severity": amount})
            key = Draws(0, f"{name}/severity", torch.arange(400))
            expected = PERTURBATIONS[name].apply(GREY * 0, key, share=min(amount, most), **other) > 0
            assert (out - step * expected).abs().max() < 1e-6
            assert expected.any()


def test_shot_noise_counts_are_poisson():
    rate = 0.57
    out = perturb(GREY, "shot_noise", {"rate": rate})
    for value, expected in ((0.25, np.exp(-rate)), (0.75, rate * np.exp(-rate)), (1.0, 1 - (1 + rate) * np.exp(-rate))):
        found = (out == value).double().mean().item()
        assert abs(found - expected) < 5 * (expected * (1 - expected) / PIXELS) ** 0.5


def test_gaussian_noise_has_its_mean_and_deviation():
    out = perturb(GREY + 0.25, "gaussian_noise", {"mean": 0.05, "sigma": 0.05}).double() - 0.5
    assert abs(out.mean().item() - 0.05) < 5 * 0.05 / PIXELS**0.5
    assert abs(out.std().item() - 0.05) < 5 * 0.05 / (2 * PIXELS) ** 0.5


def test_snow_keeps_the_ninth_power_of_its_share_and_clusters():
    out = perturb(GREY, "snow", {"share": 0.9, "size": 3})
    kept = (out == 0.75)[:, 0]
    # Away from the border nine pixels must be set; neighbouring windows overlap, hence the wide bound.
    inner = kept[:, 1:-1, 1:-1].double().mean().item()
    assert abs(inner - 0.9**9) < 0.01
    # A corner's window, mirrored, holds four different pixels.
    assert abs(kept[:, 0, 0].double().mean().item() - 0.9**4) < 5 * (0.66 * 0.34 / 400) ** 0.5
    assert perturb(GREY, "snow", {"share": 1, "size": 3}).eq(0.75).all()


def test_frost_is_noise_in_patches_over_somewhat_more_than_half_of_the_image():
    out = perturb(torch.full((400, 1, 28, 28), 0.5), "frost", {"strength": 1}) - 0.5
    icy = out != 0
    # 0.54 before smoothing. By simulation with numpy and scipy (4,000 images): 0.605 after it, 0.049 from image to
    # image, and neighbours agree in 0.797 of the cases, 0.017 from image to image.
    assert abs(icy.double().mean().item() - 0.605) < 5 * 0.049 / 20
    assert abs(out[icy].double().std().item() - 0.05) < 0.001
    together = (icy[..., 1:] == icy[..., :-1]).double().mean().item()
    assert abs(together - 0.797) < 5 * 0.017 / 20


def test_fogs_noise_is_a_tenth_of_its_glow():
    out = perturb(torch.zeros(400, 1, 28, 28), "fog", {"density": 0.5})
    # At the middle the glow is 1 + 0.1 z, clamped at 1; at half a side it is exp(-1) + 0.1 z. On our scale l/2 (1 + m).
    at = out[:, 0, 14, 21].double()
    assert abs(at.mean().item() - 0.25 * (1 + np.exp(-1))) < 5 * 0.025 / 20
    assert abs(at.std().item() - 0.025) < 5 * 0.025 / 28
    assert abs(out[:, 0, 14, 14].double().mean().item() - 0.25 * (2 - 0.1 / np.sqrt(2 * np.pi))) < 0.005


@pytest.mark.parametrize(
    ("name", "setting", "message"),
    [
        ("brightness", {"shift": -2}, r"brightness: shift is -2, expected a number in \[-1, 1\]"),
        ("contrast", {"factor": -0.5}, "contrast: factor is -0.5"),
        ("frost", {"strength": -1}, "frost: strength is -1"),
        ("gaussian_noise", {"mean": 0, "sigma": -1}, "gaussian_noise: sigma is -1"),
        ("motion_blur", {"size": 1.5}, "motion_blur: size is 1.5, expected a whole number"),
        ("zoom_blur", {"size": -3}, "zoom_blur: size is -3"),
        ("impulse_noise", {"share": 1.1}, r"impulse_noise: share is 1.1, expected a number in \[0, 1\]"),
        ("snow", {"share": 0.9, "size": 2.5}, "snow: size is 2.5, expected a whole number"),
        ("defocus_blur", {"size": 0, "amount": 1}, "defocus_blur: size is 0, expected a number of at least 1"),
        ("fog", {"density": 2}, r"fog: density is 2, expected a number in \[0, 1\]"),
        ("pixelation", {"factor": 0}, "pixelation: factor is 0"),
        ("shot_noise", {"rate": float("inf")}, "rate is inf"),
    ],
)
def test_a_parameter_out_of_range_is_named(name, setting, message):
    with pytest.raises(MistrustError, match=message):
        perturb(GREY[:2], name, setting)


def test_an_entry_without_a_continuous_form_takes_no_severity():
    PERTURBATIONS.add("still", Perturbation("Still", "Sikar", lambda images, draws: images, ({},) * 10))
    try:
        with pytest.raises(
            MistrustError, match=r"'still' has no continuous form.*Those that have one: brightness, con"
        ):
            perturb(GREY, "still", {"severity": 1})
    finally:
        PERTURBATIONS._entries.pop("still")


@pytest.mark.parametrize(
    ("apply", "shape"),
    [
        (lambda images, draws: images[0], r"shape \(1, 8, 8\)"),  # torch would give 20 times the first picture
        (lambda images, draws: images[:1], r"shape \(1, 1, 8, 8\)"),
        (lambda images, draws: images[:, :, :4], r"shape \(20, 1, 4, 8\)"),
        (lambda images, draws: images.numpy(), "type ndarray"),
        (lambda images, draws: None, "type NoneType"),
    ],
)
def test_an_entry_that_gives_another_shape_is_named(apply, shape, digits):
    some = digits.take(slice(0, 20))
    told = rf"Perturbation 'own' gives images of {shape}, expected a tensor of shape \(20, 1, 8, 8\).*first axis.*batch"
    for uint8 in (False, True):
        PERTURBATIONS.add("own", Perturbation("Own", "Sikar", apply, ({},) * 10, uint8=uint8))
        try:
            for call in (lambda: perturb(some.floats(), "own", 1), lambda: perturbed(some, "own", 1)):
                with pytest.raises(MistrustError, match=told):
                    call()
        finally:
            PERTURBATIONS._entries.pop("own")


def test_brightness_adds_half_of_the_papers_b():
    # By hand: on [-1, 1] the paper adds b = .55 at level 2; (-1 + .55 + 1) / 2 = .275 of the full scale.
    images = torch.tensor([0.0, 0.5, 0.9]).view(1, 1, 1, 3)
    assert perturb(images, "brightness", 2).flatten().tolist() == pytest.approx([0.275, 0.775, 1.0])
    assert torch.equal(perturb(images, "brightness", {"shift": 0.0}), images)


def test_gaussian_noise_is_the_papers_formula_on_the_papers_scale():
    # clip(x + mu + .25 z) on [-1, 1], in float64 with numpy, level 6: mu = .7.
    ids = torch.arange(50)
    images = random.uniform(0, "images", ids, (1, 6, 6))
    z = random.normal(9, "gaussian_noise/mean=0.35,sigma=0.125/z", ids, (1, 6, 6)).double().numpy()
    x = 2 * images.double().numpy() - 1
    expected = (np.clip(x + 0.7 + 0.25 * z, -1, 1) + 1) / 2
    assert np.abs(perturb(images, "gaussian_noise", 6, ids=ids, seed=9).numpy() - expected).max() < 1e-6


def test_every_grey_level_survives_the_way_through_floats():
    levels = torch.arange(256, dtype=torch.uint8).view(1, 1, 16, 16)
    assert torch.equal(to_uint8(levels.float() / 255), levels)
    assert to_uint8(torch.tensor([[[[0.4999, 0.9999]]]])).flatten().tolist() == [127, 254]


def test_ids_may_be_a_list_or_an_array_of_whole_numbers():
    images = torch.full((3, 1, 8, 8), 0.5)
    expected = perturb(images, "gaussian_noise", 3, ids=torch.tensor([7, 300, 9]))
    for ids in ([7, 300, 9], np.array([7, 300, 9]), torch.tensor([7, 300, 9], dtype=torch.int16)):
        assert torch.equal(perturb(images, "gaussian_noise", 3, ids=ids), expected)
    for ids in ([0.1, 0.2, 0.3], torch.arange(3.0), [True, False, True]):
        with pytest.raises(MistrustError, match=r"Ids are torch\..*, expected whole numbers"):
            perturb(images, "gaussian_noise", 3, ids=ids)
    with pytest.raises(MistrustError, match="Ids are 'abc', expected numbers"):
        perturb(images, "gaussian_noise", 3, ids="abc")


@pytest.mark.parametrize(
    ("images", "message"),
    [
        (
            torch.full((2, 1, 8, 8), 9, dtype=torch.uint8),
            r"Images are torch.uint8, expected float32 .*: images / 255 of",
        ),
        (torch.ones(2, 1, 8, 8).bool(), r"Images are torch.bool, expected float32 in \[0, 1\]"),
        (torch.ones(2, 1, 8, 8).double(), r"Images are torch.float64, expected float32 .*: images.to\(torch.float32\)"),
        (torch.ones(2, 0, 8, 8), r"shape \(2, 0, 8, 8\), expected at least one channel and one pixel"),
        (torch.ones(2, 1, 0, 8), r"shape \(2, 1, 0, 8\), expected at least one channel and one pixel"),
    ],
)
def test_pixels_of_another_type_and_images_without_any_are_refused(images, message):
    for name in ("fog", "mnistc/fog"):
        with pytest.raises(MistrustError, match=message):
            perturb(images, name, 1)


@pytest.mark.parametrize("name", [3, None, ["fog"]])
def test_a_name_that_is_no_text_is_no_perturbation(name):
    with pytest.raises(MistrustError, match="There is no perturbation"):
        perturb(torch.ones(1, 1, 8, 8), name, 1)


def test_images_of_another_kind_are_refused(digits):
    images = digits.floats()
    for wrong, message in (
        (images.numpy(), r"Images are of type ndarray, expected a torch tensor: torch.as_tensor\(images\)"),
        (images.tolist(), "Images are of type list"),
        (None, "Images are of type NoneType"),
        (digits, r"perturb takes a tensor of images, got ImageSet\(.*: perturbed\(images, \.\.\.\) takes a set"),
    ):
        with pytest.raises(MistrustError, match=message):
            perturb(wrong, "brightness", 1)
    with pytest.raises(MistrustError, match=r"perturbed takes an ImageSet, .* got Tensor"):
        perturbed(images, "brightness", 1)
    with pytest.raises(
        MistrustError, match=r"perturbed takes an ImageSet, got the name 'digits'\. Read it: load\('dig"
    ):
        perturbed("digits", "brightness", 1)


@pytest.mark.parametrize("wrong", ["1", None, float("nan"), [1], 0, 11, 2.5])
def test_what_is_no_level_is_told_as_it_was_given(wrong, digits):
    with pytest.raises(MistrustError) as caught:
        perturb(digits.floats(), "fog", wrong)
    assert str(caught.value) == f"Perturbation 'fog' has levels 1 to 10, got {wrong!r}."


def test_a_parameter_is_no_text(digits):
    with pytest.raises(MistrustError, match=r"'brightness': shift is '0\.2', expected a number"):
        perturb(digits.floats(), "brightness", {"shift": "0.2"})


def test_an_unknown_name_gets_the_nearest():
    with pytest.raises(MistrustError, match="Did you mean 'brightness'"):
        perturb(torch.zeros(1, 1, 2, 2), "brigthness", 1)
