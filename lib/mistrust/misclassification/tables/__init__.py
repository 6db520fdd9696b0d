"""Rows of one network: what was counted and measured, one function a table. Pure: from arrays to rows."""

from mistrust.misclassification.tables.abstaining import abstention, retained, thresholds_by_class
from mistrust.misclassification.tables.calibrated import calibrated
from mistrust.misclassification.tables.clean import accuracy, clusters, misses
from mistrust.misclassification.tables.judged import agreements, growth
from mistrust.misclassification.tables.matrices import deviations, estimated, matrices, profiles, variants
from mistrust.misclassification.tables.nearest import nearest
from mistrust.misclassification.tables.sweep import ALL, POOLED, Row, Sweep

__all__ = [
    "ALL",
    "POOLED",
    "Row",
    "Sweep",
    "abstention",
    "accuracy",
    "agreements",
    "calibrated",
    "clusters",
    "deviations",
    "estimated",
    "growth",
    "matrices",
    "misses",
    "nearest",
    "profiles",
    "retained",
    "thresholds_by_class",
    "variants",
]
