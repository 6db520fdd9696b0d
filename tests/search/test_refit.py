"""Table "refit": F fitted once on the pool and anew on every subset, in the same subsets."""

import numpy as np
import pytest

from mistrust.search.pool import Pool
from mistrust.search.replicates import replicate
from mistrust.search.residual import fitted
from mistrust.search.tables.hunted import Hunted
from mistrust.search.tables.orders import AD, sorts
from mistrust.search.tables.refit import refit, shared
from mistrust.search.tables.searches import Setting

SETTING = Setting((AD,), 7, 2, 20, 0.001, 0.2, False, False, 3)


def hunted(n=400, trend=True):
    draw = np.random.default_rng(0)
    confidence = draw.uniform(0.65, 1, n)
    distance = np.exp(2 * confidence + draw.normal(0, 0.4, n))
    errors = draw.random(n) < np.where(distance < np.exp(2 * confidence - 0.4), 0.6, 0.05)
    pool = Pool(confidence=confidence, ids=np.arange(n), distance=distance)
    return Hunted("cat", pool, errors, np.zeros((n, 1)), fitted(distance, confidence) if trend else None, n, 1.0)


def test_both_ways_are_those_of_replicate_in_the_same_subsets():
    one = hunted()
    rows = {row["metric"]: row for row in refit(one, SETTING, 7)}
    chosen = sorts(one.pool, (AD,), 0.2)
    once, anew = (
        replicate(one.errors, one.pool.confidence, chosen, numbers=7, budget=20, refit=flag, seed=3)
        for flag in (False, True)
    )
    assert np.array_equal(once.index, anew.index)
    assert rows["sdr once"]["value"] == once.methods[AD].pooled[19]
    assert rows["sdr anew"]["value"] == anew.methods[AD].pooled[19]
    assert rows["difference"]["value"] == rows["sdr anew"]["value"] - rows["sdr once"]["value"]
    by_hand = [
        len(set(a) & set(b)) / 20
        for a, b in zip(once.methods[AD].order.tolist(), anew.methods[AD].order.tolist(), strict=True)
    ]
    assert rows["same queries"]["value"] == pytest.approx(np.mean(by_hand))
    assert 0.5 < np.mean(by_hand) < 1  # F of a part is another F, and hardly another search
    assert {(row["at"], row["n"], row["method"], row["level"]) for row in rows.values()} == {("cat", 7, AD, 20)}


def test_a_pool_without_a_trend_or_too_small_for_subsets_has_none_nor_has_nobody_asking():
    assert not list(refit(hunted(trend=False), SETTING, 7))
    assert not list(refit(hunted(), SETTING, 0))


def test_f_that_is_defined_on_a_pool_and_not_on_its_subsets_has_none():
    """A tenth of 60 is six instances in a window, a tenth of its subsets' 26 is two; of 90 and 39, nine and three."""
    setting = Setting((AD,), 7, 2, 20, 0.001, 0.1, False, False, 3)
    assert list(refit(hunted(90), setting, 7))
    assert not list(refit(hunted(60), setting, 7))


def test_shared_counts_what_both_rows_hold_in_any_order():
    found = shared(np.array([[1, 2, 3, 4], [5, 6, 7, 8]]), np.array([[4, 3, 9, 1], [8, 7, 6, 5]]))
    assert found.tolist() == [0.75, 1.0]
