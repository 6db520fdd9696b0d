"""The sets of novelty with compressed signs: what is compressed, what is fitted on what, and what rows say of it."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd
import pytest
import torch
from sklearn.metrics import roc_auc_score, roc_curve

from mistrust.monitoring.experiment import Parameters, compressed, piece, pieces
from mistrust.monitoring.experiment import kept as keeping
from mistrust.monitoring.experiment.compressed import ANEW, LOSSLESS, READ, TABLE, TESTED, Repeat, Signs, repeated, spec
from mistrust.monitoring.experiment.material import Material
from mistrust.monitoring.experiment.over_runs import of_pieces
from mistrust.monitoring.experiment.parameters import CHAPTER
from mistrust.monitoring.experiment.system import AS_JPEG, CALIBRATE, NOMINAL, TRAIN, System, plain
from mistrust.monitoring.jpeg import QUALITY, as_jpeg
from mistrust.monitoring.readouts import readout
from mistrust.monitoring.tables import __doc__ as described
from mistrust.parts import measured
from mistrust.publishing import profiles
from mistrust.publishing.chapters import CHAPTERS
from mistrust.store import key

pytestmark = pytest.mark.whole

CONDITIONS = ["novelty/left out", "novelty/photos"]
METHODS = {"alooc", "oob", "odin", "max_softmax", "mdsa"}


@dataclass(frozen=True)
class Made:
    """Rows of digits, taken for signs; the readouts that they are of, and the store that the repeat lies in."""

    store: Path
    tensors: Mapping[str, torch.Tensor]
    rows: pd.DataFrame


@pytest.fixture(scope="module")
def made(kept, parameters, tmp_path_factory):
    one = System(parameters, "digits", "farm-lenet", 0)
    store = shutil.copytree(kept.store, tmp_path_factory.mktemp("compressed") / "copy")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MISTRUST_STORE", str(store))
        patch.setenv("MISTRUST_PROGRESS", "0")
        jpeg = plain(as_jpeg(one.material.test(0)))  # a classifier of signs has readouts of these
        tensors = {**keeping.readouts(one), **one.scores(AS_JPEG, jpeg, one.fitted())}
        patch.setattr(compressed, "signs_known", lambda _: True)
        patch.setattr(keeping, "readouts", lambda _: tensors)
        return Made(store, tensors, measured(repeated(one)))


@pytest.fixture
def tensors(made):
    return made.tensors


@pytest.fixture
def rows(made, monkeypatch):
    monkeypatch.setenv("MISTRUST_STORE", str(made.store))
    monkeypatch.setenv("MISTRUST_ENGINE", "inline")
    return made.rows


@pytest.fixture
def one(rows, parameters):
    """The tiny run's first classifier, read from the store."""
    return System(parameters, "digits", "farm-lenet", 0)


def value(rows, at, metric, method="odin", condition="novelty/photos"):
    same = {"at": at, "metric": metric, "method": method, "condition": condition}
    chosen = rows
    for name, wanted in same.items():
        chosen = chosen[chosen[name] == wanted]
    return chosen["value"].item()


# Which pieces there are.


def test_every_classifier_of_the_full_profile_has_a_repeat_behind_all_else():
    full = pieces(profiles.profile(CHAPTERS[CHAPTER], "full"))
    assert full[-8:] == [
        f"{data}: compressed, {network}"
        for network in ("farm-lenet 0", "farm-lenet 1", "farm-lenet 2", "resnet20 0")
        for data in ("gtsrb-thin", "cifar10-jpeg")
    ]
    assert sum(TABLE in name for name in full) == 8


@pytest.mark.parametrize("profile", ["smoke", "quick", "paper"])
def test_where_photographs_are_no_jpeg_there_is_nothing_to_repeat(profile):
    """Embedded sets have no signs, and complete ones no JPEG."""
    assert not any(TABLE in name for name in pieces(profiles.profile(CHAPTERS[CHAPTER], profile)))


def test_the_quality_is_that_of_the_issue():
    assert QUALITY == 75
    assert f"{TABLE} " in described


# What is compressed.


def test_all_parts_of_a_nominal_set_are_compressed_and_the_same_images_as_before(parameters):
    was, now = Material(parameters, "digits"), Signs(parameters, "digits")
    for before, after in (
        (was.train, now.train), (was.calibrate(1), now.calibrate(1)), (was.test(1), now.test(1)),
    ):  # fmt: skip
        assert torch.equal(after.ids, before.ids)
        assert torch.equal(after.images, as_jpeg(before).images)
        assert not torch.equal(after.images, before.images)
        assert (after.name, after.classes) == (f"digits, JPEG {QUALITY}", before.classes)


def test_sets_of_novelty_alone_are_left_and_their_images_are_as_they_are(parameters):
    was, now = Material(parameters, "digits"), Signs(parameters, "digits")
    assert [one.condition for one in now.entries] == CONDITIONS
    assert len(was.entries) > len(now.entries)
    for entry in now.entries:
        both = zip(was.novel(entry), now.novel(entry), strict=True)
        assert all(before.checksum == after.checksum for before, after in both)


def test_a_repeat_watches_and_scores_no_more_than_it_is_asked(parameters):
    again = Repeat(parameters, "digits", "farm-lenet", 0)
    streams = [name for name, _ in System(parameters, "digits", "farm-lenet", 0)._streams()]
    assert TRAIN in streams
    found = [name for name, _ in again._streams()]
    assert found == [CALIBRATE, NOMINAL, "digits/novelty/left out", "digits/novelty/photos"]


# What rows say.


def test_rows_have_every_monitor_that_is_right_in_three_states(rows):
    assert set(rows["table"]) == {TABLE}
    assert rows["value"].between(-1, 1).all()
    judged = rows[rows["condition"] != "nominal"]
    assert set(judged["condition"]) == set(CONDITIONS)
    for _, own in judged.groupby(["at", "condition", "metric"]):
        assert set(own["method"]) == METHODS
    assert set(judged["metric"]) == {"auroc", "fpr95", "mcc", "fpr", "fnr"}
    assert list(dict.fromkeys(rows["at"])) == [LOSSLESS, TESTED, ANEW]
    right = rows[rows["condition"] == "nominal"]
    assert right[["at", "method", "metric"]].to_numpy().tolist() == [
        [at, "network", "accuracy"] for at in (LOSSLESS, TESTED, ANEW)
    ]
    assert (right["low"] < right["value"]).all()


def test_as_they_are_they_say_what_the_classifiers_own_piece_says(rows, one, parameters):
    own = piece(parameters, "digits: farm-lenet 0")
    own = own[own["table"].isin(["detection", "others"]) & own["condition"].isin(CONDITIONS)]
    seen = set()
    for row in own[own["method"].isin(METHODS)].to_dict("records"):
        if row["metric"] in ("auroc", "fpr95", "mcc", "fpr", "fnr"):
            found = value(rows, LOSSLESS, row["metric"], row["method"], row["condition"])
            assert found == pytest.approx(row["value"], abs=1e-12)
            seen.add(row["metric"])
    assert seen == {"auroc", "fpr95", "mcc", "fpr", "fnr"}


def test_tested_signs_alone_are_compressed_where_nothing_is_fitted_anew(rows, tensors):
    calibrate, jpeg = readout(tensors, CALIBRATE), readout(tensors, AS_JPEG)
    bad = readout(tensors, "digits/novelty/photos")
    scores = torch.cat([jpeg.scores["odin"], bad.scores["odin"]]).numpy()
    news = [0] * len(jpeg) + [1] * len(bad)
    assert value(rows, TESTED, "auroc") == pytest.approx(roc_auc_score(news, scores), abs=1e-12)
    false, true, _ = roc_curve(news, scores, drop_intermediate=False)
    assert value(rows, TESTED, "fpr95") == pytest.approx(false[true >= 0.95].min(), abs=1e-12)
    assert value(rows, TESTED, "auroc") != value(rows, LOSSLESS, "auroc")
    # The limit is that of images as they are.
    limit = calibrate.scores["odin"].sort(descending=True).values[int(0.05 * (len(calibrate) + 1)) - 1]
    alarms = float((jpeg.scores["odin"] > limit).double().mean())
    assert value(rows, TESTED, "fpr") == pytest.approx(alarms, abs=1e-12)
    assert value(rows, TESTED, "fnr") == value(rows, LOSSLESS, "fnr")


def test_fitted_anew_means_another_network_whose_monitors_learnt_compressed_images(rows, one):
    again = Repeat(one.parameters, "digits", "farm-lenet", 0)
    assert again.classifier.key != one.classifier.key
    test = as_jpeg(one.material.test(0))
    right = (again.classifier(test.floats()).argmax(1) == test.labels).double().mean().item()
    assert value(rows, ANEW, "accuracy", "network", "nominal") == pytest.approx(right, abs=1e-12)
    watched = again.watched()
    assert set(watched) == METHODS
    again.fit({"mdsa": watched["mdsa"]})
    found = again.scores(CALIBRATE, plain(again.material.calibrate(0)), {"mdsa": watched["mdsa"]})
    held = compressed.readouts_anew(again)  # made by the rows
    assert torch.equal(found[f"{CALIBRATE}|mdsa"], held[f"{CALIBRATE}|mdsa"])
    assert f"{TRAIN}|predicted" not in held
    assert f"{AS_JPEG}|predicted" not in held


def test_signs_that_are_new_are_compressed_in_place_of_the_nominal_half(one, tensors):
    (entry,) = [one for one in Signs(one.parameters, "digits").entries if one.novel == "photos"]
    bad = readout(tensors, entry.name)
    jpeg = {
        f"{AS_JPEG}|{name.rpartition('|')[2]}": values + 1 if name.endswith(("odin", "predicted")) else values
        for name, values in tensors.items()
        if name.startswith(f"{entry.name}|")
    }
    both = tensors | jpeg
    base, news = compressed.sets_as_jpeg(both, [entry], known=False)["novelty/photos"]
    assert base.ids.tolist() == readout(tensors, NOMINAL).ids.tolist()
    assert torch.equal(news.scores["odin"], bad.scores["odin"] + 1)
    assert torch.equal(news.predicted, bad.predicted + 1)
    assert news.ood.all()


# What a piece depends on, and where its rows go.


def test_a_repeat_is_made_anew_for_what_it_reads_alone(parameters):
    one = System(parameters, "digits", "farm-lenet", 0)
    other = {
        "left_out": ("7",), "novel": (), "network_epochs": 1, "members": 3, "samples": 5, "supervisors": ("energy",),
        "alooc_epochs": 2, "vae_epochs": 2, "dissector_epochs": 2, "trained_on": 400, "images": 150,
        "calibration": 0.5, "seed": 1, "false_alarms": 0.1, "faults": ("fog",), "shown": 3, "resamples": 30,
    }  # fmt: skip
    changed = {
        name for name, value in other.items()
        if spec(replace(one, parameters=replace(parameters, **{name: value}))) != spec(one)
    }  # fmt: skip
    assert changed == {*READ, "false_alarms"}
    assert set(other) - changed == {"faults", "shown", "resamples"}


def test_a_repeats_readouts_are_not_the_classifiers_own(parameters):
    one = System(parameters, "digits", "farm-lenet", 0)
    again = {**keeping.spec(Repeat(parameters, "digits", "farm-lenet", 0), READ), "jpeg": QUALITY}
    assert key(keeping.READOUTS, again) != key(keeping.READOUTS, keeping.spec(one, keeping.READ))


def test_rows_of_a_whole_run_keep_the_repeat_by_run_and_make_no_means_of_it(rows, parameters):
    single = piece(parameters, "digits: farm-lenet 0")
    common = {"chapter": CHAPTER, "data": "digits", "network": "farm-lenet", "seed": 0.0, "made": "f3"}
    alone = of_pieces(single, parameters)
    found = of_pieces(pd.concat([single, rows.assign(**common)], ignore_index=True), parameters)
    assert len(found) == len(alone) + len(rows)
    assert (found[found["table"] == TABLE]["made"] == "f3").all()


def test_signs_and_photographs_of_the_thinned_copies_meet():
    for data, known in (("gtsrb-thin", True), ("cifar10-jpeg", False)):
        one = System(Parameters(data=(data,)), data, "farm-lenet", 0)
        assert compressed.asked(one)
        assert compressed.signs_known(one) is known
