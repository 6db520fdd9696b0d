"""Tables I and VI and the differences of ranks: the paper's printed numbers beside what runs and benchmarks have."""

import numpy as np
import pandas as pd
import pytest

from mistrust import rows as tidy
from mistrust.monitoring.experiment import Parameters
from mistrust.monitoring.experiment.methods import BOXES, STEP
from mistrust.monitoring.experiment.settings import SETTINGS, settings
from mistrust.monitoring.rereading import differences, pairs, times
from mistrust.publishing.published import published


@pytest.fixture(scope="module")
def paper():
    return published("monitoring")


def test_every_printed_setting_stands_once_beside_ours(paper):
    full = Parameters(data=("gtsrb-thin", "cifar10-jpeg"), alooc_epochs=8)
    found = settings(paper, {"full": full, "this": Parameters(data=("cifar10-jpeg",))})
    assert list(zip(found["monitor"], found["parameter"], strict=True)) == list(SETTINGS)
    lines = found.set_index(["monitor", "parameter"])
    assert lines.loc[("alooc", "epoch")].tolist() == ["200", "8", "1"]
    assert lines.loc[("alooc", "optimizer")].tolist() == ["ADAM, RMSProp", "ADAM", "ADAM"]
    # Section V: 3 clusters and 0.1 on GTSRB, 5 and 0.35 on CIFAR-10.
    assert lines.loc[("oob", "number of clusters")].tolist() == ["0, 3, 5, 17", "3, 5", "5"]
    assert lines.loc[("oob", "gamma")].tolist() == ["0, 0.1, 0.35", "0.1, 0.35", "0.35"]
    assert lines.loc[("odin", "magnitude")].tolist() == ["0.0014, 0.0025", "0.0025, 0.0014", "0.0014"]


def test_what_runs_is_among_what_the_paper_tried(paper):
    tried = paper[paper["table"] == "table1"].groupby("metric")["value"].agg(set)
    for clusters, gamma in BOXES.values():
        assert clusters in tried["number of clusters"]
        assert gamma in tried["gamma"]
    assert set(STEP.values()) == tried["magnitude"]


def test_printed_times_are_ratios_of_printed_seconds(paper):
    """Facts 11: 31.7, 25.2 and 35.1 times the classifier's own."""
    common = {"table": "cost", "metric": "ratio", "data": "gtsrb-thin"}
    ours = [
        {**common, "method": f"{name}{variant}", "level": level, "value": 1.26 + level}
        for name in ("alooc", "oob", "odin") for variant in ("", "/as published") for level in (1, 256)
    ]  # fmt: skip
    found = times(paper, tidy.table([*ours, {**ours[0], "metric": "microseconds an image"}])).set_index("monitor")
    printed = found["the paper, 1 at once"]
    assert printed["alooc/as published"] == "0.2217 s, 31.7 times"
    assert printed["oob/as published"] == "0.0529 s, 25.2 times"
    assert printed["odin/as published"] == "0.0246 s, 35.1 times"
    assert set(printed[["alooc", "oob", "odin"]]) == {"not printed"}
    assert set(found["gtsrb-thin, 1 at once"]) == {"2.3"}
    assert set(found["gtsrb-thin, 256 at once"]) == {"257.3"}


@pytest.fixture
def table():
    mcc = {"fog (2)": (0.5, 0.1), "fog (5)": (0.6, 0.2), "snow (2)": (0.4, 0.2), "snow (5)": (0.1, 0.3)}
    lines = [
        {"data": "gtsrb", "label": label, "true_data": "gtsrb", "true_label": label, "ranked": label != "snow (5)",
         "method": method, "mcc": value}
        for label, pair in mcc.items() for method, value in zip(("oob", "odin"), pair, strict=True)
    ]  # fmt: skip
    return pd.DataFrame(lines)


def gap(condition, at, value, data="all"):
    ends = {"low": value - 0.1, "high": value + 0.1}
    return {"table": "ranks", "metric": "rank difference", "data": data, "condition": condition, "at": at,
            "value": value, **ends}  # fmt: skip


def test_pairs_stand_beside_each_other_whatever_their_rows_call_them(table):
    ours = tidy.table([
        gap("three monitors", "oob - odin", 0.5),
        gap("three monitors", "oob - odin", 0.9, data="gtsrb-thin"),
        gap("three monitors as published", "oob/as published - odin/as published", -0.25),
    ])  # fmt: skip
    [found] = pairs(table, ours, resamples=50).to_dict("records")
    assert (found["ours, right"], found["ours, as published"]) == ("0.50 [0.40, 0.60]", "-0.25 [-0.35, -0.15]")
    [mended] = differences(table, 50, np.random.default_rng(0)).to_dict("records")
    assert found["printed, mended"] == f"{mended['value']:.2f} [{mended['low']:.2f}, {mended['high']:.2f}]"
    assert found["printed, as labelled"].startswith("-0.50 ")


def test_ranks_over_one_image_set_are_read_where_there_is_no_other(table):
    ours = tidy.table([gap("three monitors", "oob - odin", 0.5, data="mnist5k")])
    [found] = pairs(table, ours, resamples=50).to_dict("records")
    assert (found["ours, right"], found["ours, as published"]) == ("0.50 [0.40, 0.60]", "not run")
