"""Reading rows for a claim: one value per network, a mean with its interval, a paired difference, an exact share."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from mistrust.errors import MistrustError
from mistrust.evaluation import intervals
from mistrust.publishing.shelf import Shelf, Table

LEVEL = 0.05  # one minus the confidence of every interval in rows
BETWEEN = ("models", "both")  # what `over` says of an interval that holds for other networks too
NOTHING = 1e-9  # what is smaller is rounding, and is written as 0


class NotRun(Exception):
    """The rows that a test asks for are not there; a `Test` turns it into the verdict *not run*."""


@dataclass(frozen=True)
class Estimate:
    """A value with its 95 % interval.

    Attributes
    ----------
    models : the number of networks that the interval covers, where it does.
    freedom : degrees of freedom of the interval, where they are not models - 1.
    least, most : the range that such values can have. Student's interval may leave it; what is written does not.
    """

    value: float
    low: float
    high: float
    models: int | None = None
    least: float = -np.inf
    most: float = np.inf
    freedom: float | None = None

    def p(self, bound: float) -> float:
        """Two-sided p-value of "the true value is `bound`", read back from the interval.

        The half of the interval that faces the bound gives the standard error (Altman and Bland, BMJ 2011, 343:d2090;
        Student's t with `freedom`, else with models - 1 degrees of freedom where models are counted), so p < 0.05
        exactly where the bound lies outside the interval.
        """
        half = self.value - self.low if bound < self.value else self.high - self.value
        if bound == self.value or math.isnan(half):  # a number without an interval tells nothing apart
            return 1.0
        if half <= 0:  # no spread at all, or a mean outside its own skewed interval
            return 1.0 if self.low <= bound <= self.high else 0.0
        df = self.freedom
        if df is None:
            df = self.models - 1 if self.models is not None and self.models > 1 else np.inf  # t(inf) is the normal law
        return float(2 * stats.t.sf(abs(self.value - bound) / half * _student(df), df))

    def of(self, what: str) -> str:
        """What the value is of, and the value with its interval: "accuracy = 0.981 [0.976, 0.986]"."""
        return f"{what} = {self}"

    def __str__(self) -> str:
        ends = [end for end in (self.low, self.high) if np.isfinite(end)]
        if len(ends) < 2:
            return f"{digits(self.value)[0]} (no interval between networks)"
        value, low, high = digits(self.value, *np.clip(ends, self.least, self.most).tolist())
        if ends[0] == ends[1]:  # which tells nothing of further ones
            return f"{value} (the same in all{f' {self.models}' if self.models else ''} networks)"
        return f"{value} [{low}, {high}]"


@dataclass(frozen=True)
class Share(Estimate):
    """A share of `n` things, its exact interval, and exact p-values that agree with it.

    Attributes
    ----------
    hits, n : in how many of how many.
    things : what they are ("images").
    worth : how many independent things they are worth; 0: nothing is known of others.
    clusters : what they come from, and from how many: "5 networks"; "" where they are independent.
    """

    hits: int = 0
    n: int = 0
    things: str = ""
    worth: float = 0.0
    clusters: str = ""

    def p(self, bound: float) -> float:
        """Twice the smaller tail of the binomial law with share `bound`: below 0.05 where the interval excludes it."""
        if not self.worth:
            return 1.0
        hits = self.hits * self.worth / self.n
        # The law's tails as incomplete beta functions, which take numbers that are not whole.
        tails = [
            stats.beta.sf(bound, hits + 1, self.worth - hits) if hits < self.worth else 1.0,
            stats.beta.cdf(bound, hits, self.worth - hits + 1) if hits > 0 else 1.0,
        ]
        return float(min(1.0, 2 * min(tails)))

    def of(self, what: str) -> str:
        """What is found, and in how many: "two tops in 15 of 15 images, share 1.00 [0.78, 1.00]"."""
        return f"{what} in {self}"

    def __str__(self) -> str:
        value, low, high = digits(self.value, self.low, self.high)
        of = f" of {self.clusters}" if self.clusters else ""
        return f"{self.hits} of {self.n} {self.things}{of}, share {value} [{low}, {high}]"


@cache  # of a few numbers of networks, thousands of times
def _student(df: float) -> float:
    """How many standard errors reach from a mean to either end of its interval."""
    return float(stats.t.ppf(1 - LEVEL / 2, df))


def share(found: Sequence[bool], things: str, of: Sequence[object] | None = None, called: str = "networks") -> Share:
    """Share of these things of which something is true.

    Parameters
    ----------
    things : what they are; independent, with Clopper and Pearson's interval, where nothing else is said.
    of : the network that each comes from, say: the interval is then `evaluation.clustered_share`'s.
    called : what `of` are.
    """
    told, by = np.asarray(found, dtype=bool), np.arange(len(found)) if of is None else np.asarray(of)
    exact = intervals.clustered_share(told, by)
    clusters = "" if of is None else f"{len(set(by.tolist()))} {called}"
    return Share(
        exact.value, exact.low, exact.high, hits=int(told.sum()), n=len(told), things=things,
        worth=intervals.worth_of(told, by), clusters=clusters,
    )  # fmt: skip


def digits(*numbers: float) -> list[str]:
    """Numbers to be read side by side: as many decimals as give the largest three digits, no powers of ten.

    One that would be written as 0 and is not keeps its first digit, for its sign may be what matters.
    """
    largest = float(f"{max(abs(number) for number in numbers):.3g}")
    places = max(0, 2 - math.floor(math.log10(largest))) if largest >= NOTHING else 0
    return [_written(number, places) for number in numbers]


def number(value: float) -> str:
    """A number by itself, three significant digits at most: "0.111", "5"."""
    (text,) = digits(value)
    return text.rstrip("0").rstrip(".") if "." in text else text


def _written(number: float, places: int) -> str:
    text = f"{number:.{places}f}"
    if float(text):
        return text
    return "0" if abs(number) < NOTHING else np.format_float_positional(float(f"{number:.1g}"), trim="-")


def between_models(values: Sequence[float], grain: float = 0.0, scale: str = "identity") -> Estimate:
    """Mean of one value per network, with Student's t interval; one network alone has no interval (infinite).

    Parameters
    ----------
    grain : the step of values that come in steps, 1 for counts. A few networks with the same small count are no proof
        that all have it: the standard deviation is taken as no less than that of rounding, grain / sqrt(12).
    scale : where the values are close to normal, see `mistrust.evaluation.between_models`.
    """
    found = intervals.between_models(np.asarray(values, dtype=np.float64), scale=scale)
    low, high = _interval(found.low, found.high)
    return _coarse(Estimate(found.value, low, high, found.n), grain)


class Reader:
    """Rows of one chapter with a memory of what was read; every way of reading raises `NotRun` where rows lack."""

    def __init__(self, rows: pd.DataFrame | Shelf, chapter: str) -> None:
        self._drawer = (rows if isinstance(rows, Shelf) else Shelf(rows)).chapter(chapter)
        self.frame = self._drawer.frame
        self._used = np.zeros(len(self.frame), dtype=bool)
        self._lacking: dict[str, None] = {}

    def used(self) -> pd.DataFrame:
        """The rows read so far, in the order of the frame."""
        return self.frame[self._used].reset_index(drop=True)

    def lacking(self) -> tuple[str, ...]:
        """The tables in which nothing of what was asked for was found, in the order of asking."""
        return tuple(self._lacking)

    def find(self, **where: Any) -> pd.DataFrame:
        """All rows with these values in these columns; may be none."""
        table, places = self._look(where)
        return table.frame.take(places)

    def _look(self, where: dict[str, Any]) -> tuple[Table, NDArray[np.intp]]:
        """Where the rows with these values are, and in which table; they count as read."""
        name = where.get("table")
        table = self._drawer.table(name) if isinstance(name, str) else self._drawer.whole
        places = table.places(where)
        self._used[table.lines[places]] = True
        if isinstance(name, str) and not len(places):
            self._lacking[name] = None
        return table, places

    def by_seed(self, **where: Any) -> "pd.Series[float]":
        """One value per network, indexed by its seed."""
        table, places = self._look(where)
        # Plain arrays: claims ask this thousands of times, and a frame of so few rows costs a millisecond.
        places = places[~np.isnan(table.seeds[places])]
        if not len(places):
            raise NotRun(_where(where) + ", by network")
        places = places[np.argsort(table.seeds[places], kind="stable")]
        seeds = table.seeds[places]
        if (seeds[1:] == seeds[:-1]).any():
            raise MistrustError(f"Several rows of one network where one was expected: {_where(where)}.")
        return pd.Series(table.values[places], index=pd.Index(seeds, name="seed"), name="value")

    def wide(self, *columns: str, **where: Any) -> pd.DataFrame:
        """One line per network (its seed); its columns are the values of these columns, tuples where they are several.

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

    def estimate(self, *, grain: float = 0.0, **where: Any) -> Estimate:
        """The mean over networks with its interval: the row without a seed, else made from the rows with one.

        A mean row counts where its interval is one between networks (`over`). That of one network alone keeps the
        interval over its images, which says nothing of other networks: then, and where there is no mean row, the rows
        of single networks make the interval.

        Parameters
        ----------
        grain : 1 for counts, see `between_models`.
        """
        found = self.find(**where)
        if found.empty:
            raise NotRun(_where(where))
        networks = int(found["seed"].nunique())
        mean = found[found["seed"].isna()]
        if len(mean) > 1:
            raise MistrustError(f"Several rows where one was expected: {_where(where)}.")
        between = mean["over"].isin(BETWEEN).any()
        if networks and not between:
            return between_models(self.by_seed(**where).to_list(), grain)
        value, low, high = (float(mean.iloc[0][name]) for name in ("value", "low", "high"))
        ends = _interval(low, high) if between else (-np.inf, np.inf)
        return _coarse(Estimate(value, *ends, networks or None), grain)


def _coarse(found: Estimate, grain: float) -> Estimate:
    """The same with an interval no narrower than values in steps of `grain` allow, see `between_models`."""
    if not grain or found.models is None or found.models < 2:
        return found
    half = float(_student(found.models - 1) * grain / np.sqrt(12 * found.models))
    return replace(found, low=min(found.low, found.value - half), high=max(found.high, found.value + half))


def difference(first: "pd.Series[float]", second: "pd.Series[float]", grain: float = 0.0) -> Estimate:
    """Mean difference of two values of the same networks, paired by seed, with Student's t interval."""
    if first.index.equals(second.index):  # as nearly always, and many times faster
        found = first.to_numpy() - second.to_numpy()
    else:
        both = first.index.intersection(second.index)
        found = first.loc[both].to_numpy() - second.loc[both].to_numpy()
    if len(found) == 0:
        raise NotRun("rows of the same networks on both sides")
    return between_models(found.tolist(), grain)


def _interval(low: float, high: float) -> tuple[float, float]:
    """A number without an interval decides nothing: its interval is the whole line."""
    return (-np.inf, np.inf) if np.isnan(low) or np.isnan(high) else (low, high)


def _where(where: dict[str, Any]) -> str:
    parts = {c: value if isinstance(value, (list, tuple)) else [value] for c, value in where.items()}
    return ", ".join(f"{column} {' or '.join(map(str, values))}" for column, values in parts.items())
