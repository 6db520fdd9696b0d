"""The code under "Use it" in the chapter runs as it stands there, and does what the page says."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.whole

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "monitoring.ipynb"
CHECKS = """
from mistrust.monitoring.assembly import assemble
from mistrust.monitoring.benchmark_sets import BenchmarkSet

made = faulty(nominal, "covered", 3)
assert len(made) == len(nominal) == 600
assert made.images[:, :, :14].max() == 0 and made.images[:, :, 14:].equal(nominal.images[:, :, 14:])
assert faulty(nominal, "covered", 1).images[:, :, 2].max() == 0 < faulty(nominal, "covered", 1).images[:, :, 3].max()
stream = assemble(BenchmarkSet("mnist5k", "anomaly", "covered lens", 3, "covered"), nominal)
assert (len(stream), int(stream.out.sum())) == (1200, 600)
"""


def test_the_examples_of_the_chapter_run_one_after_the_other(tmp_path):
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    [text] = ["".join(cell["source"]) for cell in cells if "## Use it" in "".join(cell["source"])]
    ten_lines, own_fault = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    script = tmp_path / "page.py"
    # Fewer images and passes: it is the page's calls that are tried.
    quick = ten_lines.replace("epochs=4", "epochs=1").replace(
        'load("mnist5k", "train")', 'load("mnist5k", "train").take(slice(0, 600))'
    )
    assert quick != ten_lines
    script.write_text(quick + own_fault + CHECKS, encoding="utf-8")
    # In a process of its own: the example adds to the tables that other tests list.
    ended = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    foggy, covered = re.findall(r"'mcc': ?[\w(.]*?(-?[\d.]+)", ended.stdout)
    assert -1 <= float(foggy) <= 1
    assert -1 <= float(covered) <= 1
