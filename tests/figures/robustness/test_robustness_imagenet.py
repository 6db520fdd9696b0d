"""Table 1 on the page is filled where the paper's own networks were measured: the notebook's cells, made-up rows."""

import json

import pandas as pd
import pytest

from mistrust import paths
from mistrust import rows as tidy
from mistrust.figures import robustness as figures
from mistrust.publishing import page as pages
from mistrust.publishing.chapters import CHAPTERS
from mistrust.robustness.experiment import Parameters

# What a run with torchvision's weights writes of one network (table, method, metric), each number to be found again.
MEASURED = {
    ("networks", "", "top-5 error"): 0.2222, ("networks", "", "parameters"): 61_100_840,
    ("networks", "", "accuracy"): 0.5656, ("random", "fixed-clipped", "mean"): 71.25,
    ("random", "fixed-clipped", "capped mean"): 73.5, ("random", "fixed-clipped", "unbroken"): 0.01,
    ("targeted", "adam", "linf"): 3.375,
}  # fmt: skip


def cells():
    notebook = json.loads((paths.root() / "notebooks" / "robustness.ipynb").read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]


def shown(monkeypatch, data, condition="all"):
    """What the cells on Table 1 put on the page, for a run that measured AlexNet on this image set."""
    rows = tidy.table(
        {"table": t, "method": m, "metric": k, "value": v, "data": data, "network": "alexnet", "condition": condition}
        for (t, m, k), v in MEASURED.items()
    )
    ours = {"table": "random", "method": "fixed-clipped", "data": "mnist5k", "network": "vgg6-w16", "condition": "all"}
    more = tidy.table([{**ours, "metric": "mean", "value": 50.0}, {**ours, "metric": "capped mean", "value": 55.0}])
    run = pd.concat([rows, more], ignore_index=True).assign(chapter="robustness", profile="custom")
    chapter = pages.Page(CHAPTERS["robustness"], Parameters(), "custom", run)
    put = []
    monkeypatch.setattr(pages, "display", lambda what, **_: put.append(getattr(what, "data", what)))
    names = {"chapter": chapter, "figures": figures, "data": "mnist5k"}
    setting = [one for one in next(one for one in cells() if "table1 = " in one).splitlines() if one[:3] != "fro"]
    exec("\n".join(line for line in setting if not line.startswith("chapter = ")), names)
    tables = [one for one in cells() if "(Table 1)" in one or "figures.breaking" in one]
    for one in tables:
        exec(one, names)
    assert len(put) == len(tables) == 4
    return put


@pytest.mark.whole
@pytest.mark.parametrize("data", ["imagenet", "imagenet_sample"])
def test_each_number_of_table_1_stands_beside_the_papers(monkeypatch, data):
    errors, random, targeted, drawn = shown(monkeypatch, data)
    for html, theirs, own in (
        (errors, "0.2091", "0.2222"), (errors, "60,000,000", "61,100,840"), (random, "66.3", "71.25"),
        (targeted, "3.2", "3.375"),
    ):  # fmt: skip
        (line,) = [one for one in html.split("<tr") if f">{theirs}<" in one and "AlexNet<" in one]
        assert f">{own}<" in line
    assert "VGG-6 w16" in random
    assert "image/svg+xml" in drawn


@pytest.mark.whole
def test_random_weights_are_no_result(monkeypatch):
    *tables, _ = shown(monkeypatch, "imagenet_sample", "random weights")
    for html in tables:
        assert not any(one in html for one in ("0.2222", "61,100,840", "71.25", "3.375"))
        assert "not run" in html
