import warnings

import numpy as np
import pandas as pd
import pytest

from mistrust.errors import MistrustError, MistrustWarning, UnknownName
from mistrust.search.methods import SEARCHES
from mistrust.search.poisson_binomial import p_value
from mistrust.search.replaying import replay
from mistrust.search.residual import residual

FITTED = {"variance": 0.05, "fraction": 0.5, "iterations": 3}
# All that facts 11 and 5 name, in the words that stand there.
SET_UP = {"var": 0.05, "frac": 0.5, "it": 3, "delta": 0, "alpha": 0.5, "m": 3, "tau": 0.65, "gamma": 0.2, "ridge": 2.0}
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


@pytest.mark.whole
@pytest.mark.parametrize("residuals", ["given", "computed"])
def test_one_set_of_parameters_serves_all_searches(residuals, known_set):
    frame = known_set if residuals == "given" else known_set.drop(columns="residual")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = {method: replay(frame, method, 8, **SET_UP) for method in SEARCHES if method != "score"}
    for method in METHODS:
        assert found[method].frame().equals(replay(frame, method, 8, **FITTED).frame()), method
    primed = replay(frame, "adversarial_distance_then_model", 8, **FITTED, first=3, ridge=2.0)
    assert found[primed.method].frame().equals(primed.frame())
    assert primed.order.tolist() != replay(frame, primed.method, 8, **FITTED, ridge=2.0).order.tolist()  # 15 come first


@pytest.mark.parametrize(
    ("method", "parameters", "said"),
    [
        ("adversarial_distance", {"dleta": 0}, "no parameter 'dleta' of the search .* Did you mean 'delta'"),
        ("facility", {"alhpa": 0.5}, "'alhpa' of .* Did you mean 'alpha'"),
        ("lakkaraju_first", {"gama": 0}, "'gama' of .* Did you mean 'gamma'"),
        ("random", {"score": "surprise"}, "no parameter 'score' of the search 'random'"),
        ("adversarial_distance_then_model", {"m": 3, "first": 3}, "'first' is given twice"),
        ("facility", {"alpha": 1.5}, "alpha is 1.5"),
        ("adversarial_distance", {"delta": -0.1}, "delta is -0.1"),
        (
            "adversarial_distance",
            {"fit": "quadratic", "delta": 0.1},
            "delta is 0.1.*leave it at 0, or take fit='lowess'",
        ),
        ("adversarial_distance", {"frac": "half"}, "fraction is 'half'"),
        ("adversarial_distance", {"it": -1}, "iterations is -1"),
        ("adversarial_distance", {"fit": "loess"}, "no fit of F 'loess'. Did you mean 'lowess'"),
        ("low_confidence", {"fit": "loess"}, "no fit of F 'loess'. Did you mean 'lowess'"),
        ("low_confidence", {"form": "rwa"}, "no form of the distance 'rwa'. Did you mean 'raw'"),
        ("lakkaraju_coded", {"elbow": "publisht"}, "no elbow 'publisht'. Did you mean 'published'"),
        ("random", {"aim": "error"}, "no aim 'error'. Did you mean 'errors'"),
    ],
)
def test_what_a_search_has_no_use_for_is_still_checked(method, parameters, said, known_set):
    """Residuals and clusters are given here, so that no fit and no K-means would have found the mistake."""
    with pytest.raises(MistrustError, match=said):
        replay(known_set, method, 8, **parameters)


@pytest.mark.parametrize(
    "settings", [{"form": "raw", "frac": 0.5}, {"fit": "quadratic", "frac": 0.5}, {"form": "raw", "frac": 0.7, "it": 0}]
)
@pytest.mark.parametrize("method", ["adversarial_distance", "adversarial_distance_then_model"])
def test_another_residual_than_the_paper_s_is_computed_though_one_is_given(method, settings, known_set):
    given, computed = (replay(one, method, 8, **settings) for one in (known_set, known_set.drop(columns="residual")))
    assert given.frame().equals(computed.frame())
    assert given.order.tolist() != replay(known_set, method, 8).order.tolist()
    if method == "adversarial_distance":
        names = {"frac": "fraction", "it": "iterations"}
        keys = residual(known_set["MAE"], known_set["c"], **{names.get(k, k): v for k, v in settings.items()})
        assert given.order.tolist() == (np.argsort(keys, kind="stable")[:8] + 1).tolist()
    with pytest.raises(MistrustError, match=r"reads the distance, and the table has no such column: call it 'mae'"):
        replay(known_set.drop(columns="MAE"), method, 8, **settings)


def test_a_given_residual_stands_and_settings_that_give_another_are_told(known_set):
    with pytest.warns(
        MistrustWarning, match=r"taken as they stand: with fraction=0.9 its distances give others, up to 0"
    ):
        found = replay(known_set, "adversarial_distance", 8, frac=0.9)
    assert found.order.tolist() == replay(known_set, "adversarial_distance", 8).order.tolist()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        replay(known_set.round({"residual": 3}), "adversarial_distance", 8, **FITTED)  # printed to fewer digits
        replay(known_set, "low_confidence", 8, frac=0.9)  # reads none
        replay(known_set.drop(columns="MAE"), "adversarial_distance", 8, frac=0.9)  # there is no other
        replay(known_set, "adversarial_distance", 8, frac=0.1)  # F is not defined by so few


BANDITS = ("bansal_weld_coded", "bansal_weld_gain", "lakkaraju_coded", "lakkaraju_first", "lakkaraju")


@pytest.mark.parametrize(
    "labels", [list("ABCD"), ["arm 2", "arm 9", "arm 10", "arm 11"], ["0", "5", "20", "100"], [-3, 0, 4, 90]]
)
@pytest.mark.parametrize("method", BANDITS)
def test_labels_are_arms_in_their_order(method, labels, known_set):
    frame = known_set.assign(cluster=[labels[one] for one in known_set["cluster"]])
    expected = replay(known_set, method, 8, **FITTED).frame()
    for one in (frame, frame.astype({"cluster": "category"})):
        assert replay(one, method, 8, **FITTED).frame().equals(expected)


def missing(column, like=lambda one: float(one)):
    """The column without the value in its third row."""
    return [None if row == 2 else like(one) for row, one in enumerate(column)]


@pytest.mark.whole
@pytest.mark.parametrize(
    ("name", "change", "methods", "said"),
    [
        ("cluster", missing, BANDITS, "got nan for id 3 .*K-means"),
        ("cluster", lambda column: missing(column, "ABCD".__getitem__), BANDITS, "got nan for id 3 .*K-means"),
        ("cluster", lambda column: column + 0.5, BANDITS, "got 0.5 for id 1 .*K-means"),
        (
            "cluster",
            lambda column: ["ABCD"[one] if one else 0 for one in column],
            BANDITS,
            "all text, and has 0.*K-mea",
        ),
        ("residual", missing, ("adversarial_distance", "adversarial_distance_then_model"), "residual of id 3 is nan"),
        (
            "residual",
            lambda column: ["?", *column[1:]],
            ("adversarial_distance",),
            "'residual' must be numbers.*computed",
        ),
        ("x2", missing, ("adversarial_distance_then_model", "facility"), "features of id 3"),
    ],
)
def test_a_column_that_is_read_is_never_replaced_in_silence(name, change, methods, said, known_set):
    frame = known_set.assign(**{name: change(known_set[name])})
    for method in methods:
        with pytest.raises(MistrustError, match=said):
            replay(frame, method, 8, **FITTED)
        replay(frame.drop(columns=name), method, 8, **FITTED)  # the way out that is named
    with pytest.warns(MistrustWarning, match="Left out of the table"):
        found = replay(frame, "low_confidence", 8, **FITTED)
    assert found.order.tolist() == [10, 4, 15, 5, 11, 6, 12, 3]


def test_a_residual_that_another_form_does_without_may_hold_anything(known_set):
    frame = known_set.assign(residual=np.nan)
    with pytest.warns(MistrustWarning, match="Left out of the table: residual"):
        found = replay(frame, "adversarial_distance", 8, form="raw", frac=0.5)
    assert found.order.tolist() == replay(known_set, "adversarial_distance", 8, form="raw", frac=0.5).order.tolist()


def test_scores_of_zero_are_named_with_the_form_that_takes_them(known_set):
    frame = known_set.assign(disagreement=np.where(known_set["i"] % 4 == 3, 0.0, known_set["x1"] + 1))
    with pytest.raises(MistrustError, match=r"4 of 16 values of the score 'disagreement'.*0, of id 3.*form='raw'"):
        replay(frame, "score", 8, score="disagreement", frac=0.5)
    found = replay(frame, "score", 8, score="disagreement", frac=0.5, form="raw")
    trend = residual(frame["disagreement"], frame["c"], fraction=0.5, form="raw")
    assert found.order.tolist() == (np.argsort(-trend, kind="stable")[:8] + 1).tolist()
    plain = replay(frame, "score", 8, score="disagreement", detrended=False).order
    assert plain.tolist() == (np.argsort(-frame["disagreement"], kind="stable")[:8] + 1).tolist()


def test_a_search_by_score_says_which_columns_may_serve(known_set):
    with pytest.raises(
        MistrustError, match=r"needs the name of what it goes by: score='...'.*The pool has: gap, knn\."
    ):
        replay(known_set.assign(knn=1.0, gap=2, note="text"), "score", 8)
    with pytest.raises(MistrustError, match=r"The pool has none: .*one more column of numbers"):
        replay(known_set, "score", 8)
    with pytest.raises(UnknownName, match=r"no score in the pool 'kn'\. Did you mean 'knn'"):
        replay(known_set.assign(knn=1.0), "score", 8, score="kn")


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
    with pytest.raises(MistrustError, match=r"reads the features, .* call it x1, x2, .* It has: c, error\."):
        replay(known_set[["c", "error"]], "facility", 8)


def test_features_under_other_names_are_said_to_be_none(known_set):
    """They are numbers, and so scores: without a word, spread and utility would be NaN."""
    named = known_set.rename(columns={"x1": "f1", "x2": "f2"})
    with pytest.warns(MistrustWarning, match=r"Spread and utility are NaN: .* called x1, x2, .*f1, f2 are scores here"):
        found = replay(named, "low_confidence", 8)
    assert np.isnan(found.spread).all()
    with pytest.raises(MistrustError, match=r"reads the features, .*call it x1, x2, .*It has: .*f1, f2"):
        replay(named, "facility", 8)


@pytest.mark.parametrize("value", [np.inf, 0.0])
def test_a_distance_that_no_pool_can_hold_is_called_by_its_column(value, known_set):
    bad = known_set.drop(columns="residual").assign(MAE=known_set["MAE"].mask(known_set["i"] == 3, value))
    with pytest.raises(MistrustError, match=r"reads the distance\. .* Mend that column\.$"):
        replay(bad, "adversarial_distance", 8, **FITTED)


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
        ("cluster", ["a", None, "a", "b"], "lakkaraju", "clusters must be whole numbers, got nan for id 2"),
        ("residual", [0.2, np.nan, 0.3, 0.4], "adversarial_distance", "residual of id 2 is nan"),
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
    ends = {"MAE": [0.2, 0.1, 0.3, np.nan], "residual": [0.1, 0.2, 0.0, "none"], "cluster": ["b", "a", "b", None]}
    frame = pd.DataFrame({**ROWS, **ends})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = replay(frame, "adversarial_distance", 3)
        arms = replay(frame, "lakkaraju_first", 3)
    assert found.order.tolist() == [9, 4, 2]
    assert arms.order.tolist()[:2] == [2, 4]  # arm "a" is pulled first, then "b"
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


@pytest.mark.filterwarnings("ignore:The search has nothing to go by")
@pytest.mark.parametrize("seed", range(40))
def test_what_a_window_of_three_leaves_of_its_own_rows_is_rounding_and_no_order(seed):
    """F then goes through every row: all residuals are 0, and ties go to the first."""
    draw = np.random.default_rng(seed)
    c = 1 - 10 ** -draw.uniform(0.5, 2, 8)
    frame = pd.DataFrame({"i": range(1, 9), "c": c, "error": 0, "MAE": np.exp(draw.normal(size=8) - 4)})
    assert replay(frame, "adversarial_distance", 8, fraction=3 / 8, threshold=0).order.tolist() == list(range(1, 9))
