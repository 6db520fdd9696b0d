"""How much a search adds to asking at random: lift, its interval between models, and what can be said of it.

Lift = pooled SDR of the first b queries / SDR of the whole pool. An SDR above 1 alone says that the class is
overconfident, whoever searches. Replicates of one model share its pool, so the interval is between separately trained
models, by Student's t on the logarithm; several panels (conditions, classes) are pooled by random effects.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from mistrust.errors import MistrustError
from mistrust.evaluation.given import confident

Array = NDArray[np.float64]
LEAST, NO_LIFT = 5, 1.25
# Errors that every model must have found: a mean over replicates comes as near to none as it likes, and its logarithm
# would drown those of the others.
FEWEST = 0.5
TIE = 1e-12  # scatter of logarithms that is rounding alone
LIFT, NONE, UNDECIDED = "lift", "no lift", "undecided"


@dataclass(frozen=True)
class Lift:
    """Lift over models.

    Attributes
    ----------
    value, low, high : geometric mean over models and its interval.
    models : (m,) lift of each.
    log_error : standard error of the mean logarithm, for `combined`; that of chance where all models are equal.
    verdict : "lift" where the whole interval lies above 1, "no lift" where it lies below 1.25, else "undecided".
    smallest : the smallest lift whose interval would have stayed above 1 half of the time, as models scattered here.
    at_best : the same if models differed by chance alone and found were counts of one search each. No bound of
        `smallest` where found are means over replicates: those ask more images between them.
    halved : whether errors were added to found and expected ones of every model, one having found less than half of
        one: as many as it lacks of a half.
    """

    value: float
    low: float
    high: float
    models: Float64[np.ndarray, " m"]
    log_error: float
    verdict: str
    smallest: float
    at_best: float
    halved: bool


@dataclass(frozen=True)
class Combined:
    """Lift over panels by random effects.

    Attributes
    ----------
    value, low, high : pooled lift and its interval.
    heterogeneity : variance of log lift between panels (tau squared), 0 or more.
    share : I squared, the share of the scatter that is not chance, 0 to 1.
    p : of Cochran's Q: that all panels have the same lift.
    verdict : as in `Lift`.
    n : panels.
    """

    value: float
    low: float
    high: float
    heterogeneity: float
    share: float
    p: float
    verdict: str
    n: int


def lift(found: ArrayLike, expected: ArrayLike, pool_sdr: ArrayLike, confidence_level: float = 0.95) -> Lift:
    """Estimate the lift over models.

    Parameters
    ----------
    found : (m,) errors among the first b queries of each model's search, or their mean over its replicates.
    expected : (m,) sum of 1 - confidence over the same queries (or its mean): found / expected is the pooled SDR.
    pool_sdr : (m,) SDR of each model's whole pool.
    confidence_level : of the interval, in (0, 1).

    Raises
    ------
    MistrustError
        Fewer than 5 models; lengths that differ; errors below 0; expected errors or a pool's SDR not above 0; a
        confidence level outside (0, 1).
    """
    confident(confidence_level)
    k, e, s = (np.asarray(one, dtype=np.float64) for one in (found, expected, pool_sdr))
    if k.ndim != 1 or not k.shape == e.shape == s.shape:
        raise MistrustError(f"Found, expected and pool SDR have shapes {k.shape}, {e.shape}, {s.shape}, expected (m,).")
    if len(k) < LEAST:
        raise MistrustError(
            f"A lift needs at least {LEAST} separately trained models for its interval, got {len(k)}: replicates "
            "of one model measure the noise of subsets alone. Train more (other seeds)."
        )
    if not ((k >= 0) & np.isfinite(k)).all():
        raise MistrustError(f"Errors found must be 0 or more, got {k.tolist()}.")
    if not ((e > 0) & (s > 0) & np.isfinite(e * s)).all():
        raise MistrustError(
            f"Expected errors and the pool's SDR must be above 0, got {e.tolist()} and {s.tolist()}: a pool without "
            "errors has nothing to find."
        )
    chance = e * s  # errors that as many random queries of these confidences would find
    added = to_add(k)
    models = (k + added) / (chance + added)
    logs = np.log(models)
    # Var log k = 1 / E[k] for a Poisson count, averaged over the models' logarithms.
    floor = float(np.sqrt((1 / chance).sum()) / len(chance))
    # Models that give one number by a tie did not measure it without error: chance alone would scatter them.
    scatter = float(logs.std(ddof=1) / np.sqrt(len(logs)))
    error = scatter if scatter > TIE else floor
    t = float(stats.t.ppf((1 + confidence_level) / 2, len(logs) - 1))
    mean = float(logs.mean())
    low, high = np.exp(mean - t * error), np.exp(mean + t * error)
    return Lift(
        float(np.exp(mean)), float(low), float(high), models, error, verdict(float(low), float(high)),
        float(np.exp(t * error)), float(np.exp(t * floor)), added > 0,
    )  # fmt: skip


def to_add(found: Array) -> float:
    """Errors to add to found and expected ones of every model: half of one where a model found none, less with more.

    So a lift changes by steps nowhere, and goes towards 1 where little was found.
    """
    return max(0.0, FEWEST - float(found.min()))


def verdict(low: float, high: float) -> str:
    """Say what an interval of lifts shows: "lift" above 1, "no lift" below 1.25, else "undecided"."""
    return LIFT if low > 1 else NONE if high < NO_LIFT else UNDECIDED


def combined(log_lifts: ArrayLike, errors: ArrayLike, confidence_level: float = 0.95) -> Combined:
    """Pool panels by random effects (DerSimonian and Laird, 1986), interval by Hartung and Knapp.

    The variance between panels is DerSimonian and Laird's moment estimate, not below 0 (statsmodels leaves it there);
    the interval is Student's t with the scale estimated from the panels (Hartung and Knapp, 2001; Sidik and Jonkman,
    2002), not below the usual scale of 1 (Rover, Knapp and Friede, 2015), since panels are few.

    Parameters
    ----------
    log_lifts : (k,) natural logarithm of each panel's lift.
    errors : (k,) their standard errors, above 0 (`Lift.log_error`). Panels must not share models; where two classes of
        one model are two panels, give their mean.
    confidence_level : of the interval, in (0, 1).

    Raises
    ------
    MistrustError
        Fewer than two panels; lengths that differ; a standard error that is not above 0; a confidence level outside
        (0, 1).
    """
    confident(confidence_level)
    y, se = np.asarray(log_lifts, dtype=np.float64), np.asarray(errors, dtype=np.float64)
    if y.ndim != 1 or y.shape != se.shape or len(y) < 2:
        raise MistrustError(f"Log lifts and errors have shapes {y.shape} and {se.shape}, expected (k,), k at least 2.")
    if not (np.isfinite(y) & (se > 0) & np.isfinite(se)).all():
        raise MistrustError(f"Log lifts must be finite and their errors above 0, got {y.tolist()} and {se.tolist()}.")
    weight = 1 / se**2
    q = float((weight * (y - (weight * y).sum() / weight.sum()) ** 2).sum())
    df = len(y) - 1
    tau2 = max(0.0, (q - df) / float(weight.sum() - (weight**2).sum() / weight.sum()))
    weight = 1 / (se**2 + tau2)
    mean = float((weight * y).sum() / weight.sum())
    scale = max(1.0, float((weight * (y - mean) ** 2).sum()) / df)
    half = float(stats.t.ppf((1 + confidence_level) / 2, df)) * float(np.sqrt(scale / weight.sum()))
    low, high = float(np.exp(mean - half)), float(np.exp(mean + half))
    share = max(0.0, (q - df) / q) if q > 0 else 0.0
    return Combined(
        float(np.exp(mean)), low, high, tau2, share, float(stats.chi2.sf(q, df)), verdict(low, high), len(y)
    )
