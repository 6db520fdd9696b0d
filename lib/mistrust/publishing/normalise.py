"""An executed notebook after its run: judged, cleaned of all that differs between two runs, and made ready to publish.

What differs without meaning: papermill's and nbclient's timings, kernel names and versions, the chunks in which a
stream arrived, addresses of objects. What is taken out on purpose: stderr, once it was searched for warnings.
"""

import re
from dataclasses import dataclass

from nbformat import NotebookNode

from mistrust.errors import MistrustError

ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]{4,}")
# A line of stderr that a reader ought to hear of; progress bars and log chatter are not.
ALARM = re.compile(r"\b\w*(Warning|Error|Exception)\b|^Traceback|\b(WARNING|ERROR|CRITICAL)\b")
ANSI = re.compile(r"\x1b\[[0-9;]*m")
FIGURE = "mistrust"
MARK = "papermill-error-cell-tag"


@dataclass(frozen=True)
class Failure:
    """The first cell that went wrong: its number among all cells (from 1), the line that failed, the error."""

    cell: int
    line: str
    error: str
    message: str

    def __str__(self) -> str:
        """One short text for the terminal."""
        error = "" if _of_the_house(self.error) else f"{self.error}: "  # our own messages say all
        return f"cell {self.cell} failed\n  {self.line}\n  {error}{self.message}"


def failure(notebook: NotebookNode, trouble: str = "", begun: int = -1) -> Failure | None:
    """The first cell with an error, or the one in which the run stopped, or None when all ran well.

    A killed kernel leaves every cell marked as completed, so only execution counts and error outputs are believed.

    Parameters
    ----------
    trouble : why the run stopped, "Name: message", where it is known.
    begun : index of the last cell that was begun, where it is known: there a dead kernel died.
    """
    # The red cells that papermill puts in are taken out first, so that numbers are those of the source.
    notebook.cells = [cell for cell in notebook.cells if MARK not in cell.metadata.get("tags", [])]
    missing: int | None = None
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type != "code" or not cell.source.strip():
            continue
        for output in cell.outputs:
            if output.output_type == "error":
                return Failure(
                    index + 1, _failing_line(cell, output), output.ename, _short(output.evalue, output.ename)
                )
        if cell.execution_count is None and missing is None:
            missing = index
    if missing is None and not trouble:
        return None
    where = begun if begun >= 0 else missing or 0
    name, _, message = (trouble or "NotRun: the cell never ran").partition(": ")
    if name == "DeadKernelError":
        message = "the kernel died in this cell (killed, or out of memory?)"
    return Failure(where + 1, first_line(notebook.cells[where].source), name, _short(message, name))


def first_line(source: str) -> str:
    """The first line of a cell that is neither empty nor a comment (else the first one), at most 100 characters."""
    lines = [line.strip() for line in source.splitlines() if line.strip()]
    code = [line for line in lines if not line.startswith(("#", "%"))]
    return (code or lines or [""])[0][:100]


def _failing_line(cell: NotebookNode, error: NotebookNode) -> str:
    """The line of the cell in which an error arose, as its traceback tells, else the cell's first line."""
    trace = ANSI.sub("", "\n".join(error.get("traceback", [])))
    told = re.findall(rf"Cell In ?\[{cell.execution_count}\], line (\d+)", trace)
    lines = cell.source.splitlines()
    if told and int(told[-1]) <= len(lines) and (line := lines[int(told[-1]) - 1].strip()):
        return str(line)[:100]
    return first_line(cell.source)


def _short(message: str, error: str) -> str:
    """At most 12 lines of 300 characters; an error of the house is left whole, since its end says the way out."""
    lines = [line for line in str(message).strip().splitlines() if line.strip()]
    if not _of_the_house(error):
        lines = [line[:300] for line in lines[:12]]
    return "\n  ".join(lines) or "(no message)"


def _of_the_house(name: str) -> bool:
    """Whether this is the name of a class of errors of ours."""
    kinds: list[type] = [MistrustError]
    for kind in kinds:
        kinds.extend(kind.__subclasses__())
    return name in {kind.__name__ for kind in kinds}


def alarms(notebook: NotebookNode) -> list[str]:
    """Warnings and errors that cells wrote to stderr, each as "cell 4: text"."""
    found: dict[str, None] = {}
    for index, cell in enumerate(notebook.cells):
        for output in cell.get("outputs", []):
            if output.output_type == "stream" and output.name == "stderr":
                for line in re.split(r"[\r\n]+", output.text):
                    if ALARM.search(line):
                        found[f"cell {index + 1}: {line.strip()[:300]}"] = None
    return list(found)


def clean(notebook: NotebookNode) -> None:
    """Remove, in place, all that two runs of the same notebook do not share, and stderr."""
    notebook.metadata.pop("papermill", None)
    notebook.metadata.pop("widgets", None)
    notebook.metadata["kernelspec"] = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook.metadata["language_info"] = {"name": "python", "pygments_lexer": "ipython3"}
    for cell in notebook.cells:
        for key in ("papermill", "execution", "ExecuteTime"):
            cell.metadata.pop(key, None)
        if not cell.metadata.get("tags", True):
            cell.metadata.pop("tags")  # papermill adds an empty list
        if cell.cell_type == "code":
            cell.outputs = _joined(cell.outputs)
            for output in cell.outputs:
                _without_addresses(output)


def _joined(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """The outputs without stderr; neighbouring pieces of stdout become one."""
    kept: list[NotebookNode] = []
    for output in outputs:
        if output.output_type == "stream":
            if output.name == "stderr":
                continue
            if kept and kept[-1].output_type == "stream":
                kept[-1].text += output.text
                continue
        kept.append(output)
    return kept


def _without_addresses(output: NotebookNode) -> None:
    if output.output_type == "stream":
        output.text = ADDRESS.sub("at 0x0", output.text)
        return
    for kind in ("text/plain", "text/html", "text/markdown"):
        if isinstance(output.get("data", {}).get(kind), str):
            output.data[kind] = ADDRESS.sub("at 0x0", output.data[kind])


def place_figures(notebook: NotebookNode) -> None:
    """Move each figure's alt text, caption and name from its output to its cell, where Sphinx looks for them.

    Raises
    ------
    MistrustError
        A cell that shows a figure and something else (the caption would stand twice), a figure without alt text,
        caption or name, a name given to two figures.
    """
    named: dict[str, int] = {}
    for index, cell in enumerate(notebook.cells):
        shown = [o for o in cell.get("outputs", []) if o.output_type in ("display_data", "execute_result")]
        figures = [output for output in shown if FIGURE in output.metadata]
        if not figures:
            continue
        if len(shown) > 1:
            raise MistrustError(
                f"Cell {index + 1} shows a figure and {len(shown) - 1} more: a figure needs a cell of its own."
            )
        about = figures[0].metadata.pop(FIGURE)
        image = any(kind.startswith("image/") for kind in figures[0].data)
        needed = ("alt", "caption", "name") if image else ("caption", "name")
        missing = [key for key in needed if not str(about.get(key, "")).strip()]
        if missing:
            raise MistrustError(f"The figure in cell {index + 1} has no {' and no '.join(missing)}.")
        if about["name"] in named:
            raise MistrustError(
                f"Cells {named[about['name']]} and {index + 1} both show a figure named '{about['name']}'."
            )
        named[about["name"]] = index + 1
        own = cell.metadata.setdefault("mystnb", NotebookNode())
        if image:  # an interactive figure carries its alt text inside
            own["image"] = {**own.get("image", {}), "alt": about["alt"]}
        own["figure"] = {**own.get("figure", {}), "caption": about["caption"], "name": about["name"]}
