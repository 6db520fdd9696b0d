"""`Readout`: what a classifier and its monitors gave for images, and the alarms that thresholds make of it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import torch
from jaxtyping import Bool, Float64, Int64
from torch import Tensor

from mistrust.errors import MistrustError, UnknownName
from mistrust.inputs.faults import origin
from mistrust.monitoring.oracle import MEANINGLESS, must_reject
from mistrust.monitoring.parts import KINDS, NOMINAL, NOVELTY
from mistrust.supervisors import Threshold

COLUMNS = ("predicted", "labels", "kind", "shared", "ids")


@dataclass(frozen=True, eq=False)
class Readout:
    """The readouts of n images (Ferreira and others, 2021, section III.B), before any threshold.

    Attributes
    ----------
    predicted : (n,) classes.
    labels : (n,) true classes, -1 where there is none.
    kind : (n,) position in `mistrust.monitoring.parts.KINDS`.
    shared : (n,) whether the image comes from a novel set, but is of a class that the nominal one has.
    ids : (n,) in the stream.
    scores : monitor -> (n,), higher is more suspicious.
    """

    predicted: Int64[Tensor, " n"]
    labels: Int64[Tensor, " n"]
    kind: Int64[Tensor, " n"]
    shared: Bool[Tensor, " n"]
    ids: Int64[Tensor, " n"]
    scores: Mapping[str, Float64[Tensor, " n"]]

    def __len__(self) -> int:
        return len(self.predicted)

    @property
    def ood(self) -> Bool[Tensor, " n"]:
        """Whether the image is out of distribution."""
        return self.kind != NOMINAL

    @property
    def right(self) -> Bool[Tensor, " n"]:
        """Whether the predicted class is the label."""
        return self.predicted == self.labels

    @property
    def base(self) -> Int64[Tensor, " n"]:
        """What was made from one image has one number, to be drawn together; images of a novel set are their own."""
        novel = (self.kind == NOVELTY) | self.shared
        return torch.where(novel, self.ids, origin(self.ids))

    def wrong(self, meaningless: Collection[str] = MEANINGLESS) -> Bool[Tensor, " n"]:
        """Whether the prediction should be rejected, and what is refused: see `oracle.must_reject`."""
        kinds = [KINDS[one] for one in self.kind.tolist()]
        return must_reject(self.ood, self.right, kinds, meaningless=meaningless)

    def of(self, chosen: Bool[Tensor, " n"]) -> "Readout":
        """Keep some images."""
        kept = {name: getattr(self, name)[chosen] for name in COLUMNS}
        return Readout(**kept, scores={name: values[chosen] for name, values in self.scores.items()})

    def beside(self, other: "Readout") -> "Readout":
        """Put images of another readout behind these; monitors that both have."""
        both = {name: torch.cat([getattr(self, name), getattr(other, name)]) for name in COLUMNS}
        scores = {name: torch.cat([v, other.scores[name]]) for name, v in self.scores.items() if name in other.scores}
        return replace(self, **both, scores=scores)


def readout(tensors: Mapping[str, Tensor], name: str) -> Readout:
    """Read one set of "SET|COLUMN" tensors.

    Raises
    ------
    UnknownName
        A set that is not among them.
    """
    part = {key.rpartition("|")[2]: values for key, values in tensors.items() if key.rpartition("|")[0] == name}
    if not part:
        raise UnknownName("set of readouts", name, dict.fromkeys(key.rpartition("|")[0] for key in tensors))
    columns = {column: part.pop(column) for column in COLUMNS}
    columns["shared"] = columns["shared"].bool()
    return Readout(**columns, scores=part)


def alarms(one: Readout, monitor: str, threshold: Threshold) -> Bool[Tensor, " n"]:
    """Tell which images alarm; a threshold that was fitted by class reads the predicted ones.

    Raises
    ------
    MistrustError
        No scores of that monitor, scores that are NaN, a threshold that is not fitted.
    """
    if monitor not in one.scores:
        raise UnknownName("monitor in this readout", monitor, one.scores)
    limits = threshold.limits
    if limits is None:
        raise MistrustError(f"The threshold of '{monitor}' is not fitted: threshold.fit(scores of nominal images).")
    return threshold.alarms(one.scores[monitor], one.predicted if len(limits.groups) else None)


def fitted(threshold: Threshold, monitor: str, nominal: Readout) -> Threshold:
    """Fit a threshold on nominal readouts, by predicted class where that is the rule's habit; gives it back."""
    groups = nominal.predicted if threshold.by_class else None
    return threshold.fit(nominal.scores[monitor], groups)
