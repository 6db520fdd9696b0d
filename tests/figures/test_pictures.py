"""What holds for every figure: equal rows give equal bytes, missing rows are said, text is large, words are there."""

import re

import matplotlib as mpl
import numpy as np
import pytest

from mistrust.errors import MistrustError
from mistrust.figures import misclassification as figures
from mistrust.figures.style import Picture, figure, legend_beneath, picture, style

DRAWN = {
    "accuracy": figures.accuracy_by_level,
    "accuracy map": figures.accuracy_heat_map,
    "misses": figures.misses,
    "misclustered": figures.misclustered,
    "rules": figures.rules,
    "agreement": figures.agreement,
    "growth": figures.growth,
    "abstention": figures.abstention,
    "calibration": figures.calibration,
}
# Ticks and numbers of matrices may be smaller than the text, but not below 9 points. Glyphs are drawn at a scale.
SMALLEST = 9


@pytest.mark.whole
@pytest.mark.parametrize("name", DRAWN)
def test_equal_rows_give_equal_bytes_and_others_do_not(few_rows, name, once):
    first = once(DRAWN[name], few_rows)
    assert first == DRAWN[name](few_rows.copy())
    assert first.svg != DRAWN[name](few_rows.assign(value=few_rows["value"] * 0.7)).svg


@pytest.mark.parametrize("name", DRAWN)
def test_no_rows_are_said(few_rows, name):
    with pytest.raises(MistrustError, match=r"There are no rows for the .*: run the chapter, or leave the figure out"):
        DRAWN[name](few_rows.iloc[:0])


@pytest.mark.whole
@pytest.mark.parametrize("name", DRAWN)
def test_figures_are_five_inches_wide_and_no_text_is_tiny(all_rows, few_rows, name, once):
    for rows in (all_rows, few_rows):
        svg = once(DRAWN[name], rows).svg
        assert re.search(r'<svg[^>]* width="360pt"', svg)
        sizes = [100 * float(scale) for scale in re.findall(r"scale\((0\.\d+) -0", svg)]
        assert min(sizes) >= SMALLEST * 0.7  # exponents of a scale are seven tenths of its text
        assert np.median(sizes) >= SMALLEST
        assert max(sizes) == 12


@pytest.mark.whole
@pytest.mark.parametrize("name", DRAWN)
def test_a_mean_without_single_networks_is_drawn(make_rows, name):
    rows = make_rows("abc", ("fog", "snow"), (1, 2, 3), (0, 1))
    if name != "misclustered":  # images belong to one network
        assert "nan" not in DRAWN[name](rows[rows["seed"].isna()]).alt


@pytest.mark.whole
def test_the_idea_needs_no_rows_and_is_always_the_same():
    made = figures.idea()
    alt = made.alt
    near, far = (float(d) for d in re.findall(r"distance (?:D = )?(0\.\d\d)", alt))
    inside = [int(n) for n in re.search(r"(\d+) lie in A's region, (\d+) in that of B, (\d+)", alt).groups()]
    shares = [int(s) for s in re.search(r"(\d+)% for B, (\d+)% for C", alt).groups()]
    # The chapter's formula, worked by hand from the distances that are told.
    assert shares[0] == pytest.approx(100 / near / (1 / near + 1 / far), abs=1)
    assert sum(shares) == 100
    assert sum(inside) == 45
    assert made == figures.idea()


def test_text_is_large_enough_on_a_phone():
    """5 inches are 480 CSS pixels; a phone shows 358 of them: 12 points become 9."""
    with style():
        drawn = figure(3.0)
        axes = drawn.subplots()
        axes.set_xlabel("x")
        sizes = [axes.xaxis.label.get_fontsize(), *(t.get_fontsize() for t in axes.get_xticklabels())]
        assert min(sizes) * 358 / (drawn.get_figwidth() * 96) >= 8.9
    assert mpl.rcParams["svg.hashsalt"] != "mistrust"  # the style ends with its block


def test_a_picture_without_words_is_refused():
    with pytest.raises(MistrustError, match="says too little"):
        Picture("<svg/>", "a plot", "", "fig-x")


def test_pictures_carry_no_date():
    with style():
        made = picture(figure(1.0), "an empty figure without any axes", "", "fig-x")
    assert "dc:date" not in made.svg


@pytest.mark.parametrize(("words", "columns"), [("short", 2), ("longer than half of the picture is wide", 1)])
def test_a_legend_has_as_many_columns_as_fit_and_what_it_takes_in_height(words, columns):
    with style():
        drawn = figure(3)
        axes = drawn.subplots()
        for number in range(4):
            axes.plot([0, 1], label=f"{words} {number}")
        legend_beneath(drawn, ncols=2)
        (legend,) = drawn.legends
        drawn.draw_without_rendering()
        assert len({round(text.get_window_extent().x0) for text in legend.get_texts()}) == columns
        assert legend.get_window_extent().width <= drawn.bbox.width
        assert (drawn.get_figheight() > 3.3) == (columns == 1)


@pytest.mark.filterwarnings("error")
def test_what_has_no_labels_has_no_legend():
    with style():
        drawn = figure(2.0)
        drawn.subplots().plot([0, 1], [0, 1])
        legend_beneath(drawn, ncols=2)
    assert drawn.legends == []
