"""What full runs took: the page says what the rows' json has, and of how many parts it is known."""

import pytest

from mistrust import rows as tidy
from mistrust.publishing import spent
from mistrust.publishing.chapters import CHAPTERS


@pytest.fixture
def found(monkeypatch):
    """A chapter's accepted rows, of two parts, both recorded."""
    made = enumerate(("0a", "0b", ""))
    rows = tidy.table([{"metric": "accuracy", "seed": i, "value": 0.9, "made": one} for i, one in made], table="t")
    about = {"complete": True, "pieces": ["a", "b"], "core seconds": {"0a": 5400.0, "0b": 3600.0}}
    monkeypatch.setattr(spent, "read_accepted", lambda chapter, profile: (about, rows))
    return about


def test_the_parts_are_summed_where_all_are_known(found):
    assert "<td>2</td><td>2.5 hours of one processor core for 2 of 2 parts</td>" in spent.html()


def test_a_sum_of_some_says_of_how_many(found):
    found["core seconds"] = {"0a": 5400.0}
    assert "<td>1.5 hours of one processor core for 1 of 2 parts; " in spent.html()
    found["core seconds"] = {}
    assert "<td>2</td><td>not recorded</td>" in spent.html()


def test_no_rows_are_no_cost(monkeypatch):
    monkeypatch.setattr(spent, "read_accepted", lambda chapter, profile: None)
    assert spent.html().count("<td>0</td><td>not run</td>") == len(CHAPTERS)


@pytest.mark.whole
def test_the_page_has_a_line_for_every_chapter_with_its_pieces(committed):
    page = spent.html()
    for name, chapter in CHAPTERS.items():
        about, _ = committed(name)
        assert f"{chapter.title}</th><td>{len(about['pieces']):,}</td>" in page
