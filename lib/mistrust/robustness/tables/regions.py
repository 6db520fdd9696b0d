"""Tables "regions" and "edges": how many bubbles hold the training samples of a class as the level rises."""

from collections.abc import Iterator, Sequence

import pandas as pd
import torch

from mistrust import random
from mistrust.data import ImageSet
from mistrust.evaluation import clustered_rank_correlation, share
from mistrust.networks import Classifier, observe
from mistrust.robustness.bracket import bracketed
from mistrust.robustness.censored import censored
from mistrust.robustness.regions import Bubbles, MergeTree, bubbles, class_region, merge_tree
from mistrust.robustness.regions.grid import screen
from mistrust.robustness.regions.region import Region
from mistrust.robustness.tables import Row, estimated

# Levels at which bubbles are counted, as shares of the samples' median margin: margins of networks are no common scale.
SHARES = tuple(step / 10 for step in range(13))
RELATIVE = "relative"
# What the number of bubbles of a class may go with, by the metric that its relation has in rows.
BESIDE = {"spearman with accuracy": "accuracy", "spearman with breaking noise": "capped mean"}
MEDIAN = 1.0  # the level at which that is asked: up to 0.6 of it, no network here has a class of more than one bubble


def traced(classifier: Classifier, samples: ImageSet, label: int, rounds: int, seed: int) -> Bubbles:
    """Bubbles of one class: a grid in float32 for all pairs, exact tests for what the tree rests on."""
    exact = class_region(classifier, label)
    return bubbles(
        exact, samples.floats().double(), samples.ids, rounds=rounds, seed=seed, quick=_on_grid(classifier, label)
    )


def regions(tree: MergeTree, name: str) -> Iterator[Row]:
    """Rows of one class: bubbles and samples at margin 0, and at shares of the median margin."""
    for common, at in _levels(tree, name):
        samples = int((tree.births >= at).sum())
        yield {**common, "metric": "samples", "value": samples}
        yield {**common, "metric": "bubbles", "value": int(tree.at_most(at))}
    yield {"table": "regions", "at": name, "metric": "median margin", "value": _middle(tree), "n": len(tree.births)}


def straight(classifier: Classifier, samples: ImageSet, label: int) -> Iterator[Row]:
    """How many bubbles there would be if straight lines were the only paths: by a grid on those of all pairs.

    A grid overrates a line's smallest margin, so that there may be more.
    """
    images = samples.floats().double()
    births = class_region(classifier, label)(images)
    tree = merge_tree(births, screen(_on_grid(classifier, label), images))
    for common, at in _levels(tree, samples.classes[label]):
        yield {**common, "metric": "bubbles by straight lines", "value": int(tree.at_most(at))}


def _on_grid(classifier: Classifier, label: int) -> Region:
    return class_region(classifier, label, exact=False, dtype=torch.float32)


def _middle(tree: MergeTree) -> float:
    """The samples' median margin, between two of them: of an odd number halfway to the one below.

    A sample on the level itself would often count as a bubble of its own: the path that was found to it is lower than
    the sample by a hair.
    """
    births = tree.births.sort().values
    upper = len(births) // 2
    return max(0.0, float(births[max(0, upper - 1) : upper + 1].mean()))


def _levels(tree: MergeTree, name: str) -> Iterator[tuple[dict[str, object], float]]:
    """Columns of each level at which bubbles are counted, and the margin there."""
    common = {"table": "regions", "at": name, "n": len(tree.births)}
    yield {**common, "method": "", "level": 0.0}, 0.0
    for level in SHARES:
        yield {**common, "method": RELATIVE, "level": level}, level * _middle(tree)


def edges(found: Bubbles, name: str) -> Iterator[Row]:
    """How many segments were tested exactly, how many of them the grid had wrong, and how many needed another path."""
    wrong, inside = found.grid_wrong(), found.grid_wrong(0.0)
    common = {"table": "edges", "at": name}
    yield {**common, "metric": "checked", "value": len(wrong)}
    yield {**common, "metric": "grid wrong", **estimated(share(int(wrong.sum()), len(wrong)))}
    yield {**common, "metric": "grid wrong at 0", **estimated(share(int(inside.sum()), len(inside)))}
    bent = found.corners > 2
    yield {**common, "metric": "bent", **estimated(share(int(bent.sum()), len(bent)))}


def beside(
    classifier: Classifier, test: ImageSet, label: int, count: int, variant: str, seeds: Sequence[int], draws: int,
    seed: int,
) -> Iterator[Row]:  # fmt: skip
    """What the bubbles of a class may go with: the share of its test images that are right, and what noise breaks them.

    Parameters
    ----------
    count : how many of those that are right are given noise, the first ones.
    variant, seeds : of the noise, which is fixed.
    draws, seed : of the bootstrap by image.
    """
    own = test.take(test.labels == label)
    right = observe(classifier, own).logits.argmax(1).cpu() == label
    common = {"table": "regions", "at": test.classes[label]}
    yield {**common, "metric": "accuracy", **estimated(share(int(right.sum()), len(right)))}
    if not bool(right.any()):
        return
    some = own.take(right.nonzero()[:count, 0])
    found = bracketed(classifier, some, variant=variant, seeds=seeds, audit=0.0).breaking
    told = censored(found.sigma, found.broken, found.ids, resamples=draws, seed=seed)
    yield {**common, "metric": "capped mean", **estimated(told.capped_mean)}


def class_by_class(single: pd.DataFrame, resamples: int, seed: int) -> Iterator[Row]:
    """Whether classes of more bubbles are those that are misread, or broken by less noise; networks held fixed.

    Rank correlations over all classes of all networks whose regions were traced, at the samples' median margin, with
    an interval over classes: one class is much the same to several networks.

    Parameters
    ----------
    single : rows of single networks, of one image set.
    """
    held = single[single["table"] == "regions"].set_index(["network", "at"])
    at_median = held[(held["method"] == RELATIVE) & (held["level"] == MEDIAN) & (held["metric"] == "bubbles")]
    for metric, what in BESIDE.items():
        other = held.loc[(held["metric"] == what) & (held["method"] == ""), "value"]
        both = pd.concat([at_median["value"], other], axis=1, keys=["bubbles", "other"]).dropna()
        classes = both.index.get_level_values("at")
        if classes.nunique() < 4 or both["bubbles"].nunique() < 2:
            continue
        network = both.index.get_level_values("network")
        given = [network == name for name in sorted(set(network))[1:]]
        draw = random.generator(seed, f"bootstrap/regions/{metric}")
        found = clustered_rank_correlation(both["bubbles"], both["other"], classes, resamples, draw, given)
        yield {
            "table": "regions", "method": RELATIVE, "level": MEDIAN, "metric": metric, **estimated(found, "classes"),
        }  # fmt: skip
