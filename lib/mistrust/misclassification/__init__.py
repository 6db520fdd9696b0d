"""The Misclassification Likelihood Matrix (Sikar et al.)."""

from mistrust.misclassification.confusion import Agreement, agreement, confusion, error_shares
from mistrust.misclassification.matrix import Statistic, bootstrap, centroids, class_distances, distances, likelihood

__all__ = [
    "Agreement",
    "Statistic",
    "agreement",
    "bootstrap",
    "centroids",
    "class_distances",
    "confusion",
    "distances",
    "error_shares",
    "likelihood",
]
