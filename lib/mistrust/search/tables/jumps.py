"""Table "jumps": HopSkipJump on the images of the boundary attack: how near, at what price, and whether twice the same.

Both stand for a classifier that tells labels alone. The fast distance is what both are held against.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.evaluation import share
from mistrust.networks import Classifier
from mistrust.search.attack import agreement, deepfool, hopskip
from mistrust.search.tables import Row, estimated
from mistrust.search.tables.attack import GREYS, WINDOW, after


def jumps(
    classifier: Classifier, images: ImageSet, confidence: NDArray[np.float64], donors: ImageSet, at: str,
    steps: Sequence[int], fraction: float, seed: int,
) -> Iterator[Row]:  # fmt: skip
    """Rows by number of jumps (`level`), all from one run and a second one with another seed.

    Parameters
    ----------
    images, confidence, donors, fraction : see `attack`.
    """
    at_steps = sorted(set(steps))
    first, second = (
        hopskip(classifier, images, donors=donors, seed=2 * seed + run, steps=at_steps[-1], trace=at_steps)
        for run in (0, 1)
    )
    fast = deepfool(classifier, images)
    wider = max(fraction, min(1.0, WINDOW / len(images)))
    for column, level in enumerate(at_steps):
        common = {"table": "jumps", "method": first.method, "at": at, "level": level}
        one, other = after(first, column), after(second, column)
        hit = one.success.numpy()
        yield {**common, "metric": "success", **estimated(share(int(hit.sum()), len(images)))}
        yield {**common, "metric": "queries", "value": float(one.queries.double().mean()), "n": len(images)}
        if not hit.any():
            continue
        mae = one.mae.numpy()[hit]
        yield {**common, "metric": "mae", "value": float(np.median(mae)) * GREYS, "n": len(mae)}
        for what, with_ in {"reliability": other, "agreement": fast}.items():
            try:
                both = agreement(one, with_, confidence, fraction=wider)
            except MistrustError:  # too few images for F: no number
                continue
            yield {**common, "metric": f"distance {what}", **estimated(both.log_mae)}
            yield {
                **common, "metric": f"residual {what}", **estimated(both.residual),
                "note": f"F over {wider:.2g} of {both.n} images",
            }  # fmt: skip
