"""Means over training seeds and what is left out, on made-up rows of single networks."""

import numpy as np
import pandas as pd
import pytest

from mistrust import rows as tidy
from mistrust.evaluation import between_models
from mistrust.robustness.experiment import Parameters
from mistrust.robustness.experiment.over_networks import together

P = Parameters(data="digits", networks=("resnet8-w8", "resnet14-w8"))


def made(values, seeds=(0, 1, 2), **where):
    common = {"chapter": "robustness", "data": "digits", "network": "resnet8-w8", "condition": "all", "method": "",
              "low": 0.0, "high": 1.0, "over": "images", "n": 9}  # fmt: skip
    return tidy.table(
        {**common, **where, "seed": float(seed), "value": one} for seed, one in zip(seeds, values, strict=True)
    )


def mean(rows, **where):
    found = rows[rows["seed"].isna()]
    for column, value in where.items():
        found = found[found[column] == value]
    return found


@pytest.mark.whole
@pytest.mark.parametrize(
    ("where", "values", "scale"),
    [
        ({"table": "networks", "metric": "accuracy"}, [0.9, 0.95, 0.99], "logit"),
        ({"table": "random", "metric": "unbroken", "method": "fixed-clipped"}, [0.0, 0.1, 0.2], "arcsine"),
        ({"table": "layers", "metric": "broken", "at": "conv", "level": 0.5}, [0.5, 1.0, 1.0], "arcsine"),
        ({"table": "random", "metric": "capped mean", "method": "fixed-clipped"}, [80.0, 90.0, 130.0], "identity"),
        ({"table": "targeted", "metric": "linf", "method": "adam"}, [3.0, 4.0, 4.5], "identity"),
    ],
)
def test_means_have_students_interval_on_their_scale(where, values, scale):
    row = mean(together(made(values, **where), P)).iloc[0]
    expected = between_models(values, scale=scale)
    assert [row["value"], row["low"], row["high"]] == pytest.approx([expected.value, expected.low, expected.high])
    assert (row["over"], row["n"], row["made"]) == ("models", 3, "")


@pytest.mark.whole
def test_what_differs_in_any_column_but_the_seed_is_not_averaged():
    parts = [
        made([1.0, 3.0, 5.0], table="random", metric="capped mean", **where)
        for where in (
            {}, {"network": "resnet14-w8"}, {"method": "fresh-clipped"}, {"condition": "half"}, {"data": "photos"},
            {"level": 3.0}, {"at": "x"},
        )
    ]  # fmt: skip
    found = mean(together(pd.concat(parts, ignore_index=True), P), metric="capped mean")
    assert len(found) == len(parts)
    assert set(found["value"]) == {3.0}


def test_one_seed_keeps_the_interval_over_its_images():
    row = mean(together(made([0.4], seeds=(0,), table="edges", metric="bent"), P)).iloc[0]
    assert (row["value"], row["low"], row["high"], row["over"], row["n"]) == (0.4, 0.0, 1.0, "images", 9)


def test_single_rows_stay_and_one_images_bubble_has_no_mean():
    rows = pd.concat(
        [made([3.0, 4.0, 5.0], table="bubble", metric="linf"), made([0.1, 0.2, 0.3], table="variance", metric="share")],
        ignore_index=True,
    )
    found = together(rows, P)
    assert mean(found).empty
    assert found["value"].tolist() == rows["value"].tolist()


@pytest.mark.whole
def test_matrices_keep_what_is_reached_and_distances_of_representatives():
    cells = [
        made([0.0, 1.0, 1.0], table="matrix", metric="success", at="0>1"),
        made([9.0, 8.0, 7.0], table="matrix", metric="linf", at="0>1"),
        made([9.0, 8.0, 7.0], table="matrix", metric="linf", at="0>1", network="resnet14-w8"),
    ]
    found = together(pd.concat(cells, ignore_index=True), P)
    kept = found[["network", "metric", "at"]].drop_duplicates().to_numpy().tolist()
    assert kept == [["resnet8-w8", "success", "0>1"], ["resnet8-w8", "linf", "0>1"]]
    assert mean(found, metric="linf")["value"].tolist() == [8.0]
    # On the scale of shares; what two of three seeds reach is not what none does.
    assert 0.5 < mean(found, metric="success")["value"].item() < 1


@pytest.mark.whole
@pytest.mark.parametrize(
    ("shift", "expected"),
    [
        (0.0, {"seed": 0.0, "source": 1.0, "target": 0.0, "source x target": 0.0, "rest": 0.0}),
        (9.0, {"seed": 1.0, "source": 0.0, "target": 0.0, "source x target": 0.0, "rest": 0.0}),
    ],
)
def test_seeds_that_shift_a_whole_matrix_and_seeds_that_do_nothing_are_told_apart(shift, expected):
    """With a shift all cells of a matrix are alike, without one all cells of a row."""
    pairs = [(a, b) for a in range(4) for b in range(4) if a != b]
    cells = [
        made([shift * seed if shift else a for seed in range(3)], table="matrix", metric="linf", at=f"{a}>{b}")
        for a, b in pairs
    ]
    found = together(pd.concat(cells, ignore_index=True), P)
    split = found[found["table"] == "variance"]
    assert set(split["method"]) == {"cells"}
    assert set(split["n"]) == {36}
    assert split.set_index("at")["value"].to_dict() == pytest.approx(expected, abs=1e-9)


@pytest.mark.whole
def test_a_median_that_some_seeds_do_not_reach_has_no_mean():
    """The mean of those that do would be too low: what is not reached is larger than any."""
    where = {"table": "random", "method": "fixed-clipped"}
    unbroken = made([0.4, 0.6, 0.4], metric="unbroken", **where)
    some = made([90.0, 110.0], seeds=(0, 2), metric="median", **where)
    every = made([90.0, 130.0, 110.0], metric="median", **where)
    for medians, told in ((some, []), (every, [110.0])):
        found = together(pd.concat([unbroken, medians], ignore_index=True), P)
        assert mean(found, metric="median")["value"].tolist() == told
        assert (
            found[found["seed"].notna() & (found["metric"] == "median")]["value"].tolist() == medians["value"].tolist()
        )
        assert len(mean(found, metric="unbroken")) == 1


@pytest.mark.whole
def test_nothing_is_nothing():
    assert together(made([], seeds=()), P).empty
    assert np.array_equal(list(together(made([], seeds=()), P).columns), list(made([], seeds=()).columns))
