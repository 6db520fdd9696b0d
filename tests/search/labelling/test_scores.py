"""Scores files: what is read under which names, and each mistake with its line and its way out."""

import numpy as np
import pytest

from mistrust.errors import MistrustError
from mistrust.search.labelling import pool_rows, read_scores

HEADS = ("id", "predicted", "confidence")


def test_names_count_without_case_spaces_and_underscores(write):
    path = write(
        "s.csv", [("File Name", "Predicted_Class", "CONFIDENCE", "X2", "x1", "note"), ("007", "a, b", 0.5, 2, 1, "")]
    )
    scores = read_scores(path)
    assert scores.names == ("007",)  # no number: the zeros belong to the name
    assert scores.predicted == ("a, b",)
    assert scores.confidence.tolist() == [0.5]
    assert scores.features.tolist() == [[1, 2]]
    assert scores.distance is None


def test_a_columns_own_name_goes_before_one_that_is_read_as_the_same(write):
    scores = read_scores(write("s.csv", [("image", "id", "class", "predicted", "confidence"), ("x", "y", "u", "v", 1)]))
    assert (scores.names, scores.predicted) == (("y",), ("v",))


@pytest.mark.parametrize("separator", [";", "\t"])
def test_what_a_spreadsheet_wrote_is_read(tmp_path, separator):
    path = tmp_path / "s.csv"
    decimal = "0,75" if separator == ";" else "0.75"
    lines = [separator.join(HEADS), "", separator.join(('"a\nb"', "cat", decimal))]
    path.write_bytes(("\ufeff" + "\r\n".join(lines)).encode())
    scores = read_scores(path)
    assert (scores.names, scores.confidence.tolist()) == (("a\nb",), [0.75])


def test_columns_of_other_names_are_read_when_named(write):
    path = write("s.csv", [("path", "says", "softmax"), ("1", "cat", 0.9)])
    assert read_scores(path, {"id": "path", "predicted": "says", "confidence": "softmax"}).confidence.tolist() == [0.9]
    with pytest.raises(MistrustError, match=r"no column 'softmx'\. Nearest: 'softmax'"):
        read_scores(path, {"id": "path", "predicted": "says", "confidence": "softmx"})


def test_another_column_takes_the_place_of_one_that_has_the_usual_name(write):
    """Calibrated confidences stand beside raw ones; both columns are of the user's making."""
    path = write("s.csv", [("id", "predicted", "confidence", "calibrated"), ("1", "cat", 0.99, 0.8)])
    assert read_scores(path, {"confidence": "calibrated"}).confidence.tolist() == [0.8]
    path = write("s.csv", [("id", "file", "predicted", "confidence"), ("1", "a.png", "cat", 0.9)])
    assert read_scores(path, {"id": "file"}).names == ("a.png",)


def test_columns_named_for_nothing_or_for_two_things_are_refused(write):
    path = write("s.csv", [("id", "predicted", "confidence"), ("1", "cat", 0.9)])
    with pytest.raises(MistrustError, match=r"--column confidnce=.*no use for such a column\. It reads: id, "):
        read_scores(path, {"confidnce": "confidence"})
    with pytest.raises(MistrustError, match="names 'id' for id and for predicted: each has its own"):
        read_scores(path, {"id": "id", "predicted": "id"})
    with pytest.raises(MistrustError, match="needs a column for id, and --column has given 'id' to predicted"):
        read_scores(path, {"predicted": "id"})
    taken = write("t.csv", [("id", "class", "confidence", "distance"), ("1", "cat", 0.9, 0.5)])
    with pytest.raises(MistrustError, match="--column has given 'confidence' to distance"):  # one column is not two
        read_scores(taken, {"distance": "confidence"})


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("id", "predicted", "confidnce"), ("1", "a", 0.9)], "no column 'confidence'. Nearest: 'confidnce'. Its"),
        ([("id", "predicted", "confidnce"), ("1", "a", 0.9)], "--column confidence=confidnce"),
        ([("predicted", "confidence"), ("a", 0.9)], "no column 'id'. Its columns"),  # 'confidence' is spoken for
        ([("id", "predicted", "soft confidnce"), ("1", "a", 0.9)], "--column 'confidence=soft confidnce'"),
        ([("idd", "note", "x"), ("1", "a", 0.9)], "has no columns 'id' (nearest: 'idd'), 'predicted', 'confidence'. "),
        ([("id", "id", "predicted", "confidence"), ("1", "1", "a", 0.9)], "column 'id' twice"),
        ([HEADS], "has no rows"),
        ([HEADS, ("1", "a", 0.9, "more")], "line 2 has 4 cells under 3 column names"),
        ([HEADS, ("1", "a", 0.9), ("2", "b", 0.8), ("1", "b", 0.7)], "line 4 has '1', which stands in line 2, too"),
        ([HEADS, ("", "a", 0.9)], "column 'id': line 2 has empty"),
        ([HEADS, ("1", "", 0.9)], "column 'predicted': line 2 has empty"),
        ([HEADS, ("1", "a", 97.2)], "line 2 has 97.2; expected the probability of the predicted class, in (0"),
        ([HEADS, ("1", "a", 0.9), ("2", "a", "nan")], "line 3 has nan"),
        ([HEADS, ("1", "a", 0.9), ("2", "a", "")], "line 3 has empty"),
        ([HEADS, ("1", "a", 0)], "line 2 has 0;"),
        ([HEADS, ("1", "a", "high")], "line 2 has high"),
        ([HEADS, *((i, "a", -1) for i in range(9))], "line 6 has -1; and 4 more"),
        ([(*HEADS, "distance"), ("1", "a", 0.9, "inf")], "column 'distance': line 2 has inf; expected a fin"),
        ([(*HEADS, "distance"), ("1", "a", 0.9, 0)], "column 'distance': line 2 has 0"),
        ([(*HEADS, "x1"), ("1", "a", 0.9, "")], "column 'x1': line 2 has empty"),
    ],
)  # fmt: skip
def test_mistakes_name_the_line_and_the_way_out(write, rows, message):
    with pytest.raises(MistrustError) as error:
        read_scores(write("s.csv", rows))
    assert message in str(error.value)
    assert "s.csv" in str(error.value)


def test_files_that_are_no_tables_are_explained(tmp_path):
    with pytest.raises(MistrustError, match=r"the scores file cannot be read \(No such file"):
        read_scores(tmp_path / "none.csv")
    (tmp_path / "latin.csv").write_bytes(b"id,predicted,confidence\n\xe9,a,0.9\n")
    with pytest.raises(MistrustError, match="is not UTF-8 text"):
        read_scores(tmp_path / "latin.csv")
    (tmp_path / "wide.csv").write_bytes("id,predicted,confidence\na,cat,0.9\n".encode("utf-16-le"))
    with pytest.raises(MistrustError, match="is not UTF-8 text"):
        read_scores(tmp_path / "wide.csv")
    (tmp_path / "open.csv").write_text('id,predicted,confidence\na,cat,0.9\n"b,cat,0.9\n' + "c,dog,0.8\n" * 20_000)
    with pytest.raises(MistrustError, match=r"from line 3 on it is no table .*: is a quotation mark opened there"):
        read_scores(tmp_path / "open.csv")


def test_the_pool_is_strictly_above_the_threshold_and_of_the_class(write):
    rows = [("a", "cat", 0.65), ("b", "cat", 0.66), ("c", "dog", 0.9), ("d", "cat", 1)]
    scores = read_scores(write("s.csv", [HEADS, *rows]))
    np.testing.assert_array_equal(pool_rows(scores), [1, 2, 3])
    np.testing.assert_array_equal(pool_rows(scores, critical="cat"), [1, 3])
    np.testing.assert_array_equal(pool_rows(scores, 0.66), [2, 3])
    with pytest.raises(MistrustError, match=r"none has a confidence above 0\.95; the largest is 0\.9\..*--threshold"):
        pool_rows(scores, 0.95, "dog")
    with pytest.raises(
        MistrustError, match=r"2 of 3 have a confidence above 0.65, fewer than the budget of 3.*at most 2"
    ):
        pool_rows(scores, critical="cat", budget=3)
    with pytest.raises(MistrustError, match=r"no predicted class 'cta'\. Did you mean 'cat'"):
        pool_rows(scores, critical="cta")
