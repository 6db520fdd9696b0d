"""What was expected of Table I: met or missed by rows, at the bounds too, and what stands behind a miss."""

import pandas as pd
import pytest

from mistrust import rows as tidy
from mistrust.ambiguity.experiment import Parameters, together
from mistrust.figures import ambiguity as figures
from mistrust.figures.ambiguity.expected import COST, EXPECTED

NETWORKS = ("ambiguess-conv", "ambiguess-fc", "ambiguess-fc-relu")
BEHIND = ["with ReLU", "and decoders known", "linear, decoders known"]


def made(conv, linear, relu, metric="top-pair", data="mnist", table="performance", condition="ambiguous/ambiguess"):
    """Rows of two networks of each kind, a little to both sides of these values."""
    about = {"table": table, "data": data, "method": "mixed", "condition": condition, "metric": metric}
    found = [
        {"network": name, "seed": seed, "value": value + step}
        for name, value in zip(NETWORKS, (conv, linear, relu), strict=True)
        for seed, step in enumerate((-0.002, 0.002))
    ]
    return tidy.table(found, chapter="ambiguity", **about)


def line(rows, text, on="MNIST"):
    found = figures.expected(rows).set_index(["expected", "on"])
    return found.loc[(text, on)]


def test_it_is_the_issues_list_on_both_sets():
    found = figures.expected(tidy.empty())
    assert found.columns.tolist() == ["expected", "on", "measured", "result", *BEHIND]
    assert found["on"].value_counts().to_dict() == {"MNIST": 5, "Fashion-MNIST": 5}
    assert set(found["measured"]) == set(found["result"]) == {"not run"}


def test_the_measured_mean_is_convolutional_and_linear_and_each_cause_stands_behind_it():
    known = made(0.99, 0.85, 0.97, table="known-decoders", condition="decoders of training images")
    other = made(0.1, 0.1, 0.1, table="known-decoders", condition="other decoders")
    rows = pd.concat([made(0.94, 0.74, 0.91), known, other], ignore_index=True)
    found = line(rows, "Top-pair at least 0.92")
    assert found["measured"].startswith("0.840 (0.")  # with its interval between networks
    assert found["result"] == "missed"
    assert found["with ReLU"] == "0.925"
    assert found["and decoders known"] == "0.980"
    assert found["linear, decoders known"] == "0.850 (missed)"


@pytest.mark.parametrize(
    ("text", "metric", "value", "result"),
    [
        ("Top-1 from 0.50 to 0.57", "top-1", 0.58, "missed"),
        ("Top-1 from 0.50 to 0.57", "top-1", 0.49, "missed"),
        ("Top-1 from 0.50 to 0.57", "top-1", 0.53, "met"),
        ("Top-2 at least 0.96", "top-2", 0.97, "met"),
        ("Entropy at most 0.3 bits beyond the labels'", "excess entropy", 0.31, "missed"),
        ("Entropy at most 0.3 bits beyond the labels'", "excess entropy", -0.2, "met"),
    ],
)
def test_both_sides_of_the_bounds(text, metric, value, result):
    assert line(made(value, value, value, metric), text)["result"] == result


@pytest.mark.whole
def test_bounds_of_the_sets_differ():
    rows = pd.concat([made(0.49, 0.49, 0.49, "top-1", data) for data in ("mnist", "fmnist")], ignore_index=True)
    assert line(rows, "Top-1 from 0.50 to 0.57")["result"] == "missed"
    assert line(rows, "Top-1 from 0.48 to 0.57", "Fashion-MNIST")["result"] == "met"


def test_what_mixed_training_costs_is_what_the_experiment_says():
    mixed = made(0.985, 0.90, 0.98, "top-1", condition="nominal")
    clean = made(0.99, 0.915, 0.985, "top-1", condition="nominal").assign(method="clean")
    clean["value"] += [0.001, -0.001, 0.003, 0.001, 0, 0]
    rows = together(pd.concat([mixed, clean], ignore_index=True), Parameters(data=("mnist",)))
    found = line(rows, "Nominal accuracy within 0.01 of clean training")
    own = tidy.select(rows, table="cost", network="all").iloc[0]
    assert found["measured"] == f"{own['value']:.3f} ({own['low']:.3f} to {own['high']:.3f})"
    assert found["result"] == "missed"  # 0.0110 lost
    assert found["with ReLU"] == "-0.005"
    assert found[BEHIND[1:]].tolist() == ["", ""]  # nominal images have no decoders


def test_a_kind_of_network_that_was_not_run_leaves_its_column():
    rows = made(0.95, 0.95, 0.95)
    found = line(rows[rows["network"] != "ambiguess-fc-relu"], "Top-pair at least 0.92")
    assert found[["result", *BEHIND]].tolist() == ["met", "not run", "not run", "not run"]


def test_every_bound_is_one_of_a_number_that_rows_hold():
    assert {one.metric for one in EXPECTED} == {"top-1", "top-2", "top-pair", "excess entropy", COST}
    assert all(one.low < one.high for one in EXPECTED)


def test_lines_that_are_missed_are_counted():
    rows = pd.concat([made(0.94, 0.74, 0.88), made(0.97, 0.97, 0.97, "top-2")], ignore_index=True)
    lines = figures.expected(rows)
    assert set(figures.missed(lines).values()) == {"not run"}  # the other lines are
    few = lines[lines["expected"].isin(["Top-pair at least 0.92", "Top-2 at least 0.96"]) & (lines["on"] == "MNIST")]
    assert figures.missed(few) == {
        "measured": "1 of 2", "with ReLU": "1 of 2", BEHIND[1]: "not run", BEHIND[2]: "not run",
    }  # fmt: skip
    assert figures.missed(lines.head(0)) == dict.fromkeys(["measured", *BEHIND], "0 of 0")
