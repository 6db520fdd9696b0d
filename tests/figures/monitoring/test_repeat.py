"""Novelty sets with compressed signs, as picture, tables and words: changes are of the same run, monitor and set."""

import numpy as np
import pandas as pd
import pytest

from mistrust import rows as tidy
from mistrust.errors import NoRows
from mistrust.figures.monitoring import repeat, repeat_summary, repeat_table, repeat_words
from mistrust.figures.monitoring.repeat import changes
from mistrust.monitoring.experiment.compressed import ANEW, LOSSLESS, TESTED

SETS = (("gtsrb-thin", "novelty/BTSC"), ("gtsrb-thin", "novelty/CIFAR-10"), ("cifar10-jpeg", "novelty/GTSRB"))
# By monitor: AUROC as signs are, of the first of two runs; and what is added to it in each state.
AUROC = {"odin": 0.8, "knn": 0.7, "mdsa": 0.6}
ADDED = {TESTED: {"odin": -0.02, "knn": -0.01, "mdsa": 0.04}, ANEW: {"odin": 0.03, "knn": -0.05, "mdsa": 0.0}}
BETWEEN = 0.02  # runs


def one(data, condition, method, at, seed, metric="auroc", value=0.0):
    return {"table": "compressed", "data": data, "network": "farm-lenet", "condition": condition, "method": method,
            "at": at, "seed": seed, "metric": metric, "value": value, "n": 100}  # fmt: skip


@pytest.fixture
def rows():
    found = []
    for data, condition in SETS:
        for at in (LOSSLESS, TESTED, *([ANEW] if data == "gtsrb-thin" else [])):
            for method, value in AUROC.items():
                for seed in (0, 1):
                    held = value + ADDED.get(at, {}).get(method, 0.0) + BETWEEN * seed
                    found.append(one(data, condition, method, at, seed, "auroc", held))
                    found.append(one(data, condition, method, at, seed, "fpr95", 1 - held))
                    found.append(one(data, condition, method, at, seed, "fnr", 0.5))  # not of the repeat
    found.append(one("gtsrb-thin", "nominal", "network", ANEW, 0, "accuracy", 0.9))
    return tidy.table(found).sample(frac=1, random_state=0)  # in no order


def test_changes_are_between_means_over_the_same_runs(rows):
    found = changes(rows).set_index(["data", "condition", "method", "at", "metric"])
    assert len(found) == 2 * (2 * 3 * 2 + 3)
    line = found.loc[("gtsrb-thin", "novelty/CIFAR-10", "odin", ANEW, "auroc")]
    assert line[["runs", "before", "after"]].tolist() == pytest.approx([2, 0.81, 0.84])
    assert line["change"] == pytest.approx(0.03)
    assert line["scatter"] == pytest.approx(np.std([0.8, 0.82], ddof=1))
    # A run that lacks one of both counts in neither.
    partial = rows[~((rows["at"] == LOSSLESS) & (rows["seed"] == 1))]
    line = changes(partial).set_index(["data", "condition", "method", "at", "metric"]).loc[line.name]
    assert line[["runs", "before", "after"]].tolist() == pytest.approx([1, 0.8, 0.83])
    assert np.isnan(line["scatter"])


def test_words_count_what_rises_and_what_falls(rows):
    assert repeat_words(rows) == (
        "With signs as JPEG, AUROC changes by -0.010 (BTSC as novelty for GTSRB, thinned), -0.010 (CIFAR-10 as novelty "
        "for GTSRB, thinned) and -0.010 (GTSRB as novelty for CIFAR-10, JPEG). With all fitted anew on JPEG, AUROC "
        "changes by +0.000 (BTSC as novelty for GTSRB, thinned) and +0.000 (CIFAR-10 as novelty for GTSRB, thinned). "
        "These are medians over monitors of LeNet, with 2 runs each. Between networks, AUROC with signs as they are "
        "has a standard deviation of 0.014 (median over 9 combinations of monitor and set)."
    )


def test_one_run_says_nothing_of_the_scatter_between_networks(rows):
    assert "standard deviation" not in repeat_words(rows[rows["seed"] == 0])


def test_the_summary_counts_cases_of_both_metrics(rows):
    found = repeat_summary(rows)
    assert len(found) == 5
    line = found[(found["novelty"] == "GTSRB")].iloc[0].tolist()
    assert line == [
        "CIFAR-10, JPEG", "GTSRB", "signs as JPEG", "3", "-0.010 (-0.020 to +0.040)", "1",
        "+0.010 (-0.040 to +0.020)", "2",
    ]  # fmt: skip


def test_the_table_has_three_states_and_none_where_it_does_not_arise(rows):
    found = repeat_table(rows, ["odin", "knn"]).set_index(["nominal", "novelty", "monitor"])
    assert len(found) == 6
    signs = found.loc[("GTSRB, thinned", "CIFAR-10", "ODIN")].tolist()
    assert signs == ["LeNet", "0.810 / 0.190", "0.790 / 0.210", "0.840 / 0.160"]
    assert found.loc[("CIFAR-10, JPEG", "GTSRB", "ODIN")].tolist()[2:] == ["0.790 / 0.210", "–"]


@pytest.mark.whole
def test_the_picture_has_a_panel_for_each_state_that_was_run(rows):
    made = repeat(rows, caption="Signs.")
    assert made.caption == "Signs."
    assert "All fitted anew on JPEG, median change: +0.000 (BTSC" in made.alt
    part = repeat(rows[rows["at"] != ANEW])
    assert "anew" not in part.alt
    assert repeat(rows).svg == repeat(rows.sort_values("value")).svg
    assert made.svg != repeat(rows[rows["method"] != "mdsa"]).svg


def test_what_was_not_run_is_said():
    for nothing in (tidy.empty(), tidy.table([one("gtsrb-thin", "novelty/BTSC", "odin", LOSSLESS, 0)])):
        assert repeat_words(nothing) == "The repeat was not run."
        assert repeat_summary(nothing).empty
        assert repeat_table(nothing, ["odin"]).empty
        with pytest.raises(NoRows, match="sets of novelty with compressed signs"):
            repeat(nothing)


def test_means_that_stand_among_rows_are_no_run(rows):
    mean = rows[rows["seed"] == 0].assign(seed=float("nan"), value=0.1)
    pd.testing.assert_frame_equal(changes(pd.concat([rows, mean])), changes(rows))
