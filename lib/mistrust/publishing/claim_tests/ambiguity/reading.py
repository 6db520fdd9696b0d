"""What the claims of the AmbiGuess chapter share: which data they speak of, and how its rows are read."""

from collections.abc import Callable, Sequence
from math import hypot, isnan
from typing import Any

import numpy as np
import pandas as pd

from mistrust.errors import MistrustError
from mistrust.publishing.estimates import Estimate, NotRun, Reader
from mistrust.publishing.verdicts import Verdict, every

CHAPTER = "ambiguity"
MNIST, FASHION = "mnist", "fmnist"
# The paper's two sets by their names in rows, as a reader calls them.
TITLES = {MNIST: "MNIST", FASHION: "Fashion-MNIST"}
AMBIGUOUS = "ambiguous/ambiguess"
# Those of the paper: a mean over architectures is over these, whatever else was trained.
ARCHITECTURES = ("ambiguess-conv", "ambiguess-fc", "resnet50-v1", "densenet-se")
# As far as the grid of the authors' code reaches where the classes do not differ, in standard deviations.
REACH = 5.0


def on_both(part: Callable[[str, str], Verdict], evidence: str = "") -> Verdict:
    """What is said of both data sets: `part` gets the name of one and how a reader calls it."""
    return every([part(data, title) for data, title in TITLES.items()], evidence)


def accuracy(rows: Reader, data: str, condition: str, metric: str, method: str = "mixed") -> "pd.Series[float]":
    """One number of Table I by seed, each the mean over architectures."""
    return rows.by_seed(
        table="performance", data=data, network="all", method=method, condition=condition, metric=metric
    )


def printed_as(rows: Reader, data: str, condition: str, metric: str, method: str = "mixed") -> Estimate:
    """One number of Table I: the mean over architectures and networks, with its interval."""
    return rows.estimate(
        table="performance", data=data, network="all", method=method, condition=condition, metric=metric
    )


def networks(rows: Reader, **where: Any) -> "pd.Series[float]":
    """One number per network, by the paper's architectures and seed: of few seeds, they make more pairs."""
    found = rows.find(network=list(ARCHITECTURES), **where)
    single = found[found["seed"].notna()]
    if single.empty:
        raise NotRun(_where(where) + ", by network")
    if single.duplicated(["network", "seed"]).any():
        raise MistrustError(f"Several rows of one network where one was expected: {_where(where)}.")
    return single.set_index(["network", "seed"])["value"].sort_index()


def stated(rows: Reader, *, least: float = -np.inf, most: float = np.inf, **where: Any) -> Estimate:
    """The one row that there is, with the interval that it has itself, be it over images or over autoencoders.

    For what is measured on one set of images by judges that are the same throughout: the interval says what other
    images of the kind would give, not other judges.

    Parameters
    ----------
    least, most : the range that such values can have.
    """
    found = rows.find(**where)
    found = found[found["seed"].isna()]
    if found.empty:
        raise NotRun(_where(where))
    if len(found) > 1:
        raise MistrustError(f"Several rows where one was expected: {_where(where)}.")
    value, low, high = (float(found.iloc[0][name]) for name in ("value", "low", "high"))
    if isnan(low) or isnan(high):
        low, high = -np.inf, np.inf
    return Estimate(value, low, high, least=least, most=most)


def number(rows: Reader, **where: Any) -> float:
    """The value of the one row that there is, taken as known exactly."""
    return stated(rows, **where).value


def apart(first: Estimate, second: Estimate) -> Estimate:
    """The difference of two estimates that know nothing of each other, by their intervals (Newcombe, 1998)."""
    value = first.value - second.value
    low = value - hypot(first.value - first.low, second.high - second.value)
    return Estimate(value, low, value + hypot(first.high - first.value, second.value - second.low))


def latent(at: Sequence[str]) -> pd.DataFrame:
    """Cells like "z0=-0.96,z1=4.80" as numbers: one line per cell, one column per latent axis."""
    points = [dict(part.split("=") for part in one.split(",")) for one in at]
    return pd.DataFrame(points).astype(float)


def _where(where: dict[str, Any]) -> str:
    return ", ".join(f"{column} {TITLES.get(str(value), value)}" for column, value in where.items())
