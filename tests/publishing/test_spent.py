"""What full runs took: a sum only where all of it was recorded, and what the page says is what the rows' json has."""

import json

import pytest

from mistrust import paths
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
    assert spent.hours(CHAPTERS["search"]) == "2.5"


@pytest.mark.parametrize(
    "lacking", [{"complete": False}, {"core seconds": {"0a": 5400.0}}, {"core seconds": {}}], ids=str
)
def test_a_sum_of_some_is_no_cost(found, lacking):
    found.update(lacking)
    assert spent.hours(CHAPTERS["search"]) == "not recorded"


def test_no_rows_are_no_cost(monkeypatch):
    monkeypatch.setattr(spent, "read_accepted", lambda chapter, profile: None)
    assert spent.hours(CHAPTERS["search"]) == "not recorded"
    assert "<td>0</td><td>not recorded</td>" in spent.html()


def test_the_page_has_a_line_for_every_chapter_as_the_rows_json_says():
    page = spent.html()
    for chapter in CHAPTERS.values():
        assert chapter.title in page
        if spent.hours(chapter) != "not recorded":
            about = json.loads((paths.results() / chapter.name / "full.json").read_text(encoding="utf-8"))
            assert about["complete"]
            assert float(spent.hours(chapter)) == pytest.approx(sum(about["core seconds"].values()) / 3600, abs=0.05)
