"""The interval of an AUROC of which only the counts are left: by hand, its laws, and how often it holds the truth."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from mistrust.errors import MistrustError
from mistrust.evaluation import bounded_auroc, share

areas, counts = st.floats(0, 1), st.integers(1, 20_000)


def test_golden():
    # 180.5 hits of 200 trials by statsmodels, an independent implementation.
    found = bounded_auroc(0.9025, 10_000, 200)
    low, high = proportion_confint(180.5, 200, method="beta")
    assert (found.value, found.n) == (0.9025, 200)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-8)


@pytest.mark.whole
@given(st.integers(1, 500), st.data())
def test_of_whole_hits_it_is_a_share_also_at_the_ends(n, data):
    hits = data.draw(st.integers(0, n))
    found, exact = bounded_auroc(hits / n, n, n + 7), share(hits, n)
    assert (found.low, found.high) == pytest.approx((exact.low, exact.high), abs=1e-8)


@given(areas, counts, counts)
def test_it_holds_its_value_and_mirrors_it(area, positives, negatives):
    found, mirrored = bounded_auroc(area, positives, negatives), bounded_auroc(1 - area, negatives, positives)
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.low < found.high
    assert (1 - mirrored.high, 1 - mirrored.low) == pytest.approx((found.low, found.high), abs=1e-8)


@given(areas, st.integers(1, 5_000))
def test_more_inputs_of_the_rarer_kind_make_it_narrower_and_more_of_the_other_do_not(area, n):
    fewer, more, other = bounded_auroc(area, n, n), bounded_auroc(area, 2 * n, 2 * n), bounded_auroc(area, n, 2 * n)
    assert more.high - more.low < fewer.high - fewer.low
    assert other == fewer


@pytest.mark.parametrize(
    ("area", "positives", "negatives", "spread"),
    [
        (0.5, 20, 200, 1), (0.76, 20, 200, 1), (0.95, 20, 200, 1), (0.76, 30, 30, 1),
        (0.8, 15, 60, 20),  # far more spread than nominal ones, positives lie above or below all: shares of 15
    ],
)  # fmt: skip
def test_binormal_scores_are_held_as_often_as_it_says(area, positives, negatives, spread):
    draw = np.random.default_rng(0)
    shift = stats.norm.ppf(area) * np.hypot(1, spread)
    bad = draw.normal(shift, spread, (1000, positives, 1))
    found = (bad > draw.normal(0, 1, (1000, 1, negatives))).mean((1, 2))
    ends = [bounded_auroc(one, positives, negatives) for one in found]
    assert np.mean([one.low <= area <= one.high for one in ends]) >= 0.95


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ((1.2, 10, 10), r"in \[0, 1\], got 1\.2"),
        ((float("nan"), 10, 10), "got nan"),
        (("0.9", 10, 10), "are numbers, got '0.9', 10, 10"),
        ((0.9, True, 10), "are numbers, got 0.9, True, 10"),
        ((0.5, 0, 10), "at least 1 each, got 0 and 10"),
        ((0.5, 10, 2.5), r"whole numbers of positives and negatives, .* 10 and 2\.5"),
        ((0.5, 10, 10, 1.0), r"confidence_level is 1\.0"),
    ],
)
def test_what_is_no_auroc_or_no_count_is_refused(given_, message):
    with pytest.raises(MistrustError, match=message):
        bounded_auroc(*given_)
