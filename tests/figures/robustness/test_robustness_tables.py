"""Tables of the chapter: bisection and stepping, image sets, averages, the paper beside ours and read again."""

import numpy as np
import pytest

from mistrust import rows as tidy
from mistrust.errors import MistrustError
from mistrust.figures.robustness import (
    audit,
    audited,
    audited_every,
    averages,
    beside,
    image_sets,
    missed,
    ratios,
    reread,
)

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
    alone = {"network": "resnet8-w8", "metric": "equal", "n": 1000}
    rows += [{**alone, "at": "grid=8", "value": 0.989}, {**alone, "at": "grid=16", "value": 0.975}]
    rows.append({**alone, "network": "alexnet6-w16", "at": "grid=16", "value": 0.999})
    benchmark = tidy.table(rows, chapter="benchmarks", table="audit")
    assert audit(searched, benchmark).to_numpy().tolist()[-5:] == [
        ["AlexNet-6 w16, every image", 1000, 1000, "100.00%", "yes"],
        ["ResNet-8 w8, every image", 1000, 985, "98.50%", "no"],
        ["these networks, every image", 2000, 1985, "99.25%", "yes"],
        ["all 2, every image, grid of 16 alone", 2000, 1974, "98.70%", "no"],
        ["ResNet-8 w8, every image, grid of 8 alone", 1000, 989, "98.90%", "no"],
    ]
    assert audited_every(benchmark) == "1,985 of 2,000 (99.25%)"
    assert len(audit(searched, tidy.empty())) == 4


def test_nothing_audited_is_not_run():
    assert audit(tidy.empty()).empty
    assert audited(tidy.empty()) == missed(tidy.empty()) == audited_every(tidy.empty()) == "not run"


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


PAPERS = ["AlexNet", "VGG16", "ResNet152", "InceptionV3"]


class TestBeside:
    """Printed numbers are the paper's own; ours are of the first network of a family, in the first image set."""

    def test_table_1(self, printed):
        full = tidy.table([
            *measured("fmnist", "resnet8-w8"), *measured("fmnist", "resnet14-w8", 3.0),
            *measured("cifar10-jpeg", "resnet8-w8", 5.0), *measured("imagenet", "resnet152", 7.0),
            {"table": "random", "metric": "mean", "method": "fixed-clipped", "data": "fmnist", "condition": "all",
             "network": "resnet8-w8", "seed": 0, "value": 61.0},
            {"table": "networks", "metric": "parameters", "data": "fmnist", "condition": "all", "network": "resnet8-w8",
             "seed": 0, "value": 19810},
        ])  # fmt: skip
        table = beside(printed, full, tidy.empty(), "table1")
        assert table.columns.tolist() == [
            "measure", "the paper's network", "our network", "the paper (ImageNet)",
            "our full run (Fashion-MNIST, 1 seed)", "this run",
        ]  # fmt: skip
        assert table["the paper's network"].tolist() == 3 * PAPERS
        resnet = table[table["the paper's network"] == "ResNet152"].to_numpy().tolist()
        assert resnet == [
            ["parameters", "ResNet152", "ResNet-8 w8", "60,000,000", "19,810", "not run"],
            ["breaking σ, of images that broke", "ResNet152", "ResNet-8 w8", "136.4", "61", "not run"],
            ["targeted L∞", "ResNet152", "ResNet-8 w8", "2.4", "40", "not run"],
        ]
        other = table[table["the paper's network"] == "VGG16"]
        assert other["our network"].tolist() == other.iloc[:, 4].tolist() == 3 * ["not run"]

    @pytest.mark.parametrize(
        ("name", "metric", "told"),
        [
            ("table2", "accuracy", [("72%", "80.0%"), ("46.2%", "40.0%"), ("77%", "not run")]),
            ("table3", "mean", [("66.3", "0.8"), ("10.3", "0.4"), ("23.3", "not run")]),
        ],
    )
    def test_tables_2_and_3_have_a_line_for_each_training_set(self, name, metric, told, printed):
        where = {"data": "mnist5k", "network": "alexnet6-w16", "seed": 0, "metric": metric}
        where |= {"table": "random", "method": "fixed-clipped"} if metric == "mean" else {"table": "networks"}
        run = tidy.table([{**where, "condition": "all", "value": 0.8}, {**where, "condition": "half", "value": 0.4}])
        table = beside(printed, tidy.empty(), run, name)
        assert table["trained on"].tolist() == [
            one for one in ("all", "half of the samples", "a fraction of the classes") for _ in range(4)
        ]
        own = table[table["the paper's network"] == "AlexNet"]
        assert list(zip(own["the paper (ImageNet)"], own.iloc[:, -1], strict=True)) == told
        assert own.columns[-1] == "this run (MNIST, 5,000 images, 1 seed)"
        assert set(own["our full run"]) == {"not run"}

    def test_intervals_are_between_seeds(self, printed):
        where = {"table": "networks", "metric": "accuracy", "data": "fmnist", "network": "vgg6-w16", "condition": "all"}
        full = [{**where, "seed": seed, "value": 0.8} for seed in (0, 1)]
        full.append({**where, "value": 0.8, "low": 0.7, "high": 0.9, "over": "models", "n": 2})
        full += [{**one, "metric": "parameters", "value": 900, "low": 900, "high": 900} for one in full]
        table = beside(printed, tidy.table(full), tidy.empty(), "table2")
        assert table.columns[4] == "our full run (Fashion-MNIST, 2 seeds)"
        assert table[table["the paper's network"] == "VGG16"].iloc[0, 4] == "80.0% (70.0% to 90.0%)"
        parameters = beside(printed, tidy.table(full), tidy.empty(), "table1")
        assert parameters[parameters["the paper's network"] == "VGG16"].iloc[0, 4] == "900"

    def test_no_such_table(self, printed):
        with pytest.raises(MistrustError, match="no printed table 'table4'; there are table1, table2, table3"):
            beside(printed, tidy.empty(), tidy.empty(), "table4")


class TestAverages:
    def test_each_summary_has_its_column(self):
        values = {"mean": 60, "capped mean": 105, "median": 55, "unbroken": 0.1, "sigma50": 50,
                  "sigma50 unreached": 0.05, "effective": 41, "new probability": 0.44}  # fmt: skip
        common = {"table": "random", "data": "fmnist", "network": "vgg9-w16", "condition": "all", "seed": 0}
        found = [{**common, "method": "fixed-clipped", "metric": name, "value": v} for name, v in values.items()]
        found[0] |= {"low": 50, "high": 70}
        found.append({**common, "method": "fresh-clipped", "metric": "mean", "value": 1})
        found.append({**common, "method": "fixed-clipped", "metric": "mean", "value": 2, "condition": "half"})
        (line,) = averages(tidy.table(found)).to_numpy().tolist()
        assert line == ["VGG-9 w16", "60 (50 to 70)", "105", "55", "10%", "50, none for 5%", "41", "0.44"]
        held = averages(tidy.table([one for one in found if not one["metric"].startswith("sigma50")]))
        assert held["σ50"].tolist() == ["not run"]

    def test_a_median_that_one_seed_does_not_reach_is_not_that_of_the_others(self):
        common = {"table": "random", "data": "fmnist", "network": "vgg9-w16", "method": "fixed-clipped"}
        found = [{**common, "metric": "unbroken", "value": share, "seed": s} for s, share in enumerate((0.1, 0.6))]
        found.append({**common, "metric": "median", "value": 90, "seed": 0})
        assert averages(tidy.table(found))["median"].tolist() == ["not reached"]

    def test_without_rows_it_is_refused(self):
        with pytest.raises(MistrustError, match="no rows for the breaking noise"):
            averages(tidy.empty())


@pytest.mark.whole
def test_the_paper_read_again_names_every_network(printed):
    """The numbers are those of `tests/robustness/test_rereading.py`; here, that readers can tell whose they are."""
    percentages = reread.percentages(printed)
    assert percentages["network"].tolist() == 2 * PAPERS
    assert percentages["can be of 255"].tolist() == ["no"] * 4 + ["yes"] * 3 + ["no"]
    assert percentages["can be of 256"].tolist() == ["yes", "yes", "no", "yes", "yes", "yes", "yes", "no"]
    for table in (reread.left(printed), reread.accuracies(printed)):
        assert table["network"].tolist() == PAPERS
    assert reread.left(printed).iloc[2].tolist() == ["ResNet152", "23%", "-2.4", "42%", "+6.0"]
    assert reread.accuracies(printed).iloc[3].tolist() == ["InceptionV3", "92.2%", "93.6%", "77.3%", "93.5%"]
    orders = reread.orders(printed)
    assert orders.to_numpy().tolist()[3] == ["layers, as printed", "targeted distance", "0.40", "0.75"]
    assert len(orders) == 16
