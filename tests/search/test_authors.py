"""The authors' layout: what is read, what is refused, and the numbers of the known-answer set put into it."""

import csv

import numpy as np
import pytest
from scipy.special import expit, logit

from mistrust.errors import MistrustError
from mistrust.search.authors import BARS, compare, read_rows, searches
from mistrust.search.methods import SEARCHES
from mistrust.search.tables.recalibrated import recalibrated
from mistrust.search.tables.searches import Setting
from mistrust.search.tables.theirs import theirs

HEADS = ("", "Prediction", "Confidence", "True Label", "X1", "X2", "X3", "X4", "X5", "Misclassified", "MAE")


@pytest.fixture
def write(tmp_path):
    def write(rows, heads=HEADS):
        path = tmp_path / "rows.csv"
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([heads, *rows])
        return path

    return write


def row(index, confidence, error, mae=0.01):
    return [index, 1, confidence, 0 if error else 1, index, 2.5, -1, 0, 4, error, mae]


def made(n=200, seed=0):
    """Rows whose MAE grows with confidence, and of which every other error has less than its confidence lets expect."""
    rng = np.random.default_rng(seed)
    confidence = rng.uniform(0.6, 1, n).round(6)
    error = rng.random(n) < 2 * (1 - confidence)
    mae = np.exp(4 * confidence - 8 + 0.2 * rng.normal(size=n) - 1.0 * error)
    return [row(i, c, bool(e), m) for i, (c, e, m) in enumerate(zip(confidence, error, mae, strict=True))]


def test_rows_above_the_threshold_become_a_pool(write):
    authors = read_rows(write([row(0, 0.65, True), row(1, 0.9, True), row(2, 0.7, False, 0.5)]))
    assert authors.rows == 3
    assert authors.pool.ids.tolist() == [1, 2]
    assert authors.pool.features.tolist() == [[1, 2.5, -1, 0, 4], [2, 2.5, -1, 0, 4]]
    assert authors.pool.distance.tolist() == [0.01, 0.5]
    assert [authors.oracle(1), authors.oracle(2)] == [True, False]
    assert authors.sdr == pytest.approx(1 / (0.1 + 0.3))


def test_a_copied_line_counts_once_and_two_images_alike_count_twice(write):
    """A file that was appended to itself; but an image that has all of another's numbers has an index of its own."""
    rows = [row(0, 0.9, True), row(1, 0.7, False), row(2, 0.6, False)]
    alike = [3, *row(0, 0.9, True)[1:]]
    authors = read_rows(write([*rows, *rows, alike]))
    assert (authors.rows, authors.copies) == (4, 3)
    assert authors.pool.ids.tolist() == [0, 1, 6]
    assert authors.sdr == pytest.approx(2 / (0.1 + 0.3 + 0.1))
    assert [authors.oracle(id) for id in (0, 1, 6)] == [True, False, True]


@pytest.mark.whole
def test_each_search_is_compared_at_20_and_50(write):
    rows = made(90)
    authors = read_rows(write(rows))
    found = compare(authors, fraction=0.3)
    assert set(found["method"]) == set(SEARCHES) - {"score"}
    low = found.set_index("method").loc["low_confidence"]
    sure = sorted((one[2], one[9]) for one in rows if one[2] > 0.65)
    for b in (20, 50):
        errors = sum(error for _, error in sure[:b])
        assert low[f"errors{b}"] == errors
        assert low[f"sdr{b}"] == pytest.approx(errors / sum(1 - c for c, _ in sure[:b]))
    assert low["low50"] < low["sdr50"] < low["high50"]
    distance = found.set_index("method").loc["adversarial_distance"]
    assert distance["sdr50"] > authors.sdr  # errors were made to be nearer


def test_the_bars_name_searches_that_exist():
    assert {method for method, _ in BARS} - set(SEARCHES) == {"pool"}


@pytest.mark.parametrize(
    ("rows", "heads", "message"),
    [
        ([row(0, 0.9, True)], [h.replace("MAE", "MEA") for h in HEADS], "no column 'MAE'. Nearest: 'MEA'"),
        ([row(0, 0.9, True)], [h.replace("X3", "Y3") for h in HEADS], "no column 'X3'"),
        ([row(0, 1.2, True)], HEADS, "column 'Confidence': line 2 has 1.2; expected a number in (0, 1]"),
        ([row(0, "nan", True)], HEADS, "line 2 has nan"),
        ([row(0, 0.9, True), row(1, 0.9, False, 0)], HEADS, "column 'MAE': line 3 has 0"),
        ([row(0, 0.9, 2)], HEADS, "column 'Misclassified': line 2 has '2'; expected True or False"),
        ([[*row(0, 0.9, True)[:3], 1, *row(0, 0.9, True)[4:]]], HEADS, "True, with prediction 1 and true label 1"),
        ([row(0, 0.6, True)], HEADS, "none of 1 rows has a confidence above 0.65; the largest is 0.6"),
    ],
)
def test_mistakes(write, rows, heads, message):
    with pytest.raises(MistrustError) as error:
        read_rows(write(rows, heads))
    assert message in str(error.value)


@pytest.mark.parametrize(("yes", "no"), [(1, 0), ("1.0", "0.0"), ("TRUE", "false")])
def test_errors_may_be_written_as_other_programs_do(yes, no, write):
    rows = made(60)
    said = [[yes if cell is True else no if cell is False else cell for cell in one] for one in rows]
    assert read_rows(write(said)).errors.tolist() == read_rows(write(rows)).errors.tolist()


def test_a_label_may_be_written_as_a_decimal_number(write):
    """As pandas writes whole numbers of a column of which one cell was empty before."""
    rows = made(60)
    said = [[float(cell) if place == 3 else cell for place, cell in enumerate(one)] for one in rows]
    assert read_rows(write(said)).errors.tolist() == read_rows(write(rows)).errors.tolist()
    with pytest.raises(MistrustError, match=r"line 2 has True, with prediction 1 and true label 1\.0"):
        read_rows(write([[*row(0, 0.9, True)[:3], 1.0, *row(0, 0.9, True)[4:]]]))


def test_an_unknown_search_is_refused_before_any_runs(write):
    with pytest.raises(MistrustError, match=r"no search 'randm'\. Did you mean 'random'"):
        compare(read_rows(write(made(60))), ["low_confidence", "randm"])


def test_a_search_by_score_is_refused_since_the_rows_hold_none(write):
    assert set(searches()) == set(SEARCHES) - {"score"}
    with pytest.raises(MistrustError, match=r"--method score goes by a score of your own.*--column MAE=OTHER"):
        compare(read_rows(write(made(60))), ["low_confidence", "score"])


@pytest.mark.parametrize(
    ("n", "threshold", "left", "way"), [(70, 0.9, 49, "name a lower --threshold"), (49, 0, 49, "bring a longer file")]
)
def test_too_few_rows_are_told_with_file_threshold_and_need(n, threshold, left, way, write):
    rows = [row(i, 0.95 if i < 49 else 0.8, i % 4 == 0, 0.01 + i / 1000) for i in range(n)]
    path = write(rows)
    authors = read_rows(path, threshold)
    assert (authors.path, authors.threshold) == (path, threshold)
    with pytest.raises(MistrustError) as error:
        compare(authors, ["low_confidence"])
    assert str(error.value) == (
        f"{path}: {left} of {n} rows have a confidence above {threshold:g}, and searches are compared at 20 and 50 "
        f"queries, which needs 50 of them: {way}."
    )
    enough = read_rows(write([*rows, row(n, 0.95, True)]), threshold)
    assert compare(enough, ["low_confidence"])["errors50"].tolist() == [enough.errors.sum()]


@pytest.mark.whole
def test_rows_of_the_chapter_have_every_search(write):
    methods = ("adversarial_distance", "low_confidence", "lakkaraju_coded", "bansal_weld_coded")
    setting = Setting(methods, 6, 2, 20, 0.01, 0.2, False, False, 0)
    found = list(theirs(write(made(120)), setting))
    at_20 = {(one["method"], one["metric"]): one for one in found if one.get("level") == 20 and "method" in one}
    for name in (*methods, "random"):
        sdr = at_20[name, "replicated sdr" if name == "adversarial_distance" else "sdr"]
        assert sdr["n"] == (2 if name in methods[2:] else 6), name  # searches that read answers have fewer subsets
        assert 0 < at_20[name, "spread"]["value"] < 1
        assert at_20[name, "misaligned spread"]["n"] == 2
        assert at_20[name, "utility"]["n"] == 2
    pool = read_rows(write(made(120)))
    assert next(one["value"] for one in found if one["metric"] == "pool sdr") == pytest.approx(pool.sdr)


@pytest.mark.whole
def test_the_search_is_held_against_members_of_equal_confidence(write):
    """Confidence tells nothing here, distance all: each bin has as many errors, and the search finds errors alone."""
    errors = [i % 4 == 0 for i in range(400)]
    rows = [row(i, 0.66 + 0.0008 * i, error, 0.01 if error else 0.02) for i, error in enumerate(errors)]
    found = list(theirs(write(rows), Setting(("adversarial_distance",), 2, 2, 20, 0.01, 0.5, False, False, 0)))
    at_20 = {
        one["metric"]: one for one in found if one.get("level") == 20 and one.get("method") == "adversarial_distance"
    }
    assert at_20["expected alike"]["value"] == pytest.approx(5)  # 20 queries, 2 errors in each bin of 8
    lift = at_20["matched lift"]
    assert lift["value"] == pytest.approx(4)
    # All queries are errors: no ratio is larger. P(20 of 20) = .025 where each errs with .025 ** (1 / 20), by hand.
    assert lift["high"] == pytest.approx(4)
    assert lift["low"] == pytest.approx(20 * 0.025 ** (1 / 20) / 5)
    assert at_20["matched p"]["value"] == pytest.approx(0.25**20)


def test_the_utility_of_errors_that_cover_themselves_alone_is_their_confidence(write):
    """All is an error, and a kernel so narrow covers nothing else: n queries are worth n times their confidence."""
    rows = [row(i, c, True, m) for i, (_, _, c, *_, m) in enumerate(made(120))]
    found = list(theirs(write(rows), Setting(("low_confidence",), 2, 2, 20, 1e-9, 0.2, False, False, 0)))
    for name in ("low_confidence", "random"):
        at_20 = {one["metric"]: one["value"] for one in found if one.get("level") == 20 and one.get("method") == name}
        assert at_20["utility"] == pytest.approx(20 * at_20["confidence"])


@pytest.mark.whole
def test_a_temperature_that_was_planted_is_found_and_the_pool_then_has_no_lift(write):
    rng = np.random.default_rng(3)
    true = rng.uniform(0.55, 0.97, 4000)  # how often such an answer is right
    sure = expit(2 * logit(true)).round(9)  # what is said: logits twice as large
    rows = [row(i, c, bool(rng.random() < 1 - t), 0.001 + c) for i, (c, t) in enumerate(zip(sure, true, strict=True))]
    found = {(one["metric"], one.get("level")): one for one in recalibrated(write(rows), 0.3, 50, 0)}
    assert found["temperature", None]["value"] == pytest.approx(2, rel=0.1)
    assert found["temperature", None]["n"] == 4000
    assert found["recalibrated pool sdr", None]["value"] == pytest.approx(1, abs=0.1)
    # Nothing but the confidence tells an error here, so no search has a lift: its interval holds 1.
    last = found["recalibrated sdr", 50.0]
    assert last["low"] < 1 < last["high"]


def test_the_recalibrated_pool_is_the_one_above_the_threshold_after_scaling(write):
    rows = made(400)
    found = {one["metric"]: one for one in recalibrated(write(rows), 0.3, 20, 0)}
    scale = found["temperature"]["value"]
    kept = [one for one in rows if expit(logit(one[2]) / scale) > 0.65]
    expected = sum(1 - expit(logit(one[2]) / scale) for one in kept)
    assert found["recalibrated pool sdr"]["n"] == len(kept)
    assert found["recalibrated pool sdr"]["value"] == pytest.approx(sum(one[9] for one in kept) / expected)
