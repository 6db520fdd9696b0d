"""Rows of one network where they are known: linear classifiers and the known worlds of facts B5 and B8."""

import numpy as np
import pandas as pd
import pytest
import torch
from linear_rows import image_set, linear, noise_of, random_linear
from torch import nn

from mistrust.evaluation import Estimate
from mistrust.inputs import to_uint8
from mistrust.networks import wrap
from mistrust.pictures import unpack
from mistrust.robustness.bracket import Bracketed, bracketed
from mistrust.robustness.breaking import Breaking, breaking
from mistrust.robustness.layers import MODES
from mistrust.robustness.noise import VARIANTS
from mistrust.robustness.regions import WORLDS, bubbles, merge_tree
from mistrust.robustness.tables import estimated
from mistrust.robustness.tables.bubble import bubble_rows
from mistrust.robustness.tables.layers import layers
from mistrust.robustness.tables.looks import beside_ddn, looks, nearest, seen, sights
from mistrust.robustness.tables.networks import networks, top_five
from mistrust.robustness.tables.noise import LEVELS, found_by, noise, sigma_50
from mistrust.robustness.tables.pair import pair
from mistrust.robustness.tables.regions import RELATIVE, SHARES, edges, regions, straight, traced
from mistrust.robustness.tables.targets import MOST_CLASSES, distances, matrix, variance
from mistrust.robustness.targeted import targeted

# Facts B8: the logit of class 1 is 0.3 at ONE, and falls by 3.125 sigma / 255 along Z.
B8 = linear([[0, 0, 0, 0], [2, -1, 0.5, 1.5]], [0, -0.6])
ONE = image_set([[0.2, 0.8, 0.5, 0.7]], [1], ids=[7])
Z = (-1, 0.5, 0.25, -0.5)
THREE = ("a", "b", "c")


def table(rows):
    return pd.DataFrame(list(rows))


def by_metric(rows):
    found = table(rows)
    assert not found.duplicated(["table", "metric"]).any()
    return found.set_index("metric")


def three(n=12):
    """Three classes whose logits are the three pixels, and n images labelled as they are answered."""
    network = linear(torch.eye(3).tolist(), [0.0] * 3, classes=THREE)
    pixels = torch.tensor([[0.9, 0.1, 0.3], [0.2, 0.8, 0.4], [0.1, 0.3, 0.7]]).repeat(n // 3, 1)
    pixels += 0.01 * torch.arange(n)[:, None] / n
    return network, image_set(pixels, pixels.argmax(1), ids=torch.arange(n) * 3, classes=THREE)


def test_an_estimate_without_both_ends_has_none():
    assert estimated(Estimate(1.0, 0.5, 2.0, 9)) == {"value": 1.0, "n": 9, "low": 0.5, "high": 2.0, "over": "images"}
    assert estimated(Estimate(1.0, 0.5, 2.0, 9), "models")["over"] == "models"
    for low, high in ((float("nan"), 2.0), (0.5, float("inf"))):
        assert estimated(Estimate(1.0, low, high, 9)) == {"value": 1.0, "n": 9}


def test_a_linear_network_is_one_layer_deep():
    images = image_set([[0.2, 0.8, 0.5, 0.7]] * 4, [1, 1, 1, 0])
    network = linear([[0, 0, 0, 0], [2, -1, 0.5, 1.5]], [0, -0.6], dtype=torch.float32)
    found = by_metric(networks(network, images))["value"]
    assert found.to_dict() == {"accuracy": 0.75, "parameters": 10, "depth": 1}


# Noise.


def test_one_image_breaks_at_25():
    found = breaking(B8, ONE, variant=noise_of(Z, clipped=False), seeds=(0,))
    told = table(noise(found, 20, 0))
    values = told[told["table"] == "random"].set_index("metric")["value"]
    assert [values[one] for one in ("mean", "capped mean", "median")] == [25, 25, 25]
    assert values["unbroken"] == 0
    assert values["passes"] == 25
    margin = 25 / 255 * 3.125 - 0.3
    assert values["new probability"] == pytest.approx(1 / (1 + np.exp(-margin)))
    assert "re-entry" not in values.index  # nothing was audited
    assert set(told["method"]) == {"given"}


@pytest.mark.parametrize(("steep", "breaks"), [(1.0, 25), (24.48 / 29.5, 30), (24.48 / 30.5, 31)])
def test_labels_survive_below_the_breaking_sigma(steep, breaks):
    found = breaking(B8, ONE, variant=noise_of([steep * one for one in Z], clipped=False), seeds=(0,))
    told = table(noise(found, 20, 0))
    curve = told[told["table"] == "survival"].set_index("level")["value"]
    assert found.sigma.item() == breaks
    assert curve.to_dict() == {level: float(level < breaks) for level in LEVELS}


def test_what_never_breaks_is_counted_at_the_cap_and_has_no_mean():
    found = breaking(B8, ONE, variant=noise_of([-one for one in Z], clipped=False), seeds=(0,))
    told = table(noise(found, 20, 0))
    values = told[told["table"] == "random"].set_index("metric")["value"]
    assert (values["capped mean"], values["unbroken"]) == (510, 1)
    assert values[["mean", "median", "new probability", "effective"]].to_numpy() == pytest.approx(
        [np.nan, np.inf, np.nan, np.nan], nan_ok=True
    )
    assert (told[told["table"] == "survival"]["value"] == 1).all()


@pytest.mark.parametrize("variant", VARIANTS)
def test_fixed_noise_is_bisected_and_fresh_noise_stepped(variant):
    network, images, *_ = random_linear(n=6)
    found = found_by(network, images, variant, 2, 1.0)
    one = found.breaking if isinstance(found, Bracketed) else found
    assert isinstance(found, Breaking if VARIANTS[variant].fresh else Bracketed)
    assert one.variant == variant
    assert one.seeds == (0, 1)
    assert torch.equal(one.sigma, breaking(network, images, variant=variant, seeds=(0, 1)).sigma)
    values = by_metric(row for row in noise(found, 20, 0) if row["table"] == "random")
    assert ("re-entry" in values.index) is not VARIANTS[variant].fresh


def test_means_are_of_broken_pairs_and_intervals_over_images():
    network, images, *_ = random_linear(n=30)
    found = bracketed(network, images, seeds=(0, 1), audit=0).breaking
    values = by_metric(row for row in noise(found, 200, 0) if row["table"] == "random")
    assert 0 < values.loc["unbroken", "value"] < 1
    assert values.loc["mean", "value"] == pytest.approx(found.sigma[found.broken].mean().item())
    assert values.loc["capped mean", "value"] == pytest.approx(found.sigma.mean().item())
    assert values.loc["effective", "value"] == pytest.approx(found.effective[found.broken].mean().item())
    assert values.loc["new probability", "n"] == int(found.broken.sum())
    for metric in ("mean", "capped mean", "effective"):
        low, value, high = values.loc[metric, ["low", "value", "high"]]
        assert low < value < high


def test_far_from_the_boundary_no_sigma_changes_half_of_the_labels():
    """Facts B1: for two linear classes less than half of all noise fields change the label, at any sigma."""
    network = linear([[0, 0], [5, 5]], [0, 0])
    found = by_metric(sigma_50(network, image_set([[0.9, 0.9]] * 3, [1] * 3), "fixed-unclipped", 9))
    assert set(found.index) == {"sigma50", "sigma50 unreached"}
    unreached = found.loc["sigma50 unreached", "value"]
    assert found.loc["sigma50", "n"] == 3
    assert np.isinf(found.loc["sigma50", "value"]) == (unreached >= 0.5)


# Targets.


def test_distances_are_those_of_the_facts():
    """Adam to p >= .6 at 1 grey level a step: 38 steps, 36.590; to p >= .9 the box allows none."""
    found = targeted(B8, ONE, rate=1.0, probability=0.6, eight_bit=False)
    told = table(distances(found, "adam", 20, 0))
    assert "level" not in told
    values = told.set_index("metric")["value"]
    assert values["linf"] == pytest.approx(36.590, abs=1e-3)
    assert (values["steps"], values["success"]) == (38, 1)
    assert set(told["n"]) == {1}
    failed = table(distances(targeted(B8, ONE, steps=30), "adam", 20, 0, level=2.0))
    assert failed[["metric", "value", "level"]].to_numpy().tolist() == [["success", 0, 2]]


def test_failures_are_no_distances():
    network, images = three()
    found = targeted(network, images, probability=0.4)
    assert found.success.all()
    some = found.take(torch.arange(len(found)) % 3 > 0)
    some.success[:2] = False
    some.linf[:2] = float("nan")
    values = by_metric(distances(some, "adam", 50, 0))
    assert values.loc["success", "value"] == pytest.approx(1 - 2 / len(some))
    assert values.loc["linf", "value"] == pytest.approx(some.linf[2:].mean().item())
    assert values.loc["linf", "n"] == len(some) - 2


def test_the_matrix_has_a_cell_for_each_pair_of_classes():
    network, images = three()
    found = targeted(network, images, probability=0.4)
    found.success[(found.source == 0) & (found.target == 1)] = False
    cells = table(matrix(found, THREE))
    wide = cells.pivot(index="at", columns="metric", values="value")
    assert set(wide.index) == {"a>b", "a>c", "b>a", "b>c", "c>a", "c>b"}
    assert wide["success"].to_dict() == {at: float(at != "a>b") for at in wide.index}
    assert wide["linf"].isna().to_dict() == {at: at == "a>b" for at in wide.index}
    mine = (found.source == 1) & (found.target == 2)
    assert wide.loc["b>c", "linf"] == pytest.approx(found.linf[mine].mean().item())
    assert set(cells["n"]) == {4}
    assert list(matrix(found, [str(one) for one in range(MOST_CLASSES + 1)])) == []


def test_variance_is_shared_out_and_one_pair_has_none():
    network, images = three()
    found = targeted(network, images, probability=0.4)
    shares = table(variance(found)).set_index("at")["value"]
    assert set(shares.index) == {"source", "target", "source x target", "image", "rest"}
    assert shares.sum() == pytest.approx(1)
    assert list(variance(found.take(torch.tensor([0])))) == []


def test_the_nearest_target_is_the_first_that_is_reached():
    network, images = three(6)
    found = targeted(network, images, probability=0.4)
    least = torch.stack([found.linf[found.ids == one].min() for one in images.ids])
    assert torch.equal(nearest(found, images), least)
    found.success[found.ids == images.ids[2]] = False
    assert nearest(found, images).isinf().tolist() == [False, False, True, False, False, False]


# Looks, layers, regions, one image.


def test_every_look_orders_a_linear_classifiers_images_by_their_distance():
    network, images, weight, bias = random_linear(n=20)
    distance = (images.images.double().flatten(1) @ weight + bias).abs()
    for measure, sign in (("random", 1), ("targeted", -1)):
        found = table(looks(seen(network, images, 50), sign * distance, measure))
        assert found["method"].tolist() == ["margin", "linear estimate", "ddn"]
        assert set(found["metric"]) == {f"spearman with {measure}"}
        assert found["value"].tolist()[:2] == pytest.approx([sign, sign])
        # The box, and the steps of DDN, leave it a rank or two off.
        assert sign * found["value"].iloc[2] > 0.95
        assert set(found["n"]) == {20}


def test_what_a_look_tells_of_a_network_is_its_mean_over_images():
    network, images, weight, bias = random_linear(n=20)
    of = seen(network, images, 50)
    distance = (images.images.double().flatten(1) @ weight + bias).abs()
    found = by_metric([row for row in sights(of) if row["method"] == "margin"])
    assert found.loc["mean", ["value", "n"]].tolist() == pytest.approx([distance.mean().item(), 20])
    linear = table(sights(of)).set_index("method")["value"]
    assert linear["linear estimate"] == pytest.approx(255 * (distance / weight.norm()).mean().item())
    assert linear["ddn"] >= linear["linear estimate"] * (1 - 1e-6)  # the box makes no way shorter


def test_distances_beside_ddn_are_of_the_images_that_all_reach():
    of = {"margin": torch.zeros(5), "ddn": torch.tensor([10.0, 20.0, float("nan"), 40.0, 7.0]).double()}
    adam = torch.tensor([11.0, float("inf"), 3.0, 45.0, 8.0]).double()
    border = torch.tensor([10.5, 21.0, 3.0, 43.5, float("inf")]).double()
    found = table(beside_ddn(of, {"adam": adam, "adam to the border": border}))
    assert found[["method", "metric", "value", "n"]].to_numpy().tolist() == [
        ["ddn", "nearest l2", 25.0, 2], ["adam", "nearest l2", 28.0, 2], ["adam to the border", "nearest l2", 27.0, 2]
    ]  # fmt: skip


def test_the_nearest_target_by_another_distance_may_be_another_one():
    network, images = three(6)
    found = targeted(network, images, probability=0.4, steps=200)
    assert found.success.all()
    least = torch.stack([found.l2[found.ids == one].min() for one in images.ids])
    assert torch.equal(nearest(found, images, "l2"), least.double())


def test_a_class_among_the_five_likeliest_is_no_top_five_error():
    """Logits are the seven pixels: the label's rank among them is known."""
    names = tuple("abcdefg")
    network = linear(torch.eye(7).tolist(), [0.0] * 7, classes=names, dtype=torch.float32)
    pixels = torch.linspace(0.9, 0.1, 7).repeat(4, 1)
    found = by_metric(top_five(network, image_set(pixels, [0, 4, 5, 6], classes=names)))
    assert found.loc["top-5 error", ["value", "n"]].tolist() == [0.5, 4]


def test_a_pair_is_an_image_and_the_noise_that_first_changes_its_answer():
    variant = noise_of(Z, clipped=True)
    images = image_set([[0.9, 0.1, 0.5, 0.9], [0.2, 0.8, 0.5, 0.7]], [1, 1], ids=[3, 7])
    found = breaking(B8, images, variant=variant, seeds=(0,), cap=30.0)
    assert found.broken[:, 0].tolist() == [False, True]  # the first one is too far away
    clean, noisy = table(pair(found, images, variant)).to_dict("records")
    assert [clean[one] for one in ("at", "metric", "value")] == ["1", "source", 7.0]
    assert [noisy[one] for one in ("at", "metric", "value")] == ["0", "sigma", 25.0]
    assert unpack(clean["note"]).ravel().tolist() == [51, 204, 128, 178]
    moved = torch.tensor([0.2, 0.8, 0.5, 0.7]) + 25 / 255 * torch.tensor(Z)
    assert unpack(noisy["note"]).ravel().tolist() == (moved * 255).round().int().tolist()
    assert list(pair(breaking(B8, images, variant=variant, seeds=(0,), cap=10.0), images, variant)) == []


def test_noise_at_the_input_and_at_every_layer_is_measured():
    network, images, *_ = random_linear(n=6)
    found = table(layers(network, images, 2, 20, 0))
    broken = found[found["metric"] == "broken"]
    assert broken["method"].unique().tolist() == list(MODES)
    assert broken["at"].tolist() == ["input", "0", "1"] * len(MODES)
    assert broken["level"].tolist() == [0, 0.5, 1] * len(MODES)
    assert set(broken["n"]) == {12}
    likely = found[found["metric"] == "new probability"]
    assert likely["value"].between(0.5, 1).all()  # of two classes


@pytest.mark.whole
def test_bubbles_of_two_disks_by_level():
    """Facts B5: births 1, 1 and .5, edges .5 and -1; of three, the median is halfway to the one below."""
    world = WORLDS["disks"]
    found = bubbles(world.region(), world.points(), torch.arange(3), rounds=1)
    told = table(regions(found.tree, "disk"))
    assert told[told["metric"] == "median margin"]["value"].tolist() == [0.75]
    told = told[told["metric"] != "median margin"].pivot(index=["method", "level"], columns="metric", values="value")
    assert told.loc[("", 0.0)].to_dict() == {"bubbles": 2, "samples": 3}
    relative = told.loc[RELATIVE]
    assert relative.index.tolist() == list(SHARES)
    for share, row in relative.iterrows():
        born = sum(birth >= share * 0.75 for birth in (1, 1, 0.5))
        assert (share, row["samples"], row["bubbles"]) == (share, born, min(born, 2))
    # From (-2.5, 0) to (2, 0) the origin lies between two points of the grid, which so takes that way for the wider
    # one; tested, both ways are as narrow. All three segments were looked at.
    checked = by_metric(edges(found, "disk"))["value"]
    assert checked.to_dict() == pytest.approx({"checked": 3, "grid wrong": 1 / 3, "grid wrong at 0": 0, "bent": 0})


def half_of_the_square():
    """Class 1 where the sum of two pixels exceeds 1, and five images of it."""
    images = image_set([[0.9, 0.2], [0.3, 0.8], [0.7, 0.7], [0.6, 0.5], [0.99, 0.05]], [1] * 5)
    return linear([[0, 0], [1, 1]], [0, -1]), images


def test_a_class_of_a_linear_network_is_one_bubble():
    """Half of the space: every segment between two of its points stays inside."""
    network, images = half_of_the_square()
    found = traced(network, images.take(slice(0, 5)), 1, 1, 0)
    counted = table(regions(found.tree, "1")).pivot(index=["method", "level"], columns="metric", values="value")
    samples = counted["samples"].dropna()
    assert counted["bubbles"].dropna().tolist() == [float(n > 0) for n in samples]
    assert counted.loc[("", 0.0), "samples"] == 5


class Valley(nn.Module):
    """Logits of two classes whose difference is |x - .5| - .2 in the first pixel: class 0 lies on both sides."""

    def forward(self, images):
        x = images.flatten(1)[:, 0]
        return torch.stack([(x - 0.5).relu() + (0.5 - x).relu() - 0.2, torch.zeros_like(x)], 1)


def test_straight_lines_part_what_lies_on_both_sides():
    """Margins .2, .15 and .2, the level of the median .175; two on one side are joined at .15, the third at -.2."""
    images = image_set([[0.1, 0.0], [0.15, 0.0], [0.9, 0.0]], [0] * 3)
    told = table(straight(wrap(Valley(), ("0", "1")), images, 0)).set_index(["method", "level"])["value"]
    assert told["", 0.0] == 2
    relative = told[RELATIVE]
    assert relative.index.tolist() == list(SHARES)
    assert relative[relative.index < 1.2].eq(2).all()  # up to .15 two of one side are one, and up to .2 two are left
    assert relative[1.2] == 0


@pytest.mark.parametrize(("births", "middle"), [([1.0, 5.0, 2.0, 4.0], 3.0), ([1.0, 5.0, 2.0], 1.5), ([2.0], 2.0)])
def test_no_sample_lies_on_the_median_level(births, middle):
    """One on the level, reached by a path that is lower by a hair, would count as a bubble of its own."""
    born = torch.tensor(births, dtype=torch.float64)
    tree = merge_tree(born, born.minimum(born[:, None]) - 1e-6)  # every way goes down a little at first
    told = table(regions(tree, "a"))
    assert told.loc[told["metric"] == "median margin", "value"].item() == pytest.approx(middle)
    assert told.loc[(told["metric"] == "bubbles") & (told["level"] == 1.0), "value"].item() == 1


def test_samples_that_are_all_outside_have_no_bubble_and_no_scale():
    network, images = half_of_the_square()
    told = table(regions(traced(network, images.take(slice(0, 5)), 0, 0, 0).tree, "0"))
    assert told["value"].eq(0).all()


def test_spokes_of_one_image():
    network, images = three(3)
    image = images.take(images.ids == 0)
    found = targeted(network, image, probability=0.4, keep=True)
    found.success[1] = False
    told = table(bubble_rows(found, image, "adam"))
    assert told["metric"].tolist() == ["source", "success", "linf", "probability", "success"]
    assert told["at"].tolist() == ["a", "b", "b", "b", "c"]
    assert told["value"].tolist() == pytest.approx([0, 1, found.linf[0].item(), found.probability[0].item(), 0])
    assert unpack(told["note"][0]).ravel().tolist() == to_uint8(image.images).ravel().tolist()
    assert unpack(told["note"][1]).ravel().tolist() == found.images[0].ravel().tolist()
    assert told["note"][4] == ""  # what was not reached has no picture
