"""Claims of sections 4.2 and 4.3: KMeans and the images it puts elsewhere (tables "drift" and "misclustered").

A misclustered image is one that the network classifies correctly and that yet lies nearest to another class's centroid.

They are few, and rows name the first four of each network. What is said of most of them is judged by their share, all
networks together, with an interval that takes the images of one network for alike.
"""

from dataclasses import dataclass, replace

import pandas as pd

from mistrust.publishing.claim_tests.misclassification.reading import CHAPTER, COUNTS, DIGITS, complete
from mistrust.publishing.estimates import Estimate, NotRun, Reader, between_models, share
from mistrust.publishing.verdicts import Verdict, above, below, claim_test, counted, every, within

# Sums of float64 leave 1e-13 at most; one image of a class of thousands that comes or goes moves its centroid by 1e-5.
ROUNDING = 1e-9
NAMED = 4  # images a network that rows name
MISCLUSTERED = {"table": "misclustered", "condition": "clean", "method": "KMeans", "metric": "count"}
UNNAMED = 2  # more images without a name could account for almost any cluster that moves


@dataclass(frozen=True)
class Images:
    """The misclustered images that rows name, the first four of each network: one line per image (its seed and name).

    Attributes
    ----------
    softmax, distance : one column per digit, softmax and distance to its centroid.
    own : the class of each, which its softmax gives (it is classified correctly).
    cluster : the class whose centroid is nearest.
    """

    softmax: pd.DataFrame
    distance: pd.DataFrame
    own: pd.Series
    cluster: pd.Series


@claim_test("mlm-drift-small", CHAPTER)
def drift_small(rows: Reader) -> Verdict:
    """The largest of the ten distances is below 1e-3: the paper's is 2.3e-4, "on the order of 1e-4"."""
    largest = between_models(_drift(rows).max(axis=1).to_list(), scale="root")
    return below(largest, 1e-3, "largest distance of ten")


@claim_test("mlm-drift-none-in-most", CHAPTER)
def drift_none_in_most(rows: Reader) -> Verdict:
    """More than five of ten distances are rounding."""
    still = (_drift(rows) < ROUNDING).sum(axis=1)
    return above(_number_of(still, most=10), 5.0, "digits whose centroid stays")


@claim_test("mlm-drift-five-six-eight", CHAPTER)
def drift_five_six_eight(rows: Reader) -> Verdict:
    """More than two of five, six and eight move, and less than one of the other seven."""
    moved = _drift(rows) > ROUNDING
    named = moved[["5", "6", "8"]].sum(axis=1)
    others = moved.sum(axis=1) - named
    return every(
        [
            above(_number_of(named, most=3), 2.0, "number of 5, 6 and 8 that move"),
            below(_number_of(others, most=7), 1.0, "number of the other seven that move"),
        ]
    )


@claim_test("mlm-drift-by-ambiguous", CHAPTER)
def drift_by_ambiguous(rows: Reader) -> Verdict:
    """In most networks just those clusters move that a misclustered image left or entered; exact, over networks.

    This follows from how KMeans works: a centroid is the mean of its images, and moves where one leaves or enters. The
    test can only find that it is not KMeans that the rows tell of. A network whose centroids all stay and whose images
    are all in their clusters says nothing and is left out. An image that rows do not name may account for two more
    clusters; a network with more than two such images is left out, as they could account for almost any.
    """
    moved, counts = _drift(rows) > ROUNDING, _counts(rows)
    images = _images(rows)
    told: list[bool] = []
    for seed in moved.index.intersection(counts.index):
        here = {d for d in DIGITS if moved.loc[seed, d]}
        own, cluster = (list(part[part.index.get_level_values(0) == seed]) for part in (images.own, images.cluster))
        touched = set(own) | set(cluster)
        unnamed = counts[seed] - len(own)
        if (here or touched) and unnamed <= UNNAMED:
            told.append(touched <= here and len(here - touched) <= 2 * unnamed)
    if not told:
        raise NotRun("a network whose centroids move, and whose misclustered images are named")
    return above(share(told, "networks"), 0.5, "misclustered images account for the centroids that move")


@claim_test("mlm-two-sixes", CHAPTER)
def two_sixes(rows: Reader) -> Verdict:
    """Two, to the nearest whole number, and of those that rows name less than one is no six."""
    counts, images = _counts(rows), _images(rows)
    found = rows.estimate(grain=COUNTS, **MISCLUSTERED)
    other = images.own[images.own != "6"].groupby(level=0).size().reindex(counts.index, fill_value=0)
    return every(
        [
            within(replace(found, least=0.0), 1.5, 2.5, "misclustered images"),
            below(_number_of(other), 1.0, f"misclustered images{_named(rows)} that are no six"),
        ]
    )


@claim_test("mlm-misclustered-two-tops", CHAPTER)
def misclustered_two_tops(rows: Reader) -> Verdict:
    """In most images the two highest values are those of its class and its cluster, and together hold over a half.

    Over the images of all networks, those of one network taken for alike.
    """
    images = _some_images(rows)
    ranks = images.softmax.rank(axis=1, ascending=False)
    pairs = list(zip(images.own.index, images.own, images.cluster, strict=True))
    second = [bool(ranks.loc[i, cluster] <= 2) for i, _, cluster in pairs]
    held = [bool(images.softmax.loc[i, [own, cluster]].sum() > 0.5) for i, own, cluster in pairs]
    of, networks = _named(rows), [seed for seed, _ in images.own.index]
    return every(
        [
            above(share(second, "images", networks), 0.5, f"its cluster has the second highest softmax{of}"),
            above(
                share(held, "images", networks), 0.5, f"class and cluster together hold over half of the softmax{of}"
            ),
        ]
    )


@claim_test("mlm-drift-explains-misclustering", CHAPTER)
def drift_explains_misclustering(rows: Reader) -> Verdict:
    """The moves of the two centroids could have brought the images over: all of them, or none, by counting.

    An image that is nearer to the other centroid by more than both centroids moved was so before they moved (triangle
    inequality): their moving explains nothing. That is a fact about each image, and no matter of chance.
    """
    images, drift = _some_images(rows), _drift(rows)
    could = pd.Series(False, images.own.index)
    for i, own, cluster in zip(images.own.index, images.own, images.cluster, strict=True):
        if i[0] not in drift.index:
            raise NotRun("drift of the networks whose images are misclustered")
        margin = images.distance.loc[i, own] - images.distance.loc[i, cluster]
        could[i] = bool(margin <= drift.loc[i[0], own] + drift.loc[i[0], cluster])
    yes, no = "the moves of the centroids may explain it", "the other centroid was nearer before any had moved"
    return counted(could, f"images{_named(rows)}", yes, no)


@claim_test("mlm-inverse-relation", CHAPTER)
def inverse_relation(rows: Reader) -> Verdict:
    """Softmax and distance rank the classes in opposite orders; in most images the two highest are the two nearest.

    The correlation is the mean of each network's images, between networks; the share is over all images, those of one
    network taken for alike.
    """
    images = _some_images(rows)
    high, near = images.softmax.rank(axis=1, ascending=False), images.distance.rank(axis=1)
    against = high.corrwith(-near, axis=1)  # Pearson's of ranks is Spearman's
    same = ((high <= 2) == (near <= 2)).all(axis=1).to_list()
    return every(
        [
            below(_correlation(against), 0.0, "Spearman's correlation of softmax and distance"),
            above(
                share(same, "images", [seed for seed, _ in images.own.index]),
                0.5,
                f"the two highest softmax values are of the two nearest centroids{_named(rows)}",
            ),
        ]
    )


def _drift(rows: Reader) -> pd.DataFrame:
    """Distance from mean softmax to KMeans centroid (Table 1): one line per network, one column per digit."""
    found = rows.wide("at", table="drift", condition="clean", method="KMeans", metric="distance")
    return complete(found, DIGITS, "drift of ten digits")[list(DIGITS)]


def _counts(rows: Reader) -> "pd.Series[float]":
    """How many images are misclustered, by network."""
    return rows.by_seed(**MISCLUSTERED)


def _named(rows: Reader) -> str:
    """Say of how many images rows name some, where that is not all."""
    counts = _counts(rows)
    every, named = counts.sum(), counts.clip(upper=NAMED).sum()
    return f" (of {every:.0f} the {named:.0f} that rows name)" if named < every else ""


def _images(rows: Reader) -> Images:
    """The misclustered images that rows name; there may be none."""
    names = [f"image {i}" for i in range(1, NAMED + 1)]
    parts: list[pd.DataFrame] = []
    for metric in ("softmax", "distance"):
        found = rows.find(table="misclustered", condition="clean", method=names, metric=metric)
        wide = found[found["seed"].notna()].pivot(index=["seed", "method"], columns="at", values="value")
        parts.append(wide.reindex(columns=list(DIGITS)).dropna())
    both = parts[0].index.intersection(parts[1].index)
    for seed, count in _counts(rows).items():
        if (both.get_level_values(0) == seed).sum() < min(count, NAMED):
            raise NotRun("softmax and distances of the misclustered images")
    softmax, distance = parts[0].loc[both], parts[1].loc[both]
    return Images(softmax, distance, softmax.idxmax(axis=1), distance.idxmin(axis=1))


def _some_images(rows: Reader) -> Images:
    images = _images(rows)
    if images.own.empty:
        raise NotRun("a misclustered image")
    return images


def _correlation(values: "pd.Series[float]") -> Estimate:
    """Mean over the networks that have misclustered images of the mean over their images, on Fisher's scale."""
    return between_models(values.groupby(level=0).mean().to_list(), scale="fisher")


def _number_of(counts: pd.Series, most: float = float("inf")) -> Estimate:
    """Mean over networks of a count from 0 to `most`."""
    return replace(between_models(counts.to_list(), COUNTS), least=0.0, most=most)
