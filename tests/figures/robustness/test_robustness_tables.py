"""Tables of the chapter that are counted from rows: what bisection and stepping share, and the image sets."""

import numpy as np
import pytest

from mistrust import rows as tidy
from mistrust.figures.robustness import audit, audited, image_sets, missed, ratios

AUDITED = [
    ("fmnist", "alexnet6-w16", "all", 0, 0.0, 40), ("fmnist", "alexnet6-w16", "half", 0, 0.025, 40),
    ("cifar10-jpeg", "alexnet8-w16", "all", 0, 0.0, 20), ("fmnist", "resnet8-w8", "all", 0, 1 / 30, 30),
    ("fmnist", "resnet8-w8", "all", 1, 0.1, 20), ("fmnist", "mlm-cnn", "all", 0, 0.0, 10),
]  # fmt: skip


@pytest.fixture
def searched():
    names = ("data", "network", "condition", "seed", "value", "n")
    single = [dict(zip(names, one, strict=True)) for one in AUDITED]
    mean = {"data": "fmnist", "network": "resnet8-w8", "condition": "all", "value": 0.5, "n": 2}
    other = {**single[0], "method": "fixed-unclipped", "value": 1.0}
    where = {"table": "random", "metric": "re-entry", "method": "fixed-clipped"}
    return tidy.table([{**where, **one} for one in (*single, mean, other)])


def test_pairs_are_counted_by_family_over_sets_seeds_and_variants(searched):
    """Of 100 of AlexNet style one differs, which meets the bar just so; of ResNet style three of 50."""
    table = audit(searched)
    assert table.to_numpy().tolist() == [
        ["AlexNet style", 100, 99, "99.00%", "yes"],
        ["ResNet style", 50, 47, "94.00%", "no"],
        ["other networks", 10, 10, "100.00%", "yes"],
        ["all", 160, 156, "97.50%", "no"],
    ]
    assert audited(searched) == "156 of 160 (97.50%)"
    assert audited(searched, method="fixed-unclipped") == "0 of 40 (0.00%)"
    assert missed(searched) == "ResNet style"
    assert missed(searched[searched["network"] == "alexnet6-w16"]) == "AlexNet style"  # 79 of 80
    assert missed(searched[searched["network"] == "mlm-cnn"]) == "none"


def test_the_benchmarks_networks_stand_beneath(searched):
    rows = [
        {"network": "resnet8-w8", "metric": "equal", "value": 0.985, "n": 1000},
        {"network": "resnet8-w8", "metric": "farthest", "value": 12, "n": 1000},
        {"network": "alexnet6-w16", "metric": "equal", "value": 1, "n": 1000},
    ]
    table = audit(searched, tidy.table(rows, chapter="benchmarks", table="audit"))
    assert table.to_numpy().tolist()[-2:] == [
        ["AlexNet-6 w16, every image", 1000, 1000, "100.00%", "yes"],
        ["ResNet-8 w8, every image", 1000, 985, "98.50%", "no"],
    ]
    assert len(audit(searched, tidy.empty())) == 4


def test_nothing_audited_is_not_run():
    assert audit(tidy.empty()).empty
    assert audited(tidy.empty()) == missed(tidy.empty()) == "not run"


def test_ratios_are_of_means_over_seeds_of_networks_that_have_both():
    where = {"table": "random", "metric": "capped mean", "data": "fmnist", "condition": "all"}
    found = [
        {"network": "a", "seed": 0, "method": "fixed-clipped", "value": 40},
        {"network": "a", "seed": 1, "method": "fixed-clipped", "value": 60},
        {"network": "a", "seed": 0, "method": "fresh-clipped", "value": 10},
        {"network": "a", "seed": 1, "method": "fresh-clipped", "value": 40},
        {"network": "b", "seed": 0, "method": "fixed-clipped", "value": 90},
        {"network": "a", "seed": 0, "method": "fresh-clipped", "value": 9000, "condition": "half"},
    ]
    held = ratios(tidy.table([{**where, **one} for one in found]), "fresh-clipped", "fixed-clipped")
    assert held.to_numpy().tolist() == [["a", 0.5]]
    assert ratios(tidy.empty(), "fresh-clipped", "fixed-clipped").empty


def measured(data, network, scale=1.0, **more):
    common = {"data": data, "network": network, "condition": "all", "seed": 0, **more}
    return [
        {**common, "table": "networks", "metric": "accuracy", "value": 0.8 * scale},
        {**common, "table": "random", "metric": "capped mean", "method": "fixed-clipped", "value": 100 * scale},
        {**common, "table": "random", "metric": "capped mean", "method": "fresh-clipped", "value": 1.0},
        {**common, "table": "targeted", "metric": "linf", "method": "adam", "value": 40 * scale},
        {**common, "table": "targeted", "metric": "linf", "method": "adam", "level": 5.0, "value": 2.0},
        {**common, "table": "targeted", "metric": "linf", "method": "tight", "value": 3.0},
    ]


def test_each_set_has_a_line_for_each_family_whether_it_was_run_or_not():
    found = [
        *measured("fmnist", "vgg6-w16"), *measured("fmnist", "vgg9-w16"), *measured("fmnist", "resnet8-w8"),
        *measured("fmnist", "mlm-cnn"), *measured("cifar10-jpeg", "vgg6-w16", 0.5),
        *measured("cifar10-jpeg", "resnet8-w8", 0.1, condition="half"),
    ]  # fmt: skip
    table = image_sets(tidy.table(found), ["fmnist", "cifar10-jpeg", "gtsrb-thin"])
    no = ["not run"] * 3
    assert table.to_numpy().tolist() == [
        ["Fashion-MNIST", "VGG-6 w16", "80.0%", "100", "40"],
        ["Fashion-MNIST", "ResNet-8 w8", "80.0%", "100", "40"],
        ["CIFAR-10, JPEG", "VGG-6 w16", "40.0%", "50", "20"],
        ["CIFAR-10, JPEG", "ResNet-8 w8", *no],
        ["GTSRB, thinned", "VGG-6 w16", *no],
        ["GTSRB, thinned", "ResNet-8 w8", *no],
    ]


def test_without_the_first_set_the_networks_are_those_of_the_others():
    rows = tidy.table(measured("cifar10-jpeg", "vgg6-w16"))
    assert image_sets(rows, ["fmnist", "cifar10-jpeg"])["network"].tolist() == ["VGG-6 w16"] * 2
    assert image_sets(tidy.empty(), ["fmnist"]).empty
    two = tidy.table([*measured("fmnist", "vgg6-w16"), *measured("fmnist", "vgg6-w16", 0.5, seed=1)])
    assert image_sets(two, ["fmnist"])["accuracy"].tolist() == ["60.0%"]
    assert not np.isnan(two["value"]).any()
