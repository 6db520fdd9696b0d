"""Table "focus": does a network look elsewhere once an error has been turned adversarial (section VI-C, Figure 9)?"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from mistrust.data import ImageSet
from mistrust.search.attack.found import Distances
from mistrust.search.mechanisms import Panel
from mistrust.search.tables import Row
from mistrust.search.tables.explained import FIRST
from mistrust.search.tables.hunted import Hunted
from mistrust.search.tables.orders import AD
from mistrust.search.tables.superpixels import most_speaking, superpixels


def focus(panel: Panel, one: Hunted, order: Sequence[int], nearest: Callable[[ImageSet], Distances]) -> Iterator[Row]:
    """What speaks for the other class in the nearest image of it: did it speak so before the change, too?

    The paper sets what speaks for the error's class in the error beside what speaks for the other class in the
    adversarial image. Of two classes the one speaks against the other: such superpixels differ even in images that
    are the same. So both times the other class is looked at, and the superpixels are those of the image as it was.

    Parameters
    ----------
    order : rows of the pool as the search asks about them; its first `FIRST[-1]` errors are looked at.
    nearest : finds images of another class, by the distance that the pool's own are.

    Yields
    ------
    Row
        Metric "spoke before": of the superpixels that speak most for the other class in the adversarial image, the
        share that did so before the change, mean over `n` errors; 1 where nothing has moved. Three drawn anew from
        sixteen would share 0.19.
    """
    found = [row for row in order if one.errors[row]][: FIRST[-1]]
    if not found:
        return
    images = one.images(panel.parts.test, found)
    apart, other = nearest(images), 1 - panel.classes.index(one.at)
    shares: list[float] = []
    for before, after, success in zip(images.floats(), apart.images.cpu(), apart.success.tolist(), strict=True):
        if success:
            parts = superpixels(before.double())
            was, now = (most_speaking(panel.classifier, pixels, parts, other) for pixels in (before, after))
            shares.append(len(was & now) / len(now))
    if shares:
        common = {"table": "focus", "method": AD, "at": one.at}
        yield {**common, "metric": "spoke before", "value": float(np.mean(shares)), "n": len(shares)}
