"""The reproducibility checklist: every chapter answers every question, from its rows."""

import re

import pytest

from mistrust.errors import UnknownName
from mistrust.publishing import checklist, results
from mistrust.publishing.chapters import CHAPTERS

QUESTIONS = ["Rows", "Data", "Networks", "What varies in the error bars", "Made with", "Remake a piece"]


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_with_rows_answers_every_question(name):
    told = dict(checklist.checklist(name))
    rows = results.accepted(name)
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


def test_what_is_told_to_remake_is_a_piece_of_the_profile():
    for name in CHAPTERS:
        told = dict(checklist.checklist(name)).get("Remake a piece")
        if told:
            from mistrust.publishing import profiles

            pieces = CHAPTERS[name].module().pieces(profiles.profile(CHAPTERS[name], "full"))
            assert re.search(r'--piece "(.*)"$', told)[1] in pieces


def test_html_is_escaped_and_has_a_line_a_question():
    text = checklist.html("search")
    assert text.count("<tr>") == len(QUESTIONS)
    assert "&quot;" in text
    assert 'aria-label="Checklist: ' in text


def test_no_such_chapter():
    with pytest.raises(UnknownName, match="search"):
        checklist.html("serach")
