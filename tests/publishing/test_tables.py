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
