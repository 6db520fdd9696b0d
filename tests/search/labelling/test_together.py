"""Answers of several people: how far they agree, what they say together, and files that do not fit."""

import numpy as np
import pytest

from mistrust.errors import MistrustError
from mistrust.search.labelling import read_answers, together

HEADS = ("id", "predicted", "confidence", "method", "answer")


@pytest.fixture
def said(write):
    """Answers to one list: said("anna", ["wrong", ...]); what is changed stands in place of a column's values."""

    def said(name, words, **changed):
        columns = {"id": range(len(words)), "predicted": ["cat"] * len(words), "method": ["random"] * len(words)}
        columns |= {"confidence": [0.9] * len(words), "answer": words} | changed
        return read_answers(write(f"{name}.csv", [HEADS, *zip(*(columns[head] for head in HEADS), strict=True)]))

    return said


def test_kappa_is_agreement_beyond_chance_by_hand(said):
    """Of 50 images anna calls 25 right, ben 30, and 20 both: 0.7 agree, 0.5 would by chance."""
    anna = said("anna", ["right"] * 25 + ["wrong"] * 25 + ["unsure"])
    ben = said("ben", ["right"] * 20 + ["wrong"] * 5 + ["right"] * 10 + ["wrong"] * 15 + ["right"])
    cyd = said("cyd", ["wrong"] * 25 + ["right"] * 25 + [""])
    found = together([anna, ben, cyd]).agreement
    assert found[["first", "second"]].values.tolist() == [["anna", "ben"], ["anna", "cyd"], ["ben", "cyd"]]
    assert found["both"].tolist() == [50, 50, 50]
    assert found["alike"].tolist() == [35, 0, 15]
    assert found["kappa"].tolist() == pytest.approx([0.4, -1.0, (0.3 - 0.5) / 0.5])


def test_what_they_say_together(said):
    """What all who know say; unsure where they contradict each other or nobody knows; empty where nobody looked."""
    first = said("anna", ["wrong", "right", "wrong", "unsure", "unsure", "", ""])
    second = said("ben", ["wrong", "wrong", "", "right", "", "unsure", ""])
    found = together([first, second])
    assert found.answers.answers == ("wrong", "unsure", "wrong", "right", "unsure", "unsure", "")
    assert found.conflicts.values.tolist() == [["1", "cat", 0.9, "right", "wrong"]]
    assert list(found.conflicts) == ["id", "predicted", "confidence", "anna", "ben"]
    assert found.agreement.loc[0, ["both", "alike"]].tolist() == [2, 1]
    assert found.answers.method == "random"


def test_two_people_may_share_a_list(said):
    """Each has half of it: nothing is common, so nobody knows how far they agree."""
    halves = [said("one", ["wrong", "right"]), said("two", ["right", "right"], id=[7, 8])]
    found = together(halves)
    assert found.answers.names == ("0", "1", "7", "8")
    assert found.answers.answers == ("wrong", "right", "right", "right")
    assert found.agreement["both"].tolist() == [0]
    assert np.isnan(found.agreement["kappa"][0])
    # Nor does kappa say anything where both said one word throughout.
    alike = together([said("one", ["right"] * 3), said("two", ["right"] * 3)])
    assert np.isnan(alike.agreement["kappa"][0])
    assert alike.conflicts.empty


def test_ranks_stay_where_each_image_has_one(write):
    def read(name, *rows):
        return read_answers(write(name, rows))

    heads = ("rank", "id", "confidence", "answer")
    one, two = read("one.csv", heads, (3, "a", 0.9, "wrong")), read("two.csv", heads, (9, "b", 0.8, "wrong"))
    bare = read("bare.csv", heads[1:], ("c", 0.7, "wrong"))
    assert together([one, two]).answers.ranks == (3, 9)
    assert together([one, two, bare]).answers.ranks == ()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"method": ["low_confidence"] * 2}, r"2 searches \(low_confidence, random\), and SDR is of one"),
        ({"confidence": [0.9, 0.8]}, "Image '1' has confidence 0.9 in anna and 0.8 in ben"),
        ({"predicted": ["cat", "dog"]}, "Image '1' has prediction 'cat' in anna and 'dog' in ben"),
    ],
)
def test_answers_to_two_lists_are_refused(said, changed, message):
    with pytest.raises(MistrustError, match=message):
        together([said("anna", ["right", "wrong"]), said("ben", ["right", "wrong"], **changed)])


def test_one_file_is_no_two_people(said):
    one = said("anna", ["right", "wrong"])
    for several in ([one], [one, one], []):
        with pytest.raises(MistrustError, match="stand in a file each"):
            together(several)
