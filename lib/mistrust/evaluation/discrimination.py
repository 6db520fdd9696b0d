"""Do suspicious scores go with wrong predictions? The area under the receiver operating characteristic."""

import numpy as np
from numpy.typing import ArrayLike

from mistrust.evaluation.ordering import Ordered, ordered


def auroc(scores: ArrayLike, positive: ArrayLike) -> float:
    """Chance that a positive scores higher than a negative, ties counting half (Mann and Whitney, 1947), in [0, 1].

    Parameters
    ----------
    scores : (n,) higher is more suspicious.
    positive : (n,) true where the prediction is wrong.

    Returns
    -------
    NaN where all outcomes are alike.
    """
    return ordered_auroc(ordered(scores, positive))


def ordered_auroc(outcomes: Ordered, weights: ArrayLike | None = None) -> float:
    """`auroc` of outcomes that are sorted already, each counted `weights` (n,) times."""
    w = outcomes.weights(weights)
    w = np.ones_like(outcomes.positive) if w is None else w
    # One sum a run of equal scores.
    positives = np.add.reduceat(w * outcomes.positive, outcomes.starts)
    negatives = np.add.reduceat(w, outcomes.starts) - positives
    pairs = positives.sum() * negatives.sum()
    if pairs == 0:
        return float("nan")
    below = np.cumsum(negatives) - negatives
    return float((positives * (below + negatives / 2)).sum() / pairs)
