"""Whether an executed chapter still stands: what it was made from, recorded beside it, against what is there now."""

import hashlib
import importlib.metadata
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from mistrust import paths
from mistrust.parameters import Checked
from mistrust.publishing.chapters import Chapter
from mistrust.publishing.manifests import PROCESSOR, manifest

# Modules that cannot change what a notebook shows.
ROOF = (
    "cli.py", "publishing/commands/", "publishing/site.py", "publishing/freshness.py", "publishing/preflight.py",
    "publishing/release.py",
)  # fmt: skip
# What a page depends on beside the packages that rows depend on.
DRAWING = ("matplotlib", "seaborn", "ipython", "ipykernel", "papermill")


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
    """Digests of the library's modules that can change a page, by path from `lib/`."""
    found = sorted(paths.PACKAGE.rglob("*.py"))
    named = {path.relative_to(paths.PACKAGE).as_posix(): path for path in found}
    return {f"lib/mistrust/{name}": digest(path) for name, path in named.items() if not name.startswith(ROOF)}


def files(folders: Iterable[Path]) -> dict[str, str]:
    """Digests of all files in some folders, by path from the project's root."""
    root = paths.root()
    found = sorted(path for folder in folders for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): digest(path) for path in found}


def sources(chapter: Chapter, parameters: Checked) -> dict[str, Any]:
    """Everything that decides what a chapter's page shows, as it is now."""
    drawing = {name: importlib.metadata.version(name) for name in DRAWING}
    data = (paths.published(), paths.results() / chapter.name, paths.results() / "benchmarks")
    made_of = manifest(chapter, parameters)
    return {
        "notebook": digest(chapter.path),
        "parameters": made_of["parameters"],
        "inputs": made_of["inputs"],
        "files": {**library(), **files(data)},
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
