"""Accuracy by level: what the figures tell equals the rows."""

import re

import pytest

from mistrust import rows as tidy
from mistrust.errors import MistrustError
from mistrust.figures import misclassification as figures


def mean(rows, condition, level):
    found = tidy.select(rows, table="accuracy", condition=condition, level=level)
    return found[found["seed"].isna()]["value"].item()


def panels(picture):
    return len(re.findall(r'<g id="axes_\d+">', picture.svg))


def test_each_panel_tells_where_its_line_begins_and_ends(all_rows, once):
    alt = once(figures.accuracy_by_level, all_rows).alt
    end = tidy.select(all_rows, table="accuracy", condition="perturbed/snow", level=10)
    single = end[end["seed"].notna()]["value"]
    first, last = (mean(all_rows, "perturbed/snow", level) for level in (1, 10))
    assert (
        f"Snow: {first:.1%} at level 1, {last:.1%} at level 10, where single networks range from {single.min():.1%} to "
        f"{single.max():.1%}." in alt
    )
    assert f"Mean of all: {mean(all_rows, 'perturbed/all', 1):.1%} at level 1" in alt


@pytest.mark.whole
def test_there_is_a_panel_a_perturbation_and_one_for_their_mean(all_rows, few_rows, once):
    assert panels(once(figures.accuracy_by_level, all_rows)) == 13
    assert panels(once(figures.accuracy_by_level, few_rows)) == 3
    without = few_rows[few_rows["condition"] != "perturbed/all"]
    assert panels(figures.accuracy_by_level(without)) == 2


def test_twelve_panels_are_no_taller_than_two_screens(all_rows, once):
    height = float(re.search(r'<svg[^>]* height="([\d.]+)pt"', once(figures.accuracy_by_level, all_rows).svg)[1])
    assert height <= 12 * 72


@pytest.mark.whole
def test_what_only_the_other_run_has_is_drawn_too(make_rows, few_rows):
    other = make_rows("ab", ("frost",), (1, 2))
    drawn = figures.accuracy_by_level(few_rows, other)
    assert f"Frost, this run: {mean(other, 'perturbed/frost', 1):.1%} at level 1" in drawn.alt
    assert drawn.alt.endswith("A dashed line is the mean of this run.")
    assert panels(drawn) == 4


def test_one_network_has_no_spread(few_rows, once):
    assert "single networks" not in once(figures.accuracy_by_level, few_rows).alt


@pytest.mark.whole
def test_the_heat_map_tells_each_row_and_the_extremes(all_rows):
    alt = figures.accuracy_heat_map(all_rows).alt
    for name in ("fog", "zoom_blur"):
        ends = [mean(all_rows, f"perturbed/{name}", level) for level in (1, 10)]
        title = name.replace("_", " ").capitalize()
        assert f"{title} {ends[0]:.1%} at level 1 to {ends[1]:.1%} at level 10" in alt
    last = tidy.select(all_rows, table="accuracy", level=10)
    last = last[last["seed"].isna() & (last["condition"] != "perturbed/all")]["value"]
    assert f"lowest with {last.min():.1%}" in alt
    assert f"highest with {last.max():.1%}" in alt


@pytest.mark.whole
def test_the_heat_map_of_one_network_is_its_own(all_rows):
    own = tidy.select(all_rows, table="accuracy", condition="perturbed/fog", level=1, seed=1)["value"].item()
    assert f"Fog {own:.1%} at level 1" in figures.accuracy_heat_map(all_rows, seed=1).alt


def test_a_heat_map_leaves_blank_what_is_missing(few_rows):
    gone = few_rows[(few_rows["condition"] != "perturbed/fog") | (few_rows["level"] != 5)]
    alt = figures.accuracy_heat_map(gone).alt
    assert re.search(r"Fog [\d.]+% at level 1 to [\d.]+% at level 2;", alt)
    assert "Fog is lowest" not in alt


@pytest.mark.parametrize("draw", [figures.accuracy_by_level, figures.accuracy_heat_map])
def test_no_perturbation_is_said(few_rows, draw):
    with pytest.raises(MistrustError, match="no rows for the accuracy under perturbations"):
        draw(few_rows[few_rows["condition"] == "clean"])
