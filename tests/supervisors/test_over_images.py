"""Intervals that follow from a row's own value and counts, in rows of pieces and in those that were accepted."""

import pandas as pd
import pytest

from mistrust import rows as tidy
from mistrust.errors import MistrustError
from mistrust.evaluation import bounded_auroc, share
from mistrust.publishing.acceptance import read_accepted
from mistrust.publishing.chapters import CHAPTERS
from mistrust.supervisors.experiment import Parameters, over_images
from mistrust.supervisors.experiment.over_images import TABLES, of_architectures, with_intervals
from mistrust.supervisors.experiment.over_runs import BY, together
from mistrust.supervisors.tables.attacked import METRICS

ATTACKED = {"table": "attacks", "data": "mnist", "network": "a", "condition": "adversarial/x", "seed": 0, "n": 2500}
OTHER = {
    "table": "other-sets", "data": "mnist", "method": "dsa", "condition": "ambiguous/x", "metric": "auroc", "seed": 0,
}  # fmt: skip


def test_shares_have_the_exact_interval_and_a_median_none():
    found = with_intervals(
        tidy.table(
            [
                {**ATTACKED, "metric": "share fooled", "value": 0.8936},
                {**ATTACKED, "metric": "share failure", "value": 0},
                {**ATTACKED, "metric": "median epsilon", "value": 0.03},
            ]
        )
    )
    for place, hits in enumerate((2234, 0)):
        exact = share(hits, 2500)
        assert found.loc[place, ["low", "high", "over"]].tolist() == [exact.low, exact.high, "images"]
    assert found.loc[2, ["low", "high"]].isna().all()
    assert found.loc[2, "over"] == ""


def test_only_rows_without_an_interval_of_these_tables_get_one_and_nothing_else_changes():
    given = tidy.table(
        [
            {**OTHER, "network": "a", "value": 0.7, "n": 30, "note": "30 bad, 20 nominal"},
            {**OTHER, "network": "b", "value": 0.7, "low": 0.6, "high": 0.75, "over": "images", "n": 30},
            {**OTHER, "network": "c", "value": 0.7, "n": 30, "table": "detection", "note": "30 bad, 20 nominal"},
        ]
    )
    before = given.copy()
    found = with_intervals(given)
    pd.testing.assert_frame_equal(given, before)
    bound = bounded_auroc(0.7, 30, 20)
    assert found.loc[0, ["low", "high", "over"]].tolist() == [bound.low, bound.high, "images"]
    pd.testing.assert_frame_equal(found.iloc[1:], before.iloc[1:])
    ends = ["low", "high", "over"]
    pd.testing.assert_frame_equal(found.drop(columns=ends), before.drop(columns=ends))
    pd.testing.assert_frame_equal(with_intervals(found), found)  # rows that were accepted come again
    assert with_intervals(tidy.empty()).empty


def test_an_auroc_that_does_not_say_among_how_many_is_refused():
    with pytest.raises(MistrustError, match="expected such as '200 bad, 10000 nominal'"):
        with_intervals(tidy.table([{**OTHER, "value": 0.7, "n": 30, "note": "30 bad"}]))


def test_a_mean_over_architectures_goes_from_their_lower_ends_to_their_upper_ones():
    single = tidy.table(
        [
            {**OTHER, "network": "a", "value": 0.7, "low": 0.6, "high": 0.8, "over": "images", "n": 30},
            {**OTHER, "network": "b", "value": 0.9, "low": 0.8, "high": 0.94, "over": "images", "n": 20},
        ]
    )
    (mean,) = of_architectures(single, BY, ["a", "b"]).to_dict("records")
    assert (mean["network"], mean["over"]) == ("all", "images")
    assert (mean["value"], mean["low"], mean["high"]) == pytest.approx((0.8, 0.7, 0.87))


@pytest.mark.whole
def test_rows_over_models_are_not_disturbed():
    one = {"table": "detection", "data": "mnist", "network": "a", "method": "dsa", "metric": "auroc", "n": 30}
    single = tidy.table([{**one, "seed": seed, "value": value, "low": 0.1, "high": 0.99, "over": "images"}
                         for seed, value in enumerate((0.7, 0.8))])  # fmt: skip
    sets = tidy.table([{**OTHER, "network": "a", "value": 0.7, "n": 30, "note": "30 bad, 20 nominal"}])
    found = together(pd.concat([single, sets], ignore_index=True), Parameters())
    means = found[found["seed"].isna()].set_index(["table", "network"])
    assert set(means.loc["detection", "over"]) == {"models"}
    bound = bounded_auroc(0.7, 30, 20)
    for network in ("a", "all"):  # a run that is alone keeps what it has over its images
        assert means.loc[("other-sets", network), ["low", "high", "over"]].tolist() == [bound.low, bound.high, "images"]
    without = together(single, Parameters())  # most profiles have no such sets
    assert set(without["table"]) == {"detection"}


@pytest.mark.whole
def test_every_accepted_number_has_the_interval_that_follows_from_it():
    accepted = read_accepted(CHAPTERS["supervisors"], "full")[1]
    found = accepted[accepted["table"].isin(TABLES) & (accepted["metric"] != "median epsilon")]
    assert set(found["table"]) == set(TABLES)
    assert (found["low"] <= found["value"]).all()
    assert (found["value"] <= found["high"]).all()
    assert found["over"].isin(["images", "models"]).all()
    single = found[found["made"] != ""].reset_index(drop=True)
    empty = single["over"].str[:0]  # text of the kind that rows hold
    again = with_intervals(single.assign(low=float("nan"), high=float("nan"), over=empty))
    pd.testing.assert_frame_equal(again, single, rtol=0, atol=1e-9)


def test_its_tables_and_shares_are_those_that_are_written():
    assert {*METRICS.values(), "accuracy"} == set(over_images.SHARES)
