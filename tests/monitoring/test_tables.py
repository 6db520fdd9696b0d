"""Rows of the monitors' chapter, from a dozen images that were judged by hand."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest
import torch
from scipy import stats
from sklearn import metrics

from mistrust import rows as tidy
from mistrust.data import ImageSet
from mistrust.errors import MistrustWarning
from mistrust.inputs.faults import copied
from mistrust.monitoring.impact import SAFETY
from mistrust.monitoring.measures import MEASURES
from mistrust.monitoring.parts import NOMINAL, NOVELTY, OOD
from mistrust.monitoring.readouts import Readout
from mistrust.monitoring.tables.detection import Watcher, detection
from mistrust.monitoring.tables.nominal import accuracy, cases, control, nominal, table_five
from mistrust.monitoring.tables.ranks import TOGETHER, ranks
from mistrust.monitoring.tables.shown import shown
from mistrust.monitoring.tables.summary import summary
from mistrust.pictures import unpack

COMMON = {"condition": "noise/fog", "level": 2}
T, F = True, False
# Six nominal images, of which the last two are named wrongly; four faulty copies, of which one is classified
# correctly; two novelties.
KIND = [NOMINAL] * 6 + [OOD] * 4 + [NOVELTY] * 2
PREDICTED = [0, 1, 2, 0, 1, 2, 1, 2, 0, 0, 2, 1]
LABELS = [0, 1, 2, 0, 0, 1, 0, 1, 2, 0, -1, -1]
ALARM = [T, F, F, F, T, F, T, T, F, F, T, F]
# The copies are made of the first four, and the novelties are nothing's copy.
IDS = torch.cat([torch.arange(6), copied(torch.arange(4), 1), copied(torch.arange(90, 92), 1)])
SCORES = [0.9, 0.1, 0.2, 0.3, 0.8, 0.4, 0.7, 1.0, 0.4, 0.0, math.inf, 0.5]
# By hand, out of distribution being positive: TP 3, FP 2, FN 3, TN 4; a wrong prediction being so: 4, 1, 3, 4.
SPECIFIC = {
    "mcc": 6 / math.sqrt(5 * 6 * 6 * 7), "fpr": 2 / 6, "fnr": 3 / 6, "precision": 3 / 5, "recall": 3 / 6,
    "micro-f1": 7 / 12, "weighted-f1": (6 / 11 + 8 / 13) / 2,
}  # fmt: skip
OVERALL = {
    "mcc": 13 / 35, "fpr": 1 / 5, "fnr": 3 / 7, "safety-gain": 4 / 12, "residual-hazard": 3 / 12,
    "availability-cost": 1 / 12,
}  # fmt: skip
WRONG = [F, F, F, F, T, T, T, T, T, F, T, T]


@pytest.fixture(scope="module")
def whole():
    scores = {"oob": torch.tensor(SCORES, dtype=torch.float64)}
    shared = torch.zeros(12, dtype=torch.bool)
    return Readout(torch.tensor(PREDICTED), torch.tensor(LABELS), torch.tensor(KIND), shared, IDS, scores)


def watcher(name="oob", monitor="oob", alarm=ALARM):
    own = name in ("alooc", "oob", "odin")
    return Watcher(name, monitor, torch.tensor(alarm), own=own, paper=own or "/" in name)


def frame(rows):
    return tidy.table(rows, chapter="monitoring")


def values(found, **where):
    return tidy.select(found, **where).set_index("metric")["value"].to_dict()


def test_detection_and_failures_are_those_by_hand(whole):
    found = frame(detection(whole, [watcher()], COMMON, 20, 0))
    assert values(found, table="detection") == pytest.approx(
        {**SPECIFIC, "auroc": metrics.roc_auc_score(whole.ood.numpy(), np.array([*SCORES[:10], 9, SCORES[11]])),
         "fpr95": 1.0}
    )  # fmt: skip
    assert values(found, table="failures") == pytest.approx(
        {**OVERALL, "auroc": metrics.roc_auc_score(WRONG, [*SCORES[:10], 9, SCORES[11]])}
    )
    assert set(found["condition"]) == {"noise/fog"}
    assert set(found["level"]) == {2}


def test_the_hands_are_scikit_learns(whole):
    y = whole.ood.numpy()
    assert SPECIFIC["mcc"] == pytest.approx(metrics.matthews_corrcoef(y, ALARM))
    assert SPECIFIC["weighted-f1"] == pytest.approx(metrics.f1_score(y, ALARM, average="weighted"))
    assert SPECIFIC["micro-f1"] == pytest.approx(metrics.f1_score(y, ALARM, average="micro"))
    assert OVERALL["mcc"] == pytest.approx(metrics.matthews_corrcoef(WRONG, ALARM))
    assert whole.wrong().tolist() == WRONG


def test_intervals_are_exact_where_no_image_stands_twice(whole):
    found = frame(detection(whole, [watcher()], COMMON, 50, 0)).set_index(["table", "metric"])
    one = found.loc["detection", "fpr"]
    exact = stats.binomtest(2, 6).proportion_ci(method="exact")
    assert (one["low"], one["high"], one["n"], one["over"]) == (exact.low, exact.high, 6, "images")
    # Of what should be rejected a faulty copy and its nominal image are one draw: images 0 to 3 and their copies.
    assert found.loc["failures", "safety-gain"]["n"] == 12
    gain = stats.binomtest(4, 12).proportion_ci(method="exact")
    assert found.loc["failures", "safety-gain"]["low"] != gain.low
    assert found.loc["detection", "mcc"]["n"] == 12
    again = frame(detection(whole, [watcher()], COMMON, 50, 0))
    pd.testing.assert_frame_equal(found.reset_index()[again.columns], again)


def test_a_bootstrap_draws_an_image_with_its_copies():
    # Every image alarms as its copy does: half of what alarms is faulty in every resample, so the precision is 1/2.
    n = 40
    ids, said = torch.arange(n), torch.arange(n) % 3 == 0
    twice = Readout(
        torch.zeros(2 * n, dtype=torch.int64), torch.zeros(2 * n, dtype=torch.int64), (torch.arange(2 * n) >= n).long(),
        torch.zeros(2 * n, dtype=torch.bool), torch.cat([ids, copied(ids, 1)]), {},
    )  # fmt: skip
    one = Watcher("oob", "another", torch.cat([said, said]), own=True, paper=True)
    found = frame(detection(twice, [one], COMMON, 200, 1)).set_index(["table", "metric"])
    assert (found.loc["detection", "precision"][["value", "low", "high"]] == 0.5).all()
    assert (
        found.loc["failures", "availability-cost"]["low"] < 14 / 40 < found.loc["failures", "availability-cost"]["high"]
    )


def test_what_is_asked_of_whom(whole):
    lines = [watcher(), watcher("oob/published rule"), watcher("oob/as published", "oob/as published"), watcher("knn")]
    given = Readout(**{**vars(whole), "scores": dict.fromkeys(("oob", "oob/as published"), whole.scores["oob"])})
    found = frame(detection(given, lines, COMMON, 20, 0))
    asked = found.groupby(["table", "method"])["metric"].agg(set).to_dict()
    few = {"mcc", "residual-hazard", "availability-cost"}
    assert asked == {
        ("detection", "oob"): {*SPECIFIC, "auroc", "fpr95"},
        ("failures", "oob"): {*OVERALL, "auroc"},
        ("detection", "oob/published rule"): {"mcc", "fpr", "fnr", "weighted-f1"},  # scores are those of another line
        ("failures", "oob/published rule"): few,
        ("detection", "oob/as published"): {"mcc", "fpr", "fnr", "weighted-f1", "auroc"},
        ("failures", "oob/as published"): {*few, "auroc"},
        ("others", "knn"): {"mcc", "fnr"},
        ("failures", "knn"): few,
    }
    assert {*SPECIFIC, *OVERALL} <= {*MEASURES, *SAFETY}
    bounded = found[found["low"].notna()]
    assert set(bounded["method"]) == {"oob"}
    assert set(found[found["over"] == ""]["n"]) == {12}


def test_what_is_not_defined_has_no_row(whole):
    silent = frame(detection(whole, [watcher(alarm=[F] * 12)], COMMON, 20, 0))
    found = values(silent, table="detection")
    assert "precision" not in found
    assert (found["mcc"], found["fpr"], found["fnr"]) == (0, 0, 1)
    nothing = whole.of(~whole.ood)  # nothing to detect: no rate of misses, and no AUROC
    found = values(frame(detection(nothing, [watcher(alarm=ALARM[:6])], COMMON, 20, 0)), table="detection")
    assert {"fnr", "recall", "auroc", "fpr95"}.isdisjoint(found)
    assert found["fpr"] == 2 / 6


def test_each_of_the_ten_cases_is_counted_by_hand(whole):
    found = frame(cases(whole, [watcher()], COMMON))
    assert dict(zip(found["at"], found["value"], strict=True)) == {
        "1": 1, "2": 1, "3": 3, "4": 1, "5": 0, "6": 2, "7": 1, "8": 1, "9": 1, "10": 1,
    }  # fmt: skip
    assert set(found["n"]) == {12}


@pytest.mark.parametrize("case", range(1, 11))
def test_an_image_of_each_row_of_the_oracles_table(case):
    # Facts, section 8: image, alarm, class right.
    kind, alarm, right = [
        (NOMINAL, T, T), (NOMINAL, T, F), (NOMINAL, F, T), (NOMINAL, F, F), (OOD, T, T), (OOD, T, F), (OOD, F, T),
        (OOD, F, F), (NOVELTY, T, F), (NOVELTY, F, F),
    ][case - 1]  # fmt: skip
    label = -1 if kind == NOVELTY else int(right)
    one = Readout(*(torch.tensor([v]) for v in (1, label, kind, False, 5)), scores={})
    found = frame(cases(one, [watcher(alarm=[alarm])], COMMON)).set_index("at")["value"]
    assert found[str(case)] == 1
    assert found.sum() == 1


def test_the_classifier_and_its_system_on_nominal_images(whole):
    some = whole.of(~whole.ood)
    lines = [watcher(alarm=ALARM[:6]), watcher("knn", alarm=[F] * 6)]
    found = frame(nominal(some, lines, 3))
    by = found.set_index(["method", "metric"])
    exact = stats.binomtest(4, 6).proportion_ci(method="exact")
    assert by.loc[("network", "accuracy"), ["value", "low", "high", "n"]].tolist() == [4 / 6, exact.low, exact.high, 6]
    assert by.loc[("oob", "fpr"), "value"] == 2 / 6
    assert by.loc[("knn", "fpr"), "value"] == 0
    # The right answer to the last two is to reject them, class 3.
    should, answered = [0, 1, 2, 0, 3, 3], [3, 1, 2, 0, 3, 2]
    assert by.loc[("oob", "mcc"), "value"] == pytest.approx(metrics.matthews_corrcoef(should, answered))
    alone = metrics.matthews_corrcoef(should, PREDICTED[:6])
    assert by.loc[("network", "mcc"), "value"] == by.loc[("knn", "mcc"), "value"] == pytest.approx(alone)


def test_table_five_as_its_code_computes_it(whole):
    lines = [watcher("knn"), watcher(), watcher("oob/published rule", alarm=[F] * 12)]
    found = frame(table_five(whole, lines, 3, {"condition": "novelty/BTSC"})).set_index("method")
    assert set(found["metric"]) == {"mcc as published"}
    assert set(found.index) == {"network", "oob", "oob/published rule"}  # the paper's monitors alone
    assert found.loc["network", "value"] == pytest.approx(metrics.matthews_corrcoef(LABELS[:6], PREDICTED[:6]))
    assert found.loc["oob", "value"] == pytest.approx(metrics.matthews_corrcoef(WRONG, ALARM))
    assert found.loc["oob/published rule", "value"] == 0


def test_alarms_on_controls_and_accuracy_under_a_fault(whole):
    found = frame(control("traffic signs as JPEG", whole, [watcher()]))
    assert found[["condition", "metric", "value", "n"]].to_numpy().tolist() == [
        ["traffic signs as JPEG", "alarms", 5 / 12, 12]
    ]
    bad = whole.of(whole.ood)
    found = frame(accuracy(bad, COMMON))
    assert found[["method", "value", "n"]].to_numpy().tolist() == [["network", 1 / 4, 4]]  # novelties have no label
    assert list(accuracy(whole.of(whole.kind == NOVELTY), COMMON)) == []


# Ranks.

MCC = [(0.5, 0.2, 0.1), (0.4, 0.4, 0.0), (0.3, 0.1, 0.2), (0.6, 0.5, 0.5)]
THREE = ("alooc", "oob", "odin")
SETS = [("noise/a", 2), ("noise/a", 5), ("shift/b", 2), ("novelty/c", None)]


def single(table=MCC, names=THREE, sets=SETS, data="digits", metric="mcc"):
    return tidy.table(
        {"table": "detection", "chapter": "monitoring", "data": data, "network": "lenet", "method": name,
         "condition": condition, "level": "" if level is None else level, "metric": metric, "value": value}
        for (condition, level), row in zip(sets, table, strict=True) for name, value in zip(names, row, strict=True)
    )  # fmt: skip


def test_friedman_nemenyi_and_iman_davenport_of_the_known_example():
    # Facts, section 12: computed with ties; the last column by Demšar's formulas.
    found = frame(ranks(single(), {"three": ("mcc", THREE)}, 0))
    by = found[found["metric"] == "rank"].set_index("method")
    assert by["value"].to_dict() == {"alooc": 1.125, "oob": 2.25, "odin": 2.625}
    assert set(by["n"]) == {4}
    test = found[found["method"] == ""].set_index("metric")["value"]
    assert test["chi-squared"] == pytest.approx(5.571429, abs=1e-6)
    assert test["p"] == pytest.approx(0.061685, abs=1e-6)
    assert test["f"] == pytest.approx(6.882353, abs=1e-6)
    assert test["f p"] == pytest.approx(0.027976, abs=1e-6)
    assert test["critical difference"] == pytest.approx(1.657247, abs=1e-4)
    assert set(zip(found["data"], found["network"], found["condition"], strict=True)) == {("digits", "lenet", "three")}
    apart = found[found["metric"] == "rank difference"].set_index("at")
    assert apart["value"].to_dict() == {"alooc - oob": -1.125, "alooc - odin": -1.5, "oob - odin": -0.375}
    assert set(apart["n"]) == {3}  # both severities of a are one fault
    assert ((apart["low"] <= apart["value"]) & (apart["value"] <= apart["high"])).all()


def test_ranks_do_not_hang_on_the_order_of_monitors_and_sets():
    groups = {"three": ("mcc", THREE)}
    mixed = single().sample(frac=1, random_state=3)
    first, second = (frame(ranks(one, groups, 0)) for one in (single(), mixed))
    pd.testing.assert_frame_equal(first, second)


def test_two_image_sets_are_ranked_alone_and_together():
    both = pd.concat([single(), single([row[::-1] for row in MCC], data="photos")])
    found = frame(ranks(both, {"three": ("mcc", THREE)}, 0))
    by = found[found["metric"] == "rank"].set_index(["data", "method"])["value"]
    assert by[TOGETHER].to_dict() == {"alooc": 1.875, "oob": 2.25, "odin": 1.875}
    assert by["photos"].to_dict() == {"alooc": 2.625, "oob": 2.25, "odin": 1.125}
    assert set(found[found["data"] == TOGETHER]["n"]) == {8, 3}  # sets; faults, which both share


def test_a_set_that_lacks_a_monitor_is_left_out_with_a_warning():
    """Facts 12: a set with nan is left out of ranks with a warning."""
    whole = single()
    some = whole[~((whole["condition"] == "novelty/c") & (whole["method"] == "odin"))]
    with pytest.warns(MistrustWarning, match="1 of 4 data sets hold NaN and are left out of the ranks"):
        found = frame(ranks(some, {"three": ("mcc", THREE)}, 0))
    assert set(found[found["metric"] == "rank"]["n"]) == {3}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        left = frame(ranks(whole[whole["condition"] != "novelty/c"], {"three": ("mcc", THREE)}, 0))
    pd.testing.assert_frame_equal(found, left)  # as if the set were not there


def test_what_cannot_be_ranked_gives_no_row():
    alone = single()
    assert list(ranks(alone[alone["method"] == "oob"], {"three": ("mcc", THREE)}, 0)) == []
    assert list(ranks(alone[alone["condition"] == "shift/b"], {"three": ("mcc", THREE)}, 0)) == []
    assert list(ranks(alone, {"three": ("auroc", THREE)}, 0)) == []
    one = frame(ranks(alone[alone["condition"] == "noise/a"], {"three": ("mcc", THREE)}, 0))
    assert "rank difference" not in set(one["metric"])  # of one fault there is no interval over faults


def test_more_than_three_are_not_compared_two_by_two():
    table = [(*row, 0.9) for row in MCC]
    found = frame(ranks(single(table, (*THREE, "knn")), {"all": ("mcc", (*THREE, "knn"))}, 0))
    assert set(found["metric"]) == {"rank", "critical difference", "chi-squared", "p", "f", "f p"}
    assert found.set_index(["metric", "method"]).loc[("rank", "knn"), "value"] == 1


# Summaries and pictures.


def test_means_over_categories_and_over_all_count_a_set_once():
    def row(table, condition, level, value, metric="mcc"):
        return {
            "table": table,
            "condition": condition,
            "level": level,
            "method": "oob",
            "metric": metric,
            "value": value,
        }

    found = frame(summary([
        row("detection", "noise/a", 2, 0.1), row("detection", "noise/a", 5, 0.3), row("detection", "noise/b", 2, 0.5),
        row("detection", "shift/c", 2, 0.9), row("failures", "shift/c", 2, -0.5),
        row("failures", "shift/c", 2, 0.25, "safety-gain"), row("detection", "shift/c", 2, 0.5, "precision"),
        row("cases", "shift/c", 2, 7.0),
    ]))  # fmt: skip
    by = found.set_index(["condition", "at", "metric"])
    assert by["value"].to_dict() == pytest.approx({
        ("noise/mean", "ood", "mcc"): 0.3, ("shift/mean", "ood", "mcc"): 0.9, ("shift/mean", "failures", "mcc"): -0.5,
        ("shift/mean", "failures", "safety-gain"): 0.25, ("all sets/mean", "ood", "mcc"): 0.45,
        ("all sets/mean", "failures", "mcc"): -0.5, ("all sets/mean", "failures", "safety-gain"): 0.25,
    })  # fmt: skip
    assert by.loc[("all sets/mean", "ood", "mcc"), "n"] == 4
    assert list(summary([])) == []


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("floats", [False, True])
def test_pictures_are_the_images_and_novelties_have_no_label(channels, floats):
    pixels = torch.arange(2 * channels * 16, dtype=torch.uint8).view(2, channels, 4, 4) * 2
    given = pixels.to(torch.float32) / 255 if floats else pixels
    images = ImageSet("some", given, torch.tensor([0, 2]), torch.arange(2), ("a", "b", "c"))
    found = frame(shown(images, torch.tensor([-1, 2]), COMMON))
    assert found["at"].tolist() == ["0", "1"]
    assert found["value"].tolist() == [-1, 2]
    for note, one in zip(found["note"], pixels, strict=True):
        assert np.array_equal(np.asarray(unpack(note)).reshape(4, 4, channels), one.permute(1, 2, 0).numpy())
