"""Reading rows for a claim: one value a network, a mean with its interval, a paired difference."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from mistrust import rows as tidy
from mistrust.errors import MistrustError
from mistrust.evaluation import intervals

LEVEL = 0.05  # one minus the confidence of every interval in rows


class NotRun(Exception):
    """The rows that a test asks for are not there; a `Test` turns it into the verdict *not run*."""


@dataclass(frozen=True)
class Estimate:
    """A value with its 95 % interval. `models` is the number of networks that the interval covers, where it does."""

    value: float
    low: float
    high: float
    models: int | None = None

    def p(self, bound: float) -> float:
        """Two-sided p-value of "the true value is `bound`", read back from the interval.

        The half of the interval that faces the bound gives the standard error (Altman and Bland, BMJ 2011, 343:d2090;
        Student's t with models - 1 degrees of freedom where models are counted), so p < 0.05 exactly where the bound
        lies outside the interval.
        """
        half = self.value - self.low if bound < self.value else self.high - self.value
        if bound == self.value:
            return 1.0
        if half <= 0:  # no spread at all, or a mean outside its own skewed interval
            return 1.0 if self.low <= bound <= self.high else 0.0
        df = self.models - 1 if self.models is not None and self.models > 1 else np.inf  # t(inf) is the normal law
        return float(2 * stats.t.sf(abs(self.value - bound) / half * stats.t.ppf(1 - LEVEL / 2, df), df))

    def __str__(self) -> str:
        return f"{self.value:.4g} [{self.low:.4g}, {self.high:.4g}]"


def between_models(values: Sequence[float], grain: float = 0.0) -> Estimate:
    """Mean of one value a network, with Student's t interval; one network alone has no interval (infinite).

    Parameters
    ----------
    grain : the step of values that come in steps, 1 for counts. A few networks with the same small count are no proof
        that all have it: the standard deviation is taken as no less than that of rounding, grain / sqrt(12).
    """
    found = intervals.between_models(np.asarray(values, dtype=np.float64))
    low, high = _interval(found.low, found.high)
    if found.n > 1:
        least = stats.t.ppf(1 - LEVEL / 2, found.n - 1) * grain / np.sqrt(12 * found.n)
        low, high = min(low, found.value - least), max(high, found.value + least)
    return Estimate(found.value, float(low), float(high), found.n)


class Reader:
    """Rows of one chapter with a memory of what was read; every way of reading raises `NotRun` where rows lack."""

    def __init__(self, frame: pd.DataFrame, chapter: str) -> None:
        self.frame = frame[frame["chapter"] == chapter]
        self._used: list[Any] = []

    def used(self) -> pd.DataFrame:
        """The rows read so far, in the order of the frame."""
        return self.frame.loc[self.frame.index.isin(self._used)].reset_index(drop=True)

    def find(self, **where: Any) -> pd.DataFrame:
        """All rows with these values in these columns; may be none."""
        found = tidy.select(self.frame, **where)
        self._used.extend(found.index)
        return found

    def by_seed(self, **where: Any) -> "pd.Series[float]":
        """One value a network, indexed by its seed."""
        found = self.find(**where)
        found = found[found["seed"].notna()]
        if found.empty:
            raise NotRun(_where(where) + ", by network")
        if found["seed"].duplicated().any():
            raise MistrustError(f"Several rows of one network where one was expected: {_where(where)}.")
        return found.set_index("seed")["value"].sort_index()

    def wide(self, *columns: str, **where: Any) -> pd.DataFrame:
        """One line a network (its seed); its columns are the values of these columns, tuples where they are several.

        The mean rows, which have no seed, are left out; a network that lacks a value has NaN there.
        """
        found = self.find(**where)
        single = found[found["seed"].notna()]
        if single.empty:
            raise NotRun(_where(where) + ", by network")
        if single.duplicated(["seed", *columns]).any():
            raise MistrustError(f"Several rows of one network where one was expected: {_where(where)}.")
        # A list of two columns or more gives tuples, one column its plain values.
        heads = list(columns) if len(columns) > 1 else columns[0]
        return single.pivot(index="seed", columns=heads, values="value").sort_index()

    def estimate(self, **where: Any) -> Estimate:
        """The mean over networks with its interval: the row without a seed, else made from the rows with one."""
        found = self.find(**where)
        if found.empty:
            raise NotRun(_where(where))
        networks = int(found["seed"].nunique())
        mean = found[found["seed"].isna()]
        if mean.empty:
            return between_models(self.by_seed(**where).to_list())
        if len(mean) > 1:
            raise MistrustError(f"Several rows where one was expected: {_where(where)}.")
        value, low, high = (float(mean.iloc[0][name]) for name in ("value", "low", "high"))
        return Estimate(value, *_interval(low, high), networks or None)


def difference(first: "pd.Series[float]", second: "pd.Series[float]", grain: float = 0.0) -> Estimate:
    """Mean difference of two values of the same networks, paired by seed, with Student's t interval."""
    both = first.index.intersection(second.index)
    if len(both) == 0:
        raise NotRun("rows of the same networks on both sides")
    return between_models((first.loc[both] - second.loc[both]).to_list(), grain)


def _interval(low: float, high: float) -> tuple[float, float]:
    """A number without an interval decides nothing: its interval is the whole line."""
    return (-np.inf, np.inf) if np.isnan(low) or np.isnan(high) else (low, high)


def _where(where: dict[str, Any]) -> str:
    parts = {c: value if isinstance(value, (list, tuple)) else [value] for c, value in where.items()}
    return ", ".join(f"{column} {' or '.join(map(str, values))}" for column, values in parts.items())
