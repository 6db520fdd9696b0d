"""The book is staged, built by the real Sphinx, published whole or not at all, and built again only when it must."""

import filecmp
import json
import re
import shutil
import subprocess
import sys

import nbformat
import pandas as pd
import pytest
import yaml

from mistrust import paths
from mistrust import rows as tidy
from mistrust.cli import main
from mistrust.errors import MistrustError
from mistrust.publishing import freshness, offered, site, staging
from mistrust.publishing.chapters import CHAPTERS
from mistrust.publishing.commands import running
from mistrust.publishing.commands.verbs import parser

pytestmark = pytest.mark.whole


@pytest.fixture
def book(project, tmp_path, monkeypatch):
    """A project whose chapter `tiny` is executed, and a library that nobody edits meanwhile."""
    monkeypatch.setattr(paths, "PACKAGE", tmp_path / "lib")

    def execute(text, name="tiny", profile="quick"):
        path = project.executed(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(f"# Chapter\n\n{text}", id="a")])
        nbformat.write(made, path)
        freshness.write(CHAPTERS[name], {"profile": profile})

    project.execute = execute
    execute("words")
    return project


def rows_file(path, value):
    tidy.write(tidy.table([{"table": "values", "metric": "value", "value": value}]), path)


def toc(project, text):
    (project.root / "_toc.yml").write_text(text)


def differing(one):
    found = one.left_only + one.right_only + one.diff_files + one.funny_files
    return found + [name for below in one.subdirs.values() for name in differing(below)]


def test_a_book_is_built_with_its_rows_and_again_only_when_something_changed(book, tmp_path):
    results, run = book.root / "data" / "results" / "tiny", book.build / "rows" / "tiny"
    rows_file(results / "values.full.csv", 1)
    (results / "full.json").write_text("{}")
    rows_file(run / "values.full.csv", 2)
    rows_file(run / "values.quick.csv", 3)
    index, warnings = site.build(strict=True)
    assert warnings == []
    assert index == book.build / "html" / "index.html"
    assert "words" in book.page().read_text()
    leads = index.read_text()
    assert re.search(r'<html lang="en">.*<title>.+</title>.*url=(\S+)">.*<a href="\1">', leads, re.DOTALL), leads
    served = index.parent / "rows" / "tiny"
    assert (served / "values.full.csv").read_bytes() == (results / "values.full.csv").read_bytes()
    assert (served / "values.full.run.csv").read_bytes() == (run / "values.full.csv").read_bytes()
    assert (served / "values.quick.csv").is_file()
    first = book.page().stat().st_mtime_ns
    site.build(strict=True)
    assert book.page().stat().st_mtime_ns == first
    assert not site.stale()
    verb = tmp_path / "lib" / "publishing" / "commands" / "check.py"  # no notebook reads it, but a deck does
    verb.parent.mkdir(parents=True)
    verb.write_text("every = 1\n")
    assert site.stale()
    verb.unlink()
    assert not site.stale()
    shutil.copytree(book.build / "html", tmp_path / "first")
    rows_file(run / "values.quick.csv", 4)
    (book.build / "html" / "old.html").write_text("of a former book")
    site.build()
    assert book.page().stat().st_mtime_ns != first
    # All but the changed rows is byte-equal, and nothing of the former book is left.
    assert differing(filecmp.dircmp(tmp_path / "first", book.build / "html", ignore=[])) == ["values.quick.csv"]
    assert sorted(path.name for path in book.build.iterdir()) == [
        ".site.lock", "executed", "html", "rows", "site.json", "site.log", "stage",
    ]  # fmt: skip


@pytest.mark.parametrize("profile", ["full", "quick", "custom"])
def test_a_runs_rows_stand_beside_accepted_ones_of_their_table_and_profile(book, profile):
    results, run = book.root / "data" / "results" / "tiny", book.build / "rows" / "tiny"
    rows_file(results / f"values.{profile}.csv", 1)
    (results / f"{profile}.json").write_text("{}")
    rows_file(run / f"values.{profile}.csv", 3)
    rows_file(run / f"others.{profile}.csv", 2)
    assert offered.run_file("tiny", "values", profile) == f"values.{profile}.run.csv"
    assert offered.run_file("tiny", "others", profile) == f"others.{profile}.csv"
    assert offered.run_file("tiny", "values", "paper") == "values.paper.csv"
    assert staging.rows() == {
        f"rows/tiny/values.{profile}.csv": results / f"values.{profile}.csv",
        f"rows/tiny/values.{profile}.run.csv": run / f"values.{profile}.csv",
        f"rows/tiny/others.{profile}.csv": run / f"others.{profile}.csv",
    }


def test_rows_that_equal_the_accepted_ones_are_offered_once(book):
    results, run = book.root / "data" / "results" / "tiny", book.build / "rows" / "tiny"
    for folder in (results, run):
        rows_file(folder / "values.full.csv", 1)
    assert offered.run_file("tiny", "values", "full") == "values.full.csv"
    assert staging.rows() == {"rows/tiny/values.full.csv": results / "values.full.csv"}


def test_large_rows_are_packed_and_can_be_read_as_they_are(book, tmp_path):
    results = book.root / "data" / "results" / "tiny"
    rows_file(results / "values.full.csv", 1)
    many = [{"table": "many", "metric": "value", "seed": seed, "value": 1 / (seed + 1)} for seed in range(4000)]
    tidy.write(tidy.table(many), results / "many.full.csv")
    assert offered.accepted_file("tiny", "many", "full") == "many.full.csv.gz"
    assert set(staging.rows()) == {"rows/tiny/values.full.csv", "rows/tiny/many.full.csv.gz"}
    for folder in ("first", "second"):
        staging.add(staging.rows(), tmp_path / folder)
    pd.testing.assert_frame_equal(
        pd.read_csv(tmp_path / "first/rows/tiny/many.full.csv.gz"), pd.read_csv(results / "many.full.csv")
    )
    assert differing(filecmp.dircmp(tmp_path / "first", tmp_path / "second", ignore=[])) == []


def test_two_further_runs_of_all_rows_fit_into_the_book(tmp_path, monkeypatch):
    """Pages take half of the 60 MB; a run at full scale whose every row moved leaves them that, and `paper` as well."""
    accepted = [path for path in paths.results().rglob("*.full.csv") if path.parent.name in CHAPTERS]
    assert sum(path.stat().st_size for path in accepted) > 15e6, "rows are few: this shows nothing"
    for path in accepted:
        moved = tmp_path / path.parent.name / path.name
        moved.parent.mkdir(exist_ok=True)
        moved.write_bytes(path.read_bytes()[::-1])  # as long, as hard to pack, and equal nowhere
        moved.with_name(moved.name.replace(".full.", ".paper.")).write_bytes(moved.read_bytes())
    monkeypatch.setattr(paths, "run_rows", lambda: tmp_path)
    found = staging.rows()
    assert len(found) > 3 * len(accepted)
    staging.add(found, tmp_path / "book")
    assert sum(path.stat().st_size for path in (tmp_path / "book").rglob("*") if path.is_file()) < 30e6


def test_code_that_pages_link_is_in_the_book(book, tmp_path, monkeypatch):
    module = tmp_path / "lib" / "figures" / "tiny.py"
    module.parent.mkdir(parents=True)
    module.write_text("colour = 1\n")
    book.execute('<a href="../code/mistrust/figures/tiny.py.txt">code</a>')
    with pytest.raises(MistrustError, match=r"tiny\.ipynb links the code of mistrust/figures/tiny\.py, which does not"):
        site.build()
    (tmp_path / "lib").rename(tmp_path / "mistrust")
    monkeypatch.setattr(paths, "PACKAGE", tmp_path / "mistrust")
    folder = staging.stage()
    staging.add(staging.code(folder), tmp_path / "out")
    assert (tmp_path / "out" / "code" / "mistrust" / "figures" / "tiny.py.txt").read_text() == "colour = 1\n"


def test_a_warning_is_told_and_fails_a_strict_build_every_time(book):
    book.execute("[nowhere](nowhere.md)")
    _, warnings = site.build()
    assert len(warnings) == 1
    assert "nowhere" in warnings[0]
    assert site.build()[1] == warnings
    built = book.page().stat().st_mtime_ns
    # Sphinx itself would keep silent about a page that it has read before.
    with pytest.raises(MistrustError, match=r"(?s)not built:\n.*notebooks/tiny\.ipynb.*WARNING.*nowhere") as error:
        site.build(strict=True)
    assert str(book.build / "site.log") in str(error.value)
    assert book.page().stat().st_mtime_ns == built


def test_a_book_to_hand_out_has_no_solution_anywhere_and_is_no_whole_book(book, capsys):
    told = nbformat.v4.new_code_cell("tell = 'aubergine'", id="b", metadata={"tags": ["solution", "hide-cell"]})
    told.outputs = [nbformat.v4.new_output("stream", text="quince\n")]
    cells = [nbformat.v4.new_markdown_cell("# Chapter\n\nAn exercise is asked.", id="a"), told]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), book.executed())

    def holding(word):
        found = (path for path in (book.build / "handout").rglob("*") if path.is_file())
        return {path.name for path in found if word.encode() in path.read_bytes()}

    index, warnings = site.build(strict=True, solutions=False)
    assert (index, warnings) == (book.build / "handout" / "index.html", [])
    assert {"tiny.html", "tiny.ipynb", "searchindex.js"} <= holding("exercis")
    assert holding("aubergine") | holding("quince") == set()
    assert "aubergine" in book.executed().read_text()
    # The one build is not taken for the other, and is fresh itself.
    assert site.stale()
    assert not site.html().exists()
    first = index.stat().st_mtime_ns
    running._build([], parser()[0].parse_args(["book", "--no-solutions"]))
    assert capsys.readouterr().out == f"{index}\n"
    assert index.stat().st_mtime_ns == first
    assert json.loads((book.build / "stage" / "build.json").read_text())["handout"] == "without solutions"
    # A chapter that fails leaves no page there either, and `clean` knows the folder.
    site.withdraw(CHAPTERS["tiny"])
    assert "tiny.html" not in holding("exercis")
    assert main(["clean"]) == 0
    assert not book.build.exists()


def test_a_withdrawn_page_comes_back_with_the_next_build(book):
    book.build.mkdir(exist_ok=True)
    book.page().parent.mkdir(parents=True)
    book.page().write_text("x")
    (book.build / "site.json").write_text('{"digest": "x"}')
    site.withdraw(CHAPTERS["tiny"])
    assert not book.page().exists()
    assert not (book.build / "site.json").exists()


def test_what_is_staged(book):
    (book.root / "book" / "_static").mkdir()
    (book.root / "book" / "_static" / "a.css").write_text("p {}")
    (book.root / "book" / "__pycache__").mkdir()
    folder = staging.stage()
    found = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    assert found == [
        "_config.yml", "_toc.yml", "book/_static/a.css", "book/intro.md", "build.json", "notebooks/tiny.ipynb",
    ]  # fmt: skip
    about = json.loads((folder / "build.json").read_text())
    assert about == {"version": "0.1.0", "profile": "quick", "rows_date": ""}
    assert yaml.safe_load((folder / "_toc.yml").read_text()) == staging.toc()


def test_the_profile_of_a_book(book):
    book.chapter(name="other")
    book.execute("words", "other", "quick")
    assert json.loads((staging.stage() / "build.json").read_text())["profile"] == "quick"
    book.execute("words", "other", "custom")
    assert json.loads((staging.stage() / "build.json").read_text())["profile"] == "mixed"


def test_the_date_of_rows_is_that_of_their_last_commit(book):
    folder = book.root / "data" / "results" / "tiny"
    rows_file(folder / "values.full.csv", 1)

    def git(*arguments):
        who = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
        dates = {"GIT_AUTHOR_DATE": "2020-02-03T12:00:00", "GIT_COMMITTER_DATE": "2020-02-03T12:00:00"}
        subprocess.run(["git", *who, *arguments], cwd=book.root, check=True, env=dates, capture_output=True)

    git("init")
    git("add", "data")
    git("commit", "-m", "rows")
    assert staging.rows_date() == "2020-02-03"


def test_chapters_not_executed_are_left_out(book):
    book.chapter(name="other")
    text = """
format: jb-book
root: book/intro
parts:
- caption: One
  chapters:
  - file: notebooks/tiny
  - file: book/page
    sections: [{file: notebooks/other.ipynb}]
- caption: Two
  chapters:
  - file: notebooks/other
"""
    toc(book, text)
    assert [chapter.name for chapter in staging.chapters()] == ["tiny", "other", "other"]
    shown = yaml.safe_load((staging.stage() / "_toc.yml").read_text())
    assert shown["parts"] == [{"caption": "One", "chapters": [{"file": "notebooks/tiny"}, {"file": "book/page"}]}]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "format: jb-book\nroot: book/intro\nchapters: [{file: notebooks/tinny}]",
            "names 'notebooks/tinny', which is no",
        ),
        ("a: [", "is not valid YAML"),
        ("- a", "must be a mapping"),
    ],
)
def test_a_table_of_contents_that_cannot_be(book, text, message):
    toc(book, text)
    with pytest.raises(MistrustError, match=r"_toc\.yml.*" + message):
        staging.stage()


def test_files_that_the_book_needs(book):
    (book.root / "_config.yml").unlink()
    with pytest.raises(MistrustError, match=r"configuration is missing: .*_config\.yml"):
        staging.stage()
    (book.root / "_toc.yml").unlink()
    with pytest.raises(MistrustError, match=r"table of contents cannot be read: .*_toc\.yml: No such file"):
        staging.chapters()


def test_sphinx_may_say_any_letter_whatever_the_systems_encoding(tmp_path, monkeypatch):
    """As on Windows, whose own encoding lacks some: here the C locale, in which Python has ASCII alone."""
    real, child = subprocess.run, "import locale; print('\\u221a', locale.getpreferredencoding(False))"
    for name, value in (("LC_ALL", "C"), ("PYTHONCOERCECLOCALE", "0"), ("PYTHONUTF8", "0")):
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("PYTHONIOENCODING", raising=False)
    monkeypatch.setattr(subprocess, "run", lambda _, **options: real([sys.executable, "-c", child], **options))
    status, said = site._sphinx(tmp_path / "stage", tmp_path / "out", tmp_path / "log", strict=False)
    assert (status, said.strip().casefold()) == (0, "\u221a utf-8")
