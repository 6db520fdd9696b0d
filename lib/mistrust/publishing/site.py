"""The book: what goes into it staged in one folder, built by Sphinx into an empty one, published by a rename.

Staging keeps every relative path of the project, so links to sources hold. A build that fails, or warns under
`strict`, leaves the book that was there. Nothing is built when nothing that goes into the book changed.

There are two books: the whole one, in `_build/html`, and the one to hand out, which lacks the solutions of exercises,
in `_build/handout`. Neither replaces the other.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

import yaml
from filelock import FileLock

from mistrust import __version__, paths
from mistrust.errors import MistrustError
from mistrust.publishing import freshness, staging
from mistrust.publishing.chapters import Chapter

ANSI = re.compile(r"\x1b\[[0-9;]*m")
WARNING = re.compile(r"\b(WARNING|ERROR|CRITICAL|SEVERE):|^Traceback")


def html(*, solutions: bool = True) -> Path:
    """The folder of the built book; without `solutions`, of the one to hand out."""
    return paths.build() / ("html" if solutions else "handout")


def page(chapter: Chapter, *, solutions: bool = True) -> Path:
    """The page of a chapter in the built book."""
    return html(solutions=solutions) / Path(chapter.notebook).with_suffix(".html")


def log(*, solutions: bool = True) -> Path:
    """What Sphinx said at the last build."""
    return paths.build() / ("site.log" if solutions else "handout.log")


def withdraw(chapter: Chapter) -> None:
    """Take a chapter's page out of both built books, which are then built anew at the next call of `build`."""
    for solutions in (True, False):
        page(chapter, solutions=solutions).unlink(missing_ok=True)
        _record(solutions).unlink(missing_ok=True)


def version() -> str | None:
    """The version that the built book says of itself; None where it is not known."""
    found = _read().get("version")
    return None if found is None else str(found)


def stale() -> bool:
    """Whether the built book is another than would be built now; where there is none, it is."""
    paths.build().mkdir(parents=True, exist_ok=True)
    with FileLock(paths.build() / ".site.lock"):
        stage = staging.stage()
        return _read().get("digest") != _digest(stage, {**staging.rows(), **staging.code(stage)})


def build(*, strict: bool = False, force: bool = False, solutions: bool = True) -> tuple[Path, list[str]]:
    """Build the book from the executed chapters; gives the path of its first page, and the warnings.

    Parameters
    ----------
    strict : warnings are errors.
    force : build although nothing changed.
    solutions : with the solutions of exercises; without them it is the book to hand out, in a folder of its own.

    Raises
    ------
    MistrustError
        The book cannot be staged, Sphinx failed, or warned under `strict`; the former book stays.
    """
    paths.build().mkdir(parents=True, exist_ok=True)
    with FileLock(paths.build() / ".site.lock"):  # one build at a time in one folder
        return _build(strict=strict, force=force, solutions=solutions)


def _build(*, strict: bool, force: bool, solutions: bool) -> tuple[Path, list[str]]:
    stage = staging.stage(solutions=solutions)
    beside = {**staging.rows(), **staging.code(stage)}
    digest = _digest(stage, beside)
    index = html(solutions=solutions) / "index.html"
    old = _read(solutions)
    if old.get("digest") == digest and index.is_file() and not force and not (strict and old.get("warnings")):
        return index, list(old.get("warnings", []))
    output = paths.build() / "site"
    shutil.rmtree(output, ignore_errors=True)
    status, said = _sphinx(stage, output, log(solutions=solutions), strict=strict)
    warnings = [line for line in said.splitlines() if WARNING.search(line)]
    made = output / "_build" / "html"
    if status != 0 or (strict and warnings) or not (made / "index.html").is_file():
        shown = warnings[:20] or said.splitlines()[-10:]
        raise MistrustError(
            "The book was not built:\n  " + "\n  ".join(shown) + f"\nAll that was said: {log(solutions=solutions)}"
        )
    _lead_on(made / "index.html", yaml.safe_load((stage / "_config.yml").read_text(encoding="utf-8"))["title"])
    staging.add(beside, made)
    _publish(made, html(solutions=solutions))
    shutil.rmtree(output, ignore_errors=True)
    _write(solutions, {"digest": digest, "version": __version__, "warnings": warnings})
    return index, warnings


def _sphinx(stage: Path, output: Path, log: Path, *, strict: bool) -> tuple[int, str]:
    """Run jupyter-book; gives its exit status and all that it said, which is kept in the log."""
    entry = "from jupyter_book.cli.main import main; main()"  # the package has no __main__
    jupyter_book = [sys.executable, "-c", entry, "build", str(stage), "--path-output", str(output)]
    options = ["-n", "--keep-going", *(["-W"] if strict else [])]
    output.mkdir(parents=True)
    own = {"NO_COLOR": "1", "PYTHONHASHSEED": "0", "MISTRUST_ROOT": str(paths.root())}
    own["PYTHONUTF8"] = "1"  # Windows' own encoding has not all letters of our pages
    done = subprocess.run(
        [*jupyter_book, *options],
        env={**os.environ, **own},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    # Paths are shown as they are in the project, where a reader can mend them, not as they are staged.
    said = ANSI.sub("", done.stdout).replace(f"{stage}{os.sep}", "")
    log.write_text(said, encoding="utf-8")
    return done.returncode, said


def _lead_on(index: Path, title: str) -> None:
    """Write the page that leads on to the first one anew: jupyter-book's has no language, no title and no link."""
    found = re.search(r'url=([^"]+)"', index.read_text(encoding="utf-8"))
    if found is None:
        return  # a book whose first page is the index itself
    to, called = found[1], escape(title)
    index.write_text(
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{called}</title>'
        f'<meta http-equiv="refresh" content="0; url={to}"></head>\n'
        f'<body><p><a href="{to}">{called}</a></p></body></html>\n',
        encoding="utf-8",
    )


def _publish(made: Path, place: Path) -> None:
    """Put a built book in place of the former one by renames."""
    former = place.with_name(f"{place.name}.former")
    shutil.rmtree(former, ignore_errors=True)
    if place.exists():
        place.rename(former)
    made.rename(place)
    shutil.rmtree(former, ignore_errors=True)


def _digest(stage: Path, beside: Mapping[str, Path]) -> str:
    """A hash over every file that goes into the book, the library, and the numbers that pages of prose may read."""
    staged = {path.relative_to(stage).as_posix(): path for path in stage.rglob("*") if path.is_file()}
    digests = {name: freshness.digest(path) for name, path in {**staged, **beside}.items()}
    numbers = freshness.files([paths.published(), paths.results()])
    everything = [__version__, digests, freshness.library(), numbers]
    return hashlib.sha256(json.dumps(everything, sort_keys=True).encode()).hexdigest()


def _record(solutions: bool) -> Path:
    return paths.build() / ("site.json" if solutions else "handout.json")


def _read(solutions: bool = True) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(_record(solutions).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found


def _write(solutions: bool, content: dict[str, Any]) -> None:
    record = _record(solutions)
    part = record.with_suffix(".part")
    part.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    part.replace(record)
