"""A tiny run: what its rows hold, what the store is asked for again, and what a killed run loses."""

import shutil
from dataclasses import fields, replace

import numpy as np
import pandas as pd
import pytest
import torch

from mistrust import rows as tidy
from mistrust import store
from mistrust.data import load
from mistrust.networks import NETWORK, wrap
from mistrust.parts import part_spec
from mistrust.pictures import unpack
from mistrust.publishing.claim_tests.robustness.reading import __doc__ as described
from mistrust.robustness.bracket import bracketed
from mistrust.robustness.experiment import MAKERS, Parameters, missing, piece, pieces, rows
from mistrust.robustness.experiment.over_networks import together
from mistrust.robustness.experiment.parts import PARTS, REGION
from mistrust.robustness.experiment.pieces import ROWS, _networks, _regions
from mistrust.robustness.layers import MODES
from mistrust.robustness.tables.noise import LEVELS
from mistrust.robustness.tables.regions import SHARES, regions, traced
from mistrust.robustness.targeted import targeted

pytestmark = pytest.mark.whole

FIRST = "digits: resnet8-w8 all 0"
TABLES = {
    "bubble", "edges", "layers", "looks", "matrix", "networks", "pair", "random", "regions", "survival", "targeted",
    "variance",
}  # fmt: skip
SHARE = {"accuracy", "success", "unbroken", "broken", "surviving", "new probability", "share", "re-entry",
         "grid wrong", "grid wrong at 0", "bent", "sigma50 unreached", "probability"}  # fmt: skip


def of(rows, table, metric=None, seed=0.0, **where):
    chosen = (rows["table"] == table) & (rows["seed"].isna() if seed is None else rows["seed"] == seed)
    if metric is not None:
        chosen &= rows["metric"] == metric
    for column, value in where.items():
        chosen &= rows[column] == value
    return rows[chosen]


def test_every_table_has_rows_and_stands_in_the_contract(found):
    assert set(found["table"]) == TABLES  # two runs of one network have no relations
    assert all(f"\n{name} " in described for name in found["table"].unique())
    assert all(metric in described for metric in found["metric"].unique())
    assert set(found["chapter"]) == {"robustness"}
    assert set(found["data"]) == {"digits"}


def test_every_row_is_finite_and_in_its_range(found):
    assert np.isfinite(found["value"]).all()
    both = found["low"].notna()
    assert (both == found["high"].notna()).all()
    assert (found.loc[both, "low"] <= found.loc[both, "value"] + 1e-9).all()
    assert (found.loc[both, "value"] <= found.loc[both, "high"] + 1e-9).all()
    assert set(found.loc[both, "over"]) <= {"images", "models"}
    assert set(found.loc[~both, "over"]) == {""}
    shares = found[found["metric"].isin(SHARE)]
    assert set(shares["metric"]) == SHARE - {"probability"} | ({"probability"} & set(found["metric"]))
    assert shares["value"].between(0, 1).all()
    assert found.loc[found["metric"] == "linf", "value"].between(0, 255).all()
    sigmas = found[(found["table"] == "random") & found["metric"].isin(["mean", "capped mean", "median", "sigma50"])]
    assert sigmas["value"].between(1, 510).all()
    assert found[found["metric"].str.startswith("spearman")]["value"].between(-1, 1).all()


def test_rows_are_told_apart_by_their_columns(found):
    columns = ["data", "network", "table", "method", "condition", "level", "at", "seed", "metric"]
    assert not found.duplicated(columns).any()


def test_single_networks_say_from_what_they_were_made(found):
    single = found[found["seed"].notna()]
    assert set(single["seed"]) == {0.0, 1.0}
    assert single["made"].ne("").all()


def test_the_networks_table_counts_the_whole_test_set(found):
    accuracy = of(found, "networks", "accuracy")
    assert accuracy["n"].tolist() == [len(load("digits", "test"))]
    assert of(found, "networks", "depth")["value"].tolist() == [8]


def test_every_variant_is_measured_and_only_fixed_noise_audited(found, parameters):
    capped = of(found, "random", "capped mean")
    assert set(capped["method"]) == set(parameters.variants)
    assert set(capped["n"]) == {parameters.images * parameters.noise_seeds}
    assert set(of(found, "random", "re-entry")["method"]) == {"fixed-clipped"}
    assert set(of(found, "random", "sigma50 unreached")["method"]) == {"fixed-clipped"}
    passes = of(found, "random", "passes").set_index("method")["value"]
    assert passes["fixed-clipped"] < passes["fresh-clipped"]  # brackets, and steps


def test_survival_falls_to_what_is_unbroken(found, parameters):
    curves = found[found["table"] == "survival"]
    assert set(curves["method"]) == set(parameters.variants)
    for (method, seed), curve in curves.groupby(["method", "seed"], dropna=False):
        assert curve["level"].tolist() == list(LEVELS)
        assert curve["value"].is_monotonic_decreasing
        assert curve["value"].iloc[0] == 1
        if seed == seed:  # of one network: means have another scale
            unbroken = of(found, "random", "unbroken", seed, method=method)["value"].item()
            assert curve["value"].iloc[-1] == pytest.approx(unbroken)


def test_the_matrix_and_the_targeted_table_are_of_the_same_pairs(run, parameters):
    one = piece(parameters, FIRST)
    tried, reached = of(one, "matrix", "success"), of(one, "matrix", "linf")
    whole = of(one, "targeted", "success", method="adam")
    whole = whole[whole["level"].isna()].iloc[0]
    assert tried["n"].sum() == whole["n"]
    assert (tried["value"] * tried["n"]).sum() == pytest.approx(whole["value"] * whole["n"])
    mean = of(one, "targeted", "linf", method="adam")
    mean = mean[mean["level"].isna()].iloc[0]
    assert 2 <= mean["n"] == reached["n"].sum()
    assert (reached["value"] * reached["n"]).sum() / reached["n"].sum() == pytest.approx(mean["value"])
    assert not any(len(set(at.split(">"))) == 1 for at in tried["at"])
    assert of(one, "variance", "share")["value"].sum() == pytest.approx(1)


def test_learning_rates_vary_with_the_chapters_own_among_them(found, parameters):
    varied = of(found, "targeted", "success", method="adam")
    assert set(varied["level"].dropna()) == {parameters.rate, *parameters.rates}


def test_layers_go_from_input_to_logits(found):
    broken = of(found, "layers", "broken")
    assert set(broken["method"]) == set(MODES)
    for _, one in broken.groupby("method"):
        assert one["level"].is_monotonic_increasing
        assert (one["level"].iloc[0], one["level"].iloc[-1]) == (0, 1)
        assert one["at"].is_unique


def test_bubbles_are_counted_by_level_and_never_exceed_samples(found, parameters):
    table = of(found, "regions").pivot(index=["method", "at", "level"], columns="metric", values="value")
    counted = table[["bubbles", "samples"]].dropna()
    assert set(counted.index.get_level_values("at")) == {"0"}
    assert counted.loc["", :].index.get_level_values("level").tolist() == [0.0]
    assert sorted(counted.loc["relative"].index.get_level_values("level")) == list(SHARES)
    assert (counted["bubbles"] <= counted["samples"]).all()
    assert ((counted["bubbles"] > 0) == (counted["samples"] > 0)).all()
    assert counted.loc["relative", "samples"].is_monotonic_decreasing
    assert (counted["samples"] <= parameters.region_samples).all()
    assert of(found, "edges", "checked")["value"].item() >= parameters.region_samples - 1  # edges of the tree
    assert found.loc[found["table"].isin(["regions", "edges"]) & found["seed"].notna(), "seed"].eq(0).all()


def test_straight_lines_alone_leave_no_fewer_bubbles_than_a_grid_on_them_sees(run, found, parameters):
    """Where no other path is searched, an exact test of the lines may part what the grid joins, never join more."""
    table = of(found, "regions").pivot(index=["method", "at", "level"], columns="metric", values="value")
    by_lines = table["bubbles by straight lines"].dropna()
    assert by_lines.index.equals(table["bubbles"].dropna().index)
    one = next(iter(_regions(parameters).values()))
    images = one.subject.train.take((one.subject.train.labels == one.label).nonzero()[:3, 0])
    exact = traced(one.subject.classifier, images, one.label, 0, 0)
    counted = {row["level"]: row["value"] for row in regions(exact.tree, "0") if row["metric"] == "bubbles"}
    assert all(value <= counted[level] for (_, _, level), value in by_lines.items())


def test_the_bubble_is_of_an_image_with_its_pictures(found, parameters):
    bubble = found[found["table"] == "bubble"]
    assert set(bubble["condition"]) == {"image"}
    assert set(bubble["method"]) == {"adam"}  # the tight search is left out here
    source = bubble[bubble["metric"] == "source"].iloc[0]
    images = load("digits", "test")
    place = images.ids.tolist().index(int(source["value"]))
    assert images.classes[int(images.labels[place])] == source["at"]
    assert np.array_equal(np.asarray(unpack(source["note"])).squeeze(), images.images[place, 0].numpy())
    spokes = bubble[bubble["metric"] == "success"]
    assert [*spokes["at"]] == [one for one in images.classes if one != source["at"]]
    reached = spokes[spokes["value"] == 1]
    assert len(reached)
    assert reached["note"].ne("").all()
    assert spokes[spokes["value"] == 0]["note"].eq("").all()
    for metric in ("linf", "probability"):
        assert bubble[bubble["metric"] == metric]["at"].tolist() == reached["at"].tolist()
    assert (bubble[bubble["metric"] == "probability"]["value"] >= 0.9).all()
    for one in reached.itertuples():
        moved = (
            np.asarray(unpack(one.note), dtype=int).squeeze() - np.asarray(unpack(source["note"]), dtype=int).squeeze()
        )
        told = bubble[(bubble["metric"] == "linf") & (bubble["at"] == one.at)]["value"].item()
        assert np.abs(moved).max() == pytest.approx(told, abs=1e-3)


def test_a_pair_of_pictures_is_of_the_first_image_and_answered_otherwise(run, found, parameters):
    """Of one training seed: the image as it is, and with the noise that the whole search finds for it alone."""
    clean, noisy = (of(found, "pair", metric, network="resnet8-w8") for metric in ("source", "sigma"))
    assert len(clean) == len(noisy) == len(found[found["table"] == "pair"]) / 2 == 1
    assert noisy["method"].item() == parameters.variants[0]
    one = _networks(parameters)[FIRST]
    images = one.test.take(one.test.ids == int(clean["value"].item()))
    assert one.test.classes[int(images.labels)] == clean["at"].item() != noisy["at"].item()
    assert unpack(clean["note"].item()).tolist() == images.images[0, 0].tolist()
    alone = bracketed(one.classifier, images, seeds=(0,), audit=0).breaking
    assert (noisy["value"].item(), noisy["at"].item()) == (alone.sigma.item(), one.test.classes[int(alone.new_label)])
    moved = unpack(noisy["note"].item()).astype(float) - unpack(clean["note"].item())
    assert moved.std() == pytest.approx(alone.effective.item(), abs=0.5)  # rounded to whole grey levels


def test_networks_of_a_variant_have_matrices_of_their_own(tmp_path, monkeypatch):
    monkeypatch.setenv("MISTRUST_STORE", str(tmp_path))
    tiny = Parameters(
        data="digits", networks=("resnet8-w8",), parts=("half", "fraction"), train_images=100, epochs=1, images=4,
        noise_seeds=1, audit=0, steps=3, resamples=20, region_networks=(),
    )  # fmt: skip
    found = piece(tiny, "digits: resnet8-w8 fraction 0")
    assert set(found["condition"]) == {"fraction"}
    assert set(found["table"]) == {"networks", "random", "survival", "targeted", "matrix"}
    tried = of(found, "matrix", "success")
    assert {name for at in tried["at"] for name in at.split(">")} <= set("01234")  # half of the ten classes
    whole = of(found, "targeted", "success")
    assert tried["n"].sum() == whole["n"].item()
    assert (tried["value"] * tried["n"]).sum() == pytest.approx(whole["value"].item() * whole["n"].item())
    subjects = _networks(replace(tiny, imagenet=("alexnet",), imagenet_weights="random"))
    has = {name for name, one in subjects.items() if PARTS["variant matrices"].of(one)}
    assert has == {"digits: resnet8-w8 half 0", "digits: resnet8-w8 fraction 0"}


@pytest.fixture(scope="module")
def nearest_mean():
    """A network of digits that everything is known of: the logit falls with the distance from the mean of a class."""
    p = Parameters(
        data="digits", networks=("resnet8-w8",), parts=("fraction",), class_share=0.3, images=5, noise_seeds=2, audit=0,
        steps=200, rate=5.0, variants=("fixed-clipped",), tight=1, sources=2, resamples=20, region_networks=(),
    )  # fmt: skip
    one, train = _networks(p)[FIRST], load("digits", "train")
    means = torch.stack([train.floats()[train.labels == label].mean(0).flatten() for label in range(10)])
    network = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(64, 10))
    network.requires_grad_(False)
    network[1].weight.copy_(2 * means)
    network[1].bias.copy_(-means.square().sum(1))
    one.__dict__["classifier"] = wrap(network, train.classes)  # in place of one that was trained
    return one


def told(part, one):
    return tidy.table(PARTS[part].rows(one)).set_index(["table", "metric"])


def test_a_network_that_knows_all_is_seen_on_the_images_of_its_variant(nearest_mean):
    """As accurate, as far from breaking and from other classes as on those images, and between those classes."""
    one, found = nearest_mean, told("known classes", nearest_mean).loc["known"]
    variant = _networks(one.parameters)["digits: resnet8-w8 fraction 0"]
    test = one.test_of_fraction
    assert torch.equal(test.ids, variant.test.ids)  # the order, too
    assert set(test.labels.tolist()) == {0, 1, 2}
    right = one.classifier(test.floats()).argmax(1) == test.labels
    assert found.loc["accuracy", ["value", "n"]].tolist() == [right.double().mean(), len(test)]
    broken = bracketed(one.classifier, test.take(right.nonzero()[:5, 0]), seeds=(0, 1), audit=0).breaking
    assert found.loc["capped mean", "value"] == pytest.approx(float(broken.sigma.mean()))
    first = test.take(torch.stack([(right & (test.labels == label)).nonzero()[0, 0] for label in range(3)]))
    others = torch.tensor([[1, 2], [0, 2], [0, 1]])
    moved = targeted(one.classifier, first, others, rate=5.0, steps=200)
    assert moved.success.sum() > 0
    assert found.loc["success", ["value", "n"]].tolist() == [moved.success.double().mean(), 3 * 2]
    assert found.loc["linf", "value"] == pytest.approx(moved.linf[moved.success].mean().item())
    assert not PARTS["known classes"].of(variant)


def test_the_chapters_search_beside_the_tight_one_is_of_the_same_images(nearest_mean):
    """Of two of the classes: those of its own table are of all."""
    tight, beside = (told(part, nearest_mean).loc["targeted"] for part in ("tight", "beside tight"))
    whole = tidy.table(PARTS["targets"].rows(nearest_mean)).query("table == 'matrix' and metric == 'linf'")
    assert tight.loc["success", "n"] == beside.loc["success", "n"] == 2 * 9
    assert set(beside["method"]) == {"adam beside tight"}
    same = whole[whole["at"].str[0].isin(["0", "1"])]
    assert beside.loc["linf", "value"] == pytest.approx(same["value"].mean())
    assert beside.loc["linf", "value"] != pytest.approx(whole["value"].mean())


def test_ddn_stands_beside_adam_at_the_same_goal(nearest_mean):
    """All three to the nearest class: less than to the border, none needs; to .90, more."""
    found = told("ddn", nearest_mean).loc["looks"].set_index("method")["value"]
    assert found["ddn"] <= found["adam to the border"] < found["adam"]


def test_intervals_of_means_stay_where_values_can_be():
    """Three seeds far apart: Student's interval of a distance would reach below 0, of a correlation beyond 1."""
    common = {"chapter": "robustness", "data": "digits", "network": "resnet8-w8", "condition": "all"}
    distances = [{"table": "targeted", "method": "adam", "metric": "linf", "value": one} for one in (1.0, 2.0, 30.0)]
    likeness = [
        {"table": "looks", "method": "ddn", "metric": "spearman with targeted", "value": one} for one in (0.1, 0.9, 0.9)
    ]
    single = tidy.table(
        [{**one, "seed": seed} for each in (distances, likeness) for seed, one in enumerate(each)], **common
    )
    mean = together(single, Parameters(data="digits", networks=("resnet8-w8",)))
    mean = mean[mean["seed"].isna()].set_index("metric")
    assert mean.loc["linf", "low"] == 0 < mean.loc["linf", "value"] < mean.loc["linf", "high"]
    low, high = mean.loc["spearman with targeted", ["low", "high"]]
    assert -1 <= low < mean.loc["spearman with targeted", "value"] < high < 1


def test_means_over_seeds_are_those_of_single_networks(found):
    keys = ["table", "network", "condition", "method", "at", "level", "metric"]
    numbers = ["accuracy", "capped mean", "unbroken", "depth"]
    some = found[found["metric"].isin(numbers) & found["table"].ne("regions")].assign(level=found["level"].fillna(-1))
    single = some[some["seed"].notna()].groupby(keys, dropna=False)["value"].agg(["mean", "count"])
    over = some[some["seed"].isna()].set_index(keys)
    assert set(single["count"]) == {2}
    assert set(over.index) == set(single.index)
    assert over["value"].reindex(single.index).to_numpy() == pytest.approx(single["mean"].to_numpy())
    assert set(over["over"]) == {"models"}
    assert set(over["n"]) == {2}


def test_what_one_seed_alone_has_keeps_its_interval(found):
    over = found[(found["table"] == "edges") & found["seed"].isna() & (found["metric"] == "grid wrong")]
    assert over["over"].tolist() == ["images"]


# The store.


def test_a_second_call_makes_nothing(run, parameters):
    assert [missing(parameters, name) for name in pieces(parameters)] == [[]] * 4
    before = sorted(entry.key for entry in store.entries())
    again = rows(parameters)
    pd.testing.assert_frame_equal(again, run)
    assert sorted(entry.key for entry in store.entries()) == before


def test_without_a_store_all_parts_are_missing(parameters):
    # What is asked of other pieces: the tight search is left out, and these are of variants and of ImageNet's networks.
    elsewhere = {"tight", "beside tight", "known classes", "variant matrices", "top five"}  # regions are other pieces
    assert len(missing(parameters, FIRST)) == len(set(PARTS) - elsewhere)
    assert len(missing(parameters, pieces(parameters)[-1])) == 1


@pytest.mark.parametrize("part", ["network", "layers"])
def test_a_part_that_a_killed_run_lacks_is_made_alone_and_gives_the_same(
    run, parameters, kept, tmp_path, monkeypatch, part
):
    monkeypatch.setenv("MISTRUST_STORE", str(shutil.copytree(kept.store, tmp_path / "copy")))
    spec = specs(parameters)[part]
    before = {(entry.kind, entry.key): entry for entry in store.entries()}
    shutil.rmtree(before["robustness-rows", store.key(ROWS, spec)].folder)
    assert missing(parameters, FIRST)
    assert [missing(parameters, name) for name in pieces(parameters)[1:]] == [[], [], []]
    written = {key for key, entry in before.items() if key[0] == "network" or entry.folder.exists()}
    pd.testing.assert_frame_equal(
        piece(parameters, FIRST).drop(columns="note"), _read(kept, monkeypatch, parameters).drop(columns="note")
    )
    monkeypatch.setenv("MISTRUST_STORE", str(tmp_path / "copy"))
    after = {(entry.kind, entry.key): entry for entry in store.entries()}
    assert set(after) == set(before)
    assert all(after[one].made == before[one].made for one in written)


def _read(kept, monkeypatch, parameters):
    monkeypatch.setenv("MISTRUST_STORE", str(kept.store))
    return piece(parameters, FIRST)


def specs(parameters):
    """Of all parts of a network, whether they are measured of this one or not, and of a class's region."""
    one, traced = _networks(parameters)[FIRST], next(iter(_regions(parameters).values()))
    found = {name: part_spec(name, part, one.spec(), parameters, [NETWORK]) for name, part in PARTS.items()}
    region = {name: part_spec(name, part, traced.spec(), parameters, [NETWORK]) for name, part in REGION.items()}
    return found | region


EVERY = {*PARTS, *REGION}
# By parameter: which parts of a piece read it, and another value for it.
READ = {
    "images": (7, {"noise", "looks", "variants", "sights", "pair", "known classes"}),
    "noise_seeds": (3, {"noise", "looks", "variants", "pair", "beside regions", "known classes"}),
    "audit": (0.2, {"noise", "looks", "variants"}),
    "variants": (("fixed-clipped",), {"noise", "looks", "variants", "pair", "beside regions", "known classes"}),
    "fields": (3, {"variants"}),
    "per_class": (2, {"targets", "looks", "ddn", "variant matrices", "known classes"}),
    "sources": (2, {"rates", "tight", "beside tight"}),
    "steps": (31, {"targets", "looks", "rates", "ddn", "variant matrices", "known classes", "beside tight"}),
    "rate": (9.0, {"targets", "looks", "rates", "ddn", "variant matrices", "known classes", "beside tight"}),
    "rates": ((5.0,), {"rates"}),
    "tight": (2, {"tight", "beside tight"}),
    "class_share": (0.3, {"known classes"}),
    "layer_images": (3, {"layers"}),
    "layer_seeds": (2, {"layers"}),
    "region_samples": (4, {"regions", "straight lines", "beside regions"}),
    "region_searches": (2, {"regions"}),
    "imagenet_images": (5, {"noise", "targets", "looks", "variants", "top five"}),
    "imagenet_targets": (2, {"targets", "looks"}),
    "resamples": (21, {"noise", "targets", "looks", "variants", "rates", "tight", "layers", "beside regions",
                       "known classes", "beside tight"}),
    "epochs": (7, EVERY),
    "train_images": (300, EVERY),
    "seed": (1, EVERY),
}  # fmt: skip
# What decides which pieces there are, or what other pieces are made of.
ELSEWHERE = {"data", "also", "networks", "runs", "parts", "also_images", "region_networks", "region_classes",
              "imagenet", "imagenet_weights"}  # fmt: skip


def test_every_parameter_decides_parts_or_pieces():
    assert {one.name for one in fields(Parameters)} == set(READ) | ELSEWHERE
    assert not set(READ) & ELSEWHERE


@pytest.mark.parametrize("changed", READ)
def test_a_parameter_changes_the_parts_that_read_it_and_no_other(parameters, changed):
    value, expected = READ[changed]
    p = replace(parameters, tight=1)
    one, other = specs(p), specs(replace(p, **{changed: value}))
    assert {name for name in EVERY if one[name] != other[name]} == expected


def test_a_piece_does_not_hang_on_which_others_there_are(run, parameters):
    """But for a variant that knows fewer classes, beside which a network is looked at on the images of these."""
    more = replace(
        parameters, networks=("resnet8-w8", "vgg6-w16"), also=("photos",), runs=5, parts=("half",),
        region_networks=("vgg6-w16", "resnet8-w8"), class_share=0.3, also_images=9,
    )  # fmt: skip
    assert missing(more, FIRST) == []


def test_makers_are_those_that_pieces_read():
    assert [one.kind for one in MAKERS] == ["network", "robustness-rows"]
    assert ROWS in MAKERS
    assert all(store.MAKERS[one.kind] is one for one in MAKERS)
