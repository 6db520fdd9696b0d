"""How far an image's distance to the decision boundary falls short of what its confidence lets one expect.

Adversarial Distance is log MAE - F(confidence), F a local regression over the evaluation set (paper, section IV.A;
equation 5 prints it without the logarithm, the text around it, Figure 1 and the code have it). No label is needed.
Low residuals are searched first.

F is the robust local-linear fit of Cleveland (1979), from statsmodels, as in the published code; the authors' R
prototype has the local quadratic that R calls loess (`fit="quadratic"`, from scikit-misc). `form="raw"` leaves the
logarithm out, to show why it matters: the spread of MAE grows with MAE, so the lowest residuals all lie at the top.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64
from numpy.typing import ArrayLike, NDArray
from statsmodels.nonparametric.smoothers_lowess import lowess

from mistrust.errors import MistrustError
from mistrust.inputs.limits import whole, within
from mistrust.registry import Registry

Array = NDArray[np.float64]
FRACTION = 0.1


@dataclass(frozen=True)
class Smoother:
    """One way of fitting F.

    Attributes
    ----------
    title, source : what it is, and where it comes from.
    fitted : from values (n,), confidences (n,), fraction and robust passes to fitted values (n,).
    passes : robust passes as published.
    least : how many instances a window must hold.
    """

    title: str
    source: str
    fitted: Callable[[Array, Array, float, int], Array]
    passes: int
    least: int


FORMS: Registry[Callable[[Array], Array]] = Registry("form of the distance")
FITS: Registry[Smoother] = Registry("fit of F")
FORMS.add("log", np.log)
FORMS.add("raw", np.positive)


def _linear(values: Array, confidence: Array, fraction: float, iterations: int) -> Array:
    return np.asarray(lowess(values, confidence, frac=fraction, it=iterations, delta=0.0, return_sorted=False))


def _quadratic(values: Array, confidence: Array, fraction: float, iterations: int) -> Array:
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


FITS.add("lowess", Smoother("robust local linear", "published code; Cleveland (1979)", _linear, 3, 3))
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
            A confidence outside the range of those fitted: F is not extrapolated.
        """
        c = np.asarray(confidence, dtype=np.float64)
        low, high = self.confidence[0], self.confidence[-1]
        outside = ~((c >= low) & (c <= high))
        if outside.any():
            raise MistrustError(
                f"{outside.sum()} of {c.size} confidences lie outside [{low:g}, {high:g}], where F was fitted (the "
                f"first: {c[outside].flat[0]:g}). Fit F on a pool that holds them, or on the set itself."
            )
        return np.interp(c, self.confidence, self.expected)

    def residual(self, distance: ArrayLike, confidence: ArrayLike) -> Float64[np.ndarray, " n"]:
        """Distances (n,), in this fit's form, less what is expected at their confidences (n,)."""
        d, c = _checked(distance, confidence)
        return FORMS[self.form](d) - self.at(c)


def residual(
    distance: ArrayLike,
    confidence: ArrayLike,
    fraction: float = FRACTION,
    iterations: int | None = None,
    form: str = "log",
    fit: str = "lowess",
) -> Float64[np.ndarray, " n"]:
    """Adversarial Distance: log MAE - F(confidence), F fitted on these very instances.

    Parameters
    ----------
    distance : (n,) finite and above 0: mean absolute error between an image and its adversarial image, or another
        distance.
    confidence : (n,) in (0, 1].
    fraction : share of the instances in each window of the fit, in (0, 1].
    iterations : robust passes, that make outliers count less; by default as published: 3 for "lowess", 0 for
        "quadratic".
    form : "log" or "raw" (`FORMS`).
    fit : "lowess" or "quadratic" (`FITS`).

    Returns
    -------
    (n,) residuals in the instances' order, lowest the most suspicious; in units of the form (log MAE: natural log).

    Raises
    ------
    MistrustError
        Lengths that differ; a distance that is not above 0 and finite; a confidence outside (0, 1]; windows that hold
        too few instances, or nothing but one confidence, where F is not defined; an unknown form or fit.
    """
    d, c = _checked(distance, confidence)
    values = FORMS[form](d)
    return values - _fitted(values, c, fraction, iterations, fit)


def fitted(
    distance: ArrayLike,
    confidence: ArrayLike,
    fraction: float = FRACTION,
    iterations: int | None = None,
    form: str = "log",
    fit: str = "lowess",
) -> Fit:
    """Fit F once, to be used on subsets. Parameters and errors are those of `residual`."""
    d, c = _checked(distance, confidence)
    known, first = np.unique(c, return_index=True)
    return Fit(known, _fitted(FORMS[form](d), c, fraction, iterations, fit)[first], form)


def _fitted(values: Array, c: Array, fraction: float, iterations: int | None, fit: str) -> Array:
    smoother = FITS[fit]
    passes = smoother.passes if iterations is None else iterations
    passes, fraction = whole("iterations", passes, 0), within("fraction", fraction, 0, 1)
    if fraction == 0:
        raise MistrustError("fraction is 0, expected a share of the instances in (0, 1].")
    window = int(fraction * len(c) + 1e-10)  # statsmodels' own rounding
    if window < smoother.least:
        share = min(1.0, smoother.least / max(len(c), 1))
        raise MistrustError(
            f"A window of {fraction:g} of {len(c)} instances holds {window}, and a {smoother.title} fit needs at "
            f"least {smoother.least}: a fraction of {share:.3g} or more, or a larger pool."
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
    found = smoother.fitted(values, c, fraction, passes)
    if not np.isfinite(found).all():
        raise MistrustError(
            f"F is not defined at {np.sum(~np.isfinite(found))} of {len(c)} confidences: raise `fraction`."
        )
    return found


def _checked(distance: ArrayLike, confidence: ArrayLike) -> tuple[Array, Array]:
    d, c = np.asarray(distance, dtype=np.float64), np.asarray(confidence, dtype=np.float64)
    if d.ndim != 1 or d.shape != c.shape or len(d) == 0:
        raise MistrustError(f"Distances and confidences have shapes {d.shape} and {c.shape}, expected (n,) for both.")
    wrong = ~(np.isfinite(d) & (d > 0))
    if wrong.any():
        raise MistrustError(
            f"{wrong.sum()} of {len(d)} distances are not above 0 and finite (the first: {d[wrong][0]:g}, in row "
            f"{int(wrong.argmax())}). Leave out images whose attack found nothing."
        )
    wrong = ~((c > 0) & (c <= 1))
    if wrong.any():
        raise MistrustError(
            f"{wrong.sum()} of {len(c)} confidences lie outside (0, 1] (the first: {c[wrong][0]:g}, in row "
            f"{int(wrong.argmax())})."
        )
    return d, c
