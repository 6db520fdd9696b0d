"""Tables as HTML: what a cell says."""

import re

import pandas as pd

from mistrust.publishing.tables import EMPTY, html


def test_a_number_that_is_none_is_a_dash_and_text_is_escaped():
    shown = html(pd.DataFrame({"what": ["a < b", "nan"], "value": [float("nan"), 0.5]}), "Of two lines")
    assert '<th scope="row">a &lt; b</th><td>–</td>' in shown
    assert '<th scope="row">nan</th><td>0.5</td>' in shown  # a name is not a number
    assert EMPTY == "–"


def test_a_long_cell_shows_its_beginning_and_nothing_is_lost_or_said_twice():
    frame = pd.DataFrame({"claim": ["one " * 40], "evidence": ["a & b " * 20], "where": ["short"], "key": ["x" * 200]})
    shown = html(frame, "Folded", shown=30)
    assert shown.count("<details>") == 1  # neither the head, nor what is short, nor a word that has no end
    summary, rest = re.search("<summary>(.*) …</summary>(.*)</details>", shown).groups()
    assert f"{summary} {rest}" == "a &amp; b " * 20
    assert len(summary) <= 30
    assert "<details>" not in html(frame, "Whole")


def test_columns_of_short_numbers_stand_close_and_texts_have_room():
    frame = pd.DataFrame({"supervisor": ["Max Softmax"], "1/3": ["0.91"], "FPR at 95% TPR": ["0.20"]})
    least = [float(em) for em in re.findall(r"--least: ([\d.]+)em", html(frame, "Of three columns"))]
    assert least == [6.6, 2.4, 5.5]
    assert "data-head" not in html(frame, "Of three columns")


def test_sentences_too_many_for_a_page_stand_one_below_the_other():
    said = {f"column {i}": "of a few words" for i in range(5)} | {"cost": "a" * 90, "paper": "b" * 90, "none": ""}
    frame = pd.DataFrame([said])
    shown = html(frame, "Cards")
    assert 'class="mistrust-table mistrust-stacked"' in shown
    assert '<td data-head="column 1">' in shown
    assert '<td data-head="paper" class="mt-sentence">' in shown
    assert "<td></td>" in shown  # the style sheet shows no name before nothing
    assert "mistrust-stacked" not in html(frame.drop(columns="paper"), "One sentence alone")
    assert "mistrust-stacked" not in html(frame[["cost", "paper"]], "Two that a page has room for")
    assert "mistrust-stacked" not in html(frame, "Claims", kind="mistrust-claims")
