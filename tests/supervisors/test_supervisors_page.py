"""The chapter's page: the code under "Use one" runs as it stands there, and figures show both image sets."""

import json
import re
from pathlib import Path

import pytest
import torch

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "supervisors.ipynb"


@pytest.mark.parametrize("figure", ["spread", "mistaken", "trust", "together", "severity", "evaded"])
def test_a_figure_of_digits_stands_there_of_clothes_too(figure):
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    drawn = [code for code in map("".join, (one["source"] for one in cells)) if f'draw(figures.{figure}, "' in code]
    assert any('"data": digits' in code for code in drawn)
    [clothes] = [code for code in drawn if '"data": "fmnist"' in code]
    assert re.search('name="(evaded-)?clothes"', clothes)


@pytest.mark.whole
def test_the_example_of_the_chapter_gives_alarms():
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    [text] = ["".join(cell["source"]) for cell in cells if "## Use one" in "".join(cell["source"])]
    block, attack = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    # Fewer images and passes: it is the page's calls that are tried.
    quick = block.replace("epochs=4", "epochs=1").replace(
        'load("mnist5k", "train")', 'load("mnist5k", "train").take(slice(0, 600))'
    )
    assert quick.count("epochs=1") == quick.count("slice(0, 600)") == 1
    there = {}
    exec(compile(quick, "supervisors.ipynb", "exec"), there)
    assert there["alarms"].dtype == torch.bool
    assert there["alarms"].shape == (10,)
    assert float(there["monitor"](there["test"]).double().mean()) <= 0.05
    exec(compile(attack, "supervisors.ipynb", "exec"), there)
    assert there["found"].epsilon.isfinite().any()
