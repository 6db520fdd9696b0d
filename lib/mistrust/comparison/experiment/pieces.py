"""Pieces of the experiment, one per classifier: what every scorer says of every set, and the rows read from it."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd
import torch
from torch import Tensor

from mistrust import random
from mistrust.ambiguity.experiment.kept_sets import SETS_MAKER
from mistrust.ambiguity.training import AUTOENCODERS
from mistrust.comparison.experiment.parameters import CHAPTER, Parameters
from mistrust.comparison.experiment.readouts import HELD, readouts
from mistrust.comparison.experiment.subjects import BLOCK, Subject
from mistrust.comparison.tables import Row, Said, said
from mistrust.comparison.tables.agreement import agreement
from mistrust.comparison.tables.cells import OWN, TRUTH, cells, readings
from mistrust.comparison.tables.cost import cost
from mistrust.comparison.tables.detection import detection, limits
from mistrust.comparison.tables.wrong import wrong
from mistrust.comparison.troubles import NOMINAL, TROUBLES
from mistrust.data import ImageSet, load
from mistrust.errors import MistrustWarning
from mistrust.evaluation import share
from mistrust.misclassification.confusion import confusion
from mistrust.networks import NETWORK, observe
from mistrust.parts import estimated, measured
from mistrust.pieces import LONG, Kept, known, lacking
from mistrust.robustness.bracket import bracketed
from mistrust.robustness.targeted import targeted
from mistrust.store import key, made, maker
from mistrust.supervisors.alooc import ALOOC, Alooc, trained_refiners
from mistrust.supervisors.conv_vae import CONV_VAE
from mistrust.supervisors.dissector import DISSECTOR
from mistrust.supervisors.experiment.tested import ATTACKED
from mistrust.supervisors.tables.shown import shown

EXAMPLES = 6  # images of each kind that are shown as they are
# What scores depend on beyond the classifier, and rows of scores beyond that.
SCORED = (
    "runs", "members", "samples", "scorers", "troubles", "pairs", "models", "tries", "epochs", "train", "test",
    "attacked", "images", "searched", "noise_seeds", "calibration", "alooc_epochs", "vae_epochs", "dissector_epochs",
    "seed",
)  # fmt: skip
ROWED = (*SCORED, "per_class", "false_alarms", "resamples")


MEMBERS = "further networks"  # the piece that trains them while another trains the classifier
REFINERS = "alooc"
# What members depend on beyond the training images.
TRAINED = ("trained_on", "network_epochs", "runs", "members", "seed")


@dataclass(frozen=True)
class Piece:
    """One piece.

    Attributes
    ----------
    spec, give : what its rows depend on, and what gives them.
    common : columns that all of them share.
    prepares : whether it only makes what others find in the store.
    """

    spec: Callable[[], dict[str, Any]]
    give: Callable[[], Iterable[Row]]
    common: Mapping[str, Any]
    prepares: bool = False


def _table(parameters: Parameters) -> dict[str, Piece]:
    """Every piece by its name; image sets take turns, so that two are trained side by side."""
    p, found = parameters, dict[str, Piece]()
    subjects = [Subject(p, data, run) for run in range(p.runs) for data in p.data]
    for one in subjects:
        if one.ensemble and one.run == 0:
            every = {"data": one.data, "network": one.architecture}  # its rows have seeds of their own
            kind = Piece(partial(_members_spec, one), partial(_members, one), every, prepares=True)
            found[f"{one.data}: {MEMBERS}"] = kind
    for one in subjects:
        if REFINERS in one.scorers and p.alooc_epochs > LONG:
            kind = Piece(partial(_refiners_spec, one), partial(_refiners, one), _own(one), prepares=True)
            found[f"{one.data}: {REFINERS} {one.run}"] = kind
    for one in subjects:
        kind = Piece(partial(_spec, one, ROWED), partial(_rows, one), _own(one))
        found[f"{one.data}: {one.architecture} {one.run}"] = kind
    return found


def _own(one: Subject) -> dict[str, Any]:
    return {"data": one.data, "network": one.architecture, "seed": float(one.seed)}


def pieces(parameters: Parameters) -> list[str]:
    """Name the pieces.

    Examples
    --------
    >>> chosen = Parameters(data=("digits",), architectures=("ambiguess-fc-relu",), runs=2)
    >>> pieces(chosen)
    ['digits: further networks', 'digits: ambiguess-fc-relu 0', 'digits: ambiguess-fc-relu 1']
    >>> from dataclasses import replace
    >>> pieces(replace(chosen, scorers=("max_softmax",)))  # no ensemble is asked for
    ['digits: ambiguess-fc-relu 0', 'digits: ambiguess-fc-relu 1']
    """
    return list(_table(parameters))


def preparing(parameters: Parameters) -> list[str]:
    """Name the pieces that only train what others find in the store.

    Examples
    --------
    >>> preparing(Parameters(data=("digits",), architectures=("ambiguess-fc-relu",), runs=2))
    ['digits: further networks']
    """
    return [name for name, one in _table(parameters).items() if one.prepares]


def piece(parameters: Parameters, name: str) -> pd.DataFrame:
    """Give the rows of one piece, from the store where they are made.

    Examples
    --------
    >>> tiny = Parameters(data=("digits",), architectures=("ambiguess-fc-relu",), trained_on=100, network_epochs=1,
    ...                   scorers=("ensemble_mean_softmax",), troubles=("noise",))
    >>> found = piece(tiny, "digits: further networks")  # trains one, for an ensemble of two
    >>> found[["table", "seed", "metric", "n"]].values.tolist()
    [['members', 1.0, 'accuracy', 500.0]]
    """
    one = known(_table(parameters), name)
    spec = one.spec()
    frame = made(ROWS, spec, lambda _: measured(one.give()))
    return frame.assign(chapter=CHAPTER, made=key(ROWS, spec), **one.common)


def missing(parameters: Parameters, name: str) -> list[str]:
    """Say why the store does not hold a piece yet; nothing when it does.

    Examples
    --------
    >>> tiny = Parameters(data=("digits",), architectures=("ambiguess-fc-relu",), trained_on=100, network_epochs=1,
    ...                   scorers=("ensemble_mean_softmax",), troubles=("noise",))
    >>> missing(tiny, "digits: further networks")  # in an empty store
    ['not made yet']
    """
    return lacking(made_from(parameters, name))


def made_from(parameters: Parameters, name: str) -> list[Kept]:
    """Give what the store keeps a piece's rows by; files of accepted rows hold all of them.

    Examples
    --------
    >>> tiny = Parameters(data=("digits",), architectures=("ambiguess-fc-relu",), scorers=("ensemble_mean_softmax",))
    >>> [(maker, spec)] = made_from(tiny, "digits: further networks")
    >>> maker.kind, spec["piece"]
    ('comparison-rows', 'further networks')
    """
    return [(ROWS, known(_table(parameters), name).spec())]


def _members_spec(one: Subject) -> dict[str, Any]:
    parameters = {read: getattr(one.parameters, read) for read in TRAINED}
    return {"piece": MEMBERS, "subject": dict(one.spec()), "parameters": parameters}


def _refiners_spec(one: Subject) -> dict[str, Any]:
    found = {"data": one.data, "train": one.train.checksum, "seed": one.seed, "epochs": one.parameters.alooc_epochs}
    return {"piece": REFINERS, **found, "versions": {ALOOC.kind: ALOOC.version}}


def _refiners(one: Subject) -> Iterator[Row]:
    """How badly ALOOC rebuilds what it learnt, in the mean over classes; it reads no classifier."""
    monitor = Alooc(epochs=one.parameters.alooc_epochs, seed=one.seed)
    error = trained_refiners(one.train, monitor.recipe, monitor.seed, group=monitor.group)["error"]
    found = {"table": "members", "method": REFINERS, "metric": "reconstruction error", "note": "nats a pixel"}
    yield {**found, "value": float(error.double().mean()), "n": len(error)}


def _members(one: Subject) -> Iterator[Row]:
    """Accuracy of the further networks. The ambiguous images are made as well: other pieces find them made."""
    whole = load(one.data, "test")
    for number, network in enumerate(one.members):
        right = observe(network, whole, block=BLOCK).correct
        row = {
            "table": "members",
            "metric": "accuracy",
            "seed": float(one.parameters.seed + one.parameters.runs + number),
        }
        yield {**row, **estimated(share(int(right.sum()), len(right)))}
    if "ambiguous" in one.troubles:
        one.images("ambiguous")


def _spec(one: Subject, reads: tuple[str, ...]) -> dict[str, Any]:
    return {
        "subject": dict(one.spec()),
        "parameters": {name: getattr(one.parameters, name) for name in reads},
        "scorers": list(one.scorers),
        "troubles": one.troubles,
        "versions": {other.kind: other.version for other in MAKERS if other is not ROWS},
    }


def _rows(one: Subject) -> Iterator[Row]:
    """All tables of one classifier; pictures of the first alone."""
    p = one.parameters
    tensors: Mapping[str, Tensor] = made(SCORES, _spec(one, SCORED), lambda _: readouts(one))
    there = [name for name in one.troubles if f"{name}|ids" in tensors]
    held, nominal = said(tensors, HELD), said(tensors, NOMINAL)
    bad = [said(tensors, name) for name in there]
    limit_of = limits(held, p.false_alarms)
    yield from detection(nominal, bad, limit_of, p.resamples, p.seed)
    right = [nominal, *(said(tensors, name) for name in there if _judged(name))]
    yield from wrong(right, limit_of, p.resamples, p.seed)
    yield from agreement(nominal, bad)
    yield from cost(tensors, nominal)
    yield from _cells(one, right)
    if one.run == 0:
        sets = {name: one.images(name) for name in (NOMINAL, *there)}
        yield from shown(sets, {name: tensors[f"{name}|predicted"] for name in sets}, EXAMPLES)


def _judged(name: str) -> bool:
    """Whether the right class is known, and not what the images were chosen by: nearest attacks fool by design."""
    return TROUBLES[name].labelled and not TROUBLES[name].fooling


def _cells(one: Subject, right: list[Said]) -> Iterator[Row]:
    """Readings of images that set limits, all five of the same; the truth from these, and from other images.

    A class of which none of them is classified correctly is left out, the rows' notes and a `MistrustWarning` say so.
    """
    p, classifier = one.parameters, one.classifier
    k = len(classifier.classes)
    record = observe(classifier, _by_class(one.held, p.per_class))
    correct = record.images.take(record.correct)
    found = targeted(classifier, correct)
    broken = bracketed(classifier, correct, seeds=tuple(range(p.noise_seeds)), close=0.0, audit=0.0).breaking
    labels, predicted = (
        torch.cat([torch.from_numpy(getattr(part, column)) for part in right]) for column in ("labels", "predicted")
    )
    truths = {TRUTH: confusion(labels, predicted, k), OWN: confusion(record.labels, record.predicted, k)}
    without = (torch.bincount(correct.labels, minlength=k) == 0).nonzero()[:, 0].tolist()
    told: Row = {}
    if without:
        lacking = ", ".join(classifier.classes[place] for place in without)
        told = {"note": f"without {lacking}: none of the images read is classified correctly"}
        warnings.warn(f"{one.data} {one.run}: pairs are compared {told['note']}.", MistrustWarning, stacklevel=2)
    for row in cells(readings(record, found, broken), truths, without):
        yield {**row, **told}


def _by_class(images: ImageSet, count: int) -> ImageSet:
    """The first images of each class."""
    of = [(images.labels == label).nonzero()[:count, 0] for label in range(len(images.classes))]
    return images.take(torch.cat(of))


def _smoke_scores() -> dict[str, Tensor]:
    """Place what a search found in the order of images, as scores that search are; sums rounded."""
    from mistrust.comparison.scorers.boundary import placed

    ids = torch.tensor([5, 2, 9, 4])
    done = placed(ids, torch.tensor([9, 5, 4]), torch.tensor([-1.0, -2.0, -3.0]), torch.tensor([3, 2, 1]))
    return {"values": done.values, "passes": done.passes}


def _smoke_rows() -> pd.DataFrame:
    """Make rows of drawn scores."""
    draw = random.generator(0, "smoke")

    def drawn(name: str, shift: float) -> Said:
        ids, labels = torch.arange(40).numpy(), draw.integers(0, 3, 40)
        by = {"a": draw.normal(shift, 1, 40), "b": draw.random(30)}
        return Said(name, ids, labels, (labels + (draw.random(40) < 0.4)) % 3, by)

    held, nominal, bad = drawn(HELD, 0), drawn(NOMINAL, 0), drawn("noise", 1)
    limit_of = limits(held, 0.05)
    found = [
        *detection(nominal, [bad], limit_of, 20, 0), *wrong([nominal, bad], limit_of, 20, 0), *agreement(nominal, [bad])
    ]  # fmt: skip
    return measured(found).round({"value": 4, "low": 4, "high": 4})


SCORES = maker("comparison-scores", version=1, content="tensors", smoke=_smoke_scores)
ROWS = maker("comparison-rows", version=2, content="table", smoke=_smoke_rows)
MAKERS = (AUTOENCODERS, SETS_MAKER, NETWORK, CONV_VAE, DISSECTOR, ATTACKED, SCORES, ROWS)
