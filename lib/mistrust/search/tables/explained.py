"""Table "explained": are the errors that a search finds under biased training bright, and why (Figure 8)?"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from mistrust.evaluation import Estimate, cluster_bootstrap, percentile_interval
from mistrust.inputs import to_uint8
from mistrust.pictures import pack
from mistrust.random import generator
from mistrust.search.mechanisms import Panel, brightness
from mistrust.search.tables import Row, estimated
from mistrust.search.tables.hunted import Hunted
from mistrust.search.tables.orders import AD
from mistrust.search.tables.superpixels import alone, speaking

# How many errors found are looked at; the paper shows six.
FIRST = (6, 12)


def explained(panel: Panel, one: Hunted, order: Sequence[int], resamples: int, seed: int) -> Iterator[Row]:
    """Brightness of errors against all test images of their true class, in standard deviations of these.

    Parameters
    ----------
    order : rows of the pool as the search asks about them; `level` rows are its first errors, the row without a level
        all errors of the pool.
    """
    test = panel.parts.test
    true = test.labels != panel.classes.index(one.at)
    all_of = brightness(test.take(true)).numpy()
    scale = float(all_of.std(ddof=1))
    found = [row for row in order if one.errors[row]]
    groups = {level: found[:level] for level in FIRST if len(found) >= level}
    for level, rows in {**groups, None: np.flatnonzero(one.errors).tolist()}.items():
        if len(rows) < 2 or not scale > 0:
            continue
        images = one.images(test, rows)
        where: dict[str, int] = {} if level is None else {"level": level}
        common = {"table": "explained", "method": AD, "at": one.at, **where}
        bright = (brightness(images).numpy() - all_of.mean()) / scale
        yield {**common, "metric": "brightness", **estimated(_mean(bright, resamples, seed))}
        if level is not None:
            spoken = speaking(panel.classifier, images, panel.classes.index(one.at))
            yield {**common, "metric": "superpixel brightness", **estimated(_mean(spoken.brightness, resamples, seed))}


def shown(panel: Panel, one: Hunted, order: Sequence[int]) -> Iterator[Row]:
    """Pictures of the first `FIRST[0]` errors that a search finds, and of what speaks for their class (Figure 8).

    `level` counts the errors from 1. Metric "shown" is the confidence; "speaking" by how many logits the lead of the
    predicted class falls without the superpixels that speak most for it, which are all that its picture has.
    """
    rows = [row for row in order if one.errors[row]][: FIRST[0]]
    if not rows:
        return
    images = one.images(panel.parts.test, rows)
    spoken = speaking(panel.classifier, images, panel.classes.index(one.at))
    for number, row in enumerate(rows):
        pixels = images.images[number]
        whole = to_uint8(pixels) if pixels.is_floating_point() else pixels
        rest = alone(whole, spoken.masks[number])
        common = {"table": "explained", "method": AD, "at": one.at, "level": number + 1}
        yield {**common, "metric": "shown", "value": float(one.pool.confidence[row]), "note": pack(whole)}
        yield {**common, "metric": "speaking", "value": float(spoken.falls[number]), "note": pack(rest)}


def _mean(values: NDArray[np.float64], resamples: int, seed: int) -> Estimate:
    several = cluster_bootstrap(
        np.arange(len(values)), lambda weights: [weights @ values / weights.sum()], resamples,
        generator(seed, "bootstrap/search/brightness"),
    )  # fmt: skip
    low, high = percentile_interval(several)
    return Estimate(float(values.mean()), float(low[0]), float(high[0]), len(values))
