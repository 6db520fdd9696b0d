"""What the paper tried: pieces of their own, in which the settings that it calls best are as in the other pieces."""

import re
import shutil
from dataclasses import replace

import pandas as pd
import pytest

from mistrust import store
from mistrust.monitoring.experiment import Parameters, piece, pieces
from mistrust.monitoring.experiment.methods import PROJECTION, best_boxes
from mistrust.monitoring.experiment.over_runs import of_pieces
from mistrust.monitoring.experiment.parameters import CHAPTER
from mistrust.monitoring.experiment.system import System
from mistrust.monitoring.experiment.tried import READ, TABLE, TRIALS, spec, tried
from mistrust.parts import measured
from mistrust.publishing import profiles
from mistrust.publishing.chapters import CHAPTERS
from mistrust.publishing.published import published

pytestmark = pytest.mark.whole

OWN = {"boxes": "oob/as published", "optimisers": "alooc/as published"}
BOX = re.compile(r"oob/as published, (\w+), (\w+) clusters, gamma ([\d.]+)")


@pytest.fixture(scope="module")
def judged(kept, parameters, tmp_path_factory):
    """Rows of both trials of the tiny run's first classifier, which lies in the store that is copied."""
    one = System(parameters, "digits", "farm-lenet", 0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MISTRUST_STORE", str(shutil.copytree(kept.store, tmp_path_factory.mktemp("tried") / "copy")))
        patch.setenv("MISTRUST_PROGRESS", "0")
        return {what: measured(tried(one, what)) for what in TRIALS}


def names(data, what):
    one = System(Parameters(data=(data,)), data, "farm-lenet", 0)
    return [line.name for line, _ in TRIALS[what].settings(one)]


def test_the_full_profile_has_two_trials_of_each_network_of_the_paper_behind_what_others_read():
    full = pieces(profiles.profile(CHAPTERS[CHAPTER], "full"))
    assert full[:8] == [
        "gtsrb-thin: farm-lenet 0", "cifar10-jpeg: farm-lenet 0", "gtsrb-thin: farm-lenet 1",
        "cifar10-jpeg: farm-lenet 1", "gtsrb-thin: farm-lenet 2", "cifar10-jpeg: farm-lenet 2",
        "gtsrb-thin: resnet20 0", "cifar10-jpeg: resnet20 0",
    ]  # fmt: skip
    assert full[8:-8] == [
        f"{data}: {what}, farm-lenet {run}"
        for what in ("boxes", "optimisers")
        for run in range(3)
        for data in ("gtsrb-thin", "cifar10-jpeg")
    ]


def test_sets_of_ones_own_have_no_trials():
    for profile in ("smoke", "quick"):
        assert not any("boxes" in name for name in pieces(profiles.profile(CHAPTERS[CHAPTER], profile)))


def test_all_settings_of_table_one_are_tried_and_no_other():
    """The paper names them once for both sets; 5 and 17 clusters are of one each (section IV-C)."""
    table = published(CHAPTER).query("table == 'table1'").groupby(["method", "metric"])["at"].agg(set)
    found = {data: names(data, "boxes") for data in ("gtsrb", "cifar10")}
    for data, clusters in (("gtsrb", "17"), ("cifar10", "5")):
        assert len(found[data]) == len(set(found[data])) == 27
        assert {BOX.fullmatch(one)[2] for one in found[data] if one != OWN["boxes"]} == {"no", "3", clusters}
    parts = [BOX.fullmatch(one).groups() for each in found.values() for one in each if one != OWN["boxes"]]
    kinds, many, gammas = (set(column) for column in zip(*parts, strict=True))
    assert kinds == table["oob", "dimensionality reduction"]
    assert {"0" if one == "no" else one for one in many} == table["oob", "number of clusters"]
    assert gammas == table["oob", "gamma"]
    assert names("gtsrb", "optimisers") == ["alooc/as published", "alooc/as published, RMSProp"]
    assert {"ADAM", "RMSProp"} == table["alooc", "optimizer"]


@pytest.mark.parametrize(
    ("data", "own"), [("gtsrb", "ISOMAP, 3 clusters, gamma 0.1"), ("cifar10", "ISOMAP, 5 clusters, gamma 0.35")]
)
def test_the_settings_that_the_paper_calls_best_have_the_monitors_usual_name(data, own):
    assert OWN["boxes"] in names(data, "boxes")
    assert f"{OWN['boxes']}, {own}" not in names(data, "boxes")
    (clusters, gamma), one = best_boxes(data), System(Parameters(data=(data,)), data, "farm-lenet", 0)
    monitor = next(monitor for line, monitor in TRIALS["boxes"].settings(one) if line.name == OWN["boxes"])
    assert monitor.parameters() | {"clusters": clusters, "projection": PROJECTION} == monitor.parameters()
    limit = next(line.threshold for line, _ in TRIALS["boxes"].settings(one) if line.name == OWN["boxes"])
    assert limit.value == gamma


@pytest.mark.parametrize("what", TRIALS)
def test_a_trial_says_of_the_best_settings_what_the_classifiers_own_piece_says(run, judged, what):
    nominal = run[(run["table"] == "nominal") & (run["seed"] == 0) & (run["method"] == OWN[what])]
    found = judged[what].query("method == @OWN[@what]").set_index("metric")
    assert set(found.index) == {"mcc", "fpr"}
    for metric, value in nominal.set_index("metric")["value"].loc[["mcc", "fpr"]].items():
        assert found.loc[metric, "value"] == pytest.approx(value, abs=1e-12)
    assert set(judged[what]["table"]) == {TABLE}
    assert "network" not in set(judged[what]["method"])


def test_larger_boxes_never_alarm_more_often_and_settings_differ(judged):
    rates = (
        judged["boxes"]
        .query("metric == 'fpr'")
        .set_index("method")["value"]
        .rename({OWN["boxes"]: f"{OWN['boxes']}, ISOMAP, 3 clusters, gamma 0.1"})
    )
    for kind in ("simple", "PCA", "ISOMAP"):
        for many in ("no", "3", "17"):
            three = [rates[f"{OWN['boxes']}, {kind}, {many} clusters, gamma {gamma}"] for gamma in ("0", "0.1", "0.35")]
            assert three == sorted(three, reverse=True)
    assert rates.nunique() > 5
    assert judged["optimisers"].query("metric == 'fpr'")["value"].nunique() == 2


def test_a_trial_trains_no_member_of_an_ensemble(copied, kept, parameters):
    copied(kept)
    before = [entry.kind for entry in store.entries()].count("network")
    list(tried(System(replace(parameters, supervisors=()), "digits", "farm-lenet", 0), "boxes"))
    assert [entry.kind for entry in store.entries()].count("network") == before


def test_a_trial_is_made_anew_for_what_it_reads_alone(parameters):
    one = System(parameters, "digits", "farm-lenet", 0)
    other = {
        "left_out": ("7",), "network_epochs": 1, "trained_on": 400, "images": 150, "calibration": 0.5, "seed": 1,
        "alooc_epochs": 2, "vae_epochs": 2, "shown": 3, "samples": 5, "supervisors": ("energy",), "faults": ("fog",),
    }  # fmt: skip
    for what, trial in TRIALS.items():
        changed = {
            name for name, value in other.items()
            if spec(replace(one, parameters=replace(parameters, **{name: value})), what) != spec(one, what)
        }  # fmt: skip
        assert changed == {*READ, *trial.reads}


def test_rows_of_a_whole_run_keep_trials_by_run_and_make_no_means_of_them(run, judged, parameters):
    single = pd.concat([piece(parameters, name) for name in pieces(parameters)])
    common = {"chapter": CHAPTER, "data": "digits", "network": "farm-lenet", "seed": 0.0, "made": "f3"}
    trials = pd.concat([one.assign(**common) for one in judged.values()])
    found = of_pieces(pd.concat([single, trials], ignore_index=True), parameters)
    assert len(found) == len(run) + len(trials)
    assert (found[found["table"] == TABLE]["made"] == "f3").all()
