"""What is cut out of a book to hand out, and what is refused since it could not be."""

import json

import nbformat
import pytest

from mistrust.errors import MistrustError
from mistrust.publishing import handout


def notebook():
    cells = [
        nbformat.v4.new_markdown_cell("```{exercise}\nHow many?\n```", id="asked"),
        nbformat.v4.new_code_cell(
            "answer = 'aubergine'", id="told", outputs=[nbformat.v4.new_output("stream", text="quince")],
            metadata={"tags": ["hide-cell", "solution"]},
        ),
        nbformat.v4.new_code_cell("solution = 'kept'", id="kept", metadata={"tags": ["hide-input"]}),
        nbformat.v4.new_code_cell("1", id="plain"),
    ]  # fmt: skip
    return json.loads(nbformat.writes(nbformat.v4.new_notebook(cells=cells)))


def test_solutions_are_cut_with_what_they_printed_and_nothing_else():
    whole = notebook()
    kept = handout.without_solutions(whole)
    assert [cell["id"] for cell in kept["cells"]] == ["asked", "kept", "plain"]
    assert len(whole["cells"]) == 4  # the one given is as it was
    assert handout.without_solutions(kept) == kept
    assert {name: kept[name] for name in kept if name != "cells"} == {n: whole[n] for n in whole if n != "cells"}


def test_all_notebooks_below_a_folder_are_cut(tmp_path):
    page = tmp_path / "notebooks" / "one.ipynb"
    page.parent.mkdir()
    page.write_text(json.dumps(notebook()))
    (tmp_path / "a.md").write_text("The word solution in a sentence, and `{solution}` in code.\n")
    handout.cut(tmp_path)
    text = page.read_text()
    assert "aubergine" not in text
    assert "quince" not in text
    assert "kept" in text
    nbformat.validate(nbformat.reads(text, as_version=4))


@pytest.mark.parametrize("fence", ["```{solution} ex-a\n42\n```", ":::{solution-start} ex-a\n:::"])
@pytest.mark.parametrize("place", ["page.md", "page.ipynb"])
def test_a_solution_that_would_stay_is_refused(tmp_path, fence, place):
    found = f"# Page\n\n{fence}\n"
    if place.endswith(".ipynb"):
        cells = [nbformat.v4.new_markdown_cell(found, id="a")]
        found = nbformat.writes(nbformat.v4.new_notebook(cells=cells))
    (tmp_path / place).write_text(found)
    with pytest.raises(MistrustError, match=r"page\.\w+ has a solution in the directive.*tag 'solution'"):
        handout.cut(tmp_path)
