"""Table "jumps": HopSkipJump on the images of the boundary attack: how near, at what price, and whether twice the same.

Both stand for a classifier that tells labels alone. The fast distance is what both are held against.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from mistrust.data import ImageSet
from mistrust.networks import Classifier
from mistrust.search.attack import deepfool, hopskip
from mistrust.search.tables import Row
from mistrust.search.tables.twice import after, agreements, reached, twice


def jumps(
    classifier: Classifier, images: ImageSet, confidence: NDArray[np.float64], donors: ImageSet, at: str,
    steps: Sequence[int], fraction: float, seed: int,
) -> Iterator[Row]:  # fmt: skip
    """Rows by number of jumps (`level`), all from one run and a second one with another seed.

    Parameters
    ----------
    classifier, images, confidence, donors, at, fraction, seed : see `attack`.
    steps : numbers of jumps.
    """
    marks = sorted(set(steps))
    first, second = twice(hopskip, classifier, images, donors, marks, seed)
    fast = deepfool(classifier, images)
    for column, level in enumerate(marks):
        common = {"table": "jumps", "method": first.method, "at": at, "level": level}
        one = after(first, column)
        yield from reached(one, common)
        beside = {"reliability": after(second, column), "agreement": fast}
        yield from agreements(one, beside, confidence, fraction, common)
