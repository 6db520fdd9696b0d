"""What the searches cost, in words, from rows of the benchmark that were made up here."""

import pandas as pd
import pytest

from mistrust import rows
from mistrust.figures.robustness import costs

MEASURED = [
    ("alexnet6-w16", "bisection", "passes ratio", 0, 8.0, "6 epochs"),
    ("alexnet6-w16", "bisection", "passes ratio", 0, 7.1, "1 epochs"),
    ("alexnet6-w16", "bisection", "passes ratio", 64, 12.0, "6 epochs"),
    ("alexnet6-w16", "bisection", "passes ratio", -64, 5.2, "1 epochs"),
    ("alexnet6-w16", "bisection", "passes ratio", 64, 9.5, "1 epochs"),
    ("alexnet6-w16", "bisection", "equal", None, 0.9875),
    ("alexnet6-w16", "bisection", "equal", None, 1.0),
    ("resnet8-w8", "targets", "ratio", 64, 5.0), ("resnet8-w8", "targets", "ratio", 16, 4.0),
    ("resnet8-w8", "targets", "seconds", 16, 0.3),
    ("resnet8-w8", "targets", "equal", 16, 1.0), ("resnet8-w8", "targets", "equal", 64, 0.978),
    ("resnet8-w8", "tails", "ratio", None, 0.7), ("resnet8-w8", "tails", "ratio", None, 2.0),
    ("resnet8-w8", "tails", "ratio", None, 1400.0),
    ("mlm-cnn", "segments", "seconds", None, 1.24), ("mlm-cnn", "segments", "breakpoints", None, 1721.7),
    ("resnet8-w8", "classes", "modelled seconds", 1000, 364.6), ("resnet8-w8", "classes", "modelled seconds", 10, 9.9),
    ("resnet8-w8", "classes", "seconds", 10, 7.6),
]  # fmt: skip


@pytest.fixture
def benchmark():
    names = ("network", "condition", "metric", "level", "value")
    about = {"chapter": "benchmarks", "table": "robustness"}
    return rows.table({**about, "at": one[5] if len(one) > 5 else str(place), **dict(zip(names, one, strict=False))}
                      for place, one in enumerate(MEASURED))  # fmt: skip


@pytest.mark.parametrize(
    ("what", "network", "said"),
    [
        # Each training by itself, and the least agreement of all: nothing is made to look better.
        (
            "bracketing and bisection",
            "AlexNet-6 w16",
            "times fewer passes: 12.0 (9.5) above 64, (5.2) below, 8.0 (7.1) on all; equal on at least 98.7% of pairs",
        ),
        (
            "all targets in one batch",
            "ResNet-8 w8",
            "4.0 (16), 5.0 (64) times as fast; equal on at least 97.8% of pairs",
        ),
        ("noise at a layer", "ResNet-8 w8", "0.7 to 1,400 times as fast, 2.0 at the middle layer"),
        ("one exact segment test", "MLM's CNN", "1.2 s, 1,722 breakpoints"),
        (
            "all targets of one image",
            "ResNet-8 w8",
            "8 s (10), at most 365 s (1,000, modelled); where both are known, the model gives 1.3 times as much",
        ),
    ],
)
def test_each_question_is_answered_from_its_rows(benchmark, what, network, said):
    found = costs(benchmark)
    line = found[found["what"].str.startswith(what)]
    assert line[["network", "measured"]].to_numpy().tolist() == [[network, said]]


def test_a_model_is_held_against_every_measured_search(benchmark):
    """9.9 modelled beside 7.6 measured, 24 beside 12."""
    more = benchmark[benchmark["condition"] == "classes"].iloc[[0, 0]].assign(level=43.0)
    more = more.assign(metric=["modelled seconds", "seconds"], value=[24.0, 12.0])
    line = costs(pd.concat([benchmark, more], ignore_index=True))["measured"].iloc[-1]
    assert line.startswith("8 s (10), 12 s (43), at most 365 s (1,000, modelled); ")
    assert line.endswith("the model gives 1.3 to 2.0 times as much")
    alone = costs(benchmark[benchmark["metric"] != "seconds"])["measured"].iloc[-1]
    assert alone == "at most 10 s (10, modelled), at most 365 s (1,000, modelled)"


def test_a_part_that_was_not_run_has_no_line(benchmark):
    found = costs(benchmark[benchmark["condition"] != "segments"])
    assert len(found) == 4
    assert not found["what"].str.contains("segment").any()
    assert costs(rows.empty()).equals(pd.DataFrame([], columns=["what", "network", "measured", "wanted"]))


def test_a_few_pairs_that_differ_are_not_rounded_away(benchmark):
    few = benchmark.assign(value=benchmark["value"].mask(benchmark["metric"] == "equal", 0.9996))
    assert costs(few).to_csv().count("equal on at least 99.9% of pairs") == 2
