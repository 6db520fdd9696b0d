"""AUROC of several scorers at once, each with its interval; scorers that saw fewer images are asked about these."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from mistrust import random
from mistrust.evaluation import Estimate, cluster_bootstrap, counted_auroc, ordered, percentile_interval

# How many images of either outcome there are at least for an AUROC to say something.
LEAST = 10


def aurocs(
    by: Mapping[str, Sequence[NDArray[np.float64]]],
    positive: Sequence[NDArray[np.bool_]],
    ids: Sequence[NDArray[np.int64]],
    resamples: int,
    seed: int,
) -> dict[str, Estimate]:
    """Give each scorer's AUROC over some sets put together; none where an outcome has fewer than `LEAST` images.

    Parameters
    ----------
    by : scorer -> for each set (m,) scores of its first images.
    positive, ids : for each set (n,) what should score high, and the image that each was made from: inputs of one id
        are drawn together, and scorers that saw the same images meet the same resamples.
    resamples, seed : of the bootstrap.

    Returns
    -------
    Estimates with the number of positives as n.
    """
    found: dict[str, Estimate] = {}
    shapes = {name: tuple(map(len, parts)) for name, parts in by.items()}
    for shape in dict.fromkeys(shapes.values()):
        names = [name for name in by if shapes[name] == shape]
        outcome = np.concatenate([one[:m] for one, m in zip(positive, shape, strict=True)])
        clusters = np.concatenate([one[:m] for one, m in zip(ids, shape, strict=True)])
        bad = int(outcome.sum())
        if min(bad, len(outcome) - bad) < LEAST:
            continue
        sorted_once = [ordered(np.concatenate(by[name]), outcome) for name in names]

        def values(weights: NDArray[np.float64], one: list = sorted_once) -> list[float]:  # type: ignore[type-arg]
            return [counted_auroc(each.counted(weights)) for each in one]

        drawn = cluster_bootstrap(clusters, values, resamples, random.generator(seed, "comparison/auroc"))
        low, high = percentile_interval(drawn)
        for i, name in enumerate(names):
            value = counted_auroc(sorted_once[i].counted())
            found[name] = Estimate(value, float(low[i]), float(high[i]), bad)
    return found
