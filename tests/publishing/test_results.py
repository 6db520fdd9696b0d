"""Runs, accepted rows and status, on a tiny chapter of its own in a project of its own."""

import importlib.metadata
import json
import re
import shutil

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_project import EXPERIMENT, Project

from mistrust import paths, store
from mistrust import rows as tidy
from mistrust.data import SOURCES, places
from mistrust.errors import MistrustError
from mistrust.exchange import exchange
from mistrust.publishing import freshness, manifests, results, rowfiles
from mistrust.publishing.checklist import checklist
from mistrust.publishing.restoring import restore
from mistrust.publishing.status import Status, status, text


@pytest.fixture
def project(tmp_path, monkeypatch):
    return Project(tmp_path / "project", monkeypatch)


@pytest.mark.whole
def test_accepted_rows_say_what_processor_made_them(project):
    project.run("full")
    results.accept("tiny", "full")
    versions = json.loads(project.kept()["full.json"])["versions"]["whole run"]
    assert re.fullmatch(r"\w+ \w+", versions["processor"])
    assert versions["torch"] == importlib.metadata.version("torch")
    # a book that is carried to another machine is not stale there
    assert "processor" not in freshness.sources(project.chapter, project.parameters())["versions"]


def test_run_is_kept_under_its_profile(project):
    assert project.run("quick") == "quick"
    assert sorted(path.name for path in (paths.run_rows() / "tiny").iterdir()) == [
        "accuracy.quick.csv", "mean.quick.csv", "run.json",
    ]  # fmt: skip
    rows = results.this_run("tiny")
    assert set(rows["profile"]) == {"quick"}
    assert set(rows["chapter"]) == {"tiny"}
    assert len(rows) == 5


@pytest.mark.whole
def test_changed_parameters_are_custom_and_replace_the_last_run(project):
    project.run("quick")
    assert project.run("quick", networks=3) == "custom"
    names = sorted(path.name for path in (paths.run_rows() / "tiny").iterdir())
    assert names == ["accuracy.custom.csv", "mean.custom.csv", "run.json"]


def test_nothing_run_and_nothing_accepted_are_no_rows_with_all_columns(project):
    for rows in (results.this_run("tiny"), results.accepted(project.chapter)):
        assert rows.empty
        assert tuple(rows.columns) == tidy.COLUMNS


def test_manifest_says_what_rows_rest_on(project):
    found = results.manifest(project.chapter, project.parameters("full"))
    assert found["parameters"] == {"networks": 5, "levels": [1, 2, 3], "rate": 1.0}
    assert found["inputs"] == {"tiny/train": "aaaa", "tiny/test": "bbbb"}
    assert found["makers"] == {"tiny-net": 1, "tiny-rows": 4}
    assert {"mistrust", "python", "torch", "numpy"} <= set(found["versions"])
    assert json.loads(json.dumps(found)) == found


def test_rows_of_another_chapter_are_refused(project):
    rows = tidy.table([{"table": "t", "metric": "m", "value": 1, "chapter": "other"}])
    with pytest.raises(MistrustError, match="Rows of other given as rows of chapter 'tiny'"):
        results.save_run("tiny", project.parameters(), rows)


@pytest.mark.whole
def test_accept_gives_the_rows_back(project):
    project.run()
    written = results.accept("tiny")
    assert [path.name for path in written] == ["accuracy.full.csv", "mean.full.csv", "full.json"]
    pd.testing.assert_frame_equal(results.accepted("tiny"), results.this_run("tiny"))
    about = json.loads(project.kept()["full.json"])
    assert about["complete"] is True
    assert about["tables"]["accuracy"]["rows"] == 15


@pytest.mark.whole
def test_a_large_table_is_several_files(project, monkeypatch):
    monkeypatch.setattr(rowfiles, "LARGEST", 6)
    project.run()
    written = results.accept("tiny")
    folder = paths.results() / "tiny"
    assert [path.name for path in written] == [
        "accuracy.full.csv", "accuracy.2.full.csv", "accuracy.3.full.csv", "mean.full.csv", "full.json"
    ]  # fmt: skip
    assert rowfiles.names(folder, "accuracy", "full") == ["accuracy", "accuracy.2", "accuracy.3"]
    assert rowfiles.names(folder, "mean", "full") == ["mean"]
    pd.testing.assert_frame_equal(results.accepted("tiny"), results.this_run("tiny"))
    monkeypatch.setattr(rowfiles, "LARGEST", 10)
    results.accept("tiny")
    assert rowfiles.names(folder, "accuracy", "full") == ["accuracy", "accuracy.2"]  # the third is gone
    (folder / "accuracy.2.full.csv").unlink()
    with pytest.raises(MistrustError, match=r"accuracy\.2\.full\.csv is missing"):
        results.accepted("tiny")


@pytest.mark.whole
def test_accept_twice_is_accept_once(project):
    project.run()
    results.accept("tiny")
    first = project.kept()
    results.accept("tiny")
    project.run()
    results.accept("tiny", "full")
    assert project.kept() == first


def test_accept_without_a_run_says_what_to_do(project):
    with pytest.raises(MistrustError, match=r"no run of chapter 'tiny' to accept. Run `mistrust run tiny --profile fu"):
        results.accept("tiny")


def test_accept_names_every_parameter_that_differs(project):
    project.run("full", networks=4, rate=0.5)
    message = (
        r"is not the profile `full`, so its rows are not accepted: networks: 4, the profile `full` has 5; "
        r"rate: 0\.5, the profile `full` has 1\.0\. Run `mistrust run tiny --profile full`"
    )
    for profile in ("full", None):  # None: the nearest profile
        with pytest.raises(MistrustError, match=message):
            results.accept("tiny", profile)
    assert project.kept() == {}


def test_accept_refuses_the_run_of_another_profile(project):
    project.run("quick")
    with pytest.raises(MistrustError, match=r"levels: \[1, 2\], the profile `full` has \[1, 2, 3\]"):
        results.accept("tiny", "full")


def test_accept_names_parameters_that_came_and_went(project):
    project.run("quick")
    project.experiment("rate: float", "speed: float")
    with pytest.raises(MistrustError, match=r"rate: 1\.0, no longer a parameter; speed: not in the run"):
        results.accept("tiny")


@pytest.mark.whole
@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("version=4", "version=5", "maker tiny-rows: version 4, now version 5"),
        ('"bbbb"', '"cccc"', "input tiny/test: checksum bbbb, now checksum cccc"),
        ('"tiny-net"', '"net"', "maker net: new; maker tiny-net: no longer used"),
    ],
)
def test_accept_refuses_rows_of_other_code_or_data(project, old, new, message):
    project.run()
    project.experiment(old, new)
    with pytest.raises(MistrustError, match=message):
        results.accept("tiny")
    assert project.kept() == {}


def test_accept_refuses_altered_rows(project):
    project.run()
    path = paths.run_rows() / "tiny" / "mean.full.csv"
    path.write_text(path.read_text().replace("0.1", "0.9", 1))
    with pytest.raises(MistrustError, match=r"mean\.full\.csv was changed since it was written \(checksum"):
        results.accept("tiny")
    assert project.kept() == {}


@pytest.mark.whole
def test_windows_line_ends_are_no_change(project):
    project.run()
    path = paths.run_rows() / "tiny" / "mean.full.csv"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert len(results.this_run("tiny")) == 16


@pytest.mark.parametrize("damage", ["", "[]", '{"tables": {}}'])
def test_damaged_manifest_is_named(project, damage):
    project.run()
    (paths.run_rows() / "tiny" / "run.json").write_text(damage)
    with pytest.raises(MistrustError, match=r"run\.json is damaged .* Run `mistrust run tiny` again"):
        results.this_run("tiny")


@pytest.mark.whole
def test_missing_table_is_named(project):
    project.run()
    results.accept("tiny")
    (paths.results() / "tiny" / "mean.full.csv").unlink()
    with pytest.raises(
        MistrustError, match=r"mean\.full\.csv is missing, although full\.json lists it. `git checkout`"
    ):
        results.accepted("tiny")


@pytest.mark.whole
def test_a_table_that_is_gone_leaves_the_accepted_ones(project):
    project.run()
    results.accept("tiny")
    project.experiment('table="mean"', 'table="average"')
    project.run()
    results.accept("tiny")
    assert sorted(project.kept()) == ["accuracy.full.csv", "average.full.csv", "full.json"]


@pytest.mark.whole
def test_profiles_stand_side_by_side(project):
    for profile in ("quick", "full"):
        project.run(profile)
        results.accept("tiny")
    assert results.accepted_profiles("tiny") == ["full", "quick"]
    assert len(results.accepted("tiny", "quick")) == 5


@pytest.mark.whole
def test_accept_that_fails_midway_loses_nothing(project):
    project.run()
    results.accept("tiny")
    before = project.kept()
    project.experiment("1 / (3", "2 / (3")
    project.run()
    blocked = paths.results() / "tiny" / "full.json"
    held = blocked.read_text()
    blocked.unlink()
    (blocked / "in the way").mkdir(parents=True)  # the last of the three files cannot be replaced
    with pytest.raises(MistrustError, match=r"full\.json cannot be written .* Nothing was changed"):
        results.accept("tiny")
    (blocked / "in the way").rmdir()
    blocked.rmdir()
    blocked.write_text(held)
    assert project.kept() == before


def test_exchange_leaves_no_part_behind_and_restores_what_it_removed(tmp_path):
    (tmp_path / "a").write_text("old a")
    (tmp_path / "c").write_text("old c")
    folder = tmp_path / "d"
    folder.mkdir()
    with pytest.raises(MistrustError, match="Nothing was changed"):
        exchange({tmp_path / "a": "new", tmp_path / "b": "new"}, remove=[tmp_path / "c", folder])
    found = {path.name: path.read_text() for path in tmp_path.iterdir() if path.is_file()}
    assert found == {"a": "old a", "c": "old c"}


@pytest.mark.whole
def test_pieces_are_accepted_one_by_one(project):
    results.accept("tiny", pieces=["network 3"])
    about = json.loads(project.kept()["full.json"])
    assert about["complete"] is False
    assert list(about["versions"]) == about["pieces"] == ["network 3"]
    results.accept("tiny", pieces=["network 1", "network 3"])
    assert set(results.accepted("tiny")["seed"]) == {1, 3}
    for name in ("network 0", "network 2", "network 4"):
        results.accept("tiny", pieces=[name])
    by_pieces = project.kept()["accuracy.full.csv"]
    project.run()
    results.accept("tiny")
    assert project.kept()["accuracy.full.csv"] == by_pieces
    assert json.loads(project.kept()["full.json"])["complete"] is True


@pytest.mark.whole
def test_a_piece_that_came_after_the_whole_run_is_lacking_until_it_is_accepted(project):
    project.run()
    results.accept("tiny")
    file = project.root / "data" / "results" / "tiny" / "full.json"
    about = json.loads(file.read_text())
    assert about["pieces"] == [f"network {number}" for number in range(5)]
    file.write_text(json.dumps({**about, "pieces": about["pieces"][:3], "complete": False}))  # two are newer than it
    [accepted] = [one for one in status("tiny") if one.part == "accepted rows"]
    assert (accepted.state, accepted.why) == ("partial", ("not accepted yet: network 3, network 4",))
    results.accept("tiny", pieces=["network 4"])
    assert json.loads(file.read_text())["complete"] is False
    results.accept("tiny", pieces=["network 3"])
    assert json.loads(file.read_text())["pieces"] == about["pieces"]
    assert json.loads(file.read_text())["complete"] is True


KEPT = """
    def make(_):
        return tidy.table(
            dict(table="accuracy", metric="accuracy", level=level, seed=seed, value=1.0) for level in parameters.levels
        )

    from mistrust.store import Maker, key, made
    maker, spec = Maker("tiny-rows", 4, "table"), {"seed": seed}
    return made(maker, spec, make).assign(made=key(maker, spec))

def rows("""


@pytest.mark.whole
def test_the_time_of_accepted_pieces_is_the_stores_and_outlives_it(project, monkeypatch, tmp_path):
    monkeypatch.setenv("MISTRUST_STORE", str(tmp_path / "store"))
    start, end = EXPERIMENT.index("    return tidy.table("), EXPERIMENT.index("def rows(") + len("def rows(")
    project.experiment(EXPERIMENT[start:end], KEPT.lstrip("\n"))
    results.accept("tiny", pieces=["network 3", "network 1"])
    took = json.loads(project.kept()["full.json"])["core seconds"]
    made = set(results.accepted("tiny")["made"])
    assert set(took) == made
    assert len(took) == 2
    for key, value in took.items():
        assert value == store.seconds(key)
        shutil.rmtree(next(paths.store().glob(f"*/{key}")))
    results.accept("tiny", pieces=["network 2"])
    again = json.loads(project.kept()["full.json"])["core seconds"]
    assert {key: again[key] for key in took} == took
    assert len(again) == 3
    [told] = [answer for question, answer in checklist("tiny") if question == "Computing time"]
    assert re.fullmatch(r"\d+\.\d minutes of one processor core for 3 of 3 parts", told)


TOGETHER = """
def together(single, parameters):
    mean = dict(table="mean", metric="accuracy", value=single["value"].mean(), n=len(single), over="models")
    odd = single.assign(table="odd", value=0.0, made="")  # of single models, too, and not of a piece
    return tidy.check(pd.concat([single, odd, pd.DataFrame([mean])], ignore_index=True))

def rows(parameters):
    return together(pd.concat([piece(parameters, name) for name in pieces(parameters)], ignore_index=True), parameters)
"""


@pytest.mark.whole
def test_pieces_end_as_a_whole_run_where_the_chapter_says_what_follows_from_them(project):
    project.experiment(EXPERIMENT[EXPERIMENT.index("def rows(") :], TOGETHER)
    for count, name in enumerate(("network 4", "network 0", "network 2", "network 3", "network 1"), 1):
        results.accept("tiny", pieces=[name])
        mean = tidy.select(results.accepted("tiny"), table="mean")
        assert mean["n"].to_list() == [3 * count]  # anew each time: no mean of fewer networks stays
        assert json.loads(project.kept()["full.json"])["complete"] is (count == 5)
    by_pieces = project.kept()
    project.run()
    results.accept("tiny")
    assert {name: text for name, text in project.kept().items() if name.endswith(".csv")} == {
        name: text for name, text in by_pieces.items() if name.endswith(".csv")
    }


@pytest.mark.whole
def test_accepted_means_of_rows_that_no_file_holds_stay_until_a_whole_run_is_accepted(project):
    project.experiment(EXPERIMENT[EXPERIMENT.index("def rows(") :], TOGETHER)
    results.save_run("tiny", project.parameters(), project.chapter.module().rows(project.parameters()))
    results.accept("tiny")
    whole = project.kept()
    before = results.accepted("tiny")
    # As if files had been kept small: the mean of fifteen rows stands, of which twelve are gone.
    thin = before[before["seed"].isin([1.0]) | (before["table"] == "mean")]
    about = json.loads(whole["full.json"])
    files = rowfiles.texts(paths.results() / "tiny", thin, about, "full", "full.json")
    exchange(files, remove=[])
    said = []
    for name in ("network 0", "network 2", "network 3", "network 4"):
        results.accept("tiny", pieces=[name], say=said.append)
        mean = tidy.select(results.accepted("tiny"), table="mean")
        assert mean["n"].to_list() == [15]
        assert mean["value"].to_list() == tidy.select(before, table="mean")["value"].to_list()
    assert said[1].startswith("tiny (full): 1 row stays as accepted, for the files lack rows of pieces")
    results.accept("tiny", pieces=["network 1"], say=said.append)  # all rows are there again
    assert said[-1] == "tiny (full): 3 rows of 1 piece, all from the store"
    assert {name: text for name, text in project.kept().items() if name.endswith(".csv")} == {
        name: text for name, text in whole.items() if name.endswith(".csv")
    }


@pytest.mark.whole
def test_a_table_of_means_alone_loses_its_single_rows_once_the_run_is_whole(project):
    project.experiment(EXPERIMENT[EXPERIMENT.index("def rows(") :], TOGETHER + '\nMEANS_ONLY = ("accuracy", "odd")\n')
    names = project.chapter.module().pieces(project.parameters())
    results.accept("tiny", pieces=names[:-1])
    assert len(tidy.select(results.accepted("tiny"), table="accuracy")) == 4 * 3  # others still to come
    results.accept("tiny", pieces=names[-1:])
    left = results.accepted("tiny")
    assert left["table"].value_counts().to_dict() == {"odd": 15, "mean": 1}
    # A piece that is accepted again takes nothing from the mean of all.
    results.accept("tiny", pieces=names[:1])
    pd.testing.assert_frame_equal(results.accepted("tiny"), left)
    with pytest.raises(MistrustError, match="its files do not hold every row of a piece"):
        restore("tiny")


@pytest.mark.whole
def test_all_pieces_at_once_have_means_anew(project):
    project.experiment(EXPERIMENT[EXPERIMENT.index("def rows(") :], TOGETHER)
    names = project.chapter.module().pieces(project.parameters())
    results.accept("tiny", pieces=names)
    whole = project.kept()
    # As if an earlier run had counted more rows than there are pieces today: nothing at hand gives its mean.
    other = results.accepted("tiny").assign(n=lambda rows: rows["n"].where(rows["table"] != "mean", 99))
    extra = other[other["table"] == "mean"].assign(condition="gone")
    about = json.loads(whole["full.json"])
    files = rowfiles.texts(paths.results() / "tiny", pd.concat([other, extra]), about, "full", "full.json")
    exchange(files, remove=[])
    said = []
    results.accept("tiny", pieces=names[:-1], say=said.append)
    assert tidy.select(results.accepted("tiny"), table="mean")["n"].to_list() == [99, 99]
    assert said[-1].startswith("tiny (full): 2 rows stay as accepted")
    results.accept("tiny", pieces=names, say=said.append)
    assert project.kept() == whole
    assert said[-1] == "tiny (full): 15 rows of 5 pieces, all from the store"


@pytest.mark.whole
def test_accepting_pieces_says_what_it_makes_and_what_it_cannot_compute(project):
    project.experiment("    return []", '    return [] if name == "network 1" else ["not made yet"]')
    said = []
    results.accept("tiny", pieces=["network 0", "network 1"], say=said.append)
    assert said[0] == "tiny (full), network 0: not in the store (not made yet); it is made now"
    assert re.fullmatch(r"tiny \(full\): 6 rows of 2 pieces, 1 made in \d+ s", said[1])
    assert len(said) == 2
    project.run()
    results.accept("tiny")
    results.accept("tiny", pieces=["network 1"], say=said.append)
    assert said[2] == "tiny (full): 3 rows of 1 piece, all from the store"
    assert said[3].startswith("tiny (full): means and what else follows from several pieces stay as they were accepted")


def test_pieces_that_join_those_of_another_processor_are_accepted_and_said(project, monkeypatch):
    said = []
    results.accept("tiny", pieces=["network 0", "network 1"], say=said.append)
    now = {**manifests.versions(), "processor": "of another kind", "mistrust": "9.9"}
    monkeypatch.setattr(manifests, "versions", lambda: now)
    results.accept("tiny", pieces=["network 2"], say=said.append)
    [line] = [line for line in said if "processor" in line]
    assert re.search(r"rows before are of processor \w+ \w+, now of another kind, where training may", line)
    said.clear()
    results.accept("tiny", pieces=["network 0", "network 1"], say=said.append)  # all that was made on the first one
    assert not any("processor" in line for line in said)
    assert {made["processor"] for made in json.loads(project.kept()["full.json"])["versions"].values()} == {
        "of another kind"
    }


BY_LEVEL = """
def together(single, parameters):
    groups = single.groupby("level")["value"]
    means = [dict(table="mean", metric="accuracy", level=level, value=own.mean(), n=len(own)) for level, own in groups]
    return tidy.check(pd.concat([single, pd.DataFrame(means)], ignore_index=True))

def rows(parameters):
    return together(pd.concat([piece(parameters, name) for name in pieces(parameters)], ignore_index=True), parameters)
"""


@pytest.mark.whole
def test_a_level_that_files_round_stays_one_level(project):
    rest = EXPERIMENT[EXPERIMENT.index("def piece(") :]
    sevenths = rest[: rest.index("def rows(")].replace("level=level,", "level=level / 7,")
    project.experiment(rest, sevenths + BY_LEVEL)
    for name in ("network 0", "network 1"):
        results.accept("tiny", pieces=[name])
    found = results.accepted("tiny")
    mean = tidy.select(found, table="mean")
    assert mean["n"].to_list() == [2] * found[found["table"] != "mean"]["level"].nunique()


@pytest.mark.whole
def test_versions_of_a_whole_run_go_once_each_of_its_pieces_was_accepted_again(project, monkeypatch):
    rest = EXPERIMENT[EXPERIMENT.index("def rows(") :]
    project.experiment(rest, BY_LEVEL)
    project.run()
    results.accept("tiny")
    now = {**manifests.versions(), "processor": "of another kind"}
    monkeypatch.setattr(manifests, "versions", lambda: now)
    names = [f"network {i}" for i in range(5)]
    for again, left in ((names[:4], [*names[:4], "whole run"]), (names[4:], names)):
        results.accept("tiny", pieces=again, say=(said := []).append)
        assert sorted(json.loads(project.kept()["full.json"])["versions"]) == left
        assert any("rows before are of processor" in line for line in said)
    results.accept("tiny", pieces=names[:1], say=(said := []).append)
    assert not any("rows before" in line for line in said)


@pytest.mark.whole
def test_pieces_of_two_states_do_not_mix(project):
    results.accept("tiny", pieces=["network 0"])
    before = project.kept()
    project.experiment("version=4", "version=5")
    with pytest.raises(MistrustError, match=r"network 1 cannot join them: maker tiny-rows: version 4, now version 5"):
        results.accept("tiny", pieces=["network 1"])
    assert project.kept() == before
    results.accept("tiny", pieces=["network 1"], anew=True)
    assert set(results.accepted("tiny")["seed"]) == {1}


def test_unknown_or_no_piece_is_refused(project):
    with pytest.raises(MistrustError, match=r"There is no piece of 'tiny' .* 'netwrok 1'. Did you mean 'network 1'"):
        results.accept("tiny", pieces=["netwrok 1"])
    with pytest.raises(MistrustError, match=r"No piece of 'tiny' was named. It has: network 0"):
        results.accept("tiny", pieces=[])


words = st.text(st.characters(blacklist_categories=["C", "Z"]), max_size=8)
numbers = st.floats(-1e300, 1e300)  # rounding the largest floats to ten digits overflows


@pytest.mark.whole
@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(words, words, numbers, st.none() | numbers), unique_by=lambda one: one[0]))
def test_text_of_rows_round_trips(tmp_path_factory, records):
    rows = tidy.check(
        pd.DataFrame(
            [{"table": "t", "metric": "m", "at": a, "note": n, "value": v, "low": low} for a, n, v, low in records],
            columns=["table", "metric", "at", "note", "value", "low"],
        )
    )
    path = tmp_path_factory.mktemp("rows") / "t.csv"
    tidy.write(rows, path)
    again = tidy.read(path)
    assert tidy.text(again) == tidy.text(rows) == path.read_text(encoding="utf-8")
    assert tidy.text(rows.iloc[::-1]) == tidy.text(rows)


def states(chapter="tiny"):
    return {(one.part, one.profile): (one.state, one.why) for one in status(chapter)}


def test_status_of_nothing(project):
    assert states() == {
        ("run rows", ""): ("none", ("not run yet",)),
        ("accepted rows", ""): ("none", ("never accepted",)),
        ("page", ""): ("none", ("not run yet",)),
    }


@pytest.mark.whole
def test_status_fresh_then_stale_and_why(project):
    project.run()
    results.accept("tiny")
    project.run("quick")
    assert states()["run rows", "quick"] == ("fresh", ())
    assert states()["accepted rows", "full"] == ("fresh", ())
    project.profiles("networks = 5", "networks = 6")
    assert states()["run rows", "quick"] == ("fresh", ())
    assert states()["accepted rows", "full"] == ("stale", ("networks: 5, the profile `full` has 6",))
    project.experiment("version=4", "version=5")
    assert states()["run rows", "quick"] == ("stale", ("maker tiny-rows: version 4, now version 5",))


@pytest.mark.whole
def test_status_parses_no_rows(project, monkeypatch):
    project.run()
    results.accept("tiny")

    def parsed(path):
        raise AssertionError(f"{path} was parsed")

    monkeypatch.setattr(tidy, "cells", parsed)
    assert [states()[part, "full"] for part in ("run rows", "accepted rows")] == [("fresh", ())] * 2
    with pytest.raises(AssertionError, match="was parsed"):
        results.accepted("tiny")


@pytest.mark.whole
def test_rows_whose_images_lie_elsewhere_are_unchecked_not_stale(project, monkeypatch):
    project.run()
    results.accept("tiny")

    def inputs(parameters):
        raise places.absent(SOURCES["fmnist"], "train")

    monkeypatch.setattr(project.chapter.module(), "inputs", inputs, raising=False)
    assert {one.state for one in status("tiny") if one.part != "page"} == {"unchecked"}
    assert all("is not here" in one.why[0] for one in status("tiny") if one.part != "page")


@pytest.mark.whole
def test_status_of_custom_runs_pieces_and_damage(project):
    project.run("quick", networks=4)
    results.accept("tiny", pieces=["network 0", "network 2"])
    assert states()["run rows", "custom"] == ("fresh", ())
    lacking = "not accepted yet: network 1, network 3, network 4"
    assert states()["accepted rows", "full"] == ("partial", (lacking,))
    path = paths.results() / "tiny" / "accuracy.full.csv"
    path.write_text(path.read_text().replace("0.2", "0.9", 1))
    state, why = states()["accepted rows", "full"]
    assert state == "stale"
    assert "accuracy.full.csv was changed since it was written" in why[0]


@pytest.mark.whole
def test_status_of_the_page(project):
    chapter = project.chapter
    project.run("quick")
    freshness.executed(chapter).parent.mkdir(parents=True)
    freshness.executed(chapter).write_text("executed")
    page = {"page": freshness.digest(freshness.executed(chapter)), "rows": freshness.run_rows(chapter)}
    sources = freshness.sources(chapter, project.parameters("quick"))
    freshness.write(chapter, {"chapter": "tiny", "profile": "quick", **sources, **page})
    assert states()["page", "quick"] == ("fresh", ())
    project.profiles("networks = 2", "networks = 3")
    chapter.path.write_text("{ }")
    state, why = states()["page", "quick"]
    assert state == "stale"
    assert any("networks" in reason and "3" in reason for reason in why)
    assert "notebook changed" in why
    freshness.write(chapter, {"chapter": "tiny", "failed": "cell 3: boom"})
    assert states()["page", ""] == ("none", ("the last run failed: cell 3: boom",))


def test_every_line_of_a_reason_stands_beneath_its_part():
    told = text([Status("tiny", "page", "", "none", ("the last run failed: cell 3 failed\n  f()\n  no", "b"))])
    assert told == "tiny: page: none\n    the last run failed: cell 3 failed\n      f()\n      no\n    b"


def test_status_as_lines():
    found = [Status("tiny", "page", "quick", "stale", ("notebook changed",)), Status("tiny", "run rows", "", "none")]
    assert text(found) == "tiny: page (quick): stale\n    notebook changed\ntiny: run rows: none"


def test_a_file_leaves_out_what_its_path_says_and_reads_as_before(tmp_path):
    rows = rowfiles.labelled(tidy.table([{"value": 0.5}], table="accuracy", metric="accuracy"), "search", "full")
    folder = tmp_path / "search"
    folder.mkdir()
    for path, content in rowfiles.texts(folder, rows, {}, "full", "full.json").items():
        path.write_text(content, encoding="utf-8")
    heads = (folder / "accuracy.full.csv").read_text(encoding="utf-8").partition("\n")[0].split(",")
    assert heads == [name for name in tidy.COLUMNS if name not in ("chapter", "table", "profile")]
    about, again = rowfiles.read(folder, "full.json", "")
    assert tidy.text(again) == tidy.text(rows)
    # Files that were written before hold these columns, and say the same.
    whole = tidy.text(rows)
    (folder / "accuracy.full.csv").write_text(whole, encoding="utf-8")
    about["tables"]["accuracy"]["sha256"] = rowfiles.checksum(whole)
    (folder / "full.json").write_text(json.dumps(about), encoding="utf-8")
    assert tidy.text(rowfiles.read(folder, "full.json", "")[1]) == whole


@pytest.mark.whole
def test_rows_that_a_piece_no_longer_gives_leave_with_those_that_it_gave(project, monkeypatch, tmp_path):
    """As where a refusal had one row, and what was drawn after all has many."""
    monkeypatch.setenv("MISTRUST_STORE", str(tmp_path / "store"))
    start, end = EXPERIMENT.index("    return tidy.table("), EXPERIMENT.index("def rows(") + len("def rows(")
    refused = KEPT.lstrip("\n").replace('metric="accuracy"', 'metric="refused"')
    project.experiment(EXPERIMENT[start:end], refused)
    results.accept("tiny", pieces=["network 3", "network 1"])
    shutil.rmtree(tmp_path / "store")
    project.experiment(EXPERIMENT[start:end], KEPT.lstrip("\n"))
    results.accept("tiny", pieces=["network 3"])
    left = results.accepted("tiny")
    assert left.groupby("seed")["metric"].unique().map(list).to_dict() == {1: ["refused"], 3: ["accuracy"]}
