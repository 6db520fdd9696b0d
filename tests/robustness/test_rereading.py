"""The paper's printed numbers, read again: percentages, accuracies, shares of sigma, orders of four networks."""

from itertools import permutations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from scipy import stats
from torch import fx, nn
from torchvision import models

from mistrust.errors import MistrustError
from mistrust.publishing.published import published
from mistrust.robustness.rereading import (
    NETWORKS,
    accuracies,
    by_network,
    common,
    denominators,
    exchanged,
    left,
    neighbour_correlation,
    order,
    orders,
    percentages,
)


@pytest.fixture(scope="module")
def rows():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MISTRUST_ROOT", str(Path(__file__).parents[2]))
        return published("robustness")


# The transcription.


def test_the_three_tables_as_they_stand_in_the_papers_text(rows):
    def line(table, metric, **where):
        return by_network(rows, table, metric, **where).to_list()

    assert line("table1", "top-5 error") == [0.2091, 0.0962, 0.0594, 0.0644]
    assert line("table1", "parameters") == [60e6, 138e6, 60e6, 23e6]
    assert line("table1", "mean", method="random") == [66.3, 79.8, 136.4, 196.6]
    assert line("table1", "percent", method="random") == [25.9, 31.2, 53.2, 76.8]
    assert line("table1", "linf", method="targeted") == [3.2, 1.6, 2.4, 3.6]
    assert line("table1", "percent", method="targeted") == [1.2, 0.6, 0.9, 1.6]
    assert line("table2", "accuracy", condition="all") == [0.72, 0.834, 0.91, 0.922]
    assert line("table2", "accuracy", condition="half") == [0.462, 0.791, 0.886, 0.89]
    assert line("table2", "accuracy", condition="fraction") == [0.77, 0.92, 0.97, 0.99]
    assert line("table3", "mean", condition="half") == [10.3, 16.9, 31.7, 36.8]
    assert line("table3", "mean", condition="fraction") == [23.3, 27.5, 57.2, 52.2]
    assert line("table3", "mean", condition="all") == line("table1", "mean", method="random")
    assert line("text", "parameters") == [60e6, 138e6, 60e6, 24e6]


def test_places_are_those_of_the_paper(rows):
    assert set(rows["table"]) == {"table1", "table2", "table3", "text", "torchvision", "code"}
    tables = rows[rows["table"].str.startswith("table")]
    assert (tables["place"].str.lower().str.replace(" ", "") == tables["table"]).all()
    assert rows.loc[rows["table"].isin(["torchvision", "code"]), "place"].str.startswith("not printed: ").all()


def longest_path(network):
    """Convolutions and linear layers on the longest path, by the graph of a forward pass."""
    graph = fx.symbolic_trace(network)
    depth = {}
    for node in graph.graph.nodes:
        weighted = node.op == "call_module" and isinstance(graph.get_submodule(node.target), (nn.Conv2d, nn.Linear))
        depth[node] = max((depth[before] for before in node.all_input_nodes), default=0) + weighted
    return max(depth.values())


@pytest.mark.parametrize(
    ("name", "weights", "given"),
    [
        ("alexnet", models.AlexNet_Weights.IMAGENET1K_V1, {}),
        ("vgg16", models.VGG16_Weights.IMAGENET1K_V1, {"init_weights": False}),
        ("resnet152", models.ResNet152_Weights.IMAGENET1K_V1, {}),
        ("inception_v3", models.Inception_V3_Weights.IMAGENET1K_V1, {"init_weights": False}),
    ],
)
def test_what_is_said_of_torchvisions_networks_is_what_torchvision_says(rows, name, weights, given):
    known = rows[(rows["table"] == "torchvision") & (rows["network"] == name) & (rows["at"] == "")]
    known = known.set_index("metric")["value"]
    stated = weights.meta["_metrics"]["ImageNet-1K"]
    assert known["accuracy"] == pytest.approx(stated["acc@1"] / 100, abs=1e-9)
    assert known["top-5 accuracy"] == pytest.approx(stated["acc@5"] / 100, abs=1e-9)
    assert known["gflops"] == weights.meta["_ops"]
    with torch.device("meta"):  # shapes alone: no weights are made
        network = models.get_model(name, weights=None, **given).eval()
    whole = sum(one.numel() for one in network.parameters())
    assert whole == weights.meta["num_params"]
    own = {key: one for key, one in network.named_modules() if not key.startswith("AuxLogits")}
    assert known["parameters"] == whole - sum(
        one.numel() for key, one in network.named_parameters() if key.startswith("AuxLogits")
    )
    assert known["layers"] == longest_path(network)
    shortcuts = [key for key, one in own.items() if "downsample" in key and isinstance(one, nn.Conv2d)]
    convolutions = [key for key, one in own.items() if isinstance(one, nn.Conv2d) and key not in shortcuts]
    assert known["convolutions"] == len(convolutions)
    assert len(shortcuts) == (4 if name == "resnet152" else 0)


@pytest.mark.whole
def test_activations_of_alexnet_and_parameters_of_resnet_101(rows):
    known = rows[rows["table"] == "torchvision"].set_index(["network", "metric"])["value"]
    relus = [one for one in models.alexnet(weights=None).modules() if isinstance(one, nn.ReLU)]
    assert known["alexnet", "activations"] == len(relus)
    assert known["resnet101", "parameters"] == models.ResNet101_Weights.IMAGENET1K_V1.meta["num_params"]


# Changes of an image: Figure 5.


def test_clipped_noise_on_an_image_is_like_itself_exchanged():
    """Half of the image is black, in one piece: noise cannot darken it, so that neighbours' changes go together."""
    draws = np.random.default_rng(0)
    image = np.where(np.arange(28) < 14, 0, 128) * np.ones((28, 1))
    noise = [np.clip(image + draws.integers(-60, 61, image.shape), 0, 255) - image for _ in range(40)]
    found = [neighbour_correlation(one) for one in noise]
    alike = [exchanged(image, one, 50, seed) for seed, one in enumerate(noise)]
    assert np.mean(found) > 0.03
    assert np.mean(found) == pytest.approx(np.mean(alike), abs=0.015)
    below = [np.mean(other < one) for one, other in zip(found, alike, strict=True)]
    assert 0.35 < np.mean(below) < 0.65  # as often above as below
    smooth = np.kron(draws.integers(-20, 21, (14, 14)), np.ones((2, 2)))
    assert neighbour_correlation(smooth) > exchanged(image, smooth, 50).max() + 0.2


def test_exchanging_draws_by_its_seed():
    image, change = np.zeros((6, 6)), np.arange(36).reshape(6, 6)
    assert exchanged(image, change, 3, 1).tolist() == exchanged(image, change, 3, 1).tolist()
    assert exchanged(image, change, 3, 1).tolist() != exchanged(image, change, 3, 2).tolist()


def test_neighbours_that_go_together_are_seen_whatever_the_level():
    smooth = np.kron(np.random.default_rng(1).normal(size=(14, 14)), np.ones((2, 2)))
    assert neighbour_correlation(smooth) == pytest.approx(0.5, abs=0.06)  # every other neighbour is of the same square
    assert neighbour_correlation(smooth + 40) == pytest.approx(neighbour_correlation(smooth))
    assert np.isnan(neighbour_correlation(np.ones((4, 4))))


def test_parameters_of_inception_with_its_auxiliary_head(rows):
    whole = rows[(rows["table"] == "torchvision") & (rows["at"] == "with auxiliary head")]
    assert whole["value"].to_list() == [models.Inception_V3_Weights.IMAGENET1K_V1.meta["num_params"]]


# Percentages: facts B6.


def test_random_percentages_are_of_256_and_one_of_neither(rows):
    table = percentages(rows)
    random = table[table["measure"] == "random"]
    assert random["of 255"].to_list() == [26.0, 31.3, 53.5, 77.1]
    assert random["of 256"].to_list() == [25.9, 31.2, 53.3, 76.8]
    assert not random["fits 255"].any()
    assert random["fits 256"].to_list() == [True, True, False, True]  # 53.2 fits neither
    least, largest = common(random)
    assert 256 < least < largest < 256.3  # one denominator explains all four, and it is no whole number


def test_targeted_percentages_fit_both_but_for_one(rows):
    table = percentages(rows, (255, 256))
    targeted = table[table["measure"] == "targeted"].set_index("network")
    wrong = targeted[~targeted["fits 255"]]
    assert wrong.index.to_list() == ["inception_v3"]
    assert wrong[["percent", "of 255", "of 256"]].to_numpy().tolist() == [[1.6, 1.4, 1.4]]
    assert targeted["fits 255"].to_list() == targeted["fits 256"].to_list()
    assert wrong["largest"].item() < 236  # nothing near 255 would give 1.6 %
    assert common(table) is None
    rest = table[(table["network"] != "inception_v3") | (table["measure"] == "random")]
    assert common(rest) == common(table[table["measure"] == "random"])


@pytest.mark.parametrize("true", [100, 255, 256])
def test_a_denominator_lies_within_its_bounds_whatever_was_rounded(true):
    values = np.random.default_rng(0).uniform(1, 200, 500)
    for value in values:
        low, high = denominators(round(value, 1), round(100 * value / true, 1))
        assert low - 1e-9 <= true <= high + 1e-9
    low, high = denominators(196.6, 76.8)
    assert (low, high) == (pytest.approx(196.55 / 0.7685), pytest.approx(196.65 / 0.7675))


@pytest.mark.parametrize(("value", "percent"), [(0.05, 1.0), (3.0, 0.0)])
def test_a_percentage_that_could_be_none_bounds_nothing(value, percent):
    with pytest.raises(MistrustError, match=r"bound no denominator: both must exceed 0\.05"):
        denominators(value, percent)


# Accuracies: facts B6.


def test_table_1_has_the_errors_of_pytorchs_old_documentation(rows):
    table = accuracies(rows)
    assert table["table 1"].to_list() == table["documented"].to_list()
    # 20.91 9.62 5.94 6.44 against 20.93 9.62 5.95 6.55
    assert (100 * (1 - table["top-5"])).round(2).to_list() == [20.93, 9.62, 5.95, 6.55]


def test_table_2_fits_neither_table_1_nor_torchvision_and_reverses_two_networks(rows):
    table = accuracies(rows)
    assert list(table.index) == list(NETWORKS)
    assert (100 * table["table 1"]).round(1).to_list() == [79.1, 90.4, 94.1, 93.6]
    assert (100 * table["top-1"]).round(1).to_list() == [56.5, 71.6, 78.3, 77.3]
    for other in ("table 1", "top-1", "top-5"):
        assert (table["table 2"] - table[other]).abs().max() > 0.07
        ahead = table.loc["resnet152", other] > table.loc["inception_v3", other]
        assert ahead
        assert table.loc["resnet152", "table 2"] < table.loc["inception_v3", "table 2"]


# Shares left: facts B6.


def test_what_is_left_of_sigma(rows):
    table = left(rows)
    assert (100 * table["sigma, half"]).round().to_list() == [16, 21, 23, 19]
    assert (100 * table["sigma, fraction"]).round().to_list() == [35, 34, 42, 27]
    assert (table["accuracy, half"] < 0).all()
    assert (table["accuracy, fraction"] > 0).all()
    assert table.loc["alexnet", "accuracy, half"] == pytest.approx(0.462 - 0.72)


# Orders: facts B6.


def found(table, count, measure):
    (line,) = table[(table["count"] == count) & (table["measure"] == measure)].to_dict("records")
    return line


@pytest.mark.whole
def test_by_either_count_of_layers_one_order_fails(rows):
    table = orders(rows)
    assert len(table) == 16
    assert found(table, "layers, as printed", "random")["spearman"] == pytest.approx(1.0)
    assert found(table, "layers, as printed", "accuracy, table 1")["spearman"] == pytest.approx(0.8)
    assert found(table, "layers, counted", "random")["spearman"] == pytest.approx(0.8)
    assert found(table, "layers, counted", "accuracy, table 1")["spearman"] == pytest.approx(1.0)


@pytest.mark.whole
def test_four_networks_prove_nothing(rows):
    table = orders(rows)
    assert table["p"].min() == pytest.approx(2 / 24)
    perfect = table[table["spearman"].abs() > 0.999]
    assert len(perfect) == 3
    assert perfect["p"].to_list() == pytest.approx([2 / 24] * 3)


@pytest.mark.whole
def test_parameters_and_targeted_distance_tie_in_print_and_disagree_when_counted(rows):
    table = orders(rows)
    printed = found(table, "parameters, as printed", "targeted")
    # Ranks 2.5 4 2.5 1 against 3 1 2 4: AlexNet and ResNet152 share 60 million.
    assert printed["spearman"] == pytest.approx(-4.5 / np.sqrt(4.5 * 5))
    assert printed["ties"] == 2
    counted = found(table, "parameters, counted", "targeted")
    assert counted["spearman"] == pytest.approx(-0.8)  # AlexNet has more than ResNet152, and bears more
    assert counted["ties"] == 0


@pytest.mark.parametrize("seed", range(3))
def test_an_order_is_that_of_scipy_with_all_permutations(seed):
    draw = np.random.default_rng(seed)
    first, second = draw.normal(size=5), draw.normal(size=5)
    one = order(first, second)
    assert one.value == pytest.approx(stats.spearmanr(first, second).statistic)
    exact = stats.permutation_test(
        (first,), lambda x: stats.spearmanr(x, second).statistic, permutation_type="pairings", n_resamples=np.inf
    )
    assert one.p == pytest.approx(exact.pvalue)
    assert (one.n, one.ties) == (5, 0)


def test_an_order_of_ties_counts_orders_that_look_alike():
    one = order([1, 1, 2], [3, 4, 5])
    assert one.ties == 2
    values = [abs(stats.spearmanr([1, 1, 2], other).statistic) for other in permutations([3, 4, 5])]
    assert one.p == pytest.approx(np.mean(np.array(values) >= abs(one.value) - 1e-9))


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ([1, 2], [1, 2], r"equal length 3 to 7, got \(2,\), \(2,\)"),
        (range(8), range(8), "equal length 3 to 7"),
        ([1, 2, 3], [1, 2, 3, 4], "equal length"),
        ([1, 2, np.nan], [1, 2, 3], "finite numbers that are not all equal"),
        ([1, 2, 3], [1, 2, np.inf], "finite numbers that are not all equal"),
        ([1, 1, 1], [1, 2, 3], "finite numbers that are not all equal"),
        ([1, 2, 3], [1, 1, 1], "finite numbers that are not all equal"),
    ],
)
def test_orders_that_are_none(first, second, message):
    with pytest.raises(MistrustError, match=message):
        order(first, second)


def test_a_number_that_is_not_printed(rows):
    with pytest.raises(
        MistrustError, match=r"has not just one 'linf', method 'randm' of alexnet, .*Its metrics: linf, "
    ):
        by_network(rows, "table1", "linf", method="randm")
    with pytest.raises(MistrustError, match=r"'table9' has not just one 'linf' of alexnet.*Its metrics: none"):
        by_network(rows, "table9", "linf")
    twice = pd.concat([rows, rows[rows["network"] == "vgg16"]])
    with pytest.raises(MistrustError, match="has not just one 'top-5 error' of vgg16"):
        by_network(twice, "table1", "top-5 error")
