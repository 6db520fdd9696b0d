"""A chapter's notebook before it runs: its one parameter cell, read without running it, checked, and filled in.

papermill accepts unknown names, and a notebook without the tag runs with its own values whatever was asked. Here the
tagged cell is read by `ast`, must hold literals only, and must equal the chapter's `quick` profile. A run writes its
values into that cell, so that the page shows the cell with the values used and no second one.
"""

import ast
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

import nbformat

from mistrust.errors import MistrustError, nearest
from mistrust.publishing.chapters import Chapter
from mistrust.publishing.profiles import profile

TAG = "parameters"
DEFAULT = "quick"


@dataclass(frozen=True)
class Assignment:
    """One parameter in the cell: its name, its value, and where the value's text stands (lines from 0, bytes)."""

    name: str
    value: Any
    start: tuple[int, int]
    end: tuple[int, int]


def load(path: Path) -> nbformat.NotebookNode:
    """Read a notebook; the error names the file and what is wrong with it.

    Cells without an id get one by their place: nbformat would give them a random one, another in each run.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise MistrustError(f"The notebook {path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise MistrustError(f"{path} is no valid notebook: {error}.") from error
    cells = content.get("cells") if isinstance(content, dict) else None
    if not isinstance(cells, list) or not all(isinstance(cell, dict) for cell in cells) or content.get("nbformat") != 4:
        raise MistrustError(f"{path} is no valid notebook of format 4: save it anew with a current Jupyter.")
    content["nbformat_minor"] = 5
    for number, cell in enumerate(cells, start=1):
        cell.setdefault("id", f"cell-{number}")
    if len({cell["id"] for cell in cells}) < len(cells):
        raise MistrustError(f"{path} is no valid notebook: two of its cells have the same id.")
    notebook = cast(nbformat.NotebookNode, nbformat.from_dict(content))
    try:
        nbformat.validate(notebook)
    except nbformat.ValidationError as error:
        raise MistrustError(f"{path} is no valid notebook: {str(error).splitlines()[0]}.") from error
    for cell in notebook.cells:
        cell.source = _text(cell.source)
        for output in cell.get("outputs", []):
            _join_text(output)
    return notebook


def _text(lines: Any) -> str:
    """Text that a file may hold as a list of lines."""
    return "".join(lines) if isinstance(lines, list) else str(lines)


def _join_text(output: nbformat.NotebookNode) -> None:
    """Join the lines of an output's texts, as nbformat's own reader does; what is JSON stays."""
    if "text" in output:
        output.text = _text(output.text)
    for kind, value in output.get("data", {}).items():
        if isinstance(value, list) and not kind.endswith("json"):
            output.data[kind] = _text(value)


def parameter_cell(notebook: nbformat.NotebookNode, path: Path) -> int:
    """The index of the one code cell tagged `parameters`; none or several are refused."""
    tagged = [i for i, cell in enumerate(notebook.cells) if TAG in cell.metadata.get("tags", [])]
    if not tagged:
        raise MistrustError(
            f"{path} has no cell tagged '{TAG}', so parameters would have no effect: tag the cell that sets them."
        )
    if len(tagged) > 1:
        where = " and ".join(str(i + 1) for i in tagged)
        raise MistrustError(f"{path} has {len(tagged)} cells tagged '{TAG}' (cells {where}): keep the tag on one.")
    if notebook.cells[tagged[0]].cell_type != "code":
        raise MistrustError(f"{path}: cell {tagged[0] + 1} is tagged '{TAG}' but is no code cell.")
    return tagged[0]


def assignments(source: str, path: Path) -> list[Assignment]:
    """The assignments of a parameter cell, in order; anything but `name = literal` is refused."""
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        raise MistrustError(
            f"{path}: the '{TAG}' cell is no valid Python, line {error.lineno}: {error.msg}."
        ) from error
    found: dict[str, Assignment] = {}
    for statement in tree.body:
        target, value = _parts(statement)
        line = source.split("\n")[statement.lineno - 1].strip()
        if target is None or value is None:
            raise MistrustError(f"{path}: the '{TAG}' cell may only hold lines 'name = literal', not `{line}`.")
        try:
            literal = ast.literal_eval(value)
        except (ValueError, TypeError) as error:
            raise MistrustError(
                f"{path}: parameter '{target}' is no literal: `{line}`. "
                "Write a number, a text, True, False, None or a list of these."
            ) from error
        if target in found:
            raise MistrustError(f"{path}: parameter '{target}' is set twice in the '{TAG}' cell.")
        start, end = (value.lineno - 1, value.col_offset), (value.end_lineno or 0, value.end_col_offset or 0)
        found[target] = Assignment(target, literal, start, (end[0] - 1, end[1]))
    return list(found.values())


def _parts(statement: ast.stmt) -> tuple[str | None, ast.expr | None]:
    """Name and value of a plain or annotated assignment, else (None, None)."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target: ast.expr = statement.targets[0]
    elif isinstance(statement, ast.AnnAssign):
        target = statement.target
    else:
        return None, None
    return (target.id, statement.value) if isinstance(target, ast.Name) else (None, None)


def check(chapter: Chapter, notebook: nbformat.NotebookNode) -> None:
    """Refuse a notebook whose parameter cell differs from the chapter's dataclass or from its `quick` profile."""
    path = Path(chapter.notebook)
    cell = notebook.cells[parameter_cell(notebook, path)]
    found = {one.name: one.value for one in assignments(cell.source, path)}
    expected = asdict(profile(chapter, DEFAULT))
    for name in found:
        if name not in expected:
            near = nearest(name, list(expected))
            hint = f" Did it mean '{near}'?" if near else ""
            raise MistrustError(f"{path} sets '{name}', which chapter '{chapter.name}' does not have.{hint}")
    missing = [name for name in expected if name not in found]
    if missing:
        raise MistrustError(
            f"{path} does not set {', '.join(missing)}: the '{TAG}' cell must set every parameter of the chapter, "
            f"as {', '.join(f'{name} = {_literal(expected[name])}' for name in missing)}."
        )
    for name, value in found.items():
        wanted = expected[name]
        given = tuple(value) if isinstance(value, list) else value
        if given != wanted or isinstance(given, bool) != isinstance(wanted, bool):
            raise MistrustError(
                f"{path} sets {name} = {value!r}, but profile '{DEFAULT}' in notebooks/profiles.toml says "
                f"{_literal(wanted)}: make them equal."
            )


def fill(notebook: nbformat.NotebookNode, values: Mapping[str, Any], path: Path) -> None:
    """Write values into the parameter cell, in place; what is equal, and every comment, stays as it is written."""
    cell = notebook.cells[parameter_cell(notebook, path)]
    lines = [line.encode() for line in cell.source.split("\n")]
    for one in reversed(assignments(cell.source, path)):
        old = tuple(one.value) if isinstance(one.value, list) else one.value
        new = values[one.name]
        if old == new and isinstance(old, bool) == isinstance(new, bool):
            continue
        (first, column), (last, end) = one.start, one.end
        lines[first : last + 1] = [lines[first][:column] + _literal(new).encode() + lines[last][end:]]
    cell.source = b"\n".join(lines).decode()


def _literal(value: Any) -> str:
    """A value as the notebook would write it: tuples as lists."""
    return repr(list(value)) if isinstance(value, tuple) else repr(value)
