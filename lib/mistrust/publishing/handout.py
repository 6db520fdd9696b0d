"""What is cut out of the staged pages before a book to hand out is built: the solutions of exercises.

A solution is a code cell with the tag `solution`. It is cut out together with what it printed, before Sphinx reads
the pages, so that neither the pages nor the notebooks to download nor the search index can hold it.
"""

import json
import re
from pathlib import Path
from typing import Any

from mistrust.errors import MistrustError

TAG = "solution"
DIRECTIVE = re.compile(r"^\s*(`{3,}|:{3,})\{solution(-start)?\}", re.MULTILINE)


def cut(folder: Path) -> None:
    """Cut the solutions out of all notebooks below a folder, and refuse what could not be cut.

    Raises
    ------
    MistrustError
        A page writes a solution as text, in the directive `solution`, which is not cut.
    """
    for page in sorted(path for path in folder.rglob("*") if path.suffix in (".ipynb", ".md")):
        text = page.read_text(encoding="utf-8")
        if page.suffix == ".ipynb":
            kept = without_solutions(json.loads(text))
            page.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
            text = "\n".join("".join(cell.get("source", "")) for cell in kept["cells"])
        if DIRECTIVE.search(text):
            raise MistrustError(
                f"{page.relative_to(folder)} has a solution in the directive 'solution', which a book to hand out "
                f"would show: put it into a code cell with the tag '{TAG}'."
            )


def without_solutions(notebook: dict[str, Any]) -> dict[str, Any]:
    """A notebook, as read from JSON, without the cells tagged `solution`; the one given is not changed."""
    cells = [cell for cell in notebook["cells"] if TAG not in cell.get("metadata", {}).get("tags", ())]
    return {**notebook, "cells": cells}
