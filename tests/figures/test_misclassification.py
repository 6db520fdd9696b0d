import re

import matplotlib as mpl
import numpy as np
import pytest
import torch

from mistrust import paths
from mistrust import rows as tidy
from mistrust.errors import MistrustError
from mistrust.figures import misclassification as figures
from mistrust.figures.style import Picture, figure, picture, style
from mistrust.publishing.results import accepted

CLASSES = "abc"


@pytest.fixture
def rows():
    """Made-up rows of two networks and their mean: three classes, two levels."""
    found = []
    for seed in (0, 1, None):
        for level, value in ((1, 0.9), (2, 0.5)):
            found.append({
                "table": "accuracy", "condition": "perturbed/brightness", "level": level, "metric": "accuracy",
                "method": "network", "seed": seed, "value": value, "low": value - 0.1, "high": value + 0.1,
            })  # fmt: skip
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


def test_the_alt_text_says_what_one_sees(rows):
    lines = figures.accuracy_by_level(rows)
    assert "Brightness: 90.0% at level 1, 50.0% at level 2, where single networks lie from 50.0% to 50.0%." in lines.alt
    heat = figures.matrices(rows, {"minimum": "Likelihood"})
    assert "a for b (75%), b for c (75%), c for a (75%)" in heat.alt
    assert "in 3 of 3 rows" in figures.front(rows).alt


def test_what_only_the_other_run_has_is_drawn_too(rows):
    other = rows.assign(condition=rows["condition"].replace("perturbed/brightness", "perturbed/fog"))
    alt = figures.accuracy_by_level(rows, other).alt
    assert "Brightness: 90.0% at level 1" in alt
    assert "Fog, this run: 90.0% at level 1, 50.0% at level 2" in alt


def test_the_matrix_stands_in_order_with_an_empty_diagonal(rows):
    values, classes = figures.matrix(rows, "minimum")
    assert classes == ["a", "b", "c"]
    assert np.isnan(np.diag(values)).all()
    assert values[2, 0] == 0.75


def test_equal_rows_give_equal_bytes_and_others_do_not(rows):
    first = figures.matrices(rows, {"minimum": "L"})
    assert first.svg == figures.matrices(rows, {"minimum": "L"}).svg
    rows.loc[rows["at"] == "a>b", "value"] = 0.6
    assert first.svg != figures.matrices(rows, {"minimum": "L"}).svg


def test_text_is_large_enough_on_a_phone(rows):
    """5 inches are 480 CSS pixels; a phone shows 358 of them: 12 points become 9."""
    with style():
        drawn = figure(3.0)
        axes = drawn.subplots()
        axes.set_xlabel("x")
        sizes = [axes.xaxis.label.get_fontsize(), *(t.get_fontsize() for t in axes.get_xticklabels())]
        assert min(sizes) * 358 / (drawn.get_figwidth() * 96) >= 8.9
    assert mpl.rcParams["svg.hashsalt"] != "mistrust"  # the style ends with its block


def test_a_grid_shows_values_intervals_and_images(rows):
    images = (
        torch.zeros(2, 4, 4, dtype=torch.uint8),
        {"a>b": [0, 1]},
        ["image 7, an a, level 2", "image 9, an a, level 1"],
    )
    html = figures.explorer(rows, "minimum", images).html()
    assert "likelihood 0.750, 95 % interval over images 0.650 to 0.850" in html
    assert "not a mistake" in html
    assert "image 7, an a, level 2" in html


def test_missing_rows_are_said(rows):
    with pytest.raises(MistrustError, match="no rows for the matrix by mean"):
        figures.matrices(rows, {"mean": "Mean"})
    with pytest.raises(MistrustError, match="no rows for the accuracy under perturbations"):
        figures.accuracy_by_level(rows[rows["table"] == "matrix"])


def test_the_front_picture_is_drawn_from_the_accepted_rows():
    """`python scripts/picture.py` draws it; matplotlib's version is pinned, so the bytes are."""
    drawn = figures.front(accepted("misclassification"))
    assert (paths.root() / "book" / "_static" / "result.svg").read_text(encoding="utf-8") == drawn.svg
    said = re.search(r"in (\d+) of (\d+) rows", drawn.alt).group(0)
    for file in ("README.md", "book/intro.md"):
        assert said in (paths.root() / file).read_text(encoding="utf-8")


def test_a_picture_without_words_is_refused():
    with pytest.raises(MistrustError, match="says too little"):
        Picture("<svg/>", "a plot", "", "fig-x")


def test_pictures_carry_no_date():
    with style():
        made = picture(figure(1.0), "an empty figure without any axes", "", "fig-x")
    assert "dc:date" not in made.svg
