"""The Misclassification Likelihood Matrix (Sikar et al.)."""

from mistrust.misclassification.abstention import Abstention, compare, suspicion
from mistrust.misclassification.clusters import Clusters, Misclustered, kmeans, misclustered
from mistrust.misclassification.confusion import Agreement, agreement, confusion, error_shares
from mistrust.misclassification.judging import Judgement, first_half, judge, judge_all, marginal
from mistrust.misclassification.levels import OverLevels, agreement_of_levels, at_levels, over_levels
from mistrust.misclassification.matrix import Statistic, bootstrap, centroids, class_distances, distances, likelihood
from mistrust.misclassification.retention import (
    Retention,
    Thresholds,
    answered,
    kept_by_class,
    retention,
    thresholds,
)
from mistrust.misclassification.selection import Selected, Selection
from mistrust.misclassification.softmax import mean_softmax, mean_softmax_bootstrap

__all__ = [
    "Abstention",
    "Agreement",
    "Clusters",
    "Judgement",
    "Misclustered",
    "OverLevels",
    "Retention",
    "Selected",
    "Selection",
    "Statistic",
    "Thresholds",
    "agreement",
    "agreement_of_levels",
    "answered",
    "at_levels",
    "bootstrap",
    "centroids",
    "class_distances",
    "compare",
    "confusion",
    "distances",
    "error_shares",
    "first_half",
    "judge",
    "judge_all",
    "kept_by_class",
    "kmeans",
    "likelihood",
    "marginal",
    "mean_softmax",
    "mean_softmax_bootstrap",
    "misclustered",
    "over_levels",
    "retention",
    "suspicion",
    "thresholds",
]
