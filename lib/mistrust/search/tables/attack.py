"""Table "attack": the boundary attack on a few images of a pool: how far it gets, and whether it says it twice.

Beside it the fast distance, and foolbox 3's attack of the same name, on the same images.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from mistrust.data import ImageSet
from mistrust.evaluation import rank_correlation, share
from mistrust.networks import Classifier
from mistrust.search.attack import boundary, deepfool
from mistrust.search.attack.found import NOISE, Distances
from mistrust.search.tables import Row, estimated
from mistrust.search.tables.twice import GREYS, after, agreements, reached, twice

METHOD = "boundary"
# Steps of foolbox's attack for each of ours. It tries one candidate per step where ours asks about twelve times, so
# that these take less than half as many queries: enough to rank the images, not to come as near.
PEER_STEPS = 5


def attack(
    classifier: Classifier, images: ImageSet, confidence: NDArray[np.float64], donors: ImageSet, at: str,
    steps: Sequence[int], fraction: float, seed: int, peer: Distances,
) -> Iterator[Row]:  # fmt: skip
    """Rows by number of steps, all from one run and a second one with another seed; foolbox's attack at the last.

    Parameters
    ----------
    images, confidence : n of the pool, and their calibrated confidences (n,).
    donors : where starts come from that noise does not give.
    steps : `level` of the rows; the run makes the most of them, and is looked at after the others.
    fraction : of the fit of F, wider where its windows would hold fewer than `WINDOW` images.
    peer : of foolbox's attack after `PEER_STEPS` times the most steps of ours, with a start of its own and the seed of
        our second run: after few steps distances from one start agree by that alone.
    """
    marks = sorted(set(steps))
    first, second = twice(boundary, classifier, images, donors, marks, seed)
    fast = deepfool(classifier, images)
    n = len(images)
    noise = sum(kind == NOISE and ok for kind, ok in zip(first.start, first.success.tolist(), strict=True))
    for column, level in enumerate(marks):
        common = {"table": "attack", "method": METHOD, "at": at, "level": level}
        one = after(first, column)
        hit = one.success.numpy()
        yield from reached(one, common)
        yield {**common, "metric": "noise starts", **estimated(share(noise, n))}
        if not hit.any():
            continue
        mae = one.mae.numpy()[hit]
        found = rank_correlation(np.log(mae), confidence[hit])
        yield {**common, "metric": "confidence correlation", **estimated(found)}
        if level == marks[-1]:  # the images themselves are those of the last step
            apart = (one.images.double() - images.floats().double()).abs()[one.success]
            yield {
                **common, "metric": "changed", "value": float((apart >= 0.5 / GREYS).double().mean()), "n": len(mae),
            }  # fmt: skip
        beside = {"reliability": after(second, column), "agreement": fast}
        if level == marks[-1]:
            beside["agreement with foolbox"] = peer
            asked = float(peer.queries.double().mean())
            yield {**common, "metric": "queries of foolbox", "value": asked, "n": n}
            if peer.success.any():
                near = peer.mae.numpy()[peer.success.numpy()]
                yield {**common, "metric": "mae of foolbox", "value": float(np.median(near)) * GREYS, "n": len(near)}
        yield from agreements(one, beside, confidence, fraction, common)


def noise_starts(
    classifier: Classifier, images: ImageSet, donors: ImageSet, at: str, level: int, seed: int
) -> Iterator[Row]:
    """Whether noise is a start for images of a class, without walking on from there."""
    found = boundary(classifier, images, donors=donors, seed=2 * seed, steps=0, blends=1)
    noise = sum(kind == NOISE for kind in found.start)
    yield {
        "table": "attack", "method": METHOD, "at": at, "level": level, "metric": "noise starts",
        **estimated(share(noise, len(images))),
    }  # fmt: skip
