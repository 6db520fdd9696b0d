"""The papers' printed numbers, as committed, and what their reader refuses."""

from pathlib import Path

import pytest

from mistrust import rows as tidy
from mistrust.errors import MistrustError
from mistrust.publishing.compare import compare
from mistrust.publishing.published import COLUMNS, published

FOLDER = Path(__file__).parents[2] / "data" / "published"
CHAPTERS = {path.name.split("-")[0] for path in FOLDER.glob("*-*.csv")}


@pytest.fixture
def checkout(monkeypatch):
    monkeypatch.setenv("MISTRUST_ROOT", str(FOLDER.parents[1]))


@pytest.mark.parametrize("chapter", sorted(CHAPTERS))
def test_every_committed_number_is_a_valid_row_with_its_place(checkout, chapter):
    rows = published(chapter)
    assert tuple(rows.columns) == COLUMNS
    assert len(rows) > 0
    assert set(rows["profile"]) == {"published"}
    assert (rows["place"] != "").all()


def test_the_mlm_papers_numbers(checkout):
    rows = published("misclassification")
    clean = {
        at: tidy.select(rows, condition="clean", at=at, metric="accuracy")["value"].item() for at in ("train", "test")
    }
    assert clean == {"train": 0.9838, "test": 0.9846}  # as printed in section 4.1, swapped
    assert "swapped" in tidy.select(rows, at="train")["note"].item()
    misses = tidy.select(rows, table="misses", metric="misses")
    assert misses["value"].sum() == 162
    totals = dict(zip(misses["at"], misses["value"], strict=True))
    cells = tidy.select(rows, table="misses", metric="count")
    for y in "0123456789":  # the cells that are known are no more than the digit's total
        assert cells.loc[cells["at"].str.startswith(f"{y}>"), "value"].sum() <= totals[y]
    moved = tidy.select(rows, table="drift")
    assert moved.loc[moved["value"] > 1e-5, "at"].to_list() == ["5", "6", "8"]  # section 4.2


# What the rows of the chapter call these numbers: tables lay the two side by side by these names.
OURS = {
    ("accuracy", "network", "clean", "accuracy"),
    ("accuracy", "network", "perturbed/all", "accuracy"),
    ("accuracy", "network", "perturbed/brightness", "accuracy"),
    ("misses", "network", "clean", "count"),
    ("drift", "KMeans", "clean", "distance"),
    ("misclustered", "KMeans", "clean", "count"),
}
PRINTED_ONLY = {"highest accuracy", "lowest accuracy", "misses", "parameters"}
PRINTED_ONLY |= {"filters", "kernel size", "padding", "pool size", "neurons", "pixels a side", "channels"}
PRINTED_ONLY |= {"example probability", "perturbations", "levels", "images", "nearest other digit", "misclassified"}
PRINTED_ONLY |= {"learning rate falls", "pixel mean", "pixel deviation"}


def test_the_mlm_papers_numbers_bear_the_names_of_our_rows(checkout):
    rows = published("misclassification")
    named = set(zip(rows["table"], rows["method"], rows["condition"], rows["metric"], strict=True))
    assert {one for one in named if one[3] not in PRINTED_ONLY} == OURS
    assert set(rows["metric"]) >= PRINTED_ONLY


def test_printed_accuracies_stand_beside_ours(checkout):
    where = {"table": "accuracy", "method": "network", "metric": "accuracy"}
    ours = tidy.table(
        [{"condition": "perturbed/all", "level": 10, "value": 0.5, **where}],
        profile="full",
        chapter="misclassification",
    )
    found = compare(published("misclassification"), ours, ours, {**where, "condition": "perturbed/all", "level": 10})
    assert found["the paper"].to_list() == ["0.4883"]
    assert found.iloc[0, -1] == "0.5"


def test_no_file_is_no_rows(tmp_path, monkeypatch):
    monkeypatch.setenv("MISTRUST_ROOT", str(tmp_path))
    assert published("tiny").empty
    assert tuple(published("tiny").columns) == COLUMNS


GOOD = {
    "chapter": "tiny",
    "table": "table2",
    "profile": "published",
    "metric": "auroc",
    "value": "0.5",
    "place": "T. 2",
}


def line(**changes):
    return ",".join({**GOOD, **changes}.get(column, "") for column in COLUMNS)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([line(value="0,5")], r"table2\.csv, line 2: 20 cells, expected 19"),
        ([line(), line(value="none")], r"line 3: value is 'none', expected a number or nothing"),
        ([line(value="inf")], "line 2: value is 'inf'"),
        ([line(level="I")], "line 2: level is 'I', expected a number"),
        ([line(place="")], "line 2: 'place' is empty"),
        ([line(metric="")], "line 2: 'metric' is empty"),
        ([line(profile="full")], "line 2: profile is 'full', expected 'published'"),
        ([line(chapter="other")], "line 2: chapter is 'other', expected 'tiny'"),
        ([line(table="table3")], "line 2: table is 'table3', expected 'table2'"),
        ([line(), line(at="a"), line(value="0.7")], "line 4: the same thing stands in line 2 already"),
    ],
)
def test_reader_names_file_and_line(tmp_path, monkeypatch, lines, message):
    monkeypatch.setenv("MISTRUST_ROOT", str(tmp_path))
    folder = tmp_path / "data" / "published"
    folder.mkdir(parents=True)
    (folder / "tiny-table2.csv").write_text("\n".join([",".join(COLUMNS), *lines]) + "\n")
    with pytest.raises(MistrustError, match=message):
        published("tiny")


def test_unknown_column_has_its_nearest_name(tmp_path, monkeypatch):
    monkeypatch.setenv("MISTRUST_ROOT", str(tmp_path))
    folder = tmp_path / "data" / "published"
    folder.mkdir(parents=True)
    (folder / "tiny-table2.csv").write_text(",".join(COLUMNS).replace("metric", "metrc") + "\n")
    with pytest.raises(MistrustError, match=r"line 1: unknown column 'metrc'\. Did you mean 'metric'"):
        published("tiny")
