"""Table "peer": foolbox 3's own boundary attack on the images of ours: how near, at what price, whether twice the same.

Beside its second run stands the fast distance. From starts of its own each time: after few steps two runs from one
start agree by that alone.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mistrust.data import ImageSet
from mistrust.networks import Classifier
from mistrust.search.attack import deepfool, foolbox
from mistrust.search.tables import Row
from mistrust.search.tables.attack import PEER_BLENDS
from mistrust.search.tables.twice import agreements, reached


def peer(
    classifier: Classifier, images: ImageSet, confidence: NDArray[np.float64], donors: ImageSet, at: str,
    steps: int, fraction: float, seed: int,
) -> Iterator[Row]:  # fmt: skip
    """Rows after that many steps of foolbox's attack (`level`), of one run and a second one with another seed.

    Parameters
    ----------
    classifier, images, confidence, donors, at, fraction, seed : see `attack`.
    """
    first, second = (
        foolbox(classifier, images, donors=donors, seed=2 * seed + run, steps=steps, blends=PEER_BLENDS)
        for run in (0, 1)
    )
    common = {"table": "peer", "method": first.method, "at": at, "level": steps}
    yield from reached(first, common)
    beside = {"reliability": second, "agreement": deepfool(classifier, images)}
    yield from agreements(first, beside, confidence, fraction, common)
