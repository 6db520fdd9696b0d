"""The novelty sets once more with traffic signs as JPEG, since the photographs at hand are JPEG and the signs are not.

Every classifier that meets both has a piece beside that of its readouts. In it the sets of novelty stand three times
(`at`): as they are; with those signs compressed that are tested, where nothing is fitted on such; and, where signs are
what is known, with all of them compressed and everything fitted anew, classifiers, monitors and thresholds. Belgian
signs stay as they are. Monitors are those that are right: variants as published and the paper's rules are left out.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from torch import Tensor

from mistrust.data import ImageSet
from mistrust.evaluation import auroc, false_positive_rate
from mistrust.monitoring.benchmark_sets import BenchmarkSet
from mistrust.monitoring.experiment import kept
from mistrust.monitoring.experiment.material import COPIES, Material
from mistrust.monitoring.experiment.methods import Line, lines
from mistrust.monitoring.experiment.parameters import PAPERS
from mistrust.monitoring.experiment.system import AS_JPEG, CALIBRATE, NOMINAL, TRAIN, System
from mistrust.monitoring.jpeg import QUALITY, as_jpeg
from mistrust.monitoring.measures import MEASURES, measured
from mistrust.monitoring.oracle import outcomes
from mistrust.monitoring.readouts import Readout, alarms, fitted, readout
from mistrust.monitoring.stream import Stream
from mistrust.monitoring.tables import Row
from mistrust.monitoring.tables.nominal import shares
from mistrust.store import made
from mistrust.supervisors import Supervisor

TABLE = "compressed"
# How the signs of a set are: none as JPEG; those that are tested; all, those included that everything is fitted on.
LOSSLESS, TESTED, ANEW = "signs as they are", "signs as JPEG", "fitted on JPEG"
JPEG = COPIES["cifar10"]  # the copy of the photographs that is JPEG; a complete set is not
READ = tuple(name for name in kept.READ if name != "faults")
ASKED = {name: MEASURES[name] for name in ("mcc", "fpr", "fnr")}

Tensors = Mapping[str, Tensor]


@dataclass(frozen=True)
class Signs(Material):
    """A nominal set all of whose images are JPEG, with its sets of novelty alone, whose images are as they are."""

    @property
    def entries(self) -> list[BenchmarkSet]:
        """The sets of novelty."""
        return [one for one in super().entries if one.novel]

    def _part(self, split: str, count: int) -> ImageSet:
        found = _compressed(Material(self.parameters, self.data), split)
        return found.take(slice(0, count)) if count else found


@lru_cache(maxsize=4)
def _compressed(material: Material, split: str) -> ImageSet:
    whole = material._part(split, 0)
    return replace(as_jpeg(whole), name=f"{whole.name}, JPEG {QUALITY}")  # other pixels are another set


@dataclass(frozen=True)
class Repeat(System):
    """A classifier of compressed images with all monitors that are right, all of them fitted on such images."""

    @property
    def material(self) -> Material:
        """The images."""
        return Signs(self.parameters, self.data)

    def watched(self) -> dict[str, Supervisor]:
        """Give every monitor of the comparison that is right, unfitted."""
        return {name: one for name, one in super().watched().items() if "/" not in name}

    def _streams(self) -> Iterator[tuple[str, Stream]]:
        streams = super()._streams()
        return ((name, stream) for name, stream in streams if name != TRAIN)  # the paper's rules alone read that

    def _controls(self, nominal: ImageSet) -> Iterator[tuple[str, ImageSet]]:
        return iter(())


def asked(one: System) -> bool:
    """Whether JPEG could be what a monitor sees: signs and photographs meet, and the photographs are JPEG.

    Examples
    --------
    >>> from mistrust.monitoring.experiment import Parameters
    >>> names = ("gtsrb-thin", "cifar10-jpeg", "gtsrb", "cifar10", "digits")
    >>> [asked(System(Parameters(), name, "farm-lenet", 0)) for name in names]  # complete sets are lossless
    [True, True, False, False, False]
    """
    return one.data in PAPERS and any(name == JPEG for name, _ in one.material.reads)


def repeated(one: System) -> Iterator[Row]:
    """Give the rows of one classifier, and of another that is fitted anew where it knows signs.

    Metrics
    -------
    auroc and fpr95 (false alarms where 95 % of what is new alarms) of scores; mcc, fpr and fnr of alarms at the rate
    that thresholds are fitted for, by images that are kept for that. Of classifiers of signs the accuracy on nominal
    images, for condition "nominal".
    """
    tensors, entries = kept.readouts(one), Signs(one.parameters, one.data).entries
    yield from judged(one, readout(tensors, CALIBRATE), sets(tensors, entries), LOSSLESS)
    yield from judged(one, readout(tensors, CALIBRATE), sets_as_jpeg(tensors, entries, signs_known(one)), TESTED)
    if signs_known(one):
        anew = Repeat(one.parameters, one.data, one.architecture, one.run)
        found = readouts_anew(anew)
        yield from judged(anew, readout(found, CALIBRATE), sets(found, entries), ANEW)


def signs_known(one: System) -> bool:
    """Whether the signs are what a classifier knows; else they are what is new to it."""
    return PAPERS.get(one.data) == "gtsrb"


def readouts_anew(anew: Repeat) -> Tensors:
    """Give what a classifier of compressed images and its monitors say of the sets of novelty, from the store."""
    return made(kept.READOUTS, {**kept.spec(anew, READ), "jpeg": QUALITY}, anew.readouts)


def sets(tensors: Tensors, entries: list[BenchmarkSet]) -> dict[str, tuple[Readout, Readout]]:
    """Give the nominal half and the other one of each set of novelty, by condition."""
    base = readout(tensors, NOMINAL)
    return {entry.condition: (base, readout(tensors, entry.name)) for entry in entries}


def sets_as_jpeg(
    tensors: Tensors, entries: list[BenchmarkSet], known: bool
) -> dict[str, tuple[Readout, Readout]]:  # fmt: skip
    """Give the same where the signs are JPEG, which are nominal where they are known, and else what is new."""
    jpeg = readout(tensors, AS_JPEG)
    return {
        condition: (jpeg, bad) if known else (base, replace(bad, predicted=jpeg.predicted, scores=jpeg.scores))
        for condition, (base, bad) in sets(tensors, entries).items()
    }


def judged(
    one: System, calibrate: Readout, halves: Mapping[str, tuple[Readout, Readout]], at: str
) -> Iterator[Row]:  # fmt: skip
    """Give the rows of all sets of novelty in one state.

    Parameters
    ----------
    calibrate : nominal images that set thresholds.
    halves : condition -> nominal images, and what is new with what else came with it.
    at : the state.
    """
    chosen = [line for line in lines(one.parameters, one.data, calibrate.scores) if "/" not in line.name]
    for line in chosen:
        fitted(line.threshold, line.scores, calibrate)
    if signs_known(one):
        base, _ = next(iter(halves.values()))
        row = {"table": TABLE, "method": "network", "condition": "nominal", "at": at, "metric": "accuracy"}
        yield {**row, **shares(base.right)}
    for condition, (base, bad) in halves.items():
        whole = base.beside(bad)
        for line in chosen:
            row = {"table": TABLE, "method": line.name, "condition": condition, "at": at, "n": len(whole)}
            yield from ({**row, "metric": name, "value": value} for name, value in _measured(whole, line).items())


def _measured(whole: Readout, line: Line) -> dict[str, float]:
    scores, ood = whole.scores[line.scores].numpy(), whole.ood
    found = measured(outcomes(ood, alarms(whole, line.scores, line.threshold)), measures=ASKED)
    detected = {"auroc": auroc(scores, ood.numpy()), "fpr95": false_positive_rate(scores, ood.numpy())}
    return {**detected, **{name: float(value) for name, value in found.items()}}


def spec(one: System) -> dict[str, Any]:
    """Give what the rows of one classifier depend on."""
    return {"piece": TABLE, "jpeg": QUALITY, **kept.spec(one, (*READ, "false_alarms"))}
