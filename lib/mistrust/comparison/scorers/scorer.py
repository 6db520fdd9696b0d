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

    Examples
    --------
    >>> from mistrust.data import load
    >>> from mistrust.networks import observe, wrap
    >>> network = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(64, 10))
    >>> train, test = (load("digits", part).take(slice(0, 40)) for part in ("train", "test"))
    >>> classifier = wrap(network, train.classes)
    >>> held = observe(classifier, test)
    >>> watched = Watched(classifier, observe(classifier, train, layers=["0"]), held, sample=held,
    ...                   members=[], hidden="0", features="0", layers=())  # no members: no ensembles
    >>> [name for name in ("max_softmax", "ensemble_mean_softmax", "mdsa") if SCORERS[name].make(watched)]
    ['max_softmax', 'mdsa']
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

    Examples
    --------
    >>> found = Scored(values=torch.tensor([-0.2, float("inf")]), passes=torch.tensor([12.0, 80.0]))
    >>> found.values.argmax().item(), found.passes.mean().item()  # infinite is a score: the most suspicious
    (1, 46.0)
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

    Examples
    --------
    >>> from mistrust.data import load
    >>> from mistrust.networks import observe, wrap
    >>> def least(record):
    ...     return Scored(1 - record.probabilities.max(1).values, torch.zeros(len(record.labels)))
    >>> digits = load("digits", "test").take(slice(0, 3))
    >>> record = observe(wrap(lambda images: images.flatten(1)[:, :10], digits.classes), digits)
    >>> Reading(least).score(record).passes
    tensor([0., 0., 0.])
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

    Examples
    --------
    >>> boundary = SCORERS["boundary_distance"]
    >>> boundary.title, boundary.family, boundary.searches
    ('Distance to the boundary (DeepFool)', 'boundary', True)
    """

    title: str
    family: str
    source: str
    searches: bool
    make: Callable[[Watched], Reading | None]


SCORERS: Registry[Scorer] = Registry("scorer")


def asked(readings: Mapping[str, Reading]) -> dict[str, Any]:
    """Give the arguments of `observe` by which one record serves all of these.

    Examples
    --------
    >>> readings = {
    ...     "first": Reading(Scored, {"layers": ["hidden", "features"]}),
    ...     "second": Reading(Scored, {"layers": ["hidden"], "samples": 16}),
    ... }
    >>> asked(readings)
    {'layers': ['hidden', 'features'], 'samples': 16}
    """
    found: dict[str, Any] = {}
    for one in readings.values():
        for name, value in one.asks.items():
            both = (*found.get(name, ()), *value) if name == "layers" else value
            found[name] = list(dict.fromkeys(both)) if name == "layers" else both
    return found
