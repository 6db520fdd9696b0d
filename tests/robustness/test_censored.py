"""Summaries of censored values against a textbook's, numpy's, and what resampling by image must do."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.duration.survfunc import SurvfuncRight

from mistrust.errors import MistrustError
from mistrust.robustness.censored import censored, survival

# Weeks of remission under 6-MP, Freireich and others 1963, as in Cox and Oakes, Analysis of Survival Data, table 1.1.
WEEKS = [6, 6, 6, 6, 7, 9, 10, 10, 11, 13, 16, 17, 19, 20, 22, 23, 25, 32, 32, 34, 35]
ENDED = [1, 1, 1, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0]
CAP = 510.0


def column(values, dtype=torch.float64):
    return torch.tensor(values, dtype=dtype)[:, None]


def drawn(seed, m, s, mean=300.0):
    """Breaking values of m images whose seeds agree in part, censored at the cap."""
    draw = np.random.default_rng(seed)
    raw = draw.normal(mean, 120, (m, 1)) + draw.normal(0, 40, (m, s))
    values = torch.from_numpy(raw.clip(1).round())
    return values.clamp(max=CAP), values <= CAP, torch.from_numpy(draw.permutation(m) * 3)


class TestGolden:
    def test_the_textbooks_survival_and_median(self):
        """S(t) .857 .807 .753 .690 .627 .538 .448, median 23 (Kleinbaum and Klein, Survival Analysis, chapter 2)."""
        times, ended = column(WEEKS), column(ENDED, torch.bool)
        curve = survival(times, ended)
        assert curve.sigma.tolist() == [6, 7, 10, 13, 16, 22, 23]
        assert curve.surviving == pytest.approx([0.857, 0.807, 0.753, 0.690, 0.627, 0.538, 0.448], abs=6e-4)
        found = censored(times, ended, torch.arange(21), resamples=20)
        assert found.median.value == 23
        assert found.unbroken.value == pytest.approx(12 / 21)
        assert found.mean_of_broken.value == pytest.approx(sum(w for w, e in zip(WEEKS, ENDED, strict=True) if e) / 9)
        assert found.mean_of_broken.n == 9
        assert found.capped_mean.value == pytest.approx(sum(WEEKS) / 21)

    def test_by_hand(self):
        found = censored(column([10, 20, 30, 510]), column([1, 1, 1, 0], torch.bool), torch.arange(4), resamples=10)
        assert (found.median.value, found.capped_mean.value) == (20, 142.5)
        assert (found.mean_of_broken.value, found.unbroken.value) == (20, 0.25)
        assert (found.images, found.median.n, found.mean_of_broken.n) == (4, 4, 3)

    @pytest.mark.whole
    @given(seed=st.integers(0, 9999), m=st.integers(1, 40), s=st.integers(1, 4))
    def test_with_one_cap_the_median_is_the_samples(self, seed, m, s):
        sigma, broken, ids = drawn(seed, m, s)
        found = censored(sigma, broken, ids, resamples=1).median.value
        expected = np.quantile(np.where(broken, sigma, np.inf), 0.5, method="inverted_cdf")
        assert found == expected

    @pytest.mark.whole
    @given(seed=st.integers(0, 9999), m=st.integers(2, 20).map(lambda half: 2 * half + 1))
    def test_the_median_is_statsmodels_where_no_share_is_just_a_half(self, seed, m):
        sigma, broken, ids = drawn(seed, m, 1, mean=200)
        theirs = SurvfuncRight(sigma.ravel().numpy(), broken.ravel().double().numpy()).quantile(0.5)
        ours = censored(sigma, broken, ids, resamples=1).median.value
        assert ours == theirs or (np.isinf(ours) and np.isnan(theirs))


class TestIntervals:
    def test_seeds_of_one_image_are_no_new_observations(self):
        sigma, broken, ids = drawn(1, 50, 1)
        one = censored(sigma, broken, ids)
        four = censored(sigma.repeat(1, 4), broken.repeat(1, 4), ids)
        for name in ("median", "capped_mean", "mean_of_broken", "unbroken"):
            a, b = getattr(one, name), getattr(four, name)
            assert (a.value, a.low, a.high) == pytest.approx((b.value, b.low, b.high), rel=1e-9)
            assert b.n == 4 * a.n
        assert one.images == four.images == 50

    @pytest.mark.whole
    def test_a_mean_has_the_interval_that_theory_gives_it(self):
        sigma, broken, ids = drawn(2, 300, 3)
        found = censored(sigma, broken, ids, resamples=2000).capped_mean
        by_image = sigma.mean(1)
        width = 1.96 * float(by_image.std()) / 300**0.5
        assert found.value == pytest.approx(float(by_image.mean()))
        assert (found.low, found.high) == pytest.approx((found.value - width, found.value + width), abs=0.12 * width)

    @pytest.mark.whole
    def test_a_median_has_the_interval_that_order_statistics_give_it(self):
        """Binomial: ranks 85 and 115 of 200 hold the median with 96 % (Conover 1999, section 3.2)."""
        sigma, broken, ids = drawn(3, 200, 1, mean=250)
        found = censored(sigma, broken, ids, resamples=2000).median
        ranked = sigma.ravel().sort().values
        assert ranked[82] <= found.low <= ranked[89]
        assert ranked[110] <= found.high <= ranked[117]

    def test_the_seed_decides(self):
        sigma, broken, ids = drawn(4, 30, 2)
        once, again, other = (censored(sigma, broken, ids, seed=seed, resamples=50) for seed in (0, 0, 1))
        assert once == again
        assert once != other

    def test_the_order_of_images_does_not_matter(self):
        sigma, broken, ids = drawn(5, 30, 2)
        order = torch.randperm(30, generator=torch.Generator().manual_seed(0))
        a, b = censored(sigma, broken, ids), censored(sigma[order], broken[order], ids[order])
        assert (a.median, a.unbroken.low) == (b.median, pytest.approx(b.unbroken.low))
        assert a.capped_mean.low == pytest.approx(b.capped_mean.low)


class TestEnds:
    def test_more_than_half_unbroken_has_no_finite_median(self):
        sigma, broken, ids = drawn(6, 60, 2, mean=600)
        found = censored(sigma, broken, ids)
        assert found.unbroken.value > 0.6
        assert np.isinf([found.median.value, found.median.low, found.median.high]).all()
        assert found.capped_mean.value < CAP

    def test_about_half_unbroken_is_open_above(self):
        sigma, broken, ids = drawn(7, 60, 1, mean=520)
        found = censored(sigma, broken, ids)
        assert np.isfinite([found.median.value, found.median.low]).all()
        assert np.isinf(found.median.high)

    def test_none_broken(self):
        sigma, broken = torch.full((5, 2), CAP), torch.zeros(5, 2, dtype=torch.bool)
        found = censored(sigma, broken, torch.arange(5), resamples=20)
        assert np.isinf(found.median.value)
        assert np.isnan([found.mean_of_broken.value, found.mean_of_broken.low, found.mean_of_broken.high]).all()
        assert found.mean_of_broken.n == 0
        assert (found.unbroken.value, found.unbroken.low, found.unbroken.high) == (1, 1, 1)
        assert len(survival(sigma, broken).sigma) == 0

    def test_all_broken(self):
        sigma, broken, ids = drawn(8, 40, 2, mean=200)
        sigma = sigma.clamp(max=CAP)
        found = censored(sigma, torch.ones_like(broken), ids)
        assert found.capped_mean == found.mean_of_broken
        assert found.unbroken.value == 0

    def test_a_break_at_the_cap_is_no_censored_one(self):
        sigma, ids = torch.full((4, 1), CAP), torch.arange(4)
        assert censored(sigma, torch.ones(4, 1, dtype=torch.bool), ids, resamples=5).median.high == CAP

    def test_a_break_at_nothing_is_one(self):
        found = censored(torch.zeros(4, 1), torch.ones(4, 1, dtype=torch.bool), torch.arange(4), resamples=5)
        assert (found.median.value, found.capped_mean.value, found.unbroken.value) == (0, 0, 0)


@pytest.mark.parametrize(
    ("sigma", "broken", "ids", "message"),
    [
        (torch.ones(3), torch.ones(3).bool(), torch.arange(3), r"sigma has shape \(3,\)"),
        (torch.ones(3, 2), torch.ones(3, 1).bool(), torch.arange(3), r"broken \(3, 1\)"),
        (torch.ones(3, 2), torch.ones(3, 2), torch.arange(3), "of torch.float32, expected.*booleans"),
        (torch.ones(0, 2), torch.ones(0, 2).bool(), torch.arange(0), "at least one image"),
        (torch.ones(3, 2), torch.ones(3, 2).bool(), torch.arange(2), r"ids have shape \(2,\), expected \(3,\)"),
        (column([1, np.inf]), column([1, 0], torch.bool), torch.arange(2), "infinite or NaN values.*broken False"),
        (column([1, -1]), column([1, 0], torch.bool), torch.arange(2), "holds negative"),
    ],
)
def test_wrong_arrays_are_refused(sigma, broken, ids, message):
    with pytest.raises(MistrustError, match=message):
        censored(sigma, broken, ids)


def test_no_resamples_are_refused():
    with pytest.raises(MistrustError, match="at least one resample, got 0"):
        censored(*drawn(1, 3, 1), resamples=0)
