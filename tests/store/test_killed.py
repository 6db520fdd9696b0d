"""Fault: real processes, really killed, at many moments."""

import random
import time

import killing
import pytest
import store_workshop
import torch

from mistrust import paths, store
from mistrust.store import making
from mistrust.store.files import Absent, read

pytestmark = pytest.mark.whole


@pytest.fixture
def unbroken(house, monkeypatch):
    """What a sweep gives that nobody disturbs, in a store of its own, and how long it takes."""
    with monkeypatch.context() as patch:
        patch.setenv("MISTRUST_STORE", str(house / "unbroken"))
        store_workshop.sweep()
        with killing.running(store_workshop.sweep):
            pass  # the server of processes is up
        return store_workshop.digests()


def test_a_sweep_killed_at_random_moments_ends_as_an_unbroken_one(unbroken, house, monkeypatch):
    moments, kills = random.Random(9), 0
    for trial in range(4):
        monkeypatch.setenv("MISTRUST_STORE", str(house / f"trial{trial}"))
        finished = False
        while not finished:
            log, steps = house / f"{trial}-{kills}", moments.randint(1, 12)
            with killing.running(store_workshop.sweep, log) as process:
                killing.until(
                    lambda log=log, steps=steps, process=process: (
                        store_workshop.lines(log) >= steps or process.exitcode is not None
                    )
                )
                time.sleep(moments.uniform(0, 0.01))
                finished = process.exitcode == 0
            kills += process.exitcode == -9
            # Whatever has a thing's name is whole, at every moment.
            for folder in paths.store().glob("*/[!.]*"):
                read(folder)
        assert store_workshop.digests() == unbroken
    assert kills >= 12


def test_a_killed_training_goes_on_where_it_was(house):
    log = house / "log"
    house.mkdir()
    with killing.running(store_workshop.train, {"seed": 1}, log, 0.05) as process:
        killing.until(lambda: store_workshop.lines(log) >= 5)
        process.kill()
        process.join()
    before = store_workshop.lines(log)
    assert store.why(store_workshop.TRAIN, {"seed": 1}) == ["begun, not finished"]
    again = house / "again"
    broken = store_workshop.train({"seed": 1}, again)
    steps = [int(line.split()[1]) for line in again.read_text().splitlines()]
    # The kill may fall between a checkpoint and its line in the log.
    assert steps[0] in (before, before + 1)
    assert steps[-1] == store_workshop.STEPS - 1
    assert not list((paths.store() / "test-train").glob(".*.scratch"))
    expected = store_workshop.made_aside(house, {"seed": 1})
    assert store.digest(broken) == store.digest(expected)


def test_killed_while_writing_leaves_nothing_that_is_read(house):
    folder = paths.store() / "test-train"
    moments = random.Random(3)
    seen = 0
    for _ in range(8):
        with killing.running(store_workshop.large, 24) as process:
            killing.until(lambda process=process: list(folder.glob(".*.part")) or process.exitcode is not None)
            time.sleep(moments.uniform(0, 0.03))
        things = list(folder.glob("[!.]*"))
        if things:
            read(things[0])  # it was just finished, and is whole
            store.prune(states=["good"])
        else:
            seen += 1
            (entry,) = store.entries()
            assert entry.state == "leftover"
            if seen > 1:  # the last one's leftovers are left to the next maker
                assert [one.key for one in store.prune()] == [entry.key]
                assert not list(folder.glob(".*.part"))
    assert seen >= 2
    again = store_workshop.large(24)["numbers"]
    assert again.shape == (24 * 262144,)
    # Making it again has cleared what the killed ones left.
    assert not list(folder.glob(".*.part"))
    assert [entry.state for entry in store.entries()] == ["good"]


def test_the_lock_of_a_killed_maker_is_free(house):
    log = house / "log"
    house.mkdir()
    with killing.running(store_workshop.train, {"seed": 2}, log, 10.0):
        killing.until(log.exists)
        (entry,) = store.entries()
        assert entry.state == "being made"
        assert store.prune() == []
    start = time.monotonic()
    store_workshop.train({"seed": 2})
    assert time.monotonic() - start < 5


@pytest.mark.parametrize("shown", ["1", "0"])
def test_who_waits_for_another_process_says_so_where_progress_is_shown(house, monkeypatch, capsys, shown):
    monkeypatch.setattr(making, "PATIENCE", 0.1)
    monkeypatch.setenv("MISTRUST_PROGRESS", shown)
    log = house / "log"
    house.mkdir()
    with killing.running(store_workshop.train, {"seed": 3}, log, 0.1):
        killing.until(log.exists)
        store_workshop.train({"seed": 3})
    key = store.key(store_workshop.TRAIN, {"seed": 3})
    said = f"mistrust: waits for another process that makes test-train/{key} (and goes on when that ends)."
    assert capsys.readouterr().err.splitlines() == ([said] if shown == "1" else [])


def test_wanted_by_three_at_once_it_is_made_once(house):
    house.mkdir()
    for trial in range(3):
        log = house / f"log{trial}"
        barrier = killing.CONTEXT.Barrier(3)
        processes = [killing.start(store_workshop.once, barrier, log, {"trial": trial}) for _ in range(3)]
        for process in processes:
            process.join(60)
            assert process.exitcode == 0
        lines = log.read_text().splitlines()
        assert lines.count("made") == 1
        assert len(lines) == 4
        assert len(set(lines) - {"made"}) == 1


def test_a_reader_beside_a_pruner_sees_all_or_nothing():
    spec, removed = {"seed": 7}, 0
    folder = paths.store() / "test-train" / store.key(store_workshop.TRAIN, spec)
    with killing.running(store_workshop.prune_for_ever) as pruner:
        end = time.monotonic() + 30
        while removed < 10:
            assert time.monotonic() < end
            content = store.made(store_workshop.TRAIN, spec, lambda _: {"x": torch.ones(100_000)})
            assert content["x"].sum() == 100_000
            try:
                read(folder)
            except Absent:
                removed += 1
        assert pruner.exitcode is None
