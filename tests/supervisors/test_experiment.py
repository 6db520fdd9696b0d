"""The supervisors' experiment: its tables, its pieces, what each depends on, bad parameters, invalid inputs."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch

from mistrust import store
from mistrust.data import ImageSet, load
from mistrust.errors import MistrustError
from mistrust.inputs.epsilons import FOOLED, PUBLISHED
from mistrust.networks import ARCHITECTURES
from mistrust.publishing import acceptance, profiles, results
from mistrust.publishing.chapters import CHAPTERS
from mistrust.publishing.profiles import profile
from mistrust.rows import check as checked
from mistrust.supervisors import experiment
from mistrust.supervisors.experiment import (
    Parameters,
    check,
    evaded,
    further,
    missing,
    piece,
    pieces,
    preparing,
    published_ensembles,
    rows,
    toy,
)
from mistrust.supervisors.experiment.audit import audited
from mistrust.supervisors.experiment.invalid import invalid, shaped
from mistrust.supervisors.experiment.methods import methods
from mistrust.supervisors.experiment.over_runs import together
from mistrust.supervisors.experiment.pieces import _scores, _table
from mistrust.supervisors.experiment.tested import EPSILONS, UnderTest
from mistrust.supervisors.experiment.variants import CANNOT, COMPARED, VARIANTS
from mistrust.supervisors.tables import Scores
from mistrust.supervisors.tables.evaded import ALONE, TOO

pytestmark = pytest.mark.whole

# A pair whose autoencoders pass the gates soonest: within a fifth of the passes that `epochs` 0 takes.
TINY = {
    "data": ("digits",), "pairs": ("3/7",), "epochs": 40, "train": 40, "test": 40, "network_epochs": 2,
    "architectures": ("ambiguess-fc-relu", "ambiguess-fc"), "members": 2, "samples": 4, "attacked": 120,
    "supervisors": (
        "max_softmax", "mc_mean_softmax", "mc_variation_ratio", "ensemble_mean_softmax", "dissector", "mdsa", "react",
    ),
    "also_nominal": ("mdsa", "dissector"), "dissector_epochs": 1,
    "variants": ("mdsa/ridge", "dissector/as published", "react/quantile 1"),
    "resamples": 20, "corrupted": 10, "shown": 1, "other_sets": True, "evaded": 8,
}  # fmt: skip
KINDS = {"ambiguous/ambiguess", "adversarial/four attacks", "corrupted/corruptions", "invalid/other"}


@pytest.fixture(scope="module")
def parameters():
    return Parameters.of(TINY)


@pytest.fixture(scope="module", autouse=True)
def short():
    """The world of two pixels, of which no parameter asks for less."""
    with pytest.MonkeyPatch.context() as patch:
        for name, less in {"EPOCHS": 3, "TRAIN": 150, "SAMPLES": 8, "MEMBERS": 3}.items():
            patch.setattr(toy, name, less)
        yield


@pytest.fixture(scope="module")
def kept(run_once, parameters):
    return run_once(rows, parameters)


@pytest.fixture(scope="module")
def found(kept):
    return kept.rows


def test_a_run_holds_every_row_of_each_piece_so_that_files_can_bring_it_back(kept, parameters, reread, lost):
    reread(kept)
    assert lost(experiment, parameters, kept.rows) == []


def test_every_table_has_rows(found):
    assert set(found["table"]) == {
        "attacks", "audit", "causes", "detection", "evaded", "inputs", "members", "mistaken", "other-sets", "seen",
        "severity", "spread", "together", "trust", "variants",
    }  # fmt: skip


def test_sets_made_otherwise_split_by_decoder_and_hold_what_the_authors_set_holds(found):
    table = found[(found["table"] == "other-sets") & found["seed"].notna() & (found["network"] != "all")]
    n = table[table["method"] == "max_softmax"].set_index(["network", "condition"])["n"].unstack()
    assert (n["ambiguous/known decoders"] + n["ambiguous/other decoders"] == 40).all()
    assert (n["adversarial/as published"] == 12).all()  # a tenth of what is attacked
    assert set(table["method"]) == {"max_softmax", "mdsa"}


def test_every_supervisor_meets_every_kind_on_every_network(found, parameters):
    table = found[(found["table"] == "detection") & (found["metric"] == "auroc") & found["seed"].isna()]
    assert set(table["condition"]) == KINDS
    counts = table.groupby("network")["method"].nunique().to_dict()
    assert counts == {"ambiguess-fc-relu": 7, "ambiguess-fc": 7, "all": 7}
    assert table["value"].between(0, 1).all()


def test_the_mean_over_architectures_is_theirs(found):
    where = {"table": "detection", "method": "mdsa", "condition": "invalid/other", "metric": "auroc"}
    one = found[(found[list(where)] == pd.Series(where)).all(axis=1) & found["seed"].isna()].set_index("network")
    assert one.loc["all", "value"] == pytest.approx(
        one.loc["ambiguess-fc", "value"]
    )  # the other is none of the paper's


def test_variants_stand_in_a_table_of_their_own(found):
    assert set(found[found["table"] == "variants"]["method"]) == {
        "mdsa/nominal only", "dissector/nominal only", "mdsa/ridge", "dissector/as published", "react/quantile 1",
        "mc_variation_ratio/ties broken by mean softmax",
    }  # fmt: skip
    assert not found[found["table"] == "detection"]["method"].str.contains("/").any()


def test_who_knows_a_supervisor_gets_past_it_at_least_as_often_the_farther_pixels_may_move(found, parameters):
    every = found[found["table"] == "evaded"]
    assert set(every["metric"]) == {"share unnoticed"}
    assert set(every["method"]) == {"max_softmax", "dissector", "mdsa"}  # of the others there is no gradient
    assert set(every["n"]) == {8}
    of_one = every[every["network"] != "all"]
    assert set(of_one["over"]) == {"images"}
    assert ((of_one["low"] <= of_one["value"]) & (of_one["value"] <= of_one["high"])).all()
    assert set(every["network"]) == {"ambiguess-fc-relu", "ambiguess-fc", "all"}
    shares = every.pivot_table("value", ["network", "condition", "method"], "level")
    assert tuple(shares.columns) == evaded.EPSILONS
    assert (shares.diff(axis=1).iloc[:, 1:] >= 0).all(axis=None)
    alone, too = (shares.xs(name, level="condition") for name in (ALONE, TOO))
    assert (too.iloc[:, -1] >= alone.iloc[:, -1]).all()
    assert (too.iloc[:, -1] > alone.iloc[:, -1]).any()


def test_every_run_is_attacked_by_who_knows_the_supervisor(parameters):
    two = replace(parameters, runs=2)
    assert len([name for name in pieces(two) if "evaded" in name]) == 4
    assert not [name for name in pieces(replace(two, evaded=0)) if "evaded" in name]
    assert not [
        name
        for name in pieces(replace(two, supervisors=("mc_mean_softmax",), variants=(), also_nominal=()))
        if "evaded" in name
    ]


def test_what_trains_a_network_of_its_own_is_fitted_without_ambiguous_images_in_a_piece_of_its_own(parameters, found):
    names = [f"digits: nominal only, {name} 0" for name in parameters.architectures]
    assert [name for name in pieces(replace(parameters, runs=2)) if "nominal only" in name] == names
    less = replace(parameters, also_nominal=("mdsa",))
    assert not [name for name in pieces(less) if "nominal only" in name]
    both = _table(parameters), _table(less)
    rest = [name for name in both[0] if name not in names]
    assert rest == list(both[1])
    assert all(both[0][name].spec() == both[1][name].spec() for name in rest)  # what was made without stays
    where = (found["metric"] == "auroc") & found["seed"].notna() & found["network"].isin(parameters.architectures)
    where &= found["table"].isin(["detection", "variants"])
    by = found[where].set_index(["method", "network", "condition"])["value"].sort_index()
    assert set(by["dissector/nominal only"].index) == set(by["mdsa/nominal only"].index)
    assert (by["dissector/nominal only"] != by["dissector"].loc[by["dissector/nominal only"].index]).any()


def test_all_attacked_images_are_accounted_for(found):
    table = found[(found["table"] == "attacks") & found["metric"].str.startswith("share")]
    sums = table.groupby(["network", "method"])["value"].sum()
    assert sums.to_numpy() == pytest.approx(1)


def test_every_corruption_at_every_severity(found):
    table = found[(found["table"] == "severity") & (found["metric"] == "accuracy")]
    assert table["condition"].nunique() == 15
    assert set(table["level"]) == {1, 2, 3, 4, 5}
    assert set(table["n"]) == {TINY["corrupted"]}
    assert set(table["network"]) == {TINY["architectures"][0]}  # of the first classifier alone
    scored = found[(found["table"] == "severity") & (found["metric"] == "auroc")]
    assert len(scored)
    assert not scored["method"].str.contains("/").any()


def test_what_is_made_without_an_interval_gets_one_over_images(found):
    tables = found[found["table"].isin(["attacks", "severity", "other-sets"]) & (found["metric"] != "median epsilon")]
    assert set(tables["over"]) == {"images"}
    assert ((tables["low"] <= tables["value"]) & (tables["value"] <= tables["high"])).all()
    assert (tables["low"] < tables["high"]).all()


def test_scores_of_the_first_classifier_alone_depend_on_how_many_corrupted_images_are_asked_for(parameters):
    other, names = replace(parameters, corrupted=11), parameters.architectures
    keys = [
        {name: pieces_of[f"digits: {name} 0"].spec() for name in names}
        for pieces_of in map(_table, (parameters, other))
    ]
    assert [keys[0][name] == keys[1][name] for name in names] == [False, True]


def test_pieces_come_from_the_store_and_depend_on_what_they_read(parameters, kept, copied):
    name = "three clusters: seen"
    assert name in pieces(parameters)
    assert missing(parameters, name)
    copied(kept)
    assert missing(parameters, name) == []
    assert missing(Parameters.of({**TINY, "members": 4, "resamples": 50}), name) == []
    made = kept.rows[kept.rows["table"] == "seen"].reset_index(drop=True)
    pd.testing.assert_frame_equal(checked(piece(parameters, name)), made)
    assert missing(Parameters.of({**TINY, "seed": 1}), name)


@pytest.mark.parametrize("architecture", ["ambiguess-conv", "ambiguess-fc", "ambiguess-fc-relu", "densenet-se"])
def test_every_supervisor_can_be_made_for_every_architecture(architecture):
    p = Parameters(variants=tuple(VARIANTS), also_nominal=("dsa", "knn"))
    lines = {one.name: one for one in methods(p, architecture, "FEATURES")}
    cannot = {name for name, where in CANNOT if where == architecture}
    assert {name for name in lines if "/" not in name} == set(COMPARED) - cannot
    assert lines["dsa"].supervisor.parameters()["layer"] == ARCHITECTURES[architecture].surprise
    assert lines["knn"].supervisor.parameters()["layer"] == "FEATURES"
    assert lines["dissector"].supervisor.parameters()["layers"] == ARCHITECTURES[architecture].dissector
    assert not lines["dsa/nominal only"].mixed
    assert set(VARIANTS) <= set(lines)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"supervisors": ("mdssa",)}, "Did you mean 'mdsa'"),
        ({"variants": ("mdsa/rige",)}, "Did you mean 'mdsa/ridge'"),
        (
            {"supervisors": ("max_softmax",), "variants": ("mdsa/ridge",)},
            "variants has 'mdsa/ridge', and supervisors leaves out what it is a variant of: name 'mdsa' there as well",
        ),
        ({"architectures": ("mlm-cnn",)}, "does not say which layer"),
        ({"data": ()}, "at least one image set"),
        (
            {"supervisors": ("ash",), "architectures": ("ambiguess-fc",)},
            "Of architecture 'ambiguess-fc' nothing is left to compare: ash cannot be had for it",
        ),
        ({"members": 1}, "members"),
        ({"samples": 0}, "samples"),
        ({"evaded": 121}, "evaded is 121, and takes those of the 120 attacked images that are classified correctly"),
        ({"also_nominal": ("mdsa", "energy")}, "also_nominal has 'energy', which learns nothing of its images"),
        ({"corrupted": 9}, "corrupted is 9, expected 0 or at least 10: of fewer images there is no AUROC"),
    ],
)
def test_a_bad_parameter_is_named(changed, said):
    with pytest.raises(MistrustError, match=said):
        Parameters.of({**TINY, **changed})


@pytest.mark.parametrize("name", ["attacked", "corrupted", "evaded"])
def test_more_images_than_there_are_are_refused_before_anything_is_made(name):
    with pytest.raises(MistrustError, match=f"'{name}' is 501, but 'digits' has 500 test images. Ask for fewer"):
        check(Parameters.of({**TINY, "data": ("digits",), "attacked": 0, name: 501}))


def test_invalid_inputs_have_the_form_of_the_nominal_ones_and_ids_of_their_own():
    nominal = load("mnist5k", "test")
    found = invalid("mnist5k", nominal)
    assert found.images.shape[1:] == nominal.images.shape[1:]
    assert found.images.dtype == torch.uint8
    assert found.classes == nominal.classes
    assert len(found) == 520
    assert not set(found.ids.tolist()) & set(nominal.ids.tolist())


@pytest.mark.parametrize("data", ["digits", "mnist5k", "photos"])
def test_no_invalid_input_is_an_image_of_the_set(data):
    nominal = [load(data, part) for part in ("train", "test")]
    found = invalid(data, nominal[1])
    assert found.images.shape[1:] == nominal[1].images.shape[1:]
    own = {image.numpy().tobytes() for part in nominal for image in part.images}
    assert not own & {image.numpy().tobytes() for image in found.images}


def test_a_picture_is_brought_into_another_shape_by_brightness_and_area():
    white, red = torch.full((1, 3, 4, 4), 255, dtype=torch.uint8), torch.zeros(1, 3, 4, 4, dtype=torch.uint8)
    red[:, 0] = 255
    assert shaped(white, (1, 2, 2)).unique().tolist() == [255]
    assert shaped(red, (1, 2, 2)).unique().tolist() == [76]  # 0.299 of 255
    halves = torch.tensor([0, 200], dtype=torch.uint8).view(1, 1, 1, 2).expand(1, 1, 2, 2).contiguous()
    assert shaped(halves, (1, 1, 1)).item() == 100
    assert shaped(halves, (3, 2, 2))[0, :, 0, 0].tolist() == [0, 0, 0]
    assert shaped(white, (3, 4, 4)) is white


def test_published_ensembles_are_those_of_another_network_where_the_slip_was_made(
    parameters, kept, copied, monkeypatch
):
    copied(kept)
    monkeypatch.setattr(published_ensembles, "AFFECTED", ("digits", "ambiguess-fc"))
    monkeypatch.setattr(published_ensembles, "TAKEN", ("digits", "ambiguess-fc-relu"))
    some = replace(parameters, supervisors=("ensemble_mean_softmax",), also_nominal=(), variants=(), corrupted=0)
    found = rows(some)
    found = found[(found["metric"] == "auroc") & found["seed"].isna() & (found["condition"] == "invalid/other")]
    one = found.set_index(["table", "network"])["value"]
    assert one["variants", "ambiguess-fc"] == one["detection", "ambiguess-fc-relu"] != one["detection", "ambiguess-fc"]
    assert one["variants", "ambiguess-fc-relu"] == one["detection", "ambiguess-fc-relu"]
    assert set(found.loc[found["table"] == "variants", "method"]) == {"ensemble_mean_softmax/as published"}
    # Networks of digits are shown clothes, whose classes have other names.
    one, digits = UnderTest(some, "digits", "ambiguess-fc", 0), load("digits", "test").take(torch.arange(20))
    clothes = ImageSet("clothes", digits.images, digits.labels, digits.ids, tuple("abcdefghij"))
    blank = Scores("nominal", digits.ids.numpy(), np.zeros(20, bool), {})
    names = ["ensemble_mean_softmax"]
    seen = [published_ensembles._scored(one, blank, images, names).by[names[0]] for images in (digits, clothes)]
    assert (seen[0] == seen[1]).all()


def test_published_ensembles_need_both_sets_and_both_networks():
    full = {"data": ("mnist", "fmnist"), "architectures": ("ambiguess-conv", "ambiguess-fc")}
    assert published_ensembles.affected(Parameters.of(full), "fmnist")
    assert not published_ensembles.affected(Parameters.of(full), "mnist")
    assert not published_ensembles.affected(Parameters.of(full | {"data": ("fmnist",)}), "fmnist")
    assert not published_ensembles.affected(Parameters.of(full | {"architectures": ("ambiguess-fc",)}), "fmnist")
    assert not published_ensembles.affected(Parameters.of(full | {"supervisors": ("mdsa",)}), "fmnist")


def test_the_autoencoder_is_a_piece_of_its_own_that_needs_no_classifier(parameters, tmp_path, monkeypatch):
    monkeypatch.setenv("MISTRUST_STORE", str(tmp_path))
    one = replace(parameters, supervisors=("autoencoder",), also_nominal=(), variants=(), vae_epochs=1)
    assert "digits: autoencoder" not in pieces(parameters)
    assert pieces(one)[:3] == ["three clusters: seen", "digits: autoencoder", "digits: rebuilt"]
    found = piece(one, "digits: autoencoder")
    assert found["metric"].tolist() == ["reconstruction error"]
    assert 0 < found["value"].item() < 64 * 1.5  # 64 pixels, each a guess of log 2 at worst where it learns
    kinds = {entry.kind for entry in store.entries()}
    learned = {"conv-vae", "autoencoders", "ambiguous-sets"}  # it learns ambiguous images, which another test may hold
    assert {"conv-vae", "supervisor-rows"} <= kinds <= learned | {"supervisor-rows", "house"}


def test_each_run_has_an_autoencoder_of_its_own_ahead_of_what_reads_it(parameters, tmp_path, monkeypatch):
    monkeypatch.setenv("MISTRUST_STORE", str(tmp_path))
    two = replace(parameters, supervisors=("autoencoder",), also_nominal=(), variants=(), vae_epochs=1, runs=2)
    order = pieces(two)
    assert order.count("digits: autoencoder 1") == 1
    assert order.index("digits: autoencoder 1") == order.index(f"digits: {two.architectures[0]} 1") - 1
    assert preparing(two) == ["digits: autoencoder 1"]
    found = [piece(two, name) for name in ("digits: autoencoder", "digits: autoencoder 1")]
    assert [one["seed"].item() for one in found] == [0, 1]
    assert found[0]["value"].item() != found[1]["value"].item()
    seeds = [next(methods(two, name, "FEATURES", run)).supervisor.seed for name in two.architectures for run in (0, 1)]
    assert seeds == [0, 1, 0, 1]  # the seed of what the piece trained


def test_the_audit_finds_an_epsilon_that_bisection_missed(parameters, kept, copied):
    copied(kept)
    one = UnderTest(parameters, "digits", parameters.architectures[0], 0)
    right = {row["method"]: row for row in audited(one)}
    assert set(right) == {"pgd", "bim"}
    assert all(0 < row["n"] <= 30 for row in right.values())  # a quarter of what is attacked
    found, pgd = one.attacked, one.attacked.attacks.index("pgd")
    fooled = ((found.attack == pgd) & (found.outcome == FOOLED)).nonzero()[:, 0]
    late = found.epsilon.clone()
    late[fooled[0]], late[fooled[1]] = EPSILONS[-1], torch.nan  # as if it had ended later, or at none
    one.__dict__["attacked"] = replace(found, epsilon=late)
    again = {row["method"]: row for row in audited(one)}
    assert again["pgd"]["value"] - right["pgd"]["value"] == pytest.approx(2 / right["pgd"]["n"])
    assert again["bim"] == right["bim"]


def test_the_grid_of_epsilons_is_finer_than_the_published_one_from_end_to_end():
    assert (EPSILONS[0], EPSILONS[-1]) == (PUBLISHED[0], PUBLISHED[-1])
    steps, theirs = (np.diff(np.log(grid)) for grid in (EPSILONS, PUBLISHED))
    assert steps.max() < np.log(1.27)
    assert steps.max() < np.median(theirs)


def test_what_the_autoencoder_rebuilds_hangs_on_no_ambiguous_image(parameters, tmp_path, monkeypatch):
    monkeypatch.setenv("MISTRUST_STORE", str(tmp_path))
    one = replace(parameters, supervisors=("autoencoder",), also_nominal=(), variants=(), vae_epochs=1)
    found = piece(one, "digits: rebuilt")
    assert set(found["condition"]) == {"nominal", "corrupted/corruptions", "invalid/other"}
    assert len(found) == 3 * 4
    assert (
        {"conv-vae", "supervisor-rows"}
        <= {entry.kind for entry in store.entries()}
        <= {"conv-vae", "supervisor-rows", "house"}
    )
    assert missing(replace(one, pairs=("4/9",)), "digits: rebuilt") == []


def test_members_are_trained_as_a_piece_of_their_own_and_no_run_of_the_experiment_is_one(parameters, kept, copied):
    copied(kept)
    asked = [name for name in pieces(parameters) if "members" in name]
    assert asked == [f"digits: members, {name}" for name in parameters.architectures]
    made = piece(parameters, asked[0])
    one = UnderTest(parameters, "digits", parameters.architectures[0], 0)
    test = one.material.test
    for (_, row), member in zip(made.iterrows(), one.members, strict=True):
        right = member(test.floats()).argmax(1) == test.labels
        assert row["value"] == pytest.approx(right.double().mean().item())
        assert row["n"] == len(test)
    assert min(made["seed"]) == parameters.seed + parameters.runs
    for number, member in enumerate(one.members, parameters.runs):
        alone = one.material.classifier(one.architecture, "mixed", number)
        assert alone.key == member.key
        assert torch.equal(alone(test.floats()), member(test.floats()))
    assert one.material.classifiers(one.architecture, "mixed", []) == []
    alone = replace(parameters, supervisors=("max_softmax", "mdsa"), variants=())
    assert not [name for name in pieces(alone) if "members" in name]


def test_many_deep_networks_are_a_piece_each_ahead_of_the_classifier_that_reads_them(
    parameters, kept, copied, monkeypatch
):
    copied(kept)
    monkeypatch.setattr(further, "FEW", 0)
    monkeypatch.setattr(further, "DEEP", 0)
    names = [f"digits: network {number}, {one}" for one in parameters.architectures for number in (0, 1)]
    assert [name for name in preparing(parameters) if " scores, " not in name] == names
    order = pieces(parameters)
    assert all(
        order.index(f"digits: network 1, {one}") < order.index(f"digits: {one} 0") for one in TINY["architectures"]
    )
    before = {entry.key for entry in store.entries() if entry.kind == "network"}
    for number, name in enumerate(names[:2]):
        assert missing(parameters, name)
        found = piece(parameters, name)
        right = UnderTest(parameters, "digits", parameters.architectures[0], number).classifier
        test = load("digits", "test")
        assert found[["table", "network", "seed", "n"]].to_numpy().tolist() == [
            ["members", parameters.architectures[0], number, len(test)]
        ]
        assert found["value"].item() == (right(test.floats()).argmax(1) == test.labels).double().mean().item()
        assert missing(parameters, name) == []
    # They are the very networks that the run has trained: nothing is trained twice, and no key is another.
    assert {entry.key for entry in store.entries() if entry.kind == "network"} == before
    assert missing(parameters, "digits: ambiguess-fc 0") == []
    assert missing(replace(parameters, resamples=30), names[0]) == []
    assert missing(replace(parameters, network_epochs=1), names[0])


def test_of_a_deep_classifier_each_set_of_inputs_is_scored_as_a_piece(parameters, kept, copied, monkeypatch):
    copied(kept)
    one = UnderTest(parameters, "digits", parameters.architectures[0], 0)
    at_once = _scores(one)  # as the run made them
    monkeypatch.setattr(further, "DEEP", 0)
    names = [name for name in preparing(parameters) if name.endswith(f" scores, {one.architecture} 0")]
    kinds = ["nominal", "ambiguous", "adversarial", "corrupted", "invalid", "severity"]
    assert [name.split()[1] for name in names] == kinds
    order = pieces(parameters)
    assert max(map(order.index, names)) < order.index(f"digits: {one.architecture} 0")
    for name in names:
        assert missing(parameters, name)
        found = piece(parameters, name)
        assert found[["table", "metric", "network", "seed"]].to_numpy().tolist() == [
            ["prepared", "images scored", one.architecture, 0]
        ]
        assert missing(parameters, name) == []
    fitted = []
    monkeypatch.setattr(UnderTest, "fitted", fitted.append)
    by_set = _scores(one)
    assert fitted == []  # nothing is left to be scored
    assert set(by_set) == set(at_once)
    for name, values in at_once.items():
        torch.testing.assert_close(by_set[name], values, rtol=0, atol=0, equal_nan=True)
    assert missing(replace(parameters, resamples=30), names[0]) == []
    assert missing(replace(parameters, samples=5), names[0])


def test_only_many_networks_that_are_deep_are_parted():
    full = Parameters(data=("mnist",), architectures=("ambiguess-conv", "ambiguess-fc", "resnet50-v1"), members=5)

    def scored(run):
        kinds = ("nominal", "ambiguous", "adversarial", "corrupted", "invalid")
        return [f"mnist: {kind} scores, resnet50-v1 {run}" for kind in kinds]

    members = [f"mnist: members, {one}" for one in full.architectures]
    assert preparing(full) == [*members[:2], *scored(0), members[2]]
    paper = replace(full, members=20, runs=5)
    deep = [f"mnist: network {number}, resnet50-v1" for number in range(24)]
    later = [name for run in range(1, 5) for name in (f"mnist: autoencoder {run}", *scored(run))]
    assert preparing(paper) == [*members[:2], *deep, *scored(0), *later]
    alone = replace(paper, supervisors=("mdsa",))  # none asks an ensemble
    assert preparing(alone) == [name for run in range(5) for name in scored(run)]


def test_the_papers_scale_leaves_nothing_of_the_full_run_out():
    full, paper = (profile(CHAPTERS["supervisors"], name) for name in ("full", "paper"))
    for name in ("data", "architectures", "variants", "also_nominal", "compared"):
        assert set(getattr(full, name)) <= set(getattr(paper, name)), name
    for name in ("runs", "members", "samples", "vae_epochs", "dissector_epochs", "corrupted", "resamples"):
        assert getattr(full, name) <= getattr(paper, name), name
    assert full.attacked >= 2500
    assert paper.attacked == 0
    kinds = [{name.split(": ")[1].split(",")[0] for name in pieces(one) if ", " in name} for one in (full, paper)]
    assert kinds[0] <= kinds[1]


def test_means_follow_from_the_rows_of_pieces_so_that_these_are_accepted_one_by_one(parameters, found):
    single = found[found["made"] != ""]
    pd.testing.assert_frame_equal(together(single, parameters), found)
    fewer = together(single[single["network"] != parameters.architectures[0]], parameters)
    assert parameters.architectures[0] not in set(fewer["network"])
    # A pair of supervisors is worth a row of means over architectures alone.
    means = found[(found["made"] == "") & (found["table"] == "together")]
    assert set(means["network"]) == {"all"}


def test_pieces_accepted_one_by_one_give_the_files_of_a_whole_run(parameters, kept, copied, tmp_path, monkeypatch):
    copied(kept)
    monkeypatch.setenv("MISTRUST_ROOT", str(tmp_path))
    monkeypatch.setattr(profiles, "profile", lambda chapter, name: parameters)
    monkeypatch.setattr(profiles, "names", lambda chapter: ["full"])
    chapter, said = CHAPTERS["supervisors"], []
    for name in reversed(pieces(parameters)):
        results.accept(chapter, "full", pieces=[name], say=said.append)
    assert all("all from the store" in line for line in said)
    about, by_pieces = acceptance.read_accepted(chapter, "full")
    assert about["complete"]
    results.save_run(chapter, parameters, kept.rows)
    results.accept(chapter, "full")
    whole = acceptance.read_accepted(chapter, "full")[1]
    # Means of numbers that files have rounded may differ in the tenth digit.
    pd.testing.assert_frame_equal(by_pieces, whole, rtol=1e-8)
