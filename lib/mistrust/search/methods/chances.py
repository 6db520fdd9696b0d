"""A model of error, learned from the answers so far: logistic regression with a ridge."""

from copy import copy
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from jaxtyping import Bool, Float64
from numpy.typing import NDArray
from scipy.linalg import get_lapack_funcs
from scipy.special import expit

Floats = NDArray[np.float64]
# Newton's steps: the ridge makes the sum strictly convex, and steps are kept short, so that few are ever needed.
STEPS = 100
ENOUGH = 1e-12
SHORT = 1e-4  # of a step, in units of standardised columns
# LAPACK's own: around a system so small, scipy's wrappers take most of the time.
SOLVE = get_lapack_funcs("posv", dtype=np.float64)


@dataclass
class Chances:
    """How likely each instance is to be an error.

    Attributes
    ----------
    values : (n, columns) what the model reads; standardised over the pool.
    ridge : penalty on the squared weights, the intercept being free: sum of log losses + ridge / 2 |w|^2.
    """

    values: Float64[np.ndarray, "n columns"]
    ridge: float
    rows: list[int] = field(default_factory=list)
    errors: list[bool] = field(default_factory=list)
    weights: Float64[np.ndarray, " columns+1"] | None = None  # of the last fit, near those of the next

    def __post_init__(self) -> None:
        spread = self.values.std(0)
        self.values = (self.values - self.values.mean(0)) / np.where(spread > 0, spread, 1.0)

    def __deepcopy__(self, memo: object) -> Self:
        own = copy(self)  # what the model reads never changes
        own.rows, own.errors = self.rows.copy(), self.errors.copy()
        return own

    @property
    def asked(self) -> int:
        """How many answers there are."""
        return len(self.rows)

    @property
    def columns(self) -> int:
        """How many columns the model reads."""
        return self.values.shape[1]

    def learn(self, row: int, error: bool) -> None:
        """Take an answer."""
        self.rows.append(row)
        self.errors.append(error)

    def of_error(self) -> Float64[np.ndarray, " n"] | None:
        """The chance of an error of every instance, or None while all answers are the same."""
        if len(set(self.errors)) < 2:
            return None
        self.weights = logistic(self.values[self.rows], np.array(self.errors), self.ridge, self.weights)
        return expit(self.weights[0] + self.values @ self.weights[1:])


def logistic(
    values: Float64[np.ndarray, "m columns"],
    errors: Bool[np.ndarray, " m"],
    ridge: float,
    start: Float64[np.ndarray, " columns+1"] | None = None,
) -> Float64[np.ndarray, " columns+1"]:
    """Intercept and weights that minimise sum of log losses + ridge / 2 |w|^2, by Newton's method to the last digits.

    A search fits one per question and a simulated null one per question of each of a thousand oracles: a library's
    checks would take far longer than its fit. Both answers must be among `errors`. `start` only saves steps.
    """
    design = np.ones((len(values), 1 + values.shape[1]))
    design[:, 1:] = values
    penalty = np.full(design.shape[1], ridge)
    penalty[0] = 0.0
    weights = np.zeros(design.shape[1])
    now = _loss(design, errors, penalty, weights)
    if start is not None and (there := _loss(design, errors, penalty, start)) < now:
        weights, now = start, there  # one that is worse than none may lie where nothing bends, and steps go anywhere
    for _ in range(STEPS):
        chance = expit(design @ weights)
        slope = design.T @ (chance - errors) + penalty * weights
        bend = (design.T * (chance * (1 - chance))) @ design
        bend.flat[:: len(bend) + 1] += penalty
        step = _solved(bend, slope)
        size = float(np.abs(step).max())
        if size <= SHORT:  # the loss is as good as a parabola: only rounding could tell it to rise
            weights = weights - step
        else:
            length = 1.0
            while (then := _loss(design, errors, penalty, weights - length * step)) > now and length > ENOUGH:
                length /= 2
            weights, now, size = weights - length * step, then, length * size
        if size <= ENOUGH * (1 + float(np.abs(weights).max())):
            break
    return weights


def _loss(design: Floats, errors: NDArray[np.bool_], penalty: Floats, weights: Floats) -> float:
    scores = design @ weights
    return float(np.logaddexp(0.0, scores).sum() - scores @ errors + weights @ (penalty * weights) / 2)


def _solved(bend: Float64[np.ndarray, "k k"], slope: Float64[np.ndarray, " k"]) -> Float64[np.ndarray, " k"]:
    _, found, singular = SOLVE(bend, slope)
    if not singular:
        return np.asarray(found)
    # Far off all chances are 0 or 1, and nothing bends along the intercept.
    return np.linalg.lstsq(bend, slope, rcond=None)[0]
