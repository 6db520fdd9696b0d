"""Numbers with intervals: pure functions on arrays."""

from mistrust.evaluation.concordance import Concordance, concordance, kendall_w
from mistrust.evaluation.detection import average_precision, false_positive_rate
from mistrust.evaluation.discrimination import auroc, counted_auroc
from mistrust.evaluation.intervals import Estimate, between_models, percentile_interval, share
from mistrust.evaluation.ordering import Counted, Ordered, ordered
from mistrust.evaluation.permutation import permutation_p
from mistrust.evaluation.ranks import spearman
from mistrust.evaluation.resampling import cluster_bootstrap
from mistrust.evaluation.selective import RiskCoverage, best_area, counted_area, risk_coverage

__all__ = [
    "Concordance",
    "Counted",
    "Estimate",
    "Ordered",
    "RiskCoverage",
    "auroc",
    "average_precision",
    "best_area",
    "between_models",
    "cluster_bootstrap",
    "concordance",
    "counted_area",
    "counted_auroc",
    "false_positive_rate",
    "kendall_w",
    "ordered",
    "percentile_interval",
    "permutation_p",
    "risk_coverage",
    "share",
    "spearman",
]
