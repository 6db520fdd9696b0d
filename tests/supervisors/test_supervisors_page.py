"""The code under "Use one" in the chapter runs as it stands there."""

import json
import re
from pathlib import Path

import pytest
import torch

pytestmark = pytest.mark.whole

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "supervisors.ipynb"


def test_the_example_of_the_chapter_gives_alarms():
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    [text] = ["".join(cell["source"]) for cell in cells if "## Use one" in "".join(cell["source"])]
    [block] = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
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
