"""Networks of ensembles, and scores of deep ones, as pieces: others find them in the store, no page reads their rows.

Few or shallow, networks are one piece beside the first classifier that wants them. Of many deep ones, each of which
takes minutes on a GPU and hours without (`benchmarks/training.py`), each is a piece, classifiers too, ahead of what
reads it. To score all inputs by a deep classifier, by its ensemble and by attacks on it takes longer than a GPU
machine's turn: each set of inputs is a piece.
"""

from collections.abc import Iterable, Iterator
from functools import cache

import torch

from mistrust.networks import ARCHITECTURES, Classifier, depth, observe
from mistrust.pieces import FEW
from mistrust.supervisors import SUPERVISORS
from mistrust.supervisors.experiment.tested import UnderTest
from mistrust.supervisors.tables import NOMINAL, Row

DEEP = 10  # layers: more are deep


def ensembles(one: UnderTest) -> bool:
    """Whether any supervisor of the comparison asks several networks."""
    return any("members" in SUPERVISORS[name].card.needs for name in one.parameters.compared)


def apart(one: UnderTest) -> bool:
    """Whether each network of its architecture is a piece: they are many, and deep.

    Examples
    --------
    >>> from mistrust.supervisors.experiment import Parameters
    >>> few, many = Parameters(members=5), Parameters(members=20)
    >>> [apart(UnderTest(p, "mnist", "resnet50-v1", 0)) for p in (few, many)]
    [False, True]
    >>> apart(UnderTest(many, "mnist", "ambiguess-conv", 0))
    False
    """
    return one.parameters.members - 1 > FEW and deep(one)


def deep(one: UnderTest) -> bool:
    """Whether its network is deep, so that each set of inputs is scored as a piece.

    Examples
    --------
    >>> from mistrust.supervisors.experiment import Parameters
    >>> [deep(UnderTest(Parameters(), "mnist", name, 0)) for name in ("ambiguess-conv", "resnet50-v1")]
    [False, True]
    """
    return _layers(one.architecture) > DEEP


@cache
def _layers(architecture: str) -> int:
    """How deep it is; for that no image need be at hand, since their size does not decide it."""
    shape = (1, 28, 28)
    with torch.device("meta"):  # layers without numbers
        network = ARCHITECTURES[architecture].build(shape[0], shape[1:], 10)
    return depth(network, shape)


def every(one: UnderTest) -> range:
    """Numbers of all networks of its architecture: the classifiers of all runs, and what ensembles have beyond one."""
    p = one.parameters
    return range(p.runs + p.members - 1)


def members(one: UnderTest) -> Iterator[Row]:
    """How often each further member of an ensemble is right; all runs share them."""
    return _accuracy(one, one.members, one.parameters.runs)


def network(one: UnderTest) -> Iterator[Row]:
    """How often the network of this number is right."""
    return _accuracy(one, [one.classifier], one.run)


def _accuracy(one: UnderTest, networks: Iterable[Classifier], first: int) -> Iterator[Row]:
    test = one.material.test
    found = {"table": "members", "condition": NOMINAL, "metric": "accuracy", "n": len(test)}
    for number, classifier in enumerate(networks, first):
        right = observe(classifier, test).predicted == test.labels
        yield {**found, "seed": float(one.parameters.seed + number), "value": float(right.double().mean())}
