"""Adversarial distance first, then a model of error learned from its answers.

What Bennette, Maurer and Sisti (2020, section VII) propose, without saying how: "to prime methods that learn a
meta-model of classifier error". Here the model is a logistic regression on the residual, the logit of the confidence
and, where the pool has them, the features.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float64

from mistrust.errors import check_known
from mistrust.inputs.limits import whole, within
from mistrust.search.methods.chances import Chances
from mistrust.search.methods.orders import PAPER, Sorted, residuals
from mistrust.search.methods.table import AIMS, SEARCHES, Search, first_best
from mistrust.search.pool import CLOSEST, Pool
from mistrust.search.residual import FIT, FORM, FRACTION


@dataclass
class Primed:
    """The search under way.

    Attributes
    ----------
    order : of the residuals, which is followed at first, and until both answers were seen.
    first : for how many questions.
    chances : the model.
    odds : (n,) what the chance of an error is divided by.
    """

    order: Sorted
    first: int
    chances: Chances
    odds: Float64[np.ndarray, " n"]

    def choose(self, left: Bool[np.ndarray, " n"]) -> int:
        """Follow the order, then the model."""
        phi = self.chances.of_error() if self.chances.asked >= self.first else None
        return self.order.choose(left) if phi is None else first_best(phi / self.odds, left)

    def learn(self, row: int, error: bool) -> None:
        """Take the answer into the model."""
        self.chances.learn(row, error)


def primed(
    pool: Pool,
    *,
    first: int = 15,
    aim: Literal["sdr", "errors"] = "sdr",
    ridge: float = 1.0,
    fraction: float = FRACTION,
    iterations: int | None = None,
    form: str = FORM,
    fit: str = FIT,
    delta: float = 0.0,
) -> Primed:
    """Residuals first, then a model.

    Parameters
    ----------
    pool : with distances or residuals.
    first : questions before the model is asked (the m of facts and text: `m` is read, too).
    aim : "sdr": the largest chance of an error over the expected one, 1 - c; "errors": the largest chance.
    ridge : see `Chances`.
    fraction, iterations, form, fit, delta : of the residual; see `orders.adversarial_distance`.
    """
    check_known("aim", aim, AIMS)
    keys = residuals(pool, fraction, iterations, form, fit, delta)
    wrong = np.maximum(1.0 - pool.confidence, CLOSEST)
    columns = [keys, np.log(pool.confidence / wrong)]
    if pool.features is not None:
        columns += list(pool.features.T)
    odds = wrong if aim == "sdr" else np.ones(len(pool))
    model = Chances(np.column_stack(columns), within("ridge", ridge, 1e-6))
    return Primed(Sorted(keys), whole("first", first, 1), model, odds)


SEARCHES.add(
    "adversarial_distance_then_model",
    Search(
        "Adversarial Distance, then a model",
        f"{PAPER}, section VII",
        primed,
        reads=("residual", "features"),
        shares=True,
    ),
)
