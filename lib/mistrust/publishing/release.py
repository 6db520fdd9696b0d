"""A release: the library as a wheel, the built book as one zip, and their checksums, in a folder of its own.

Two releases of one commit and one book are equal byte for byte on one machine: names are sorted, and every date is
that of the commit (or SOURCE_DATE_EPOCH). All is made beside the folder, which appears by one rename.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mistrust import __version__, paths
from mistrust.errors import MistrustError
from mistrust.publishing import freshness, profiles, site, staging

SUMS = "SHA256SUMS"
# What the library is made of, in the clone; git knows which files of the folder belong to it.
SOURCES = ("lib", "pyproject.toml", "README.md", "LICENSE")
BUILD = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"
FIRST, LAST = 315_532_800, 4_354_819_199  # what a zip can date: 1980 to 2107
SHOWN = 5


@dataclass(frozen=True)
class State:
    """What is released.

    Attributes
    ----------
    version : of the library and the book, from `pyproject.toml`.
    commit : the clone's commit, 40 hex characters.
    changed : files that differ from the commit, or that it lacks; empty where the clone is clean.
    date : seconds since 1970 (UTC) that every file is dated by.
    """

    version: str
    commit: str
    changed: tuple[str, ...]
    date: int


def release(out: Path | None = None, *, profile: str = "quick", dirty: bool = False) -> list[Path]:
    """Write `mistrust-VERSION-py3-none-any.whl`, `mistrust-VERSION-book.zip` and `SHA256SUMS`; gives their paths.

    Parameters
    ----------
    out : a folder that does not exist, is empty, or holds the same release; by default `dist/VERSION`.
    profile : the profile that the book must have been run with.
    dirty : take the clone with changes that are not committed; the zip's comment says so.

    Raises
    ------
    MistrustError
        Nothing is written where the code has two versions or the changelog none of it, the clone has changes, the
        book is missing, stale or of another version or profile, the folder holds something else, or the disk is full.
    """
    state = stand(dirty=dirty)
    folder = Path(out) if out is not None else paths.root() / "dist" / state.version
    names = (f"mistrust-{state.version}-py3-none-any.whl", f"mistrust-{state.version}-book.zip", SUMS)
    _free(folder, names)
    check_book(profile)
    part = folder.with_name(f".{folder.name}.part-{os.getpid()}")
    try:
        part.mkdir(parents=True)
        wheel(part, state.date)
        archive(site.html(), part / names[1], state)
        sums = [f"{hashlib.sha256((part / name).read_bytes()).hexdigest()}  {name}\n" for name in names[:2]]
        (part / SUMS).write_text("".join(sums), encoding="utf-8", newline="\n")
        _place(part, folder, names)
    except OSError as error:
        raise MistrustError(
            f"{error.filename or folder} cannot be written ({error.strerror or error}). No release was made. "
            "Free some space, or name another folder by --out."
        ) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return [folder / name for name in names]


def stand(*, dirty: bool = False) -> State:
    """Version, commit, changes and date of the clone; refuses what must not be released."""
    version = str(tomllib.loads((paths.root() / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"])
    if version != __version__:
        raise MistrustError(
            f"pyproject.toml has version {version} and lib/mistrust/__init__.py {__version__}: set both to one."
        )
    changelog = (paths.root() / "CHANGELOG.md").read_text(encoding="utf-8")
    if not re.search(rf"^## \[?v?{re.escape(version)}(?![\w.])", changelog, re.MULTILINE):
        raise MistrustError(
            f"CHANGELOG.md has no entry for version {version}: say what is new under the heading '## {version}'."
        )
    commit = _git("rev-parse", "HEAD").strip()
    changed = tuple(line[3:] for line in _git("status", "--porcelain").splitlines())
    if changed and not dirty:
        raise MistrustError(
            f"The clone has changes that are in no commit: {_few(changed)}. Commit them, or release all the same by "
            "--dirty."
        )
    return State(version, commit, changed, _date())


def check_book(profile: str) -> None:
    """Refuse a book that is missing, lacks a chapter, or is not what today's code and rows of the profile give."""
    if profile not in profiles.PROFILES:
        profiles.profile(staging.chapters()[0], profile)  # raises, with the nearest name
    again = f"make it by `mistrust book --profile {profile}`"
    if not (site.html() / "index.html").is_file():
        raise MistrustError(f"There is no book in {site.html()}: {again}.")
    version = site.version()
    if version is not None and version != __version__:
        raise MistrustError(f"The book in {site.html()} is of version {version}, the code of {__version__}: {again}.")
    for chapter in staging.chapters():
        old = freshness.read(chapter)
        if not old or "failed" in old:
            why = f"its last run failed: {old['failed']}" if old else "it was not run yet"
            raise MistrustError(f"The book lacks the chapter '{chapter.name}' ({why}): {again}.")
        if old.get("profile") != profile:
            raise MistrustError(
                f"The chapter '{chapter.name}' was run with the profile {old.get('profile', 'custom')}, expected "
                f"{profile}: {again}, or name the other by --profile."
            )
        if reasons := freshness.why(chapter, profiles.profile(chapter, profile)):
            raise MistrustError(f"The chapter '{chapter.name}' is stale ({_few(reasons)}): {again}.")
    if site.stale():
        raise MistrustError(
            f"The book in {site.html()} is stale: its pages, the library or the rows changed since it was built: "
            f"{again}."
        )


def wheel(folder: Path, date: int) -> Path:
    """Build the wheel from the files that git knows, in a copy; no network is used.

    Raises
    ------
    MistrustError
        setuptools is not installed or failed, or the wheel lacks a file of the package.
    """
    root, source = paths.root(), folder / "source"
    listed = _git("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *SOURCES).split("\0")
    files = sorted(name for name in set(listed) if name and (root / name).is_file())
    try:
        for name in files:
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / name, source / name)
            (source / name).chmod(0o644)
        done = subprocess.run(
            [sys.executable, "-c", BUILD, str(folder.resolve())],
            cwd=source,
            env={**os.environ, "SOURCE_DATE_EPOCH": str(date), "PYTHONHASHSEED": "0"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
    finally:
        shutil.rmtree(source, ignore_errors=True)
    if done.returncode != 0:
        said = "\n  ".join(done.stdout.splitlines()[-5:])
        raise MistrustError(f"The wheel was not built:\n  {said}\n`pip install -e .[dev]` brings setuptools.")
    [made] = folder.glob("*.whl")
    with zipfile.ZipFile(made) as content:
        lacking = {name.removeprefix("lib/") for name in files if name.startswith("lib/")} - set(content.namelist())
    if lacking:
        raise MistrustError(
            f"The wheel lacks {_few(sorted(lacking))}: name them in pyproject.toml, [tool.setuptools.package-data]."
        )
    return made


def archive(book: Path, target: Path, state: State) -> None:
    """Pack a built book: one folder at the top, names sorted, every file with the same date and rights."""
    top = target.stem
    date = time.gmtime(state.date)[:6]
    note = ", with changes that are in no commit" if state.changed else ""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as content:
        content.comment = f"mistrust {state.version}, commit {state.commit}{note}".encode()
        for path in sorted((one for one in book.rglob("*") if one.is_file()), key=lambda one: one.as_posix()):
            entry = zipfile.ZipInfo(f"{top}/{path.relative_to(book).as_posix()}", date)
            entry.external_attr = 0o644 << 16
            entry.create_system = 3  # whatever system packs: rights are Unix's
            entry.compress_type = zipfile.ZIP_DEFLATED
            content.writestr(entry, path.read_bytes())


def _free(folder: Path, names: Sequence[str]) -> None:
    """Refuse a folder that holds anything but this release, before the work is done."""
    if folder.exists() and not folder.is_dir():
        raise MistrustError(f"{folder} is a file: name a folder by --out.")
    found = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    other = [name for name in found if name not in names]
    if other:
        what = "another release" if SUMS in found else "other things"
        raise MistrustError(f"{folder} holds {what} ({_few(other)}): name a folder of its own by --out.")


def _place(part: Path, folder: Path, names: Sequence[str]) -> None:
    """Put the finished release in place, unless the same stands there."""
    if folder.is_dir() and any(folder.iterdir()):
        same = all((folder / n).is_file() and (folder / n).read_bytes() == (part / n).read_bytes() for n in names)
        if not same:
            raise MistrustError(
                f"{folder} holds another release of this version: delete it, or name another folder by --out."
            )
        return
    if folder.is_dir():
        folder.rmdir()
    part.rename(folder)


def _date() -> int:
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given is None:
        return max(FIRST, int(_git("log", "-1", "--format=%ct")))
    if not given.isdecimal() or not FIRST <= int(given) <= LAST:
        raise MistrustError(
            f"SOURCE_DATE_EPOCH is '{given}', expected seconds since 1970, from {FIRST} (1980) to {LAST} (2107)."
        )
    return int(given)


def _git(*arguments: str) -> str:
    try:
        done = subprocess.run(["git", *arguments], cwd=paths.root(), capture_output=True, text=True, check=False)
    except OSError as error:
        raise MistrustError(f"git cannot be run ({error.strerror}): a release names its commit.") from error
    if done.returncode != 0:
        raise MistrustError(
            f"A release is made in a clone, since it names its commit; git says of {paths.root()}: "
            f"{done.stderr.strip() or done.returncode}"
        )
    return done.stdout


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
