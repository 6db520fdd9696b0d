"""Do suspicious scores go with wrong predictions? The area under the receiver operating characteristic."""

from numpy.typing import ArrayLike

from mistrust.evaluation.ordering import Counted, ordered


def auroc(scores: ArrayLike, positive: ArrayLike) -> float:
    """Chance that a positive scores higher than a negative, ties counting half (Mann and Whitney, 1947), in [0, 1].

    Parameters
    ----------
    scores : (n,) higher is more suspicious.
    positive : (n,) true where the prediction is wrong.

    Returns
    -------
    NaN where all outcomes are alike.

    Examples
    --------
    >>> auroc([0.1, 0.4, 0.35, 0.8], [False, False, True, True])
    0.75
    """
    return counted_auroc(ordered(scores, positive).counted())


def counted_auroc(counted: Counted) -> float:
    """`auroc` of positives that are counted already: `ordered(scores, positive).counted(weights)`.

    Examples
    --------
    The second input, once and three times:

    >>> found = ordered([0.1, 0.5, 0.3], [0, 0, 1])
    >>> once, thrice = np.array([1.0, 1.0, 1.0]), np.array([1.0, 3.0, 1.0])
    >>> counted_auroc(found.counted(once)), counted_auroc(found.counted(thrice))
    (0.5, 0.25)
    """
    times, before, after, total = counted
    positives = float(times.sum())
    pairs = positives * (total - positives)
    if pairs <= 0:
        return float("nan")
    # What lies below each positive, and half of what ties with it; the positives among these count half a square.
    return float(((times @ before + times @ after) / 2 - positives**2 / 2) / pairs)
