"""Numbers with intervals: pure functions on arrays."""

from mistrust.evaluation.intervals import Estimate, between_models, percentile_interval, share
from mistrust.evaluation.ranks import spearman

__all__ = ["Estimate", "between_models", "percentile_interval", "share", "spearman"]
