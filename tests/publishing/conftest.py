"""A project of the test's own: a root with one or two tiny chapters, their profiles, and a book of two pages."""

import sys
from functools import cache
from pathlib import Path

import nbformat
import pytest

from mistrust.publishing.acceptance import read_accepted
from mistrust.publishing.chapters import CHAPTERS, Chapter

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))  # for `tiny_project`

PARAMETERS = """networks = 2  # how many
rate = 0.5
data = "digits"
flag = True
levels = [
    1,
    2,  # two of them
]
limit = None"""

SHOW = """import tiny_experiment as tiny
rows = tiny.rows(tiny.Parameters(networks, rate, data, flag, tuple(levels), limit))
print(networks, rate, data, flag, levels, limit, type(flag).__name__)
print(rows["value"].tolist())"""

PROFILES = """
[{name}.smoke]
networks = 1
[{name}.quick]
[{name}.full]
networks = 5
rate = 0.25
levels = [3, 4, 5]
"""

CONFIG = """
title: Tiny
author: nobody
copyright: "2020"
only_build_toc_files: true
exclude_patterns: [_build]
execute: {execute_notebooks: "off"}
sphinx:
  config:
    html_js_files: []
"""


def notebook(*sources, tag=0, tags=("parameters",)):
    """A notebook of these code cells, the parameters' tag on one of them."""
    cells = [nbformat.v4.new_markdown_cell("# A tiny chapter", id="head")]
    for i, source in enumerate(sources):
        cell = nbformat.v4.new_code_cell(source, id=f"cell-{i}")
        if i == tag:
            cell.metadata["tags"] = list(tags)
        cells.append(cell)
    return nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": {"name": "x", "display_name": "an editor's"}})


class Project:
    """The root of a small project; its chapters are in the global table while the test runs."""

    def __init__(self, root, house):
        self.root, self.house = root, house
        self.build = house / "build"
        (root / "notebooks").mkdir(parents=True)
        (root / "book").mkdir()
        (root / "_config.yml").write_text(CONFIG)
        (root / "book" / "intro.md").write_text("# Front page\n\nWords.\n")

    def chapter(self, *sources, name="tiny", **more):
        """Add a chapter, or write its notebook anew."""
        path = self.root / "notebooks" / f"{name}.ipynb"
        nbformat.write(notebook(*(sources or (PARAMETERS, SHOW)), **more), path)
        if name not in CHAPTERS:
            CHAPTERS.add(name, Chapter(name, name.title(), f"notebooks/{name}.ipynb", "tiny_experiment"))
            with (self.root / "notebooks" / "profiles.toml").open("a") as file:
                file.write(PROFILES.format(name=name))
            listed = sorted(p.stem for p in path.parent.glob("*.ipynb"))
            lines = "".join(f"\n  - file: notebooks/{stem}" for stem in listed)
            (self.root / "_toc.yml").write_text(f"format: jb-book\nroot: book/intro\nchapters:{lines}\n")
        return CHAPTERS[name]

    def executed(self, name="tiny"):
        return self.build / "executed" / "notebooks" / f"{name}.ipynb"

    def page(self, name="tiny"):
        return self.build / "html" / "notebooks" / f"{name}.html"

    def output(self, name="tiny"):
        """All that the executed notebook printed."""
        cells = nbformat.read(self.executed(name), as_version=4).cells
        return "".join(o.get("text", "") for cell in cells for o in cell.get("outputs", []))


@pytest.fixture
def project(tmp_path, house, monkeypatch):
    """A project with the chapter `tiny` in place of the real ones."""
    before = dict(CHAPTERS._entries)
    CHAPTERS._entries.clear()
    sys.modules.pop("tiny_experiment", None)  # other tests have experiments of that name, too
    monkeypatch.setenv("MISTRUST_ROOT", str(tmp_path / "root"))
    monkeypatch.setenv("MISTRUST_ENGINE", "inline")
    monkeypatch.setenv("PYTHONPATH", str(HERE))
    monkeypatch.syspath_prepend(str(HERE))
    made = Project(tmp_path / "root", house)
    made.chapter()
    yield made
    CHAPTERS._entries.clear()
    CHAPTERS._entries.update(before)
    sys.modules.pop("tiny_experiment", None)
    from mistrust.store import MAKERS

    MAKERS._entries.pop("tiny-piece", None)


@pytest.fixture(scope="session")
def committed():
    """The accepted full run of a chapter of this checkout: read once for all tests, which change nothing of it."""
    return cache(lambda name: read_accepted(CHAPTERS[name], "full"))


@pytest.fixture
def mistrust(capsys):
    """Call the command line in this process: gives exit status, stdout, stderr."""
    from mistrust.cli import main

    def call(*arguments):
        status = main([str(one) for one in arguments])
        said = capsys.readouterr()
        return status, said.out, said.err

    return call
