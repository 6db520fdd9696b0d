"""Verdicts on lift: made rows whose lifts, gates and intervals are known."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from mistrust import rows as tidy
from mistrust.errors import MistrustError
from mistrust.search.experiment.over_models import gated, overall
from mistrust.search.experiment.parameters import Parameters
from mistrust.search.verdicts import COLUMNS, NO_VERDICT, NOT_JUDGED, verdicts

AD = "adversarial_distance"
FEW = "errors in the pool: 12, expected >= 25: missed"


def panels(lifts, condition="biased/25", at="cat", expected=4.0, pool=1.5, notes=(), level=20, method=AD):
    """Rows of one model a lift, whose pools have this SDR; a note is that of a gate that the model misses."""
    for seed, value in enumerate(lifts):
        where = {"data": "cats_dogs-32", "network": "cnn", "condition": condition, "at": at, "seed": seed}
        note = notes[seed] if seed < len(notes) else ""
        yield {"table": "panel", "metric": "pool sdr", "value": pool, **where}
        yield {"table": "panel", "metric": "gates", "value": float(not note), "note": note, **where}
        found = {"errors": value * expected * pool, "expected": expected, "expected alike": 2 * expected * pool}
        for metric, number in found.items():
            row = {"table": "searches", "method": method, "level": level, "metric": metric, "value": number}
            yield {**row, **where}


def table(*several):
    return tidy.table([row for one in several for row in one])


@pytest.mark.parametrize(
    ("lifts", "verdict"),
    [
        ((1.4, 1.5, 1.6, 1.5, 1.55), "lift"),
        ((0.9, 1.0, 1.1, 1.05, 0.95), "no lift"),
        ((0.5, 1.0, 2.5, 1.7, 1.2), "undecided"),
        ((1.05, 1.1, 1.12, 1.08, 1.1), "lift"),  # small, but sure: facts 12 ask first whether it is above 1
    ],
)
def test_interval_and_verdict(lifts, verdict):
    one = verdicts(table(panels(lifts)), levels=(20,)).iloc[0]
    logs = np.log(lifts)
    low, high = np.exp(stats.ttest_1samp(logs, 0).confidence_interval())
    assert one["lift"] == pytest.approx(stats.gmean(lifts))
    assert (one["low"], one["high"]) == pytest.approx((low, high))
    assert one["smallest"] == pytest.approx(np.exp(stats.t.ppf(0.975, 4) * stats.sem(logs)))
    # Five models that expect 6 errors each: the logarithm of their mean lift has SD 1 / sqrt(30) by chance alone.
    assert one["at best"] == pytest.approx(np.exp(stats.t.ppf(0.975, 4) / np.sqrt(30)))
    assert (one["models"], one["trained"], one["missed"], one["verdict"]) == (5, 5, "", verdict)


def test_a_lift_against_equal_confidence_is_another():
    rows = table(panels((1.4, 1.5, 1.6, 1.5, 1.55)))
    matched = verdicts(rows, levels=(20,), metric="matched lift").iloc[0]
    assert matched["lift"] == pytest.approx(verdicts(rows, levels=(20,)).iloc[0]["lift"] / 2)
    assert matched["verdict"] == "no lift"


@pytest.mark.parametrize("count", [2, 3, 4])
def test_few_models_have_the_same_interval(count):
    lifts = (1.4, 1.5, 1.6, 1.2)[:count]
    one = verdicts(table(panels(lifts)), levels=(20,)).iloc[0]
    low, high = np.exp(stats.ttest_1samp(np.log(lifts), 0).confidence_interval())
    assert (one["lift"], one["low"], one["high"]) == pytest.approx((stats.gmean(lifts), low, high))
    assert one["smallest"] == pytest.approx(one["high"] / one["lift"])
    assert np.isnan(one["at best"])


@pytest.mark.parametrize("count", [3, 5])
def test_half_an_error_is_added_where_a_model_found_none(count):
    lifts = (0.0, 1.0, 2.0, 1.0, 1.0)[:count]
    one = verdicts(table(panels(lifts)), levels=(20,)).iloc[0]
    assert one["lift"] == pytest.approx(stats.gmean([(6 * each + 0.5) / 6.5 for each in lifts]))


class TestGates:
    def test_models_that_miss_one_are_left_out(self):
        one = verdicts(
            table(panels((1.4, 1.5, 1.6, 1.5, 1.5, 9.0), notes=("", "", "", "", "", FEW))), levels=(20,)
        ).iloc[0]
        assert one["lift"] == pytest.approx(stats.gmean((1.4, 1.5, 1.6, 1.5, 1.5)))
        assert (one["models"], one["trained"]) == (5, 6)
        assert one["missed"] == "errors in the pool (1 of 6 models)"
        assert one["verdict"] == "lift"

    @pytest.mark.parametrize("passing", [0, 1])
    def test_where_all_but_one_miss_there_is_no_verdict_and_all_are_shown(self, passing):
        lifts, odd = (1.4, 1.5, 1.6, 1.5, 1.5), "model that stands out: 1, expected <= 0: missed"
        notes = [f"{FEW}; {odd}" if seed == 2 else FEW for seed in range(5)]
        notes[0] = "" if passing else FEW
        one = verdicts(table(panels(lifts, notes=notes)), levels=(20,)).iloc[0]
        assert one["verdict"] == NO_VERDICT
        assert one["lift"] == pytest.approx(stats.gmean(lifts))
        assert one["models"] == 5
        assert one["missed"] == f"errors in the pool ({5 - passing} of 5 models); model that stands out (1 of 5 models)"

    def test_without_a_model_that_stands_out_the_lift_is_said_too(self):
        lifts, odd = (1.4, 1.5, 9.0, 1.6, 1.5), "model that stands out: 1, expected <= 0: missed"
        one = verdicts(table(panels(lifts, notes=("", "", odd))), levels=(20,)).iloc[0]
        left = (1.4, 1.5, 1.6, 1.5)
        low, high = np.exp(stats.ttest_1samp(np.log(left), 0).confidence_interval())
        assert one["lift"] == pytest.approx(stats.gmean(lifts))
        assert one["verdict"] == NO_VERDICT
        assert one["missed"] == "model that stands out (1 of 5 models)"
        assert one["without"] == f"lift without them: {stats.gmean(left):.2f} ({low:.2f} to {high:.2f})"
        assert verdicts(table(panels(left)), levels=(20,)).iloc[0]["without"] == ""

    def test_panels_that_nobody_judged_have_no_verdict(self):
        rows = table(panels((1.4, 1.5, 1.6, 1.5, 1.5)))
        one = verdicts(rows[rows["metric"] != "gates"], levels=(20,)).iloc[0]
        assert one["verdict"] == NO_VERDICT
        assert one["missed"] == f"{NOT_JUDGED} (5 of 5 models)"

    @pytest.mark.parametrize("collapsed", [0, 1])
    def test_a_model_without_a_pool_is_missed_and_said(self, collapsed):
        """One of five names no image of the class surely enough, and so has accuracies and no panel."""
        rows = table(panels((1.4, 1.5, 1.6, 1.5, 1.55)))
        networks = rows[rows["metric"] == "gates"].assign(metric="accuracy", at="", value=0.7)
        rows = rows[rows["seed"] >= collapsed]
        one = verdicts(tidy.check(pd.concat([rows, networks])), levels=(20,)).iloc[0]
        assert (one["models"], one["trained"]) == (5 - collapsed, 5 - collapsed)
        assert one["missed"] == ("models with a pool: 4, expected >= 5" if collapsed else "")
        assert one["verdict"] == (NO_VERDICT if collapsed else "lift")

    def test_a_pool_too_small_for_so_many_queries_is_told_apart(self):
        rows = table(panels((1.4, 1.5, 1.6, 1.5, 1.55)))
        one = verdicts(rows[(rows["table"] == "panel") | (rows["seed"] != 2)], levels=(20,)).iloc[0]
        assert one["missed"] == "models with a lift at so many queries: 4, expected >= 5"
        assert one["verdict"] == NO_VERDICT

    def test_gates_that_a_pool_without_a_lift_misses_are_said(self):
        """Six models have a pool; that of one is too small for so many queries, and misses a gate for it."""
        note = "instances in the pool: 41, expected >= 300: missed"
        rows = table(panels((1.4, 1.5, 1.6, 1.5, 1.55, 1.45), notes=("", "", note, "", "", "")))
        one = verdicts(rows[(rows["table"] == "panel") | (rows["seed"] != 2)], levels=(20,)).iloc[0]
        assert one["missed"] == "instances in the pool (1 of 6 models)"
        assert (one["models"], one["trained"], one["verdict"]) == (5, 5, "lift")

    def test_what_was_not_measured_is_told_apart(self):
        note = "test-retest rank correlation of the residual: -, expected >= 0.6: not measured"
        one = verdicts(table(panels((1.4, 1.5), notes=(note, note))), levels=(20,)).iloc[0]
        told = "test-retest rank correlation of the residual, not measured (2 of 2 models)"
        assert one["missed"] == f"{told}; models with a pool: 2, expected >= 5"

    def test_they_are_those_that_the_experiment_writes(self):
        rows = table(panels((1.4, 1.5, 1.6)))
        pools = [
            {**row, "metric": metric, "value": value, "note": ""}
            for row in rows[rows["metric"] == "gates"].to_dict("records")
            for metric, value in {"pool": 400, "errors": 12, "attacked": 1, "start kind": 1, "certain": 0,
                                  "temperature limit": 0, "undefined": 0, "retest": 1}.items()
        ]  # fmt: skip
        networks = [
            {**row, "metric": metric, "value": 0.9, "at": ""}
            for row in pools if row["metric"] == "pool" for metric in ("accuracy", "temperature")
        ]  # fmt: skip
        single = tidy.check(pd.concat([rows[rows["metric"] != "gates"], tidy.table([*pools, *networks])]))
        judged = tidy.check(pd.concat([single, tidy.table(gated(single, "deepfool"))]))
        one = verdicts(judged, levels=(20,)).iloc[0]
        assert one["missed"] == "errors in the pool (3 of 3 models); models with a pool: 3, expected >= 5"


def test_one_model_has_a_lift_without_an_interval():
    one = verdicts(table(panels((1.4,))), levels=(20,)).iloc[0]
    assert one["lift"] == pytest.approx(1.4)
    assert np.isnan([one["low"], one["high"], one["smallest"]]).all()
    assert one["verdict"] == NO_VERDICT


def test_a_pool_without_errors_has_no_lift():
    rows = table(panels((1.4, 1.5, 1.6)))
    none = (rows["metric"] == "pool sdr") & (rows["seed"] == 2)
    one = verdicts(rows.assign(value=rows["value"].mask(none, 0.0)), levels=(20,)).iloc[0]
    assert (one["models"], one["trained"]) == (2, 2)
    assert one["lift"] == pytest.approx(np.sqrt(1.4 * 1.5))


def test_one_row_a_condition_class_and_level_in_the_order_of_mechanisms_and_doses():
    lifts = (1.0, 1.1)
    several = [
        panels(lifts, condition, at, level=level)
        for condition in ("overfit/125", "overfit/4000", "biased/25", "own/1", "biased/0")
        for at in ("dog", "cat")
        for level in (50, 20)
    ]
    rows = table(row for row in (row for one in several for row in one) if row["table"] == "searches")
    found = verdicts(rows.assign(value=1.0), metric="matched lift")
    assert list(found.columns) == list(COLUMNS)
    assert list(dict.fromkeys(found["condition"])) == ["biased/0", "biased/25", "overfit/4000", "overfit/125", "own/1"]
    assert found["at"].tolist()[:4] == ["cat", "cat", "dog", "dog"]
    assert found["level"].tolist()[:4] == [20, 50, 20, 50]
    assert len(found) == 20
    pd.testing.assert_frame_equal(found, verdicts(rows.iloc[::-1].assign(value=1.0), metric="matched lift"))


def test_means_over_models_are_not_counted_again():
    rows = table(panels((1.4, 1.5)))
    mean = rows[rows["seed"] == 0].assign(seed=np.nan, value=7.0)
    both = tidy.check(pd.concat([rows, mean]))
    pd.testing.assert_frame_equal(verdicts(both, levels=(20,)), verdicts(rows, levels=(20,)))


def test_it_says_what_the_rows_over_panels_say():
    """Of one condition and one class, random effects over panels have nothing to pool: the numbers are the same."""
    rows = table(panels((1.4, 1.5, 1.6, 1.5, 1.3)))
    one = verdicts(rows, levels=(20,)).iloc[0]
    over = {row["metric"]: row for row in overall(rows, Parameters(mechanisms=("biased_training",), doses=()))
            if row["condition"] == "biased"}  # fmt: skip
    assert (one["lift"], one["low"], one["high"]) == pytest.approx(
        tuple(over["lift"][name] for name in ("value", "low", "high"))
    )
    assert one["smallest"] == pytest.approx(over["detectable lift"]["value"])


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"method": "adversarial_distanze"}, "no search with rows of single models .* Did you mean 'adversarial_dist"),
        ({"levels": (20, 30)}, r"no rows of 'adversarial_distance' at 30 queries; there are \[20.0\]"),
        ({"metric": "lifts", "levels": (20,)}, "no metric of verdicts 'lifts'. Did you mean 'lift'"),
    ],
)
def test_what_is_not_there_is_said(asked, said):
    with pytest.raises(MistrustError, match=said):
        verdicts(table(panels((1.4, 1.5))), **asked)
