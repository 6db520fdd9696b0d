"""The code under "Use it" in the chapter runs as it stands there, and prints how each matrix does."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.whole

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "misclassification.ipynb"
LINE = r"^{}: top confusion right in (\d+) of (\d+) classes, rank correlation (-?\d\.\d\d)$"


def test_the_example_of_the_chapter_judges_both_matrices(tmp_path):
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    [text] = ["".join(cell["source"]) for cell in cells if "## Use it" in "".join(cell["source"])]
    [code] = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    (asked,) = re.findall(r"`(likelihood\(near\)\[3\].*?)`", text)
    script = tmp_path / "page.py"
    script.write_text(f"{code}\nassert 3 not in {asked}.indices.tolist()\n", encoding="utf-8")
    ended = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    for name in ("MLM", "softmax"):
        [(right, of, rank)] = re.findall(LINE.format(name), ended.stdout, re.MULTILINE)
        assert 0 <= int(right) <= int(of) <= 10
        # Ten classes, 500 noisy images: both tell much more than nothing here.
        assert float(rank) > 0.1
