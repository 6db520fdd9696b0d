"""The monitors' experiment: its tables, what sets thresholds, what its pieces depend on, bad parameters."""

from dataclasses import asdict, fields, replace

import numpy as np
import pandas as pd
import pytest
import torch

from mistrust import store
from mistrust.data import SOURCES, load
from mistrust.errors import MistrustError
from mistrust.inputs.faults import FAULTS, faulty
from mistrust.monitoring.benchmark_sets import BENCHMARK_SETS
from mistrust.monitoring.experiment import MAKERS, Parameters, check, inputs, missing, piece, pieces, system
from mistrust.monitoring.experiment.kept import READ, readouts
from mistrust.monitoring.experiment.kept import spec as _spec
from mistrust.monitoring.experiment.material import COPIES, LEFT_OUT, Material
from mistrust.monitoring.experiment.methods import AS_PUBLISHED, PUBLISHED_RULE, THREE, lines, watching
from mistrust.monitoring.experiment.parameters import CHAPTER, PAPERS
from mistrust.monitoring.experiment.pieces import ROWED
from mistrust.monitoring.experiment.system import CALIBRATE, LEARNT, NOMINAL, TRAIN, System
from mistrust.monitoring.readouts import alarms, fitted, readout
from mistrust.monitoring.tables import __doc__ as described
from mistrust.networks import ARCHITECTURES, FAMILIES, initialise, wrap
from mistrust.pictures import unpack
from mistrust.publishing import profiles
from mistrust.publishing.chapters import CHAPTERS
from mistrust.store import Scratch
from mistrust.supervisors import ClassMean, Fixed, Monitor, Quantile, TrainingExtreme
from mistrust.supervisors.odin import PUBLISHED

pytestmark = pytest.mark.whole

OWN = set(THREE)
METHODS = {
    *OWN, "max_softmax", "mdsa", *(f"{name}/{variant}" for name in OWN for variant in (AS_PUBLISHED, PUBLISHED_RULE))
}  # fmt: skip
CONDITIONS = {
    "novelty/left out", "novelty/photos", "adversarial/FGSM", "anomaly/pixel trap", "shift/fog", "shift/rotated",
}  # fmt: skip


@pytest.fixture
def first(run, parameters):
    """The first classifier, read from the store."""
    return System(parameters, "digits", "farm-lenet", 0)


def of(found, table, metric=None, seed=0.0):
    chosen = (found["table"] == table) & (found["seed"] == seed if seed is not None else found["seed"].isna())
    return found[chosen & (found["metric"] == metric)] if metric else found[chosen]


# Rows.


def test_every_table_has_rows_and_says_what_it_is(found):
    assert set(found["table"]) == {
        "accuracy", "cases", "cost", "detection", "failures", "nominal", "others", "ranks", "shown", "summary",
    }  # fmt: skip
    assert all(f"{name} " in described for name in found["table"].unique())
    assert found["value"].notna().all()
    assert set(found["chapter"]) == {"monitoring"}
    between = found[
        found["metric"].isin(["auroc", "fpr", "fnr", "precision", "recall", "micro-f1", "accuracy", "fpr95"])
    ]
    assert between["value"].between(0, 1).all()
    assert found[found["metric"] == "mcc"]["value"].between(-1, 1).all()
    told = found[found["over"] == "images"]
    assert ((told["low"] <= told["value"] + 1e-12) & (told["value"] <= told["high"] + 1e-12)).mean() > 0.95


def test_what_monitors_have_learnt_is_counted(found):
    megabytes = of(found, "cost", "megabytes", None).groupby("method")["value"].max()
    assert megabytes["odin"] == megabytes["max_softmax"] == 0
    assert megabytes["alooc"] > 8 * megabytes["oob"] > 0  # 324,000 weights a class against two numbers a neuron and box


def test_every_line_is_judged_on_every_set(found):
    table = of(found, "failures", "mcc", None)
    assert set(table["condition"]) == CONDITIONS
    assert table.groupby(["condition", "level"], dropna=False)["method"].agg(set).map(OWN.__eq__).all()
    summed = found[(found["table"] == "summary") & (found["at"] == "failures") & (found["metric"] == "mcc")]
    assert summed.groupby("condition")["method"].agg(set).map(METHODS.__eq__).all()
    detected = of(found, "detection", "mcc", None)
    assert set(detected["method"]) == METHODS - {"max_softmax", "mdsa"}
    assert set(of(found, "others", "auroc", None)["method"]) == {"max_softmax", "mdsa"}
    assert sorted(table[table["condition"] == "shift/fog"]["level"].unique()) == [2, 5]


def test_means_over_runs_are_those_of_single_classifiers(found):
    keys = ["condition", "at", "method", "metric"]
    single = found[(found["table"] == "summary") & found["seed"].notna()].groupby(keys)["value"].agg(["mean", "count"])
    over = found[(found["table"] == "summary") & found["seed"].isna()].set_index(keys)
    assert set(single["count"]) == {2}
    # Of single classifiers the paper's own monitors are kept, and of others no safety measures: files stay small.
    others = over[over.index.get_level_values("method").isin(["max_softmax", "mdsa"])]
    assert set(others.index.get_level_values("metric")) == {"mcc", "auroc", "fnr"}
    assert len(over) == len(single) + len(others)
    assert over["value"].reindex(single.index).to_numpy() == pytest.approx(single["mean"].to_numpy())
    assert set(over["over"]) == {"models"}
    assert set(over["n"]) == {2}


def test_summaries_are_means_over_sets(run, parameters):
    one = piece(parameters, "digits: farm-lenet 0")
    table = one[(one["table"] == "detection") & (one["method"] == "oob") & (one["metric"] == "mcc")]
    given = one[
        (one["table"] == "summary") & (one["method"] == "oob") & (one["metric"] == "mcc") & (one["at"] == "ood")
    ]
    given = given.set_index("condition")["value"]
    assert len(table) == 8
    assert given["all sets/mean"] == pytest.approx(table["value"].mean())
    assert given["shift/mean"] == pytest.approx(table[table["condition"].str.startswith("shift/")]["value"].mean())


def test_false_alarms_are_the_same_on_all_sets_with_the_same_nominal_images(run, parameters):
    one = piece(parameters, "digits: farm-lenet 0")
    rates = one[(one["metric"] == "fpr") & one["table"].isin(["detection", "nominal"])]
    assert rates.groupby("method")["value"].nunique().max() == 1
    assert set(rates["method"]) == METHODS
    assert set(rates[rates["table"] == "detection"]["condition"]) == CONDITIONS


def test_cases_are_the_outcomes_of_the_two_oracles(run, parameters):
    one = piece(parameters, "digits: farm-lenet 0")
    counts = one[one["table"] == "cases"].pivot(index=["condition", "level", "method"], columns="at", values="value")
    assert set(counts.index.get_level_values("method")) == OWN
    sizes = one[one["table"] == "cases"].groupby(["condition", "level", "method"], dropna=False)["n"].first()
    assert counts.sum(axis=1).sort_index().tolist() == sizes.sort_index().tolist()
    for (condition, level, method), row in counts.iterrows():
        same = (one["condition"] == condition) & (one["method"] == method)
        same &= one["level"].isna() if np.isnan(level) else one["level"] == level
        rates = one[same].set_index(["table", "metric"])["value"]
        c = {int(case): value for case, value in row.items()}
        nominal, out = c[1] + c[2] + c[3] + c[4], c[5] + c[6] + c[7] + c[8] + c[9] + c[10]
        assert rates["detection", "fpr"] == pytest.approx((c[1] + c[2]) / nominal)
        assert rates["detection", "fnr"] == pytest.approx((c[7] + c[8] + c[10]) / out)
        assert rates["failures", "residual-hazard"] == pytest.approx((c[4] + c[8] + c[10]) / (nominal + out))
        assert rates["failures", "availability-cost"] == pytest.approx((c[1] + c[5]) / (nominal + out))


def test_pictures_show_the_same_images_under_every_fault(run, parameters):
    table = of(run, "shown")
    assert set(table["condition"]) == {"nominal", *CONDITIONS}
    assert set(table.groupby(["condition", "level"], dropna=False).size()) == {parameters.shown}
    labels = table[table["condition"] == "nominal"]["value"].tolist()
    few = Material(parameters, "digits").test(0).take(slice(0, 2))
    assert labels == few.labels.tolist()
    pictures = [np.asarray(unpack(note)) for note in table[table["condition"] == "nominal"]["note"]]
    assert np.array_equal(pictures[0].squeeze(), few.images[0, 0].numpy())
    for (condition, _), part in table.groupby(["condition", "level"], dropna=False):
        expected = [-1, -1] if condition.startswith("novelty/") else labels
        assert part["value"].tolist() == expected
    made = faulty(few, "pixel_trap", 1, seed=0).images  # the draws of the benchmark set itself
    trap = table[(table["condition"] == "anomaly/pixel trap") & (table["level"] == 1)]
    for note, one in zip(trap["note"], made, strict=True):
        assert np.array_equal(np.asarray(unpack(note)).squeeze(), one[0].numpy())
    assert not torch.equal(made, few.images)


# Images.


@pytest.mark.parametrize("run_number", [0, 1])
def test_training_calibration_and_test_images_are_others(parameters, run_number):
    one = Material(parameters, "digits")
    train, calibrate, test = one.train, one.calibrate(run_number), one.test(run_number)
    ids = [set(part.ids.tolist()) for part in (train, calibrate, test)]
    assert sum(map(len, ids)) == len(ids[0] | ids[1] | ids[2])
    assert (len(train), len(calibrate), len(test)) == (500, 64, 96)
    left = [load("digits", "test").classes.index(name) for name in ("8", "9")]
    out = load("digits", "test")
    out = out.ids[torch.isin(out.labels, torch.tensor(left))]
    for part in (train, calibrate, test):
        assert part.classes == tuple("01234567")
        assert not torch.isin(part.ids, out).any()
    (novel,) = one.novel(next(entry for entry in one.entries if entry.novel == LEFT_OUT))
    assert sorted(novel.ids.tolist()) == sorted(out.tolist())


def test_other_runs_and_seeds_calibrate_by_other_images_of_the_same_ones(parameters):
    one = Material(parameters, "digits")
    parts = [set(one.calibrate(number).ids.tolist()) for number in range(3)]
    assert parts[0] != parts[1] != parts[2]
    whole = [parts[number] | set(one.test(number).ids.tolist()) for number in range(3)]
    assert whole[0] == whole[1] == whole[2]
    again = Material(replace(parameters, seed=1), "digits")
    assert set(again.calibrate(0).ids.tolist()) == parts[1]
    order = {image: place for place, image in enumerate(one._test.ids.tolist())}
    places = [order[image] for image in one.test(0).ids.tolist()]
    assert places == sorted(places)


def test_labels_are_positions_in_the_classes_that_stay(parameters):
    one = Material(replace(parameters, left_out=("0", "5"), trained_on=0), "digits")
    whole, some = load("digits", "train"), one.train
    assert some.classes == ("1", "2", "3", "4", "6", "7", "8", "9")
    place = {int(image): int(label) for image, label in zip(whole.ids, whole.labels, strict=True)}
    assert [some.classes[label] for label in some.labels.tolist()] == [str(place[i]) for i in some.ids.tolist()]


def test_sets_of_ones_own_are_rules_in_the_papers_order(parameters):
    entries = Material(replace(parameters, faults=()), "digits").entries
    assert [entry.category for entry in entries] == sorted(
        (entry.category for entry in entries), key=("novelty", "adversarial", "anomaly", "shift", "noise").index
    )
    faults = [entry.fault for entry in entries if entry.fault]
    assert set(faults) == {name for name, one in FAULTS.items() if not one.colour}  # digits are grey
    assert len(entries) == 2 + sum(max(len(FAULTS[name].severities), 1) for name in set(faults))
    assert len({entry.name for entry in entries}) == len(entries)
    coloured = Material(replace(parameters, faults=(), left_out=(), novel=()), "photos").entries
    assert {entry.fault for entry in coloured} == set(FAULTS)


@pytest.mark.parametrize(("data", "paper"), [("gtsrb-thin", "gtsrb"), ("cifar10-jpeg", "cifar10")])
def test_the_papers_sets_are_its_own(parameters, data, paper):
    entries = Material(replace(parameters, faults=()), data).entries
    papers = [one for one in BENCHMARK_SETS.values() if one.nominal == paper]
    assert entries == [replace(one, nominal=data) for one in papers]
    assert len(entries) == {"gtsrb": 40, "cifar10": 39}[paper]
    some = Material(replace(parameters, faults=("fog",)), data).entries
    assert [one for one in some if one.fault] == [one for one in entries if one.fault == "fog"]
    assert [one for one in some if one.novel] == [one for one in entries if one.novel]


def test_novelties_that_are_shown_are_of_no_shared_class(parameters):
    one = Material(parameters, "digits")
    entry = next(entry for entry in one.entries if entry.novel == "photos")
    shared = replace(entry, shared=((0, 3),))
    (found,) = one.examples(shared, 5, 0)
    assert len(found) == 5
    assert set(found.labels.tolist()) == {1}
    assert set(one.examples(entry, 40, 0)[0].labels.tolist()) == {0, 1}
    assert one.examples(next(entry for entry in one.entries if entry.fault), 5, 0) == ()


# Monitors and thresholds.


def test_no_two_lines_share_a_threshold(parameters):
    scored = [*OWN, *(f"{name}/{AS_PUBLISHED}" for name in OWN), "knn"]
    found = list(lines(parameters, "digits", scored))
    assert len({id(line.threshold) for line in found}) == len(found) == 10
    rules = {line.name: (type(line.threshold), line.scores, line.on_training) for line in found}
    for name, rule, trains in (("alooc", ClassMean, True), ("oob", Fixed, False), ("odin", TrainingExtreme, True)):
        assert rules[name] == (Quantile, name, False)
        assert rules[f"{name}/{PUBLISHED_RULE}"] == (rule, name, trains)
        assert rules[f"{name}/{AS_PUBLISHED}"] == (rule, f"{name}/{AS_PUBLISHED}", trains)
    assert rules["knn"] == (Quantile, "knn", False)


@pytest.mark.parametrize(
    ("data", "clusters", "gamma", "step"), [("gtsrb", 3, 0.1, 0.0025), ("cifar10-jpeg", 5, 0.35, 0.0014)]
)
def test_the_papers_sets_have_the_papers_settings(parameters, data, clusters, gamma, step):
    found = watching(parameters, data, untrained("farm-lenet"), "dropout", 0)
    fixed = next(one.threshold for one in lines(parameters, data, ["oob"]) if isinstance(one.threshold, Fixed))
    assert fixed.value == gamma
    for name in ("oob", f"oob/{AS_PUBLISHED}"):
        assert found[name].parameters()["clusters"] == clusters
        assert found[name].parameters()["layer"] == "hidden"
    assert found["odin"].parameters() | {"epsilon": step} == found["odin"].parameters()
    published = PUBLISHED["gtsrb" if data == "gtsrb" else "cifar10"]
    assert {key: found[f"odin/{AS_PUBLISHED}"].parameters()[key] for key in published} == published
    assert [one.parameters()["as_published"] for name, one in found.items() if name.partition("/")[0] in OWN] == (
        [False] * 3 + [True] * 3
    )
    assert found["alooc"].parameters()["epochs"] == parameters.alooc_epochs


def untrained(name, size=(28, 28)):
    network = ARCHITECTURES[name].build(1, size, 4)
    initialise(network, 0)
    return wrap(network, tuple("abcd"), name=name)


@pytest.mark.parametrize(
    "name", [name for name, one in ARCHITECTURES.items() if one.surprise and name != "resnet50-v1"]
)
def test_monitors_are_made_for_the_layers_and_the_dropout_that_there_are(parameters, name):
    found = watching(replace(parameters, supervisors=()), "digits", untrained(name), "FEATURES", 0)
    entry = ARCHITECTURES[name]
    assert set(found) >= {*OWN, "knn", "mdsa", "ensemble_mean_softmax"}
    # The paper's slips are shown on its own network alone.
    slips = {one for one in found if one.endswith(AS_PUBLISHED)}
    assert slips == ({f"{one}/{AS_PUBLISHED}" for one in OWN} if name == parameters.architectures[0] else set())
    assert ("dissector" in found) == bool(entry.dissector)
    without = {"farm-lenet-pytorch", "resnet20"}.union(*FAMILIES.values())
    assert ("mc_mean_softmax" in found) == (name not in without)
    assert found["mdsa"].parameters()["layer"] == found["oob"].parameters()["layer"] == entry.surprise
    assert found["knn"].parameters()["layer"] == "FEATURES"


def test_thresholds_are_fitted_on_the_images_that_the_rule_names(first):
    tensors = readouts(first)
    train, calibrate, usual = (readout(tensors, name) for name in (TRAIN, CALIBRATE, NOMINAL))
    material = first.material
    for one, images in ((train, material.train), (calibrate, material.calibrate(0)), (usual, material.test(0))):
        assert one.ids.tolist() == images.ids.tolist()
        assert one.labels.tolist() == images.labels.tolist()
        assert not one.ood.any()
    rates = {}
    for line in lines(first.parameters, "digits", usual.scores):
        own = train if line.on_training else calibrate
        fitted(line.threshold, line.scores, own)
        rates[line.name] = float(alarms(own, line.scores, line.threshold).double().mean())
        if isinstance(line.threshold, Quantile) and own.scores[line.scores].isfinite().all():
            assert rates[line.name] <= first.parameters.false_alarms
        finite = own.scores[line.scores].isfinite()
        if isinstance(line.threshold, TrainingExtreme):
            assert not alarms(own.of(finite), line.scores, line.threshold).any()
        if isinstance(line.threshold, ClassMean):
            limit = line.threshold.limits
            for c, each in zip(limit.groups.tolist(), limit.each.tolist(), strict=True):
                assert each == pytest.approx(float(own.scores[line.scores][finite & (own.predicted == c)].mean()))
    assert 0.2 < rates[f"alooc/{PUBLISHED_RULE}"] < 0.8  # by construction
    told = of(piece(first.parameters, "digits: farm-lenet 0"), "nominal", "fpr").set_index("method")["value"]
    for line in lines(first.parameters, "digits", usual.scores):
        fitted(line.threshold, line.scores, train if line.on_training else calibrate)
        assert told[line.name] == pytest.approx(float(alarms(usual, line.scores, line.threshold).double().mean()))


def test_one_image_at_a_time_alarms_as_a_batch_does_and_as_the_experiment_says(first):
    watched, tensors = first.fitted(), readouts(first)
    calibrate, usual = readout(tensors, CALIBRATE), readout(tensors, NOMINAL)
    images = first.material.test(0).take(slice(0, 6))
    for line in lines(first.parameters, "digits", THREE):
        if not isinstance(line.threshold, Quantile):
            continue
        monitor = Monitor(first.classifier, watched[line.name], fitted(line.threshold, line.name, calibrate))
        stream = torch.cat([monitor(images.images[at : at + 1]) for at in range(len(images))])
        assert stream.tolist() == monitor(images).tolist()
        assert stream.tolist() == alarms(usual, line.name, line.threshold)[:6].tolist()


# Pieces.


def test_every_parameter_decides_readouts_rows_or_which_pieces_there_are():
    decide = {"data", "architectures", "runs", "further_runs"}
    assert {one.name for one in fields(Parameters)} == decide | set(ROWED)
    assert not decide & set(ROWED)
    assert set(ROWED) - set(READ) == {"false_alarms", "shown", "resamples"}


OTHERS = {
    "left_out": ("7",), "novel": (), "faults": ("fog",), "network_epochs": 1, "members": 3, "samples": 5,
    "supervisors": ("energy",), "alooc_epochs": 2, "vae_epochs": 2, "dissector_epochs": 2, "trained_on": 400,
    "images": 150, "calibration": 0.5, "seed": 1, "false_alarms": 0.2, "shown": 3, "resamples": 30,
}  # fmt: skip


def test_each_parameter_that_is_read_makes_other_pieces(run, parameters):
    assert set(OTHERS) == set(ROWED)
    name = pieces(parameters)[0]
    assert missing(parameters, name) == []
    for parameter, value in OTHERS.items():
        assert missing(replace(parameters, **{parameter: value}), name), parameter


def test_pieces_are_one_a_classifier_and_sets_take_turns(parameters):
    many = replace(parameters, data=("digits", "mnist5k"), architectures=("farm-lenet", "resnet20"), runs=2)
    assert pieces(many) == [
        "digits: farm-lenet 0", "mnist5k: farm-lenet 0", "digits: farm-lenet 1", "mnist5k: farm-lenet 1",
        "digits: resnet20 0", "mnist5k: resnet20 0",
    ]  # fmt: skip
    own = {"digits/train", "digits/test", "mnist5k/train", "mnist5k/test"}
    assert set(inputs(many)) == own | {"photos/train", "photos/test"}
    assert set(inputs(replace(many, novel=()))) == own


def test_what_is_read_is_what_pieces_hang_on(parameters):
    """Novelties are no less data than nominal images: as the paper's sets have them, and as others do."""
    one = Material(parameters, "digits")
    assert one.reads == [("digits", "train"), ("digits", "test"), ("photos", "train"), ("photos", "test")]
    assert Material(parameters, "gtsrb-thin").reads == [
        ("gtsrb-thin", "train"), ("gtsrb-thin", "test"), ("btsc-test", "test"), ("cifar10-jpeg", "test"),
    ]  # fmt: skip
    assert Material(parameters, "cifar10").reads == [
        ("cifar10", "train"), ("cifar10", "test"), ("gtsrb", "train"), ("gtsrb", "test"),
    ]  # fmt: skip
    depends = _spec(System(parameters, "digits", "farm-lenet", 0), READ)
    read = inputs(parameters)
    assert {read["digits/train"], read["digits/test"]} == set(depends["data"].values()) - {"digits"}
    assert [read["photos/train"], read["photos/test"]] == depends["novel"]["photos"]


def test_a_piece_read_twice_is_the_same(run, parameters):
    one, again = (piece(parameters, "digits: farm-lenet 1") for _ in range(2))
    pd.testing.assert_frame_equal(one, again)
    assert set(one["seed"]) == {1.0}
    assert {"cases", "shown"}.isdisjoint(one["table"])  # the first classifier's alone


def _same(found, expected):
    """On several threads a pseudo-inverse differs from run to run in its last digits."""
    assert set(found) == set(expected)
    for name, values in expected.items():
        torch.testing.assert_close(
            found[name],
            values,
            rtol=1e-6,
            atol=1e-9,
            equal_nan=True,
            check_dtype=False,
            msg=lambda why, at=name: f"{at}: {why}",
        )


def test_a_piece_does_not_hang_on_which_others_there_are(first):
    p = first.parameters
    name = "digits: farm-lenet 0"
    more = replace(p, data=("mnist5k", "digits"), architectures=("farm-lenet", "resnet20"), runs=5, further_runs=2)
    assert missing(more, name) == []
    alone = System(more, "digits", "farm-lenet", 0).readouts()
    _same(alone, readouts(first))
    # Rows of which one classifier is enough hang on which is the first.
    assert missing(replace(p, architectures=("resnet20", "farm-lenet"), further_runs=1), name)


def test_a_killed_run_does_not_score_a_set_again(first, monkeypatch):
    monkeypatch.setattr(system, "PAUSE", 0.0)
    whole, scratch = readouts(first), Scratch(None)
    marked = {name: torch.full_like(values, 7) for name, values in whole.items() if name.startswith(f"{CALIBRATE}|")}
    scratch.save(marked)
    again = System(first.parameters, "digits", "farm-lenet", 0).readouts(scratch)
    _same(again, {**whole, **marked})
    kept = scratch.load()
    assert set(kept) == {name for name in whole if not name.startswith(f"{LEARNT}|")}


def test_an_ensembles_further_members_come_after_all_runs(run, parameters):
    # Who reads no ensemble does not train one, nor hang on how many runs come before it.
    assert [entry.kind for entry in store.entries()].count("network") == parameters.runs
    one = System(parameters, "digits", "farm-lenet", 0)
    assert not one.ensemble
    assert _spec(one, READ) == _spec(replace(one, parameters=replace(parameters, runs=7)), READ)
    for runs in (1, 3):
        p = replace(parameters, supervisors=("ensemble_mean_softmax",), runs=runs)
        reads = replace(one, parameters=p)
        assert reads.ensemble
        assert _spec(reads, READ)["first member"] == runs
    assert System(replace(parameters, supervisors=()), "digits", "farm-lenet", 0).ensemble  # none named: all


def test_makers_are_those_that_pieces_read():
    assert {"network", "alooc", "monitor-readouts", "monitor-rows"} <= {one.kind for one in MAKERS}
    assert all(store.MAKERS[one.kind] is one for one in MAKERS)


# Bad parameters.


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"data": ()}, "at least one image set"),
        ({"architectures": ()}, "one classifier"),
        ({"architectures": ("mlm-cnn",)}, r"'mlm-cnn' does not say which layer is its last hidden one.*farm-lenet"),
        ({"architectures": ("farm-lent",)}, "Did you mean 'farm-lenet'"),
        ({"faults": ("fogg",)}, r"no fault 'fogg'\. Did you mean 'fog'"),
        ({"supervisors": ("mdssa",)}, "Did you mean 'mdsa'"),
        ({"calibration": 1.0}, r"'calibration' is 1\.0, expected 0\.05 to 0\.9"),
        ({"calibration": 0.0}, "'calibration' is 0"),
        ({"false_alarms": 0.0}, r"'false_alarms' is 0\.0, expected 0\.001 to 0\.5"),
        ({"members": 1}, "'members' is 1, expected 2 to 100"),
        ({"samples": 1}, "'samples' is 1"),
        ({"alooc_epochs": 0}, "'alooc_epochs' is 0, expected at least 1"),
        ({"shown": 0}, "'shown' is 0"),
        ({"resamples": 5}, "'resamples' is 5"),
        ({"runs": 0}, "'runs' is 0"),
        ({"left_out": ("8", "8")}, "'left_out' names '8' twice"),
        ({"image": 5}, "Did you mean 'images'"),
    ],
)
def test_a_bad_parameter_is_named(parameters, changed, said):
    with pytest.raises(MistrustError, match=said):
        Parameters.of({**asdict(parameters), **changed})


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"left_out": ("8", "ten")}, r"There is no class of 'digits' to leave out 'ten'"),
        (
            {"left_out": tuple("123456789")},
            "left_out names 9 of the 10 classes of 'digits', and a classifier needs two",
        ),
        ({"novel": ("digits",)}, r"'digits' is nominal \(data\) and its own novelty \(novel\)"),
        (
            {"novel": ("photos", "mnist5k")},
            r"'mnist5k' is a novelty \(novel\) and has known classes of 'digits' \(data\): '0', '1', '2', \.\.\.\. "
            r"Name another set, or leave these classes out \(left_out\)\..*rename those of your own set "
            r"\(its classes\.txt\).*assemble\(BenchmarkSet\(\.\.\., shared=\(\(0, 0\), \(1, 1\), \(2, 2\), \.\.\.\)\)",
        ),
        (
            {"images": 40},
            r"16 test images of 'digits' set thresholds.* at least 19: raise images \(now 40; 0 takes all\)",
        ),
        ({"faults": ("fog", "saturate")}, "Fault 'saturate' changes colours, and all image sets .digits. are grey"),
        ({"data": ("digit",)}, "Did you mean 'digits'"),
        ({"trained_on": 9999}, "'trained_on' is 9999, but 'digits' has 1297 train images. Ask for fewer, or 0 for all"),
        ({"images": 501}, "'images' is 501, but 'digits' has 500 test images. Ask for fewer, or 0 for all"),
    ],
)
def test_what_only_the_data_can_tell_is_refused_before_anything_is_made(parameters, changed, said):
    bad = replace(parameters, **changed)
    with pytest.raises(MistrustError, match=said):
        check(bad)
    name = pieces(bad)[0]
    for refusing in (missing, piece):
        with pytest.raises(MistrustError, match=said):
            refusing(bad, name)


def test_a_novelty_that_does_not_exist_is_named(parameters):
    bad = replace(parameters, novel=("photoss",))
    with pytest.raises(MistrustError, match="Did you mean 'photos'"):
        missing(bad, pieces(bad)[0])


def test_what_is_allowed_is_not_refused(parameters):
    check(parameters)
    check(replace(parameters, images=48))  # 19 calibration images are enough for 5 %
    check(replace(parameters, data=("digits", "photos"), left_out=(), novel=(), faults=("saturate",)))  # one in colours
    # Novelties may share classes with each other, and a class that was left out is not known.
    check(replace(parameters, data=("photos",), trained_on=0, images=0, left_out=(), novel=("digits", "mnist5k")))
    # A default is nobody's wish: of a smaller set it takes what there is.
    check(replace(parameters, data=("photos",), trained_on=1200, images=0, left_out=(), novel=("digits", "mnist5k")))


@pytest.mark.parametrize("name", ["smoke", "quick"])
def test_profiles_of_embedded_images_are_allowed(name):
    check(profiles.profile(CHAPTERS[CHAPTER], name))


def test_no_class_of_the_papers_novelties_has_the_name_of_a_known_one():
    """So profiles of its sets, whose images are not everywhere, are allowed, too."""
    rules = [one for one in BENCHMARK_SETS.values() if one.novel]
    assert len(rules) == 3
    for data, paper in PAPERS.items():
        for rule in rules:
            if rule.nominal == paper:
                for novel in (rule.novel, COPIES[rule.novel]):
                    assert not set(SOURCES[novel].classes) & set(SOURCES[data].classes)
