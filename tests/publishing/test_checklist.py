"""The reproducibility checklist: every chapter answers every question, from its rows."""

import re
from functools import cache

import pytest

from mistrust.data import load
from mistrust.errors import UnknownName
from mistrust.publishing import checklist, remade
from mistrust.publishing.chapters import CHAPTERS
from mistrust.search import experiment as search

QUESTIONS = [
    "Rows", "Data", "Networks", "What varies in the error bars", "Made with", "Computing time", "Remake a piece",
]  # fmt: skip


@pytest.fixture(scope="module")
def answers():
    """A chapter's answers by question, made once."""
    return cache(lambda name: dict(checklist.checklist(name)))


@pytest.mark.whole
@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_with_rows_answers_every_question(name, answers, committed):
    told = answers(name)
    _, rows = committed(name) or (None, ())
    if not len(rows):
        assert told == {"Rows": "none are accepted yet, so that no number of a full run stands in the chapter"}
        return
    assert list(told) == QUESTIONS
    assert all(told.values())
    assert told["Rows"].startswith(f"{len(rows):,} numbers in {rows['table'].nunique()} tables")
    # Every number is counted once: those with an interval by what varies, and those without.
    bars = told["What varies in the error bars"]
    counted = [int(one.replace(",", "")) for one in re.findall(r"([\d,]+) (?:intervals|numbers have none)", bars)]
    assert sum(counted) == len(rows)
    assert re.search(r"torch \d", told["Made with"])


@pytest.mark.whole
@pytest.mark.parametrize("name", CHAPTERS)
def test_as_many_networks_are_told_as_intervals_between_networks_cover(name, answers, committed):
    """The largest n of an interval between networks of one architecture and image set; one where there is none."""
    told = answers(name).get("Networks")
    if told is None:
        return
    _, rows = committed(name)
    of = rows[~rows["network"].isin(["", "all"])]
    pairs = of[of["seed"].notna()].groupby(["network", "data"]).size().index
    covered = of[(of["over"] == "models") & of["seed"].isna()].groupby(["network", "data"])["n"].max()
    counts = covered.reindex(pairs).fillna(1).astype(int)
    assert len(covered)
    least, most = counts.min(), counts.max()
    found = re.search(r"of each on each image set (\d+)(?: to (\d+))?, ", told)
    assert (int(found[1]), int(found[2] or found[1])) == (least, most)


def test_further_networks_of_an_ensemble_are_not_counted(answers, committed):
    _, rows = committed("comparison")
    further = rows[rows["table"] == "members"]
    assert set(further["seed"].dropna()) - set(rows[rows["table"] == "detection"]["seed"].dropna())
    assert answers("comparison")["Networks"] == (
        "2 architectures; of each on each image set 3, from seeds of their own"
    )


def train_images(chapter, run):
    """Checksum of what the network of this run learns from, by the chapter's own code, in a small form of it."""
    p = CHAPTERS[chapter].parameters()
    if chapter == "misclassification":
        from mistrust.misclassification.experiment import image_sets

        return image_sets(p(train_images=200))[0].checksum  # knows no run
    if chapter == "robustness":
        from mistrust.robustness.experiment.subjects import Trained

        return Trained(p(), p().data, p().networks[0], "all", run).train.checksum
    if chapter == "monitoring":
        from mistrust.monitoring.experiment.system import System

        return System(p(), p().data[0], p().architectures[0], run).material.train.checksum
    if chapter == "comparison":
        from mistrust.comparison.experiment.subjects import Subject

        return Subject(p(), p().data[0], run).train.checksum
    if chapter == "search":
        from mistrust.search.mechanisms.parts import drawn

        return drawn(load("digits", "train"), run, (400, 100, 200))[0].checksum
    raise AssertionError(chapter)


def test_what_is_said_of_training_images_is_true():
    for chapter in ("misclassification", "robustness", "monitoring", "comparison", "search"):
        same = train_images(chapter, 0) == train_images(chapter, 1)
        assert ("on the same training images" in checklist.varies(chapter, "models")) == same, chapter
        assert ("training images drawn anew" in checklist.varies(chapter, "models")) != same, chapter


def test_only_what_differs_from_the_common_text_is_told_by_chapter(answers):
    assert {chapter for chapter, _ in checklist.OVER_IN} <= set(CHAPTERS)
    assert all(text != checklist.OVER[over] for (_, over), text in checklist.OVER_IN.items())
    search = answers("search")["What varies in the error bars"]
    assert checklist.varies("search", "models") in search
    assert checklist.varies("search", "images") == checklist.OVER["images"]


def test_what_is_told_to_remake_is_a_short_piece_that_was_accepted_or_none(answers, committed):
    for name in CHAPTERS:
        told = answers(name).get("Remake a piece")
        if told is None:
            continue
        found = re.fullmatch(
            r"`MISTRUST_STORE=\$\(mktemp -d\) mistrust rows compare (\S+) --profile full --piece \"(.*)\"`, (.*)", told
        )
        if name not in remade.SHORT:
            assert told == f"no short piece; `mistrust make {name} --profile full --list` lists all"
            continue
        assert found
        about, _ = committed(name)
        assert found[1] == name
        assert found[2] in remade.SHORT[name]
        assert found[2] in about["pieces"]
        took = remade.minutes(name, found[2])
        assert found[3] == (f"{took:.1f} minutes of one core" if took else "its time was not measured")


@pytest.mark.whole
def test_the_checklist_does_not_depend_on_the_image_sets_at_hand(monkeypatch, answers):
    """The pieces of the profile, which do, are not asked for."""
    before = answers("search")
    monkeypatch.setattr(search, "pieces", lambda parameters: ["one"])
    assert dict(checklist.checklist("search")) == before
    assert re.search(r"\d+ pieces, others lack|all pieces", before["Rows"])


@pytest.mark.whole
def test_html_is_escaped_and_has_a_line_a_question():
    text = checklist.html("search")
    assert text.count("<tr>") == len(QUESTIONS)
    assert "&quot;</code>, " in text
    assert "`" not in text
    assert 'aria-label="Checklist: ' in text


def test_no_such_chapter():
    with pytest.raises(UnknownName, match="search"):
        checklist.html("serach")
