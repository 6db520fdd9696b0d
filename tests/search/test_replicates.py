"""All replicates in one call against Algorithm 1 of the paper, run one subset and one query after the other."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from mistrust.errors import MistrustError
from mistrust.random import generator
from mistrust.search import measures
from mistrust.search.replicates import RANDOM, Sort, replicate, smallest, subset_size
from mistrust.search.residual import residual
from mistrust.search.spreads import LISTED, OUTER, Diameters, longest_pairs


def made_up(n=300, seed=0):
    draw = generator(seed, "tests/replicates")
    c = draw.uniform(0.65, 1, n).round(2).clip(0.65, 0.99)  # many ties
    d = np.exp(4 * c - 6 + 0.2 * draw.standard_normal(n))
    return draw.random(n) < 1 - c, c, d, draw.standard_normal((n, 5)) * [9, 5, 3, 1, 1]


ERRORS, CONFIDENCE, DISTANCE, FEATURES = made_up()
SORTS = {"ad": Sort(DISTANCE, {"fraction": 0.2}), "low": Sort(CONFIDENCE), "distance": Sort(DISTANCE)}


def searched(scores, rows, budget):
    """Algorithm 1: the lowest score not asked yet, the lowest row among equals."""
    left, asked = list(range(len(rows))), []
    for _ in range(budget):
        best = min(left, key=lambda i: (scores[i], i))
        left.remove(best)
        asked.append(rows[best])
    return asked


@pytest.mark.parametrize("refit", [True, False])
def test_it_is_algorithm_1_in_every_subset(refit):
    found = replicate(ERRORS, CONFIDENCE, SORTS, features=FEATURES, numbers=6, budget=12, refit=refit)
    whole = residual(DISTANCE, CONFIDENCE, 0.2)
    assert found.index.shape == (6, 132)
    assert (found.share, found.refit) == (0.44, refit)
    for r, rows in enumerate(found.index):
        c, d = CONFIDENCE[rows], DISTANCE[rows]
        scores = {"ad": residual(d, c, 0.2) if refit else whole[rows], "low": c, "distance": d}
        for name, one in found.methods.items():
            if name != RANDOM:
                assert one.order[r].tolist() == searched(scores[name], rows, 12)
            place = np.searchsorted(rows, one.order[r])
            assert (rows[place] == one.order[r]).all()
            assert one.spread[r] == pytest.approx(measures.spread(FEATURES[rows], place), rel=1e-12)
            assert one.sdr[r] == pytest.approx(measures.sdr(ERRORS[one.order[r]], CONFIDENCE[one.order[r]]))
        assert found.pool_sdr[r] == pytest.approx(measures.pool_sdr(ERRORS[rows], c))
    low = found.methods["low"]
    assert low.pooled == pytest.approx(measures.pooled(ERRORS[low.order], CONFIDENCE[low.order]))
    assert low.mean_of_ratios == pytest.approx(low.sdr.mean(0))


def test_shared_distances_and_fresh_ones_give_the_same_spread():
    """With many replicates the methods' distances are looked up, with few they are computed."""
    many = replicate(ERRORS, CONFIDENCE, SORTS, features=FEATURES, numbers=64, budget=10, refit=False)
    for r in (0, 63):
        one = replicate(ERRORS, CONFIDENCE, SORTS, features=FEATURES, numbers=[r], budget=10, refit=False)
        for name in (*SORTS, RANDOM):
            assert one.methods[name].spread[0] == pytest.approx(many.methods[name].spread[r], rel=1e-12)


def test_part_of_the_replicates_is_a_part_of_the_whole():
    whole = replicate(ERRORS, CONFIDENCE, SORTS, numbers=300, budget=5, refit=False)
    part = replicate(ERRORS, CONFIDENCE, SORTS, numbers=range(250, 290), budget=5, refit=False)
    assert (part.index == whole.index[250:290]).all()
    for name, one in part.methods.items():
        assert (one.order == whole.methods[name].order[250:290]).all()
        assert one.spread is None
    other = replicate(ERRORS, CONFIDENCE, SORTS, numbers=3, budget=5, refit=False, seed=1)
    assert (other.index != whole.index[:3]).any()


def test_subsets_and_random_queries_are_uniform():
    found = replicate(ERRORS, CONFIDENCE, {}, numbers=2000, budget=30)
    assert (np.diff(found.index, axis=1) > 0).all()
    assert np.bincount(found.index.ravel(), minlength=300) / 2000 == pytest.approx(0.44, abs=0.05)
    asked = found.methods[RANDOM].order
    assert np.bincount(asked.ravel(), minlength=300) / 2000 == pytest.approx(0.1, abs=0.035)
    assert (np.diff(np.sort(asked, 1), axis=1) > 0).all()
    # In no order: the first of the queries is the lowest row as often as any other.
    assert (asked[:, 0] == asked.min(1)).mean() == pytest.approx(1 / 30, abs=0.015)


def test_the_whole_pool_is_one_subset():
    found = replicate(ERRORS, CONFIDENCE, SORTS, size=300, numbers=2, budget=300)
    assert found.share == 1
    order = found.methods["ad"].order
    assert (order[0] == np.argsort(residual(DISTANCE, CONFIDENCE, 0.2), kind="stable")).all()
    assert found.methods[RANDOM].pooled[-1] == pytest.approx(measures.pool_sdr(ERRORS, CONFIDENCE))


def test_the_size_of_a_subset():
    assert [subset_size(n) for n in (4527, 4546, 10_000, 100)] == [1991, 2000, 2000, 44]


@pytest.mark.parametrize("shape", ["cloud", "ball", "corners"])
@pytest.mark.parametrize("n", [40, 1500])
def test_diameters_of_subsets_are_exact(n, shape):
    """Of a ball nearly all instances are outermost; of a cube's corners many pairs are equally long."""
    draw = generator(0, "tests/diameters")
    x = draw.standard_normal((n, 3)).round(1)
    if shape == "ball":
        x /= np.sqrt((x**2).sum(1, keepdims=True))
    if shape == "corners":
        x = np.sign(x)
    diameters = Diameters(x)
    assert (len(diameters.length) == LISTED) == (n > OUTER and shape == "ball")
    for share in (1.0, 0.5, 0.02):
        member = draw.random(n) < share
        member[:2] = True
        rows = np.flatnonzero(member)
        assert diameters.of(member, rows) == pytest.approx(pdist(x[rows]).max(), rel=1e-12)


@pytest.mark.parametrize("k", [1, 2, 44, 99, 100])
@pytest.mark.parametrize("power", [1, 40])
def test_the_k_th_smallest_is_that_of_sorted_keys(k, power):
    """Of uniform keys, and of others, which lie where nobody expects them."""
    keys = generator(0, "tests/smallest").random((500, 100)) ** power
    before = keys.copy()
    assert (smallest(keys, k) == np.sort(keys, 1)[:, k - 1]).all()
    assert (keys == before).all()


@pytest.mark.parametrize("most", [1, 50, 10_000])
def test_the_longest_pairs_are_those_of_all(most):
    x = generator(0, "tests/longest").standard_normal((300, 2))
    length, first, second = longest_pairs(x, most)
    assert (np.sort(length)[::-1] == np.sort(pdist(x))[::-1][:most]).all()
    assert (first < second).all()
    assert length == pytest.approx(np.sqrt(((x[first] - x[second]) ** 2).sum(1)))


class TestBadInput:
    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ({"budget": 133}, r"133 queries cannot be asked of subsets of 132 instances \(44% of a pool of 300\)"),
            ({"size": 301}, "size of a subset is 301"),
            ({"numbers": 0}, "at least one, numbered from 0"),
            ({"numbers": [-1]}, "numbered from 0 on"),
            ({"features": FEATURES[:-1]}, r"shape \(299, 5\), expected \(300, p\)"),
            ({"features": FEATURES * np.nan}, "finite"),
            ({"sorts": {"random": Sort(CONFIDENCE)}}, "called 'random'"),
            ({"sorts": {"low": Sort(CONFIDENCE[:-1])}}, r"scores of 'low' have shape \(299,\)"),
            ({"sorts": {"low": Sort(CONFIDENCE * np.nan)}}, "300 of 300 scores of 'low' are NaN"),
            ({"confidence": CONFIDENCE + 1}, r"in \(0, 1\]"),
            ({"errors": ERRORS[:-1]}, "shapes"),
            ({"errors": []}, "at least one instance"),
        ],
    )
    def test_what_is_wrong_is_said(self, settings, message):
        given = {"errors": ERRORS, "confidence": CONFIDENCE, "sorts": SORTS, "numbers": 2, "budget": 5} | settings
        with pytest.raises(MistrustError, match=message):
            replicate(given.pop("errors"), given.pop("confidence"), given.pop("sorts"), **given)
