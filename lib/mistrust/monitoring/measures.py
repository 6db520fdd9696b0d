"""How well a monitor's alarms fit: the paper's measures from outcomes, either answer being positive, with intervals.

Section III.C of the paper names OOD images the positives. Its numbers are printed with nominal images as the positives
(`positive="nominal"`): what stands there as false-positive rate is the share of OOD images that are missed, and as
false-negative rate the share of nominal images that raise an alarm. What it prints as "Micro-F1" is the weighted F1;
micro-F1 is the accuracy.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Int
from numpy.typing import NDArray
from torch import Tensor

from mistrust.errors import MistrustError, UnknownName
from mistrust.evaluation import (
    Confusion,
    Estimate,
    decisions,
    percentile_interval,
    share,
)
from mistrust.evaluation.given import times
from mistrust.monitoring.oracle import Outcome

POSITIVES = ("ood", "nominal")
ALL = tuple(Outcome)


@dataclass(frozen=True)
class Measure:
    """One number read from counted outcomes.

    Attributes
    ----------
    title : how it is called.
    value : from counts (...) to values (...).
    of, among : for a share: which outcomes are counted, and which could have been; both empty for anything else.
    """

    title: str
    value: Callable[[Confusion], NDArray[np.float64]]
    of: tuple[Outcome, ...] = ()
    among: tuple[Outcome, ...] = ()


def proportion(title: str, of: tuple[Outcome, ...], among: tuple[Outcome, ...]) -> Measure:
    """Make the measure that is a share: so many outcomes among so many."""

    def value(c: Confusion) -> NDArray[np.float64]:
        cells = (c.tp, c.fp, c.fn, c.tn)
        return decisions.ratio(sum(cells[one] for one in of), sum(cells[one] for one in among))

    return Measure(title, value, of, among)


_TP, _FP, _FN, _TN = Outcome
MEASURES: Mapping[str, Measure] = {
    "mcc": Measure("Matthews correlation", decisions.mcc),
    "fpr": proportion("False-positive rate", (_FP,), (_FP, _TN)),
    "fnr": proportion("False-negative rate", (_FN,), (_TP, _FN)),
    "precision": proportion("Precision", (_TP,), (_TP, _FP)),
    "recall": proportion("Recall", (_TP,), (_TP, _FN)),
    "f1": Measure("F1 of the positives", decisions.f1),
    "micro-f1": proportion("Micro-F1 (accuracy)", (_TP, _TN), ALL),
    "weighted-f1": Measure("Weighted F1 (printed as Micro-F1)", decisions.weighted_f1),
}


def counted(outcome: Int[Tensor, "... n"], positive: str = "ood") -> Confusion:
    """Count outcomes over images: (..., n) codes give counts (...).

    Parameters
    ----------
    outcome : codes of `Outcome`, where what should raise an alarm is positive.
    positive : "ood": as the oracle codes them. "nominal": as published, the other answer is positive.

    Raises
    ------
    MistrustError
        No images; codes that are none; another polarity.
    """
    codes = _codes(outcome, positive)
    return decisions.counts(np.stack([(codes == one).sum(-1).numpy() for one in ALL], axis=-1))


def measured(
    outcome: Int[Tensor, "... n"], positive: str = "ood", measures: Mapping[str, Measure] = MEASURES
) -> dict[str, NDArray[np.float64]]:
    """Measures of outcomes over images, by name: (..., n) codes give values (...). Errors are those of `counted`."""
    cells = counted(outcome, positive)
    return {name: measure.value(cells) for name, measure in measures.items()}


def estimated(
    outcome: Int[Tensor, " n"],
    base: Int[Tensor, " n"],
    resamples: int,
    draw: np.random.Generator,
    *,
    positive: str = "ood",
    measures: Mapping[str, Measure] = MEASURES,
) -> dict[str, Estimate]:
    """Measures with 95 % intervals.

    A share has its exact interval (Clopper and Pearson) where no base image stands twice among the images that it is a
    share of, as in the rates over one benchmark set; everything else a bootstrap that draws all images made from a base
    image together.

    Parameters
    ----------
    outcome : (n,) codes of `Outcome`.
    base : (n,) id of the image that each was made from: a nominal image and its transformed copy have the same.
    resamples, draw : how many resamples, and a keyed generator (`mistrust.random.generator`).
    positive : see `counted`.

    Returns
    -------
    By name; n is how many images a share is of, or all. A value that is not defined is NaN, with n 0 for a share.

    Raises
    ------
    MistrustError
        What `counted` refuses; another number of ids than of outcomes; fewer resamples than one, or no whole number
        of them.
    """
    drawn, codes = times(resamples), _codes(outcome, positive).numpy()
    ids = base.cpu().numpy()
    if codes.ndim != 1 or codes.shape != ids.shape:
        raise MistrustError(f"Outcomes and base ids have shapes {codes.shape} and {ids.shape}, expected (n,) for both.")
    found: dict[str, Estimate] = {}
    rest: list[str] = []
    for name, measure in measures.items():
        among = np.isin(codes, measure.among)
        if not measure.among or len(np.unique(ids[among])) < among.sum():
            rest.append(name)
        elif among.any():
            found[name] = share(int(np.isin(codes, measure.of).sum()), int(among.sum()))
        else:
            found[name] = Estimate(np.nan, np.nan, np.nan, 0)
    if rest:
        found |= _resampled(codes, ids, {name: measures[name] for name in rest}, drawn, draw)
    return {name: found[name] for name in measures}


def _resampled(
    codes: NDArray[np.int64], ids: NDArray[np.int64], measures: Mapping[str, Measure], resamples: int,
    draw: np.random.Generator,
) -> dict[str, Estimate]:  # fmt: skip
    """Bootstrap of clusters of images, all resamples in one call.

    A cluster is four counts, and few of these differ: drawing clusters is drawing how often each kind of cluster comes,
    so that a resample costs as little of 60,000 images as of 60.
    """
    known, position = np.unique(ids, return_inverse=True)
    clusters = np.zeros((len(known), len(ALL)))
    np.add.at(clusters, (position, codes), 1)
    kinds, often = np.unique(clusters, axis=0, return_counts=True)

    def values(cells: NDArray[np.float64]) -> NDArray[np.float64]:
        table = decisions.counts(cells)
        return np.stack([measure.value(table) for measure in measures.values()], axis=-1)

    times = draw.multinomial(len(known), often / len(known), size=resamples)
    low, high = percentile_interval(values(times @ kinds))
    total = clusters.sum(0)
    point = values(total)
    sizes = [int(total[list(measure.among or ALL)].sum()) for measure in measures.values()]
    return {name: Estimate(float(point[i]), float(low[i]), float(high[i]), sizes[i]) for i, name in enumerate(measures)}


def _codes(outcome: Tensor, positive: str) -> Int[Tensor, "... n"]:
    """Codes as int64 on the CPU, of the polarity that is asked for."""
    if positive not in POSITIVES:
        raise UnknownName("positive answer", positive, POSITIVES)
    if not isinstance(outcome, Tensor) or outcome.dtype == torch.bool:
        raise MistrustError(
            "Outcomes must be a tensor of codes 0 to 3, as `monitoring.oracle.outcomes(positive, alarm)` gives them; "
            "alarms alone do not tell which of them were right."
        )
    if outcome.ndim == 0 or outcome.shape[-1] == 0:
        raise MistrustError(f"Outcomes have shape {tuple(outcome.shape)}, expected (..., n) of at least one image.")
    codes = outcome.cpu().to(torch.int64)
    if outcome.is_floating_point() or bool(((codes < 0) | (codes >= len(ALL))).any()):
        raise MistrustError("Outcomes must be codes 0 to 3, as `monitoring.oracle.outcomes` gives them.")
    return codes if positive == "ood" else len(ALL) - 1 - codes
