"""`mistrust make` on a machine that has torch and no Jupyter, as a lent GPU machine or a cluster's node may be."""

import os
import subprocess
import sys

import pytest

# What only notebooks and pages need; imported by none of what makes pieces.
ABSENT = ("nbformat", "nbclient", "papermill", "IPython", "jupyter_client", "jupyter_book", "sphinx", "docutils")
WITHOUT = f"""
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name in {ABSENT!r}:
            raise ModuleNotFoundError(f"No module named '{{name}}'", name=name)

sys.meta_path.insert(0, Absent())
from mistrust.cli import main
sys.exit(main(sys.argv[1:]))
"""


def mistrust(folder, *words):
    places = {"MISTRUST_STORE": f"{folder}/store", "MISTRUST_BUILD": f"{folder}/build", "MISTRUST_PROGRESS": "0"}
    command = [sys.executable, "-c", WITHOUT, *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env=os.environ | places)


@pytest.mark.whole
def test_pieces_are_made_where_there_is_no_jupyter(tmp_path):
    done = mistrust(tmp_path, "make", "misclassification", "--profile", "smoke", "--engine", "inline")
    assert (done.returncode, done.stderr.replace("\n", "")) == (0, "")
    assert "rows in" in done.stdout


@pytest.mark.whole
def test_what_wants_jupyter_says_so_there(tmp_path):
    done = mistrust(tmp_path, "run", "misclassification", "--profile", "smoke")
    assert done.returncode == 2
    assert "`mistrust run` needs the package 'nbformat', which is not installed" in done.stderr
