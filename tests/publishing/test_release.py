"""A release of a small clone: what it refuses, what it writes, and that it writes the same again."""

import hashlib
import json
import os
import shutil
import subprocess
import tomllib
import zipfile

import nbformat
import pytest

from mistrust import __version__, paths
from mistrust.errors import MistrustError
from mistrust.publishing import freshness, profiles, release, site
from mistrust.publishing.chapters import CHAPTERS

pytestmark = pytest.mark.whole

PYPROJECT = f"""
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"
[project]
name = "mistrust"
version = "{__version__}"
[tool.setuptools.packages.find]
where = ["lib"]
[tool.setuptools.package-data]
mistrust = ["py.typed", "*.html"]
"""
NAMES = [f"mistrust-{__version__}-py3-none-any.whl", f"mistrust-{__version__}-book.zip", "SHA256SUMS"]


def git(root, *arguments):
    given = {f"GIT_{who}_{what}": "somebody" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    dates = {f"GIT_{who}_DATE": "2026-03-04T05:06:07Z" for who in ("AUTHOR", "COMMITTER")}
    alone = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    command = ["git", "-c", "init.defaultBranch=main", *arguments]
    return subprocess.run(command, cwd=root, env={**os.environ, **given, **dates, **alone}, check=True)


@pytest.fixture
def clone(project, monkeypatch):
    """A commit with a library of two modules and a page, and a book that is what this commit gives."""
    root = project.root
    package = root / "lib" / "mistrust"
    (package / "deep").mkdir(parents=True)
    (package / "__init__.py").write_text(f'__version__ = "{__version__}"\n')
    (package / "deep" / "__init__.py").write_text("")
    (package / "publishing").mkdir()
    (package / "publishing" / "slides.py").write_text("one = 1\n")
    (package / "py.typed").write_text("")
    (package / "page.html").write_text("<p>page</p>\n")
    (root / "pyproject.toml").write_text(PYPROJECT)
    (root / "CHANGELOG.md").write_text(f"# Changes\n\n## {__version__}\n\n- All of it.\n")
    (root / "README.md").write_text("Read me.\n")
    (root / "LICENSE").write_text("Free.\n")
    (root / ".gitignore").write_text("dist/\n__pycache__/\n")
    monkeypatch.setattr(paths, "PACKAGE", package)
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "all of it")
    made_book(project)
    return project


def made_book(project, profile="quick"):
    """Run nothing and build nothing: leave what a run and a build of today's clone leave."""
    chapter = CHAPTERS["tiny"]
    page = freshness.executed(chapter)
    page.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# Tiny", id="a")]), page)
    about = freshness.sources(chapter, profiles.profile(chapter, profile))
    freshness.write(chapter, {**about, "profile": profile, "page": freshness.digest(page), "rows": {}})
    folder = site.html()
    (folder / "notebooks").mkdir(parents=True, exist_ok=True)
    (folder / "index.html").write_text("<p>book</p>")
    (folder / "notebooks" / "tiny.html").write_text("<p>é</p>", encoding="utf-8")
    (folder / "noise.bin").write_bytes(bytes(hashlib.shake_256(b"noise").digest(300_000)))
    stage = site.staging.stage()
    digest = site._digest(stage, {**site.staging.rows(), **site.staging.code(stage)})
    (paths.build() / "site.json").write_text(json.dumps({"digest": digest, "version": __version__, "warnings": []}))


def left(project):
    """All files of the clone that git does not keep, but for git's own."""
    inside = (path for path in project.root.rglob("*") if path.is_file() and ".git" not in path.parts)
    kept = subprocess.run(["git", "ls-files"], cwd=project.root, capture_output=True, text=True, check=True)
    return sorted({path.relative_to(project.root).as_posix() for path in inside} - set(kept.stdout.split()))


def test_a_release_holds_wheel_book_and_checksums_and_is_equal_byte_for_byte_when_made_again(clone, tmp_path, mistrust):
    status, out, err = mistrust("release")
    assert (status, err) == (0, "")
    first = clone.root / "dist" / __version__
    assert sorted(path.name for path in first.iterdir()) == sorted(NAMES)
    assert "sha256sum --check SHA256SUMS" in out
    sums = dict(reversed(line.split("  ")) for line in (first / "SHA256SUMS").read_text().splitlines())
    assert sums == {name: hashlib.sha256((first / name).read_bytes()).hexdigest() for name in NAMES[:2]}
    with zipfile.ZipFile(first / NAMES[0]) as wheel:
        held = set(wheel.namelist())
        assert {"mistrust/__init__.py", "mistrust/deep/__init__.py", "mistrust/py.typed", "mistrust/page.html"} <= held
        assert f"mistrust-{__version__}.dist-info/licenses/LICENSE" in held
    with zipfile.ZipFile(first / NAMES[1]) as book:
        assert book.testzip() is None
        top = f"mistrust-{__version__}-book/"
        assert book.namelist() == [top + name for name in ("index.html", "noise.bin", "notebooks/tiny.html")]
        assert book.read(f"{top}notebooks/tiny.html").decode() == "<p>é</p>"
        assert {entry.date_time for entry in book.infolist()} == {(2026, 3, 4, 5, 6, 6)}  # zip knows even seconds
        assert b"with changes" not in book.comment
    # Made again: later, with other times of files, into another folder, and over itself.
    os.utime(site.html() / "index.html", (1, 1))
    os.utime(clone.root / "lib" / "mistrust" / "page.html", (1_000_000_000, 1_000_000_000))
    for out in (tmp_path / "again", None):
        for path in release.release(out):
            assert path.read_bytes() == (first / path.name).read_bytes()
    assert left(clone) == sorted(f"dist/{__version__}/{name}" for name in NAMES)


def commit(project, name, text):
    (project.root / name).write_text(text)
    git(project.root, "commit", "-qam", "change")


def dirty(project):
    (project.root / "new.txt").write_text("new")


def version(project):
    commit(project, "pyproject.toml", PYPROJECT.replace(__version__, "9.9.9"))


def changelog(project):
    commit(project, "CHANGELOG.md", f"## Unreleased\n\n- {__version__} soon\n\n## {__version__}1\n")


def no_git(project):
    shutil.rmtree(project.root / ".git")


def no_book(project):
    shutil.rmtree(site.html())


def other_version(project):
    site._write(True, {**site._read(), "version": "0.0.1"})


def not_run(project):
    freshness.record(CHAPTERS["tiny"]).unlink()


def failed(project):
    freshness.write(CHAPTERS["tiny"], {"failed": "ValueError: no"})


def other_profile(project):
    made_book(project, "full")


def stale_chapter(project):
    project.chapter("networks = 2", "print(networks)")
    git(project.root, "commit", "-qam", "another notebook")


def stale_page(project):
    commit(project, "book/intro.md", "# Front page\n\nOther words.\n")


def stale_code(project):
    commit(project, "lib/mistrust/deep/__init__.py", "one = 1\n")


def stale_deck(project):
    commit(project, "lib/mistrust/publishing/slides.py", "one = 2\n")  # a book reads it, and no chapter


def file_in_the_way(project):
    (project.root / "dist").mkdir()
    (project.root / "dist" / __version__).write_text("a file")


def other_things(project):
    (project.root / "dist" / __version__).mkdir(parents=True)
    (project.root / "dist" / __version__ / "thesis.tex").write_text("words")


def another_release(project):
    folder = project.root / "dist" / __version__
    folder.mkdir(parents=True)
    (folder / "SHA256SUMS").write_text("0  x\n")


def lacking(project):
    (project.root / "lib" / "mistrust" / "words.csv").write_text("a\n")
    git(project.root, "add", "-A")
    git(project.root, "commit", "-qm", "a file that the wheel does not take")


@pytest.mark.parametrize(
    ("trouble", "message"),
    [
        (dirty, r"changes that are in no commit: new.txt. Commit them, or .* --dirty"),
        (version, rf"pyproject.toml has version 9.9.9 and lib/mistrust/__init__.py {__version__}: set both to one"),
        (changelog, rf"CHANGELOG.md has no entry for version {__version__}: .* heading '## {__version__}'"),
        (no_git, r"A release is made in a clone, since it names its commit; git says .* not a git repository"),
        (no_book, r"There is no book in .*: make it by `mistrust book --profile quick`"),
        (other_version, rf"is of version 0.0.1, the code of {__version__}: make it by"),
        (not_run, r"The book lacks the chapter 'tiny' \(it was not run yet\)"),
        (failed, r"The book lacks the chapter 'tiny' \(its last run failed: ValueError: no\)"),
        (
            other_profile,
            r"'tiny' was run with the profile full, expected quick: make .*, or name the other by --profile",
        ),
        (stale_chapter, r"The chapter 'tiny' is stale \(notebook changed\): make it by"),
        (stale_code, r"The chapter 'tiny' is stale \(lib/mistrust/deep/__init__.py changed\)"),
        (stale_deck, r"The book in .* is stale: its pages, the library or the rows changed since it was built"),
        (stale_page, r"The book in .* is stale: its pages, the library or the rows changed since it was built"),
        (file_in_the_way, r"is a file: name a folder by --out"),
        (other_things, r"holds other things \(thesis.tex\): name a folder of its own by --out"),
        (another_release, r"holds another release of this version: delete it, or name another folder by --out"),
        (lacking, r"The wheel lacks mistrust/words.csv: name them in pyproject.toml"),
    ],
)
def test_what_must_not_be_released_is_refused_and_nothing_is_written(clone, trouble, message):
    trouble(clone)
    if trouble is lacking:
        made_book(clone)
    before = left(clone) if trouble is not no_git else None
    with pytest.raises(MistrustError, match=message):
        release.release()
    if before is not None:
        assert left(clone) == before


def test_without_git_on_the_machine_it_says_so(clone, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        MistrustError, match=r"git cannot be run \(No such file or directory\): a release names its commit"
    ):
        release.release()


def test_changes_are_released_on_demand_and_said_to_be_there(clone, tmp_path):
    dirty(clone)
    _, book, _ = release.release(tmp_path / "out", dirty=True)
    with zipfile.ZipFile(book) as content:
        assert content.comment.endswith(b", with changes that are in no commit")


def test_a_full_disk_leaves_nothing(clone):
    resource = pytest.importorskip("resource", reason="a limit on the size of files stands in for a full disk")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))  # the book's archive is larger, the wheel is not
    try:
        with pytest.raises(
            MistrustError, match=r"cannot be written \(File too large\). No release was made. Free some"
        ):
            release.release()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert left(clone) == []
    assert list((clone.root / "dist").iterdir()) == []


@pytest.mark.parametrize("given", ["soon", "-1", "1"])
def test_a_date_that_no_zip_can_hold_is_refused(clone, monkeypatch, given):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", given)
    with pytest.raises(MistrustError, match=f"SOURCE_DATE_EPOCH is '{given}', expected seconds since 1970"):
        release.stand()


def test_another_profile_than_there_is_is_refused_with_the_nearest(clone):
    with pytest.raises(MistrustError, match=r"There is no profile 'quik'\. Did you mean 'quick'"):
        release.release(profile="quik")


def test_every_file_of_the_library_is_in_the_wheel(tmp_path):
    """Of the project itself: that its wheel is built is tried by `mistrust release`, whose rule this is."""
    root = paths.PACKAGE.parents[1]
    data = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]
    named = {
        path.relative_to(paths.PACKAGE.parent).as_posix()
        for package, patterns in data.items()
        for pattern in patterns
        for path in (paths.PACKAGE.parent / package.replace(".", "/")).glob(pattern)
    }
    other = {
        path.relative_to(paths.PACKAGE.parent).as_posix()
        for path in paths.PACKAGE.rglob("*")
        if path.is_file() and path.suffix not in (".py", ".pyc")
    }
    assert named == other
    packages = {path.parent for path in paths.PACKAGE.rglob("*.py")}
    assert [path for path in packages if not (path / "__init__.py").is_file()] == []
