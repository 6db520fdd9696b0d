"""Numbers of the benchmarks in sentences: each key of a page is known, and a wrong one is told."""

import re
from pathlib import Path

import pytest

from mistrust import rows as tidy
from mistrust.errors import MistrustError, UnknownName
from mistrust.publishing.measured import measured

BOOK = Path(__file__).resolve().parents[2] / "book"
KEYS = [
    pytest.param(key, id=f"{path.stem}: {key}")
    for path in sorted(BOOK.glob("*.md"))
    for key in re.findall(r"\{measured\}`([^`]+)`", path.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize("key", KEYS)
def test_each_number_of_a_page_was_measured(key):
    assert re.fullmatch(r"[\d,.]+", measured(key))


def test_the_readme_says_of_the_packages_what_was_measured():
    readme = (BOOK.parent / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"([\d.]+) GB", readme) == [measured("book: packages: gigabytes")]


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.setenv("MISTRUST_ROOT", str(tmp_path))
    (tmp_path / "pyproject.toml").touch()
    rows = [("a", "", 1234.5), ("b", "", 2.345), ("b", "-p x=1", 0.5), ("c d", "", 10.4)]
    new = [{"condition": one, "at": at, "metric": "seconds", "value": value} for one, at, value in rows]
    new += [{"condition": "e", "method": one, "metric": "seconds", "value": 3 + i} for i, one in enumerate("xy")]
    new += [{"condition": "f", "method": "x", "metric": "seconds", "value": 5}]
    folder = tmp_path / "data" / "results" / "benchmarks"
    folder.mkdir(parents=True)
    tidy.write(tidy.table(new, chapter="benchmarks", table="quick"), folder / "quick.csv")


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("quick: a: seconds", "1,234"),
        ("quick: b: seconds", "2.3"),
        ("quick: b -p x=1: seconds", "0.5"),
        ("quick: c d: seconds", "10"),
        ("quick: e (x): seconds", "3"),
        ("quick: f: seconds", "5"),  # of one method, which may be left out
        ("quick: f (x): seconds", "5"),
        ("quick: lowest: seconds", "2.3"),  # not of the row with `at`
        ("quick: highest: seconds", "1,234"),
    ],
)
def test_a_number_is_printed(table, key, said):
    assert measured(key) == said


@pytest.mark.parametrize(
    ("key", "kind", "words"),
    [
        ("quick: a", MistrustError, r'"quick: a" names no measured number: write "TABLE: CONDITION: METRIC"'),
        ("slow: a: seconds", MistrustError, r"there is no slow\.csv\. `python benchmarks/slow\.py` measures it"),
        ("quick: aa: seconds", UnknownName, r"no measured number 'aa: seconds'\. Did you mean 'a: seconds'"),
        ("quick: a: minutes", UnknownName, r"no measured number 'a: minutes'"),
        ("quick: e: seconds", UnknownName, r"no measured number 'e: seconds'.*e \(x\): seconds"),
        ("quick: lowest: minutes", UnknownName, r"no measured number 'lowest: minutes'"),
    ],
)
def test_a_wrong_key_is_told(table, key, kind, words):
    with pytest.raises(kind, match=words):
        measured(key)
