import numpy as np
import pandas as pd
import pytest
import torch

from mistrust import rows as tidy
from mistrust.errors import MistrustError
from mistrust.figures import misclassification as figures

CLASSES = "abc"


@pytest.fixture
def rows():
    """Made-up rows of two networks and their mean: three classes."""
    found = []
    for seed in (0, 1, None):
        for y, a in enumerate(CLASSES):
            for c, b in enumerate(CLASSES):
                if a != b:
                    common = {"condition": "perturbed/all", "at": f"{a}>{b}", "seed": seed, "table": "matrix"}
                    value = 0.25 + 0.5 * (c == (y + 1) % 3)
                    low_high = {"low": value - 0.1, "high": value + 0.1}
                    found.append({**common, "method": "minimum", "metric": "likelihood", "value": value, **low_high})
                    found.append({**common, "method": "confusion", "metric": "share", "value": value})
                    if seed == 0:
                        missed = {"table": "misses", "condition": "clean", "method": "network", "metric": "count"}
                        found.append({**common, **missed, "value": 1})
    return tidy.table(found)


@pytest.mark.whole
def test_the_alt_text_says_what_one_sees(rows):
    heat = figures.matrices(rows, {"minimum": "Likelihood"})
    assert "a for b (75%), b for c (75%), c for a (75%)" in heat.alt


def test_the_matrix_stands_in_order_with_an_empty_diagonal(rows):
    values, classes = figures.matrix(rows, "minimum")
    assert classes == ["a", "b", "c"]
    assert np.isnan(np.diag(values)).all()
    assert values[2, 0] == 0.75


@pytest.mark.whole
def test_equal_rows_give_equal_bytes_and_others_do_not(rows):
    first = figures.matrices(rows, {"minimum": "L"})
    assert first.svg == figures.matrices(rows, {"minimum": "L"}).svg
    rows.loc[rows["at"] == "a>b", "value"] = 0.6
    assert first.svg != figures.matrices(rows, {"minimum": "L"}).svg


def test_a_grid_shows_values_intervals_and_images(rows):
    images = (
        torch.zeros(2, 4, 4, dtype=torch.uint8),
        {"a>b": [0, 1]},
        ["image 7, an a, level 2", "image 9, an a, level 1"],
    )
    html = figures.explorer(rows, "minimum", images).html()
    assert "likelihood 0.750, 95% interval over images 0.650 to 0.850" in html
    assert "not a mistake" in html
    assert "image 7, an a, level 2" in html


def test_missing_rows_are_said(rows):
    with pytest.raises(MistrustError, match="no rows for the matrix by mean"):
        figures.matrices(rows, {"mean": "Mean"})
    with pytest.raises(MistrustError, match="no rows for the matrices by rule"):
        figures.rules(rows[rows["table"] == "misses"])


@pytest.mark.whole
def test_rules_come_in_order_and_tell_each_matrix(all_rows):
    alt = figures.rules(all_rows).alt
    titles = ["minimum (paper)", "0.1% quantile", "1% quantile", "5% quantile", "mean", "mean softmax", "confusion"]
    places = [alt.index(f"{title}: largest cell") for title in titles]
    assert places == sorted(places)
    values, classes = figures.matrix(all_rows, "quantile=0.01")
    top = int(np.nanargmax(values[3]))
    assert f"3 for {classes[top]} ({values[3, top]:.0%})" in alt[places[2] : places[3]]


def test_a_rule_that_was_not_run_is_left_out(few_rows):
    gone = few_rows[few_rows["method"] != "mean"]
    alt = figures.rules(gone, {"minimum": "Paper", "mean": "Mean"}).alt
    assert "Paper: largest cell" in alt
    assert "Mean:" not in alt


def test_a_class_that_was_never_wrong_has_no_row_of_confusion(rows):
    gone = rows[(rows["method"] != "confusion") | ~rows["at"].str.startswith("b>")]
    values, classes = figures.matrix(gone, "confusion")
    assert classes == ["a", "b", "c"]
    assert np.isnan(values[1]).all()
    assert "b for" not in figures.matrices(gone, {"confusion": "Truth"}).alt


def test_the_pooled_matrix_is_another_one(rows):
    pooled = rows[(rows["method"] == "minimum") & (rows["at"] != "a>b")]
    both = tidy.check(pd.concat([rows, pooled.assign(condition="perturbed/pooled", value=0.1)], ignore_index=True))
    assert figures.matrix(both, "minimum", condition="perturbed/pooled")[0][2, 0] == 0.1
    assert figures.matrix(both, "minimum")[0][2, 0] == 0.75


def test_numbers_stand_before_words_and_by_size():
    cells = [{"table": "matrix", "condition": "perturbed/all", "method": "mean", "metric": "likelihood", "value": 1,
              "at": at} for at in ("10>9", "9>bag", "Coat>10")]  # fmt: skip
    assert figures.matrix(tidy.table(cells), "mean")[1] == ["9", "10", "Coat", "bag"]


def test_an_explorer_without_images_still_tells_its_numbers(rows):
    nothing = (torch.empty(0, 4, 4, dtype=torch.uint8), {}, [])
    assert "likelihood 0.750" in figures.explorer(rows, "minimum", nothing).html()
