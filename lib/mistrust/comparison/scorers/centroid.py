"""The Misclassification Likelihood Matrix as a reason not to answer: distance to the predicted class's centroid."""

import warnings

import torch

from mistrust.comparison.scorers.scorer import MATRIX, SCORERS, Reading, Scored, Scorer, Watched
from mistrust.errors import MistrustWarning
from mistrust.misclassification import centroids, distances, suspicion
from mistrust.misclassification.abstention import DISTANCE
from mistrust.networks import Record


def reading(watched: Watched) -> Reading:
    """Take the centroids of nominal images that the classifier was not trained on.

    A class of which none of these is classified correctly has no centroid: what is taken for it is infinitely far, and
    a `MistrustWarning` says so.
    """
    held, classes = watched.held, watched.held.classifier.classes
    centres = centroids(held.probabilities, held.labels, classes, partial=True)
    without = [name for name, lacks in zip(classes, centres.isnan().any(1).tolist(), strict=True) if lacks]
    if without:
        warnings.warn(
            f"No nominal image of class {', '.join(without)} is classified correctly: without a centroid, whatever is "
            "taken for it is scored as infinitely far from it. Train longer, or leave the class out.",
            MistrustWarning,
            stacklevel=2,
        )

    def score(record: Record) -> Scored:
        p = record.probabilities
        values = suspicion(p, distances(p, centres))[DISTANCE]
        return Scored(torch.where(values.isnan(), torch.inf, values), torch.zeros_like(values))

    return Reading(score, bytes=centres.numel() * centres.element_size())


SCORERS.add(
    "mlm_distance",
    Scorer(
        "Distance to the class's centroid",
        MATRIX,
        "Sikar and others, The Misclassification Likelihood Matrix, 2024, section 3, and its follow-up's thresholds",
        False,
        reading,
    ),
)
