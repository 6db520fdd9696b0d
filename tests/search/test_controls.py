"""The controls as tests: what is planted is found, where nothing is nothing is found, and Theorem 3.1 both ways."""

from fractions import Fraction

import numpy as np
import pytest

from mistrust.random import generator
from mistrust.search import controls, measures
from mistrust.search.controls import mean_estimate, positive_control, ratio_estimate
from mistrust.search.poisson_binomial import chances, rate_interval
from mistrust.search.residual import residual
from mistrust.search.simulated import oracles

DRAW = generator(0, "tests/controls")
CONFIDENCE = DRAW.uniform(0.65, 1, 300)
DISTANCE = np.exp(4 * CONFIDENCE - 6 + 0.25 * DRAW.standard_normal(300))


@pytest.mark.whole
def test_what_is_planted_is_found_and_nothing_where_nothing_is():
    found = positive_control(DISTANCE, CONFIDENCE, budget=30, strengths=(0, 1, 2), numbers=20)
    assert found[0].lift.low < 1 < found[0].lift.high
    assert found[1].lift.low > 1
    assert found[2].lift.low > found[1].lift.high
    assert found[0].sdr.low < 1 < found[0].sdr.high
    assert [one.strength for one in found] == [0, 1, 2]


def test_lift_is_sdr_over_that_of_the_pools_that_were_drawn():
    """Few oracles err more or less often than the confidences say: the lift does not count that as found."""
    d, c = DISTANCE[:40], CONFIDENCE[:40]
    (one,) = positive_control(d, c, budget=10, strengths=(1,), numbers=20, fraction=0.5, seed=2)
    pool = oracles(c, range(20), 2).sum() / (20 * (1 - c).sum())
    assert abs(pool - 1) > 0.02
    for end in ("value", "low", "high"):
        assert getattr(one.lift, end) == pytest.approx(getattr(one.sdr, end) / pool)


@pytest.mark.parametrize("score", [CONFIDENCE, residual(DISTANCE, CONFIDENCE)], ids=["low", "residual"])
def test_calibrated_oracles_have_a_ratio_of_one_and_intervals_that_hold_it(score):
    queried = CONFIDENCE[np.argsort(score)[:20]]
    errors = oracles(queried, range(1500), 0)
    sdr = mean_estimate(measures.sdr(errors, np.broadcast_to(queried, errors.shape))[:, -1])
    assert sdr.low < 1 < sdr.high
    assert sdr.high - sdr.low < 0.1
    low, high = rate_interval(errors.sum(1), chances(queried))
    assert ((low <= 1) & (high >= 1)).mean() >= 0.95


def theorem(confidence, right, order, draws=2000):
    """Mean SDR over simulated searches where each instance is right with a chance of its own, and what it is exactly.

    `order` gives the rows to ask about, or draws them; exactly it is the mean of sum(1 - right) / sum(1 - c) over them.
    """
    c, p, draw = np.asarray(confidence), np.asarray(right), generator(0, "search/theorem")
    rows = np.stack([order(draw) if callable(order) else np.asarray(order) for _ in range(draws)])
    errors, expected = draw.random(rows.shape) >= p[rows], (1 - c[rows]).sum(1)
    return mean_estimate(errors.sum(1) / expected), ((1 - p[rows]).sum(1) / expected).mean()


class TestTheorem:
    def test_a_selection_by_confidence_alone_stays_at_or_below_one(self):
        chosen = lambda draw: draw.permutation(300)[:10]  # noqa: E731
        found, exact = theorem(CONFIDENCE, CONFIDENCE, chosen)
        assert exact == pytest.approx(1)
        assert found.low < 1 < found.high
        found, exact = theorem(CONFIDENCE, CONFIDENCE + 0.5 * (1 - CONFIDENCE), np.argsort(CONFIDENCE)[:3])
        assert exact == pytest.approx(0.5)
        assert found.low < exact < found.high

    def test_a_selection_by_the_residual_may_exceed_one_though_every_level_is_calibrated(self):
        """Within pairs of equal confidence the lower residual errs twice as often, and p(c) = c at every level."""
        c = np.repeat(np.linspace(0.65, 0.95, 150), 2)
        low = np.arange(300) % 2 == 0
        right = 1 - (1 - c) * np.where(low, 1.5, 0.5)
        assert (right[::2] + right[1::2]) / 2 == pytest.approx(c[::2])
        found, exact = theorem(c, right, lambda draw: draw.permutation(np.flatnonzero(low))[:20])
        assert exact == pytest.approx(1.5)
        assert found.low > 1
        found, exact = theorem(c, right, lambda draw: draw.permutation(300)[:20])
        assert exact == pytest.approx(1, abs=0.01)

    def test_errors_that_depend_on_other_confidences_break_it_though_every_level_is_calibrated(self):
        """Pools of two, by hand: a 0.7 errs only beside a 0.9. What the theorem asks must be given the whole pool."""
        alone = Fraction(6, 13)  # of the pools are (0.7, 0.9), and the 0.7 errs; of the others, (0.7, 0.7), none does
        doubt = Fraction(3, 10)
        assert alone / (alone + 2 * (1 - alone)) == doubt  # errors over images of confidence 0.7: calibrated
        lowest_first = alone * (1 / doubt)  # E[SDR] of one query, chosen by confidence alone
        assert float(lowest_first) == pytest.approx(1.538, abs=1e-3)
        found = [theorem([0.7, 0.9], [float(right), 0.9], [0])[1] for right in (0, 1)]  # the rate of its own pool
        assert float(alone) * found[0] + float(1 - alone) * found[1] == pytest.approx(float(lowest_first))
        assert "confidences of all instances of the pool" in " ".join(str(controls.__doc__).split())


def test_a_ratio_of_sums():
    draw = generator(0, "tests/ratio")
    found = [ratio_estimate(draw.poisson(6, 200), draw.uniform(1, 3, 200)) for _ in range(300)]
    assert 0.92 < np.mean([one.low <= 3 <= one.high for one in found]) < 0.98
    assert ratio_estimate([2, 4], [1, 2]).value == 2
