"""What goes into the book, gathered in `_build/stage` under the project's own relative paths."""

import json
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from mistrust import __version__, paths
from mistrust.errors import MistrustError
from mistrust.publishing import freshness, handout
from mistrust.publishing.chapters import CHAPTERS, Chapter
from mistrust.publishing.offered import offered, run_file, write

CONFIG, TOC = "_config.yml", "_toc.yml"
CODE = re.compile(r"code/(mistrust/[\w/]+)\.py\.txt")
LEDGER = re.compile(r"^(`{3,}|:{3,})\{ledger\}", re.MULTILINE)  # this page's links are made when the book is
TESTS = "publishing/claim_tests"


def toc() -> dict[str, Any]:
    """The table of contents as it is committed."""
    path = paths.root() / TOC
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise MistrustError(f"The table of contents cannot be read: {path}: {error.strerror}.") from error
    except yaml.YAMLError as error:
        raise MistrustError(f"{path} is not valid YAML: {error}") from error
    if not isinstance(content, dict):
        raise MistrustError(f"{path} must be a mapping with 'format' and 'root'.")
    return content


def chapters() -> list[Chapter]:
    """The chapters that the table of contents names, in its order."""
    listed = list(_files(toc()))
    known = {_document(chapter): chapter for chapter in CHAPTERS.values()}
    for name in listed:
        if name.startswith("notebooks/") and name not in known:
            raise MistrustError(
                f"{TOC} names '{name}', which is no chapter's notebook. Chapters have: {', '.join(sorted(known))}."
            )
    return [known[name] for name in listed if name in known]


def stage(*, solutions: bool = True) -> Path:
    """Gather configuration, pages, executed chapters and `build.json`; chapters not executed are left out.

    Parameters
    ----------
    solutions : with the solutions of exercises; else they are cut out here, so that nothing made later can hold them.

    Raises
    ------
    MistrustError
        A file that the book needs is not there, or a solution stands where it cannot be cut out.
    """
    root, folder = paths.root(), paths.build() / "stage"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if not (root / CONFIG).is_file():
        raise MistrustError(f"The book's configuration is missing: {root / CONFIG}.")
    shutil.copyfile(root / CONFIG, folder / CONFIG)
    shutil.copytree(root / "book", folder / "book", ignore=shutil.ignore_patterns("__pycache__", ".*"))
    here = [chapter for chapter in chapters() if freshness.executed(chapter).is_file()]
    for chapter in here:
        target = folder / chapter.notebook
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(freshness.executed(chapter), target)
    if not solutions:
        handout.cut(folder)
    absent = {_document(chapter) for chapter in chapters()} - {_document(chapter) for chapter in here}
    shown = _without(toc(), absent)
    (folder / TOC).write_text(yaml.safe_dump(shown, sort_keys=False, allow_unicode=True), encoding="utf-8")
    about = {"version": __version__, "profile": _profile(here), "rows_date": rows_date()}
    about |= {} if solutions else {"handout": "without solutions"}
    (folder / "build.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    return folder


def rows() -> dict[str, Path]:
    """The row files that pages link, by their path in the book: `rows/<chapter>/<table>.<profile>.csv`.

    Accepted rows stand under their own names, those of a run under the name that `run_file` gives, large files packed.
    """
    found: dict[str, Path] = {}
    for chapter in chapters():
        for path in sorted((paths.results() / chapter.name).glob("*.csv")):
            found[f"rows/{chapter.name}/{offered(path)}"] = path
        for path in sorted((paths.run_rows() / chapter.name).glob("*.csv")):
            table, _, profile = path.stem.rpartition(".")
            found.setdefault(f"rows/{chapter.name}/{run_file(chapter.name, table, profile)}", path)
    for path in sorted((paths.results() / "benchmarks").glob("*.csv")):
        found[f"rows/benchmarks/{offered(path)}"] = path
    return found


def code(stage: Path) -> dict[str, Path]:
    """The library's modules that staged pages link, by their path in the book: `code/mistrust/figures/x.py.txt`.

    As text under another name, so that a browser shows it, whatever serves the book.
    """
    found: dict[str, Path] = {}
    for page in sorted(path for path in stage.rglob("*") if path.suffix in (".ipynb", ".md")):
        text = page.read_text(encoding="utf-8")
        if LEDGER.search(text):
            modules = sorted((paths.PACKAGE / TESTS).rglob("*.py"))
            found.update({f"code/mistrust/{path.relative_to(paths.PACKAGE).as_posix()}.txt": path for path in modules})
        for name in CODE.findall(text):
            module = paths.PACKAGE.parent / f"{name}.py"
            if not module.is_file():
                raise MistrustError(f"{page.relative_to(stage)} links the code of {name}.py, which does not exist.")
            found[f"code/{name}.py.txt"] = module
    return found


def add(files: Mapping[str, Path], book: Path) -> None:
    """Put files into a built book."""
    for name, path in files.items():
        write(path, book / name)


def rows_date() -> str:
    """The day of the last commit that touched accepted rows, "" where there is none.

    Not today: two builds of the same state must be equal.
    """
    command = ["git", "log", "-1", "--format=%cs", "--", str(paths.results())]
    try:
        done = subprocess.run(command, cwd=paths.root(), capture_output=True, text=True, check=False)
    except OSError:  # no git on this machine
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _profile(here: list[Chapter]) -> str:
    labels = {str(freshness.read(chapter).get("profile", "custom")) for chapter in here}
    return labels.pop() if len(labels) == 1 else ("mixed" if labels else "none")


def _document(chapter: Chapter) -> str:
    return str(Path(chapter.notebook).with_suffix("").as_posix())


def _files(entry: Any) -> list[str]:
    """All `file` entries of a table of contents, in order, without suffix."""
    if isinstance(entry, list):
        return [name for one in entry for name in _files(one)]
    if not isinstance(entry, dict):
        return []
    own = [_plain(entry["file"])] if "file" in entry else []
    return own + [name for key in ("chapters", "sections", "parts") for name in _files(entry.get(key, []))]


def _without(entry: Any, absent: set[str]) -> Any:
    """The table of contents without some files, nor lists and parts that this leaves empty."""
    if isinstance(entry, list):
        kept = [_without(one, absent) for one in entry if not _is(one, absent)]
        return [one for one in kept if not (isinstance(one, dict) and set(one) <= {"caption", "numbered", "maxdepth"})]
    if isinstance(entry, dict):
        reduced = {key: _without(value, absent) for key, value in entry.items()}
        return {key: value for key, value in reduced.items() if value != [] or entry[key] == []}
    return entry


def _is(entry: Any, absent: set[str]) -> bool:
    return isinstance(entry, dict) and "file" in entry and _plain(entry["file"]) in absent


def _plain(name: Any) -> str:
    return str(name).removesuffix(".ipynb").removesuffix(".md")
