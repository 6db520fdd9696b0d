"""What a distance by labels alone found on a few images, and whether it says it twice: rows of any such attack."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.evaluation import share
from mistrust.networks import Classifier
from mistrust.search.attack import Distances, agreement
from mistrust.search.tables import Row, estimated

GREYS = 255
# Instances that a window of the fit of F holds at least: of few images F is nearly one straight line.
WINDOW = 18


def twice(
    find: Callable[..., Distances],
    classifier: Classifier,
    images: ImageSet,
    donors: ImageSet,
    steps: Sequence[int],
    seed: int,
) -> tuple[Distances, Distances]:
    """Two runs with seeds of their own, each with a trace of all its numbers of steps, ascending."""
    first, second = (
        find(classifier, images, donors=donors, seed=2 * seed + run, steps=steps[-1], trace=steps) for run in (0, 1)
    )
    return first, second


def after(found: Distances, column: int) -> Distances:
    """Give what had been found after the steps of a column of the trace."""
    if found.trace is None:
        return found
    return replace(found, mae=found.trace.mae[:, column], queries=found.trace.queries[:, column])


def reached(one: Distances, common: Mapping[str, Any]) -> Iterator[Row]:
    """Rows "success", "queries" an image, and the median "mae" in grey levels of the images that have one."""
    hit = one.success.numpy()
    yield {**common, "metric": "success", **estimated(share(int(hit.sum()), len(hit)))}
    yield {**common, "metric": "queries", "value": float(one.queries.double().mean()), "n": len(hit)}
    if hit.any():
        mae = one.mae.numpy()[hit]
        yield {**common, "metric": "mae", "value": float(np.median(mae)) * GREYS, "n": len(mae)}


def agreements(
    one: Distances,
    beside: Mapping[str, Distances],
    confidence: NDArray[np.float64],
    fraction: float,
    common: Mapping[str, Any],
) -> Iterator[Row]:
    """Rows "distance ..." and "residual ...", rank correlations with other distances by what they are called.

    Parameters
    ----------
    confidence : (n,) calibrated.
    fraction : of the fit of F, wider where its windows would hold fewer than `WINDOW` images.
    """
    wider = max(fraction, min(1.0, WINDOW / len(one)))
    for what, other in beside.items():
        try:
            both = agreement(one, other, confidence, fraction=wider)
        except MistrustError:  # too few images for F: no number
            continue
        yield {**common, "metric": f"distance {what}", **estimated(both.log_mae)}
        yield {
            **common, "metric": f"residual {what}", **estimated(both.residual),
            "note": f"F over {wider:.2g} of {both.n} images",
        }  # fmt: skip
