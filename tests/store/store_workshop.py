"""Makers and small works for the store's tests, done by processes that are killed."""

import os
import time
from pathlib import Path

import pandas as pd
import torch

from mistrust import errors as store_errors
from mistrust import store

TRAIN = store.maker("test-train", 1, "tensors")
TABLE = store.maker("test-table", 1, "table")
STEPS = 12
THINGS = 4


def train(spec, log=None, pause=0.0):
    """A stand-in for training: each step depends on all before it, and is kept as a checkpoint."""

    def make(scratch):
        state = scratch.load() or {"weights": torch.ones(50), "step": torch.tensor(0)}
        weights, start = state["weights"], int(state["step"])
        for step in range(start, STEPS):
            noise = torch.randn(50, generator=torch.Generator().manual_seed(1000 * spec["seed"] + step))
            weights = torch.tanh(weights * 1.01 + 0.1 * noise)
            scratch.save({"weights": weights, "step": torch.tensor(step + 1)})
            note(log, f"{spec['seed']} {step}")
            time.sleep(pause)
        return {"weights": weights}

    return store.made(TRAIN, spec, make)


def sweep(log=None):
    """A loop of things: trainings, and a table made from each."""
    for seed in range(THINGS):
        weights = train({"seed": seed}, log)["weights"]
        store.made(TABLE, {"of": seed}, lambda _, w=weights: pd.DataFrame({"name": ["a", ""], "value": w[:2].tolist()}))


def digests():
    """What a finished sweep gives, by loading alone."""

    def refuse(_):
        raise AssertionError("this should be in the store")

    return [
        store.digest(store.made(maker, spec, refuse))
        for seed in range(THINGS)
        for maker, spec in ((TRAIN, {"seed": seed}), (TABLE, {"of": seed}))
    ]


def large(megabytes, seed=0):
    """A thing that takes a while to write."""
    numbers = torch.full((megabytes * 262144,), float(seed))
    return store.made(TRAIN, {"large": megabytes, "seed": seed}, lambda _: {"numbers": numbers})


def lines(log):
    """How many lines a log has."""
    return len(log.read_text().splitlines()) if log.exists() else 0


def once(barrier, log, spec):
    """Want a thing at the same time as others do."""
    barrier.wait(30)

    def make(_):
        note(log, "made")
        time.sleep(0.3)
        return {"x": torch.arange(3.0)}

    note(log, store.digest(store.made(TRAIN, spec, make)))


def note(log, text):
    """Add a line to a file that several processes write to."""
    if log:
        with Path(log).open("a") as file:
            file.write(text + "\n")


def made_aside(house, spec):
    """The same training in another store, undisturbed."""
    kept = os.environ["MISTRUST_STORE"]
    os.environ["MISTRUST_STORE"] = str(house / "aside")
    try:
        return train(spec)
    finally:
        os.environ["MISTRUST_STORE"] = kept


def prune_for_ever():
    """Remove all that is good, again and again."""
    while True:
        store.prune(states=["good", "leftover"])


def as_nobody(pipe):
    """Load a thing that is there and want one that is not, as a user whom permission bits bind."""
    disk = store.maker("test-disk", 1, "tensors")
    torch.ones(1)
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
    there = store.made(disk, {"a": 1}, lambda _: {"x": torch.zeros(1)})["x"].tolist()
    try:
        store.made(disk, {"a": 2}, lambda _: {"x": torch.zeros(1)})
    except store_errors.MistrustError as error:
        pipe.send((there, str(error)))
