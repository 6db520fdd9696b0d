"""The table of pieces that were made again."""

import pytest

from mistrust import rows as tidy
from mistrust.errors import MistrustError
from mistrust.publishing.chapters import CHAPTERS
from mistrust.publishing.profiles import profile
from mistrust.publishing.remade import HEADS, SHORT, minutes, remade
from mistrust.search.experiment.pieces import AUTHORS


def measured(chapter, piece, **metrics):
    where = {"table": "pieces", "condition": chapter, "at": piece, "method": "fast", "note": "one core"}
    return [{**where, "metric": name.replace("_", " "), "value": value} for name, value in metrics.items()]


@pytest.mark.whole
def test_each_piece_is_a_line_the_shortest_first():
    long = measured(
        "search", "a <b>", core_minutes=12.34, peak_megabytes=1234.6, numbers=1000, equal=990, reproduce=998
    )
    short = measured(
        "misclassification",
        "network 0",
        core_minutes=2,
        peak_megabytes=700,
        numbers=50,
        equal=50,
        reproduce=50,
    )
    slow = [{**one, "method": "slow", "value": 40} for one in short]  # its minutes too: the piece stays in its place
    page = remade(tidy.table([*long, *slow, *short], chapter="benchmarks"))
    first, beside, second = page.split("<tbody>")[1].split("</tr>")[:3]
    assert "<td>network 0</td><td>fast</td><td>50</td><td>all</td><td>2.0</td><td>700</td><td>5</td>" in first
    assert "<td>network 0</td><td>slow</td><td>40</td><td>all</td><td>40.0</td>" in beside
    assert "<td>a &lt;b&gt;</td><td>fast</td><td>1,000</td><td>990; 998 with those inside an interval</td>" in second
    assert page.count('scope="col"') == len(HEADS)
    assert "made again on one core" in page


@pytest.mark.whole
def test_the_committed_rows_make_a_table():
    page = remade()
    assert page.count("<tr>") > 2
    assert "nan" not in page


def test_without_rows_it_says_how_to_measure_them():
    with pytest.raises(MistrustError, match=r"benchmarks/pieces\.py"):
        remade(tidy.empty())


def test_short_pieces_are_pieces_of_the_full_run():
    """The authors' rows are one only where their file is at hand."""
    for chapter, names in SHORT.items():
        assert {*names} - {AUTHORS} <= set(CHAPTERS[chapter].module().pieces(profile(CHAPTERS[chapter], "full")))


def test_measured_minutes_and_none_where_nothing_was_measured():
    assert 0 < minutes("misclassification", "network 0") < 60
    assert minutes("misclassification", "network 1") is None
