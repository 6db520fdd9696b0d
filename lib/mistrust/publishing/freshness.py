"""Whether an executed chapter still stands: what it was made from, recorded beside it, against what is there now."""

import ast
import csv
import hashlib
import importlib.metadata
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from mistrust import paths
from mistrust.parameters import Checked
from mistrust.publishing.chapters import Chapter
from mistrust.publishing.manifests import PROCESSOR, manifest

# Modules that no notebook's run reads: verbs, the record itself, and what makes the book of executed notebooks. A test
# holds that nothing else of the library imports them; the book's own digest takes them too (`site`).
ROOF = (
    "cli.py", "publishing/building.py", "publishing/checklist.py", "publishing/commands/", "publishing/freshness.py",
    "publishing/handout.py", "publishing/ledger/", "publishing/main_results.py", "publishing/measured.py",
    "publishing/moved.py", "publishing/preflight.py", "publishing/reference.py",
    "publishing/reference_calls.py", "publishing/reference_page.py", "publishing/release.py", "publishing/remade.py",
    "publishing/site.py", "publishing/sides.py", "publishing/slides.py", "publishing/spent.py", "publishing/status.py",
)  # fmt: skip
# What a page depends on beside the packages that rows depend on.
DRAWING = ("matplotlib", "seaborn", "ipython", "ipykernel", "papermill")
# A text by which code could reach the rows of benchmarks in another way than by `chapter.benchmark`.
PLACE = re.compile(r"^benchmarks?$|benchmarks/")


def digest(path: Path) -> str:
    """20 hex characters of a file's sha256, or "" where there is no file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:20] if path.is_file() else ""


def executed(chapter: Chapter) -> Path:
    """Where the executed notebook lies."""
    return paths.build() / "executed" / chapter.notebook


def record(chapter: Chapter) -> Path:
    """Where it is written what the executed notebook was made from."""
    return paths.build() / "executed" / f"{chapter.name}.json"


def read(chapter: Chapter) -> dict[str, Any]:
    """The record of the last run, empty when there is none or it cannot be read."""
    try:
        found = json.loads(record(chapter).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def write(chapter: Chapter, content: Mapping[str, Any]) -> None:
    """Write a record, whole or not at all."""
    path = record(chapter)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    part.write_text(json.dumps(content, indent=1, sort_keys=True, default=list) + "\n", encoding="utf-8")
    part.replace(path)


def library() -> dict[str, str]:
    """Digests of all modules of the library, by path from `lib/`: any of them can change the book."""
    found = sorted(paths.PACKAGE.rglob("*.py"))
    return {f"lib/mistrust/{path.relative_to(paths.PACKAGE).as_posix()}": digest(path) for path in found}


def read_by_runs() -> dict[str, str]:
    """Digests of the modules that can change what a notebook shows: all but those of `ROOF`."""
    return {name: one for name, one in library().items() if not name.removeprefix("lib/mistrust/").startswith(ROOF)}


def benchmarks(chapter: Chapter) -> dict[str, str]:
    """Digests of what a chapter's page reads of the benchmarks, by path from the project's root.

    Whole files where the notebook names them. Of the others the rows that carry the chapter's name: its claims are
    judged by them. Where the notebook asks for a benchmark in another way than by its name, all files count whole.
    """
    named = asked(chapter)
    found = {}
    for path in sorted((paths.results() / "benchmarks").glob("*.csv")):
        one = digest(path) if named is None or path.stem in named else _own_rows(path, chapter.name)
        if one:
            found[path.relative_to(paths.root()).as_posix()] = one
    return found


def asked(chapter: Chapter) -> set[str] | None:
    """The benchmarks that a notebook's code names, `chapter.benchmark("training")`; None where it may read any."""
    try:
        cells = json.loads(chapter.path.read_text(encoding="utf-8"))["cells"]
        code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
        nodes = list(ast.walk(ast.parse(code)))
    except (OSError, ValueError, KeyError, TypeError, SyntaxError):
        return None
    ways = sum(isinstance(one, ast.Attribute) and one.attr == "benchmark" for one in nodes)
    ways += sum(isinstance(one, ast.Constant) and bool(PLACE.search(str(one.value))) for one in nodes)
    calls = [one for one in nodes if isinstance(one, ast.Call) and ast.unparse(one.func).endswith(".benchmark")]
    names = [one.args[0].value for one in calls if len(one.args) == 1 and isinstance(one.args[0], ast.Constant)]
    return {str(name) for name in names} if len(names) == ways else None


def _own_rows(path: Path, chapter: str) -> str:
    """A digest of a file's rows of one chapter, "" where it has none; of the whole file where that cannot be told."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            head, *rows = csv.reader(file)
        at = head.index("chapter")
        own = [row for row in rows if row[at] == chapter]
    except (ValueError, IndexError, csv.Error):
        return digest(path)
    return hashlib.sha256(json.dumps([head, *own]).encode()).hexdigest()[:20] if own else ""


def files(folders: Iterable[Path]) -> dict[str, str]:
    """Digests of all files in some folders, by path from the project's root."""
    root = paths.root()
    found = sorted(path for folder in folders for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): digest(path) for path in found}


def sources(chapter: Chapter, parameters: Checked) -> dict[str, Any]:
    """Everything that decides what a chapter's page shows, as it is now."""
    drawing = {name: importlib.metadata.version(name) for name in DRAWING}
    data = (paths.published(), paths.results() / chapter.name)
    made_of = manifest(chapter, parameters)
    return {
        "notebook": digest(chapter.path),
        "parameters": made_of["parameters"],
        "inputs": made_of["inputs"],
        "files": {**read_by_runs(), **files(data), **benchmarks(chapter)},
        # A book that was carried to another machine is as good there.
        "versions": {**{name: one for name, one in made_of["versions"].items() if name != PROCESSOR}, **drawing},
    }


def run_rows(chapter: Chapter) -> dict[str, str]:
    """Digests of the chapter's rows of the last run, by file name."""
    folder = paths.run_rows() / chapter.name
    return {path.name: digest(path) for path in sorted(folder.glob("*")) if path.is_file()}


def why(chapter: Chapter, parameters: Checked) -> list[str]:
    """Why the chapter has to be run for these parameters; empty when its executed notebook is fresh."""
    old = read(chapter)
    if not old:
        return ["not run yet"]
    if "failed" in old:
        return ["the last run failed"]
    reasons = changes(old, sources(chapter, parameters))
    found = digest(executed(chapter))
    if not found:
        reasons.append("executed notebook missing")
    elif found != old.get("page"):
        reasons.append("executed notebook altered")
    if run_rows(chapter) != old.get("rows"):
        reasons.append("rows of the run changed")
    return reasons


def changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """What differs between two records of sources, each as a short sentence."""
    reasons = [] if old.get("notebook") == new["notebook"] else ["notebook changed"]
    for part, label in (("parameters", "parameter "), ("inputs", "input "), ("versions", "")):
        before, after = old.get(part, {}), new[part]
        for name in sorted({*before, *after}):
            if before.get(name) != after.get(name):
                sign = ":" if label else ""
                reasons.append(f"{label}{name}{sign} {_shown(before, name)} -> {_shown(after, name)}")
    before, after = old.get("files", {}), new["files"]
    for name in sorted({*before, *after}):
        if name not in after:
            reasons.append(f"{name} is gone")
        elif name not in before:
            reasons.append(f"{name} is new")
        elif before[name] != after[name]:
            reasons.append(f"{name} changed")
    return reasons


def _shown(values: Mapping[str, Any], name: str) -> str:
    return str(values[name]) if name in values else "(none)"
