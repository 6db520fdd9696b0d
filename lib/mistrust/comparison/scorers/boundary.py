"""How near another answer is, as a score: breaking noise, two distances, and the distance that confidence leaves over.

The papers measure them of images that are classified correctly. A watcher does not know who is right, so here the
answer itself is what must change: the search starts from the class that the network gives. Nearer is more suspicious.
"""

import warnings
from dataclasses import replace

import numpy as np
import torch
from jaxtyping import Float64, Int
from torch import Tensor

from mistrust.comparison.scorers.scorer import BOUNDARY, SCORERS, Reading, Scored, Scorer, Watched
from mistrust.data import ImageSet
from mistrust.errors import MistrustWarning
from mistrust.networks import Record
from mistrust.robustness.bracket import bracketed
from mistrust.robustness.noise import GREY
from mistrust.robustness.targeted import targeted
from mistrust.search.attack.table import distances
from mistrust.search.calibration import fit_temperature, predicted
from mistrust.search.residual import Fit, fitted

NOISE_SEEDS = 2
CANDIDATES, BISECTIONS = 10, 20  # DeepFool's
STEPS = 256  # of Adam: at 2 grey levels a step, twice as far as from black to white
# Of the images that F is fitted on, in each of its windows: a watcher has hundreds, the paper thousands at 0.1.
FRACTION = 0.3
_LEAST = 1e-12  # a distance of 0 has no logarithm


def answered(record: Record) -> ImageSet:
    """Give the images labelled as the network answers."""
    return replace(record.images, labels=record.predicted)


def breaking_noise(watched: Watched) -> Reading:
    """Minus the breaking standard deviation in grey levels, the mean over noise seeds; the cap where nothing breaks."""
    seeds = int(watched.settings.get("breaking_noise", {}).get("seeds", NOISE_SEEDS))

    def score(record: Record) -> Scored:
        images = answered(record)
        # On the grid alone: what order images come in hardly depends on a label that leaves for a moment; passes count.
        found = bracketed(record.classifier, images, seeds=tuple(range(seeds)), close=0.0, audit=0.0).breaking
        return placed(images.ids, found.ids, -found.sigma.mean(1), found.passes.sum(1))

    return Reading(score)


def boundary_distance(watched: Watched) -> Reading:
    """Minus DeepFool's Euclidean distance to another class, in grey levels."""

    def score(record: Record) -> Scored:
        _, l2, passes = nearest(record)
        return Scored(-l2 * GREY, passes)

    return Reading(score)


def targeted_distance(watched: Watched) -> Reading:
    """Minus the largest change of a pixel, in grey levels, by which Adam makes the second answer the first one."""

    def score(record: Record) -> Scored:
        images = answered(record)
        second = record.logits.topk(2, 1).indices[:, 1:]
        found = targeted(record.classifier, images, second, steps=STEPS)
        far = torch.where(found.success, found.linf, torch.inf)
        # Each look is a pass forward and one back; one more looks at the image rounded to bytes.
        return placed(images.ids, found.ids, -far, 2 * (found.steps + 1) + 1)

    return Reading(score)


def distance_residual(watched: Watched) -> Reading | None:
    """By how much the logarithm of the distance falls short of what nominal images of this confidence have."""
    held, sample = watched.held, watched.sample
    temperature = fit_temperature(held.logits.numpy(), held.labels.numpy()).value
    trend = _trend(nearest(sample)[0].numpy(), predicted(sample.logits.numpy(), temperature)[1])
    if trend is None:
        return None

    def score(record: Record) -> Scored:
        mae, _, passes = nearest(record)
        confidence = predicted(record.logits.numpy(), temperature)[1]
        clipped = np.clip(confidence, trend.confidence[0], trend.confidence[-1])
        left = torch.log(mae.clamp_min(_LEAST)) - torch.from_numpy(trend.at(clipped))
        return Scored(-left, passes)

    return Reading(score, bytes=2 * trend.confidence.nbytes + 8)


def _trend(distance: Float64[np.ndarray, " n"], confidence: Float64[np.ndarray, " n"]) -> Fit | None:
    """F over nominal images; None where they are too few, or too many of one confidence, for F to be defined."""
    kept = np.isfinite(distance) & (distance > 0)
    known, often = np.unique(confidence[kept], return_counts=True)
    window = int(FRACTION * kept.sum())
    if len(known) < 2 or window < 3 or often.max() >= window:
        return None
    return fitted(distance[kept], confidence[kept], fraction=FRACTION)


# What DeepFool found of the record that was read last: two scorers read it one after the other.
_LAST: list[tuple[Record, tuple[Tensor, Tensor, Tensor]]] = []


def nearest(record: Record) -> tuple[Tensor, Tensor, Tensor]:
    """MAE, Euclidean distance and passes of DeepFool (n,), images in [0, 1]; infinite where it finds nothing."""
    if not _LAST or _LAST[0][0] is not record:
        _LAST[:] = [(record, _nearest(record))]
    return _LAST[0][1]


def _nearest(record: Record) -> tuple[Tensor, Tensor, Tensor]:
    with warnings.catch_warnings():  # what is not found is a score here: infinitely far
        warnings.simplefilter("ignore", MistrustWarning)
        found = distances(record.classifier, record.images, "deepfool", candidates=CANDIDATES, bisections=BISECTIONS)
    asked = min(CANDIDATES, record.logits.shape[1]) - 1
    looks = found.queries - BISECTIONS * found.success.long()
    steps = looks - found.success.long()  # the last look of a success takes no step
    return found.mae, found.l2, (found.queries + steps * asked).double()


def placed(
    ids: Int[Tensor, " n"], found: Int[Tensor, " m"], values: Tensor, passes: Tensor
) -> Scored:  # fmt: skip
    """Put what was found in the images' order.

    A search repeats the network's answer before it begins. Where two classes tie to the last bits, another batch may
    answer otherwise, and the image is kept apart: it lies on the boundary, at distance 0.
    """
    scores, taken = torch.zeros(len(ids), dtype=torch.float64), torch.zeros(len(ids), dtype=torch.float64)
    order = ids.argsort()
    rows = order[torch.searchsorted(ids[order], found)]
    scores[rows], taken[rows] = values.double(), passes.double()
    return Scored(scores, taken)


_UREM = "Uncertainty and Robustness Estimation Methods (UREM)"
_SDR = "Bennette and others, Harnessing Adversarial Distances to Discover High-Confidence Errors, 2020, section IV"
SCORERS.add("breaking_noise", Scorer("Breaking noise", BOUNDARY, f"{_UREM}, section 3.1", True, breaking_noise))
SCORERS.add(
    "boundary_distance",
    Scorer(
        "Distance to the boundary (DeepFool)", BOUNDARY, "Moosavi-Dezfooli and others, DeepFool, CVPR 2016", True,
        boundary_distance,
    ),
)  # fmt: skip
SCORERS.add(
    "targeted_distance",
    Scorer("Distance to the second answer", BOUNDARY, f"{_UREM}, section 1.1, equation 3", True, targeted_distance),
)
SCORERS.add("distance_residual", Scorer("Distance residual", BOUNDARY, _SDR, True, distance_residual))
