"""A model of error, learned from the answers so far: logistic regression with a ridge."""

from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Bool, Float64
from scipy.special import expit

# Newton's steps: the ridge makes the sum strictly convex, and steps are kept short, so that few are ever needed.
STEPS = 100
ENOUGH = 1e-12


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

    def __post_init__(self) -> None:
        spread = self.values.std(0)
        self.values = (self.values - self.values.mean(0)) / np.where(spread > 0, spread, 1.0)

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
        intercept, *weights = logistic(self.values[self.rows], np.array(self.errors), self.ridge)
        return expit(intercept + self.values @ np.array(weights))


def logistic(
    values: Float64[np.ndarray, "m columns"], errors: Bool[np.ndarray, " m"], ridge: float
) -> Float64[np.ndarray, " columns+1"]:
    """Intercept and weights that minimise sum of log losses + ridge / 2 |w|^2, by Newton's method to the last digits.

    A search fits one a question and a simulated null one a question of each of a thousand oracles: a library's
    checks would take far longer than its fit. Both answers must be among `errors`.
    """
    design = np.column_stack([np.ones(len(values)), values])
    penalty = np.r_[0.0, np.full(values.shape[1], ridge)]
    weights = np.zeros(design.shape[1])

    def loss(at: Float64[np.ndarray, " columns+1"]) -> float:
        scores = design @ at
        return float(np.logaddexp(0.0, scores).sum() - scores @ errors + at @ (penalty * at) / 2)

    now = loss(weights)
    for _ in range(STEPS):
        chance = expit(design @ weights)
        slope = design.T @ (chance - errors) + penalty * weights
        bend = (design.T * (chance * (1 - chance))) @ design + np.diag(penalty)
        step = np.linalg.lstsq(bend, slope, rcond=None)[0]
        length = 1.0
        while (then := loss(weights - length * step)) > now and length > ENOUGH:
            length /= 2
        weights, now = weights - length * step, then
        if np.abs(length * step).max() <= ENOUGH * (1 + np.abs(weights).max()):
            break
    return weights
