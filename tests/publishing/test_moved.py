"""Rows of two runs side by side: each word on rows that deserve it; laws; the command on a real small experiment."""

from argparse import Namespace

import numpy as np
import pytest
import torch
from tiny_project import Project

from mistrust import rows as tidy
from mistrust.errors import MistrustError
from mistrust.publishing import moved, results
from mistrust.publishing.commands import looking


def row(value, low=None, high=None, **more):
    return {"chapter": "tiny", "table": "t", "metric": "m", "value": value, "low": low, "high": high, **more}


# What is accepted, what is found now, and the word for it.
PAIRS = {
    "equal": (row(0.5, 0.4, 0.6), row(0.5)),
    "rounding": (row(0.5), row(0.5 * (1 + 0.9e-6))),
    "within": (row(0.5, 0.4, 0.6), row(0.6)),
    "moved": (row(0.5, 0.4, 0.6), row(0.61)),
    "differs": (row(0.5), row(0.5 * (1 + 1.1e-6))),
    "gone": (row(0.5), None),
    "new": (None, row(0.5)),
}


NETWORKS = (1.0, 2.0, 3.0, 4.0)  # the same number of four networks


def frames(pairs):
    sides = []
    for side in (0, 1):
        lines = [pair[side] | {"at": word} for word, pair in pairs.items() if pair[side]]
        sides.append(tidy.table(lines, profile="full" if side else "quick"))
    return sides


def test_each_word_is_given_to_the_rows_that_deserve_it():
    found = moved.moved(*frames(PAIRS))
    assert dict(zip(found["at"], found["word"], strict=True)) == {word: word for word in PAIRS}
    assert set(moved.WORDS) == set(moved.SAID) == {*PAIRS, "drawn"}
    assert moved.counts(found).loc["t"].tolist() == [word in PAIRS for word in moved.WORDS]


@pytest.mark.whole
def test_a_network_trained_again_is_held_against_its_kind():
    """2.5 +- 3.182 * 1.291 * sqrt(5/4), by a table of Student's t: -2.09 to 7.09."""
    kind = tidy.table(row(value, seed=seed) for seed, value in enumerate(NETWORKS))
    one = kind[kind["seed"] == 0]
    for value, word in ((-2.0, "drawn"), (-2.2, "moved"), (7.0, "drawn"), (7.2, "moved")):
        assert moved.moved(one, tidy.table([row(value, seed=0)]), kind)["word"].tolist() == [word]
    found = moved.moved(one, tidy.table([row(7.2, seed=0)]), kind)
    assert found[["low", "high"]].to_numpy()[0] == pytest.approx([-2.0937, 7.0937], abs=1e-3)
    assert moved.farthest(found)["widths"].tolist() == pytest.approx([0.1063 / 9.1874], abs=1e-4)
    assert found["networks"].tolist() == [4]
    few = kind[kind["seed"] < moved.FEWEST - 1]
    assert moved.moved(one, tidy.table([row(2.0, seed=0)]), few)["word"].tolist() == ["differs"]
    mean = [row(2.5)]
    assert moved.moved(tidy.table(mean), tidy.table([row(3.0)]), kind)["word"].tolist() == ["differs"]


@pytest.mark.whole
def test_one_in_twenty_new_networks_falls_outside():
    random = np.random.default_rng(0)
    draws = random.normal(size=(4000, 6))
    old = tidy.table(row(x, seed=seed, at=str(i)) for i, line in enumerate(draws[:, :5]) for seed, x in enumerate(line))
    new = tidy.table(row(line[5], seed=0, at=str(i)) for i, line in enumerate(draws))
    words = moved.moved(old[old["seed"] == 0], new, old)["word"].value_counts(normalize=True)
    assert words["moved"] == pytest.approx(0.05, abs=0.012)
    assert words["drawn"] + words["moved"] == 1


@pytest.mark.whole
def test_one_in_six_estimates_of_equal_precision_lies_outside_both_intervals():
    """2 Phi(-1.96 / sqrt(2)) = 0.1658, since both estimates err: the law that the page on reproducing states."""
    sides = np.random.default_rng(0).normal(size=(2, 4000))
    old, new = (tidy.table(row(x, x - 1.96, x + 1.96, at=str(i)) for i, x in enumerate(side)) for side in sides)
    words = moved.moved(old, new)["word"].value_counts(normalize=True)
    assert words["moved"] == pytest.approx(0.1658, abs=0.02)
    assert words["within"] + words["moved"] == 1


def test_the_other_runs_interval_counts_too():
    old, new = tidy.table([row(0.5, 0.49, 0.51)]), tidy.table([row(0.7, 0.45, 0.95)])
    assert moved.moved(old, new)["word"].tolist() == ["within"]


def test_equal_rows_are_equal_whatever_their_order_and_empty_cells():
    rows = tidy.table(
        row(i / 7, i / 8 if i % 2 else None, i / 6 if i % 2 else None, at=f"a{i}", seed=None if i % 3 else 1.0,
            level=1 / 15 * i) for i in range(40)
    )  # fmt: skip
    assert set(moved.moved(rows, rows.sample(frac=1, random_state=0))["word"]) == {"equal"}


def test_the_farthest_is_counted_in_widths_of_the_nearer_interval():
    old = tidy.table([row(0.5, 0.4, 0.6, at="near"), row(0.5, 0.49, 0.51, at="far"), row(0.5, 0.4, 0.6, at="in")])
    new = tidy.table([row(0.7, at="near"), row(0.7, at="far"), row(0.55, at="in")])
    found = moved.farthest(moved.moved(old, new))
    assert found["at"].tolist() == ["far", "near"]
    assert found["widths"].tolist() == pytest.approx([0.19 / 0.02, 0.1 / 0.2])
    assert len(moved.farthest(moved.moved(old, new), 1)) == 1


@pytest.fixture
def project(tmp_path, monkeypatch):
    return Project(tmp_path / "project", monkeypatch)


@pytest.fixture
def accepted(project):
    project.run("full")
    results.accept("tiny", "full")
    return project


def compare(capsys, *, chapter="tiny", piece=(), other=None, profile="full"):
    status = looking.rows_compare(Namespace(chapter=chapter, profile=profile, piece=list(piece), other=other))
    return status, capsys.readouterr().out


def test_a_run_and_a_piece_that_did_not_change_reproduce(accepted, capsys):
    status, said = compare(capsys)
    assert status == 0
    assert "16 of 16 numbers reproduce." in said
    status, said = compare(capsys, piece=["network 1", "network 3"])
    assert status == 0
    assert "6 of 6 numbers reproduce." in said


@pytest.mark.parametrize(
    ("before", "after", "word"),
    [
        ("1 / (3 + seed + level)", "1 / (3 + seed + level) + 0.5 * (level == 2)", "moved: another number, outside"),
        ("for level in parameters.levels", "for level in parameters.levels[1:]", "gone: a row that only the accepted"),
    ],
)
def test_a_piece_with_another_number_or_a_row_less_does_not(before, after, word, accepted, capsys):
    accepted.experiment(before, after)
    status, said = compare(capsys, piece=["network 1"])
    assert status == 1
    assert "2 of 3 numbers reproduce." in said
    assert word in said


RENAMED = ("made=name)", "made='new ' + name, at='9' if level == 1 else '')")


def test_under_another_key_a_lost_row_is_gone_and_an_added_one_is_told(accepted, capsys):
    accepted.experiment(*RENAMED)
    status, said = compare(capsys, piece=["network 1"])
    assert status == 1
    assert "gone: a row that only the accepted rows have" in said
    assert "2 of 3 numbers reproduce." in said
    assert "1 more rows were not compared" in said


def test_an_added_row_alone_is_told_and_breaks_nothing(accepted, capsys):
    accepted.experiment("in parameters.levels", "in (*parameters.levels, 9)")
    status, said = compare(capsys, piece=["network 1", "network 3"])
    assert status == 0
    assert "6 of 6 numbers reproduce.\n2 more rows were not compared" in said


def test_a_piece_without_any_accepted_row_is_no_success(accepted, capsys):
    accepted.experiment('metric="accuracy", level', 'metric="error", level')
    with pytest.raises(MistrustError, match=r"None of the 3 rows of network 1 is among the 16 accepted rows"):
        compare(capsys, piece=["network 1"])


def test_pieces_are_made_with_one_thread_for_comparing_and_for_accepting(accepted, capsys):
    """As a run makes them: here a value is the number of threads, which accepted rows do not depend on."""
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        accepted.experiment("value=1 / (3 + seed + level)", "value=float(__import__('torch').get_num_threads())")
        results.accept("tiny", pieces=["network 1", "network 2"], anew=True)
        assert set(results.accepted("tiny")["value"]) == {1.0}
        status, said = compare(capsys, piece=["network 1", "network 2"])
        assert status == 0
        assert "equal" in said
    finally:
        torch.set_num_threads(before)


def test_a_piece_that_fails_is_named(accepted, capsys):
    accepted.experiment("seed = int(name.split()[1])", "seed = int(name.split()[1]) // 0")
    with pytest.raises(MistrustError, match=r"network 1: ZeroDivisionError"):
        compare(capsys, piece=["network 1"])


def test_an_interval_is_printed_where_there_is_one(accepted, capsys):
    """The mean of all networks was accepted without one; the new run gives it one."""
    accepted.experiment('value=single["value"].mean()', "value=9.0, low=8.0, high=9.5")
    accepted.run("full")
    status, said = compare(capsys)
    assert status == 1
    assert "15 of 16 numbers reproduce." in said
    assert "  mean accuracy: 0.1517, now 9 (8 to 9.5)\n" in said


def test_drawn_says_of_how_many_networks(accepted, capsys):
    accepted.experiment("1 / (3 + seed + level)", "1 / (3.01 + seed + level)")
    status, said = compare(capsys, piece=["network 1"])
    assert status == 0
    assert "drawn: another number" in said
    assert "interval of the accepted networks, 5 of them\n" in said


def test_all_chapters_are_compared_where_none_is_named(accepted, capsys):
    status, said = compare(capsys, chapter=None)
    assert status == 0
    assert said.startswith("== tiny\n")
    assert "16 of 16 numbers reproduce." in said
    status, said = compare(capsys, chapter=None, profile="paper")
    assert status == 0
    assert said.startswith("== tiny: no accepted rows of the profile `paper`\nNothing to compare with yet: ")
    with pytest.raises(MistrustError, match="needs a chapter"):
        compare(capsys, chapter=None, piece=["network 1"])
    accepted.run("quick")
    status, said = compare(capsys, chapter=None)
    assert status == 2
    assert "is of the profile `quick`" in said


def test_rows_accepted_elsewhere(accepted, capsys, tmp_path):
    place = tmp_path / "elsewhere" / "tiny"
    place.mkdir(parents=True)
    for name, content in accepted.kept().items():
        (place / name).write_text(content)
    assert compare(capsys, other=str(place.parent))[0] == 0


def test_what_cannot_be_compared_says_why(project, capsys, tmp_path):
    with pytest.raises(MistrustError, match=r"no accepted rows of 'tiny' in the profile `full`"):
        compare(capsys)
    project.run("full")
    results.accept("tiny", "full")
    with pytest.raises(MistrustError, match=r"Did you mean 'network 1'"):
        compare(capsys, piece=["netwrk 1"])
    with pytest.raises(MistrustError, match=r"holds no full\.json: name a folder like data/results by --with"):
        compare(capsys, other=str(tmp_path))
    project.run("quick")
    with pytest.raises(MistrustError, match=r"is of the profile `quick`, and the profile `full` is to be compared"):
        compare(capsys)


@pytest.mark.whole
@pytest.mark.parametrize("chapter", ["ambiguity", "misclassification"])
def test_accepted_rows_equal_themselves(chapter):
    rows = results.accepted(chapter)
    assert len(rows) > 1000
    assert set(moved.moved(rows, rows)["word"]) == {"equal"}
