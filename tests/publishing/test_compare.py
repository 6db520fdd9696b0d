"""The paper, our full run, this run: cells, heads, what is missing, and the HTML."""

import re

import pytest

from mistrust import rows as tidy
from mistrust.errors import MistrustError
from mistrust.publishing import tables
from mistrust.publishing.compare import cell, compare, head, html, number

ACCURACY = {"table": "accuracy", "metric": "accuracy"}


def ours(profile, *records):
    return tidy.table(records, chapter="c", table="accuracy", metric="accuracy", profile=profile, data="mnist")


FULL = ours(
    "full",
    {"at": "test", "value": 0.98053, "low": 0.97812, "high": 0.98231, "n": 10000},
    {"at": "test", "seed": 0, "value": 0.98},
    {"at": "train", "value": 0.99, "n": 60000},
)
RUN = ours("quick", {"at": "test", "value": 0.9, "n": 1000})
PAPER = tidy.table([{"at": "test", "value": 0.9846}], table="accuracy", metric="accuracy", profile="published")


def test_three_columns_and_what_is_missing():
    found = compare(PAPER, FULL, RUN, ACCURACY)
    assert list(found.columns) == [
        "at", "metric", "the paper", "our full run (full, MNIST, n = 10,000 to 60,000)",
        "this run (quick, MNIST, n = 1,000)",
    ]  # fmt: skip
    assert found.to_numpy().tolist() == [
        ["test", "accuracy", "0.9846", "0.9805 [0.9781, 0.9823]", "0.9"],
        ["train", "accuracy", "not printed", "0.99", "not run"],
    ]


def test_networks_and_images_are_counted_apart():
    line = {"profile": "full", "data": "mnist", "over": "models", "n": 5.0}
    assert head("ours", [line]) == "ours (full, MNIST, 5 networks)"
    both = [line, {**line, "over": "images", "n": 3000.0}, {**line, "over": "", "n": 40.0}]
    assert head("ours", both) == "ours (full, MNIST, 5 networks, n = 40 to 3,000)"


def test_nothing_at_all_is_an_empty_table():
    found = compare(PAPER.iloc[:0], tidy.empty(), tidy.empty(), ACCURACY)
    assert list(found.columns) == ["the paper", "our full run", "this run"]
    assert "<caption>none</caption>" in html(found, "none")


def test_lines_come_in_the_order_of_levels():
    rows = ours("full", *({"condition": "b", "level": level, "value": level} for level in (10, 2, 1)))
    assert compare(PAPER.iloc[:0], rows, rows.iloc[:0], ACCURACY)["level"].to_list() == ["1", "2", "10"]


def test_a_seed_that_is_asked_for():
    found = compare(PAPER, FULL, RUN, {**ACCURACY, "seed": 0}, names={"at": "images"})
    assert found["images"].to_list() == ["test"]
    assert found.iloc[0, -2] == "0.98"


def test_the_papers_rows_can_be_chosen_apart():
    assert compare(PAPER, FULL, RUN, ACCURACY, paper={"table": "table9"})["the paper"].to_list() == ["not printed"] * 2


def test_two_rows_for_one_line_are_refused_with_the_way_out():
    rows = ours("full", {"method": "a", "value": 1}, {"method": "b", "value": 2})
    with pytest.raises(
        MistrustError, match=r"Two rows of our full run for the line .* they differ in method: name it in"
    ):
        compare(PAPER, rows, RUN, ACCURACY)
    assert len(compare(PAPER.iloc[:0], rows, RUN.iloc[:0], ACCURACY, by=["method"])) == 2


def test_unknown_column_is_refused():
    with pytest.raises(MistrustError, match=r"no column 'metirc'\. Did you mean 'metric'"):
        compare(PAPER, FULL, RUN, {"metirc": "accuracy"})


@pytest.mark.parametrize(
    ("value", "low", "high", "text"),
    [
        (0.98053, 0.97812, 0.98231, "0.9805 [0.9781, 0.9823]"),
        (0.5, 0.1, 0.9, "0.50 [0.10, 0.90]"),
        (66.3, 60.14, 72.5, "66.3 [60.1, 72.5]"),
        (12345.6, 11000, 13000, "12,346 [11,000, 13,000]"),
        (1.3e-9, 1e-9, 2e-9, "1.3e-09 [1e-09, 2e-09]"),
        (3, 3, 3, "3"),  # networks that agree tell nothing of further ones
        (0.123456, float("nan"), float("nan"), "0.1235"),
        (206922, float("nan"), float("nan"), "206,922"),
        (5, 2, float("inf"), "5 [2, ∞]"),
    ],
)
def test_cells_are_as_exact_as_their_interval(value, low, high, text):
    assert cell({"value": value, "low": low, "high": high}) == text


def test_printed_numbers_keep_their_digits():
    nothing = float("nan")
    assert cell({"value": 1.3045e-4, "low": nothing, "high": nothing}, as_printed=True) == "0.00013045"
    assert cell({"value": 60000, "low": nothing, "high": nothing}, as_printed=True) == "60,000"
    assert number(1234.56) == "1,234.6"


def test_html_has_heads_scope_caption_and_escapes():
    text = html(compare(PAPER, FULL, RUN, ACCURACY, names={"at": "<images>"}), 'Accuracy & "more"')
    assert "<caption>Accuracy &amp; &quot;more&quot;</caption>" in text
    assert ">&lt;images&gt;</th>" in text
    assert '<th scope="row">test</th><th scope="row">accuracy</th><td>0.9846</td>' in text
    assert 'tabindex="0"' in text
    assert not re.search(r"<th(?! scope)[ >]", text)


def test_plain_table():
    frame = FULL[["at", "value"]].iloc[:1]
    assert '<th scope="row">test</th><td>0.98053</td>' in tables.html(frame, "x", kind="plain")
