"""Speed: the committed rows of the benchmarks meet the bars that were set. Nothing is timed here."""

from math import exp, log

import pytest

from mistrust import paths
from mistrust import rows as tidy
from mistrust.inputs import CORRUPTIONS, FAULTS

# What the package imagecorruptions fails at, of the 15 faults that both have: scikit-image has dropped an argument.
FAILING = {"gaussian_blur", "glass_blur"}


def ratios(name, **having):
    """Peer's time over ours, the means over all settings left out."""
    found = tidy.read(paths.results() / "benchmarks" / f"{name}.csv")
    found = found[(found["metric"] == "ratio") & ~found["at"].str.startswith("all")]
    for column, value in having.items():
        found = found[found[column] == value]
    return found


def mean(values):
    """The geometric one."""
    return exp(sum(map(log, values)) / len(values))


def surprise(name):
    found = ratios("surprise", condition="dnn-tip")
    return found[found["at"].str.startswith(f"{name}, ")]


# Each bar: rows, how many there are, the least of them all.
BARS = {
    "alooc, a loop over classes": (lambda: ratios("alooc", condition="loop"), 2, 3),
    "surprise, DSA": (lambda: surprise("dsa"), 4, 100),
    "surprise, LSA": (lambda: surprise("lsa"), 4, 4),
    "surprise, MDSA": (lambda: surprise("mdsa"), 4, 2),
    "dropout, convolutional": (lambda: ratios("dropout", network="ambiguess-conv"), 4, 20),
    "coverage, searches": (lambda: ratios("coverage", at="search"), 3, 8),
    "replicates, all methods": (lambda: ratios("replicates", at="sdr"), 2, 50),
    "boundary, HopSkipJump with smooth directions": (lambda: ratios("boundary", method="hopskip-smooth"), 6, 2),
}


@pytest.mark.parametrize("bar", BARS)
def test_each_setting_is_so_many_times_as_fast(bar):
    read, number, least = BARS[bar]
    found = read()
    assert len(found) == number
    assert found["value"].min() >= least


def test_alooc_was_timed_with_few_images_of_a_class_and_with_more():
    assert set(ratios("alooc")["at"]) == {"images=4", "images=16"}


# 32x32 colours: each fault that needs no classifier, at each severity.
COLOURED = {
    (fault.corruption, level)
    for fault in FAULTS.values()
    if not fault.needs_classifier
    for level in range(1, len(CORRUPTIONS[fault.corruption].levels) + 1)
}
PACKAGED = {(at, level) for at, level in COLOURED if at.startswith("cifar10c/") and at.partition("/")[2] not in FAILING}


@pytest.mark.parametrize(("peer", "settings"), [("scipy/opencv", COLOURED), ("imagecorruptions", PACKAGED)])
def test_colour_faults_against_loops_and_the_package(peer, settings):
    found = ratios("faults", condition=peer)
    assert sorted(zip(found["at"], found["level"].astype(int), strict=True)) == sorted(settings)
    assert mean(found["value"]) >= 10
    assert found["value"].min() >= 1


def test_the_means_in_the_rows_are_those_of_their_settings():
    whole = tidy.read(paths.results() / "benchmarks" / "faults.csv").query("metric == 'ratio' and at == 'all'")
    assert len(whole) == 2
    for peer, value in zip(whole["condition"], whole["value"], strict=True):
        assert mean(ratios("faults", condition=peer)["value"]) == pytest.approx(value)


def test_grey_corruptions_against_loops():
    for threads in (1, 2):
        found = ratios("corruptions", condition="numpy/scipy")
        found = found[found["at"].str.endswith(f", {threads} threads")]
        assert len(found) == 74
        assert mean(found["value"]) >= 10
        assert found["value"].min() >= 1


def test_grey_corruptions_agree_with_their_loops():
    found = tidy.read(paths.results() / "benchmarks" / "corruptions.csv").query("metric == 'agreement'")
    assert len(found) == 2 * (74 + 1)
    assert found["value"].max() <= 1e-6
    worst = found[~found["at"].str.startswith("all")]["value"].max()
    assert (found[found["at"].str.startswith("all")]["value"] == worst).all()
