"""What the searches cost, in words, from rows of benchmarks that were made up here."""

import re

import pandas as pd
import pytest

from mistrust import paths, rows
from mistrust.figures.search import costs
from mistrust.figures.search.costs import BARS


def ratio(table, value, **about):
    return rows.table([{"metric": "ratio", "value": value, **about}], chapter="benchmarks", table=table)


def several(*found):
    return rows.check(pd.concat(found, ignore_index=True))


COVERAGE = several(
    ratio("coverage", 46.5, method="bansal_weld_coded", at="search"),
    ratio("coverage", 9.23, method="bansal_weld_coded", at="whole"),
    rows.table([{"metric": "seconds", "value": 3.0}], chapter="benchmarks", table="coverage"),
)
BOUNDARY = several(
    ratio("boundary", 2.46, method="boundary", level=100, at="4"),
    ratio("boundary", 2.04, method="boundary", level=100, at="9"),
    ratio("boundary", 31.0, method="boundary", level=1000, at="4", note="data starts, lower bound; x86_64"),
    ratio("boundary", 55.0, method="boundary", level=1000, at="9"),
)


def share(value, condition, **about):
    row = {"metric": "network share", "value": value, "condition": condition, "method": "boundary", **about}
    return rows.table([row], chapter="benchmarks", table="boundary")


REPLICATES = several(
    ratio("replicates", 1085.0, condition="loop/published", at="sdr"),
    ratio("replicates", 62.7, condition="loop/plain", at="sdr"),
    ratio("replicates", 18.9, condition="loop/plain", at="spread"),
)


@pytest.mark.parametrize(
    ("benchmark", "what", "said"),
    [
        (COVERAGE, "Bansal-Weld", ["46; 9.2 with the similarities"]),
        # The least of both classes, and a bound where foolbox never came so near.
        (BOUNDARY, "boundary attack", ["2.0 (100 steps), at least 31 (1,000 steps)"]),
        # Beside the loop that does the same work, not beside one that fits more.
        (REPLICATES, "SDR", ["63", "19"]),
    ],
)
def test_each_benchmark_has_its_lines(benchmark, what, said):
    found = costs(benchmark)
    assert found["times as fast"].tolist() == said
    assert found["what"].str.contains(what).all()


def test_all_stand_together_and_one_that_was_not_run_has_no_line():
    assert len(costs(COVERAGE, rows.empty(), REPLICATES)) == 3
    assert costs(rows.empty()).columns.tolist() == ["what", "times as fast", "wanted"]


def test_what_was_wanted_stands_beside_each_and_is_the_bar_of_its_benchmark():
    found = costs(COVERAGE, REPLICATES, BOUNDARY)
    assert found["wanted"].tolist() == ["at least 8", "at least 50", "at least 50", "at least 2"]
    for name in ("coverage", "replicates"):
        source = (paths.root() / "benchmarks" / f"{name}.py").read_text(encoding="utf-8")
        assert float(re.search(r"^BAR = (\S+)$", source, re.MULTILINE)[1]) == BARS[name]


@pytest.mark.whole
def test_the_share_of_time_in_the_network_is_told_of_both_sides():
    """Ours over both classes and all steps, foolbox's beside it; what has none says so."""
    shares = several(
        share(0.61, "", level=100), share(0.724, "", level=1000), share(0.3, "foolbox 3.3.4", level=100),
    )  # fmt: skip
    quick = ratio("boundary", 3.0, method="boundary-quick", level=100, at="4")
    found = costs(COVERAGE, several(BOUNDARY, quick, shares)).set_index("what")["time in the network"]
    assert found.iloc[0] == "not measured"
    assert found.iloc[1:].tolist() == ["61% to 72%; foolbox 30%", "not measured"]
    assert "time in the network" not in costs(COVERAGE)


@pytest.mark.parametrize(
    ("value", "told"), [(49.9, "49.9"), (49.97, "49.9"), (50.2, "50"), (62.7, "63"), (9.97, "10.0")]
)
def test_rounding_hides_no_bar(value, told):
    """49.9 is below the bar of 50, and is not written as 50."""
    found = costs(ratio("replicates", value, condition="loop/plain", at="sdr"))
    assert found["times as fast"].tolist() == [told]
