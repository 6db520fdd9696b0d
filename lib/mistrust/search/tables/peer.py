"""Table "peer": foolbox 3's own boundary attack on the images of ours: how near, at what price, whether twice the same.

Beside its second run stands the fast distance.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mistrust.data import ImageSet
from mistrust.networks import Classifier
from mistrust.search.attack import deepfool
from mistrust.search.attack.found import Distances
from mistrust.search.tables import Row
from mistrust.search.tables.twice import agreements, reached


def peer(
    classifier: Classifier, images: ImageSet, confidence: NDArray[np.float64], at: str, steps: int, fraction: float,
    first: Distances, second: Distances,
) -> Iterator[Row]:  # fmt: skip
    """Rows after that many steps of foolbox's attack (`level`).

    Parameters
    ----------
    classifier, images, confidence, at, fraction : see `attack`.
    first, second : two runs of it, from starts of their own each.
    """
    common = {"table": "peer", "method": first.method, "at": at, "level": steps}
    yield from reached(first, common)
    beside = {"reliability": second, "agreement": deepfool(classifier, images)}
    yield from agreements(first, beside, confidence, fraction, common)
