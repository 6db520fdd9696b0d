"""Table I read again: what the authors' code sets, against what their paper says it tried and took."""

import pandas as pd
import pytest

from mistrust.monitoring.experiment import Parameters
from mistrust.monitoring.experiment.settings import settings
from mistrust.monitoring.rereading.coded import COLUMN, LACKING, coded
from mistrust.publishing.published import published


@pytest.fixture(scope="module")
def paper():
    return published("monitoring")


def test_the_code_beside_the_printed_settings(paper):
    """Facts on the SUT repository's run_experiments.py: boxes are scaled by 1.0001 and by 1.1."""
    lines = settings(paper, {"this run": Parameters()})
    found = coded(lines, paper)
    assert list(found.columns) == ["monitor", "parameter", "the paper", COLUMN, "this run"]
    assert list(found[COLUMN]) == [
        *[LACKING] * 3,
        "0 (GTSRB), 0.1 (CIFAR-10)",
        "0 (GTSRB), 5 (CIFAR-10)",
        "simple (GTSRB), ISOMAP (CIFAR-10)",
        "1000",
        "0.0025 (GTSRB), 0.0014 (CIFAR-10)",
        "0.0237 (GTSRB), 0.1007 (CIFAR-10)",
    ]
    pd.testing.assert_frame_equal(found.drop(columns=COLUMN), lines)
    assert COLUMN not in lines.columns  # the given lines are left as they were


def test_what_the_code_sets_is_among_what_the_paper_tried(paper):
    tried = paper[paper["table"] == "table1"].groupby(["method", "metric"])["at"].agg(set)
    code = paper[(paper["table"] == "code") & (paper["at"] != "") & paper["data"].isin(["gtsrb", "cifar10"])]
    assert len(code) == 12
    for line in code.to_dict("records"):
        assert line["at"] in tried[line["method"], line["metric"]]


def test_the_text_calls_others_best_than_the_code_runs_on_traffic_signs(paper):
    best = paper[(paper["table"] == "text") & (paper["at"] == "best")].set_index("data")["value"]
    code = paper[(paper["table"] == "code") & (paper["metric"] == "number of clusters")].set_index("data")["value"]
    assert (best["gtsrb"], code["gtsrb"]) == (3, 0)
    assert best["cifar10"] == code["cifar10"] == 5


def test_a_value_of_one_image_set_alone_says_of_which(paper):
    lines = pd.DataFrame({"monitor": ["odin"], "parameter": ["temperature"], "the paper": ["1000"]})
    assert coded(lines, paper[paper["data"] == "gtsrb"])[COLUMN].tolist() == ["1000 (GTSRB)"]
