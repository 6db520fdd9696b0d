from dataclasses import asdict
from pathlib import Path

import nbformat
import pytest

from mistrust.errors import MistrustError
from mistrust.publishing import notebooks, profiles
from mistrust.publishing.chapters import CHAPTERS, Chapter
from mistrust.publishing.profiles import profile

PARAMETERS = """networks = 2  # how many
rate = 0.5
data = "digits"
flag = True
levels = [
    1,
    2,  # two of them
]
limit = None"""


def check(project, *sources, **more):
    chapter = project.chapter(*sources, **more)
    notebooks.check(chapter, notebooks.load(chapter.path))


def test_a_good_notebook_passes(project):
    check(project)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("networks = 2 ", "networks = 1 + 1 ", r"'networks' is no literal: `networks = 1 \+ 1"),
        ("networks = 2 ", "networks = int(2) ", r"'networks' is no literal: `networks = int\(2\)"),
        ("networks = 2 ", "networks = rate = 2 ", r"may only hold lines 'name = literal', not `networks = rate = 2"),
        ("networks = 2 ", "import os\nnetworks = 2 ", r"may only hold lines 'name = literal', not `import os`"),
        ("networks = 2 ", "networks: int\n", r"may only hold lines 'name = literal', not `networks: int`"),
        ("rate = 0.5", "networks = 2", "'networks' is set twice"),
        ("rate = 0.5", "rate = ", r"no valid Python, line 2"),
        ("rate = 0.5", "rates = 0.5", r"sets 'rates', which chapter 'tiny' does not have\. Did it mean 'rate'\?"),
        ("rate = 0.5\n", "", r"does not set rate: .* as rate = 0\.5\."),
        ("rate = 0.5", "rate = 0.25", r"sets rate = 0\.25, but profile 'quick' .* says 0\.5: make them equal"),
        ("flag = True", "flag = 1", r"sets flag = 1, but profile 'quick' .* says True"),
        ("    1,\n", "    3,\n", r"sets levels = \[3, 2\], but profile 'quick' .* says \[1, 2\]"),
        ("limit = None", "limit = 0.5", r"sets limit = 0\.5, but profile 'quick' .* says None"),
    ],
)
def test_a_parameter_cell_is_read_strictly(project, old, new, message):
    assert PARAMETERS.count(old) == 1
    with pytest.raises(MistrustError, match=r"notebooks/tiny\.ipynb.*" + message):
        check(project, PARAMETERS.replace(old, new))


def test_annotated_parameters_are_read_too(project):
    check(project, PARAMETERS.replace("rate = 0.5", "rate: float = 0.5"))


def test_the_tag_must_stand_once(project):
    with pytest.raises(MistrustError, match="has no cell tagged 'parameters', so parameters would have no effect"):
        check(project, PARAMETERS, tags=())
    chapter = project.chapter(PARAMETERS, PARAMETERS)
    two = notebooks.load(chapter.path)
    two.cells[2].metadata["tags"] = ["parameters"]
    with pytest.raises(MistrustError, match=r"has 2 cells tagged 'parameters' \(cells 2 and 3\)"):
        notebooks.check(chapter, two)
    two.cells[1].metadata["tags"] = two.cells[2].metadata["tags"] = []
    two.cells[0].metadata["tags"] = ["parameters"]
    with pytest.raises(MistrustError, match="cell 1 is tagged 'parameters' but is no code cell"):
        notebooks.check(chapter, two)


def test_files_that_are_no_notebooks(project):
    with pytest.raises(MistrustError, match=r"nowhere\.ipynb cannot be read: No such file"):
        notebooks.load(project.root / "nowhere.ipynb")
    path = project.root / "broken.ipynb"
    cell = '{"cell_type": "code", "id": "a", "source": [], "metadata": {}, "outputs": [], "execution_count": null}'
    frame = '{"cells": %s, "metadata": {}, "nbformat": %s, "nbformat_minor": 5}'
    wrong = (frame % (3, 4), frame % ("[]", 3), frame % ("[3]", 4), frame % ('[{"id": "a"}]', 4))
    for text in ("", "{", "[]", *wrong, frame % (f"[{cell}, {cell}]", 4)):
        path.write_text(text)
        with pytest.raises(MistrustError, match=r"broken\.ipynb is no valid notebook"):
            notebooks.load(path)


def test_cells_without_an_id_get_the_same_one_in_each_run(project):
    path = CHAPTERS["tiny"].path
    old = nbformat.read(path, as_version=4)
    old.nbformat_minor = 4
    for cell in old.cells:
        del cell["id"]
    path.write_text(nbformat.writes(old))
    assert [cell.id for cell in notebooks.load(path).cells] == ["cell-1", "cell-2", "cell-3"]
    assert notebooks.load(path) == notebooks.load(path)


def test_what_is_read_is_what_nbformat_reads(project):
    show = nbformat.v4.new_output("display_data", {"text/html": "a\nb\n", "application/json": ["a"]})
    text = nbformat.v4.new_output("stream", text="x\ny\n")
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("a\nb", outputs=[show, text], id="a")])
    path = project.root / "some.ipynb"
    nbformat.write(made, path)
    assert notebooks.load(path) == nbformat.read(path, as_version=4)


def test_values_are_written_into_the_cell_and_all_else_stays(project):
    notebook = notebooks.load(CHAPTERS["tiny"].path)
    values = {**asdict(profile(CHAPTERS["tiny"], "full")), "flag": False, "data": 'a"ü'}
    notebooks.fill(notebook, values, Path("tiny.ipynb"))
    assert notebook.cells[1].source == (
        "networks = 5  # how many\nrate = 0.25\ndata = 'a\"ü'\nflag = False\nlevels = [3, 4, 5]\nlimit = None"
    )


def test_equal_values_leave_the_cell_as_it_is_written(project):
    notebook = notebooks.load(CHAPTERS["tiny"].path)
    notebooks.fill(notebook, asdict(profile(CHAPTERS["tiny"], "quick")), Path("tiny.ipynb"))
    assert notebook.cells[1].source == PARAMETERS


def test_what_is_filled_in_is_what_is_read_back(project):
    """A law: fill, then read, gives the values; for values that text could spoil, after wide characters too."""
    cell = "a = 'é😀'; b = 2\nc = [1,\n 2]  # ö\n\nd: float = -1.5"
    for values in (
        {"a": "x\ny'\"\\", "b": -3, "c": (), "d": 1e-300},
        {"a": "", "b": 0, "c": ("é", "b"), "d": float("1e22")},
        {"a": "😀", "b": True, "c": (None, 1.5), "d": None},
    ):
        made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell, metadata={"tags": ["parameters"]})])
        notebooks.fill(made, values, Path("x"))
        found = {one.name: one.value for one in notebooks.assignments(made.cells[0].source, Path("x"))}
        assert found == {name: list(v) if isinstance(v, tuple) else v for name, v in values.items()}
        assert made.cells[0].source.count("# ö") == 1


@pytest.mark.parametrize("name", CHAPTERS)
@pytest.mark.parametrize("profile", ["smoke", "quick", "full", "paper"])
def test_every_chapter_has_every_profile(name, profile):
    """`make paper` and the workflow on a GPU run all chapters: one that lacks a profile stops them all."""
    assert profile in profiles.names(CHAPTERS[name])
    assert profiles.profile(CHAPTERS[name], profile)  # its values are taken


def test_every_chapter_of_the_book_agrees_with_its_dataclass_and_profiles():
    chapters = [one for one in CHAPTERS.values() if one.path.exists()]
    for chapter in chapters:
        notebooks.check(chapter, notebooks.load(chapter.path))


def test_an_experiment_that_lacks_part_of_the_protocol(project):
    with pytest.raises(MistrustError, match=r"experiment of chapter 'x' \(json\) lacks Parameters, MAKERS, inputs"):
        Chapter("x", "X", "notebooks/x.ipynb", "json").module()
