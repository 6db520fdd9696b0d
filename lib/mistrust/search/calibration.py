"""Temperature scaling (Guo, Pleiss, Sun and Weinberger, 2017, section 4.2), in float64 and without chance.

The published code lets RMSprop run for 500 epochs of random batches. Here the negative log-likelihood, convex in 1/T
and so with one minimum in log T, goes to a bounded minimiser; a temperature at its limit is said to be there, since
with separable validation images the likelihood pushes T to 0 and every confidence to exactly 1.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64, Int64
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, logsumexp

from mistrust.errors import MistrustError
from mistrust.evaluation.given import numbers
from mistrust.inputs.limits import number

LOW, HIGH = 0.05, 20.0
NEAR = 1e-3  # of log T, as a share of its range: nearer than that a temperature is at its limit


@dataclass(frozen=True)
class Temperature:
    """A fitted temperature.

    Attributes
    ----------
    value : what logits are divided by; above 1 for a classifier that is overconfident.
    limit : "low" or "high" when the best temperature lies at that end of the range or beyond, else "".
    loss, before : mean negative log-likelihood in nats with the temperature and without (T = 1).
    n : images that it was fitted on.
    """

    value: float
    limit: str
    loss: float
    before: float
    n: int


def softmax(logits: ArrayLike, temperature: float = 1.0) -> Float64[np.ndarray, "n k"]:
    """Probabilities in float64: in float32 many a confidence is exactly 1, and F has no width there.

    Parameters
    ----------
    logits : (n, k) finite.
    temperature : above 0; divides the logits.

    Raises
    ------
    MistrustError
        What is no numbers; another shape, a logit that is not finite, a temperature that is not above 0 and finite.
    """
    return np.exp(log_softmax(_scaled(logits, temperature), axis=1))


def predicted(logits: ArrayLike, temperature: float = 1.0) -> tuple[Int64[np.ndarray, " n"], Float64[np.ndarray, " n"]]:
    """Predicted class, the lowest of ties, and its confidence in (0, 1]. Parameters and errors as `softmax`."""
    shares = softmax(logits, temperature)
    best = shares.argmax(1)
    return best, shares[np.arange(len(best)), best]


def likelihood(logits: ArrayLike, labels: ArrayLike, temperature: float = 1.0) -> float:
    """Mean negative log-likelihood of the labels (n,), in nats. Other parameters and errors as `softmax`."""
    z = _scaled(logits, temperature)
    y = _labelled(labels, z)
    return float(-log_softmax(z, axis=1)[np.arange(len(y)), y].mean())


def fit_temperature(logits: ArrayLike, labels: ArrayLike, low: float = LOW, high: float = HIGH) -> Temperature:
    """Find the temperature under which held-out labels are most likely.

    Parameters
    ----------
    logits : (n, k) of validation images, of which none was trained on.
    labels : (n,) their classes, 0 to k-1.
    low, high : where to look, 0 < low < high.

    Raises
    ------
    MistrustError
        What is no numbers; no images; shapes that do not fit; a label that is no class; logits that are not finite;
        limits that are none.
    """
    z = _scaled(logits, 1.0)
    y = _labelled(labels, z)
    if not 0 < number("low", low) < number("high", high) < np.inf:
        raise MistrustError(f"A temperature is sought between {low!r} and {high!r}, expected 0 < low < high.")
    # The other classes' logits less the label's own: what is left of a loss keeps its digits down to exp(-700), so that
    # the likelihood of separable images is not flat.
    other = np.ones(z.shape, dtype=bool)
    other[np.arange(len(y)), y] = False
    gap = z[other].reshape(len(y), -1) - z[~other][:, None]

    def loss(log_t: float) -> float:
        return float(np.logaddexp(0, logsumexp(gap / np.exp(log_t), axis=1)).mean())

    ends = float(np.log(low)), float(np.log(high))
    found = minimize_scalar(loss, bounds=ends, method="bounded", options={"xatol": 1e-10, "maxiter": 500})
    # The minimiser never tries the ends themselves.
    best = min((*ends, float(found.x)), key=loss)
    near = NEAR * (ends[1] - ends[0])
    limit = "low" if best - ends[0] < near else "high" if ends[1] - best < near else ""
    return Temperature(float(np.exp(best)), limit, loss(best), loss(0.0), len(y))


def _scaled(logits: ArrayLike, temperature: float) -> NDArray[np.float64]:
    z = numbers("Logits", logits)
    if z.ndim != 2 or z.shape[0] == 0 or z.shape[1] < 2:
        raise MistrustError(f"Logits have shape {z.shape}, expected (n, k) of at least one image and two classes.")
    if not np.isfinite(z).all():
        raise MistrustError(f"The logits of {np.sum(~np.isfinite(z).all(1))} of {len(z)} images are not finite.")
    if not 0 < number("The temperature", temperature) < np.inf:
        raise MistrustError(f"The temperature is {temperature!r}, expected a number above 0.")
    return z / temperature


def _labelled(labels: ArrayLike, z: NDArray[np.float64]) -> NDArray[np.int64]:
    _ = numbers("Labels", labels)  # which refuses what numpy makes no array of
    y = np.asarray(labels)
    if y.shape != z.shape[:1] or not np.issubdtype(y.dtype, np.integer):
        raise MistrustError(f"Labels have shape {y.shape} and type {y.dtype}, expected {z.shape[:1]} whole numbers.")
    if ((y < 0) | (y >= z.shape[1])).any():
        raise MistrustError(f"Labels must be classes 0 to {z.shape[1] - 1}, got {y[(y < 0) | (y >= z.shape[1])][0]}.")
    return y.astype(np.int64)
