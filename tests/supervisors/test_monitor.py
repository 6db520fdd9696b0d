"""Monitors: streams equal batches, saved ones alarm the same, broken folders and other classifiers are refused."""

import hashlib
import json
import os
import re
import signal
import time
import warnings
from copy import deepcopy
from dataclasses import dataclass, replace

import numpy as np
import pytest
import torch

from mistrust.data import ImageSet
from mistrust.errors import MistrustError, MistrustWarning, UnknownName
from mistrust.networks import observe, wrap
from mistrust.supervisors import (
    SUPERVISORS,
    Card,
    ClassMean,
    Fixed,
    Monitor,
    NotFitted,
    Quantile,
    TrainingExtreme,
    load_monitor,
    load_supervisor,
    make_supervisor,
    needed,
    save_supervisor,
    supervisor,
)
from mistrust.supervisors.given_images import numbers
from mistrust.supervisors.judging import empty_store
from mistrust.supervisors.made_up import made_up
from mistrust.supervisors.saving import _text, described, plain, restored, write
from mistrust.supervisors.softmax import MaxSoftmax

# One of each kind of need: logits, samples, members, a layer.
KINDS = ("softmax_entropy", "mc_mutual_information", "ensemble_mutual_information", "mdsa")


@pytest.fixture(scope="module")
def world():
    return made_up()


def monitor(world, name="softmax_entropy", **more):
    layer = {"layer": "dropped"} if name == "mdsa" else {}
    members = world.members if name.startswith("ensemble") else ()
    more = {"samples": 8, "members": members, "threshold": Quantile(0.1), **more}
    return Monitor.fit(world.classifier, make_supervisor(name, **layer), world.training, world.nominal, **more)


def many(world):
    """Images of every kind, without ids or labels."""
    return torch.cat([part.images[:9] for part in (world.nominal, world.ambiguous, world.novel)])


@pytest.mark.parametrize("name", KINDS)
def test_law_a_stream_of_single_images_gives_what_a_batch_gives(world, name):
    watching, images = monitor(world, name, block=5), many(world)
    whole = watching.watch(images)
    single = [watching.watch(images[i : i + 1]) for i in range(len(images))]
    torch.testing.assert_close(torch.cat([one.scores for one in single]), whole.scores, rtol=1e-5, atol=1e-7)
    assert torch.equal(torch.cat([one.alarms for one in single]), whole.alarms)
    assert torch.equal(torch.cat([one.predicted for one in single]), whole.predicted)
    backwards = watching.watch(images.flip(0))
    torch.testing.assert_close(backwards.scores.flip(0), whole.scores, rtol=1e-5, atol=1e-7)
    assert watching(images[:0]).shape == (0,)


@pytest.mark.parametrize("name", KINDS)
def test_alarms_are_those_of_supervisor_and_threshold_on_one_record(world, name):
    watching = monitor(world, name)
    asked = needed([watching.supervisor], samples=8, members=watching.members)
    scores = watching.supervisor.score(observe(world.classifier, world.ambiguous, **asked))
    torch.testing.assert_close(watching.watch(world.ambiguous).scores, scores, rtol=1e-5, atol=1e-7)
    assert torch.equal(watching(world.ambiguous), watching.threshold.alarms(scores))
    assert watching(world.ambiguous).dtype == torch.bool
    assert float(watching(world.nominal).double().mean()) <= 0.1
    worse = world.novel if name == "mdsa" else world.ambiguous
    assert float(watching(worse).double().mean()) > 0.9


def test_dropout_masks_hang_on_pixels_alone(world):
    """Equal images have equal scores, bytes those of bytes / 255, and images that share a number do not disturb."""
    watching = monitor(world, "mc_mean_softmax")
    bytes_ = (many(world) * 255).round().to(torch.uint8)
    scores = watching.watch(bytes_).scores
    assert torch.equal(watching.watch(torch.cat([bytes_, bytes_, bytes_])).scores, scores.repeat(3))
    assert torch.equal(watching.watch(bytes_.to(torch.float32) / 255).scores, scores)
    # Other pixels, other masks.
    drawn = numbers(world.training)
    assert len(drawn.unique()) > 0.4 * len(drawn)  # 180 of 256 numbers: 130 are expected
    assert 0 <= int(drawn.min()) <= int(drawn.max()) < 256


def test_limits_by_predicted_class(world):
    watching = monitor(world, threshold=ClassMean())
    assert watching.threshold.limits.groups.tolist() == [0, 1, 2]
    found = watching.watch(world.nominal)
    for c in range(3):
        mean = found.scores[found.predicted == c].mean()
        assert float(watching.threshold.limits.each[c]) == pytest.approx(float(mean))
    assert monitor(world, threshold=ClassMean(), by_class=False).threshold.limits.groups.tolist() == []
    assert monitor(world, by_class=True).threshold.limits.groups.tolist() == [0, 1, 2]


def test_one_pass_feeds_several(world):
    one, two = make_supervisor("mdsa", layer="dropped"), make_supervisor("lsa", layer="rectified")
    several = [MaxSoftmax(), one, two, make_supervisor("mc_variation_ratio")]
    assert needed(several, samples=5) == {"samples": 5, "layers": ["dropped", "rectified"]}
    assert needed(several, samples=5, fitting=True) == {"layers": ["dropped", "rectified"]}  # samples teach nothing
    one.fit(observe(world.classifier, world.training, layers=["dropped"]))
    assert needed([one, replace(one)], layers=["hidden"]) == {"layers": ["hidden", "dropped"]}
    assert needed([make_supervisor("ensemble_mean_softmax")], members=world.members)["members"] == list(world.members)
    assert needed([]) == {}
    several_layers = [make_supervisor("dissector", layers=("hidden", "dropped"))]
    assert needed(several_layers) == {"layers": ["hidden", "dropped"]}
    assert needed(several_layers, fitting=True) == {}  # of all training images they are too many: fitting streams them


# Saving


@pytest.mark.parametrize("name", KINDS)
def test_a_saved_monitor_alarms_the_same(world, tmp_path, name):
    watching, images = monitor(world, name, seed=3), many(world)
    assert watching.save(tmp_path / "deep" / "monitor") == tmp_path / "deep" / "monitor"
    again = load_monitor(tmp_path / "deep" / "monitor", world.classifier, watching.members)
    assert torch.equal(again.watch(images).scores, watching.watch(images).scores)
    assert torch.equal(again(images), watching(images))
    assert (again.samples, again.seed, again.block) == (watching.samples, watching.seed, watching.block)
    assert type(again.threshold) is Quantile
    assert again.supervisor.parameters() == watching.supervisor.parameters()
    record = observe(world.classifier, world.novel, **needed([watching.supervisor], members=watching.members))
    alone = load_supervisor(tmp_path / "deep" / "monitor")
    assert torch.equal(alone.score(record), watching.supervisor.score(record))


@pytest.mark.parametrize("kind", [np.int64, np.int32, torch.tensor])
def test_counts_of_any_library_are_saved(world, tmp_path, kind):
    watching = monitor(world, "mc_mutual_information", seed=kind(3), block=kind(50), samples=kind(4))
    again = load_monitor(watching.save(tmp_path / "monitor"), world.classifier)
    assert (again.samples, again.seed, again.block) == (4, 3, 50)
    assert type(watching.seed) is type(watching.block) is type(watching.samples) is int
    assert torch.equal(again.watch(many(world)).scores, watching.watch(many(world)).scores)
    one = Monitor(world.classifier, watching.supervisor, watching.threshold, samples=kind(4), seed=kind(2**31 - 1))
    assert load_monitor(one.save(tmp_path / "monitor"), world.classifier).seed == 2**31 - 1


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        (None, "Sides of an image's shape are None, expected numbers"),
        ((28, 28), "shape is (28, 28), expected (channels, height, width)"),
        ((1, -2, 3), "A side of an image's shape is -2, expected a number of at least 1"),
        ((1, 1.5, 2), "expected whole numbers"),
    ],
)
def test_a_shape_that_is_none_is_refused(world, shape, message):
    with pytest.raises(MistrustError, match=re.escape(message)):
        replace(monitor(world, "max_softmax"), shape=shape)


@pytest.mark.parametrize("name", ["samples", "seed", "block"])
@pytest.mark.parametrize("value", ["abc", float("nan"), 2.5, None])
def test_counts_that_are_none_are_refused_before_anything_is_fitted(world, name, value):
    made = make_supervisor("softmax_entropy")
    with pytest.raises(MistrustError, match=f"^{name} is .*, expected a "):
        Monitor.fit(world.classifier, made, world.training, world.nominal, **{name: value})
    assert made.fitted is None
    watching = monitor(world)
    with pytest.raises(MistrustError, match=f"^{name} is .*, expected a "):
        Monitor(world.classifier, watching.supervisor, watching.threshold, **{name: value})


def test_a_folder_holds_a_card_and_tensors_and_saving_again_leaves_nothing_behind(world, tmp_path):
    monitor(world, threshold=Fixed(0.5)).save(tmp_path)
    monitor(world, "mdsa").save(tmp_path)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert len(names) == 2
    assert names[0].startswith("state-")
    assert names[1] == "supervisor.json"
    card = json.loads((tmp_path / "supervisor.json").read_text())
    assert card["supervisor"]["name"] == "mdsa"
    assert card["threshold"] == {"name": "quantile", "parameters": {"rate": 0.1}}
    assert load_monitor(tmp_path, world.classifier).supervisor.name == "mdsa"


def test_infinite_limits_and_tuples_come_back(world, tmp_path):
    monitor(world, threshold=Fixed(float("inf"))).save(tmp_path)
    assert load_monitor(tmp_path, world.classifier).threshold.value == float("inf")
    given = {"layers": ("hidden", ("a", 1)), "ridge": float("inf"), "none": None}
    assert restored(json.loads(json.dumps(plain(given, "it")))) == given


@pytest.mark.whole
def test_killed_while_saving_the_folder_holds_the_old_or_the_new(world, tmp_path):
    kinds = [monitor(world, threshold=Fixed(1.0)), monitor(world, "mdsa", threshold=Fixed(2.0))]
    kinds[0].save(tmp_path)
    found = set()
    for wait in range(1, 13):
        child = os.fork()
        if child == 0:  # nothing but saving until it is killed
            while True:
                for one in kinds:
                    one.save(tmp_path)
        try:
            time.sleep(wait * 0.004)
        finally:
            os.kill(child, signal.SIGKILL)
            assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
        again = load_monitor(tmp_path, world.classifier)
        found.add((again.supervisor.name, again.threshold.value))
    assert found <= {("softmax_entropy", 1.0), ("mdsa", 2.0)}


def truncate(path):
    path.write_bytes(path.read_bytes()[:-7])


def alter(path):
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("spoil", "file", "message"),
    [
        (truncate, "state-*", r"state-\w+.safetensors is truncated or altered: [\d,]+ bytes with checksum"),
        (alter, "state-*", "is truncated or altered"),
        (lambda path: path.unlink(), "state-*", r"state-\w+.safetensors cannot be read \(No such file"),
        (truncate, "supervisor.json", "supervisor.json is truncated or altered: its checksum does not fit"),
        (
            lambda path: path.write_text(path.read_text().replace('"rate": 0.1', '"rate": 0.2')),
            "supervisor.json",
            "supervisor.json is truncated or altered",
        ),
        (
            lambda path: path.write_text(path.read_text().replace('"format": 1', '"format": 2')),
            "supervisor.json",
            "has format 2, this version reads 1. It was written by mistrust 0.1.0: load it with that version",
        ),
        (
            lambda path: path.unlink(),
            "supervisor.json",
            "There is no saved supervisor in .*: it holds no supervisor.js",
        ),
    ],
)
def test_fault_a_spoilt_folder_is_refused(world, tmp_path, spoil, file, message):
    monitor(world).save(tmp_path)
    spoil(next(tmp_path.glob(file)))
    with pytest.raises(MistrustError, match=message):
        load_monitor(tmp_path, world.classifier)


def written_by_another(folder, change):
    """The card as another version might have written it, checksum and all."""
    card = json.loads((folder / "supervisor.json").read_text())
    del card["check"]
    change(card)
    (folder / "supervisor.json").write_bytes(_text(card))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda card: card["monitor"].pop("seed"), r"supervisor.json lacks monitor: seed, .* written by mistrust 0.1"),
        (lambda card: card.pop("state"), "lacks state: file, state: sha256, state: bytes, which this version reads"),
        (lambda card: card["supervisor"].pop("layers"), "lacks supervisor: layers"),
        (lambda card: card.pop("threshold"), "holds a supervisor without a threshold"),
        (
            lambda card: card["supervisor"]["parameters"].update(weight=3),
            r"holds what this version cannot make. There is no parameter 'weight' of .* names the version that wrote",
        ),
        (lambda card: card["threshold"].update(name="median"), "cannot make. There is no threshold 'median'"),
        (lambda card: card["threshold"]["parameters"].update(rate=7), "cannot make. The alarm rate is 7"),
        (lambda card: card["supervisor"].update(name="another"), "holds a supervisor that is not here.* 'another'"),
    ],
)
def test_fault_what_another_version_wrote_is_told_with_its_version(world, tmp_path, change, message):
    monitor(world).save(tmp_path)
    written_by_another(tmp_path, change)
    with pytest.raises(MistrustError, match=message):
        load_monitor(tmp_path, world.classifier)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda card: card["state"].update(file="../mine.txt"),
            r"supervisor.json holds state: file = '../mine.txt', wh",
        ),
        (lambda card: card["state"].update(bytes="7"), "holds state: bytes = '7', which no version has written. Save"),
        (lambda card: card.update(state=["file", "sha256", "bytes"]), r"holds state = \['file', "),
        (lambda card: card["supervisor"].update(classes=3, layers=None), "classes = 3, supervisor: layers = None, whi"),
    ],
)
def test_fault_a_card_that_no_version_wrote_is_refused_and_nothing_outside_its_folder_removed(
    world, tmp_path, change, message
):
    mine = tmp_path / "mine.txt"
    mine.write_text("precious")
    fitted, folder = monitor(world), tmp_path / "saved"
    fitted.save(folder)
    written_by_another(folder, change)
    with pytest.raises(MistrustError, match=message):
        load_monitor(folder, world.classifier)
    fitted.save(folder)
    assert mine.read_text() == "precious"
    assert load_monitor(folder, world.classifier).supervisor.name == fitted.supervisor.name


@pytest.mark.parametrize("text", [b"[" * 100_000, b'{"state":' * 100_000])
def test_fault_a_card_of_many_brackets_is_refused(world, tmp_path, text):
    monitor(world).save(tmp_path)
    (tmp_path / "supervisor.json").write_bytes(text)
    with pytest.raises(MistrustError, match=r"supervisor.json is truncated or altered"):
        load_monitor(tmp_path, world.classifier)


def test_fault_a_file_that_is_none_of_tensors_is_refused_though_its_card_vouches_for_it(world, tmp_path):
    card = json.loads((monitor(world).save(tmp_path) / "supervisor.json").read_text())
    data = (2**62).to_bytes(8, "little")
    (tmp_path / card["state"]["file"]).write_bytes(data)
    sha256 = hashlib.sha256(data).hexdigest()
    written_by_another(tmp_path, lambda card: card["state"].update(sha256=sha256, bytes=len(data)))
    with pytest.raises(MistrustError, match=r"is no file of tensors .*header too large"):
        load_monitor(tmp_path, world.classifier)


def test_what_another_version_left_out_and_has_a_default_is_that(world, tmp_path):
    monitor(world, "mdsa").save(tmp_path)
    written_by_another(tmp_path, lambda card: card["supervisor"]["parameters"].pop("ridge"))
    assert load_monitor(tmp_path, world.classifier).supervisor.parameters()["ridge"] == make_supervisor("mdsa").ridge


def test_fault_a_tensor_that_another_version_did_not_keep_is_missed_by_name(world, tmp_path):
    knn = make_supervisor("knn", layer="hidden", neighbours=3)
    knn.fit(observe(world.classifier, world.training, layers=["hidden"]))
    card, tensors = described(knn)
    tensors = {name: values for name, values in tensors.items() if name != "train"}
    write(tmp_path, {"supervisor": card}, {f"supervisor/{name}": values for name, values in tensors.items()})
    loaded = load_supervisor(tmp_path)
    with pytest.raises(MistrustError, match=r"holds no tensor 'train' \(squares\), which this version reads.* fit it"):
        loaded.score(observe(world.classifier, world.novel, layers=["hidden"]))


@pytest.mark.parametrize("wrong", [None, 3, b"folder"])
def test_a_folder_that_is_no_path_is_refused(world, wrong):
    fitted = monitor(world)
    message = f"The folder is a {type(wrong).__name__}, expected its path: as text, or a pathlib.Path"
    for call in (
        lambda: fitted.save(wrong), lambda: load_monitor(wrong, world.classifier), lambda: load_supervisor(wrong),
        lambda: save_supervisor(fitted.supervisor, wrong),
    ):  # fmt: skip
        with pytest.raises(MistrustError, match=message):
            call()
    with pytest.raises(MistrustError, match="The folder is a Classifier"):
        load_monitor(world.classifier, "folder")


def test_what_is_saved_is_a_supervisor_and_members_are_a_list(world, tmp_path):
    with pytest.raises(MistrustError, match=r"'mdsa' is the name of a supervisor.*: make_supervisor\(.mdsa., \.\.\.\)"):
        save_supervisor("mdsa", tmp_path)
    monitor(world).save(tmp_path)
    with pytest.raises(MistrustError, match=r"members is the classifier 'made up', expected a list: members=\["):
        load_monitor(tmp_path, world.classifier, world.members[0])


def test_a_folder_that_cannot_be_written_to_is_named(world, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(MistrustError, match=r"file/below cannot be written to \(Not a directory\)"):
        monitor(world).save(tmp_path / "file" / "below")


def test_another_classifier_is_refused_unless_told(world, tmp_path):
    monitor(world, "ensemble_mean_softmax").save(tmp_path)
    members = world.members
    other = wrap(members[0].module, members[0].classes, name="other")
    with pytest.raises(
        MistrustError, match=r"for another classifier: key .* name made up, .*\. Given: key .* name other"
    ):
        load_monitor(tmp_path, other, members)
    with pytest.raises(MistrustError, match="for another classifier"):
        load_monitor(tmp_path, replace(world.classifier, mean=(0.5,)), members)
    with pytest.raises(MistrustError, match=r"for another members: .*\. Given: none\. .* or say any_classifier=True"):
        load_monitor(tmp_path, world.classifier)
    with pytest.raises(MistrustError, match="for another members"):
        load_monitor(tmp_path, world.classifier, members[::-1])
    assert load_monitor(tmp_path, other, members, any_classifier=True).classifier is other


def test_a_classifier_whose_weights_have_changed_is_another(tmp_path):
    own = made_up()
    watching = monitor(own)
    watching.save(tmp_path / "before")
    with torch.no_grad():
        own.classifier.module.get_submodule("head").weight.mul_(2)
    watching.save(tmp_path / "after")  # the limit is that of the weights before
    for folder in ("before", "after"):
        with pytest.raises(MistrustError, match="for another classifier: key"):
            load_monitor(tmp_path / folder, own.classifier)
    with torch.no_grad():
        own.classifier.module.get_submodule("head").weight.div_(2)
    for folder in ("before", "after"):
        assert load_monitor(tmp_path / folder, own.classifier).classifier is own.classifier


def plain_function(world, factor=1.0, **more):
    """The network of a world behind a function, which holds no weights that could be looked at."""
    network = world.classifier.module
    return wrap(lambda images: network(images) * factor, world.classifier.classes, name="service", **more)


def test_a_plain_function_is_known_by_its_answers(world, tmp_path):
    one, other = plain_function(world), plain_function(world, 2.0)
    watching = Monitor.fit(one, MaxSoftmax(), world.training, world.nominal)
    watching.save(tmp_path)
    again = load_monitor(tmp_path, plain_function(world, 1 + 1e-5))  # as another machine rounds
    assert torch.equal(again(world.novel), watching(world.novel))
    with pytest.raises(
        MistrustError, match=r"another classifier: the function 'service' gives other answers to 8 made images .* key="
    ):
        load_monitor(tmp_path, other)
    assert load_monitor(tmp_path, other, any_classifier=True).classifier is other
    again.save(tmp_path)  # what it knows it by goes with it
    with pytest.raises(MistrustError, match="gives other answers"):
        load_monitor(tmp_path, other)
    with pytest.raises(MistrustError, match=r"for another classifier: key \w+, .* Given: key \w+"):
        load_monitor(tmp_path, wrap(other.network, other.classes, name="another"))
    members = [plain_function(world, factor) for factor in (0.5, 0.7)]
    ensemble = make_supervisor("ensemble_mean_softmax")
    Monitor.fit(one, ensemble, world.training, world.nominal, members=members).save(tmp_path)
    assert load_monitor(tmp_path, one, [plain_function(world, factor) for factor in (0.5, 0.7)])
    with pytest.raises(MistrustError, match="another members: the function 'service, service' gives other answers"):
        load_monitor(tmp_path, one, members[::-1])


def test_a_plain_function_with_a_key_is_known_by_it(world, tmp_path):
    asked = []

    def counting(images):
        asked.append(len(images))
        return world.classifier.module(images)

    service = wrap(counting, world.classifier.classes, name="service", key="model 7")
    Monitor.fit(service, MaxSoftmax(), world.training, world.nominal).save(tmp_path)
    before = len(asked)
    load_monitor(tmp_path, service)
    load_monitor(tmp_path, plain_function(world, 2.0, key="model 7"))  # whose word is taken
    assert len(asked) == before
    with pytest.raises(MistrustError, match=r"for another classifier: key model 7, .* Given: key model 8"):
        load_monitor(tmp_path, plain_function(world, key="model 8"))


def test_a_plain_function_that_fails_on_made_images_is_known_by_its_name(world, tmp_path):
    def picky(images):
        if float(images.std()) < 0.25:
            raise ValueError("these are no digits")
        return world.classifier.module(images)

    own = wrap(picky, world.classifier.classes, name="picky")
    Monitor.fit(own, MaxSoftmax(), world.training, world.nominal).save(tmp_path)
    assert load_monitor(tmp_path, own).classifier is own
    # One that nobody showed an image to: no more is known of it than its name.
    fitted = MaxSoftmax().fit(observe(world.classifier, world.training))
    Monitor(plain_function(world), fitted, Fixed(0.0)).save(tmp_path)
    assert load_monitor(tmp_path, plain_function(world, 2.0)).shape == ()


def test_a_supervisor_in_no_table_is_told_of(world, tmp_path):
    watching = monitor(world)

    @supervisor("mine_alone")
    @dataclass(eq=False)
    class Mine(MaxSoftmax):
        pass

    mine = Mine().fit(observe(world.classifier, world.training))
    try:
        replace(watching, supervisor=mine).save(tmp_path)
    finally:
        del SUPERVISORS._entries["mine_alone"]
    with pytest.raises(
        MistrustError,
        match=r"holds a supervisor that is not here. There is no supervisor 'mine_alone'. .*"
        r"If it is one of your own, import the module that defines it first.",
    ):
        load_monitor(tmp_path, world.classifier)
    with pytest.raises(MistrustError, match=r"Mine stands in no table .* Decorate the class with @supervisor"):
        save_supervisor(mine, tmp_path)


def test_a_supervisor_alone_is_no_monitor(world, tmp_path):
    fitted = MaxSoftmax().fit(observe(world.classifier, world.training))
    save_supervisor(fitted, tmp_path)
    with pytest.raises(MistrustError, match=r"holds a supervisor without a threshold: load it with load_supervisor"):
        load_monitor(tmp_path, world.classifier)
    with pytest.raises(NotFitted, match="Max Softmax is not fitted yet, so there is nothing to save"):
        save_supervisor(MaxSoftmax(), tmp_path)


# What is refused


@dataclass(eq=False)
class Knowing(MaxSoftmax):
    card = Card("Knowing", "softmax", "none", "none", "none", ("logits", "labels"), "none")
    rule: object = None


def test_what_a_monitor_refuses(world, tmp_path):
    fitted = MaxSoftmax().fit(observe(world.classifier, world.training))
    with pytest.raises(NotFitted, match=r"Max Softmax is not fitted yet: Monitor.fit\("):
        Monitor(world.classifier, MaxSoftmax(), Fixed(0.0))
    with pytest.raises(NotFitted, match=r"TrainingExtreme\(\) is not fitted yet"):
        Monitor(world.classifier, fitted, TrainingExtreme())
    with pytest.raises(MistrustError, match="was fitted on a classifier with the classes"):
        Monitor(made_up(4).classifier, fitted, Fixed(0.0))
    knowing = Knowing().fit(observe(world.classifier, world.training))
    with pytest.raises(MistrustError, match="Knowing reads true labels to score"):
        Monitor(world.classifier, knowing, Fixed(0.0))
    with pytest.raises(MistrustError, match=r"reads an ensemble: give the further classifiers, members=\["):
        monitor(world, "ensemble_mean_softmax", members=())
    with pytest.raises(MistrustError, match=r'reads layers and does not say which: make it with layer="NAME"'):
        Monitor.fit(world.classifier, make_supervisor("mdsa"), world.training, world.nominal)
    with pytest.raises(MistrustError, match=r'make it with layers=\("NAME", ...\)'):
        needed([make_supervisor("dissector")])
    with pytest.raises(MistrustError, match=r"Quantile\(rate=0.05\) needs at least 19 scores"):
        monitor(world, threshold=Quantile()).fit(
            world.classifier, MaxSoftmax(), world.training, world.nominal.take(slice(7))
        )


def test_what_is_no_supervisor_is_refused_before_anything_is_fitted(world):
    named = (
        r"'mdsa' is the name of a supervisor, expected the supervisor itself: make_supervisor\(\"mdsa\", \.\.\.\) makes"
    )
    classed = r"Expected a supervisor, got the class MaxSoftmax: make_supervisor\(name, \.\.\.\) makes one of the table"
    for given, message in (("mdsa", named), (MaxSoftmax, classed), (None, "Expected a supervisor, got None: ")):
        with pytest.raises(MistrustError, match=message):
            Monitor.fit(world.classifier, given, world.training, world.nominal)
        with pytest.raises(MistrustError, match=message):
            Monitor(world.classifier, given, Fixed(0.0))
        with pytest.raises(MistrustError, match=message):
            needed([given])
    with pytest.raises(UnknownName, match=r"There is no supervisor 'mdsaa'\. Did you mean 'mdsa'\?"):
        Monitor.fit(world.classifier, "mdsaa", world.training, world.nominal)


def test_what_is_no_threshold_is_refused_before_anything_is_fitted(world):
    named = (
        r"'quantile' is the name of a threshold, expected the threshold itself: make_threshold\(\"quantile\", \.\.\.\)"
    )
    classed = r"Expected a threshold, got the class Quantile: make_threshold\(name, \.\.\.\) makes one of the table"
    fitted = MaxSoftmax().fit(observe(world.classifier, world.training))
    for given, message in (
        ("quantile", named),
        (Quantile, classed),
        (0.5, "got 0.5: .* Fixed\\(value\\) one of a num"),
    ):
        fresh = MaxSoftmax()
        with pytest.raises(MistrustError, match=message):
            Monitor.fit(world.classifier, fresh, world.training, world.nominal, threshold=given)
        assert fresh.fitted is None
        with pytest.raises(MistrustError, match=message):
            Monitor(world.classifier, fitted, given)
    with pytest.raises(UnknownName, match=r"There is no threshold 'quantiles'\. Did you mean 'quantile'\?"):
        Monitor.fit(world.classifier, MaxSoftmax(), world.training, world.nominal, "quantiles")


def test_what_a_parameter_of_a_saved_one_may_be(world, tmp_path):
    assert plain({"a": (1, (2.5, "x")), "b": None, "c": True}, "it") == {"a": [1, [2.5, "x"]], "b": None, "c": True}
    with pytest.raises(MistrustError, match=r"Parameter 'rule' of it is .* \(set\), which a file cannot keep"):
        plain({"rule": {1}}, "it")


@pytest.mark.parametrize(
    ("images", "message"),
    [
        (torch.zeros(1, 8, 8), r"A monitor takes images of shape \(n, channels, height, width\), got \(1, 8, 8\)"),
        (torch.zeros(2, 1, 8, 8) + 2, "float images reach from 2 to 2, expected"),
        (torch.full((2, 1, 8, 8), float("nan")), "no NaN"),
        (
            torch.zeros(2, 1, 9, 9),
            r"'made up' failed on images of shape \(2, 1, 9, 9\) \(torch.float32\): mat1 and mat2 ",
        ),
        (
            torch.zeros(2, 3, 8, 8),
            r"failed on images of shape \(2, 3, 8, 8\) .* Give it images of the size, the channels",
        ),
        (torch.tensor(0.5), r"A monitor takes images of shape \(n, channels, height, width\), got \(\)"),
        (torch.zeros(8, 8), r"got \(8, 8\)\. One image is images\[None\]"),
        (torch.zeros(2, 1, 8, 8, dtype=torch.int64), r"images are torch.int64, expected uint8 \(0..255\) or float32"),
        (
            np.zeros((2, 1, 8, 8)),
            r"takes images as a tensor or an ImageSet, got ndarray\. .* torch.as_tensor\(images\)",
        ),
        ([1, 2], "takes images as a tensor or an ImageSet, got list"),
        (None, "takes images as a tensor or an ImageSet, got NoneType"),
    ],
)
def test_images_of_another_form(world, images, message):
    with pytest.raises(MistrustError, match=message):
        monitor(world)(images)


def test_a_monitor_is_fitted_on_image_sets(world):
    for training, nominal in ((world.training.images, world.nominal), (world.training, world.nominal.images)):
        with pytest.raises(MistrustError, match=r"Monitor\.fit takes an ImageSet, .* got Tensor"):
            Monitor.fit(world.classifier, MaxSoftmax(), training, nominal)


def test_an_image_set_of_other_classes(world):
    images = ImageSet("cats", world.nominal.images, world.nominal.labels * 0, world.nominal.ids, ("cat", "dog"))
    with pytest.raises(MistrustError, match="knows the classes"):
        monitor(world)(images)


def test_members_come_as_a_list_or_one_by_one():
    found = made_up()
    ensemble = make_supervisor("ensemble_mutual_information")
    other = wrap(torch.nn.Sequential(found.classifier.module, torch.nn.Hardtanh()), found.classifier.classes)
    monitor = Monitor.fit(found.classifier, ensemble, found.training, found.nominal, members=(one for one in [other]))
    assert monitor.members == (other,)
    for call in (
        lambda: Monitor.fit(found.classifier, ensemble, found.training, found.nominal, members=other),
        lambda: observe(found.classifier, found.nominal, members=other),
    ):
        with pytest.raises(MistrustError, match=r"members is the classifier 'yours', expected a list"):
            call()
    with pytest.raises(MistrustError, match="members hold a Flatten, expected classifiers"):
        observe(found.classifier, found.nominal, members=[torch.nn.Flatten()])
    with pytest.raises(MistrustError, match="needed takes a list of supervisors, got Ensemble"):
        needed(ensemble)


def test_an_ensemble_of_the_same_networks_is_refused():
    """It never disagrees: a monitor of it would never alarm."""
    found = made_up()
    other = wrap(torch.nn.Sequential(found.classifier.module, torch.nn.Hardtanh()), found.classifier.classes)
    ensemble = make_supervisor("ensemble_mutual_information")
    for members, shared in (([found.classifier], "2 classifiers of the ensemble share 1 network,"),
                            ([other, other], "3 classifiers of the ensemble share 2 networks,")):  # fmt: skip
        with pytest.raises(MistrustError, match=shared):
            Monitor.fit(found.classifier, ensemble, found.training, found.nominal, members=members)
        with pytest.raises(MistrustError, match=shared):
            observe(found.classifier, found.nominal, members=members)


def test_an_ensemble_of_copies_is_refused():
    """A file loaded twice is two networks that never disagree; networks that differ in one weight may."""
    network = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(6, 3))
    images = ImageSet("few", torch.rand(4, 1, 2, 3), torch.arange(4) % 3, torch.arange(4), ("a", "b", "c"))
    first = wrap(network, ["a", "b", "c"], name="first")
    again = wrap(deepcopy(network), first.classes, name="again")
    with pytest.raises(MistrustError, match="'first' and 'again' of the ensemble have the same weights"):
        observe(first, images, members=[again])
    scaled = wrap(deepcopy(network), first.classes, mean=0.5, std=0.25, name="scaled")  # sees other numbers
    assert not torch.equal(*observe(first, images, members=[scaled]).members)
    torch.nn.init.constant_(again.network[1].bias, 0.5)
    assert not torch.equal(*observe(first, images, members=[again]).members)
    bare = [wrap(lambda x, by=by: x.flatten(1)[:, :3] * by, first.classes) for by in (1, 2)]
    assert observe(bare[0], images, members=bare[1:]).members.shape == (2, 4, 3)


def test_more_alarms_than_were_asked_for_are_told():
    """DSA has nothing to compare a class with that no training image is predicted as: all its images alarm."""
    found = made_up()
    two = found.training.take(found.training.labels != 2)
    with pytest.warns(
        MistrustWarning,
        match=r"of the nominal images alarm, where 5\.0% were asked .*south-west\. Most often Distance-based Surprise",
    ):
        monitor = Monitor.fit(found.classifier, make_supervisor("dsa", layer="hidden"), two, found.nominal)
    alarmed = monitor(found.nominal)
    assert torch.equal(alarmed[found.nominal.labels == 2], torch.ones(int((found.nominal.labels == 2).sum())).bool())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Monitor.fit(found.classifier, make_supervisor("dsa", layer="hidden"), found.training, found.nominal)


@pytest.mark.parametrize("name", ["max_softmax", "mdsa"])
def test_a_monitor_is_left_as_it_was_made(name):
    """Its supervisor and its rule are fitted again, for another network, and changed: it says what it said."""
    own, layer = made_up(), {"layer": "hidden"} if name == "mdsa" else {}
    watcher, rule = make_supervisor(name, **layer), Quantile(0.1)
    first = Monitor.fit(own.classifier, watcher, own.training, own.nominal, rule)
    before = first.watch(own.nominal)
    other, others = (replace(one, images=0.5 * one.images) for one in (own.training, own.nominal))
    second = Monitor.fit(own.members[0], watcher, other, others, Quantile(0.5))
    rule.fit(second.watch(other).scores - 100)
    rule.rate = 0.9
    after = first.watch(own.nominal)
    assert torch.equal(after.scores, before.scores)
    assert torch.equal(after.alarms, before.alarms)
    assert first.threshold.parameters() == {"rate": 0.1}
    # The given ones are fitted in place, and what they learnt is in memory once.
    assert watcher.fitted is second.supervisor.fitted
    assert watcher.fitted is not first.supervisor.fitted


def test_the_parts_of_a_monitor_by_hand_are_its_own(world):
    watcher = MaxSoftmax().fit(observe(world.classifier, world.training))
    rule = Quantile(0.1).fit(watcher.score(observe(world.classifier, world.nominal)))
    one = Monitor(world.classifier, watcher, rule)
    before = one(world.novel)
    rule.fit(torch.arange(100.0))
    watcher.fitted = None
    assert torch.equal(one(world.novel), before)
    assert before.any()


# Of another network


def test_what_was_learnt_of_a_network_scores_no_other(world, tmp_path):
    mdsa = make_supervisor("mdsa", layer="hidden").fit(observe(world.classifier, world.training, layers=["hidden"]))
    rule = Quantile(0.1).fit(mdsa.score(observe(world.classifier, world.nominal, layers=["hidden"])))
    other = world.members[0]
    record = observe(other, world.nominal, layers=["hidden"])
    save_supervisor(mdsa, tmp_path)
    message = r"Surprise Adequacy was fitted on another network than that of this record, .* Fit it again"
    for one in (mdsa, load_supervisor(tmp_path)):
        with pytest.raises(MistrustError, match=message):
            one.score(record)
    with pytest.raises(MistrustError, match="another network than that of classifier 'made up'"):
        Monitor(other, mdsa, rule)
    # The same network wrapped anew or again, and records of which nobody knows.
    again = wrap(deepcopy(world.classifier.module), world.classifier.classes, name="again")
    assert Monitor(again, mdsa, rule)(world.nominal).dtype == torch.bool
    assert mdsa.score(replace(record, network="")).shape == (len(world.nominal),)
    assert mdsa.fit(record).score(record).shape == (len(world.nominal),)


def test_weights_that_change_under_a_monitor_are_told():
    own = made_up()
    watching = Monitor.fit(own.classifier, make_supervisor("knn", layer="hidden"), own.training, own.nominal)
    with torch.no_grad():
        own.classifier.module.get_submodule("hidden").weight.mul_(1.1)
    with pytest.raises(MistrustError, match="fitted on another network"):
        watching(own.nominal)


def test_what_learns_nothing_of_a_network_scores_every_network(world):
    other = world.members[0]
    softmax = MaxSoftmax().fit(observe(world.classifier, world.training))
    assert softmax.score(observe(other, world.nominal)).shape == (len(world.nominal),)
    with empty_store():  # it reads pixels alone
        rebuilt = make_supervisor("autoencoder", epochs=1).fit(observe(world.classifier, world.training))
        assert torch.equal(
            rebuilt.score(observe(other, world.nominal)), rebuilt.score(observe(world.classifier, world.nominal))
        )


def test_any_classifier_may_be_watched_where_it_was_asked_for(world, tmp_path):
    monitor(world, "mdsa").save(tmp_path)
    taken = load_monitor(tmp_path, world.members[0], any_classifier=True)
    assert taken(world.nominal).shape == (len(world.nominal),)
    taken.save(tmp_path / "again")
    assert load_monitor(tmp_path / "again", world.members[0])(world.nominal).shape == (len(world.nominal),)


def test_a_card_of_before_does_not_say_which_network(world, tmp_path):
    monitor(world, "mdsa").save(tmp_path)
    written_by_another(tmp_path, lambda card: card["supervisor"].pop("network"))
    assert load_monitor(tmp_path, world.classifier).supervisor.fitted.network == ""
