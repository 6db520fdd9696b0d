"""What a picture is told as: short in its alternative text, whole in the fold beneath."""

import re
from html import unescape

import pytest

from mistrust.figures.told import MORE, MOST, brief, in_full, sentences

HEAD = "Dot plot of AUROC, 0.5 by chance."
NUMBERS = " ".join(f"Set {n}: {'; '.join(f'scorer {m} 0.{n} (.{n}0–.{n}9)' for m in range(15))}." for n in range(6))
LONG = f"{HEAD} {NUMBERS}"
WORDS = " ".join(f"word{n}" for n in range(90)) + "."
LISTED = f"Images of {', '.join(f'kind {n}' for n in range(60))}."
TEXTS = [
    HEAD,
    LONG,
    WORDS,
    LISTED,
    f"{HEAD} {WORDS} {HEAD}",
    "x" * 800 + ".",
    "T-shirt/top & <b>bag</b>: 1; 2." + " A: 1; 2." * 40,
]


def said(fold):
    """The words of a fold, without its name."""
    return unescape(re.sub(r"<[^>]+>", " ", fold.partition("</summary>")[2]))


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("most", [60, MOST, 1000])
def test_the_short_text_is_short_and_says_when_there_is_more(text, most):
    short = brief(text, most)
    assert len(short) <= most
    assert short.endswith(MORE) == (len(text) > most)
    shown = short.removesuffix(MORE).rstrip().removesuffix("…").rstrip()
    assert text.startswith(shown)
    assert shown
    assert brief(text, most, more="").rstrip("… ") in text


@pytest.mark.parametrize("text", TEXTS)
def test_the_fold_leaves_nothing_out(text):
    fold = in_full(text, "a picture", most=10)
    assert re.findall(r"[\w.,()–]+", said(fold)) == re.findall(r"[\w.,()–]+", text.replace(";", " "))
    assert "<b>" not in fold


def test_a_short_text_stands_alone_and_a_long_one_has_a_fold():
    assert [bool(in_full(text, "it")) for text in TEXTS[:3]] == [False, True, True]
    assert in_full(LONG, "a < b").count(": a &lt; b</span></summary>") == 1


def test_whole_sentences_are_kept_and_parts_are_lines_of_their_own():
    assert brief(LONG) == f"{HEAD} {MORE}"  # its second sentence has more characters than an alternative text may have
    assert sentences(LONG)[1].startswith("Set 0: scorer 0 0.0")
    fold = in_full(LONG, "it")
    assert fold.count("<li>") == 6 + 6 * 15
    assert "<li>Set 1:<ul><li>scorer 0 0.1 (.10–.19)</li>" in fold
