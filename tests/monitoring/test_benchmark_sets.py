"""The 79 sets and their counts against the table that was read off the authors' code (facts 2)."""

from collections import Counter
from pathlib import Path

import pytest

from mistrust.data import listing, load
from mistrust.data.sources_colour import BELGIAN_SIGNS, GERMAN_SIGNS
from mistrust.errors import MistrustError, UnknownName
from mistrust.monitoring.benchmark_sets import (
    BENCHMARK_SETS,
    DOUBTFUL_AT_HAND,
    DOUBTFUL_SIGNS,
    PUBLISHED_SIZES,
    SHARED_AT_HAND,
    SHARED_CLASSES_AT_HAND,
    SHARED_SIGNS,
    BenchmarkSet,
    Counts,
    Sizes,
    counts,
)
from mistrust.publishing.published import published

ROOT = Path(__file__).parents[2]


@pytest.fixture
def rows(monkeypatch):
    monkeypatch.setenv("MISTRUST_ROOT", str(ROOT))
    found = published("monitoring")
    return found[found["table"] == "sets"]


def sized(entry):
    return PUBLISHED_SIZES[entry.nominal][entry.novel]


def test_the_rules_make_the_79_sets_of_the_table(rows):
    printed = set(zip(rows["data"], rows["condition"], rows["level"].fillna(0).astype(int), strict=True))
    ours = [(one.nominal, one.condition, one.severity or 0) for one in BENCHMARK_SETS.values()]
    assert len(ours) == len(set(ours)) == len(printed) == 79
    assert set(ours) == printed


def test_counts_are_those_of_the_table(rows):
    for entry in BENCHMARK_SETS.values():
        mine = rows[(rows["data"] == entry.nominal) & (rows["condition"] == entry.condition)]
        mine = mine[mine["level"].fillna(0) == (entry.severity or 0)].set_index("metric")["value"]
        found = counts(entry, sized(entry), as_published=True)
        assert (found.nominal, found.made) == (mine["nominal"], mine["made"])
        assert found.out == (0 if entry.fault == "rotated" else found.made)


def test_categories_and_names():
    assert Counter(one.category for one in BENCHMARK_SETS.values()) == {
        "novelty": 3, "adversarial": 2, "anomaly": 12, "shift": 22, "noise": 40,
    }  # fmt: skip
    for name, entry in BENCHMARK_SETS.items():
        assert name == entry.name
    assert BENCHMARK_SETS["gtsrb/noise/gaussian_noise/5"].severity == 5
    assert BENCHMARK_SETS["cifar10/adversarial/fgsm"].condition == "adversarial/FGSM"
    with pytest.raises(UnknownName, match=r"Did you mean 'gtsrb/shift/snow/[25]'"):
        BENCHMARK_SETS["gtsrb/shift/snow/3"]


# Facts 2 and 9: the seven shares of nominal images.
SHARES = {
    "cifar10/noise/spatter/2": 0.1429, "gtsrb/noise/spatter/2": 0.1959, "cifar10/adversarial/fgsm": 0.3061,
    "gtsrb/adversarial/fgsm": 0.3269, "gtsrb/novelty/btsc": 0.797, "gtsrb/novelty/cifar10": 0.1739,
    "cifar10/novelty/gtsrb": 0.1617,
}  # fmt: skip


@pytest.mark.parametrize("name", list(SHARES))
def test_shares_of_nominal_images(name):
    entry = BENCHMARK_SETS[name]
    assert counts(entry, sized(entry), as_published=True).share == pytest.approx(SHARES[name], abs=5e-4)


def test_by_default_there_are_as_many_faulty_images_as_nominal_ones():
    for entry in BENCHMARK_SETS.values():
        if not entry.novel:
            assert counts(entry, sized(entry)) == Counts(*[sized(entry).test] * 3)
            assert counts(entry, sized(entry)).share == 0.5


def test_eighteen_signs_are_shared_and_show_what_they_say():
    theirs, ours = zip(*SHARED_SIGNS, strict=True)
    assert (len(SHARED_SIGNS), len(set(theirs)), len(set(ours))) == (18, 18, 18)
    assert max(theirs) < len(BELGIAN_SIGNS)
    assert max(ours) < len(GERMAN_SIGNS)
    named = {code: GERMAN_SIGNS[label] for code, label in SHARED_SIGNS}
    assert (named[19], named[21], named[22], named[61]) == ("give way", "stop", "no entry", "priority road")
    assert named[32] == "speed limit 70"  # the doubtful one


# Images of each shared class in the copy of BTSC at hand: the manifest that was published with its files.
COPY = {
    0: 6, 3: 6, 4: 12, 5: 3, 7: 90, 10: 28, 11: 0, 13: 39, 16: 12, 17: 183, 19: 163, 21: 45, 22: 61, 28: 51, 32: 422,
    34: 9, 36: 0, 61: 105,
}  # fmt: skip


def in_copy(label):
    return COPY[label]


def loaded(label):
    return int((load("btsc-test", "test").labels == label).sum())


# What is loaded counts where it is at hand: the same numbers.
@pytest.mark.whole
@pytest.mark.parametrize(
    "count", [in_copy, *([loaded] if {one.name: one for one in listing()}["btsc-test"].found else [])]
)
def test_so_many_images_of_shared_and_of_doubtful_signs_are_at_hand(count):
    assert sum(count(theirs) for theirs, _ in SHARED_SIGNS) == SHARED_AT_HAND
    assert sum(count(theirs) for theirs in DOUBTFUL_SIGNS) == DOUBTFUL_AT_HAND
    assert [theirs for theirs, _ in SHARED_SIGNS if not count(theirs)] == [11, 36]
    assert sum(count(theirs) > 0 for theirs, _ in SHARED_SIGNS) == SHARED_CLASSES_AT_HAND
    assert set(DOUBTFUL_SIGNS) < {theirs for theirs, _ in SHARED_SIGNS}


def test_wrong_rules_are_refused():
    for wrong, message in (
        ({"category": "nois", "fault": "fog"}, "Did you mean 'noise'"),
        ({"category": "noise", "fault": "fogg"}, "Did you mean 'fog'"),
        ({"category": "noise", "fault": "fog", "severity": 2}, "is of category 'shift', the set of 'noise'"),
        ({"category": "shift", "fault": "fog", "severity": 6}, "severities 1 to 5, got 6"),
        ({"category": "shift", "fault": "fog"}, "severities 1 to 5, got None"),
        ({"category": "shift", "fault": "rotated", "severity": 1}, "has no severities, got 1"),
        ({"category": "novelty", "fault": "fog"}, "novelty comes from a novel set"),
        ({"category": "noise", "novel": "photos"}, "novelty comes from a novel set"),
    ):
        with pytest.raises(MistrustError, match=message):
            BenchmarkSet(**{"nominal": "digits", "variation": "", **wrong})
    with pytest.raises(MistrustError, match=r"Sizes\(\.\.\., kept=\.\.\.\)"):
        counts(BENCHMARK_SETS["gtsrb/adversarial/fgsm"], Sizes(10, 10), as_published=True)
