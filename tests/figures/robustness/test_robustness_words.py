"""What a reader calls things, in which order they stand, and what means over seeds are taken from."""

import numpy as np
import pytest

from mistrust import rows as tidy
from mistrust.errors import MistrustError
from mistrust.figures.dots import estimate
from mistrust.figures.parts import means
from mistrust.figures.robustness.parts import family, in_order, look, of, one_a_family, words
from mistrust.figures.written import plain
from mistrust.networks import ARCHITECTURES
from mistrust.networks.architectures.families import FAMILIES
from mistrust.robustness.noise import VARIANTS


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("alexnet6-w16", "AlexNet-6 w16"),
        ("resnet20", "resnet20"),
        ("inception_v3", "InceptionV3"),
        ("fmnist", "Fashion-MNIST"),
        ("fresh-unclipped", "fresh noise, not clipped"),
        ("half", "half of the samples"),
        ("random", "breaking noise"),
        ("accuracy", "accuracy"),
        ("", ""),
    ],
)
def test_names_are_told_in_words(name, said):
    assert words(name) == said


@pytest.mark.parametrize("name", [one for names in FAMILIES.values() for one in names])
def test_every_network_of_a_family_has_a_short_name_and_its_familys_look(name):
    assert len(words(name)) <= 17
    assert [other for other in ARCHITECTURES if words(other) == words(name)] == [name]
    same = [other for names in FAMILIES.values() for other in names if look(other) == look(name)]
    assert {family(one) for one in same} == {family(name)}


@pytest.mark.parametrize("name", VARIANTS)
def test_every_variant_of_noise_has_words(name):
    assert words(name) != name


def test_networks_stand_in_the_papers_order_of_families_shallow_and_narrow_first():
    given = [
        "mlm-cnn",
        "inception14-w8",
        "vgg9-w16",
        "vgg6-w32",
        "resnet20-w8",
        "vgg6-w16",
        "resnet8-w16",
        "alexnet8-w16",
    ]
    assert in_order(given) == [
        "alexnet8-w16", "vgg6-w16", "vgg6-w32", "vgg9-w16", "resnet8-w16", "resnet20-w8", "inception14-w8", "mlm-cnn",
    ]  # fmt: skip
    assert one_a_family([*given, "farm-lenet"]) == [
        "alexnet8-w16", "vgg6-w16", "resnet8-w16", "inception14-w8", "farm-lenet", "mlm-cnn",
    ]  # fmt: skip


def rows_of(*records):
    return tidy.table([{"table": "random", "metric": "mean", "data": "fmnist", **one} for one in records])


class TestMeans:
    def test_a_mean_that_the_rows_hold_is_taken_as_it_is(self):
        rows = rows_of({"value": 1, "seed": 0}, {"value": 3, "seed": 1}, {"value": 2.5, "low": 2, "high": 3})
        found = means(rows)
        assert found[["value", "low", "high"]].to_numpy().tolist() == [[2.5, 2.0, 3.0]]
        assert estimate(rows, plain) == "2.5 (2.0 to 3.0)"

    def test_else_it_is_that_of_the_seeds_without_an_interval(self):
        rows = rows_of({"value": 1, "seed": 0, "low": 0, "high": 2}, {"value": 3, "seed": 1, "low": 2, "high": 4})
        found = means(rows)
        assert found["value"].tolist() == [2.0]
        assert np.isnan(found["low"].iloc[0])
        assert estimate(rows, plain) == "2.0"

    def test_a_network_that_is_alone_keeps_its_interval(self):
        rows = rows_of(
            {"value": 1, "seed": 0, "low": 0, "high": 2, "network": "a"},
            {"value": 5, "low": 4, "high": 6, "network": "b"},
        )
        found = means(rows).set_index("network")
        assert found.loc["a", ["value", "low", "high"]].tolist() == [1.0, 0.0, 2.0]
        assert found.loc["b", ["value", "low", "high"]].tolist() == [5.0, 4.0, 6.0]

    def test_levels_stay_apart(self):
        found = means(rows_of(*({"value": v, "seed": s, "level": v} for v in (1, 2) for s in (0, 1))))
        assert sorted(found["value"]) == [1.0, 2.0]

    def test_nothing_is_not_run_and_open_intervals_say_so(self):
        assert estimate(rows_of({"value": 1}).iloc[:0], plain) == "not run"
        assert estimate(rows_of({"value": 400, "low": 300, "high": np.inf}), plain) == "400 (300 or more)"


def test_rows_without_a_variant_of_training_count_for_each():
    rows = rows_of({"value": 1, "condition": "all"}, {"value": 2, "condition": "half"}, {"value": 3, "method": "x"})
    assert sorted(of(rows, "random", "noise", data=None)["value"]) == [1.0, 3.0]
    assert len(of(rows, "random", "noise", data=None, condition=None)) == 3
    with pytest.raises(MistrustError, match="no rows for the noise"):
        of(rows[rows["condition"] == "all"], "random", "noise", data=None, condition="half")
