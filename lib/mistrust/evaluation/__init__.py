"""Numbers with intervals: pure functions on arrays."""

from mistrust.evaluation.concordance import Concordance, concordance, kendall_w
from mistrust.evaluation.corrected import holm
from mistrust.evaluation.correlation import clustered_rank_correlation, partial_spearman, rank_correlation
from mistrust.evaluation.decisions import Confusion
from mistrust.evaluation.detection import average_precision, false_positive_rate
from mistrust.evaluation.discrimination import auroc, counted_auroc
from mistrust.evaluation.friedman import Friedman, average_ranks, friedman
from mistrust.evaluation.intervals import (
    Estimate,
    between_models,
    bounded_auroc,
    clustered_share,
    percentile_interval,
    share,
)
from mistrust.evaluation.matthews import matthews
from mistrust.evaluation.nemenyi import RankDifferences, cliques, critical_difference, rank_differences
from mistrust.evaluation.ordering import Counted, Ordered, ordered
from mistrust.evaluation.permutation import permutation_p
from mistrust.evaluation.ranks import spearman
from mistrust.evaluation.resampling import cluster_bootstrap
from mistrust.evaluation.selective import RiskCoverage, best_area, counted_area, risk_coverage

__all__ = [
    "Concordance",
    "Confusion",
    "Counted",
    "Estimate",
    "Friedman",
    "Ordered",
    "RankDifferences",
    "RiskCoverage",
    "auroc",
    "average_precision",
    "average_ranks",
    "best_area",
    "between_models",
    "bounded_auroc",
    "cliques",
    "cluster_bootstrap",
    "clustered_rank_correlation",
    "clustered_share",
    "concordance",
    "counted_area",
    "counted_auroc",
    "critical_difference",
    "false_positive_rate",
    "friedman",
    "holm",
    "kendall_w",
    "matthews",
    "ordered",
    "partial_spearman",
    "percentile_interval",
    "permutation_p",
    "rank_correlation",
    "rank_differences",
    "risk_coverage",
    "share",
    "spearman",
]
