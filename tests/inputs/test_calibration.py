"""Golden: classifiers whose accuracy under a perturbation is known exactly. Law, bad input: the rest."""

import numpy as np
import pytest
import torch

from mistrust import random
from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.inputs import PERTURBATIONS, Perturbation
from mistrust.inputs.calibration import Calibration, accuracy, calibrate, check, inverted, split, targets
from mistrust.networks import wrap

CLASSES = ("dark", "bright")


def dark(levels, ids=None, name="grey"):
    """Constant images of these grey levels, all of class "dark"."""
    n = len(levels)
    pixels = torch.as_tensor(levels, dtype=torch.uint8).view(n, 1, 1, 1).expand(n, 1, 6, 6).contiguous()
    return ImageSet(name, pixels, torch.zeros(n, dtype=torch.int64), torch.arange(n) if ids is None else ids, CLASSES)


def threshold(at=0.5):
    """Calls an image bright from a mean of `at` on."""
    return wrap(lambda x: torch.stack([at - x.mean((1, 2, 3)), x.mean((1, 2, 3)) - at], 1), CLASSES, key="threshold")


@pytest.fixture
def even():
    """Grey levels 0 to 127, each eight times: at shift s those up to 127.5 - 255 s stay dark."""
    return dark(np.repeat(np.arange(128), 8))


class TestKnownAnswer:
    def test_brightness_has_the_exact_inverse(self, even):
        # Of 128 levels a shift s leaves a share of 1 - 2 s dark, to within a grey level (1/128).
        found = calibrate(threshold(), even, "brightness")
        assert found.clean == 1
        assert len(found.grid) == 21
        assert found.reached.all()
        assert found.said == ""
        assert np.abs(found.severities - (1 - targets()) / 2).max() < 1 / 255
        assert (
            np.abs(check(found, threshold(), dark(np.arange(128), torch.arange(128) + 5000)) - targets()).max() < 0.01
        )

    def test_measured_curve_is_the_known_one(self, even):
        # Truncated to grey levels, v stays dark while v + 255 s < 128: v up to 102, 64 and 0.
        found = calibrate(threshold(), even, "brightness", grid=[0.0, 0.1, 0.25, 0.5])
        assert found.measured.tolist() == pytest.approx([1.0, 103 / 128, 65 / 128, 1 / 128])
        assert found.fitted.tolist() == found.measured.tolist()
        between = calibrate(threshold(), even, "brightness", [0.75], grid=[0.0, 0.25])
        assert between.severities.tolist() == pytest.approx([0.25 * (1 - 0.75) / (1 - 65 / 128)])

    def test_impulses_by_hand(self):
        # int(36 p) pixels get half of the scale: black images are bright once int(36 p)/72 is at least 0.26 (p > .52).
        black = dark([0] * 50)
        found = calibrate(threshold(0.26), black, "impulse_noise", [0.5], grid=[0, 0.5, 0.55])
        assert found.measured.tolist() == [1, 1, 0]
        assert found.severities.tolist() == [pytest.approx(0.525)]


class TestTargets:
    def test_are_those_of_the_facts(self):
        assert targets().tolist() == pytest.approx([0.975 - (level - 1) / 9 * 0.485 for level in range(1, 11)])
        assert targets(3).tolist() == pytest.approx([0.975, 0.7325, 0.49])
        with pytest.raises(MistrustError, match="1 levels, expected at least 2"):
            targets(1)

    def test_none_is_above_the_clean_accuracy(self):
        # A fifth of the images is bright from the start: clean 0.8.
        images = dark(np.concatenate([np.full(32, 200), np.arange(128)]))
        found = calibrate(threshold(), images, "brightness")
        assert found.clean == 0.8
        assert found.targets.max() == 0.8
        assert found.targets[-1] == pytest.approx(0.49)
        assert found.reached.all()

    def test_one_that_cannot_be_reached_is_said(self, even):
        found = calibrate(threshold(), even, "brightness", [0.9, 0.3], grid=[0.1, 0.2])
        assert found.reached.tolist() == [False, False]
        assert found.severities.tolist() == [0.1, 0.2]
        assert found.expected.tolist() == pytest.approx([103 / 128, 77 / 128])
        assert found.said == (
            "brightness cannot bring the accuracy of 'yours' to 0.900 (at severity 0.1 it is 0.805), "
            "0.300 (at severity 0.2 it is 0.602)."
        )

    def test_a_constant_answer_reaches_its_own_accuracy_alone(self, even):
        always = wrap(lambda x: torch.stack([x.sum((1, 2, 3)) * 0 + 1, x.sum((1, 2, 3)) * 0], 1), CLASSES, key="always")
        shifted = wrap(lambda x: always.network(x) * 2 - 3, CLASSES, key="shifted")  # no row that sums to one
        found = calibrate(shifted, even, "fog", [1.0, 0.5])
        assert found.reached.tolist() == [True, False]
        assert found.severities.tolist() == [1.0, 1.0]


class TestInversion:
    def test_takes_the_far_end_of_a_flat_stretch(self):
        grid, fitted = np.array([0.0, 1, 2, 3, 4]), np.array([0.9, 0.7, 0.7, 0.3, 0.3])
        places, values = inverted(grid, fitted, np.array([0.95, 0.9, 0.8, 0.7, 0.5, 0.3, 0.1]))
        assert places.tolist() == pytest.approx([0, 0, 0.5, 2, 2.5, 4, 4])
        assert values.tolist() == pytest.approx([0.9, 0.9, 0.8, 0.7, 0.5, 0.3, 0.3])

    def test_lower_targets_never_have_lower_severities(self):
        for seed in range(20):
            drawn = random.generator(seed, "curve")
            fitted = np.sort(drawn.random(21).round(1))[::-1]
            places, values = inverted(np.linspace(0, 1, 21), fitted, np.linspace(1, 0, 41))
            assert (np.diff(places) >= 0).all()
            assert (np.diff(values) <= 1e-12).all()
            inside = (np.linspace(1, 0, 41) <= fitted[0]) & (np.linspace(1, 0, 41) >= fitted[-1])
            assert np.abs(values - np.linspace(1, 0, 41))[inside].max(initial=0) < 1e-9

    def test_what_lies_beyond_the_lowest_accuracy_is_left_out(self):
        # Bright in a band of means only: shifted further, dark images count as dark again.
        band = wrap(lambda x: torch.stack([(x.mean((1, 2, 3)) - 0.5).abs() - 0.1, x.sum((1, 2, 3)) * 0 - 1e-3], 1),
                    CLASSES, key="band")  # fmt: skip
        found = calibrate(band, dark([51] * 20), "brightness", [0.9, 0.5, 0.0], grid=[0.0, 0.1, 0.3, 0.5, 0.7])
        assert found.measured.tolist() == [1, 1, 0, 1, 1]
        assert found.fitted[:3].tolist() == [1, 1, 0]
        assert np.isnan(found.fitted[3:]).all()
        assert found.severities.tolist() == pytest.approx([0.12, 0.2, 0.3])
        worst = calibrate(band, dark([128] * 20), "brightness", [0.5, 0.0], grid=[0.0, 0.4])
        assert worst.severities.tolist() == [0, 0]

    def test_a_curve_that_rises_is_flattened_before(self):
        # Bright images count too: accuracy first rises, since shifted images of class "bright" are recognised.
        n = 60
        levels = np.concatenate([np.arange(n), np.full(20, 120)])
        images = ImageSet(
            "two", dark(levels).images, torch.cat([torch.zeros(n), torch.ones(20)]).long(), torch.arange(80), CLASSES
        )
        found = calibrate(threshold(), images, "brightness")
        assert (np.diff(found.measured) > 0).any()
        assert (np.diff(found.fitted) <= 1e-12).all()
        assert (np.diff(found.severities) >= 0).all()


class TestLaws:
    @pytest.mark.whole
    def test_is_a_function_of_its_arguments(self, even):
        one, again, other = (calibrate(threshold(0.4), even, "gaussian_noise", seed=s) for s in (3, 3, 4))
        assert (one.severities == again.severities).all()
        assert (one.measured != other.measured).any()

    @pytest.mark.whole
    def test_the_order_of_the_images_does_not_matter(self, even):
        order = random.permutation(0, "order", len(even))
        for name in ("shot_noise", "contrast"):
            one, other = (calibrate(threshold(0.45), images, name) for images in (even, even.take(order)))
            assert (one.measured == other.measured).all()

    @pytest.mark.parametrize("name", list(PERTURBATIONS))
    def test_every_perturbation_can_be_calibrated(self, name):
        images = ImageSet(
            "noise", random.uniform(0, "calibrate", torch.arange(40), (1, 12, 12)),
            torch.arange(40) % 2, torch.arange(40), CLASSES,
        )  # fmt: skip
        found = calibrate(threshold(), images, name)
        assert isinstance(found, Calibration)
        assert found.severities.shape == found.expected.shape == (10,)
        assert ((found.severities >= found.grid[0]) & (found.severities <= found.grid[-1])).all()
        assert (found.reached | (found.said != "")).all()


class TestSplit:
    def test_is_at_random_and_whole(self, even):
        one, other = split(even, 300, seed=2)
        assert (len(one), len(other)) == (300, 724)
        assert sorted([*one.ids.tolist(), *other.ids.tolist()]) == list(range(1024))
        # Not the first images: a third of the chosen ones lie in each third of the set, about.
        assert 60 < int((one.ids < 341).sum()) < 140
        assert one.ids.tolist() == split(even, 300, seed=2)[0].ids.tolist()
        assert one.ids.tolist() != split(even, 300, seed=3)[0].ids.tolist()

    def test_must_leave_images_on_both_sides(self, even):
        for count in (0, 1024, -3):
            with pytest.raises(MistrustError, match=f"{count} of 1024 images to calibrate on: expected 1 to 1023"):
                split(even, count)

    def test_images_that_were_calibrated_on_check_nothing(self, even):
        one, other = split(even, 300)
        found = calibrate(threshold(), one, "brightness")
        assert np.abs(check(found, threshold(), other) - targets()).max() < 0.05
        with pytest.raises(MistrustError, match=r"300 of the 1024 images to check on were calibrated on.*split"):
            check(found, threshold(), even)
        another = wrap(threshold().network, CLASSES, name="another", key="another")
        with pytest.raises(MistrustError, match="calibration is of 'yours', the classifier is 'another'"):
            check(found, another, other)


class TestBadInput:
    def test_each_is_named(self, even):
        with pytest.raises(MistrustError, match="Did you mean 'fog'"):
            calibrate(threshold(), even, "fgo")
        with pytest.raises(MistrustError, match=r"A target accuracy is 1.2, expected a number in \[0, 1\]"):
            calibrate(threshold(), even, "fog", [0.5, 1.2])
        with pytest.raises(MistrustError, match=r"\[0.2, 0.1\], expected two or more, ascending"):
            calibrate(threshold(), even, "fog", grid=[0.2, 0.1])
        with pytest.raises(MistrustError, match="expected two or more"):
            calibrate(threshold(), even, "fog", grid=[0.2])
        with pytest.raises(MistrustError, match=r"'fog': severity is 1.5, expected a number in \[0, 1\]"):
            calibrate(threshold(), even, "fog", grid=[0.2, 1.5])
        with pytest.raises(MistrustError, match="no images to calibrate fog on"):
            calibrate(threshold(), even.take([]), "fog")
        with pytest.raises(MistrustError, match="severity is nan"):
            accuracy(threshold(), even, "fog", float("nan"))

    def test_an_entry_without_a_continuous_form(self, even):
        PERTURBATIONS.add("still", Perturbation("Still", "Sikar", lambda images, draws: images, ({},) * 10))
        try:
            with pytest.raises(MistrustError, match="'still' has no continuous form"):
                calibrate(threshold(), even, "still")
        finally:
            PERTURBATIONS._entries.pop("still")
