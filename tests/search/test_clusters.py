import numpy as np
import pytest

from mistrust.errors import MistrustError
from mistrust.search.clusters import clustered, clustering, elbow_of, kmeans_both
from mistrust.search.pool import Pool


def test_elbow_by_hand():
    """SSE 10, 4, 3.5, 1.5 for k = 2 .. 5: drops 6, .5, 2; ratios .083 and 4. The bend is at 3; the code takes 4."""
    sse = np.array([10, 4, 3.5, 1.5])
    assert elbow_of(sse) == 3
    assert elbow_of(sse, "published") == 4
    assert elbow_of(np.array([10, 9.5, 1.0, 0.9])) == 4
    # Drops 0, 6, 1: to 3 nothing is gained, and so 3 is no bend, its ratio without bound; at 4 it is 1 / 6.
    assert elbow_of(np.array([10.0, 10, 4, 3])) == 4
    assert elbow_of(np.array([10.0, 10, 4, 3]), "published") == 3
    assert elbow_of(np.zeros(4)) == 3  # no drop at all divides nothing by nothing: the fewest


def test_four_lumps_are_found():
    """Four lumps have their bend at four: only the sharpest elbow finds it."""
    draw = np.random.default_rng(0)
    truth = np.repeat(np.arange(4), 30)
    points = np.array([[0, 0], [9, 0], [0, 9], [9, 9]])[truth] + draw.normal(size=(120, 2)) * 0.3
    assert clustering(points).tolist() == truth.tolist()
    assert clustering(points, elbow="published").max() + 1 == 3


def test_as_many_clusters_are_tried_as_one_asks_for():
    """Six lumps, one of them beside another: five clusters are too few of them, seven are one more than there are."""
    lump = np.repeat(np.arange(6), 10)
    spots = np.array([[0, 0], [50, 0], [0, 50], [50, 50], [100, 0], [100, 50]])
    points = spots[lump] + np.random.default_rng(0).normal(size=(60, 2)) * 0.1
    assert clustering(points, largest=7).tolist() == lump.tolist()
    assert clustering(points).max() < 5
    levels = np.array([0.5, 0.6, 0.7, 0.8, 0.9, 1.0])[lump] - np.random.default_rng(1).random(60) * 1e-3
    assert kmeans_both(levels, np.zeros((60, 1)), largest=7).tolist() == lump.tolist()
    assert kmeans_both(np.full(60, 0.9), points, largest=7).tolist() == lump.tolist()


def test_both_steps_nest_and_number_from_low_confidence_up(pools):
    pool, _ = pools(200)
    labels = kmeans_both(pool.confidence, pool.features)
    assert 9 <= labels.max() + 1 <= 16
    assert np.unique(labels).tolist() == list(range(labels.max() + 1))
    outer = clustering(pool.confidence[:, None])
    parents = [set(outer[labels == one]) for one in range(labels.max() + 1)]
    assert all(len(one) == 1 for one in parents)
    means = [pool.confidence[np.isin(outer, list(one))].mean() for one in parents]
    assert means == sorted(means)


def test_same_seed_same_clusters(pools):
    pool, _ = pools(150)
    again = kmeans_both(pool.confidence, pool.features, seed=3)
    assert kmeans_both(pool.confidence, pool.features, seed=3).tolist() == again.tolist()


@pytest.mark.parametrize("n", [1, 2, 3])
def test_too_few_points_for_an_elbow_are_a_cluster_each(n):
    assert clustering(np.arange(n, dtype=float)[:, None]).tolist() == list(range(n))
    same = kmeans_both(np.full(n, 0.9), np.ones((n, 2)))
    assert same.tolist() == [0] * n


def test_pools_own_clusters_are_numbered_anew_in_their_order():
    pool = Pool([1, 2, 3], [0.9, 0.8, 0.7], clusters=[7, -2, 7])
    assert clustered(pool).tolist() == [1, 0, 1]


@pytest.mark.parametrize("seed", [-1, 2**32, 1.5, None])
def test_a_seed_that_k_means_does_not_take_is_named(seed):
    """None would draw other clusters each time."""
    with pytest.raises(MistrustError, match=rf"^seed is {seed if seed != 2**32 else '4.29497e'}"):
        clustering(np.arange(6.0)[:, None], seed=seed)


def test_bad_input():
    with pytest.raises(MistrustError, match=r"no elbow 'sharp'.*Did you mean 'sharpest'"):
        clustering(np.zeros((5, 1)), elbow="sharp")
    with pytest.raises(MistrustError, match="largest is 3"):
        clustering(np.zeros((5, 1)), largest=3)
    with pytest.raises(MistrustError, match="features has shape"):
        kmeans_both([0.9, 0.8], [1.0, 2.0])
    with pytest.raises(MistrustError, match="features of id 1 is NaN"):
        kmeans_both([0.9, 0.8], [[1.0], [np.nan]])
    with pytest.raises(MistrustError, match="needs the pool's features"):
        clustered(Pool([1], [0.9]))


@pytest.mark.parametrize("given", [None, 3, "abc", [[1], [2, 3]], [0.5j]])
def test_confidences_that_are_no_numbers(given):
    with pytest.raises(MistrustError, match=r"^(Confidences are|confidence has shape) .*, expected"):
        kmeans_both(given, [[0.0], [1.0]])
