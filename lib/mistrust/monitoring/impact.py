"""What the system gains and loses by its monitor: who is accepted or rejected, right or wrong.

An alarm rejects the prediction, silence accepts it (paper, section III.B). The monitor that never alarms is the
classifier alone: every comparison here is of the same measure over the same stream of images, with and without.

Safety gain, residual hazard and availability cost are the later standard of the same group (Guérin, Ferreira, Delmas
and Guiochet, "Unifying evaluation of machine learning safety monitors", ISSRE 2022, arXiv:2208.14660), there for any
two returns of an answer, one for safety and one for the mission. Here both returns are the simplest: an accepted wrong
answer costs safety 1, an accepted right one earns the mission 1, a rejected one neither; and what an answer is comes
from the overall oracle.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Int
from torch import Tensor

from mistrust.errors import MistrustError
from mistrust.evaluation import matthews
from mistrust.monitoring.measures import ALL, Measure, measured, proportion
from mistrust.monitoring.oracle import Outcome, check_flags, outcomes

_TP, _FP, _FN, _TN = Outcome
# Of overall outcomes: per-image means of 0/1 returns, and their differences from those of the classifier alone.
SAFETY: Mapping[str, Measure] = {
    "safety-gain": proportion("Safety gain: wrong and rejected", (_TP,), ALL),
    "residual-hazard": proportion("Residual hazard: wrong and accepted", (_FN,), ALL),
    "availability-cost": proportion("Availability cost: right and rejected", (_FP,), ALL),
    "availability": proportion("Availability: right and accepted", (_TN,), ALL),
    "hazard-alone": proportion("Hazard of the classifier alone: wrong", (_TP, _FN), ALL),
    "availability-alone": proportion("Availability of the classifier alone: right", (_FP, _TN), ALL),
}


@dataclass(frozen=True)
class Reading:
    """One measure of a system: `alone` without its monitor, `monitored` with it."""

    alone: float
    monitored: float


def answers_mcc(
    predicted: Int[Tensor, " n"], wrong: Bool[Tensor, " n"], alarm: Bool[Tensor, " n"], classes: int
) -> Reading:
    """Matthews' correlation of the system's answers with those that it should give, over one stream.

    The system answers a class, or "rejected" as one class more. It should answer the predicted class where that is
    right, and reject where it is wrong. So the overall oracle's true positives and true negatives, and they alone, are
    right answers, and the classifier alone, which never rejects, can be held against the same truth.

    Parameters
    ----------
    predicted : (n,) classes.
    wrong : (n,) true where the prediction should be rejected: `oracle.must_reject`.
    alarm : (n,) what the monitor said.
    classes : how many classes the classifier has.

    Raises
    ------
    MistrustError
        Unequal lengths; a class outside 0 to classes - 1.
    """
    _lengths(predicted=predicted, wrong=wrong, alarm=alarm)
    check_flags(wrong=wrong, alarm=alarm)
    _within("predicted", predicted, classes)
    rejected = torch.full_like(predicted, classes)
    should = torch.where(wrong, rejected, predicted)
    given = torch.where(alarm, rejected, predicted)
    return Reading(_mcc(should, predicted, classes + 1), _mcc(should, given, classes + 1))


def answers_mcc_as_published(
    labels: Int[Tensor, " n"], predicted: Int[Tensor, " n"], wrong: Bool[Tensor, " n"], alarm: Bool[Tensor, " n"],
    ood: Bool[Tensor, " n"], classes: int,
) -> Reading:  # fmt: skip
    """Table V as coded: two numbers that cannot be compared.

    Alone: Matthews' correlation over classes, labels against predictions, on the nominal images alone. Monitored: that
    of the 0/1 reactions, alarm against wrong prediction, over the whole stream: the authors' filter of nominal data
    (label below the number of classes) is applied to the reactions, which are always below it.

    Parameters
    ----------
    labels : (n,) true classes; not read of OOD images.
    predicted, wrong, alarm, classes : as for `answers_mcc`.
    ood : (n,) true where the image is out of distribution.

    Raises
    ------
    MistrustError
        Unequal lengths; a class outside 0 to classes - 1; no nominal image.
    """
    _lengths(labels=labels, predicted=predicted, wrong=wrong, alarm=alarm, ood=ood)
    check_flags(wrong=wrong, alarm=alarm, ood=ood)
    y, p = labels[~ood], predicted[~ood]
    if len(y) == 0:
        raise MistrustError("The stream holds no nominal image, and Table V reads the classifier alone on those only.")
    _within("labels", y, classes)
    _within("predicted", p, classes)
    return Reading(_mcc(y, p, classes), float(measured(outcomes(wrong, alarm))["mcc"]))


def _mcc(truth: Int[Tensor, " n"], answer: Int[Tensor, " n"], classes: int) -> float:
    table = torch.bincount(truth * classes + answer, minlength=classes * classes).view(classes, classes)
    return float(matthews(table.cpu().numpy().astype(np.float64)))


def _lengths(**columns: Tensor) -> None:
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1 or 0 in lengths.values():
        told = ", ".join(f"{name} {n}" for name, n in lengths.items())
        raise MistrustError(f"Columns need one length of at least 1, got {told}.")


def _within(name: str, column: Int[Tensor, " n"], classes: int) -> None:
    if column.is_floating_point():
        raise MistrustError(f"{name} is {str(column.dtype).removeprefix('torch.')}, expected whole numbers of classes.")
    if int(column.min()) < 0 or int(column.max()) >= classes:
        raise MistrustError(
            f"{name} holds class {int(column.min())} to {int(column.max())}, expected 0 to {classes - 1}."
        )
