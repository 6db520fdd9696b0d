"""The paper's printed numbers, read again: what they say by themselves of polarity, shares, F1 and wrong rows."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mistrust.errors import MistrustError
from mistrust.evaluation import Confusion, decisions
from mistrust.monitoring.rereading import (
    KNOWN,
    by_set,
    differences,
    displaced,
    f1_reading,
    false_alarm_medians,
    mcc_range,
    mended,
    miss_medians,
    nominal_share,
    printed,
    ranking,
    readings,
    reread,
)
from mistrust.monitoring.rereading.labels import ANOMALY, NOISE, SHIFT
from mistrust.monitoring.rereading.polarity import known_share
from mistrust.monitoring.rereading.printed import NUMBERS
from mistrust.publishing.published import published
from mistrust.random import generator


@pytest.fixture(scope="module")
def rows():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MISTRUST_ROOT", str(Path(__file__).parents[2]))
        return published("monitoring")


@pytest.fixture(scope="module")
def complete(rows):
    return printed(rows)


@pytest.fixture(scope="module")
def table(complete):
    return reread(complete)


def line(table, data, label, method):
    found = table[(table["data"] == data) & (table["label"] == label) & (table["method"] == method)]
    assert len(found) == 1
    return found.iloc[0]


# The transcription.


def test_all_tables_are_there(rows):
    counts = rows.groupby("table").size().to_dict()
    paper = {"table1": 19, "table2": 54, "table3": 36, "table4": 108, "table5": 8, "table6": 15, "table7": 6}
    expected = {**paper, "complete": 1422}
    assert {name: counts[name] for name in expected} == expected
    assert sum(expected.values()) == 1668
    places = rows[rows["table"] == "complete"].groupby("place").size().to_list()
    assert places == [54, 36, 108, 108, 198, 198, 360, 360]  # R1 to R8: 79 sets, three monitors, six numbers


def test_cells_of_the_paper_itself(rows):
    # As they stand in the paper's text: Table IV, GTSRB; Table II; Table III; Tables V to VII.
    shift = line(printed(rows, "table4"), "gtsrb", "fog (5)", "alooc")
    assert [shift[name] for name in NUMBERS] == [-0.28, 0.93, 0.29, 0.16, 0.71, 0.15]
    novel = line(printed(rows, "table2"), "cifar10", "GTSRB", "oob")
    assert [novel[name] for name in NUMBERS] == [0.11, 0.72, 0.16, 0.20, 0.84, 0.41]
    attacked = line(printed(rows, "table3"), "cifar10", "FGSM", "odin")
    assert [attacked[name] for name in NUMBERS] == [0.06, 0.14, 0.81, 0.37, 0.19, 0.62]
    small = rows[rows["table"].isin(["table5", "table6", "table7"])]
    keys = list(zip(small["table"], small["data"], small["method"], small["at"], small["metric"], strict=True))
    found = dict(zip(keys, small["value"], strict=True))
    assert found["table5", "gtsrb", "network", "", "mcc"] == 0.96
    assert found["table5", "cifar10", "odin", "", "mcc"] == 0.64
    assert found["table6", "", "alooc", "monitor", "seconds"] == 0.2217
    assert found["table7", "gtsrb", "alooc", "monitor", "mb"] == 98.9


@pytest.mark.parametrize("name", ["table2", "table3", "table4"])
def test_the_paper_prints_rows_of_the_complete_tables(rows, complete, name):
    excerpt = printed(rows, name).drop(columns="place")
    both = excerpt.merge(complete.drop(columns="place"), how="inner")
    assert len(both) == len(excerpt) > 0


# Rules A and B.


def test_the_share_of_a_row_by_hand():
    # GTSRB fog (5), ALOOC: o = .16 / .84 * .93 / .71 = .2495. GTSRB's set has .1959.
    value, low, high = nominal_share(0.16, 0.93, 0.71)
    assert value == pytest.approx(0.2495 / 1.2495, abs=1e-4)
    assert low < 0.1959 < high
    assert nominal_share(0.28, 0.89, 0.71)[0] == pytest.approx(0.328, abs=5e-4)
    assert np.isnan(nominal_share(1.0, 0.0, 0.71)[0])  # no false positives: any share will do


@pytest.mark.parametrize(
    ("false_alarm", "miss", "name", "mcc", "accuracy", "weighted"),
    [(0.02, 0.30, "gtsrb", 0.5447, 0.7549, 0.7799), (0.59, 0.0, "cifar10", 0.6110, None, 0.9001)],
)
def test_worked_rows_read_right(false_alarm, miss, name, mcc, accuracy, weighted):
    nominal, ood = KNOWN[name]
    table = Confusion(ood * (1 - miss), nominal * false_alarm, ood * miss, nominal * (1 - false_alarm))
    assert decisions.mcc(table) == pytest.approx(mcc, abs=5e-5)
    assert decisions.weighted_f1(table) == pytest.approx(weighted, abs=5e-5)
    if accuracy is not None:
        assert decisions.accuracy(table) == pytest.approx(accuracy, abs=5e-5)


def test_nominal_images_are_the_positives_of_every_row_that_tells(table):
    # 230 of 237 rows fit a known share with nominal images as positives; none needs OOD images as positives.
    counts = table["polarity"].value_counts().to_dict()
    assert counts == {"nominal": 148, "either": 82, "none": 7}
    # The seven: six without any OOD image, and one whose MCC lost its sign.
    strange = table[table["polarity"] == "none"]
    assert (strange["true_label"] == "rotated").sum() == 6
    assert strange.loc[strange["kind"] == "novelty", ["data", "label", "method"]].to_numpy().tolist() == [
        ["gtsrb", "CIFAR-10", "odin"]
    ]


def made_up(positive, share, f1=decisions.weighted_f1, seed=0):
    """Rows as one would print them for rates drawn at random, of sets of which so much is nominal."""
    draw = np.random.default_rng(seed)
    fpr, fnr = draw.uniform(0.1, 0.9, (2, 60))
    part = share if positive == "nominal" else 1 - share
    table = Confusion(part * (1 - fnr), (1 - part) * fpr, part * fnr, (1 - part) * (1 - fpr))
    precision = decisions.ratio(table.tp, table.tp + table.fp)
    rates = {"fpr": fpr, "fnr": fnr, "precision": precision, "recall": 1 - fnr}
    numbers = {"mcc": decisions.mcc(table), **rates, "f1": f1(table)}
    frame = pd.DataFrame({name: np.round(values, 2) for name, values in numbers.items()})
    return frame.assign(data="cifar10", label="fog (5)", kind="shift", method="odin", place="made up")


@pytest.mark.whole
def test_the_reading_could_have_come_out_the_other_way():
    # Rows made with OOD images as positives are told from rows made with nominal ones.
    nominal = readings(made_up("nominal", known_share("cifar10")))
    assert nominal["own"].all()
    assert set(nominal["polarity"]) <= {"nominal", "either"}
    ood = readings(made_up("ood", known_share("cifar10")))
    assert set(ood["polarity"]) <= {"ood", "either"}
    assert (ood["polarity"] == "ood").mean() > 0.5
    assert not readings(made_up("nominal", 0.5))["own"].any()  # a share that is no set's


@pytest.mark.whole
def test_the_printed_f1_is_the_weighted_f1(complete, table):
    large = table["place"].str[-2:].isin(["R3", "R4", "R5", "R6", "R7", "R8"]) & (table["polarity"] != "none")
    could = f1_reading(complete)[large]
    assert len(could) == 216
    assert could["weighted"].sum() == 216
    assert could["accuracy"].sum() == 43
    assert could["positive"].sum() == 5
    # Made with the accuracy in its place, the rows say so.
    rows = made_up("nominal", known_share("cifar10"), decisions.accuracy)
    assert f1_reading(rows)["accuracy"].all()
    assert f1_reading(rows)["weighted"].mean() < 0.5


def test_a_lost_sign_is_seen():
    low, high = mcc_range(1.0, 0.02, known_share("gtsrb/CIFAR-10"))
    assert (low, high) == pytest.approx((-0.144, -0.046), abs=5e-4)  # printed: +.07


# Rule C.


def test_moves_are_permutations():
    for moves in (SHIFT, ANOMALY):
        assert sorted(moves) == sorted(moves.values())
    assert len(SHIFT) == 11
    assert len(ANOMALY) == 6
    assert (len(NOISE), NOISE["gaussian noise (5)"], NOISE["defocus blur (5)"]) == (
        11, "gaussian noise (2)", "defocus blur (2)",
    )  # fmt: skip


def test_every_row_has_its_verdict(table):
    assert table["status"].value_counts().to_dict() == {"kept": 129, "moved": 90, "dropped": 18}
    assert (table["why"] != "").eq(table["status"] != "kept").all()
    moved = table["status"] == "moved"
    assert (
        ((table["data"] + table["label"]) != (table["true_data"] + table["true_label"]))
        .eq(moved)[table["status"] != "dropped"]
        .all()
    )
    # No place is taken twice, and 71 sets have a row of every monitor.
    left = table[table["status"] != "dropped"]
    assert not left.duplicated(["true_data", "true_label", "method"]).any()
    assert table["ranked"].sum() == 71 * 3
    assert line(table, "gtsrb", "rotated", "oob")[["status", "true_label"]].to_list() == ["moved", "snow (2)"]
    assert line(table, "cifar10", "saturate (5)", "odin")["status"] == "dropped"
    assert line(table, "cifar10", "snow (2)", "alooc")["status"] == "kept"
    assert line(table, "gtsrb", "pixel trap (1)", "odin")["true_label"] == "pixel trap (3)"


def test_moved_rows_have_the_numbers_of_where_they_belong(table):
    # FGSM: the nominal share of a moved row is that of the other data set's FGSM.
    for data, other in (("cifar10", "gtsrb"), ("gtsrb", "cifar10")):
        for method in ("alooc", "oob"):
            row = line(table, data, "FGSM", method)
            assert (row["true_data"], row["fitting"], row["own"]) == (other, f"{other}/FGSM", False)
    # Speckle (2): OOB's CIFAR-10 row has GTSRB's share and is GTSRB's row again.
    row = line(table, "cifar10", "speckle noise (2)", "oob")
    assert (row["fitting"], row["own"], row["fnr"]) == ("gtsrb", False, 0.16)
    assert row[list(NUMBERS)].equals(line(table, "gtsrb", "speckle noise (2)", "oob")[list(NUMBERS)])
    # Gaussian (2): what stands under ODIN is OOB's defocus (5).
    for data in ("cifar10", "gtsrb"):
        stray = line(table, data, "gaussian noise (2)", "odin")
        assert stray[list(NUMBERS)].equals(line(table, data, "defocus blur (5)", "oob")[list(NUMBERS)])
    # Novelty: rows under GTSRB-CIFAR10 are GTSRB-BTSC's.
    for method in ("alooc", "oob"):
        assert line(table, "gtsrb", "CIFAR-10", method)["fitting"] == "gtsrb/BTSC"


def test_rows_that_move_or_drop_are_listed_with_their_reason(table):
    found = displaced(table)
    assert len(found) == 108  # 90 move, 18 drop
    assert (found["is of"] == "dropped").sum() == 18
    assert (found["why"] != "").all()
    assert len(found.drop_duplicates(["data", "printed under", "monitor"])) == len(found)
    lines = found.set_index(["data", "printed under", "monitor"])
    assert lines.loc[("gtsrb", "FGSM", "alooc"), "is of"] == "cifar10, FGSM"
    assert lines.loc[("cifar10", "fog (5)", "odin"), "is of"] == "brightness (2)"
    assert ("cifar10", "fog (5)", "alooc") not in lines.index


def test_one_monitor_has_one_false_alarm_rate_on_one_set_of_nominal_images(table):
    found = false_alarm_medians(table)
    assert (found["min"] == found["max"]).all()
    rates = {(row.data, row.method): row.median for row in found.itertuples()}
    assert rates == {
        ("cifar10", "alooc"): 0.59, ("cifar10", "oob"): 0.0, ("cifar10", "odin"): 0.81,
        ("gtsrb", "alooc"): 0.29, ("gtsrb", "oob"): 0.16, ("gtsrb", "odin"): 0.02,
    }  # fmt: skip
    # Not so of the rows as labelled.
    odin = table[(table["kind"] == "noise") & (table["data"] == "cifar10") & (table["method"] == "odin")]
    assert set(odin["fnr"]) == {0.0, 0.81}


def test_median_miss_rates(table):
    found = miss_medians(table).set_index(["data", "method"])
    expected = {
        ("cifar10", "alooc"): (0.28, 0, 0.46), ("cifar10", "oob"): (1, 1, 1), ("cifar10", "odin"): (0.17, 0.01, 0.84),
        ("gtsrb", "alooc"): (0.695, 0, 0.95), ("gtsrb", "oob"): (0.83, 0.75, 0.88), ("gtsrb", "odin"): (0.97, 0.3, 1),
    }  # fmt: skip
    for key, values in expected.items():
        assert found.loc[key, ["median", "min", "max"]].to_list() == pytest.approx(values)
    assert found["n"].to_list() == [36, 35, 35, 36, 35, 36]  # ALOOC, ODIN, OOB


def test_rows_read_right(table):
    # OOB on CIFAR-10 never alarms, where the printed rates read as if it always did.
    silent = line(table, "cifar10", "fog (2)", "oob")
    assert (silent["false_alarm"], silent["miss"]) == (0.0, 1.0)
    assert silent["micro_f1"] == pytest.approx(1 / 7)
    rotated = line(table, "gtsrb", "rotated", "alooc")
    assert (rotated["false_alarm"], rotated["status"]) == (0.55, "dropped")
    assert np.isnan([rotated["miss"], rotated["micro_f1"]]).all()


# Ranks.

FRIEDMAN = [  # version, data, sets, ranks of ALOOC, OOB, ODIN, chi-squared, p, F, p, critical difference
    ("as labelled", "", 79, (1.943, 2.158, 1.899), 3.228, 0.199, 1.627, 0.200, 0.373),
    ("as labelled", "cifar10", 39, (1.846, 2.321, 1.833), 6.469, 0.039, 3.437, 0.037, 0.531),
    ("as labelled", "gtsrb", 40, (2.0375, 2.0, 1.9625), 0.118, 0.943, 0.057, 0.944, 0.524),
    ("mended", "", 71, (1.908, 2.218, 1.873), 5.405, 0.067, 2.770, 0.066, 0.393),
    ("mended", "cifar10", 35, (1.771, 2.386, 1.843), 8.574, 0.014, 4.746, 0.012, 0.560),
    ("mended", "gtsrb", 36, (2.042, 2.056, 1.903), 0.529, 0.768, 0.259, 0.773, 0.552),
]


@pytest.mark.parametrize("expected", FRIEDMAN, ids=lambda one: f"{one[0]} {one[1]}")
def test_friedman_of_both_versions(table, expected):
    version, data, n, ranks, *tests = expected
    lines = ranking(table)
    row = lines[(lines["version"] == version) & (lines["data"] == data)].iloc[0]
    assert row["n"] == n
    assert row[["alooc", "oob", "odin"]].to_list() == pytest.approx(ranks, abs=5.1e-4)
    assert row[["statistic", "p", "f", "f_p", "difference"]].to_list() == pytest.approx(tests, abs=5.1e-4)


def test_means_over_all_sets_as_labelled(table):
    scores = by_set(table, "as labelled")
    assert list(scores.columns) == ["alooc", "oob", "odin"]
    assert scores.mean().round(3).to_list() == [0.120, 0.012, 0.037]
    assert scores.median().to_list() == [0.02, 0, 0.02]


def test_differences_of_ranks_over_faults(table):
    found = differences(table, 300, generator(0, "test"))
    assert found["first"].to_list() == ["alooc", "alooc", "oob"]
    assert found["second"].to_list() == ["oob", "odin", "odin"]
    assert found["value"].to_list() == pytest.approx([-0.310, 0.035, 0.345], abs=5e-4)
    # 19 faults: five shifts, ten noises, three anomalies and FGSM, each with both data sets and severities.
    assert set(found["faults"]) == {19}
    assert set(found["n"]) == {71}
    assert ((found["low"] < found["value"]) & (found["value"] < found["high"])).all()
    best = differences(table, 300, generator(0, "test"), data="cifar10").iloc[0]
    assert (best["n"], best["value"]) == (35, pytest.approx(-0.614, abs=5e-4))


def test_bad_input(rows, complete, table):
    with pytest.raises(MistrustError, match=r"'table5'\. .*Known: complete, table2, table3, table4"):
        printed(rows, "table5")
    with pytest.raises(MistrustError, match="Rows of 'table2' lack f1"):
        printed(rows[rows["metric"] != "f1"], "table2")
    with pytest.raises(MistrustError, match=r"no version of the rows 'mende'\. Did you mean 'mended'"):
        by_set(table, "mende")
    with pytest.raises(MistrustError, match=r"nominal_share: precision is 1.2, expected a number in \[0, 1\]"):
        nominal_share(1.2, 0.1, 0.9)
    with pytest.raises(MistrustError, match=r"nominal_share: recall is nan, expected a number in \[0, 1\]"):
        nominal_share(0.9, 0.1, np.nan)
    with pytest.raises(MistrustError, match=r"No rows of data 'mnist'\. Known: cifar10, gtsrb"):
        by_set(mended(complete), data="mnist")
