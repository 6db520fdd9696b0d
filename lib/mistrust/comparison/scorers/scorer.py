"""`Scorer`: any way to give an image a number that is higher the worse it looks; one table for all five papers.

A supervisor reads a record, a class matrix the softmax, a distance searches the surroundings of each image. Here all of
them are one thing: made for a classifier, they name what the one forward pass must keep, and then score a record.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from jaxtyping import Float64
from torch import Tensor

from mistrust.networks import Classifier, Record
from mistrust.registry import Registry

MATRIX, BOUNDARY = "class matrix", "boundary"


@dataclass(frozen=True)
class Watched:
    """What a scorer may learn from: one classifier and nominal images.

    Attributes
    ----------
    classifier : that is watched.
    train : record of nominal training images, with the layers `hidden` and `features`; what supervisors are fitted on.
    held : record of nominal images that the classifier was not trained on; trends, centroids and limits come from it.
    sample : the first of them, as many as a search of surroundings is asked for.
    members : further classifiers, for ensembles.
    hidden : the layer that surprise reads.
    features : the layer that the last linear layer reads.
    layers : those that Dissector reads.
    settings : values of a method's own parameters, by supervisor or scorer and name.
    seed : of what is drawn.
    """

    classifier: Classifier
    train: Record
    held: Record
    sample: Record
    members: Sequence[Classifier]
    hidden: str
    features: str
    layers: tuple[str, ...]
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    seed: int = 0


@dataclass(frozen=True)
class Scored:
    """Scores of n images.

    Attributes
    ----------
    values : (n,) higher is more suspicious; infinite is a score, NaN is none.
    passes : (n,) passes of the network, forward or backward, that an image took beyond the one that answers.
    """

    values: Float64[Tensor, " n"]
    passes: Float64[Tensor, " n"]


@dataclass(frozen=True)
class Reading:
    """A scorer that was made for a classifier.

    Attributes
    ----------
    score : from a record to `Scored`; an image's score depends on no other image.
    asks : arguments of `observe` beyond classifier and images, without which the record lacks something.
    bytes : what was learnt and must be kept, further networks included.
    """

    score: Callable[[Record], Scored]
    asks: Mapping[str, Any] = field(default_factory=dict)
    bytes: int = 0


@dataclass(frozen=True)
class Scorer:
    """One line of the comparison.

    Attributes
    ----------
    title : what a reader calls it.
    family : of `mistrust.supervisors.FAMILIES`, or `MATRIX`, or `BOUNDARY`.
    source : paper, and its section where one is to be named.
    searches : whether it searches around each image: too dear for all of them, so a sample is scored.
    make : from what is watched to a reading; None where this classifier cannot have it.
    """

    title: str
    family: str
    source: str
    searches: bool
    make: Callable[[Watched], Reading | None]


SCORERS: Registry[Scorer] = Registry("scorer")


def asked(readings: Mapping[str, Reading]) -> dict[str, Any]:
    """Give the arguments of `observe` by which one record serves all of these."""
    found: dict[str, Any] = {}
    for one in readings.values():
        for name, value in one.asks.items():
            both = (*found.get(name, ()), *value) if name == "layers" else value
            found[name] = list(dict.fromkeys(both)) if name == "layers" else both
    return found
