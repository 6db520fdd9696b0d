"""How far an image's distance to the decision boundary falls short of what its confidence lets one expect.

Adversarial Distance is log MAE - F(confidence), F a local regression over the evaluation set (paper, section IV.A;
equation 5 prints it without the logarithm, the text around it, Figure 1 and the code have it). No label is needed.
Low residuals are searched first.

F is the robust local-linear fit of Cleveland (1979), statsmodels' in the published code (`local_linear` has its numbers
to rounding in a fraction of the time; with a `delta` statsmodels itself is called). The authors' R prototype has the
local quadratic that R calls loess (`fit="quadratic"`, from scikit-misc). `form="raw"` leaves the logarithm out, to show
why it matters: the spread of MAE grows with MAE, so the lowest residuals all lie at the top.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil

import numpy as np
from jaxtyping import Float64
from numpy.typing import ArrayLike, NDArray
from statsmodels.nonparametric.smoothers_lowess import lowess

from mistrust.errors import MistrustError
from mistrust.evaluation.given import numbers
from mistrust.inputs.limits import whole, within
from mistrust.registry import Registry
from mistrust.search.local_linear import local_linear

Array = NDArray[np.float64]
FRACTION = 0.1
# A residual so small, beside the largest distance, is rounding.
ROUNDING = 1e-10
FORM, FIT = "log", "lowess"


@dataclass(frozen=True)
class Smoother:
    """One way of fitting F.

    Attributes
    ----------
    title, source : what it is, and where it comes from.
    fitted : from values (n,), confidences (n,), fraction, robust passes and delta to fitted values (n,).
    passes : robust passes as published.
    least : how many instances a window must hold.
    skips : whether it takes a delta above 0, between whose fits it draws straight lines.
    """

    title: str
    source: str
    fitted: Callable[[Array, Array, float, int, float], Array]
    passes: int
    least: int
    skips: bool = False


FORMS: Registry[Callable[[Array], Array]] = Registry("form of the distance")
FITS: Registry[Smoother] = Registry("fit of F")
FORMS.add("log", np.log)
FORMS.add("raw", np.positive)


def _linear(values: Array, confidence: Array, fraction: float, iterations: int, delta: float) -> Array:
    if not delta:
        return local_linear(values, confidence, fraction, iterations)
    return np.asarray(lowess(values, confidence, frac=fraction, it=iterations, delta=delta, return_sorted=False))


def _quadratic(values: Array, confidence: Array, fraction: float, iterations: int, delta: float) -> Array:
    try:
        from skmisc.loess import loess
    except ImportError:
        raise MistrustError(
            "fit='quadratic' needs the package scikit-misc, which is not installed: `pip install scikit-misc`, or take "
            "fit='lowess', which needs nothing more."
        ) from None
    # Counted as in R: the first fit is an iteration, each robust pass another.
    robust = {"family": "symmetric", "iterations": iterations + 1} if iterations else {}
    model = loess(confidence, values, span=fraction, degree=2, **robust)
    try:
        model.fit()
    except ValueError as error:
        raise MistrustError(
            f"The local quadratic over {fraction:g} of {len(values)} instances cannot be fitted: {error}. "
            "Raise `fraction`, or take fit='lowess'."
        ) from None
    return np.asarray(model.outputs.fitted_values, dtype=np.float64)


FITS.add("lowess", Smoother("robust local linear", "published code; Cleveland (1979)", _linear, 3, 3, skips=True))
FITS.add("quadratic", Smoother("local quadratic", "R prototype of the authors; Cleveland, Grosse", _quadratic, 0, 4))


@dataclass(frozen=True)
class Fit:
    """F, fitted once: where it is known, and what it expects there.

    Attributes
    ----------
    confidence : (k,) sorted, each once, in (0, 1].
    expected : (k,) fitted distance there, in the form that was fitted (log MAE by default).
    form : that form's name.
    """

    confidence: Float64[np.ndarray, " k"]
    expected: Float64[np.ndarray, " k"]
    form: str = "log"

    def at(self, confidence: ArrayLike) -> Float64[np.ndarray, " n"]:
        """Expected distances at confidences (n,), straight between those that were fitted.

        Raises
        ------
        MistrustError
            What is no numbers; a confidence outside the range of those fitted: F is not extrapolated.
        """
        c = numbers("Confidences", confidence)
        low, high = self.confidence[0], self.confidence[-1]
        outside = ~((c >= low) & (c <= high))
        if outside.any():
            raise MistrustError(
                f"{outside.sum()} of {c.size} confidences lie outside [{low:g}, {high:g}], where F was fitted (the "
                f"first: {c[outside].flat[0]:g}). Fit F on a pool that holds them, or on the set itself."
            )
        return np.interp(c, self.confidence, self.expected)

    def residual(self, distance: ArrayLike, confidence: ArrayLike) -> Float64[np.ndarray, " n"]:
        """Distances (n,), in this fit's form, less what is expected at their confidences (n,).

        Raises
        ------
        MistrustError
            What `at` refuses; lengths that differ; a distance that this form does not take.
        """
        values, c = _checked(distance, confidence, self.form)
        return values - self.at(c)


def residual(
    distance: ArrayLike,
    confidence: ArrayLike,
    fraction: float = FRACTION,
    iterations: int | None = None,
    form: str = FORM,
    fit: str = FIT,
    delta: float = 0.0,
) -> Float64[np.ndarray, " n"]:
    """Adversarial Distance: log MAE - F(confidence), F fitted on these very instances.

    Parameters
    ----------
    distance : (n,) finite and above 0: mean absolute error between an image and its adversarial image, or another
        distance. With form="raw" another score that may be 0 or negative, too.
    confidence : (n,) in (0, 1].
    fraction : share of the instances in each window of the fit, in (0, 1].
    iterations : robust passes, that make outliers count less; by default as published: 3 for "lowess", 0 for
        "quadratic".
    form : "log" or "raw" (`FORMS`).
    fit : "lowess" or "quadratic" (`FITS`).
    delta : how far apart in confidence "lowess" fits, with straight lines between; 0, as published, fits at each
        instance, and is all that "quadratic" does.

    Returns
    -------
    (n,) residuals in the instances' order, lowest the most suspicious; in units of the form (log MAE: natural log).

    Raises
    ------
    MistrustError
        What is no numbers; lengths that differ; a distance that is not finite, or for "log" not above 0; a confidence
        outside (0, 1]; windows that hold too few instances, or nothing but one confidence, where F is not defined; what
        `check` refuses.
    """
    values, c = _checked(distance, confidence, form)
    found = values - _fitted(values, c, fraction, iterations, fit, delta)
    # Where all distances are one number, what is left is rounding: no order, but ties.
    found[np.abs(found) <= ROUNDING * np.abs(values).max()] = 0.0
    return found


def fitted(
    distance: ArrayLike,
    confidence: ArrayLike,
    fraction: float = FRACTION,
    iterations: int | None = None,
    form: str = FORM,
    fit: str = FIT,
    delta: float = 0.0,
) -> Fit:
    """Fit F once, to be used on subsets. Parameters and errors are those of `residual`."""
    values, c = _checked(distance, confidence, form)
    known, first = np.unique(c, return_index=True)
    return Fit(known, _fitted(values, c, fraction, iterations, fit, delta)[first], form)


def check(
    fraction: float = FRACTION,
    iterations: int | None = None,
    form: str = FORM,
    fit: str = FIT,
    delta: float = 0.0,
) -> tuple[float, int, float]:
    """Give fraction, robust passes and delta of a fit, whether or not it will be made.

    Raises
    ------
    MistrustError
        An unknown form or fit; a fraction outside (0, 1]; robust passes that are not whole or below 0; a delta below 0,
        or above it for a fit that has none.
    """
    FORMS[form]
    smoother = FITS[fit]
    passes = whole("iterations", smoother.passes if iterations is None else iterations, 0)
    share, step = within("fraction", fraction, 0, 1), within("delta", delta, 0)
    if share == 0:
        raise MistrustError("fraction is 0, expected a share of the instances in (0, 1].")
    if step and not smoother.skips:
        able = " or ".join(f"fit='{name}'" for name, one in FITS.items() if one.skips)
        raise MistrustError(f"delta is {step:g}, and fit='{fit}' fits at each instance: leave it at 0, or take {able}.")
    return share, passes, step


def rounded_up(share: float) -> float:
    """A share with three decimals, never below itself, so that what a message recommends is enough.

    Examples
    --------
    >>> rounded_up(3 / 33), rounded_up(0.1)
    (0.091, 0.1)
    """
    return ceil(1000 * share - 1e-9) / 1000


def _fitted(values: Array, c: Array, fraction: float, iterations: int | None, fit: str, delta: float) -> Array:
    smoother = FITS[fit]
    fraction, passes, delta = check(fraction, iterations, fit=fit, delta=delta)
    window = int(fraction * len(c) + 1e-10)  # statsmodels' own rounding
    if window < smoother.least:
        share = min(1.0, smoother.least / max(len(c), 1))
        raise MistrustError(
            f"A window of {fraction:g} of {len(c)} instances holds {window}, and a {smoother.title} fit needs at "
            f"least {smoother.least}: a fraction of {rounded_up(share):g} or more, or a larger pool."
        )
    known, often = np.unique(c, return_counts=True)
    if often.max() >= window and len(known) > 1:
        # statsmodels gives the value of the first of them, without a word.
        raise MistrustError(
            f"{often.max()} of {len(c)} confidences are {known[often.argmax()]:g}, and a window holds {window}: F is "
            "not defined there. Take the softmax in float64, look whether the temperature is at its limit, or raise "
            "`fraction`."
        )
    if len(known) == 1:
        raise MistrustError(f"All {len(c)} confidences are {known[0]:g}: F needs at least two that differ.")
    found = smoother.fitted(values, c, fraction, passes, delta)
    if not np.isfinite(found).all():
        raise MistrustError(
            f"F is not defined at {np.sum(~np.isfinite(found))} of {len(c)} confidences: raise `fraction`."
        )
    return found


def _checked(distance: ArrayLike, confidence: ArrayLike, form: str) -> tuple[Array, Array]:
    """Distances in that form, and confidences."""
    take = FORMS[form]
    d, c = numbers("Distances", distance), numbers("Confidences", confidence)
    if d.ndim != 1 or d.shape != c.shape or len(d) == 0:
        raise MistrustError(f"Distances and confidences have shapes {d.shape} and {c.shape}, expected (n,) for both.")
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.asarray(take(d), dtype=np.float64)
    wrong = ~(np.isfinite(d) & np.isfinite(values))
    if wrong.any():
        expected = "above 0 and finite" if form == FORM else "finite"
        raise MistrustError(
            f"{wrong.sum()} of {len(d)} distances are not {expected} (the first: {d[wrong][0]:g}, in row "
            f"{int(wrong.argmax())}). Leave out images whose attack found nothing."
        )
    wrong = ~((c > 0) & (c <= 1))
    if wrong.any():
        raise MistrustError(
            f"{wrong.sum()} of {len(c)} confidences lie outside (0, 1] (the first: {c[wrong][0]:g}, in row "
            f"{int(wrong.argmax())})."
        )
    return values, c
