"""What issue 13 asks of the full run, asked of the rows that are committed."""

from pathlib import Path

import pytest

from mistrust.monitoring.benchmark_sets import SHARED_AT_HAND
from mistrust.publishing.results import accepted

ROOT = Path(__file__).parents[2]
THREE = ["alooc", "oob", "odin"]


@pytest.fixture(scope="module")
def full():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MISTRUST_ROOT", str(ROOT))
        return accepted("monitoring")


def test_the_common_rule_keeps_its_false_alarms_within_a_hundredth(full):
    """5% of images that set thresholds; these are others. Means over runs, of each image set.

    Of the LeNet all monitors are asked, of ResNet-20, which has one run, the paper's three: a single run of some twenty
    monitors scatters farther (`figures.monitoring.held`).
    """
    found = full[(full["table"] == "nominal") & (full["condition"] == "nominal") & (full["metric"] == "fpr")]
    right = found[~found["method"].str.contains("/") & found["seed"].isna()]
    means = right[right["method"].isin(THREE) | right["network"].eq("farm-lenet")]
    assert means.groupby(["network", "data"]).size().to_dict() == {
        ("farm-lenet", "cifar10-jpeg"): 26,
        ("farm-lenet", "gtsrb-thin"): 26,
        ("resnet20", "cifar10-jpeg"): 3,
        ("resnet20", "gtsrb-thin"): 3,
    }
    assert (means["value"] - 0.05).abs().max() <= 0.01


def test_false_alarms_are_the_same_over_sets_that_share_nominal_images(full):
    """All but BTSC's, whose shared signs are nominal as well; under every rule, and as nominal images alone have it."""
    found = full[(full["metric"] == "fpr") & full["seed"].isna()]
    sets = found[(found["table"] == "detection") & (found["condition"] != "novelty/BTSC")]
    alone = found[(found["table"] == "nominal") & (found["condition"] == "nominal")]
    alone = alone.set_index(["data", "network", "method"])["value"]
    seen = set()
    for at, group in sets.groupby(["data", "network", "method"]):
        assert len(group) == 39, at
        assert group["value"].nunique() == 1, at
        assert group["value"].iloc[0] == pytest.approx(alone[at]), at
        seen.add(at[0])
    assert seen == {"gtsrb-thin", "cifar10-jpeg"}


def test_classifiers_are_as_good_as_the_issue_asks(full):
    found = full[(full["table"] == "nominal") & (full["metric"] == "accuracy") & (full["network"] == "farm-lenet")]
    means = found[found["seed"].isna()].set_index("data")["value"]
    assert means["gtsrb-thin"] >= 0.90
    assert means["cifar10-jpeg"] >= 0.55


def test_so_many_signs_are_shared_as_the_page_says(full):
    found = full[(full["table"] == "control") & (full["condition"] == "shared classes") & full["seed"].notna()]
    assert set(found["n"]) == {SHARED_AT_HAND}
