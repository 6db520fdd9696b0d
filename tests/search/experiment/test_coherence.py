"""Rows of one model that cannot be of one network are found, and only these."""

import pandas as pd
import pytest

from mistrust import rows as tidy
from mistrust.publishing.acceptance import read_accepted
from mistrust.publishing.chapters import CHAPTERS
from mistrust.search.experiment import contradictions

SUBJECT = {"condition": "biased/25", "seed": 0, "at": "cat"}


def of_one(sdr=0.9, pool=0.8, errors=11.0, scale=1.0):
    """Rows of one network; `scale` makes those of the curves another's."""
    found = [{"table": "panel", "metric": "pool sdr", "value": pool}]
    for method in ("adversarial_distance", "residual_ensemble"):
        for metric, value in (("errors", errors), ("sdr", sdr), ("lift", sdr / pool)):
            found.append({"table": "searches", "method": method, "level": 50, "metric": metric, "value": value})
        for metric, value in (("errors", errors), ("sdr", sdr)):
            found.append({"table": "curves", "method": method, "level": 50, "metric": metric, "value": value * scale})
        found.append({"table": "curves", "method": method, "level": 3, "metric": "errors", "value": 0.4})
    found += [{"table": name, "method": "random", "level": 0.5, "metric": "confidence", "value": 0.7} for name in
              ("confidences", "explained")]  # fmt: skip
    return tidy.table(found, data="cats_dogs-32", **SUBJECT)


def test_rows_of_one_network_do_not_contradict_each_other():
    assert contradictions(of_one()) == []
    assert contradictions(of_one(scale=1 + 1e-9)) == []  # files hold ten digits
    assert contradictions(of_one(sdr=0.0)) == []  # no lift tells of a pool
    assert contradictions(tidy.empty()) == []


def test_curves_of_another_network_are_found():
    told = contradictions(of_one(scale=1.1))
    assert len(told) == 4
    assert told[0] == (
        "biased/25, network 0, cat: errors of adversarial_distance at 50 are 12.1 in curves, 11 in searches"
    )


def test_searches_of_another_pool_are_found_but_for_the_ensembles():
    rows = of_one()
    rows.loc[rows["metric"] == "pool sdr", "value"] = 0.85
    assert contradictions(rows) == [
        "biased/25, network 0, cat: the pool's SDR is 0.8 by adversarial_distance at 50, 0.85 in panel"
    ]


@pytest.mark.parametrize("column", SUBJECT)
def test_what_is_said_of_a_pool_that_is_not_there_is_found(column):
    other = {"condition": "gray/rgb", "seed": 3, "at": "dog"}[column]
    rows = of_one()
    moved = rows.assign(**{column: rows[column].mask(rows["table"] == "explained", other)})
    [told] = contradictions(moved)
    assert told.endswith("explained of a pool that panel does not have")
    means = moved.assign(seed=moved["seed"].mask(moved["table"] == "explained"))
    assert contradictions(means) == []  # a mean is of several


def test_what_two_networks_say_is_no_contradiction():
    both = pd.concat([of_one(), of_one(errors=14.0, sdr=1.2, pool=1.0).assign(seed=1.0)], ignore_index=True)
    assert contradictions(both) == []


def test_accepted_rows_of_each_model_are_of_one_network():
    found = read_accepted(CHAPTERS["search"], "full")
    assert found is not None
    assert contradictions(found[1]) == []
