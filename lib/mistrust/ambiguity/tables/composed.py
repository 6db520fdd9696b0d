"""Table "sets": what the labels of each set allow, whether train and test share images, how diverse it is."""

from mistrust import random
from mistrust.ambiguity import diversity
from mistrust.ambiguity.ambiguous_set import AmbiguousSet
from mistrust.ambiguity.performance import ceilings
from mistrust.ambiguity.tables import Row, measured
from mistrust.ambiguity.tables.diverse import METRICS
from mistrust.evaluation import share

NEAR = (0.05, 0.5)


def composed(method: str, train: AmbiguousSet, test: AmbiguousSet, resamples: int, seed: int) -> list[Row]:
    """Rows of one way to make a set.

    Parameters
    ----------
    method : what the way is called.
    train, test : its two parts.
    resamples : of the bootstrap by decoder.
    """
    found: list[Row] = []
    for condition, one in (("train", train), ("test", test)):
        common = {"table": "sets", "method": method, "condition": condition}
        found.append({**common, "metric": "images", "value": len(one), "n": len(one)})
        found += [
            {**common, "metric": metric, "value": value, "n": len(one)} for metric, value in ceilings(one.soft).items()
        ]
    common = {"table": "sets", "method": method, "condition": "test", "over": "images"}
    for distance in NEAR:
        near = share(test.near_duplicates(train, distance), len(test))
        found.append(measured(near, **common, level=distance, metric="near-duplicates"))
    draw = random.generator(seed, f"ambiguity/sets/{method}")
    # Images of one decoder hang together; those of the rivals, who have none, do not.
    clusters = test.decoder.numpy() if int(test.decoder.max()) >= 0 else None
    measures = diversity.measures(test.images.numpy() / 255, draw, clusters=clusters, resamples=resamples)
    return found + [
        measured(measures[name], **common, metric=metric) for metric, name in METRICS.items() if name in measures
    ]
