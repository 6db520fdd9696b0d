import pickle
from copy import deepcopy

import numpy as np
import pandas as pd
import pytest
import torch

from mistrust.errors import MistrustError, UnknownName
from mistrust.search.columns import read
from mistrust.search.pool import Pool

GOOD = {"ids": [3, 4, 5], "confidence": [0.9, 0.7, 0.8]}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"ids": [], "confidence": []}, "at least one instance"),
        ({"ids": [3, 4, 3]}, "must be unique: 3 stands 2 times"),
        ({"ids": [3, 4, -5]}, "from 0 on, got -5"),
        ({"ids": [3, 4, 5.5]}, "ids must be whole numbers"),
        (
            {"ids": ["a", "b", "c"]},
            r"got text \('a'\): number the instances, ids=range\(n\)",
        ),
        (
            {"ids": np.array([3, 4, 2**63 + 5], dtype=np.uint64)},
            r"at most 2\*\*63 - 1, got 9223372036854775813: number",
        ),
        ({"ids": [3, 4, 10**25]}, "got 10000000000000000000000000: number them from 0 on"),
        ({"clusters": [0.0, 1.0, -1e300]}, r"clusters must be at most 2\*\*63 - 1, got -1e\+300"),
        ({"confidence": [0.9, 0.0, 0.8]}, r"confidence of id 4 is 0, expected a number in \(0, 1\] \(1 of 3"),
        ({"confidence": [0.9, 0.7, 1.01]}, "confidence of id 5 is 1.01"),
        ({"confidence": [0.9, np.nan, 0.8]}, "confidence of id 4 is nan, expected a finite number"),
        ({"confidence": [0.9, 0.7]}, r"confidence has shape \(2,\), expected \(3,\)"),
        ({"confidence": ["high", "low", "low"]}, "confidence must be numbers"),
        ({"features": [1.0, 2.0, 3.0]}, r"features has shape \(3,\), expected \(3, p\)"),
        ({"features": [[1.0], [np.nan], [2.0]]}, "features of id 4 is NaN or infinite"),
        ({"distance": [0.1, 0.0, 0.1]}, "distance of id 4 is 0, expected a number above 0"),
        ({"distance": [0.1, 0.1, np.inf]}, r"distance of id 5 is inf.*np\.isfinite\(distance\)"),
        ({"residual": [0.1, np.nan, 0.1]}, "residual of id 4 is nan"),
        ({"clusters": [0, 1]}, "3 ids and 2 clusters"),
        ({"clusters": [0, 1, 0.5]}, r"clusters must be whole numbers, got 0.5 for id 5 \(1 of 3 are none\)"),
        ({"clusters": [0, np.nan, np.inf]}, r"clusters must be whole numbers, got nan for id 4 \(2 of 3 are none\)"),
        ({"clusters": ["a", "b", "a"]}, "clusters must be whole numbers"),
        ({"scores": {"mahalanobis": [1.0, np.nan, 2.0]}}, "mahalanobis of id 4 is nan"),
        ({"scores": None}, "scores are None, expected numbers by name"),
        ({"scores": [1.0, 2.0, 3.0]}, r"scores are \[1\.0, 2\.0, 3\.0\], expected numbers by name"),
        ({"ids": [[3], [4, 5], 6]}, r"ids are \[\[3\], \[4, 5\], 6\], expected whole numbers, one per instance"),
        ({"clusters": [[0], [0, 1], 1]}, r"clusters are \[\[0\], \[0, 1\], 1\], expected whole numbers"),
        ({"ids": torch.ones(3, requires_grad=True)}, r"ids are .*of a tensor: \.detach\(\)"),
        ({"distance": torch.ones(3, requires_grad=True)}, r"distance must be numbers.*of a tensor: \.detach\(\)"),
        ({"distance": [1, 2, 10**400]}, "distance must be numbers"),
        ({"distance": np.array([1, 2, 3j])}, "distance must be numbers"),
    ],
)
def test_bad_values_are_named(values, message):
    with pytest.raises(MistrustError, match=message):
        Pool(**(GOOD | values))


def test_rows_of_one_table_in_two_orders_are_not_paired_by_place():
    table = pd.DataFrame({"c": [0.9, 0.7, 0.8], "d": [0.3, 0.1, 0.2]}, index=[5, 3, 4])
    assert Pool(table.index, table.c, distance=table.d).distance.tolist() == [0.3, 0.1, 0.2]
    for given in (
        {"confidence": table.c.sort_values()},
        {"distance": table.d.sort_index()},
        {"features": table[["d"]].iloc[::-1]},
        {"scores": {"doubt": table.d.sort_values()}},
    ):
        with pytest.raises(MistrustError, match="the same index in another order"):
            Pool(**({"ids": table.index, "confidence": table.c} | given))
    # Numbered otherwise, they say nothing of an order.
    assert Pool(table.index, table.c.reset_index(drop=True)).confidence.tolist() == [0.9, 0.7, 0.8]
    assert Pool(table.index, table.c.sort_values().to_numpy()).confidence.tolist() == [0.7, 0.8, 0.9]


def test_a_confidence_of_one_is_allowed():
    assert Pool([1], [1.0]).confidence[0] == 1


def test_the_largest_ids_stay_what_they_are():
    """Also where they come as unsigned numbers, of which int64 holds the lower half."""
    ids = np.array([2**63 - 1, 2**63 - 3, 0], dtype=np.uint64)
    assert Pool(ids, [0.9, 0.7, 0.8]).ids.tolist() == [2**63 - 1, 2**63 - 3, 0]


def test_threshold_is_strict_and_keeps_everything_aligned(pools):
    pool, _ = pools(50)
    pool = pool.with_(confidence=np.where(np.arange(50) % 2, 0.65, 0.9))
    kept = pool.above()
    assert kept.ids.tolist() == pool.ids[::2].tolist()
    assert kept.scores["surprise"].tolist() == pool.scores["surprise"][::2].tolist()
    assert kept.features.tolist() == pool.features[::2].tolist()
    assert len(pool.above(0)) == 50
    with pytest.raises(MistrustError, match=r"None of the pool's 50 .* threshold 0.95: the largest is 0.9"):
        pool.above(0.95)
    with pytest.raises(MistrustError, match="threshold is 65"):
        pool.above(65)


def test_take_refuses_rows_that_are_not_there_or_twice():
    pool = Pool(**GOOD)
    assert pool.take([2, 0]).ids.tolist() == [5, 3]
    with pytest.raises(MistrustError, match="The pool has 3 rows"):
        pool.take([3])
    with pytest.raises(MistrustError, match="must be unique"):
        pool.take([1, 1])
    for ragged in ([[0], [0, 1]], ["a"]):
        with pytest.raises(MistrustError, match="The pool has 3 rows"):
            pool.take(ragged)
    for rows in ([[0, 1]], 1):
        with pytest.raises(MistrustError, match=r"Rows have shape \(.*expected \(m,\) positions"):
            pool.take(rows)


def test_other_values_are_of_fields_that_a_pool_has():
    with pytest.raises(UnknownName, match=r"'distances'.*distance"):
        Pool(**GOOD).with_(distances=[1.0, 2.0, 3.0])


def test_nothing_in_a_pool_can_be_written_to_and_it_is_not_the_callers_array():
    mine = np.array([0.9, 0.7, 0.8])
    pool = Pool([3, 4, 5], mine)
    mine[0] = 0.5
    assert pool.confidence[0] == 0.9
    with pytest.raises(ValueError, match="read-only"):
        pool.confidence[0] = 0.5
    with pytest.raises(TypeError):
        pool.scores["new"] = mine


def test_travels_between_processes(pools):
    pool, _ = pools(20)
    there = pickle.loads(pickle.dumps(pool))
    assert there.scores["surprise"].tolist() == pool.scores["surprise"].tolist()
    assert there.features.tolist() == pool.features.tolist()
    assert deepcopy(pool) is pool


def test_table_is_read_whatever_its_columns_are_called(known_set):
    plain = Pool.of_frame(known_set)
    other = known_set.rename(
        columns={"i": "ID", "c": "Confidence", "MAE": "mae", "cluster": "Clusters", "x1": "X1", "residual": "Residual"}
    )[["Residual", "x2", "X1", "Clusters", "mae", "error", "Confidence", "ID"]]
    read_again = Pool.of_frame(other)
    for name in ("ids", "confidence", "features", "distance", "clusters", "residual"):
        np.testing.assert_array_equal(getattr(plain, name), getattr(read_again, name))


def test_features_are_in_order_of_their_numbers_and_further_columns_are_scores():
    frame = pd.DataFrame(
        {"x10": [1.0], "x2": [2.0], "x1": [3.0], "c": [0.9], "mahalanobis": [4.0], "note": ["cat"], "gap": [np.nan]}
    )
    pool = Pool.of_frame(frame)
    assert pool.features.tolist() == [[3.0, 2.0, 1.0]]
    assert list(pool.scores) == ["mahalanobis"]
    assert pool.ids.tolist() == [1]


def test_text_is_numbered_in_alphabetical_order_with_numbers_in_it_by_size():
    labels = ["c10", "c2", "b", " c2", "c02", "c10"]
    pool = Pool.of_frame(pd.DataFrame({"c": np.full(6, 0.9), "cluster": labels}))
    assert pool.clusters.tolist() == [3, 2, 0, 2, 1, 3]
    with pytest.raises(MistrustError, match="clusters must be whole numbers, got nan for id 3"):
        Pool.of_frame(pd.DataFrame({"c": [0.9, 0.8, 0.7], "cluster": ["a", "b", " "]}))


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ({"i": [1], "confidense": [0.9], "error": [0]}, r"no column 'c' \(confidence.*Did you mean 'confidense'"),
        ({"i": [1], "c": [0.9], "eror": [0]}, "no column 'error'.*Did you mean 'eror'"),
        ({"c": [0.9], "Confidence": [0.9], "error": [0]}, "Two columns hold the confidence: c and Confidence"),
        ({"c": ["much"], "error": [0]}, "column 'c' must be numbers"),
        (
            {"id": ["a.png"], "c": [0.9], "error": [0]},
            r"no whole numbers \('a.png'\): name it otherwise",
        ),
        ({"c": [0.9], "error": [2]}, r"0 \(right\) or 1 \(wrong\), got 2"),
        ({"c": [0.9], "error": [np.nan]}, r"0 \(right\) or 1 \(wrong\), got nan"),
    ],
)
def test_bad_tables_are_named(frame, message):
    with pytest.raises(MistrustError, match=message):
        read(pd.DataFrame(frame), answers=True)
