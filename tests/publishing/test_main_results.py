"""The table of main results, and what of each can be made again."""

import re

import pandas as pd
import pytest

from mistrust import rows as tidy
from mistrust.publishing import main_results, results
from mistrust.publishing.chapters import CHAPTERS
from mistrust.publishing.claims import claims
from mistrust.publishing.ledger import judged_once
from mistrust.publishing.remade import SHORT
from mistrust.publishing.verdicts import TESTS

pytestmark = pytest.mark.whole


@pytest.fixture(scope="module")
def page():
    return main_results.html(judged_once())


def test_each_is_a_claim_and_its_piece_a_short_one_of_its_chapter():
    tests = {one.id: TESTS[one.test] for one in claims()}
    for main in main_results.MAIN:
        assert main.piece in ("", *SHORT.get(tests[main.claim].chapter, ()))


# By which columns accepted rows tell that they are a piece's own: what its name says.
OWN = {
    "known world": {"condition": "known world", "seed": 0.0},
    "overfit/125 1": {"condition": "overfit/125", "seed": 1.0},
    "authors' rows": {"table": "authors"},
    "fmnist: resnet8-w8 half 0": {"data": "fmnist", "network": "resnet8-w8", "condition": "half", "seed": 0.0},
    "network 0": {"seed": 0.0},
}
NAMED = [main for main in main_results.MAIN if main.piece]


@pytest.mark.parametrize("main", NAMED, ids=lambda main: main.claim)
def test_a_verdict_rests_on_rows_of_the_piece_that_it_names(main):
    """Of the rows that the test read, some were made by that piece."""
    (entry,) = (one for one in judged_once() if one.claim.id == main.claim)
    accepted = results.accepted(entry.test.chapter)
    keys = set(tidy.select(accepted, **OWN[main.piece])["made"]) - {""}
    assert keys, "no accepted row is this piece's: it was not accepted, or is told apart by other columns"
    assert len(keys) < accepted["made"].nunique() / 2, "these columns tell nothing apart"
    assert entry.verdict.rows["made"].isin(keys).any()


@pytest.mark.parametrize("piece", ["overfit/125 1", "known world"])
def test_a_piece_that_others_rest_on_would_not_do(piece):
    """The check above can fail: the replicates of the authors' rows read nothing of these."""
    (entry,) = (one for one in judged_once() if one.claim.id == "adversarial-distance-replicates")
    rows = pd.concat([results.accepted(name) for name in ("search", "ambiguity")])
    keys = set(tidy.select(rows, **OWN[piece])["made"])
    assert not entry.verdict.rows["made"].isin(keys - {""}).any()


def test_every_chapter_of_a_paper_has_one(page):
    named = re.findall(r'<tr><th scope="row">([^<]+)<', page)
    papers = {chapter.title for name, chapter in CHAPTERS.items() if name != "comparison"}
    assert set(named) == papers
    assert len(named) == len(main_results.MAIN)


def test_verdicts_are_the_ledgers_and_lead_there(page):
    words = {one.claim.id: one.verdict.verdict for one in judged_once()}
    for claim, word in re.findall(r'<a href="claims\.html#([^"]+)">([^<]+)</a>', page):
        assert words[claim] == word
        assert word != "not run"


def test_what_is_typed_names_the_piece_or_the_quick_run_with_its_time(page):
    assert "<code>mistrust rows compare search --piece &quot;overfit/125 1&quot;</code>, " in page
    assert re.search(r"<code>mistrust run monitoring</code>, \d+ s", page)
    assert page.count("<code>mistrust r") == len(main_results.MAIN)
