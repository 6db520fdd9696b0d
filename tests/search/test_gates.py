"""Every gate of the table at its bar, and models that stand out."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportions_ztest

from mistrust.errors import MistrustError
from mistrust.random import generator
from mistrust.search.gates import GATES, MET, MISSED, UNKNOWN, Panel, judged, odd_accuracy, odd_temperature

GOOD = Panel(300, 25, 0.95, 0.95, None, False, 0.0099, 0, 0.6, 5, False)
# Facts, section 12: what is just not enough.
BAD = {
    "pool": {"instances": 299},
    "errors": {"errors": 24},
    "attack": {"attacked": 0.9499},
    "starts": {"start_kind": 0.94},
    "temperature": {"temperature_limit": True},
    "certain": {"certain": 0.01},
    "trend": {"undefined": 1},
    "retest": {"retest": 0.599},
    "models": {"models": 4},
    "odd": {"odd": True},
}


def missed(panel):
    return tuple(one.gate for one in judged(panel) if one.verdict != MET)


def test_a_panel_at_every_bar_passes():
    assert missed(GOOD) == ()


@pytest.mark.parametrize("name", GATES)
def test_each_gate_is_missed_by_a_hair_and_named(name):
    assert missed(replace(GOOD, **BAD[name])) == (name,)
    answer = next(one for one in judged(replace(GOOD, **BAD[name])) if one.gate == name)
    assert answer.verdict == MISSED
    assert answer.text.endswith(f"expected {GATES[name].sense} {GATES[name].bar:g}: missed")


def test_what_nobody_measured_is_not_passed():
    assert {one.verdict for one in judged(Panel())} == {UNKNOWN}
    assert missed(Panel()) == tuple(GATES)
    assert missed(replace(GOOD, retest=float("nan"))) == ("retest",)
    assert "-, expected >= 0.6: not measured" in judged(Panel())[list(GATES).index("retest")].text


def test_mixed_starts_pass_where_the_kind_does_not_move_the_residual():
    assert missed(replace(GOOD, start_kind=0.6, start_p=0.3)) == ()
    assert missed(replace(GOOD, start_kind=0.6, start_p=0.01)) == ("starts",)


def test_a_model_that_stands_out():
    assert odd_accuracy([0.9, 0.91, 0.9, 0.905, 0.6]).tolist() == [False] * 4 + [True]
    assert not odd_accuracy([0.9, 0.91, 0.88, 0.905, 0.895]).any()
    assert odd_accuracy([0.9] * 5).tolist() == [False] * 5
    assert odd_accuracy([0.9, 0.9, 0.9, 0.9, 0.8]).tolist() == [False] * 4 + [True]
    # Plainly, in SDs of all five, nothing can be further out than 4 / sqrt(5).
    a = np.array([0.9, 0.91, 0.9, 0.905, 0.0])
    assert (np.abs(a - a.mean()) / a.std(ddof=1)).max() < 4 / np.sqrt(5) + 1e-9


@pytest.mark.parametrize(
    ("images", "apart"),
    [
        # sqrt(.95 * .05 * (1 / 6000 + 4 / 100 / 16)) is .01125; with the others' images as many as its own, .0032.
        ([6000, 100, 100, 100, 100], 0.01125),
        # sqrt(.95 * .05 * (1 / 100 + 4 / 6000 / 16)) is .02184; likewise .0244.
        ([100, 6000, 6000, 6000, 6000], 0.02184),
    ],
)
def test_luck_is_of_the_images_of_each_model(images, apart):
    for times, odd in ((2.9, False), (3.1, True)):
        assert odd_accuracy([0.95 - times * apart, *[0.95] * 4], images=images).tolist() == [odd] + [False] * 4


def test_a_model_that_its_test_images_put_there_does_not_stand_out():
    """Five networks of one condition: four agree within .002, a third of the standard error of each; statsmodels' z."""
    accuracies, images = [0.92, 0.92816667, 0.92833333, 0.92833333, 0.92966667], 6_000
    assert odd_accuracy(accuracies).tolist() == [True] + [False] * 4
    assert not odd_accuracy(accuracies, images=images).any()
    correct, others = round(accuracies[0] * images), round(sum(accuracies[1:]) * images)
    z, _ = proportions_ztest([correct, others], [images, 4 * images])
    assert 2 < -z < 3
    # On more images the same numbers are no luck; nor is a network that learned nothing.
    assert odd_accuracy(accuracies, images=10 * images).tolist() == [True] + [False] * 4
    assert odd_accuracy([0.5, *accuracies[1:]], images=[images] * 5).tolist() == [True] + [False] * 4
    assert odd_accuracy(accuracies, images=[np.nan] * 5).tolist() == [True] + [False] * 4


@pytest.mark.whole
def test_models_that_differ_by_chance_stand_out_as_rarely_as_three_sigma():
    drawn = generator(0, "tests/odd").standard_normal((4000, 5))
    assert np.mean([odd_accuracy(one) for one in drawn]) == pytest.approx(2 * stats.norm.sf(3), abs=0.0015)


def test_temperatures():
    """Facts, section 10.2: the two poor nets had 4.1 and 7.4."""
    assert odd_temperature([1.2, 1.5, 1.3, 1.6, 4.1]).tolist() == [False] * 4 + [True]
    assert not odd_temperature([1.0, 2.5, 1.0]).any()


def test_bad_input():
    with pytest.raises(MistrustError, match="at least 3 finite"):
        odd_accuracy([0.9, 0.8])
    with pytest.raises(MistrustError, match="at least 1 finite"):
        odd_temperature([np.nan])
    with pytest.raises(MistrustError, match=r"What models are compared by are .*, expected numbers"):
        odd_accuracy(["high", "higher", "highest"])
    for images in (0, -5, [100, 100]):
        with pytest.raises(MistrustError, match="expected one number above 0, or one of each model"):
            odd_accuracy([0.9, 0.8, 0.7], images=images)
