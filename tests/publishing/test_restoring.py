"""Accepted rows go back into the store: whole, with their time, and only where a piece of today has their key."""

import re
import shutil

import pandas as pd
import pytest
from tiny_project import EXPERIMENT, Project

from mistrust import paths, store
from mistrust import rows as tidy
from mistrust.errors import MistrustError
from mistrust.publishing import acceptance, results
from mistrust.publishing.chapters import CHAPTERS
from mistrust.publishing.restoring import able, restore

# In the place of the tiny experiment's `piece`: of two parts each, which the store keeps.
START, END = EXPERIMENT.index("def missing("), EXPERIMENT.index("def rows(")
KEPT = """
from mistrust.store import Maker, key, made, why
ROWS = Maker("tiny-rows", 4, "table")

def made_from(parameters, name):
    found = {"seed": int(name.split()[1]), "levels": list(parameters.levels)}
    return [(ROWS, {**found, "part": "accuracy"}), (ROWS, {**found, "part": "loss", "rate": parameters.rate})]

def missing(parameters, name):
    return [reason for maker, spec in made_from(parameters, name) for reason in why(maker, spec)]

def piece(parameters, name):
    frames = []
    for maker, spec in made_from(parameters, name):
        def make(_, spec=spec):
            same = dict(table=spec["part"], metric=spec["part"], seed=spec["seed"])
            return tidy.table(dict(level=at, value=1 / (3 + spec["seed"] + at), **same) for at in parameters.levels)
        frames.append(made(maker, spec, make).assign(made=key(maker, spec), chapter="tiny"))
    return pd.concat(frames, ignore_index=True)

"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A whole run, accepted; its store is gone."""
    monkeypatch.setenv("MISTRUST_STORE", str(tmp_path / "store"))
    one = Project(tmp_path / "project", monkeypatch)
    one.experiment(EXPERIMENT[START:END], KEPT.lstrip("\n"))
    one.run()
    one.took = {key: store.seconds(key) for key in results.this_run("tiny")["made"].unique() if key}
    results.accept("tiny")
    shutil.rmtree(paths.store())
    return one


@pytest.mark.whole
def test_a_run_of_restored_parts_makes_nothing_and_is_the_accepted_one(project):
    said, module = [], project.chapter.module()
    assert restore("tiny", say=said.append) == 10
    assert said == ["tiny (full): 10 parts put into the store, 0 were there; 0 more have no accepted rows"]
    parameters = project.parameters()
    assert [module.missing(parameters, name) for name in module.pieces(parameters)] == [[]] * 5
    accepted = results.accepted("tiny")
    for name in module.pieces(parameters):
        again = tidy.ordered(module.piece(parameters, name).assign(profile="full")).reset_index(drop=True)
        ours = tidy.ordered(accepted[accepted["made"].isin(again["made"])]).reset_index(drop=True)
        assert len(ours) == 6
        pd.testing.assert_frame_equal(again, ours, check_dtype=False)
    before = project.kept()
    project.run()
    results.accept("tiny")
    assert {name: text for name, text in project.kept().items() if name.endswith("csv")} == {
        name: text for name, text in before.items() if name.endswith("csv")
    }


@pytest.mark.whole
def test_what_a_part_took_is_not_forgotten(project):
    restore("tiny")
    assert None not in project.took.values()
    assert {key: store.seconds(key) for key in project.took} == project.took


@pytest.mark.whole
def test_what_is_in_the_store_stays_and_what_was_altered_is_put_there_again(project):
    restore("tiny")
    one, *others = sorted(paths.store().glob("tiny-rows/[!.]*"))
    card = one / "entry.json"
    card.write_text(card.read_text().replace("accuracy", "accuracies"))
    before = {path: path.stat().st_mtime_ns for other in others for path in other.iterdir()}
    said = []
    assert restore("tiny", say=said.append) == 1
    assert said == ["tiny (full): 1 part put into the store, 9 were there; 0 more have no accepted rows"]
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_rows_by_other_parameters_do_not_come_back(project):
    """Only the loss reads the rate: the accuracy is what it was."""
    project.profiles("networks = 5", "networks = 6\nrate = 2.0")
    said, module, parameters = [], project.chapter.module(), project.parameters()
    assert restore("tiny", say=said.append) == 5
    assert said == ["tiny (full): 5 parts put into the store, 0 were there; 7 more have no accepted rows"]
    lacking = {
        name: [spec["part"] for maker, spec in module.made_from(parameters, name) if store.why(maker, spec)]
        for name in module.pieces(parameters)
    }
    assert lacking == {**{f"network {number}": ["loss"] for number in range(5)}, "network 5": ["accuracy", "loss"]}


@pytest.mark.whole
def test_a_part_that_gave_no_rows_comes_back_as_such(project):
    """Made anew on another machine it might give some: of a network that is not the one of the other parts."""
    there = 'for at in parameters.levels if (spec["seed"], spec["part"]) != (3, "loss"))'
    none = KEPT.replace("for at in parameters.levels)", there)
    project.experiment(EXPERIMENT[START:END], none.lstrip("\n"))
    project.run()
    results.accept("tiny")
    shutil.rmtree(paths.store())
    said, module, parameters = [], project.chapter.module(), project.parameters()
    assert restore("tiny", say=said.append) == 10
    assert said == ["tiny (full): 10 parts put into the store, 0 were there; 0 more have no accepted rows"]
    assert [module.missing(parameters, name) for name in module.pieces(parameters)] == [[]] * 5
    assert set(module.piece(parameters, "network 3")["table"]) == {"accuracy"}
    results.accept("tiny", pieces=["network 0"])  # what is known of the others stays
    shutil.rmtree(paths.store())
    assert restore("tiny") == 10


@pytest.mark.whole
def test_a_new_piece_joins_where_a_profile_leaves_what_was_accepted_as_it_was(project):
    before = results.accepted("tiny")
    project.profiles("networks = 5", "networks = 6")
    results.accept("tiny", pieces=["network 5"])
    after, about = results.accepted("tiny"), acceptance.about_accepted(project.chapter, "full")
    pd.testing.assert_frame_equal(after[after["seed"] != 5].reset_index(drop=True), before.reset_index(drop=True))
    assert (after["seed"] == 5).sum() == 6
    assert set(about["versions"]) == {"whole run", "network 5"}
    assert about["parameters"]["networks"] == 6
    kept = project.kept()
    project.profiles("networks = 5", "networks = 7\nrate = 2.0")  # the loss of all reads the rate
    with pytest.raises(MistrustError, match=r"network 6 cannot join them: networks: 6, the profile .* rate: 1\.0, the"):
        results.accept("tiny", pieces=["network 6"])
    project.profiles("networks = 5", "networks = 4")  # fewer than were accepted
    with pytest.raises(MistrustError, match="network 3 cannot join them: networks: 6"):
        results.accept("tiny", pieces=["network 3"])
    assert project.kept() == kept


def test_without_accepted_rows_or_with_too_few_it_says_what_to_do(project):
    with pytest.raises(MistrustError, match=r"No rows of 'tiny' were accepted in the profile `quick`"):
        restore("tiny", "quick")
    del project.chapter.module().made_from
    with pytest.raises(MistrustError, match=r"cannot go back .* `mistrust make tiny --profile full` makes them anew"):
        restore("tiny")


def test_the_page_names_the_chapters_whose_rows_can_go_back():
    text = (paths.root() / "book" / "reproduce.md").read_text()
    found = re.search(r"`mistrust rows restore (\w+)` puts our rows.*The same works for ([^.]*)\.", text)
    assert found is not None
    assert {found[1], *re.findall(r"`(\w+)`", found[2])} == {name for name in CHAPTERS if able(name)}


def test_rows_of_networks_that_are_not_the_same_are_refused(tmp_path, monkeypatch):
    tiny = Project(tmp_path / "project", monkeypatch)
    said = ["network 1: 11 here, 12 there", "network 1: 0.8 here, 0.9 there"]
    checked = f"\ndef contradictions(rows):\n    return {said} if 1 in set(rows['seed']) else []\n\ndef rows("
    tiny.experiment("\ndef rows(", checked)
    results.accept("tiny", pieces=["network 0"])
    before = tiny.kept()
    told = r"not the same: network 1: 11 here, 12 there \(2 contradictions, .* Make all parts anew, in an empty store"
    with pytest.raises(MistrustError, match=told):
        results.accept("tiny", pieces=["network 1"])
    assert tiny.kept() == before
    results.accept("tiny", pieces=["network 2"])
    assert tiny.kept() != before
    tiny.run()
    with pytest.raises(MistrustError, match=told):
        results.accept("tiny")


@pytest.mark.whole
def test_a_part_that_gives_no_rows_any_more_leaves_none(project):
    """As a network does that collapses where it is trained again: its key is the same."""
    empty = "(tidy.empty() if spec['part'] == 'loss' and spec['seed'] == 1 else make(_, spec))"
    changed = KEPT.replace("made(maker, spec, make)", f"made(maker, spec, lambda _, spec=spec: {empty})")
    assert changed != KEPT
    project.experiment(EXPERIMENT[START:END], changed.lstrip("\n"))
    project.chapter.module().together = lambda rows, parameters: rows
    results.accept("tiny", pieces=["network 1"])
    rows = results.accepted("tiny")
    assert set(rows.loc[rows["seed"] == 1, "table"]) == {"accuracy"}
    assert set(rows.loc[rows["seed"] == 0, "table"]) == {"accuracy", "loss"}
