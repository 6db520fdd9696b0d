"""What pieces only prepare where it takes long: many networks of an ensemble, and ALOOC over many passes.

Other pieces find it in the store, and no page reads the rows. Where it is short, no piece prepares it: the first that
wants it trains it.
"""

from collections.abc import Iterator
from typing import Any

from mistrust.data import load
from mistrust.monitoring.experiment.checks import check
from mistrust.monitoring.experiment.methods import three
from mistrust.monitoring.experiment.parameters import Parameters
from mistrust.monitoring.experiment.system import System
from mistrust.monitoring.tables import Row
from mistrust.networks import ARCHITECTURES, NETWORK, observe
from mistrust.pieces import FEW, LONG
from mistrust.supervisors.alooc import ALOOC, Alooc, trained_refiners

TABLE = "prepared"
SHOWN = ("left_out", "trained_on", "seed")  # the images, and the draws


def networks(parameters: Parameters) -> Iterator[System]:
    """Every network of an ensemble that has many, classifiers too; image sets take turns.

    Examples
    --------
    >>> from dataclasses import replace
    >>> many = Parameters(data=("digits",), supervisors=("ensemble_mean_softmax",), members=20, runs=2)
    >>> [one.run for one in networks(many)] == [*range(21)]
    True
    >>> [*networks(replace(many, members=5))], [*networks(replace(many, supervisors=("knn",)))]
    ([], [])
    """
    p = parameters
    for architecture in p.architectures if p.members - 1 > FEW else ():
        for number in range(p.runs_of(architecture) + p.members - 1):
            found = (System(p, data, architecture, number) for data in p.data)
            yield from (one for one in found if one.ensemble)


def refined(parameters: Parameters) -> Iterator[System]:
    """For each run a classifier with the ALOOC of that run, where it is trained long; it reads no classifier.

    Examples
    --------
    >>> long = Parameters(data=("digits",), alooc_epochs=200, runs=3)
    >>> [one.run for one in refined(long)], [*refined(Parameters())]
    ([0, 1, 2], [])
    """
    p = parameters
    for run in range(max(map(p.runs_of, p.architectures)) if p.alooc_epochs > LONG else 0):
        yield from (System(p, data, p.architectures[0], run) for data in p.data)


def network(one: System) -> Iterator[Row]:
    """How often the network of this number is right."""
    right = observe(one.classifier, one.material.test(one.run)).correct
    yield {"table": TABLE, "metric": "accuracy", "value": float(right.double().mean()), "n": len(right)}


def refiners(one: System) -> Iterator[Row]:
    """How badly ALOOC rebuilds what it learnt, in the mean over classes."""
    p = one.parameters
    chosen = three(p, one.data, ARCHITECTURES[one.architecture].surprise, p.seed + one.run)["alooc"]
    monitor = Alooc(**chosen.parameters())
    error = trained_refiners(one.material.train, monitor.recipe, monitor.seed, group=monitor.group)["error"]
    yield {
        "table": TABLE, "method": "alooc", "metric": "reconstruction error", "value": float(error.double().mean()),
        "n": len(error), "note": "nats a pixel",
    }  # fmt: skip


def network_spec(one: System) -> dict[str, Any]:
    """What the rows of `network` depend on."""
    recipe = ARCHITECTURES[one.architecture].recipe.described()
    own = {"architecture": one.architecture, "recipe": recipe, "versions": {NETWORK.kind: NETWORK.version}}
    return {"piece": "network", **own, **_spec(one, *SHOWN, "network_epochs", "images", "calibration")}


def refiners_spec(one: System) -> dict[str, Any]:
    """What the rows of `refiners` depend on."""
    return {"piece": "alooc", "versions": {ALOOC.kind: ALOOC.version}, **_spec(one, *SHOWN, "alooc_epochs")}


def _spec(one: System, *reads: str) -> dict[str, Any]:
    check(one.parameters)
    return {
        "run": one.run,
        "data": {"name": one.data, **{split: load(one.data, split).checksum for split in ("train", "test")}},
        "parameters": {name: getattr(one.parameters, name) for name in reads},
    }
