"""Which monitors watch: the paper's three, as they are right and as published, and the supervisors of its neighbour.

A line is a supervisor and a rule that turns its scores into alarms. Lines that share a supervisor share its scores.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any

from mistrust.monitoring.experiment.parameters import PAPERS, Parameters
from mistrust.networks import ARCHITECTURES, DROPOUTS, Classifier
from mistrust.supervisors import SUPERVISORS, ClassMean, Fixed, Quantile, Supervisor, Threshold, TrainingExtreme
from mistrust.supervisors.odin import PUBLISHED as PUBLISHED_ODIN

# The paper's three, by its names.
THREE = {"alooc": "alooc", "oob": "outside_the_box", "odin": "odin"}
AS_PUBLISHED, PUBLISHED_RULE = "as published", "published rule"
# Best settings of the boxes by the paper's text (section V): clusters and enlargement. (Its code has others.)
BOXES = {"gtsrb": (3, 0.1), "cifar10": (5, 0.35)}
PROJECTION = "isomap"  # of both
STEP = {"gtsrb": 0.0025, "cifar10": 0.0014}
SURPRISE = ("dsa", "lsa", "mdsa")


@dataclass(frozen=True)
class Line:
    """One line of the comparison.

    Attributes
    ----------
    name : in rows: the monitor's, or monitor/variant.
    scores : name of the supervisor whose scores it reads, as `watching` has it.
    threshold : unfitted, of this line alone.
    """

    name: str
    scores: str
    threshold: Threshold = field(compare=False)

    @property
    def on_training(self) -> bool:
        """Whether training images set the limit, as the paper has it; else images that are kept for that."""
        return isinstance(self.threshold, (ClassMean, TrainingExtreme))


def watching(
    parameters: Parameters, data: str, classifier: Classifier, features: str, run: int
) -> dict[str, Supervisor]:
    """Give every supervisor that scores, unfitted, by name.

    Those that an architecture has no layers or no dropout for are left out; the paper's slips are shown on the first
    architecture, its LeNet.

    Parameters
    ----------
    classifier : of the table of architectures, whose name it has.
    features : the layer that the last linear layer reads.
    run : number of the classifier: what is trained for it has draws of its own.
    """
    entry = ARCHITECTURES[classifier.name]
    drops = any(isinstance(one, DROPOUTS) for one in classifier.module.modules())
    found = three(parameters, data, entry.surprise, parameters.seed + run)
    if classifier.name == parameters.architectures[0]:
        found |= as_published(found, data)
    for name in parameters.supervisors or tuple(SUPERVISORS):
        needs = SUPERVISORS[name].card.reads
        if name in THREE.values() or ("samples" in needs and not drops) or ("layers" in needs and not entry.dissector):
            continue
        known = {one.name for one in fields(SUPERVISORS[name])}  # pyrefly: ignore[bad-argument-type]
        given: dict[str, Any] = {
            "layer": entry.surprise if name in SURPRISE else features,
            "layers": entry.dissector,
            "epochs": {"autoencoder": parameters.vae_epochs, "dissector": parameters.dissector_epochs}.get(name),
            "seed": parameters.seed,
        }
        found[name] = SUPERVISORS[name](**{key: v for key, v in given.items() if key in known and v is not None})
    return found


def lines(parameters: Parameters, data: str, scored: Iterable[str]) -> Iterator[Line]:
    """Give every line over supervisors that score: all at one rate of false alarms, and three by the paper's rules."""
    gamma = fixed(data)
    # Made anew for each line: two lines that shared a threshold would share what it learns last.
    rules: dict[str, Callable[[], Threshold]] = {
        "alooc": ClassMean, "oob": partial(Fixed, gamma), "odin": TrainingExtreme,
    }  # fmt: skip
    for name in scored:
        own, _, variant = name.partition("/")
        if variant == AS_PUBLISHED:
            yield Line(name, name, rules[own]())
            continue
        yield Line(name, name, Quantile(parameters.false_alarms))
        if own in rules:
            yield Line(f"{own}/{PUBLISHED_RULE}", name, rules[own]())


def fixed(data: str) -> float:
    """How far the paper enlarges boxes of this image set; those of another one as far as GTSRB's."""
    return best_boxes(data)[1]


def best_boxes(data: str) -> tuple[int, float]:
    """Clusters and enlargement that the paper calls best on this image set; those of another one are GTSRB's."""
    return BOXES.get(PAPERS.get(data, ""), BOXES["gtsrb"])


def three(p: Parameters, data: str, hidden: str, seed: int) -> dict[str, Supervisor]:
    """Give the paper's monitors, unfitted, as they are right."""
    paper = PAPERS.get(data, "")
    clusters, _ = best_boxes(data)
    given: dict[str, dict[str, Any]] = {
        "alooc": {"epochs": p.alooc_epochs, "seed": seed},
        "oob": {"layer": hidden, "clusters": clusters, "seed": seed},
        "odin": {"epsilon": STEP.get(paper, 0.0014)},
    }
    return {name: SUPERVISORS[THREE[name]](**each) for name, each in given.items()}


def as_published(right: Mapping[str, Supervisor], data: str) -> dict[str, Supervisor]:
    """Give each of the paper's monitors as its code has it, unfitted, from those of `three`."""
    slips: dict[str, dict[str, Any]] = {
        "alooc": {"as_published": True},
        "oob": {"projection": PROJECTION, "as_published": True},
        "odin": PUBLISHED_ODIN.get(PAPERS.get(data, ""), {"as_published": True}),
    }
    return {
        f"{name}/{AS_PUBLISHED}": SUPERVISORS[THREE[name]](**{**right[name].parameters(), **slip})
        for name, slip in slips.items()
    }
