"""The report of an assessment in a real browser: what its colours hide, in light and dark."""

import pytest

from mistrust.assess import blocks
from mistrust.assess.page import _part

SHARES = [i / 40 for i in range(41)]


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_numbers_of_a_heat_map_can_be_read_at_every_share(visit, axe, tmp_path, mode):
    # A column each, since of cells alike but for their colour one is looked at.
    heat = blocks.Heat("Shares", "row", ["a"], [f"{i}" for i in range(len(SHARES))], [SHARES], 0.0, 1.0,
                       marked=frozenset({(0, 40)}))  # fmt: skip
    path = tmp_path / "report.html"
    text = f"<style>{_part('page.css')}</style><main><h1>Report</h1><section>{heat.html()}</section></main>"
    path.write_text(f'<!doctype html><html lang="en"><title>Report</title>{text}</html>', encoding="utf-8")
    page = visit(path.as_uri(), mode=mode).page
    assert axe(page, "main", "colours") == []
    ratios = page.eval_on_selector_all(".heat td", CONTRAST)
    assert len(ratios) == len(SHARES)
    assert min(ratios) > 4.5
    assert page.locator(".heat td.marked").text_content() == "1.00, framed"


def test_a_wide_table_with_hidden_words_scrolls_by_itself(visit, tmp_path):
    columns = [f"column {i}" for i in range(12)]
    heat = blocks.Heat("Shares", "row", ["a"], columns, [[0.5] * 12], 0.0, 1.0, marked=frozenset({(0, 11)}))
    path = tmp_path / "report.html"
    text = f"<style>{_part('page.css')}</style><main><h1>Report</h1><section>{heat.html()}</section></main>"
    path.write_text(f'<!doctype html><html lang="en"><title>Report</title>{text}</html>', encoding="utf-8")
    page = visit(path.as_uri(), size={"width": 390, "height": 800}).page
    assert page.evaluate("document.querySelector('.scroll').scrollWidth") > 390
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


# Of each cell: its ground over the paper beneath, against its letters.
CONTRAST = """cells => {
  const pen = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const seen = (...colours) => {
    pen.clearRect(0, 0, 1, 1);
    for (const colour of colours) { pen.fillStyle = colour; pen.fillRect(0, 0, 1, 1); }
    return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = rgb => rgb.map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  return cells.map(cell => {
    const own = getComputedStyle(cell), paper = getComputedStyle(cell.closest("section")).backgroundColor;
    const pair = [light(seen(paper, own.backgroundColor)), light(seen(own.color))].sort((a, b) => b - a);
    return (pair[0] + 0.05) / (pair[1] + 0.05);
  });
}"""
