"""The Misclassification Likelihood Matrix as a reason not to answer: distance to the predicted class's centroid."""

import torch

from mistrust.comparison.scorers.scorer import MATRIX, SCORERS, Reading, Scored, Scorer, Watched
from mistrust.misclassification import centroids, distances, suspicion
from mistrust.misclassification.abstention import DISTANCE
from mistrust.networks import Record


def reading(watched: Watched) -> Reading:
    """Take the centroids of nominal images that the classifier was not trained on."""
    held = watched.held
    centres = centroids(held.probabilities, held.labels, held.classifier.classes)

    def score(record: Record) -> Scored:
        p = record.probabilities
        values = suspicion(p, distances(p, centres))[DISTANCE]
        return Scored(values, torch.zeros_like(values))

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
