"""Answers: read in their order, refused with their lines; what they say agrees with set A to all printed digits."""

import json

import numpy as np
import pytest
from labelled_set import CONFIDENCE, ERRORS, ORDER

from mistrust.errors import MistrustError
from mistrust.search.labelling import labelling_page, rank, read_answers, read_scores, report, shown

HEADS = ("rank", "id", "predicted", "confidence", "method", "answer")


def lines(words=None):
    words = words or ["wrong" if ERRORS[i - 1] else "right" for i in ORDER]
    return [
        (place, i, "dog", CONFIDENCE[i - 1], "adversarial_distance", word)
        for place, (i, word) in enumerate(zip(ORDER, words, strict=True), 1)
    ]


def test_numbers_agree_with_set_a(write):
    # facts 11: errors, SDR, p and interval of the adversarial distance search at query 8
    found = report(read_answers(write("a.csv", [HEADS, *lines()])))
    assert found.course["errors"].tolist() == [1, 2, 3, 4, 5, 6, 6, 6]
    sdr = (5.882353, 10.810811, 10.526316, 10.666667, 7.407407, 6.349206, 6.091371, 5.911330)
    np.testing.assert_allclose(found.course["sdr"], sdr, atol=5e-7)
    assert (found.errors, found.answered, found.unsure, found.open) == (6, 8, 0, 0)
    assert found.p == pytest.approx(0.000019, abs=5e-7)
    assert (found.low, found.high) == (pytest.approx(3.505657, abs=5e-7), pytest.approx(31.742581, abs=5e-7))
    chance = np.array([1 - CONFIDENCE[i - 1] for i in ORDER])  # what SDR is on average at both ends, by hand
    on_average = [np.minimum(1, end * chance).sum() / chance.sum() for end in (found.low, found.high)]
    assert [found.sdr_low, found.sdr_high] == pytest.approx(on_average)
    assert found.sdr_low < found.sdr < found.sdr_high
    assert found.found["id"].tolist() == ["6", "13", "9", "2", "4", "15"]


def test_lines_may_stand_in_any_order(write):
    path = write("a.csv", [HEADS, *lines()[::-1]])
    assert [int(name) for name in read_answers(path).names] == list(ORDER)


def test_unsure_and_unanswered_are_left_out_and_bounded(write):
    words = ["unsure", "wrong", "", "right", "right", "right", "right", "right"]
    found = report(read_answers(write("a.csv", [HEADS, *lines(words)])))
    assert (found.answered, found.unsure, found.open, found.errors) == (6, 1, 1, 1)
    known = [CONFIDENCE[i - 1] for i in (13, 2, 4, 15, 16, 1)]
    assert found.expected == pytest.approx(sum(1 - c for c in known))
    assert found.sdr == pytest.approx(1 / found.expected)
    assert found.sdr_least == pytest.approx(1 / (found.expected + 0.17))  # instance 6 has c = 0.83
    assert found.sdr_most == pytest.approx(2 / (found.expected + 0.17))
    assert found.course["answers"].tolist() == [1, 2, 3, 4, 5, 6]


def test_marks_are_reports_of_their_own(write):
    rng = np.random.default_rng(0)
    told = zip(rng.uniform(0.66, 1, 24).round(4), np.where(rng.random(24) < 0.4, "wrong", "right"), strict=True)
    rows = [(i, f"n{i}", "dog", c, "random", word) for i, (c, word) in enumerate(told, 1)]
    found = report(read_answers(write("a.csv", [HEADS, *rows])))
    first = report(read_answers(write("b.csv", [HEADS, *rows[:10]])))
    assert found.marks["answers"].tolist() == [10, 20, 24]
    at = found.marks.iloc[0]
    assert (at["sdr"], at["low"], at["high"], at["p"]) == (first.sdr, first.low, first.high, first.p)
    assert found.reliability["n"].sum() == 24
    assert (found.reliability["n"] > 0).all()


def test_where_chances_reach_one_sdr_lies_below_the_factor_and_within_its_own_interval(write):
    # From rho = 2 on three of the chances are 1 and the fourth is 0.005 rho: P(K >= 4) = 0.025 at rho = 5, by hand.
    rows = [(i, f"n{i}", "dog", c, "random", "wrong") for i, c in enumerate((0.5, 0.5, 0.5, 0.995), 1)]
    found = report(read_answers(write("a.csv", [HEADS, *rows])))
    assert found.sdr == pytest.approx(4 / 1.505)
    assert found.low == pytest.approx(5)
    assert found.sdr_low == pytest.approx((3 + 0.025) / 1.505)  # 3 for sure, and the fourth by 5 times 0.005
    assert found.sdr_high == found.sdr  # nothing but errors: no SDR is larger


def test_nothing_but_errors_has_no_upper_end_and_no_error_no_lower(write):
    every = report(read_answers(write("a.csv", [HEADS, *lines(["wrong"] * 8)])))
    assert (every.high, every.sdr_high) == (np.inf, pytest.approx(every.sdr))
    none = report(read_answers(write("b.csv", [HEADS, *lines(["right"] * 8)])))
    assert (none.low, none.sdr_low, none.sdr, none.p) == (0, 0, 0, 1)
    assert len(none.found) == 0


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("id", "label"), ("6", "rigth")], "line 2 has 'rigth'; expected right, wrong or unsure"),
        ([("id", "label"), ("6", "rigth")], "Did you mean 'right'?"),
        ([("id", "anwser"), ("6", "right")], "no column 'answer'. Nearest: 'anwser'"),
        ([("id", "answer"), ("6", "right"), ("6", "wrong")], "line 3 has '6', which stands in line 2, too"),
        ([("id", "answer"), ("6", ""), ("7", " ")], "nobody has answered yet: column 'answer' is empty in all 2 lines"),
        ([("id", "answer"), ("6", "right")], "no column 'confidence', and SDR needs it: name the scores"),
        ([("id", "answer", "confidence"), ("6", "right", 1.5)], "line 2 has 1.5; expected a number in (0, 1]"),
        ([("id", "answer", "c", "rank"), ("6", "right", 1, 1), ("7", "right", 1, 1)], "line 3 has '1', which stands"),
        ([("id", "answer", "confidence", "rank"), ("6", "right", 0.5, 0)], "expected a whole number from 1 on"),
        ([("id", "answer", "confidence", "method"), ("6", "right", 0.5, "random"), ("7", "right", 0.5, "lakkaraju")],
         "'method' names 2 searches (lakkaraju, random), and SDR is of one"),
    ],
)  # fmt: skip
def test_mistakes_of_the_file(write, rows, message):
    with pytest.raises(MistrustError) as error:
        read_answers(write("a.csv", rows))
    assert message in str(error.value)


def test_with_scores_ids_are_known_and_confidences_agree(write, known):
    scores = read_scores(known)
    answers = read_answers(write("a.csv", [("id", "answer"), ("13", "Wrong"), ("2", "right")]), scores)
    assert answers.confidence.tolist() == [0.985, 0.91]
    assert answers.predicted == ("dog", "dog")
    with pytest.raises(MistrustError, match=r"line 3 has '166'; expected ids of .*known\.csv\. Nearest: '16'"):
        read_answers(write("a.csv", [("id", "answer"), ("13", "wrong"), ("166", "right")]), scores)
    with pytest.raises(MistrustError, match=r"line 2 has 0\.9, where the scores have 0\.985.*belong to other scores"):
        read_answers(write("a.csv", [("id", "answer", "confidence"), ("13", "wrong", 0.9)]), scores)


@pytest.mark.parametrize("told", [("predicted", "confidence"), ("predicted",), ("Prediction",)])
def test_answers_about_another_prediction_are_refused(write, known, told):
    """An answer is about what was predicted; a line that does not tell it is of the scores'."""
    cells = {"predicted": "cat", "Prediction": "cat", "confidence": 0.985}
    rows = [("id", "answer", *told), ("13", "wrong", *(cells[name] for name in told))]
    with pytest.raises(
        MistrustError, match=r"'predicted': line 2 has 'cat', where the scores have 'dog'; expected tho"
    ):
        read_answers(write("a.csv", rows), read_scores(known))
    for mine in ("dog", ""):
        rows[1] = ("13", "wrong", *(mine if name != "confidence" else 0.985 for name in told))
        assert read_answers(write("a.csv", rows), read_scores(known)).predicted == ("dog",)


def test_zeros_that_a_spreadsheet_dropped_are_recognised(write):
    rows = [(f"{i:03d}{suffix}", "dog", 0.9) for i, suffix in ((0, ""), (11, ""), (20, ".png"), (100, ""))]
    scores = read_scores(write("s.csv", [("id", "predicted", "confidence"), *rows]))
    for name, whole in (("0", "000"), ("11", "011"), ("20", "020.png")):
        with pytest.raises(MistrustError, match=f"dropped leading zeros: '{whole}' would fit '{name}'"):
            read_answers(write("a.csv", [("id", "answer"), ("100", "right"), (name, "wrong")]), scores)
    with pytest.raises(MistrustError, match=r"line 2 has '10'; .*Nearest: ") as error:
        read_answers(write("a.csv", [("id", "answer"), ("10", "wrong")]), scores)
    assert "dropped leading zeros" not in str(error.value)


def test_an_errors_rank_is_the_files_own(write):
    """Deleted lines move those below them, and leave their ranks."""
    rows = [
        ("rank", "id", "confidence", "answer"),
        (41, "c", 0.9, "wrong"),
        (7, "b", 0.8, "wrong"),
        (2, "a", 0.7, "right"),
    ]
    assert report(read_answers(write("a.csv", rows))).found["rank"].tolist() == [7, 41]
    assert report(read_answers(write("b.csv", [row[1:] for row in rows]))).found["rank"].tolist() == [1, 2]


def test_what_has_no_sdr_says_so(write):
    with pytest.raises(MistrustError, match="all 2 answers are 'unsure'"):
        report(read_answers(write("a.csv", [("id", "answer", "c"), ("1", "unsure", 0.9), ("2", "unsure", 0.8)])))
    with pytest.raises(MistrustError, match=r"all 1 confidences are exactly 1.*SDR is not defined"):
        report(read_answers(write("a.csv", [("id", "answer", "c"), ("1", "wrong", 1)])))


# The page: what does not need a browser


def data(html):
    return json.loads(html.partition('id="data">')[2].partition("</script>")[0])


def test_the_page_holds_all_in_order_and_asks_for_nothing(known, folder):
    ranked = rank(read_scores(known), 8, parameters={"fraction": 0.5})
    files = [folder / f"{query.name}.png" for query in ranked.queries]
    html = labelling_page(ranked, shown(files), files)
    held = data(html)
    assert [int(item["id"]) for item in held["items"]] == list(ORDER)
    assert all(item["image"].startswith("data:image/png;base64,") for item in held["items"])
    assert "http" not in html.replace("http-equiv", "")
    assert "Each image stands here in its full size." in html
    assert "$" not in html.partition("<script>")[0].partition("</style>")[2]  # no placeholder left


def test_no_name_can_end_the_data(write, folder):
    nasty = '</script><script>alert("x")</script>'
    rows = [("id", "predicted", "confidence"), ("1", nasty, 0.9)]
    ranked = rank(read_scores(write("s.csv", rows)), 1)
    html = labelling_page(ranked, shown([folder / "1.png"]), [folder / "1.png"])
    assert nasty not in html
    assert data(html)["items"][0]["predicted"] == nasty


def test_another_list_has_another_key_and_the_same_list_the_same(known, folder):
    scores = read_scores(known)

    def key(ranked, longest=800):
        files = [folder / f"{query.name}.png" for query in ranked.queries]
        return data(labelling_page(ranked, shown(files, longest), files, longest))["list"]

    low = rank(scores, 8, "low_confidence")
    assert key(low) == key(low, longest=16)
    assert len({key(low), key(rank(scores, 7, "low_confidence")), key(rank(scores, 8, "random"))}) == 3
