"""The experiment: every table has rows, each what it should be of; pieces depend on what they read; bad parameters."""

from dataclasses import replace
from importlib import import_module

import pandas as pd
import pytest
import torch

from mistrust import store
from mistrust.comparison import experiment
from mistrust.comparison.exercises import beside
from mistrust.comparison.experiment import (
    Parameters,
    check,
    missing,
    piece,
    pieces,
    preparing,
    readouts,
    rows,
)
from mistrust.comparison.experiment.subjects import Subject
from mistrust.comparison.scorers import SCORERS, Reading, Scored
from mistrust.errors import MistrustError, MistrustWarning, UnknownName

pytestmark = pytest.mark.whole

TINY = {
    "data": ("digits",), "architectures": ("ambiguess-fc-relu",), "trained_on": 400, "network_epochs": 4,
    "members": 2, "samples": 4,
    "scorers": ("max_softmax", "ensemble_mean_softmax", "mdsa", "mlm_distance", "boundary_distance"),
    "troubles": ("invalid", "shift"), "images": 60, "searched": 20, "noise_seeds": 1, "per_class": 1, "resamples": 20,
}  # fmt: skip
MAIN, MEMBERS = "digits: ambiguess-fc-relu 0", "digits: further networks"


@pytest.fixture(scope="module")
def parameters():
    return Parameters.of(TINY)


@pytest.fixture(scope="module")
def kept(run_once, parameters):
    return run_once(rows, parameters)


def test_every_scorer_meets_every_kind_and_those_that_search_say_how_few(kept):
    found = kept.rows
    assert set(found["table"]) == {"detection", "wrong", "agreement", "cells", "cost", "members", "inputs"}
    auroc = found[(found["table"] == "detection") & (found["metric"] == "auroc") & found["seed"].isna()]
    table = auroc.pivot(index="method", columns="condition", values="n")
    assert set(table.index) == set(TINY["scorers"])
    assert set(table.columns) == set(TINY["troubles"])
    assert (table.loc["boundary_distance"] == 20).all()
    assert (table.drop(index="boundary_distance") == 60).all(axis=None)
    assert auroc["value"].between(0, 1).all()
    assert (auroc["low"] <= auroc["high"]).all()


def test_only_inputs_with_a_right_answer_are_asked_whether_it_was_given(kept):
    wrong = kept.rows[kept.rows["table"] == "wrong"]
    assert set(wrong["condition"]) == {"nominal", "shift", "together"}


def test_pictures_are_of_one_classifier_and_have_no_mean(kept):
    shown = kept.rows[kept.rows["table"] == "inputs"]
    assert shown["seed"].notna().all()
    assert set(shown["condition"]) == {"nominal", "invalid", "shift"}


def test_limits_and_tests_share_no_image(parameters):
    one = Subject(parameters, "digits", 0)
    assert not set(one.held.ids.tolist()) & set(one.test.ids.tolist())
    other = Subject(parameters, "digits", 1)
    assert set(one.held.ids.tolist()) != set(other.held.ids.tolist())


def test_a_run_holds_every_row_of_each_piece_so_that_files_can_bring_it_back(kept, parameters, reread, lost):
    reread(kept)
    assert lost(experiment, parameters, kept.rows) == []


def test_pieces_come_from_the_store_and_depend_on_what_they_read(kept, parameters, reread):
    reread(kept)
    assert pieces(parameters) == [MEMBERS, MAIN]
    assert preparing(parameters) == [MEMBERS]
    assert missing(parameters, MAIN) == []
    pd.testing.assert_frame_equal(piece(parameters, MAIN), piece(parameters, MAIN))
    assert missing(replace(parameters, false_alarms=0.1), MAIN)
    assert missing(replace(parameters, false_alarms=0.1), MEMBERS) == []
    assert missing(replace(parameters, members=3), MEMBERS)
    assert pieces(replace(parameters, scorers=("max_softmax",))) == [MAIN]  # no ensemble, no further networks


def test_aloocs_that_learn_for_long_are_prepared_as_the_classifiers_piece_asks_for_them(tmp_path, monkeypatch):
    monkeypatch.setenv("MISTRUST_STORE", str(tmp_path))
    few = {**TINY, "scorers": ("max_softmax", "alooc"), "trained_on": 100, "network_epochs": 1, "runs": 2}
    assert preparing(Parameters.of({**few, "alooc_epochs": 50})) == []
    long = Parameters.of({**few, "alooc_epochs": 51})
    assert pieces(long)[:3] == ["digits: alooc 0", "digits: alooc 1", MAIN]
    assert preparing(long) == pieces(long)[:2]
    assert preparing(replace(long, scorers=("max_softmax",))) == []
    monkeypatch.setattr(import_module("mistrust.comparison.experiment.pieces"), "LONG", 0)
    short = Parameters.of({**few, "alooc_epochs": 1})
    found = piece(short, "digits: alooc 1")
    assert found[["table", "method", "seed", "n"]].to_numpy().tolist() == [["members", "alooc", 1, 10]]
    assert 0 < found["value"].item() < 1.5
    trained = [entry.key for entry in store.entries() if entry.kind == "alooc"]
    assert len(trained) == 2  # groups of five classes each
    SCORERS["alooc"].make(Subject(short, "digits", 1).watched)
    assert [entry.key for entry in store.entries() if entry.kind == "alooc"] == trained
    assert missing(replace(short, resamples=30), "digits: alooc 1") == []
    assert missing(replace(short, alooc_epochs=2), "digits: alooc 1")


def test_a_scorer_of_ones_own_stands_beside_max_softmax(kept, parameters, copied):
    copied(kept)
    table = beside(lambda record: 1 - record.probabilities.max(1).values, parameters)
    assert table["trouble"].tolist() == ["Invalid", "Shift"]
    assert table["yours, bad"].tolist() == table["Max Softmax, bad"].tolist()
    assert table["yours, wrong"].isna().tolist()[0]  # an invalid input has no right answer


def test_a_class_that_is_never_classified_correctly_is_left_out_and_that_is_said():
    """A network that has hardly learnt anything: the rows of pairs of classes are of the others."""
    hasty = {
        **TINY, "trained_on": 100, "network_epochs": 1, "scorers": ("mlm_distance",), "troubles": ("shift",),
        "per_class": 20,
    }  # fmt: skip
    with pytest.warns(MistrustWarning) as heard:
        found = piece(Parameters.of(hasty), MAIN)
    scorer, pairs = (str(one.message) for one in heard)
    assert scorer.startswith("No nominal image of class 2, 4, ")
    assert pairs.startswith("digits 0: pairs are compared without 2, 4, ")
    notes = found.groupby("table")["note"].first()
    assert notes["cells"].startswith("without 2, 4, ")
    assert notes["wrong"] == ""
    held = found[(found["table"] == "detection") & (found["method"] == "mlm_distance")]
    assert held["value"].notna().all()


def test_a_search_of_more_images_than_are_scored_at_once_goes_on_in_the_next_block(monkeypatch):
    monkeypatch.setattr(readouts, "SCORED", 25)
    subject = Subject(replace(Parameters.of(TINY), scorers=("max_softmax",), searched=40), "digits", 0)
    asked = []

    def scores(record):
        asked.append(record.ids)
        return Scored(record.ids.double(), torch.ones(len(record)).double())

    images = subject.test
    found = readouts.Readings(subject, {name: Reading(scores) for name in ("boundary_distance", "max_softmax")})
    columns = found.scored(images)
    assert columns["boundary_distance"].tolist() == images.ids[:40].tolist()
    assert columns["max_softmax"].tolist() == images.ids.tolist()
    assert [len(ids) for ids in asked] == [25, 25, 15, 25, 10]


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"architectures": ("ambiguess-fc", "mlm-cnn")}, MistrustError, "There are 2 architectures for 1 image sets"),
        ({"data": ()}, MistrustError, "There are 1 architectures for 0 image sets"),
        ({"architectures": ("mlm-cnn",)}, MistrustError, "does not say which layer is its last hidden one"),
        ({"scorers": ("max_sofmax",)}, UnknownName, r"no scorer 'max_sofmax'\. Did you mean 'max_softmax'"),
        ({"troubles": ("shifts",)}, UnknownName, r"no kind of bad input 'shifts'\. Did you mean 'shift'"),
        ({"searched": 5}, MistrustError, "'searched' is 5, expected"),
    ],
)
def test_bad_parameters_are_refused_with_the_way_out(wrong, error, message):
    with pytest.raises(error, match=message):
        Parameters.of({**TINY, **wrong})


def test_a_pair_that_a_set_lacks_is_refused_before_anything_runs():
    with pytest.raises(MistrustError, match="Dress"):
        check(Parameters.of({**TINY, "pairs": ("Dress/Coat",)}))


@pytest.mark.parametrize(
    ("name", "most", "way_out"),
    [
        ("trained_on", 1297, "train images. Ask for fewer, or 0 for all"),
        ("images", 500, "test images. Ask for fewer, or 0 for all"),
        ("attacked", 500, "test images. Ask for fewer, or 0 for all"),
        ("searched", 500, "test images. Ask for fewer, or take a larger set"),
    ],
)
def test_more_images_than_there_are_are_refused_before_anything_runs(name, most, way_out):
    with pytest.raises(MistrustError, match=f"Parameter '{name}' is {most + 1}, but 'digits' has {most} {way_out}"):
        check(Parameters.of({**TINY, name: most + 1}))
    check(Parameters.of({**TINY, name: most}))


def test_too_few_searched_images_to_set_a_rare_limit_are_refused_before_anything_runs():
    rare = {**TINY, "false_alarms": 0.01, "scorers": ("max_softmax", "breaking_noise", "boundary_distance")}
    message = r"searched is \d+: .*\(breaking_noise, boundary_distance\) need 99 of them\. Set searched=99, raise"
    with pytest.raises(MistrustError, match=message):
        check(Parameters.of(rare))
    check(Parameters.of({**rare, "searched": 99}))
    check(Parameters.of({**rare, "scorers": ("max_softmax",)}))
