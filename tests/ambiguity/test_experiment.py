"""The chapter's experiment: every table of its contract, bad parameters, the same rows from the store."""

from dataclasses import replace

import pandas as pd
import pytest
import torch

from mistrust.ambiguity import experiment
from mistrust.ambiguity.adversarial import State
from mistrust.ambiguity.autoencoder import Autoencoders
from mistrust.ambiguity.composition import AS_PUBLISHED, compose
from mistrust.ambiguity.experiment import Parameters, check, missing, piece, pieces, preparing, remedies, rows
from mistrust.ambiguity.experiment.kept_sets import smoke_decoders
from mistrust.ambiguity.experiment.material import material
from mistrust.ambiguity.experiment.remedies import longer, more_decoders
from mistrust.ambiguity.members import Member
from mistrust.ambiguity.stacked import Design
from mistrust.ambiguity.tables.composed import wrapped
from mistrust.ambiguity.tables.diverse import diverse
from mistrust.ambiguity.tables.made import codes_between, codes_beyond
from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.store import entries

pytestmark = pytest.mark.whole

# Pairs whose autoencoders pass the gates soonest: within a third of the passes that `epochs` 0 takes.
TINY = {
    "data": ("digits",), "pairs": ("8/9", "1/5"), "shown_pair": "8/9", "epochs": 70, "train": 40, "test": 40,
    "architectures": ("ambiguess-fc-relu", "ambiguess-fc"), "judges": ("ambiguess-fc-relu",), "network_epochs": 2,
    "diversity_points": 30,
    "diversity_decoders": 1, "world_images": 400, "vae_epochs": 1, "resamples": 20, "mixed": 2,
    "longer": 2, "bounds": (2.0,),
}  # fmt: skip
TABLES = {
    "acceptance", "autoencoders", "bounds", "calibration", "cells", "cost", "diversity", "examples", "interpolation",
    "known-decoders", "labels", "longer", "natural", "oddness", "performance", "plane", "reach", "sets", "vae-plane",
}  # fmt: skip


@pytest.fixture(scope="module")
def parameters():
    return Parameters.of(TINY)


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
    assert set(found["table"]) == TABLES


def test_performance_has_every_network_set_and_training(found, parameters):
    table = found[(found["table"] == "performance") & found["seed"].notna()]
    counts = table[table["metric"] == "top-1"].groupby(["network", "method"])["condition"].count()
    each = 5  # nominal, and four ways to an ambiguous set
    assert counts.to_dict() == {
        ("ambiguess-fc", "clean"): each, ("ambiguess-fc", "mixed"): 2 * each,
        ("ambiguess-fc-relu", "clean"): each, ("ambiguess-fc-relu", "mixed"): 2 * each,
        ("all", "clean"): each, ("all", "mixed"): 2 * each,
    }  # fmt: skip


def test_the_mean_over_architectures_is_theirs(found):
    where = {"table": "performance", "method": "mixed", "condition": "nominal", "metric": "top-1", "seed": 0.0}
    one = found[(found[list(where)] == pd.Series(where)).all(axis=1)].set_index("network")["value"]
    assert one["all"] == one["ambiguess-fc"]  # the other is none of the paper's


def test_images_of_known_decoders_are_told_from_others(found):
    table = found[(found["table"] == "known-decoders") & found["seed"].notna() & (found["network"] != "all")]
    assert {"top-2", "top-pair", "excess entropy"} <= set(table["metric"])
    table = table[table["metric"] == "top-pair"]
    counts = table.set_index(["network", "seed", "condition"])["n"].unstack()
    assert (counts["decoders of training images"] + counts["other decoders"] == 40).all()
    assert (counts["|z1| up to 3"] == 40).all()
    assert (counts["|z1| up to 1"] < counts["|z1| up to 3"]).all()


def test_the_bound_in_use_is_among_those_tried_and_says_what_table_one_says(found):
    table = found[(found["table"] == "bounds") & (found["metric"] == "top-pair") & found["seed"].notna()]
    assert sorted(table["level"].unique()) == [2, 3]
    assert set(table["network"]) == {"ambiguess-fc", "ambiguess-fc-relu", "all"}
    main = found[(found["table"] == "performance") & (found["method"] == "mixed") & (found["seed"] == 0)]
    main = main[(main["condition"] == "ambiguous/ambiguess") & (main["metric"] == "top-pair")]
    in_use = table[(table["level"] == 3) & (table["condition"] == "ambiguous")].set_index("network")["value"]
    assert in_use.to_dict() == main.set_index("network")["value"].to_dict()


def test_pairs_left_out_are_trained_longer(parameters, kept, copied):
    copied(kept)
    one = replace(material(Parameters.of({**TINY, "epochs": 4}), "digits"))  # twice as long is soon over
    # As if no autoencoder of 1/5 were good.
    one.__dict__.update(pairs=((8, 9),), _trained=material(parameters, "digits")._trained)
    told = [dict(row) for row in longer(one)]
    assert {row["table"] for row in told} == {"longer"}
    assert {row["level"] for row in told} == {8}
    assert next(row["value"] for row in told if row["metric"] == "pairs") == 1
    accepted = {row["at"]: row for row in told if row["metric"] == "share accepted"}
    assert set(accepted) == {"1/5", "all"}
    assert accepted["all"]["n"] == parameters.models
    assert {row["seed"] for row in told if row["metric"] == "labelling"} == {0, 1}


def test_more_decoders_learn_from_all_but_the_last(parameters, kept, copied, monkeypatch):
    """Of untrained decoders, six of one pair and five of the other, which is left out."""
    copied(kept)
    wide = Parameters.of({**TINY, "delta_train": 1.0, "delta_test": 1.0, "more_decoders": 9, "train": 60})
    one = replace(material(wide, "digits"))
    one.__dict__.update(pairs=((1, 5), (8, 9)), _trained=material(parameters, "digits")._trained)
    members = tuple(Member(8, 9, seed) for seed in range(7)) + tuple(Member(1, 5, seed) for seed in range(5))
    design = Design(64)
    weights = State.new(design, members, torch.float32, torch.device("cpu")).weights(design)
    stack = Autoencoders(
        design, members, (1, 8, 8), one.train.classes, weights, pd.DataFrame(index=range(len(members)))
    )
    monkeypatch.setattr(remedies, "decoders", lambda wanted, every_pair: (stack, stack))
    lessons, taught = list[ImageSet](), one.taught

    def remembered(_, images, *rest):
        lessons.append(images)
        return taught(images, *rest)

    monkeypatch.setattr(type(one), "taught", remembered)
    told = [dict(row) for row in more_decoders(one)]
    pairs = next(row for row in told if row["metric"] == "pairs")
    assert (pairs["value"], pairs["n"], pairs["note"]) == (1, 2, "1/5")
    found = [row for row in told if row["metric"] == "top-pair"]
    assert [(row["level"], row["condition"]) for row in found] == [
        (count, condition) for count in (1, 3, 5) for condition in ("other decoders", "decoders of training images")
    ]
    assert {row["n"] for row in found} == {20}  # as many a pair as in the chapter's set of two pairs
    for lesson in lessons:
        assert set(lesson.labels.tolist()) == {8, 9}
        assert len(lesson) == 30 + 3 * 30
        assert torch.equal(lesson.images[:90], lessons[0].images[:90])  # the same nominal ones
    made_of = [{image.numpy().tobytes() for image in lesson.images[90:]} for lesson in lessons]
    alone = {}
    for seed in (0, 5):
        how = replace(wide.making.composition, shared=True)
        drawn = compose(stack.take([seed]), torch.tensor([True]), 30, 20, how, seed=0)
        alone[seed] = {image.numpy().tobytes() for image in drawn[0].images}
    assert made_of[0] == alone[0]
    assert not any(images & alone[5] for images in made_of)


def test_more_decoders_say_so_where_no_pair_has_any(parameters, kept, copied):
    """After one pass no autoencoder is past the gates."""
    copied(kept)
    wide = Parameters.of({**TINY, "more_decoders": 1, "epochs": 1})
    (told,) = (dict(row) for row in more_decoders(material(wide, "digits")))
    assert (told["metric"], told["value"], told["n"]) == ("pairs", 0, 1)
    assert "passed the gates" in told["note"]


def test_cost_is_the_paired_difference(found):
    where = (found["table"] == "performance") & (found["condition"] == "nominal") & (found["metric"] == "top-1")
    one = found[where & (found["seed"] == 0)].set_index(["network", "method"])["value"]
    cost = found[found["table"] == "cost"].set_index("network")["value"]
    for network in ("ambiguess-fc", "ambiguess-fc-relu", "all"):
        assert cost[network] == pytest.approx(one[network, "mixed"] - one[network, "clean"])


def test_a_map_of_chances_sums_to_one(found):
    sums = found[found["table"] == "cells"].groupby("method")["value"].sum()
    assert sums.to_numpy() == pytest.approx(1.0)
    assert len(sums) == 4


def test_pictures_travel_in_the_notes(found):
    for table in ("plane", "interpolation", "vae-plane"):
        assert found.loc[found["table"] == table, "note"].str.startswith("png:").all()


def test_a_label_is_half_on_the_way_between_the_classes_under_the_prior(found):
    line = found[(found["table"] == "labels") & (found["method"] == "prior") & (found["metric"] == "p first")]
    values = line.set_index("at")["value"]
    assert values["z0=0.00"] == pytest.approx(0.5)
    assert values["z0=-3.00"] > 0.999


def test_pieces_come_from_the_store_again(kept, copied):
    copied(kept)  # trained is everything, and nothing is shown of this pair yet
    parameters, name = Parameters.of({**TINY, "shown_pair": "1/5"}), "digits: generators"
    assert missing(parameters, name)
    first = piece(parameters, name)
    assert missing(parameters, name) == []
    pd.testing.assert_frame_equal(first, piece(parameters, name))


def test_a_piece_depends_on_what_it_reads_alone(parameters, kept, copied):
    copied(kept)
    piece(parameters, "digits: generators")
    more = Parameters.of({**TINY, "mixed": 5, "clean": 2, "architectures": ("ambiguess-fc",)})
    assert missing(more, "digits: generators") == []
    assert missing(Parameters.of({**TINY, "shown_pair": "1/5"}), "digits: generators")


def test_train_and_test_share_no_decoder_but_as_published(parameters, kept, copied):
    copied(kept)
    sets = material(parameters, "digits").sets
    train, test = sets["ambiguess"]
    assert not set(train.decoder.tolist()) & set(test.decoder.tolist())
    train, test = sets["as published"]
    assert set(train.decoder.tolist()) & set(test.decoder.tolist())


def test_soft_targets_reach_mixed_training_and_no_other(parameters, kept, copied):
    copied(kept)
    drawn, soft = material(parameters, "digits"), material(Parameters.of({**TINY, "targets": "soft"}), "digits")
    keys = [one.classifier("ambiguess-fc-relu", "mixed", 0).key for one in (drawn, soft)]
    assert keys[0] != keys[1]
    ambiguous = soft.sets["ambiguess"][0]
    told = soft.targets(ambiguous.soft)
    assert told is not None
    assert torch.equal(told[-len(ambiguous) :], ambiguous.soft.float())
    assert torch.equal(told[: len(soft.train)].argmax(1), soft.train.labels)
    keys = [one.classifier("ambiguess-fc-relu", "clean", 0).key for one in (drawn, soft)]
    assert keys[0] == keys[1]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"targets": "hard"}, "targets"),
        ({"data": ()}, "at least one image set"),
        ({"architectures": ("lenet",)}, "architecture 'lenet'"),
        ({"delta_test": 1.5}, "delta_test"),
        ({"models": 1}, "models"),
        ({"pairs": ("4/9", "4/9")}, "twice"),
        ({"trial_pairs": ("4/9",)}, "trial_pairs names 4/9, and trial no image set that they are of"),
    ],
)
def test_a_bad_parameter_is_named(changed, said):
    with pytest.raises(MistrustError, match=said):
        Parameters.of({**TINY, **changed})


@pytest.mark.parametrize("pairs", [("4/12",), ("4",), ("4/4",)])
def test_a_pair_that_is_none_is_refused_before_anything_is_trained(pairs):
    with pytest.raises(MistrustError):
        check(Parameters.of({**TINY, "pairs": pairs}))


def test_pieces_of_two_sets_take_turns():
    names = pieces(Parameters.of({**TINY, "data": ("mnist", "fmnist")}))
    assert names[:3] == ["mnist: generators", "fmnist: generators", "known world"]
    assert names[-2:] == ["mnist: bounds", "fmnist: bounds"]


def test_many_autoencoders_are_trained_by_pieces_of_their_own():
    """Ahead of the piece that wants them all; few are trained by that piece itself, as in the accepted run."""
    many = Parameters.of({**TINY, "data": ("mnist", "fmnist"), "models": 5})
    names = pieces(many)
    first = [f"{data}: autoencoders {number}" for number in range(5) for data in many.data]
    assert names[: len(first)] == preparing(many) == first
    few = pieces(Parameters.of({**TINY, "data": ("mnist", "fmnist"), "models": 4}))
    assert names[len(first) :] == few
    assert preparing(Parameters.of({**TINY, "models": 4})) == []


def test_a_preparing_piece_trains_its_part_and_depends_on_no_more(monkeypatch):
    monkeypatch.setenv("MISTRUST_ENGINE", "inline")
    hasty = {**TINY, "pairs": ("8/9",), "models": 16, "epochs": 1}
    found = piece(Parameters.of(hasty), "digits: autoencoders 15")  # a group of 15, and this one is over
    assert found[["table", "metric", "at", "value"]].values.tolist() == [["prepared", "autoencoders", "part=15", 1.0]]
    assert [one.kind for one in entries()].count("autoencoders") == 1
    drawn_otherwise = Parameters.of({**hasty, "train": 90, "delta_train": 0.3, "label": "softmax"})
    assert missing(drawn_otherwise, "digits: autoencoders 15") == []
    assert missing(Parameters.of({**hasty, "epochs": 2}), "digits: autoencoders 15")


def test_codes_between_the_clusters_are_counted_of_each_autoencoders_own_images():
    tiny, stack = smoke_decoders()
    found = list(codes_between(stack, tiny))
    assert [(row["at"], row["seed"]) for row in found] == [
        (pair, seed) for seed in (0, 1) for pair in ("a/b", "a/c", "b/c")
    ]
    assert {row["n"] for row in found} == {40}  # two of three classes, 20 images each
    member = stack.members[3]
    own = tiny.images[(tiny.labels == member.first) | (tiny.labels == member.second)].flatten(1).double()
    across = stack.take([3]).encode(own[None])[0, :, 0]
    assert found[3]["value"] == float(((across > -1) & (across < 1)).double().mean())
    apart = replace(stack, weights={name: 1e3 * values for name, values in stack.weights.items()})
    assert sum(row["value"] for row in codes_between(apart, tiny)) < sum(row["value"] for row in found)
    broken = {name: values.clone() for name, values in stack.weights.items()}
    for values in broken.values():
        values[1] = torch.nan
    assert len(list(codes_between(replace(stack, weights=broken), tiny))) == 5  # that one has no codes


def test_shares_of_codes_far_out_have_intervals_that_are_shares():
    """One code in 12,000, of three autoencoders in 39: Student's interval by hand goes below 0, and is cut there."""
    near = torch.zeros(12_000)
    far = torch.cat([near[1:], torch.tensor([6.0])])
    row, none = codes_beyond([near] * 36 + [far] * 3, (5.0, 6.0))
    assert (row["value"], row["low"], row["high"]) == pytest.approx((3 / 39 / 12_000, 0, 1.370264e-5), rel=1e-6)
    assert (row["level"], row["n"], row["over"]) == (5.0, 39, "models")
    assert (none["value"], none["low"], none["high"]) == (0, 0, 0)


def test_pixels_that_wrap_are_those_that_differ_from_bytes_that_do_not():
    stack = smoke_decoders()[1]
    bias = stack.weights["decoder.2.bias"].clone()
    bias[1, :4] = 100.0  # four pixels of one decoder are exactly 1
    stack = replace(stack, weights={**stack.weights, "decoder.2.bias": bias})
    how = replace(AS_PUBLISHED, delta_train=1.0, delta_test=1.0)
    every = torch.ones(len(stack), dtype=torch.bool)
    coded, right = (compose(stack, every, 40, 30, replace(how, wraps=wraps)) for wraps in (True, False))
    found = {(row["condition"], row["metric"]): (row["value"], row["n"]) for row in wrapped("coded", stack, *coded)}
    for condition, one, other in zip(("train", "test"), coded, right, strict=True):
        apart = (one.images != other.images).flatten(1)
        assert int(apart.sum()) == 4 * int((one.decoder == 1).sum()) > 0
        assert found[condition, "pixels that wrap"] == (int(apart.sum()), len(one))
        assert found[condition, "images with a pixel that wraps"] == (int(apart.any(1).sum()), len(one))


def test_decoders_of_which_a_scheme_finds_no_points_are_named():
    stack = smoke_decoders()[1]
    found = diverse(stack, 1e-9, 10, "normalised", 0)
    assert {(row["metric"], row["value"], row["n"]) for row in found} == {("decoders left out", 6, 6)}
    assert all(row["note"].startswith("a/b (seed 0), a/c (seed 0)") for row in found)
    assert {"uniform", "energy transposed", "as published"} <= {row["method"] for row in found}


def test_the_other_decoders_are_measured_all_the_same():
    stack = smoke_decoders()[1].take([0, 1, 2])
    broken = {name: values.clone() for name, values in stack.weights.items()}
    for values in broken.values():
        values[1] = torch.nan
    one_less = diverse(replace(stack, weights=broken), 1.0, 30, "normalised", 0)
    rest = diverse(stack.take([0, 2]), 1.0, 30, "normalised", 0)
    said = [row for row in one_less if row["metric"] == "decoders left out"]
    assert {row["note"] for row in said} == {"a/c (seed 0)"}

    def kept(rows):
        told = {(r["method"], r["level"], r["metric"]): (r["value"], r["n"]) for r in rows}
        return {name: value for name, value in told.items() if name[2] in ("deviation of z1", "share kept")}

    assert kept(one_less) == kept(rest)


def test_plain_autoencoders_of_pairs_and_of_all_classes_have_rows():
    found = piece(
        Parameters.of({**TINY, "pairs": ("4/9", "3/8", "4/8"), "convergence_steps": 20}), "digits: convergence"
    )
    needed = found[found["metric"] == "steps to converge"]
    assert needed["at"].to_list() == 3 * ["4/9", "3/8", "all classes"]  # 4 and 8 are taken
    assert needed["condition"].to_list() == 3 * ["two classes", "two classes", "all classes"]
    assert needed["seed"].to_list() == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert needed["value"].isin([0, 10, 20]).all()
    assert set(found.loc[found["metric"] == "rebuilt by step", "level"]) == {0, 10, 20}
    sizes = found.loc[found["metric"] == "rebuilt by size", "level"]
    assert found.loc[found["metric"] == "parameters", "value"].isin(sizes).all()
