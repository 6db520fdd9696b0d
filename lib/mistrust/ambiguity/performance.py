"""How well a network does where the right answer is a probability (Weiss et al., section VI-A, Table I).

An ambiguous image has no one right class, so that top-1 accuracy says more about its label than about the network: it
cannot lie above the label's largest probability. The paper therefore counts top-2 and top-pair; Brier score and
Kullback-Leibler divergence compare all probabilities with the label's own, and both are least where they are equal.
"""

from typing import Any

import numpy as np
from jaxtyping import Float, Float64, Int
from numpy.typing import ArrayLike, NDArray
from scipy import special
from torch import Tensor

from mistrust.errors import MistrustError

# How far from 1 the sum of a row of probabilities may lie: float32 rounding of thousands of classes stays below.
CLOSE = 1e-5


def performance(
    logits: Float[Tensor, "n k"], soft: Float64[Tensor, "n k"], labels: Int[Tensor, " n"]
) -> dict[str, Float64[np.ndarray, " n"]]:
    """Compare a network's outputs with probabilistic and hard labels, image by image.

    Parameters
    ----------
    logits : (n, k) outputs before the softmax, finite, k at least 2.
    soft : (n, k) the probabilistic labels, rows sum to 1 (`AmbiguousSet.soft`); one-hot for nominal images.
    labels : (n,) the hard labels, positions of classes.

    Returns
    -------
    Each (n,) float64; their means are what Table I prints.

    - "top-1", "top-2": 1 where the hard label is the largest, or among the two largest, else 0. Of equal logits the
      lower class counts as the larger.
    - "top-pair": 1 where the two largest are the two classes of positive label probability. Left out unless every
      label has exactly two of these.
    - "entropy": of the softmax, bits. "excess entropy": the same minus that of the label; what lies above it is
      doubt that the image does not call for.
    - "brier": squared difference between softmax and label, summed over classes, in [0, 2] (Brier, 1950).
    - "kl": divergence of the softmax from the label, KL(label || softmax), bits, from 0 up, finite.

    Raises
    ------
    MistrustError
        No image, fewer than two classes, unequal shapes; logits that are not finite; labels that are no probabilities;
        hard labels outside the classes.
    """
    x, p, y = array(logits), distributions("Probabilistic labels", soft), array(labels)
    if x.ndim != 2 or x.shape[1] < 2 or len(x) == 0 or p.shape != x.shape or y.shape != x.shape[:1]:
        raise MistrustError(
            f"Logits have shape {x.shape}, probabilistic labels {p.shape} and hard labels {y.shape}: expected (n, k), "
            "(n, k) and (n,), with one image and two classes at least."
        )
    x = x.astype(np.float64)
    if not np.isfinite(x).all():
        raise MistrustError(f"{int((~np.isfinite(x)).any(axis=1).sum())} of {len(x)} rows of logits are not finite.")
    if y.dtype.kind not in "iu" or y.min() < 0 or y.max() >= x.shape[1]:
        raise MistrustError(
            f"Hard labels are {y.dtype} from {y.min()} to {y.max()}, expected positions of classes: whole numbers from "
            f"0 to {x.shape[1] - 1}."
        )
    log_softmax = special.log_softmax(x, axis=1)
    softmax = np.exp(log_softmax)
    order = np.argsort(-x, axis=1, kind="stable")
    hit = order[:, :2] == y[:, None]
    found = {"top-1": hit[:, 0].astype(np.float64), "top-2": hit.any(axis=1).astype(np.float64)}
    if bool(((p > 0).sum(axis=1) == 2).all()):
        found["top-pair"] = (np.take_along_axis(p, order[:, :2], axis=1) > 0).all(axis=1).astype(np.float64)
    bits = entropy(softmax)
    return found | {
        "entropy": bits,
        "brier": ((softmax - p) ** 2).sum(axis=1),
        # Rounding can leave it an ulp below 0.
        "kl": np.maximum((special.xlogy(p, p) - p * log_softmax).sum(axis=1) / np.log(2), 0.0),
        "excess entropy": bits - entropy(p),
    }


def ceilings(soft: Float64[Tensor, "n k"]) -> dict[str, float]:
    """What no network can pass when hard labels are drawn from the probabilistic ones: means over the images.

    Parameters
    ----------
    soft : (n, k) the probabilistic labels.

    Returns
    -------
    "largest probability": the best possible top-1. "top-2 ceiling": the two largest together, the best possible top-2.
    "label entropy": bits; the entropy of a network that knows the labels' probabilities.

    Raises
    ------
    MistrustError
        Labels that are no probabilities, no image, fewer than two classes.
    """
    p = distributions("Probabilistic labels", soft)
    if p.ndim != 2 or p.shape[1] < 2 or len(p) == 0:
        raise MistrustError(f"Probabilistic labels have shape {p.shape}, expected (n, k) with n >= 1 and k >= 2.")
    largest = np.sort(p, axis=1)[:, ::-1]
    return {
        "largest probability": float(largest[:, 0].mean()),
        "top-2 ceiling": float(largest[:, :2].sum(axis=1).mean()),
        "label entropy": float(entropy(p).mean()),
    }


def entropy(p: ArrayLike) -> NDArray[np.float64]:
    """Give the entropy along the last axis in bits, 0 log 0 counting as 0."""
    return np.maximum(special.entr(np.asarray(p, dtype=np.float64)).sum(axis=-1) / np.log(2), 0.0)


def distributions(what: str, given: Tensor | ArrayLike) -> NDArray[np.float64]:
    """Give probabilities as float64; `what` names them in messages.

    Raises
    ------
    MistrustError
        Numbers that are negative or NaN, or that do not sum to 1 along the last axis.
    """
    p = array(given).astype(np.float64)
    good = (p >= 0).all(axis=-1) & (np.abs(p.sum(axis=-1) - 1) < CLOSE) if p.ndim else np.array(False)
    if not good.all():
        raise MistrustError(
            f"{what} are no probabilities in {int((~good).sum())} of {good.size} rows of shape {p.shape}: expected "
            "numbers of at least 0 that sum to 1 over the last axis. Logits need a softmax first."
        )
    return p


def array(given: Tensor | ArrayLike) -> NDArray[Any]:
    """Give a tensor, wherever it lies, or anything like an array, as a numpy array."""
    return given.detach().cpu().numpy() if isinstance(given, Tensor) else np.asarray(given)
