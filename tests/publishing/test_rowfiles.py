"""Rows as files: a long table is several, each vouched for, and all of them give the same rows back."""

import json

import pytest

from mistrust import rows as tidy
from mistrust.errors import MistrustError
from mistrust.publishing import rowfiles

LINES = [{"table": table, "metric": "accuracy", "seed": seed, "value": seed / 7} for table in "ba" for seed in range(7)]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder "search" with two tables of seven rows, at most three in a file."""
    monkeypatch.setattr(rowfiles, "LARGEST", 3)
    here = tmp_path / "search"
    here.mkdir()
    found = rowfiles.labelled(tidy.table(LINES[:-1]), "search", "full")
    for path, text in rowfiles.texts(here, found, {"note": "Größe"}, "full", "about.json").items():
        path.write_bytes(text.encode())
    return here


def test_a_long_table_is_several_files_and_no_row_stands_twice(folder):
    about = json.loads((folder / "about.json").read_text(encoding="utf-8"))
    held = {name: facts["rows"] for name, facts in about["tables"].items()}
    assert held == {"a": 3, "a.2": 3, "b": 3, "b.2": 3, "b.3": 1}
    assert rowfiles.names(folder, "b", "full") == ["b", "b.2", "b.3"]
    assert rowfiles.names(folder, "a", "full") == ["a", "a.2"]
    _, again = rowfiles.read(folder, "about.json", "Accept them anew.")
    assert tidy.text(again) == tidy.text(tidy.table(LINES[:-1], chapter="search", profile="full"))


def test_what_vouches_is_text_that_people_read_in_one_order(folder):
    text = (folder / "about.json").read_text(encoding="utf-8")
    assert '\n  "note": "Größe",\n' in text
    assert list(json.loads(text)["tables"]) == ["a", "a.2", "b", "b.2", "b.3"]


def test_a_part_that_lacks_or_was_changed_is_named_with_the_way_out(folder):
    second = folder / "b.2.full.csv"
    kept = second.read_bytes()
    second.write_bytes(kept.replace(b"\n", b"\r\n"))  # a checkout with other line ends
    assert rowfiles.vouched(folder, "about.json", "") is not None
    second.write_bytes(kept + b"\n")
    with pytest.raises(MistrustError, match=r"b\.2\.full\.csv was changed since it was written .*Accept them anew"):
        rowfiles.vouched(folder, "about.json", "Accept them anew.")
    second.unlink()
    with pytest.raises(MistrustError, match=r"b\.2\.full\.csv is missing, although about\.json lists it"):
        rowfiles.read(folder, "about.json", "")


KEYS = ["3c9a2e" + "0" * 14, "3c9a2e" + "1" * 14, "77" * 10, "short", ""]


def test_a_row_has_the_first_digits_of_its_key_and_is_read_with_the_whole(tmp_path):
    here = tmp_path / "search"
    here.mkdir()
    lines = [{"table": "a", "metric": "x", "seed": seed, "value": 1.0, "made": key} for seed, key in enumerate(KEYS)]
    found = rowfiles.labelled(tidy.table(lines), "search", "full")
    for path, text in rowfiles.texts(here, found, {}, "full", "about.json").items():
        path.write_bytes(text.encode())
    assert tidy.cells(here / "a.full.csv")["made"].tolist() == ["3c9a2e0", "3c9a2e1", "7777777", "short", ""]
    about, again = rowfiles.read(here, "about.json", "")
    assert again["made"].tolist() == KEYS
    assert about["made"] == sorted(KEYS[:-1])
    assert rowfiles.shortened(["77" * 10]) == {"77" * 10: "777777"}


def test_rows_of_a_version_that_listed_no_keys_have_those_of_their_cells(folder):
    about = json.loads((folder / "about.json").read_text(encoding="utf-8"))
    del about["made"]
    (folder / "about.json").write_text(json.dumps(about), encoding="utf-8")
    assert len(rowfiles.read(folder, "about.json", "")[1]) == 13
