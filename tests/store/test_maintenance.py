"""Listing, pruning, and the reasons why a thing would be made."""

import os
import time

import pytest
import torch

from mistrust import paths, store
from mistrust.errors import MistrustError, UnknownName

ONE = store.maker("test-keeping", 1, "tensors")
OTHER = store.maker("test-keeping-other", 1, "tensors")
SPEC = {
    "recipe": {"epochs": 8, "rate": 0.1, "layers": [16, 32]},
    "data": {"name": "mnist", "checksum": "aa"},
    "seed": 0,
}


def make(_):
    return {"x": torch.ones(4)}


def begun(maker, spec):
    def stop(scratch):
        scratch.save({"x": torch.ones(1)})
        raise RuntimeError

    with pytest.raises(RuntimeError):
        store.made(maker, spec, stop)


def changed(**recipe):
    return {**SPEC, "recipe": {**SPEC["recipe"], **recipe}}


def test_nothing_there_yet():
    assert store.why(ONE, SPEC) == ["not made yet"]
    assert store.entries() == []
    assert store.prune() == []


def test_there_and_good():
    store.made(ONE, SPEC, make)
    assert store.why(ONE, SPEC) == []
    assert store.why(OTHER, SPEC) == ["not made yet"]


@pytest.mark.parametrize(
    ("spec", "reasons"),
    [
        (changed(epochs=10), ["recipe.epochs: 8 -> 10"]),
        (changed(epochs=8.0), ["recipe.epochs: 8 -> 8.0"]),
        (changed(epochs=9, layers=[16, 64]), ["recipe.epochs: 8 -> 9", "recipe.layers: [16, 32] -> [16, 64]"]),
        (changed(decay=0.5), ["recipe.decay: absent -> 0.5"]),
        ({**SPEC, "data": {"name": "mnist", "checksum": "bb"}}, ['data.checksum: "aa" -> "bb"']),
        ({name: SPEC[name] for name in ("recipe", "data")}, ["seed: 0 -> absent"]),
    ],
)
def test_what_changed_is_named(spec, reasons):
    store.made(ONE, SPEC, make)
    assert store.why(ONE, spec) == reasons


def test_the_most_similar_thing_is_compared():
    for epochs, seed in ((8, 0), (9, 1), (7, 2)):
        store.made(ONE, {**changed(epochs=epochs), "seed": seed}, make)
    assert store.why(ONE, {**changed(epochs=10), "seed": 1}) == ["recipe.epochs: 9 -> 10"]


@pytest.mark.parametrize("newest", [8, 10])
def test_of_equally_similar_things_the_newest_is_compared(newest):
    for epochs in (8, 10):
        store.made(ONE, changed(epochs=epochs), make)
        card = paths.store() / ONE.kind / store.key(ONE, changed(epochs=epochs)) / "entry.json"
        os.utime(card, (time.time() - 60 * (epochs != newest),) * 2)
    assert store.why(ONE, changed(epochs=9)) == [f"recipe.epochs: {newest} -> 9"]


def test_a_new_version_of_the_maker_is_a_reason():
    store.made(ONE, SPEC, make)
    newer = store.Maker("test-keeping", 2, "tensors")
    assert store.why(newer, SPEC) == ["maker version 1 -> 2"]
    assert store.why(newer, changed(epochs=1)) == ["recipe.epochs: 8 -> 1", "maker version 1 -> 2"]


def test_entries_say_what_is_there():
    before = time.time() - 1
    store.made(OTHER, {"a": 1}, make)
    store.made(ONE, SPEC, make)
    begun(ONE, {"b": 1})
    good, unfinished, other = store.entries()
    assert (good.kind, good.key, good.state) == ("test-keeping", store.key(ONE, SPEC), "good")
    assert (good.spec, good.version) == (SPEC, 1)
    assert good.bytes == sum(path.stat().st_size for path in good.folder.iterdir())
    assert before <= good.made <= time.time() + 1
    assert (unfinished.key, unfinished.state) == (store.key(ONE, {"b": 1}), "unfinished")
    assert other.kind == "test-keeping-other"


def test_prune_takes_what_is_of_no_use_and_leaves_the_good(monkeypatch):
    store.made(ONE, SPEC, make)
    # A thing that version 0 of the other maker made.
    monkeypatch.setattr(
        store.MAKERS, "_entries", {**store.MAKERS._entries, OTHER.kind: store.Maker(OTHER.kind, 2, "tensors")}
    )
    store.made(OTHER, SPEC, make)
    begun(ONE, {"b": 1})
    kind = paths.store() / "test-keeping"
    (kind / f".{'0' * 20}.12345678.part").mkdir()
    (kind / f".{store.key(ONE, SPEC)}.12345678.gone").mkdir()
    would = store.prune(dry_run=True)
    assert sorted(entry.state for entry in would) == ["leftover", "leftover", "old version", "unfinished"]
    assert next(entry.note for entry in would if entry.state == "old version") == "maker version 1 -> 2"
    assert len(store.entries()) == 5
    assert store.prune() == would
    assert [(entry.kind, entry.state) for entry in store.entries()] == [("test-keeping", "good")]
    assert store.why(ONE, SPEC) == []


def test_prune_by_kind_age_and_state():
    for maker in (ONE, OTHER):
        for seed in range(2):
            store.made(maker, {"seed": seed}, make)
    card = paths.store() / ONE.kind / store.key(ONE, {"seed": 1}) / "entry.json"
    os.utime(card, (time.time() - 3 * 86400,) * 2)
    assert store.prune() == []
    (old,) = store.prune(states=["good"], older_than=2)
    assert old.key == store.key(ONE, {"seed": 1})
    assert len(store.prune(states=["good"], kind=OTHER.kind)) == 2
    assert [entry.key for entry in store.entries()] == [store.key(ONE, {"seed": 0})]


def test_what_does_not_exist_is_named():
    store.made(ONE, SPEC, make)
    with pytest.raises(UnknownName, match=r"no kind of stored things 'test-keping'\. Did you mean 'test-keeping'"):
        store.prune(kind="test-keping")
    with pytest.raises(MistrustError, match=r"'goood'\. Did you mean 'good'"):
        store.prune(states=["goood"])
