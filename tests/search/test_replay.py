import warnings

import numpy as np
import pandas as pd
import pytest

from mistrust.errors import MistrustError, MistrustWarning
from mistrust.search.poisson_binomial import p_value
from mistrust.search.replaying import replay

FITTED = {"variance": 0.05, "fraction": 0.5, "iterations": 3}
METHODS = (
    "adversarial_distance", "low_confidence", "bansal_weld_coded", "bansal_weld_gain", "lakkaraju_coded",
    "lakkaraju_first", "facility",
)  # fmt: skip


@pytest.mark.parametrize("residuals", ["given", "computed"])
@pytest.mark.parametrize("method", METHODS)
def test_known_set(method, residuals, known_set, known_answers):
    """Every number of facts 11, to all printed digits."""
    frame = known_set if residuals == "given" else known_set.drop(columns="residual")
    found = replay(frame, method, 8, **FITTED)
    for what in ("order", "errors", "sdr", "spread", "utility", "p", "low", "high"):
        digits = "d" if what in ("order", "errors") else ".6f"
        assert [format(one, digits) for one in np.atleast_1d(getattr(found, what))] == known_answers[method, what], what


def test_known_set_has_all_seven_searches(known_answers):
    assert {method for method, _ in known_answers} == set(METHODS)


def test_residual_of_the_known_set_is_the_printed_one(known_set):
    from mistrust.search.residual import residual

    found = residual(known_set["MAE"], known_set["c"], fraction=0.5, iterations=3)
    np.testing.assert_allclose(found, known_set["residual"], atol=5e-7)


def test_pool_line_of_the_known_set(known_set):
    found = replay(known_set, "low_confidence", 8)
    assert (found.pool_errors, f"{found.pool_sdr:.6f}", len(found.pool)) == (7, "3.196347", 16)


def test_short_names_do_the_same(known_set):
    frame = known_set.drop(columns="residual")
    for method in METHODS:
        one, other = replay(frame, method, 8, **FITTED), replay(frame, method, 8, var=0.05, frac=0.5, it=3)
        assert one.frame().equals(other.frame())


def test_every_query_has_its_own_p_and_interval(known_set):
    whole = replay(known_set, "adversarial_distance", 8, var=0.05)
    for budget in (1, 3, 6):
        part = replay(known_set, "adversarial_distance", budget, var=0.05)
        assert part.p == pytest.approx(whole.p_by_query[budget - 1], rel=1e-12)
        assert part.interval == pytest.approx(
            (whole.low_by_query[budget - 1], whole.high_by_query[budget - 1]), rel=1e-9
        )
    assert whole.high_by_query[2] == np.inf  # three questions, three errors
    assert list(whole.frame()["query"]) == list(range(1, 9))


def test_only_what_a_search_reads_must_be_there(known_set):
    found = replay(known_set[["c", "error"]], "low_confidence", 8)
    assert found.order.tolist() == [10, 4, 15, 5, 11, 6, 12, 3]
    assert np.isnan(found.spread).all()
    assert np.isnan(found.utility).all()
    with pytest.raises(MistrustError, match="needs the pool's features"):
        replay(known_set[["c", "error"]], "facility", 8)


def test_instances_below_the_threshold_are_no_part_of_the_pool(known_set):
    found = replay(known_set, "low_confidence", 3, threshold=0.7)
    assert found.order.tolist() == [15, 5, 11]
    assert len(found.pool) == 14
    frame = known_set.assign(c=known_set["c"] - 0.4)
    with pytest.raises(MistrustError, match=r"None of the pool's 16 instances.*0.65"):
        replay(frame, "low_confidence", 3)
    assert len(replay(frame, "low_confidence", 3, threshold=0).pool) == 16


def test_other_numbers_of_features(known_set):
    one = known_set.assign(x3=0.0, x4=7.0)
    for method in METHODS:
        assert replay(one, method, 8, **FITTED).frame().equals(replay(known_set, method, 8, **FITTED).frame())
    turned = known_set.assign(x2=known_set["x1"], x1=known_set["x2"]).drop(columns="residual")
    a, b = replay(turned, "facility", 8, **FITTED), replay(known_set, "facility", 8, **FITTED)
    np.testing.assert_allclose(a.spread, b.spread)


def test_which_searches_have_no_exact_p_is_told(known_set):
    assert [replay(known_set, one, 3, var=0.05).adaptive for one in METHODS] == [False, False, *[True] * 5]


ROWS = {"i": [4, 2, 9, 7], "c": [0.9, 0.7, 0.8, 0.6], "error": [0, 1, 0, 1], "MAE": [0.2, 0.1, 0.3, 0.4]}


@pytest.mark.parametrize(
    ("name", "values", "method", "said"),
    [
        ("MAE", [0.2, np.nan, 0.3, 0.4], "adversarial_distance", "distance of id 2 is nan"),
        ("MAE", [0.2, 0.0, 0.3, 0.4], "adversarial_distance", "distance of id 2 is 0"),
        ("cluster", ["a", "b", "a", "b"], "lakkaraju", "column 'cluster' must be numbers"),
        ("x1", [1.0, 2.0, np.inf, 3.0], "facility", "features of id 9"),
        ("doubt", [1.0, np.nan, 2.0, 3.0], "score", "doubt of id 2 is nan|scores of id 2 is nan"),
    ],
)
def test_a_column_that_is_not_read_may_hold_anything(name, values, method, said):
    """A distance is NaN where no attack came through: no reason to refuse a search that reads the confidence alone."""
    frame = pd.DataFrame({**ROWS, name: values})
    with pytest.warns(MistrustWarning, match=f"Left out of the table: .*({said})"):
        found = replay(frame, "low_confidence", 2, threshold=0)
    assert found.order.tolist() == [7, 2]
    more = {"score": name} if method == "score" else {}
    with pytest.raises(MistrustError, match=said):
        replay(frame, method, 2, threshold=0, **more)


def test_what_stands_below_the_threshold_is_not_looked_at():
    """Distances are searched for the pool alone: the others have none."""
    frame = pd.DataFrame({**ROWS, "MAE": [0.2, 0.1, 0.3, np.nan], "residual": [0.1, 0.2, 0.0, np.nan]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = replay(frame, "adversarial_distance", 3)
    assert found.order.tolist() == [9, 4, 2]
    with pytest.raises(
        MistrustError, match=r"None of the pool's 4 instances has a confidence above the threshold 0.95"
    ):
        replay(frame, "low_confidence", 1, threshold=0.95)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"x1": [1, 2, 3, 4], "x_1": [1, 2, 3, 5]}, "Two columns hold feature 1: x1 and x_1"),
        ({"error": pd.array([True, None, False, True], dtype="boolean")}, "Errors must be 0 .* got nan"),
        ({"x1": [1e200, 2, 3, 4]}, "Features reach 1e.200"),
    ],
)
def test_tables_that_would_be_misread_are_refused(more, said):
    with pytest.raises(MistrustError, match=said):
        replay(pd.DataFrame({**ROWS, **more}), "low_confidence", 2)


@pytest.mark.parametrize(
    ("method", "parameters", "said"),
    [
        ("bansal_weld_gain", {"var": "a"}, "variance is 'a'"),
        ("low_confidence", {"var": None}, "variance is None"),
        ("low_confidence", {"threshold": None}, "threshold is None"),
        ("random", {"seed": 1.5}, "seed is 1.5"),
        ("random", {"seed": None}, "seed is None"),
        ("adversarial_distance", {"frac": "a"}, "fraction is 'a'"),
        ("adversarial_distance", {"it": "b"}, "iterations is 'b'"),
    ],
)
def test_parameters_out_of_range_are_named(known_set, method, parameters, said):
    with pytest.raises(MistrustError, match=said):
        replay(known_set.drop(columns="residual"), method, 2, **parameters)


def test_a_path_is_no_table():
    with pytest.raises(MistrustError, match=r"The table is 'file.csv', expected a data frame"):
        replay("file.csv", "low_confidence", 1)


def test_chances_of_all_beginnings_at_once_are_those_of_each(known_set):
    found = replay(known_set, "random", 16)
    each = [p_value(found.errors[i], 1 - found.confidence[: i + 1]) for i in range(16)]
    assert found.p_by_query == pytest.approx(each, rel=1e-12)
