"""Replicates of searches that read answers: each subset's search is that of the subset alone, however work is split."""

import numpy as np
import pytest

from mistrust.errors import MistrustError, UnknownName
from mistrust.search.adaptive import STEP, elbow_of, replicate_searches, with_clusters
from mistrust.search.kernel import Gaussian, Similarity, shared
from mistrust.search.methods import SEARCHES
from mistrust.search.replicates import replicate
from mistrust.search.searching import Searching
from mistrust.search.spread import spread

ADAPTIVE = tuple(name for name, one in SEARCHES.items() if one.adaptive)
GIVEN = {"variance": 0.01}


@pytest.fixture(scope="module")
def known(pools):
    pool, wrong = pools(n=160, clusters=None)
    return pool, wrong, replicate_searches(pool, wrong, ADAPTIVE, numbers=STEP + 3, budget=12, engine="inline", **GIVEN)


def test_each_is_the_search_of_its_subset_alone(known):
    pool, wrong, found = known
    held = with_clusters(pool, ADAPTIVE, 0)
    for name in ADAPTIVE:
        what = found.methods[name]
        for r in (0, 7, STEP + 1):
            rows = found.index[r]
            alone = Searching(
                held[name].with_(residual=None).take(rows), name, 12, threshold=0, elbow=elbow_of(name), seed=0, **GIVEN
            )
            order = rows[alone.against(wrong[rows])]
            assert what.order[r].tolist() == order.tolist(), name
            assert what.errors[r].tolist() == wrong[order].tolist()
            assert what.confidence[r].tolist() == pool.confidence[order].tolist()
            apart = spread(pool.features[rows], np.searchsorted(rows, order))
            np.testing.assert_allclose(what.spread[r], apart, rtol=1e-12)


def test_subsets_are_those_of_the_sorts(known):
    pool, wrong, found = known
    sorts = replicate(wrong, pool.confidence, {}, numbers=STEP + 3, budget=12)
    assert np.array_equal(found.index, sorts.index)
    assert found.share == sorts.share
    assert np.array_equal(found.pool_sdr, sorts.pool_sdr)


@pytest.mark.whole
@pytest.mark.parametrize("engine", ["inline", "processes"])
def test_results_do_not_depend_on_the_engine_or_the_split(known, engine):
    pool, wrong, found = known
    parts = [(range(5), slice(0, 5)), ([STEP - 1, STEP, STEP + 2], [STEP - 1, STEP, STEP + 2])]
    for numbers, rows in parts:
        part = replicate_searches(pool, wrong, ADAPTIVE, numbers=numbers, budget=12, engine=engine, workers=2, **GIVEN)
        for name in ADAPTIVE:
            assert np.array_equal(part.methods[name].order, found.methods[name].order[rows]), name
            assert np.array_equal(part.methods[name].spread, found.methods[name].spread[rows]), name  # to the last bit


@pytest.mark.whole
def test_clusters_and_the_trend_may_be_each_subsets_own(pools):
    pool, wrong = pools(n=160, clusters=None)
    for method, option in (("lakkaraju_first", {"reclustered": True}), ("adversarial_distance_then_model", {})):
        given = pool.with_(residual=np.arange(160.0)) if not option else pool
        asked = {"numbers": 3, "budget": 12, "engine": "inline"}
        anew = replicate_searches(given, wrong, [method], refit=True, **asked, **option)
        once = replicate_searches(given, wrong, [method], refit=False, **asked)
        rows = anew.index[0]
        own = Searching(pool.take(rows), method, 12, threshold=0, seed=0)
        assert anew.methods[method].order[0].tolist() == rows[own.against(wrong[rows])].tolist()
        assert anew.methods[method].order.tolist() != once.methods[method].order.tolist()


def test_what_is_shared_is_measured_once_and_only_within(pools):
    pool, _ = pools(n=30)
    of = Gaussian(0.01)
    with shared():
        one = Similarity.make(pool.features, of)
        assert Similarity.make(pool.with_(clusters=None).features, Gaussian(0.01)) is one
        assert Similarity.make(pool.features, Gaussian(0.02)) is not one
        assert Similarity.make(pool.take(np.arange(30)).features, of) is not one  # another array
        can_change = pool.features.copy()
        assert Similarity.make(can_change, of) is not Similarity.make(can_change, of)
    assert Similarity.make(pool.features, of) is not one


def test_what_is_no_replicate_is_refused(pools):
    pool, wrong = pools(n=60)
    with pytest.raises(UnknownName, match="bansal_weld"):
        replicate_searches(pool, wrong, ["bansal_wed"])
    with pytest.raises(MistrustError, match="No method was named"):
        replicate_searches(pool, wrong, [])
    with pytest.raises(MistrustError, match="50 queries cannot be asked of subsets of 26"):
        replicate_searches(pool, wrong, ["facility"])
    with pytest.raises(MistrustError, match="numbered from 0 on"):
        replicate_searches(pool, wrong, ["facility"], numbers=[], budget=5)
    with pytest.raises(MistrustError, match="vari"):
        replicate_searches(pool, wrong, ["facility"], numbers=1, budget=5, engine="inline", varianc=1)


def test_size_and_budget_up_to_their_limits(pools):
    pool, wrong = pools(n=60)
    asked = {"numbers": 1, "engine": "inline"}
    for size, budget in ((30, 30), (60, 1), (1, 1)):
        found = replicate_searches(pool, wrong, ["facility"], size=size, budget=budget, **asked)
        assert found.index.shape == (1, size)
        assert found.methods["facility"].order.shape == (1, budget)
    for size, budget, said in (
        (30, 31, "31 queries"),
        (30, 0, "0 queries"),
        (61, 5, "size of a subset is 61"),
        (0, 1, "0"),
    ):
        with pytest.raises(MistrustError, match=said):
            replicate_searches(pool, wrong, ["facility"], size=size, budget=budget, **asked)
    with pytest.raises(MistrustError, match="numbered from 0 on"):
        replicate_searches(pool, wrong, ["facility"], numbers=[3, -1], budget=5, engine="inline")
