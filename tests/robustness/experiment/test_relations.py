"""Rank correlations over networks, on made-up rows of which they are known."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from mistrust.evaluation import partial_spearman, rank_correlation
from mistrust.robustness.experiment import Parameters
from mistrust.robustness.experiment.over_networks import MEASURES, RELATIONS, relations

NETWORKS = ("alexnet6-w16", "alexnet8-w16", "vgg6-w16", "vgg9-w16", "resnet8-w8", "resnet14-w8")
P = Parameters(data="digits", networks=NETWORKS)
# One number per network, in the order above; bubbles at half of the median margin of ten samples.
NUMBERS = {
    "depth": (6, 8, 6, 9, 8, 14), "parameters": (60, 90, 180, 400, 20, 40),
    "accuracy": (0.7, 0.75, 0.8, 0.9, 0.85, 0.95),
    "margin": (4, 6, 3, 8, 5, 7), "linear estimate": (300, 250, 400, 150, 450, 200), "ddn": (90, 70, 80, 40, 99, 60),
    "random": (50, 80, 70, 90, 65, 99), "targeted": (30, 20, 25, 12, 40, 35), "bubbles": (9, 7, 8, 3, 5, 2),
}  # fmt: skip


def made(networks=NETWORKS, **where):
    records = []
    for place, network in enumerate(networks):
        for seed in (0, 1):
            common = {"data": "digits", "network": network, "condition": "all", "method": "", "level": np.nan,
                      "at": "", "seed": float(seed)} | where  # fmt: skip
            shift = 0.001 * (1 if seed else -1)
            for name, (table, method, metric) in MEASURES.items():
                method = "fixed-clipped" if method is None else method
                value = NUMBERS[name][place] + shift
                records.append({**common, "table": table, "method": method, "metric": metric, "value": value})
        for level, bubbles in ((0.5, NUMBERS["bubbles"][place]), (0.9, 10)):
            regions = {**common, "table": "regions", "method": "relative", "at": "3", "level": level, "seed": 0.0}
            records.append({**regions, "metric": "bubbles", "value": float(bubbles)})
            records.append({**regions, "metric": "samples", "value": 10.0})
    return pd.DataFrame(records)


def told(rows, parameters=P):
    return {row["method"]: row for row in relations(rows, parameters)}


def test_every_relation_is_the_rank_correlation_of_means_over_seeds():
    found = told(made())
    assert [name for name in found if "family" not in name] == list(RELATIONS)
    for name in RELATIONS:
        row = found[name]
        both, _, given = name.partition(" | ")
        first, second = (NUMBERS[one] for one in both.split(" ~ "))
        expected = partial_spearman(first, second, [NUMBERS[given]] if given else [])
        assert row["value"] == pytest.approx(expected), name
        if not given:
            assert row["value"] == pytest.approx(stats.spearmanr(first, second).statistic)
        assert (row["table"], row["metric"], row["n"]) == ("relations", "spearman", 6)
        assert "low" not in row, "networks of one family are not independent"


def test_within_families_what_families_differ_by_counts_nothing():
    """Deep families are weak here, and in each family the deeper network is the stronger: a paradox of Simpson's."""
    depth, sigma = (6, 8, 6, 9, 20, 14), (90, 95, 80, 99, 40, 10)
    rows = made()
    for name, values in (("depth", depth), ("random", sigma)):
        by = dict(zip(NETWORKS, values, strict=True))
        here = rows["metric"] == ("capped mean" if name == "random" else name)
        rows.loc[here, "value"] = rows.loc[here, "network"].map(by).astype(float)
    found = told(rows)
    together = stats.spearmanr(depth, sigma).statistic
    assert together < 0
    assert found["depth ~ random"]["value"] == pytest.approx(together)
    row = found["depth ~ random | family"]
    # By hand: ranks less their family's mean.
    left = [np.subtract(*stats.rankdata(one).reshape(3, 2).T) for one in (depth, sigma)]
    by_hand = left[0] @ left[1] / np.sqrt((left[0] ** 2).sum() * (left[1] ** 2).sum())
    assert by_hand > 0
    assert row["value"] == pytest.approx(by_hand)
    assert row["n"] == 6


def test_an_interval_is_told_within_families_alone():
    several = {f"{name}{layers}-w{width}": (name, layers, width) for name, layers, width in (
        ("alexnet", 6, 16), ("alexnet", 6, 32), ("alexnet", 8, 16), ("alexnet", 8, 32), ("vgg", 6, 16), ("vgg", 6, 32),
        ("vgg", 9, 16), ("vgg", 9, 32))}  # fmt: skip
    draw = np.random.default_rng(0)
    numbers = {name: draw.permutation(len(several)) + 1.0 for name in MEASURES}
    rows = pd.DataFrame([
        {"data": "digits", "network": network, "condition": "all", "level": np.nan, "at": "", "seed": 0.0,
         "table": table, "method": "fixed-clipped" if method is None else method, "metric": metric,
         "value": numbers[name][place]}
        for place, network in enumerate(several) for name, (table, method, metric) in MEASURES.items()
    ])  # fmt: skip
    found = told(rows, Parameters(data="digits", networks=tuple(several)))
    vgg = [network.startswith("vgg") for network in several]
    expected = rank_correlation(numbers["depth"], numbers["random"], [vgg])
    row = found["depth ~ random | family"]
    assert (row["value"], row["low"], row["high"]) == (expected.value, expected.low, expected.high)
    assert (row["over"], row["n"]) == ("models", 8)
    both = rank_correlation(numbers["depth"], numbers["random"], [numbers["parameters"], vgg])
    assert found["depth ~ random | parameters, family"]["value"] == both.value
    assert all(("low" in row) == ("family" in name) for name, row in found.items())
    alone = told(rows[rows["network"].str.startswith("vgg")], Parameters(data="digits", networks=tuple(several)))
    assert alone["depth ~ random | family"]["value"] == alone["depth ~ random"]["value"]


@pytest.mark.whole
def test_order_alone_counts():
    rows = made()
    sigma = rows["metric"] == "capped mean"
    rows.loc[sigma, "value"] = np.exp(rows.loc[sigma, "value"] / 10)
    assert told(rows)["accuracy ~ random"]["value"] == pytest.approx(told(made())["accuracy ~ random"]["value"])


@pytest.mark.whole
@pytest.mark.parametrize(
    "where",
    [{"data": "photos"}, {"condition": "half"}, {"method": "fresh-clipped"}, {"network": "mlm-cnn"}, {"level": 5.0}],
)
def test_other_rows_are_not_read(where):
    """Of another image set, variant of training or noise, of a network for regions alone, of another rate."""
    rows = made()
    other = rows.assign(value=-rows["value"]).assign(**where)
    # Of bubbles and of what has no method nothing else is added: those rows would be the same ones twice.
    other = other[other["table"].isin(["random"] if "method" in where else ["targeted", "random"])]
    found, alone = told(pd.concat([rows, other], ignore_index=True)), told(rows)
    compared = [name for name in alone if "network" not in where or "bubbles" not in name]
    assert {name: found[name]["value"] for name in compared} == {name: alone[name]["value"] for name in compared}


@pytest.mark.whole
def test_bubbles_count_networks_that_are_traced_and_not_compared():
    rows = made()
    traced = rows[rows["network"] == rows["network"].iloc[0]].assign(network="mlm-cnn")
    found, alone = told(pd.concat([rows, traced], ignore_index=True)), told(rows)
    changed = {name for name in found if found[name]["n"] != alone[name]["n"]}
    assert {name.removesuffix(" | family") for name in changed} == {"bubbles ~ accuracy", "bubbles ~ random"}


@pytest.mark.whole
def test_the_first_variant_of_noise_is_the_one_that_counts():
    rows = made()
    rows["method"] = rows["method"].replace("fixed-clipped", "fixed-unclipped")
    assert "depth ~ random" not in told(rows)
    other = Parameters(data="digits", networks=NETWORKS, variants=("fixed-unclipped", "fixed-clipped"))
    assert told(rows, other)["depth ~ random"]["value"] == told(made())["depth ~ random"]["value"]


def test_two_networks_have_no_relation_and_three_no_interval():
    rows = made()
    assert told(rows[rows["network"].isin(NETWORKS[:2])]) == {}
    three = told(rows[rows["network"].isin(["alexnet6-w16", "vgg9-w16", "resnet14-w8"])])
    assert set(three) == {name for name in RELATIONS if "|" not in name}
    assert all("low" not in row and "over" not in row for row in three.values())


def test_what_is_the_same_everywhere_has_no_relation():
    rows = made()
    rows.loc[rows["metric"] == "depth", "value"] = 8.0
    assert not any("depth ~" in name for name in told(rows))


def test_without_regions_only_bubbles_are_lacking():
    rows = made()
    found = told(rows[rows["table"] != "regions"])
    assert set(RELATIONS) - set(found) == {"bubbles ~ accuracy", "bubbles ~ random"}
