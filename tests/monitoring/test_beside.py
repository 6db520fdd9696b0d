"""The printed tables beside their re-reading and our runs."""

import pandas as pd
import pytest

from mistrust.errors import UnknownName
from mistrust.monitoring.rereading import beside, comparable, printed, reread
from mistrust.publishing.published import published

NAMES = {"gtsrb-thin": "gtsrb", "cifar10-jpeg": "cifar10"}


def ours(**rates: float) -> pd.DataFrame:
    common = {
        "table": "detection", "network": "farm-lenet", "data": "gtsrb-thin", "condition": "shift/fog", "level": 5.0,
        "seed": float("nan"),
    }  # fmt: skip
    return pd.DataFrame(
        [
            {**common, "method": f"alooc{kind}", "metric": metric, "value": value}
            for kind in ("", "/as published")
            for metric, value in rates.items()
        ]
    )


@pytest.fixture(scope="module")
def paper() -> pd.DataFrame:
    return published("monitoring")


@pytest.fixture(scope="module")
def whole(paper: pd.DataFrame) -> pd.DataFrame:
    return reread(printed(paper))


def test_one_line_a_printed_row(paper: pd.DataFrame, whole: pd.DataFrame) -> None:
    for table, count in (("table2", 9), ("table3", 6), ("table4", 18)):
        assert len(beside(paper, table, {}, NAMES, "farm-lenet", whole)) == count


def test_printed_rates_stay_and_the_re_reading_takes_the_row_that_belongs_there(
    paper: pd.DataFrame, whole: pd.DataFrame
) -> None:
    """Table IV prints ODIN on CIFAR-10's fog (5) as .21 .81: that row is brightness (5). Fog (5) stands under snow (5)
    or fog's own misses, read from the authors' lists (facts 9, C1: snow 5 -> fog 2, fog 5 -> brightness 2).
    """
    found = beside(paper, "table4", {}, NAMES, "farm-lenet", whole).set_index(["data", "set", "monitor"])
    assert found.loc[("cifar10", "fog (5)", "odin"), "printed"] == "0.21 / 0.81 / -0.01"
    # The row that belongs to fog (5) is labelled "fog (2)": false alarms .81 as in every row of this monitor.
    assert found.loc[("cifar10", "fog (5)", "odin"), "re-read"].startswith("0.81 / ")
    # ALOOC's order is right: only the two rates change places.
    assert found.loc[("cifar10", "fog (5)", "alooc"), "printed"] == "0.03 / 0.59 / 0.47"
    assert found.loc[("cifar10", "fog (5)", "alooc"), "re-read"] == "0.59 / 0.03 / 0.47"
    assert found.loc[("cifar10", "rotated", "alooc"), "re-read"] == "none"


def test_our_rows_stand_at_their_set_right_and_as_published(paper: pd.DataFrame, whole: pd.DataFrame) -> None:
    """Facts 12: of 12,630 nominal and 51,839 faulty images these rates give MCC .5446, whatever our own set gave."""
    rows = ours(fpr=0.02, fnr=0.3, mcc=0.9)
    found = beside(paper, "table4", {"full": rows}, NAMES, "farm-lenet", whole).set_index(["data", "set", "monitor"])
    assert found.loc[("gtsrb", "fog (5)", "alooc"), "full, right"] == "0.02 / 0.30 / 0.54"
    assert found.loc[("gtsrb", "fog (5)", "alooc"), "full, as published"] == "0.02 / 0.30 / 0.54"
    assert found.loc[("cifar10", "fog (5)", "alooc"), "full, right"] == "not run"
    assert found.loc[("gtsrb", "snow (5)", "alooc"), "full, right"] == "not run"


def test_a_set_that_lacks_a_rate_is_not_run(paper: pd.DataFrame, whole: pd.DataFrame) -> None:
    found = beside(paper, "table4", {"full": ours(fpr=0.05)}, NAMES, "farm-lenet", whole)
    assert set(found["full, right"]) == {"not run"}


def test_another_network_is_not_meant(paper: pd.DataFrame, whole: pd.DataFrame) -> None:
    found = beside(paper, "table4", {"full": ours(fpr=0.05, fnr=0.4, mcc=0.3)}, NAMES, "resnet20", whole)
    assert set(found["full, right"]) == {"not run"}


def test_rows_of_novelty_are_read_right_and_left_open(paper: pd.DataFrame, whole: pd.DataFrame) -> None:
    """Table II prints .61 and .11 for OOB on GTSRB with BTSC; which set that row is of stays open (facts 9, C6)."""
    found = beside(paper, "table2", {}, NAMES, "farm-lenet", whole).set_index(["data", "set", "monitor"])["re-read"]
    assert found[("gtsrb", "BTSC", "oob")] == "0.11 / 0.61 / 0.23 (assignment open)"
    assert found.str.endswith("(assignment open)").all()


@pytest.mark.whole
def test_a_re_reading_that_is_known_is_taken_and_else_made(paper: pd.DataFrame, whole: pd.DataFrame) -> None:
    known = beside(paper, "table3", {}, NAMES, "farm-lenet", whole)
    pd.testing.assert_frame_equal(beside(paper, "table3", {}, NAMES, "farm-lenet"), known)
    other = beside(paper, "table3", {}, NAMES, "farm-lenet", whole.assign(false_alarm=0.77))
    assert other["re-read"].str.startswith("0.77 / ").all()


def test_the_other_printed_numbers_are_read_right_as_well(paper: pd.DataFrame, whole: pd.DataFrame) -> None:
    """Facts 12: false alarms .02 and misses .30 give weighted F1 .7799 and micro-F1 .7548; the other two by hand:
    .7 of 51,839 images are found, and of those alarms .02 of 12,630 are false.
    """
    rows = ours(fpr=0.02, fnr=0.3)
    found = beside(paper, "table4", {"full": rows}, NAMES, "farm-lenet", whole, "answers")
    lines = found.set_index(["data", "set", "monitor"])
    assert lines.loc[("gtsrb", "fog (5)", "alooc"), "full, right"] == "0.99 / 0.70 / 0.78 / 0.75"
    # As printed, of nominal images as the positives; read again, and the F1 is what it was.
    assert lines.loc[("cifar10", "fog (5)", "alooc"), "printed"] == "0.68 / 0.41 / 0.88"
    assert lines.loc[("cifar10", "fog (5)", "alooc"), "re-read"] == "0.91 / 0.97 / 0.88 / 0.89"
    # OOB never alarms there: of no alarms no share is right.
    assert lines.loc[("cifar10", "fog (5)", "oob"), "re-read"] == "– / 0.00 / 0.04 / 0.14"
    assert lines.loc[("cifar10", "rotated", "oob"), "re-read"] == "none"


def test_a_row_whose_set_is_open_is_read_at_the_share_that_it_implies(paper: pd.DataFrame, whole: pd.DataFrame) -> None:
    """Table II, OOB on GTSRB with CIFAR-10: .79 and .09 at a share of .797, so .2 * .21 of .2 * .21 + .8 * .09."""
    found = beside(paper, "table2", {}, NAMES, "farm-lenet", whole, "answers").set_index(["data", "set", "monitor"])
    assert found.loc[("gtsrb", "CIFAR-10", "oob"), "re-read"] == "0.37 / 0.21 / 0.74 / 0.77 (assignment open)"


def test_other_numbers_are_refused(paper: pd.DataFrame) -> None:
    with pytest.raises(UnknownName, match=r"cell of a detection table 'answer'.*answers"):
        beside(paper, "table4", {}, NAMES, "farm-lenet", cell="answer")


def test_a_run_of_other_images_has_no_column_and_the_full_run_always_one() -> None:
    signs, digits = ours(fpr=0.1), ours(fpr=0.1).assign(data="mnist5k")
    assert list(comparable({"full": signs, "this": digits}, NAMES)) == ["full"]
    assert list(comparable({"full": digits, "this": signs}, NAMES)) == ["full", "this"]
    assert list(comparable({"full": signs[:0], "this": signs[:0]}, NAMES)) == ["full"]
    assert comparable({}, NAMES) == {}
