"""What must be so before a conclusion is printed: a table of gates, each with its value, its bar and its verdict.

A panel is one model with one critical class under one condition. A panel that misses a gate says which, and is shown
with that said; a number that nobody measured is "not measured", never passed.

Models are judged beside each other by `odd_accuracy` and `odd_temperature`: a model that stands out is not thrown away,
but what is pooled is shown with it and without it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool
from numpy.typing import ArrayLike
from scipy import special, stats

from mistrust.errors import MistrustError
from mistrust.evaluation.given import numbers
from mistrust.registry import Registry

MET, MISSED, UNKNOWN = "met", "missed", "not measured"
MODELS = 5
SIGMAS, TIMES = 3.0, 2.5


@dataclass(frozen=True)
class Panel:
    """What was measured of one panel; None is not measured.

    Attributes
    ----------
    instances, errors : in the pool.
    attacked : share of the pool for which the attack found an adversarial image.
    start_kind : share of the pool that the most frequent kind of starting point started.
    start_p : p-value of a test of whether the kind of start moves the residual, where kinds are mixed.
    temperature_limit : whether the temperature is at a limit of its range.
    certain : share of the pool with a confidence of exactly 1.
    undefined : instances at which F is not defined.
    retest : rank correlation of the residuals of two runs of the attack (not of log MAE, which is always high).
    models : separately trained models in the same condition.
    odd : whether this panel's model stands out among them.
    """

    instances: int | None = None
    errors: int | None = None
    attacked: float | None = None
    start_kind: float | None = None
    start_p: float | None = None
    temperature_limit: bool | None = None
    certain: float | None = None
    undefined: int | None = None
    retest: float | None = None
    models: int | None = None
    odd: bool | None = None


@dataclass(frozen=True)
class Gate:
    """One condition.

    Attributes
    ----------
    title : what is measured, in words.
    of : from a panel to the number, or None.
    bar : what it is compared with.
    sense : ">=", "<", "<=": how the number must stand to the bar.
    """

    title: str
    of: Callable[[Panel], float | None]
    bar: float
    sense: str


@dataclass(frozen=True)
class Judged:
    """One gate's answer: `verdict` is "met", "missed" or "not measured"; `text` says it in words."""

    gate: str
    title: str
    value: float | None
    sense: str
    bar: float
    verdict: str

    @property
    def text(self) -> str:
        """The answer as a line: "errors in the pool: 12, expected >= 25: missed"."""
        value = "-" if self.value is None else f"{self.value:g}"
        return f"{self.title}: {value}, expected {self.sense} {self.bar:g}: {self.verdict}"


SENSES: Mapping[str, Callable[[float, float], bool]] = {
    ">=": lambda value, bar: value >= bar,
    "<=": lambda value, bar: value <= bar,
    "<": lambda value, bar: value < bar,
}
GATES: Registry[Gate] = Registry("gate")


def _starts(panel: Panel) -> float | None:
    """Share of one kind of start; mixed kinds that a test shows not to move the residual count as one."""
    if panel.start_kind is not None and panel.start_p is not None and panel.start_p >= 0.05:
        return 1.0
    return panel.start_kind


for _name, _gate in {
    "pool": Gate("instances in the pool", lambda p: p.instances, 300, ">="),
    "errors": Gate("errors in the pool", lambda p: p.errors, 25, ">="),
    "attack": Gate("share of successful attacks", lambda p: p.attacked, 0.95, ">="),
    "starts": Gate("share of one kind of start, or kinds that do not move the residual", _starts, 0.95, ">="),
    "temperature": Gate("temperature at a limit", lambda p: p.temperature_limit, 0, "<="),
    "certain": Gate("share of confidences of exactly 1", lambda p: p.certain, 0.01, "<"),
    "trend": Gate("instances without a fitted distance", lambda p: p.undefined, 0, "<="),
    "retest": Gate("test-retest rank correlation of the residual", lambda p: p.retest, 0.6, ">="),
    "models": Gate("trained models", lambda p: p.models, MODELS, ">="),
    "odd": Gate("model that stands out", lambda p: p.odd, 0, "<="),
}.items():
    GATES.add(_name, _gate)


def judged(panel: Panel) -> list[Judged]:
    """Hold a panel against each gate, in their order."""
    found = []
    for name, gate in GATES.items():
        value = gate.of(panel)
        known = value is not None and not np.isnan(float(value))
        verdict = (MET if SENSES[gate.sense](float(value), gate.bar) else MISSED) if known else UNKNOWN
        found.append(Judged(name, gate.title, float(value) if known else None, gate.sense, gate.bar, verdict))
    return found


def odd_accuracy(accuracies: ArrayLike, *, images: ArrayLike | None = None) -> Bool[np.ndarray, " m"]:
    """Which models' test accuracy is more than 3 SD away from that of the others, by how models scatter and by luck.

    Among m models none can be further than (m - 1) / sqrt(m) of their common SD from their mean: 1.8 for five. So each
    is compared with the mean and SD of the *others*, and, since these are of few models, by the t distribution:
    outlying is what is as rare as 3 SD are for a normal value with known SD. Others may agree by luck more closely than
    test images can tell, so that any model stands out: hence it must also be 3 SD of sampling away.

    Parameters
    ----------
    accuracies : (m,) at least three, in [0, 1] where `images` are told.
    images : (m,) or one number: on how many test images each was measured; None or NaN: sampling plays no part.

    Returns
    -------
    (m,) true of those that stand out.

    Raises
    ------
    MistrustError
        Fewer than three models, what is no finite number; images of another number than the models, or none above 0.

    Examples
    --------
    On 6,000 images an accuracy of 0.92 has a standard error of 0.0035:

    >>> accuracies = [0.92, 0.9282, 0.9283, 0.9283, 0.9297]
    >>> odd_accuracy(accuracies).tolist()
    [True, False, False, False, False]
    >>> odd_accuracy(accuracies, images=6_000).any()
    np.False_
    """
    a = _several(accuracies, 3)
    m = len(a) - 1
    mean = (a.sum() - a) / m
    apart = np.abs(a - mean)
    squares = np.maximum(((a - a.mean()) ** 2).sum() - apart**2 * m / (m + 1), 0)  # of the others about their mean
    sd = np.sqrt(squares / (m - 1) * (1 + 1 / m))
    # Where all others are equal, whatever differs stands out; a rounding error does not.
    same = sd <= 1e-9 * np.abs(a).max()
    t = apart / np.where(same, 1.0, sd)
    rare = np.where(same, apart <= 1e-9 * np.abs(a).max(), 2 * special.stdtr(m - 1, -t))
    return (rare < 2 * stats.norm.sf(SIGMAS)) & (apart > SIGMAS * _sampling(a, mean, images))


def _sampling(accuracies: np.ndarray, mean: np.ndarray, images: ArrayLike | None) -> np.ndarray:
    """SD (m,) of a model's distance from the mean of the others, if all were right equally often."""
    n = numbers("Numbers of test images", np.inf if images is None else images)
    n = np.where(np.isnan(n), np.inf, n)
    if n.shape not in ((), accuracies.shape) or not (n > 0).all():
        raise MistrustError(f"images is {images!r}, expected one number above 0, or one of each model.")
    n = np.broadcast_to(n, accuracies.shape)
    others = ((1 / n).sum() - 1 / n) / (len(n) - 1) ** 2
    return np.sqrt(np.maximum(mean * (1 - mean), 0) * (1 / n + others))


def odd_temperature(temperatures: ArrayLike) -> Bool[np.ndarray, " m"]:
    """Which models' temperature is more than 2.5 times the median of all (m,); errors as those of `odd_accuracy`."""
    t = _several(temperatures, 1)
    return t > TIMES * np.median(t)


def _several(values: ArrayLike | Sequence[float], least: int) -> np.ndarray:
    v = numbers("What models are compared by", values)
    if v.ndim != 1 or len(v) < least or not np.isfinite(v).all():
        raise MistrustError(f"Models are compared by at least {least} finite numbers (m,), got {values!r}.")
    return v
