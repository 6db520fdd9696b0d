"""`mistrust check`: every exercise can be answered on the terminal, and every bad answer says what is expected."""

import os
import re
import subprocess
import sys
from argparse import Namespace

import pytest

from mistrust.errors import MistrustError, UnknownName
from mistrust.publishing.chapters import CHAPTERS
from mistrust.publishing.commands.check import CODE, check, every


def run(exercise=None, *answer):
    return check(Namespace(exercise=exercise, answer=list(answer)))


def test_all_exercises_are_listed_with_what_they_ask(capsys):
    assert run() == 0
    said = capsys.readouterr().out
    for (chapter, name), exercise in every().items():
        assert any(line.split()[:2] == [chapter, name] for line in said.splitlines())
        assert exercise.question in said


@pytest.mark.parametrize("answer", ["9/16", "0.5625", "56.25%"])
def test_a_right_answer_is_right_in_every_spelling(answer, capsys):
    assert run("ceiling", answer) == 0
    assert capsys.readouterr().out.startswith("Right: ")


def test_the_label_in_the_book_and_the_chapter_before_it_name_the_same(capsys):
    assert run("ex-ceiling", "0.5625") == run("ambiguity/ceiling", "0.5625") == 0


def test_a_wrong_answer_gives_a_hint_and_status_1(capsys):
    assert run("two-lifts", "1.39", "1.41", "1") == 1
    assert capsys.readouterr().out.startswith("Not yet. ")


def test_an_answer_with_too_few_digits_is_told_how_many_are_asked_for(capsys):
    assert run("ceiling", "56%") == 1
    assert "to four digits" in capsys.readouterr().out


def test_without_an_answer_the_question_is_asked(capsys):
    assert run("sdr") == 0
    said = capsys.readouterr().out
    assert said.startswith("Four queries have the confidences")
    assert "Expected: " in said


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        (("ceilling", "1"), UnknownName, "Did you mean 'ceiling'"),
        (("search/ceiling", "1"), UnknownName, "There is no exercise 'search/ceiling'"),
        (("ceiling", "half"), MistrustError, "'half' is no number: give 0.25, 1/4 or 25%"),
        (("ceiling", "1/0"), MistrustError, "'1/0' is no number"),
        (("ceiling", "1/2/3"), MistrustError, "'1/2/3' is no number"),
        (("ceiling", "1e400"), MistrustError, "'1e400' is no number"),
        (("ceiling", "nan"), MistrustError, "'nan' is no number"),
        (("ceiling", "1/"), MistrustError, "'1/' is no number"),
        (("sdr", "3,33", "2", "1,18"), MistrustError, "'3,33' is no number: use a point, and blanks between numbers"),
        (("ceiling", "1e999999999"), MistrustError, "'1e999999999' is no number"),
        (
            ("ceiling", "56.25"),
            MistrustError,
            r"ceiling' is 56.25, expected .*: mistrust check ceiling ACCURACY\. Per cent",
        ),
        (("two-labels", "88.1", "50.4"), MistrustError, "Per cent are written with their sign: 25%"),
        (("by-chance", "2.67", "17.1"), MistrustError, "to three digits: mistrust check by-chance BY-CONFIDENCE"),
        (("ceiling", "1", "2"), MistrustError, "The answer to 'ceiling' is"),
        (("sdr", "1"), MistrustError, "The answer to 'sdr' is"),
    ],
)
def test_a_bad_answer_is_named_with_the_way_out(given, error, message):
    with pytest.raises(error, match=message):
        run(*given)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_exercise_of_a_page_has_the_name_that_the_command_knows(chapter):
    labels = re.findall(r":label: ex-([\w-]+)", CHAPTERS[chapter].path.read_text(encoding="utf-8"))
    known = [name for of, name in every() if of == chapter]
    assert sorted(labels) == sorted([*known, *(name for name, of in CODE.items() if of == chapter)])


@pytest.mark.parametrize("given", ["race", "ex-race", "robustness/race"])
def test_an_exercise_in_code_is_sent_to_its_chapter(given):
    with pytest.raises(MistrustError, match=r"race' asks for code, .* of the chapter 'robustness'"):
        run(given)


def test_two_exercises_of_one_name_need_their_chapter(monkeypatch):
    twice = {(chapter, "sdr"): exercise for (_, name), exercise in every().items() if name == "sdr"
             for chapter in ("search", "monitoring")}  # fmt: skip
    monkeypatch.setattr("mistrust.publishing.commands.check.every", lambda: twice)
    with pytest.raises(MistrustError, match="name search/sdr or monitoring/sdr"):
        run("sdr", "1", "2", "3")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("sdr 3.33 2 9", "Not yet. The first and the second number are right. Expected errors"),
        ("votes 0.24", "Not yet. It is one minus the right number."),
        ("surprise 3.1623", "Not yet. It is one over the right number."),
        (
            "sdr 3.3 2 1.2",
            "Not yet. The second number is right. The first and the third are close: give more digits. Exp",
        ),
        (
            "sdr 3.3 1.18 2",
            "Not yet. The first is close: give more digits. The second looks like the ratio of the means.",
        ),
        ("surprise 0.447", "Not yet. It looks like the DSA with the second distance measured from the input. Find the"),
        ("unsure 94.868 0.3", "Not yet. The first is a hundred times too large. Write down"),
    ],
)
def test_a_wrong_answer_is_told_what_is_right_in_it_and_what_went_wrong(answer, said, capsys):
    name, *numbers = answer.split()
    assert run(name, *numbers) == 1
    assert capsys.readouterr().out.startswith(said)


def test_where_the_right_number_is_none_no_slip_is_told(capsys):
    """Of 1 and 0 "one minus the right number" would be the answer, and a hundredth of anything is near 0."""
    assert run("distance-linear", "15.3", "1") == 1
    assert capsys.readouterr().out.startswith("Not yet. The first number is right. Move every pixel")


def test_an_answer_is_told_where_the_terminals_encoding_has_no_roots():
    """As on Windows through a pipe: its encoding has no root sign, and the command ended with a traceback."""
    command = [sys.executable, "-m", "mistrust.cli", "check", "t1", "0.7071"]
    ended = subprocess.run(command, env={**os.environ, "PYTHONIOENCODING": "cp1252"}, capture_output=True, check=False)
    assert b"Traceback" not in ended.stderr
    assert ended.returncode == 0
    assert rb"1/\u221a2 = 0.7071" in ended.stdout
