"""What the paper tried of its monitors on its two image sets (Table I and section IV-D-2), judged on nominal images.

Each classifier of the paper's network has two trials, pieces beside that of its readouts: ALOOC trained by every
optimiser, and OOB with every number of clusters, projection and enlargement; all as published. The settings that the
paper calls best are among them under their usual name, so that all lines of a trial watch one classifier.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from mistrust.data import load
from mistrust.monitoring.experiment.checks import check
from mistrust.monitoring.experiment.methods import AS_PUBLISHED, Line, as_published, fixed, three
from mistrust.monitoring.experiment.parameters import PAPERS
from mistrust.monitoring.experiment.system import NOMINAL, TRAIN, System, plain
from mistrust.monitoring.readouts import alarms, fitted, readout
from mistrust.monitoring.tables import Row
from mistrust.monitoring.tables.detection import Watcher
from mistrust.monitoring.tables.nominal import nominal
from mistrust.networks import ARCHITECTURES, NETWORK
from mistrust.store import Maker
from mistrust.supervisors import ClassMean, Fixed, Supervisor
from mistrust.supervisors.alooc import ALOOC

TABLE = "tried"
OPTIMISERS = {"adam": "Adam", "rmsprop": "RMSProp"}
PROJECTIONS = {"simple": "simple", "pca": "PCA", "isomap": "ISOMAP"}
# No clusters are one box a class; 17 and 5 are the elbows of K-means (section IV-C).
CLUSTERS = {"gtsrb": (1, 3, 17), "cifar10": (1, 3, 5)}
ENLARGEMENTS = (0.0, 0.1, 0.35)
# Parameters that every trial depends on.
READ = ("left_out", "network_epochs", "trained_on", "images", "calibration", "seed")


Settings = Iterator[tuple[Line, Supervisor]]


@dataclass(frozen=True)
class Trial:
    """One monitor in all settings.

    Attributes
    ----------
    settings : of a classifier: a line, and the unfitted monitor whose scores it reads; several lines may read one's.
    reads : parameters that it depends on beyond `READ`.
    makers : of what is kept in the store beside classifiers.
    """

    settings: Callable[[System], Settings]
    reads: tuple[str, ...] = ()
    makers: tuple[Maker[Any], ...] = ()


def asked(one: System) -> bool:
    """Whether a classifier has trials: the paper's network on one of the paper's image sets."""
    return one.data in PAPERS and one.architecture == one.parameters.architectures[0]


def tried(one: System, what: str) -> Iterator[Row]:
    """Give, for every setting of a trial, how often nominal images alarm, and the MCC of the system's answers.

    Parameters
    ----------
    one : the classifier.
    what : an entry of `TRIALS`.
    """
    settings, material = list(TRIALS[what].settings(one)), one.material
    watched = one.fit({line.scores: monitor for line, monitor in settings})
    tensors = one.scores(NOMINAL, plain(material.test(one.run)), watched)
    if any(line.on_training for line, _ in settings):
        tensors |= one.scores(TRAIN, plain(material.train), watched)
    base = readout(tensors, NOMINAL)
    watchers = []
    for line, _ in settings:
        rule = fitted(line.threshold, line.scores, readout(tensors, TRAIN) if line.on_training else base)
        watchers.append(Watcher(line.name, line.scores, alarms(base, line.scores, rule), own=False, paper=True))
    for row in nominal(base, watchers, len(material.train.classes)):
        if row["method"] != "network":  # both trials have the same, and so has the table of nominal images
            yield {**row, "table": TABLE}


def spec(one: System, what: str) -> dict[str, Any]:
    """Give what the rows of a trial depend on."""
    check(one.parameters)
    p, trial = one.parameters, TRIALS[what]
    return {
        "piece": f"{what} tried",
        "lines": [line.name for line, _ in trial.settings(one)],
        "architecture": one.architecture,
        "recipe": ARCHITECTURES[one.architecture].recipe.described(),
        "run": one.run,
        "data": {"name": one.data, **{split: load(one.data, split).checksum for split in ("train", "test")}},
        "parameters": {name: getattr(p, name) for name in (*READ, *trial.reads)},
        "versions": {other.kind: other.version for other in (NETWORK, *trial.makers)},
    }


def optimisers(one: System) -> Settings:
    """ALOOC trained by every optimiser, each with the limits that its own training errors set."""
    name, best = _as_published(one, "alooc")
    for optimiser, title in OPTIMISERS.items():
        line = name if optimiser == best.parameters()["optimiser"] else f"{name}, {title}"
        yield Line(line, line, ClassMean()), _changed(best, optimiser=optimiser)


def boxes(one: System) -> Settings:
    """OOB with every number of clusters, projection and enlargement."""
    name, best = _as_published(one, "oob")
    own = (best.parameters()["clusters"], best.parameters()["projection"], fixed(one.data))
    for clusters, projection in product(CLUSTERS[PAPERS.get(one.data, "gtsrb")], PROJECTIONS):
        many = f"{clusters} clusters" if clusters > 1 else "no clusters"
        scores = f"{name}, {PROJECTIONS[projection]}, {many}"
        monitor = _changed(best, clusters=clusters, projection=projection)
        for gamma in ENLARGEMENTS:
            line = name if (clusters, projection, gamma) == own else f"{scores}, gamma {gamma:g}"
            yield Line(line, scores, Fixed(gamma)), monitor


def _as_published(one: System, monitor: str) -> tuple[str, Supervisor]:
    """A monitor with the settings that the paper calls best, and its name, as the other pieces have it."""
    p, hidden, name = one.parameters, ARCHITECTURES[one.architecture].surprise, f"{monitor}/{AS_PUBLISHED}"
    return name, as_published(three(p, one.data, hidden, p.seed + one.run), one.data)[name]


def _changed(best: Supervisor, **settings: Any) -> Supervisor:
    return type(best)(**{**best.parameters(), **settings})


TRIALS: Mapping[str, Trial] = {
    "boxes": Trial(boxes),  # minutes; optimisers take ten times as long
    "optimisers": Trial(optimisers, reads=("alooc_epochs",), makers=(ALOOC,)),
}
