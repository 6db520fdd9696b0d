"""The table of main results, and what of each can be made again."""

import re

import pytest

from mistrust.publishing import main_results
from mistrust.publishing.chapters import CHAPTERS
from mistrust.publishing.claims import claims
from mistrust.publishing.ledger import judged_once
from mistrust.publishing.remade import SHORT
from mistrust.publishing.verdicts import TESTS


@pytest.fixture(scope="module")
def page():
    return main_results.html(judged_once())


def test_each_is_a_claim_and_its_piece_a_short_one_of_its_chapter():
    tests = {one.id: TESTS[one.test] for one in claims()}
    for main in main_results.MAIN:
        assert main.piece in ("", *SHORT.get(tests[main.claim].chapter, ()))


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
