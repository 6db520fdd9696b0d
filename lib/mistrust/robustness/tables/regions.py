"""Tables "regions" and "edges": how many bubbles hold the training samples of a class as the level rises."""

from collections.abc import Iterator

import torch

from mistrust.data import ImageSet
from mistrust.evaluation import share
from mistrust.networks import Classifier
from mistrust.robustness.regions import Bubbles, bubbles, class_region
from mistrust.robustness.tables import Row, estimated

# Levels at which bubbles are counted, as shares of the samples' median margin: margins of networks are no common scale.
SHARES = tuple(step / 10 for step in range(13))
RELATIVE = "relative"


def traced(classifier: Classifier, samples: ImageSet, label: int, rounds: int, seed: int) -> Bubbles:
    """Bubbles of one class: a grid in float32 for all pairs, exact tests for what the tree rests on."""
    exact = class_region(classifier, label)
    return bubbles(
        exact, samples.floats().double(), samples.ids, rounds=rounds, seed=seed,
        quick=class_region(classifier, label, exact=False, dtype=torch.float32),
    )  # fmt: skip


def regions(found: Bubbles, name: str) -> Iterator[Row]:
    """Rows of one class: bubbles and samples at margin 0, and at shares of the median margin."""
    middle = max(0.0, float(found.tree.births.median()))
    for method, levels in (("", (0.0,)), (RELATIVE, SHARES)):
        for level in levels:
            at = level if method == "" else level * middle
            common = {"table": "regions", "method": method, "at": name, "level": level}
            samples = int((found.tree.births >= at).sum())
            yield {**common, "metric": "samples", "value": samples, "n": len(found.tree.births)}
            yield {**common, "metric": "bubbles", "value": int(found.tree.at_most(at)), "n": len(found.tree.births)}
    yield {"table": "regions", "at": name, "metric": "median margin", "value": middle, "n": len(found.tree.births)}


def edges(found: Bubbles, name: str) -> Iterator[Row]:
    """How many segments were tested exactly, how many of them the grid had wrong, and how many needed another path."""
    wrong, inside = found.grid_wrong(), found.grid_wrong(0.0)
    common = {"table": "edges", "at": name}
    yield {**common, "metric": "checked", "value": len(wrong)}
    yield {**common, "metric": "grid wrong", **estimated(share(int(wrong.sum()), len(wrong)))}
    yield {**common, "metric": "grid wrong at 0", **estimated(share(int(inside.sum()), len(inside)))}
    bent = found.corners > 2
    yield {**common, "metric": "bent", **estimated(share(int(bent.sum()), len(bent)))}
