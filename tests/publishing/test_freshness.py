"""What makes a chapter stale: all that its run reads, and nothing that it does not."""

import ast
import json
from pathlib import Path

import pytest

from mistrust import paths
from mistrust import rows as tidy
from mistrust.publishing import freshness, results
from mistrust.publishing.chapters import CHAPTERS

LIBRARY = paths.PACKAGE
# What starts runs and gathers pages keeps the record, too; a notebook takes nothing of it.
AROUND = {"publishing/chapter_run.py", "publishing/making.py", "publishing/runner.py", "publishing/staging.py"}


def imported(code: str) -> set[str]:
    """The modules that code imports anywhere, as paths from the package; names may stand for modules."""
    found = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            found |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports are not followed here"
            found |= {str(node.module), *(f"{node.module}.{one.name}" for one in node.names)}
    plain = {name.removeprefix("mistrust.").replace(".", "/") for name in found if name.startswith("mistrust.")}
    return {f"{name}.py" for name in plain} | {f"{name}/__init__.py" for name in plain}


def cells(chapter):
    content = json.loads(CHAPTERS[chapter].path.read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in content["cells"] if cell["cell_type"] == "code"]


@pytest.mark.whole
def test_no_run_can_read_a_module_that_is_left_out():
    """Nothing that counts imports what does not, not even in a function; so no notebook reaches it."""
    modules = {path.relative_to(LIBRARY).as_posix(): path for path in LIBRARY.rglob("*.py")}
    left_out = {name for name in modules if name.startswith(freshness.ROOF)}
    assert all(any(name.startswith(one) for name in left_out) for one in freshness.ROOF), "a name of nothing"
    assert {f"lib/mistrust/{name}" for name in modules.keys() - left_out} == set(freshness.read_by_runs())
    importing = {
        name for name in modules.keys() - left_out if imported(modules[name].read_text("utf-8")) & left_out
    }  # fmt: skip
    assert importing == AROUND
    notebooks = "\n".join(code for name in CHAPTERS for code in cells(name))
    assert imported(notebooks) & (left_out | AROUND) == set()
    # What is imported by a name that is put together: experiments and tests of claims, which are none of these.
    assert not any(one.experiment.startswith("mistrust.publishing") for one in CHAPTERS.values())
    assert "publishing/claim_tests/".startswith(freshness.ROOF) is False


@pytest.mark.parametrize("module", ["publishing/slides.py", "publishing/commands/check.py", "publishing/measured.py"])
def test_what_makes_the_book_alone_is_in_its_digest_and_makes_no_chapter_stale(module):
    assert f"lib/mistrust/{module}" in freshness.library()
    assert f"lib/mistrust/{module}" not in freshness.read_by_runs()


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_benchmark_that_a_notebook_reads_counts_whole(chapter):
    named = freshness.asked(CHAPTERS[chapter])
    code = "\n".join(cells(chapter))
    assert named is not None, "it asks in a way that cannot be read: every benchmark would make it stale"
    # Told apart by another way than the code's own: what stands in quotes after the word.
    assert named == {one.split('"')[1] for one in code.split("benchmark(")[1:]}
    counted = freshness.benchmarks(CHAPTERS[chapter])
    for name in named:
        path = paths.results() / "benchmarks" / f"{name}.csv"
        key = path.relative_to(paths.root()).as_posix()
        assert counted.get(key, "") == freshness.digest(path)


def test_the_library_reads_benchmarks_for_a_page_in_two_places_alone():
    reading = {
        name.removeprefix("lib/mistrust/")
        for name in freshness.read_by_runs()
        if '"benchmarks"' in Path(paths.PACKAGE.parent.parent / name).read_text("utf-8")
    }
    assert reading == {"publishing/page.py", "publishing/results.py", "publishing/staging.py"}


@pytest.fixture
def benchmarks(project):
    """The folder of a tiny project's benchmarks, with rows of two, of which none is the chapter's."""
    folder = paths.results() / "benchmarks"
    for name in ("speed", "other"):
        write(folder / f"{name}.csv", "benchmarks", 1)
    return folder


def write(path, chapter, *values):
    lines = [{"chapter": chapter, "table": "t", "metric": "ratio", "value": value} for value in values]
    tidy.write(tidy.table(lines), path)


def counted():
    return {Path(name).stem for name in freshness.benchmarks(CHAPTERS["tiny"])}


def test_a_run_of_a_benchmark_makes_stale_what_reads_it(project, benchmarks):
    chapter = CHAPTERS["tiny"]
    assert counted() == set()
    project.chapter("networks = 2", 'times = chapter.benchmark("speed").query("value > 0")')
    assert counted() == {"speed"}
    before = freshness.benchmarks(chapter)
    write(benchmarks / "other.csv", "benchmarks", 2)
    assert freshness.benchmarks(chapter) == before
    write(benchmarks / "speed.csv", "benchmarks", 2)
    assert freshness.benchmarks(chapter) != before
    (benchmarks / "speed.csv").unlink()
    assert counted() == set()


def test_rows_that_carry_the_chapters_name_count_since_claims_are_judged_by_them(project, benchmarks):
    chapter = CHAPTERS["tiny"]
    write(benchmarks / "other.csv", "tiny", 1)
    before = freshness.benchmarks(chapter)
    assert counted() == {"other"}
    assert results.evidence(chapter)["value"].tolist() == [1]
    ours = (benchmarks / "other.csv").read_text()
    write(benchmarks / "other.csv", "benchmarks", 7)
    another = (benchmarks / "other.csv").read_text().splitlines()[1]
    (benchmarks / "other.csv").write_text(f"{ours}{another}\n")  # rows of somebody else beside them
    assert freshness.benchmarks(chapter) == before
    write(benchmarks / "other.csv", "tiny", 2)
    assert freshness.benchmarks(chapter) != before
    (benchmarks / "other.csv").write_text("no rows\n")
    assert counted() == {"other"}


@pytest.mark.whole
def test_a_benchmark_of_one_chapters_methods_speaks_for_it_and_makes_it_stale():
    whole = results.everything()
    for name, owner in results.SPEAKS.items():
        assert name in freshness.asked(CHAPTERS[owner])
        rows = results.evidence(owner)
        assert len(rows[rows["table"] == name])
        assert set(whole[whole["table"] == name]["chapter"]) == {owner}


@pytest.mark.parametrize(
    "code",
    [
        'chapter.benchmark(NAME)',
        'read = chapter.benchmark\nread("speed")',
        'getattr(chapter, "benchmark")("speed")',
        'open("../data/results/benchmarks/speed.csv")',
        '%time chapter.benchmark("speed")',
    ],
)  # fmt: skip
def test_where_it_cannot_be_told_every_benchmark_counts(code, project, benchmarks):
    project.chapter("networks = 2", code)
    assert freshness.asked(CHAPTERS["tiny"]) is None
    assert counted() == {"speed", "other"}
