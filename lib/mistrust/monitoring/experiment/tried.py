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
from mistrust.monitoring.experiment.methods import (
    AS_PUBLISHED,
    PROJECTION,
    Line,
    as_published,
    best_boxes,
    three,
)
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
OPTIMISERS = {"adam": "Adam", "rmsprop": "RMSProp"}  # the first is the paper's choice
PROJECTIONS = {"simple": "simple", "pca": "PCA", "isomap": "ISOMAP"}
# No clusters are one box per class; 17 and 5 are the elbows of K-means (section IV-C).
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
    best = _as_published(one, "alooc")
    for optimiser in OPTIMISERS:
        line = optimiser_line(optimiser)
        yield Line(line, line, ClassMean()), _changed(best, optimiser=optimiser)


def boxes(one: System) -> Settings:
    """OOB with every number of clusters, projection and enlargement."""
    best = _as_published(one, "oob")
    for clusters, projection in product(clusters_of(one.data), PROJECTIONS):
        scores = _boxes(clusters, projection)
        monitor = _changed(best, clusters=clusters, projection=projection)
        for gamma in ENLARGEMENTS:
            yield Line(box_line(one.data, clusters, projection, gamma), scores, Fixed(gamma)), monitor


def clusters_of(data: str) -> tuple[int, ...]:
    """Numbers of clusters that are tried on an image set; on one that the paper does not have, GTSRB's."""
    return CLUSTERS[PAPERS.get(data, "gtsrb")]


def optimiser_line(optimiser: str) -> str:
    """What rows call ALOOC trained by an optimiser; the paper's choice has the monitor's usual name.

    Examples
    --------
    >>> optimiser_line("adam"), optimiser_line("rmsprop")
    ('alooc/as published', 'alooc/as published, RMSProp')
    """
    usual = f"alooc/{AS_PUBLISHED}"
    return usual if optimiser == next(iter(OPTIMISERS)) else f"{usual}, {OPTIMISERS[optimiser]}"


def box_line(data: str, clusters: int, projection: str, gamma: float) -> str:
    """What rows call OOB with these settings; those that the paper calls best have the monitor's usual name.

    Examples
    --------
    >>> box_line("gtsrb", 3, "isomap", 0.1), box_line("gtsrb", 1, "pca", 0.1)
    ('oob/as published', 'oob/as published, PCA, no clusters, gamma 0.1')
    """
    best, enlargement = best_boxes(data)
    if (clusters, projection, gamma) == (best, PROJECTION, enlargement):
        return f"oob/{AS_PUBLISHED}"
    return f"{_boxes(clusters, projection)}, gamma {gamma:g}"


def _boxes(clusters: int, projection: str) -> str:
    many = f"{clusters} clusters" if clusters > 1 else "no clusters"
    return f"oob/{AS_PUBLISHED}, {PROJECTIONS[projection]}, {many}"


def _as_published(one: System, monitor: str) -> Supervisor:
    """A monitor with the settings that the paper calls best."""
    p, hidden = one.parameters, ARCHITECTURES[one.architecture].surprise
    return as_published(three(p, one.data, hidden, p.seed + one.run), one.data)[f"{monitor}/{AS_PUBLISHED}"]


def _changed(best: Supervisor, **settings: Any) -> Supervisor:
    return type(best)(**{**best.parameters(), **settings})


TRIALS: Mapping[str, Trial] = {
    "boxes": Trial(boxes),  # minutes; optimisers take ten times as long
    "optimisers": Trial(optimisers, reads=("alooc_epochs",), makers=(ALOOC,)),
}
