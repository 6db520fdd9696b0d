"""Tables "oddness", "calibration", "natural" and "examples": what judges say who saw nominal images alone."""

from collections.abc import Mapping

import numpy as np
import torch
from jaxtyping import Float64, Int64, UInt8
from numpy.typing import NDArray
from torch import Tensor

from mistrust import random
from mistrust.ambiguity import examples, judging
from mistrust.ambiguity.ambiguous_set import AmbiguousSet
from mistrust.ambiguity.natural import natural
from mistrust.ambiguity.pairs import title
from mistrust.ambiguity.performance import entropy
from mistrust.ambiguity.tables import Row, measured
from mistrust.data import ImageSet
from mistrust.evaluation import Estimate, between_models, cluster_bootstrap, percentile_interval, spearman
from mistrust.pictures import pack

# An image counts as ambiguous where the judges put this much on the pair, and at least this much of it on each class.
ON_PAIR, EACH = 0.8, 0.2
# And as bad where they are sure of one class of the pair, or put less than half on the pair.
SURE, ELSEWHERE = 0.9, 0.5
SAMPLES = 10
# Images of one pair come from one decoder and are alike: the bootstrap draws pairs. Of fewer, it says nothing.
CLUSTERS = 10
# Images of a pair, or of a range of stated probabilities, by which a correlation among them is told.
LEAST = 20
# A correlation grows with the range that is stated, and each rule and rival fills another: this one all of them fill.
MIDDLE = (0.3, 0.7)
IN_MIDDLE = "spearman, stated {:g} to {:g}".format(*MIDDLE)


def oddness(
    method: str,
    scores: Mapping[str, tuple[NDArray[np.float64], NDArray[np.float64]]],
    softmax: Float64[Tensor, "n k"],
    pairs: Int64[Tensor, "n 2"],
    resamples: int,
    seed: int,
) -> list[Row]:
    """How odd and how ambiguous a set looks.

    Parameters
    ----------
    method : the way the set was made.
    scores : by metric ("auroc density"): of nominal images and of the set's, higher is odder.
    softmax : mean of the judges.
    pairs : of each image.
    resamples : of the bootstrap by pairs of classes.
    """
    common = {"table": "oddness", "method": method, "over": "images"}
    clusters = (pairs[:, 0] * softmax.shape[1] + pairs[:, 1]).numpy()
    p, on_pair = judging.on_pair(softmax, pairs)
    values = {metric: _below(nominal, own) for metric, (nominal, own) in scores.items()}
    values |= {
        "share on pair": on_pair,
        "balance": 2 * np.minimum(p, 1 - p),
        "ambiguous": ((on_pair >= ON_PAIR) & (p >= EACH) & (p <= 1 - EACH)).astype(np.float64),
        "bad": ((on_pair < ELSEWHERE) | (np.maximum(p, 1 - p) > SURE)).astype(np.float64),
    }
    draw = random.generator(seed, f"ambiguity/oddness/{method}")
    return [measured(one, **common, metric=metric) for metric, one in _means(values, clusters, resamples, draw).items()]


def calibration(
    condition: str,
    method: str,
    stated: NDArray[np.float64],
    judged: NDArray[np.float64],
    clusters: NDArray[np.int64],
    resamples: int,
    seed: int,
) -> list[Row]:
    """Stated p of the first class against what a judge says.

    Parameters
    ----------
    condition : the judge: "ensemble" or "known world".
    method : a rule for labels, or a rival.
    clusters : (n,) what hangs together: the pair of each image.
    resamples : of the bootstrap by cluster; 0 gives no intervals.
    """
    common = {"table": "calibration", "condition": condition, "method": method}
    found: list[Row] = []
    for place, mean_stated, mean_judged, n in judging.bins(stated, judged):
        for metric, value in (("stated", mean_stated), ("observed", mean_judged)):
            found.append({**common, "at": f"bin={place}", "metric": metric, "value": value, "n": n})
    name = f"ambiguity/calibration/{condition}/{method}"
    told = _agreement(stated, judged, clusters, resamples, random.generator(seed, name))
    middle = (stated >= MIDDLE[0]) & (stated <= MIDDLE[1])
    if middle.sum() >= LEAST:
        draw = random.generator(seed, f"{name}/middle")
        few = _agreement(stated[middle], judged[middle], clusters[middle], resamples, draw)
        told |= {IN_MIDDLE: few["spearman"]} if "spearman" in few else {}
    within = _within(stated, judged, clusters)
    if len(within) > 1:
        found.append(
            measured(between_models(within, scale="fisher"), **common, over="", metric="spearman within pairs")
        )
    return found + [measured(one, **common, over="images", metric=metric) for metric, one in told.items()]


def _agreement(
    stated: NDArray[np.float64],
    judged: NDArray[np.float64],
    clusters: NDArray[np.int64],
    resamples: int,
    draw: np.random.Generator,
) -> dict[str, Estimate]:
    count = resamples if len(np.unique(clusters)) >= CLUSTERS else 0
    return judging.agreement(stated, judged, draw, resamples=count, clusters=clusters)


def _within(stated: NDArray[np.float64], judged: NDArray[np.float64], clusters: NDArray[np.int64]) -> list[float]:
    """Rank correlation of the images of each pair that has enough of them."""
    places = [np.flatnonzero(clusters == one) for one in np.unique(clusters)]
    found = [spearman(stated[here], judged[here]) for here in places if len(here) >= LEAST]
    return [one for one in found if np.isfinite(one)]


def natural_images(images: ImageSet, softmax: Float64[Tensor, "m n k"]) -> list[Row]:
    """Test images that the judges find ambiguous, by a stated rule (the paper's Figure 1)."""
    found = natural(softmax)
    common = {"table": "natural", "n": len(images)}
    rows: list[Row] = [
        {**common, "metric": "candidates", "value": found.candidates},
        {**common, "metric": "count", "value": len(found.indices)},
    ]
    for rank, (index, pair, bits) in enumerate(
        zip(found.indices.tolist(), found.pairs.tolist(), found.entropy.tolist(), strict=True), start=1
    ):
        rows.append(
            {
                "table": "natural", "at": f"id={int(images.ids[index])}", "condition": title(images.classes, pair),
                "level": rank, "metric": "entropy", "value": bits, "note": pack(_bytes(images.images[index])),
            }
        )  # fmt: skip
    return rows


def samples(test: AmbiguousSet, softmax: Float64[Tensor, "n k"], seed: int) -> list[Row]:
    """The best, the worst and random images of a set, by what the judges say (the paper's Figure 5)."""
    stated = test.probabilities[:, 0].numpy()
    judged, on_pair = judging.on_pair(softmax, test.pairs)
    draw = random.generator(seed, "ambiguity/examples")
    chosen = examples.chosen(stated, judged, on_pair, SAMPLES, draw, pairs=test.pairs)
    rows: list[Row] = []
    for method, indices in chosen.items():
        for rank, i in enumerate(np.asarray(indices).tolist(), start=1):
            row = {
                "table": "examples", "method": method, "level": rank,
                "condition": title(test.classes, test.pairs[i].tolist()),
            }  # fmt: skip
            rows += [
                {**row, "metric": "stated", "value": float(stated[i]), "note": pack(test.images[i])},
                {**row, "metric": "judged", "value": float(judged[i])},
                {**row, "metric": "share on pair", "value": float(on_pair[i])},
            ]
    return rows


def entropies(softmax: Float64[Tensor, "n k"]) -> NDArray[np.float64]:
    """Entropy of each row, bits."""
    return entropy(softmax.numpy())


def _below(nominal: NDArray[np.float64], own: NDArray[np.float64]) -> NDArray[np.float64]:
    """Share of nominal scores below each of the set's, ties counting half: their mean is the AUROC."""
    order = np.sort(nominal)
    return (np.searchsorted(order, own, "left") + np.searchsorted(order, own, "right")) / (2 * len(nominal))


def _means(
    values: Mapping[str, NDArray[np.float64]], clusters: NDArray[np.int64], resamples: int, draw: np.random.Generator
) -> dict[str, Estimate]:
    """Means over images with intervals by the bootstrap of clusters; nominal images stay as they are."""
    n, table = len(clusters), np.stack(list(values.values()))
    low = high = np.full(len(values), np.nan)
    if len(np.unique(clusters)) >= CLUSTERS:
        low, high = percentile_interval(
            cluster_bootstrap(clusters, lambda weights: table @ weights / weights.sum(), resamples, draw)
        )
    return {
        name: Estimate(float(mean), float(a), float(b), n)
        for name, mean, a, b in zip(values, table.mean(1), low, high, strict=True)
    }


def _bytes(image: Tensor) -> UInt8[Tensor, "c h w"]:
    return image if image.dtype == torch.uint8 else (image * 255).round().to(torch.uint8)
