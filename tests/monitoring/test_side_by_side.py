"""Tables I, V, VI and VII and the differences of ranks: printed numbers beside what runs and benchmarks have."""

import numpy as np
import pandas as pd
import pytest

from mistrust import paths
from mistrust import rows as tidy
from mistrust.monitoring.experiment import Parameters, tried
from mistrust.monitoring.experiment.methods import BOXES, STEP
from mistrust.monitoring.experiment.settings import OPTIMISERS, SETTINGS, TRIED, settings
from mistrust.monitoring.rereading import (
    differences,
    in_paper_megabytes,
    memory,
    pairs,
    systems,
    times,
    with_discriminators,
    worse,
)
from mistrust.publishing.published import published


@pytest.fixture(scope="module")
def paper():
    return published("monitoring")


def test_every_printed_setting_stands_once_beside_ours(paper):
    full = Parameters(data=("gtsrb-thin", "cifar10-jpeg"), alooc_epochs=8)
    found = settings(paper, {"full": full, "this": Parameters(data=("cifar10-jpeg",))})
    assert list(found.columns) == [
        "monitor", "parameter", "the paper", "full", "full, to try", "this", "this, to try",
    ]  # fmt: skip
    assert list(zip(found["monitor"], found["parameter"], strict=True)) == list(SETTINGS)
    lines = found.set_index(["monitor", "parameter"])
    assert lines.loc[("alooc", "epoch")].tolist() == ["200", "8", "8", "1", "1"]
    both = "ADAM, RMSProp"
    assert lines.loc[("alooc", "optimizer")].tolist() == [both, "ADAM", both, "ADAM", both]
    # Section V: 3 clusters and 0.1 on GTSRB, 5 and 0.35 on CIFAR-10.
    assert lines.loc[("oob", "number of clusters")].tolist() == ["0, 3, 5, 17", "3, 5", "0, 3, 5, 17", "5", "0, 3, 5"]
    gammas = "0, 0.1, 0.35"
    assert lines.loc[("oob", "gamma")].tolist() == [gammas, "0.1, 0.35", gammas, "0.35", gammas]
    assert lines.loc[("odin", "magnitude")].tolist() == [
        "0.0014, 0.0025", "0.0025, 0.0014", "0.0025, 0.0014", "0.0014", "0.0014",
    ]  # fmt: skip


def test_trials_try_what_the_paper_tried_and_sets_of_ones_own_have_none(paper):
    found = settings(paper, {"full": Parameters(data=("gtsrb-thin", "cifar10-jpeg")), "this": Parameters()})
    assert list(found.columns[2:]) == ["the paper", "full", "full, to try", "this"]
    assert set(OPTIMISERS) == set(tried.OPTIMISERS)
    for _, line in found.iterrows():
        if (line["monitor"], line["parameter"]) in TRIED:
            assert line["full, to try"] == line["the paper"]
        else:
            assert line["full, to try"] == line["full"]


def test_what_runs_is_among_what_the_paper_tried(paper):
    printed = paper[paper["table"] == "table1"].groupby("metric")["value"].agg(set)
    for clusters, gamma in BOXES.values():
        assert clusters in printed["number of clusters"]
        assert gamma in printed["gamma"]
    assert set(STEP.values()) == printed["magnitude"]


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
    assert set(found["classifier and monitor, 1 at once"]) == {"not measured"}


def test_the_time_of_both_is_that_of_one_image_over_the_image_sets(paper):
    common = {"table": "cost", "condition": "both", "metric": "ratio of both"}
    ours = [
        {**common, "method": name, "data": data, "level": level, "value": value * level}
        for name, values in (("oob", (3.46, 3.41)), ("odin", (6.6, 6.6)))
        for data, value in zip(("gtsrb-thin", "cifar10-jpeg"), values, strict=True) for level in (1, 256)
    ]  # fmt: skip
    alone = {"table": "cost", "condition": "monitor", "metric": "ratio", "data": "gtsrb-thin", "level": 1, "value": 1.2}
    found = times(paper, tidy.table([*ours, *({**alone, "method": name} for name in ("oob", "odin", "alooc"))]))
    both = found.set_index("monitor")["classifier and monitor, 1 at once"]
    assert both.to_dict() == {"alooc": "not measured", "odin": "6.6", "oob": "3.4 to 3.5"}
    assert set(found["gtsrb-thin, 1 at once"]) == {"1.2"}


def test_the_committed_benchmark_has_the_time_of_both(paper):
    found = times(paper, pd.read_csv(paths.results() / "benchmarks" / "monitors.csv"))
    assert found.columns[-1] == "classifier and monitor, 1 at once"
    for _, line in found.iterrows():
        least, most = (float(one) for one in line.iloc[-1].split(" to "))
        alone = [float(line[f"{data}, 1 at once"]) for data in ("gtsrb-thin", "cifar10-jpeg")]
        assert min(alone) < least <= most, line["monitor"]


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
            "network": "farm-lenet", "value": value, **ends}  # fmt: skip


def test_pairs_stand_beside_each_other_whatever_their_rows_call_them(table):
    ours = tidy.table([
        gap("three monitors", "oob - odin", 0.5),
        gap("three monitors", "oob - odin", 0.9, data="gtsrb-thin"),
        gap("three monitors as published", "oob/as published - odin/as published", -0.25),
        {**gap("three monitors", "oob - odin", 0.7), "network": "resnet20"},
    ])  # fmt: skip
    this = tidy.table([gap("three monitors", "oob - odin", 0.1)])
    [found] = pairs(table, {"full": ours, "this": this}, "farm-lenet", resamples=50).to_dict("records")
    assert list(found)[3:] == ["full, as published", "full, right", "this, as published", "this, right"]
    assert (found["full, right"], found["full, as published"]) == ("0.50 [0.40, 0.60]", "-0.25 [-0.35, -0.15]")
    assert (found["this, right"], found["this, as published"]) == ("0.10 [0.00, 0.20]", "not run")
    [mended] = differences(table, 50, np.random.default_rng(0)).to_dict("records")
    assert found["printed, mended"] == f"{mended['value']:.2f} [{mended['low']:.2f}, {mended['high']:.2f}]"
    assert found["printed, as labelled"].startswith("-0.50 ")


def test_ranks_over_one_image_set_are_read_where_there_is_no_other(table):
    ours = tidy.table([gap("three monitors", "oob - odin", 0.5, data="mnist5k")])
    [found] = pairs(table, {"full": ours}, "farm-lenet", resamples=50).to_dict("records")
    assert (found["full, right"], found["full, as published"]) == ("0.50 [0.40, 0.60]", "not run")


def of_nominal(method, value, metric="mcc", condition="nominal", data="gtsrb-thin", **more):
    return {"table": "nominal", "network": "farm-lenet", "data": data, "method": method, "metric": metric,
            "condition": condition, "value": value, **more}  # fmt: skip


FIFTH = [
    of_nominal("network", 0.946, low=0.935, high=0.956), of_nominal("oob", 0.925), of_nominal("knn", 0.95),
    of_nominal("oob/as published", 0.872), of_nominal("oob", 0.3, data="cifar10-jpeg"),
    of_nominal("oob", 0.1, network="resnet20"), of_nominal("oob", 0.2, seed=0),
    *(of_nominal("oob/as published", value, "mcc as published", f"novelty/{name}")
      for name, value in (("BTSC", 0.1), ("CIFAR-10", 0.16))),
    of_nominal("network", -0.001, "mcc as published", "novelty/BTSC"),
]  # fmt: skip


def test_printed_numbers_of_table_5_stand_with_the_monitors_as_published(paper):
    names = {"gtsrb-thin": "gtsrb", "cifar10-jpeg": "cifar10"}
    found = systems(paper, "gtsrb", {"full": tidy.table(FIFTH)}, names, "farm-lenet").set_index("monitor")
    printed = found["the paper, as coded"]
    assert printed[["network", "alooc/as published", "oob/as published", "odin/as published"]].tolist() == [
        "0.96", "0.51", "0.64", "0.50",
    ]  # fmt: skip
    assert set(printed[["oob", "knn"]]) == {"not printed"}
    coded = found["full, as coded"]
    assert coded["oob/as published"] == "0.13"  # the mean over sets of novelty
    assert coded["network"] == "0.00"  # and no -0.00
    assert (coded["oob"], coded["odin/as published"], coded["knn"]) == ("not run", "not run", "–")
    one = found["full, one measure"]
    assert one[["network", "oob", "oob/as published", "odin/as published"]].tolist() == [
        "0.946 [0.935, 0.956]", "0.925", "0.872", "not run",
    ]  # fmt: skip
    assert list(found.index[:1]) == ["network"]
    assert list(found.index[-1:]) == ["knn"]
    assert "knn" not in systems(paper, "cifar10", {"full": tidy.table(FIFTH)}, names, "farm-lenet")["monitor"].tolist()


def test_monitors_that_make_the_answers_worse_are_counted():
    three = [of_nominal("network", 0.5, data="cifar10-jpeg"), of_nominal("odin", 0.946)]
    found = tidy.table([*FIFTH, *three])
    assert worse(found, "farm-lenet") == "2 of 3"  # OOB on both; ODIN is level
    assert worse(found, "resnet20") == "not run"
    assert worse(found, "farm-lenet", ["knn", "oob/as published"]) == "1 of 2"


def test_printed_sizes_stand_with_the_monitors_as_published_in_the_papers_unit(paper):
    cost = {"table": "cost", "metric": "megabytes", "data": "gtsrb-thin", "network": "farm-lenet"}
    sizes = {
        "alooc": 55.76,
        "alooc/as published": 55.76,
        "oob": 0.27,
        "oob/as published": 32.2,
        "odin": 0.0,
        "knn": 9.0,
    }
    others = [{"data": "cifar10-jpeg"}, {"network": "resnet20"}, {"seed": 0}]
    ours = [cost | {"method": name, "value": value} for name, value in sizes.items()]
    ours += [cost | {"method": "oob", "value": 1.0, **one} for one in others]
    this = tidy.table([cost | {"method": "odin/as published", "value": 0.5}])
    names = {"gtsrb-thin": "gtsrb", "cifar10-jpeg": "cifar10"}
    runs = {"full": tidy.table(ours), "this": this}
    found = memory(paper, "gtsrb", runs, names, "farm-lenet").set_index("monitor")
    assert found["the paper"].to_dict() == {
        "alooc": "not printed", "alooc/as published": "98.9", "odin": "not printed", "odin/as published": "1.5",
        "oob": "not printed", "oob/as published": "6.4",
    }  # fmt: skip
    assert found["this, to watch"].to_dict() == {
        **dict.fromkeys(found.index, "not run"), "odin/as published": "0.48",
    }  # fmt: skip
    watching, whole = found["full, to watch"], found["full, with what only training needs"]
    assert (watching["alooc"], whole["alooc"]) == ("53.2", "97.7")
    assert watching["oob"] == whole["oob"] == "0.26"
    assert (watching["odin"], watching["odin/as published"]) == ("0", "not run")


def test_alooc_has_two_networks_of_the_ports_size():
    """Facts 5: about 324,000 and 272,000 parameters; facts 4: a file of 4,022,148 bytes is printed as 3.8."""
    assert with_discriminators(324.0) == pytest.approx(324 + 272, abs=1)
    assert f"{in_paper_megabytes(4.022148):.1f}" == "3.8"
