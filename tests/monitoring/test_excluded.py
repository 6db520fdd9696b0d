"""How far printed numbers alone bear out the moves of rule C."""

import pandas as pd
import pytest

from mistrust.monitoring.rereading import excluded, fits, printed, reread
from mistrust.publishing.published import published


@pytest.fixture(scope="module")
def whole() -> pd.DataFrame:
    return reread(printed(published("monitoring")))


def test_no_row_that_stays_is_excluded_and_every_row_that_drops_out_is(whole):
    by = excluded(whole).groupby(whole["status"]).agg(["sum", "size"])
    assert by.to_dict("index") == {
        "kept": {"sum": 0, "size": 129}, "moved": {"sum": 4, "size": 90}, "dropped": {"sum": 18, "size": 18},
    }  # fmt: skip


def test_of_the_moves_the_numbers_show_the_attacks_alone(whole):
    """Facts 9, C5: ALOOC's and OOB's rows of FGSM are exchanged between the two data sets."""
    shown = whole[excluded(whole) & (whole["status"] == "moved")]
    assert set(shown["label"]) == {"FGSM"}
    assert set(shown["method"]) == {"alooc", "oob"}


def test_every_row_fits_where_it_is_put(whole):
    assert fits(whole).tolist() == (whole["status"] != "dropped").tolist()


def test_oobs_run_in_odins_list_shows_by_its_false_alarms_alone(whole):
    """Facts 9, C3: the rows labelled gaussian (2) have OOB's false-alarm rates, and the right share."""
    row = whole[(whole["method"] == "odin") & (whole["label"] == "gaussian noise (2)")]
    assert row["own"].all()
    assert excluded(whole)[row.index].all()


def test_a_row_in_the_other_data_sets_place_is_excluded_and_does_not_fit(whole):
    place = whole.index[(whole["label"] == "fog (5)") & (whole["method"] == "alooc") & (whole["data"] == "gtsrb")][0]
    wrong = whole.copy()
    wrong.loc[place, ["data", "true_data"]] = "cifar10"
    wrong.loc[place, "own"] = False
    assert excluded(wrong)[place]
    assert not fits(wrong)[place]
