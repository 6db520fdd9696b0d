"""Fault and law: made once, checked at every reading, made again when altered."""

import json
import random
import subprocess
import sys
import warnings
from dataclasses import replace

import pandas as pd
import pytest
import torch

from mistrust import paths, store
from mistrust.errors import MistrustError, MistrustWarning
from mistrust.store import scratch as scratch_module
from mistrust.store.files import Altered, read, read_card
from mistrust.store.scratch import Scratch

TENSORS = store.maker("test-made", 1, "tensors")
ROWS = store.maker("test-made-rows", 1, "table")
SPEC = {"recipe": {"epochs": 8, "rate": 0.1}, "data": "abc"}


class Making:
    """Makes the same thing each time, and counts."""

    def __init__(self, content):
        self.content, self.times = content, 0

    def __call__(self, scratch):
        self.times += 1
        return self.content


@pytest.fixture
def tensors():
    return Making({"w": torch.arange(6.0).reshape(2, 3), "n": torch.tensor(3)})


@pytest.fixture
def rows():
    return Making(pd.DataFrame({"name": ["a", "", "c"], "value": [1.0, float("nan"), -0.0]}))


def folder_of(maker, spec=SPEC):
    return paths.store() / maker.kind / store.key(maker, spec)


def test_made_once_and_then_loaded(tensors):
    first = store.made(TENSORS, SPEC, tensors)
    again = store.made(TENSORS, dict(reversed(SPEC.items())), tensors)
    assert tensors.times == 1
    assert store.digest(first) == store.digest(again) == store.digest(tensors.content)
    store.made(TENSORS, {**SPEC, "data": "abd"}, tensors)
    assert tensors.times == 2


def test_what_was_made_elsewhere_is_put_where_the_store_lacks_it_or_has_it_altered(tensors):
    assert store.put(TENSORS, SPEC, tensors.content, 2.5) is True
    assert store.put(TENSORS, SPEC, {"w": torch.zeros(1)}) is False
    assert store.digest(store.made(TENSORS, SPEC, tensors)) == store.digest(tensors.content)
    assert tensors.times == 0
    assert store.seconds(store.key(TENSORS, SPEC)) == 2.5
    truncated(folder_of(TENSORS) / "content.safetensors")
    assert store.put(TENSORS, SPEC, {"w": torch.zeros(1)}) is True
    assert store.made(TENSORS, SPEC, tensors)["w"].tolist() == [0]
    assert [path.name for path in folder_of(TENSORS).parent.iterdir() if path.is_dir()] == [store.key(TENSORS, SPEC)]


def test_a_checkpoint_on_the_disk_is_due_once_a_second_and_one_in_memory_always(tmp_path, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(scratch_module.time, "monotonic", lambda: now[0])
    kept, held = Scratch(tmp_path / "scratch"), Scratch()
    assert (kept.due(), held.due()) == (False, True)
    now[0] += scratch_module.APART
    assert kept.due()
    kept.save({"x": torch.ones(1)})
    held.save({"x": torch.ones(1)})
    assert (kept.due(), held.due()) == (False, True)


def test_of_two_good_checkpoints_the_last_one_counts(tmp_path):
    scratch = Scratch(tmp_path / "scratch")
    scratch.save({"x": torch.zeros(1)})
    (before,) = scratch.folder.iterdir()
    held = before.read_bytes()
    scratch.save({"x": torch.ones(1)})
    before.write_bytes(held)  # killed before it was removed
    assert scratch.load()["x"].tolist() == [1]


def test_what_lies_in_the_folder(rows):
    store.made(ROWS, SPEC, rows)
    folder = folder_of(ROWS)
    assert sorted(path.name for path in folder.iterdir()) == ["content.parquet", "entry.json"]
    card = json.loads((folder / "entry.json").read_text())
    assert card["spec"] == SPEC
    assert card["version"] == 1
    assert card["bytes"] == (folder / "content.parquet").stat().st_size
    pd.testing.assert_frame_equal(pd.read_parquet(folder / "content.parquet"), rows.content)


@pytest.mark.whole
@pytest.mark.parametrize(("maker", "making"), [(TENSORS, "tensors"), (ROWS, "rows")])
def test_any_flipped_bit_is_detected(maker, making, request):
    store.made(maker, SPEC, request.getfixturevalue(making))
    folder, draw = folder_of(maker), random.Random(1)
    read(folder)
    for path in folder.iterdir():
        good = path.read_bytes()
        for place in draw.sample(range(len(good)), min(len(good), 500)):
            bad = bytearray(good)
            bad[place] ^= 1 << draw.randrange(8)
            path.write_bytes(bad)
            with pytest.raises(Altered):
                read(folder)
        path.write_bytes(good)
    read(folder)


def flipped(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 4
    path.write_bytes(data)


def truncated(path):
    path.write_bytes(path.read_bytes()[:-7])


def emptied(path):
    path.write_bytes(b"")


def removed(path):
    path.unlink()


def made_a_folder(path):
    path.unlink()
    path.mkdir()


def of_another_version(folder):
    """A sound card of content that this version does not know."""
    card = read_card(folder)
    (folder / "entry.json").write_text(replace(card, content="sounds").text())


def bottomless(folder):
    (folder / "entry.json").write_text("[" * 100_000)


@pytest.mark.parametrize("harm", [of_another_version, bottomless])
def test_a_card_that_nobody_here_can_read_is_that_of_something_altered(harm, rows):
    first = store.made(ROWS, SPEC, rows)
    harm(folder_of(ROWS))
    assert [entry.state for entry in store.entries()] == ["altered"]
    with pytest.warns(MistrustWarning, match="altered"):
        pd.testing.assert_frame_equal(store.made(ROWS, SPEC, rows), first)


@pytest.mark.parametrize("harm", [flipped, truncated, emptied, removed, made_a_folder])
@pytest.mark.parametrize("file", ["content.parquet", "entry.json"])
def test_what_was_altered_is_named_and_made_again(harm, file, rows):
    first = store.made(ROWS, SPEC, rows)
    harm(folder_of(ROWS) / file)
    (reason,) = store.why(ROWS, SPEC)
    assert reason.startswith("content altered: ")
    assert file in reason
    assert [entry.state for entry in store.entries(thorough=True)] == ["altered"]
    with pytest.warns(MistrustWarning) as caught:
        again = store.made(ROWS, SPEC, rows)
    assert f"test-made-rows/{store.key(ROWS, SPEC)}" in str(caught[0].message)
    assert file in str(caught[0].message)
    assert rows.times == 2
    pd.testing.assert_frame_equal(again, first)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        store.made(ROWS, SPEC, rows)
    assert rows.times == 2
    assert store.why(ROWS, SPEC) == []


def test_another_things_card_is_not_taken(rows):
    store.made(ROWS, SPEC, rows)
    store.made(ROWS, {"other": 1}, rows)
    (folder_of(ROWS) / "entry.json").write_bytes((folder_of(ROWS, {"other": 1}) / "entry.json").read_bytes())
    with pytest.warns(MistrustWarning, match=r"entry\.json is not as it was written"):
        store.made(ROWS, SPEC, rows)


def test_a_failed_making_leaves_nothing_and_can_be_repeated(tensors):
    def fail(_):
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match=r"^no$"):
        store.made(TENSORS, SPEC, fail)
    assert store.entries() == []
    with pytest.raises(MistrustError, match="'test-made' made is a int, expected a dict"):
        store.made(TENSORS, SPEC, lambda _: 3)
    assert store.entries() == []
    store.made(TENSORS, SPEC, tensors)


def test_what_needs_itself_is_refused(tensors):
    with pytest.raises(MistrustError, match="needs itself"):
        store.made(TENSORS, SPEC, lambda _: store.made(TENSORS, SPEC, tensors))
    # Another thing inside is what makers do all the time.
    store.made(TENSORS, {"outer": 1}, lambda _: store.made(TENSORS, SPEC, tensors))


def test_importing_the_store_loads_neither_torch_nor_pandas():
    code = "import sys, mistrust.store; print([m for m in ('torch', 'pandas', 'pyarrow') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


# Checkpoints


@pytest.mark.parametrize("where", ["memory", "folder"])
def test_a_checkpoint_is_the_last_one_saved(where, tmp_path):
    scratch = Scratch(None if where == "memory" else tmp_path / "scratch")
    assert scratch.load() is None
    for step in range(12):
        scratch.save({"step": torch.tensor(step)})
    assert scratch.load()["step"] == 11
    if where == "folder":
        assert Scratch(scratch.folder).load()["step"] == 11
        assert len(list(scratch.folder.iterdir())) == 1
    scratch.clear()
    assert scratch.load() is None


@pytest.mark.parametrize("harm", [flipped, truncated, emptied])
def test_a_damaged_checkpoint_is_named_and_work_begins_afresh(harm):
    def interrupted(scratch):
        scratch.save({"w": torch.ones(20)})
        raise RuntimeError

    with pytest.raises(RuntimeError):
        store.made(TENSORS, SPEC, interrupted)
    assert store.why(TENSORS, SPEC) == ["begun, not finished"]
    (path,) = folder_of(TENSORS).parent.glob(".*.scratch/*")
    harm(path)
    seen = []

    def make(scratch):
        seen.append(scratch.load())
        return {"w": torch.zeros(1)}

    with pytest.warns(MistrustWarning, match="is damaged") as caught:
        store.made(TENSORS, SPEC, make)
    assert str(path) in str(caught[0].message)
    assert seen == [None]
    assert [entry.state for entry in store.entries()] == ["good"]
