"""The chapter's page: which image set its figures of a single one show."""

import json
import re
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "ambiguity.ipynb"


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (["mnist", "fmnist"], ["mnist"]),
        (["mnist5k"], ["mnist", "mnist5k"]),
        (["fmnist"], ["fmnist"]),  # as the page's own command for clothes asks for
    ],
)
def test_figures_show_digits_unless_a_run_has_clothes_alone(data, shown):
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    [line] = re.findall(r"^digits = .*$", code, re.MULTILINE)
    there = {"data": data}
    exec(line, there)
    assert list(dict.fromkeys(there["digits"])) == shown
