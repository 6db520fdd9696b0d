"""What the figures of all chapters share: rows by network, names in their order, lines of networks."""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from mistrust.errors import NoRows

# What makes a row that row, the seed left out.
_SAME = ["table", "data", "network", "method", "condition", "level", "at", "metric"]
GREY = "#777777"  # what stands back: other bars, single networks of a crowded panel


def some(found: object, what: str) -> None:
    """Refuse to draw nothing.

    Raises
    ------
    NoRows
        There are no rows; `what` names them.
    """
    if len(found) == 0:  # type: ignore[arg-type]
        raise NoRows(f"There are no rows for the {what}: run the chapter, or leave the figure out.")


def by_network(found: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Give the rows of the mean over networks, and those of single networks.

    Where the rows hold no mean, it is taken here, without an interval.
    """
    mean, single = found[found["seed"].isna()], found[found["seed"].notna()]
    if mean.empty and len(single):
        same = ["table", "data", "network", "method", "condition", "level", "at", "metric"]
        values = single.groupby(same, dropna=False)["value"].transform("mean")
        nothing = {column: float("nan") for column in ("seed", "low", "high")}
        mean = single.assign(value=values, **nothing).drop_duplicates(same)
    return mean, single


def of_network(found: pd.DataFrame, seed: int | None) -> pd.DataFrame:
    """Give the rows of the network with that seed; of the mean over networks for None."""
    return by_network(found)[0] if seed is None else found[found["seed"] == seed]


def class_names(names: Iterable[str]) -> list[str]:
    """Put class names in order. Rows keep none: numbers stand by size, names by the alphabet."""
    return sorted(set(names), key=lambda name: (not name.isdigit(), int(name) if name.isdigit() else 0, name))


def numbers_at(found: pd.DataFrame, key: str) -> pd.DataFrame:
    """Give the rows whose `at` is "key=number", sorted by it, with the number in a column named by the key."""
    here = found[found["at"].str.startswith(f"{key}=")]
    return here.assign(**{key: here["at"].str.removeprefix(f"{key}=").astype(float)}).sort_values(key)


def network_lines(
    axes: Axes,
    found: pd.DataFrame,
    x: str,
    *,
    colour: str,
    marker: str | None = None,
    dashes: str = "-",
    percent: bool = True,
    label: str | None = None,
) -> pd.DataFrame:
    """Draw each network as a thin line, their mean as a bold one, and the mean's interval, where it has one, as a band.

    Parameters
    ----------
    axes : where to draw.
    found : rows of one thing: one line per network.
    x : the column across.
    percent : whether values are shares, to be shown in per cent.
    label : the mean's name in a legend.

    Returns
    -------
    The mean's rows, sorted by `x`.
    """
    scale = 100 if percent else 1
    mean, single = (rows.sort_values(x) for rows in by_network(found))
    for _, line in single.groupby("seed"):
        axes.plot(line[x], scale * line["value"], color=colour, lw=0.8, alpha=0.45, ls=dashes)
    axes.fill_between(mean[x], scale * mean["low"], scale * mean["high"], color=colour, alpha=0.15, lw=0)
    point = (marker or "o") if len(mean) == 1 else marker  # a line of one place would not be seen
    shown = {"marker": point, "ms": 5, "label": label}
    axes.plot(mean[x], scale * mean["value"], color=colour, lw=2.5, ls=dashes, **shown)
    return mean


def and_so_on(words: Iterable[str]) -> str:
    """Join words with commas and a last "and"."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def values_of(column: pd.Series) -> NDArray[np.float64]:
    """Give the different values of a column in the order of the rows."""
    return np.asarray(column.drop_duplicates(), dtype=np.float64)


def numbers(values: ArrayLike | pd.DataFrame) -> NDArray[np.float64]:
    """Give a column, or several, as an array of float64."""
    return np.asarray(values, dtype=np.float64)


def one_of(name: str | None, there: Sequence[str], what: str) -> str:
    """Give a name that is there; the first for None; refuse another."""
    if name is not None and name not in there:
        raise NoRows(f"There are no rows of '{name}' for the {what}; there are {', '.join(there)}.")
    return name or there[0]


def sorted_rows(found: pd.DataFrame) -> pd.DataFrame:
    """Give rows in an order of their own, so that the same rows make the same picture however they come."""
    return found.sort_values([*_SAME, "seed"], kind="stable")


def means(found: pd.DataFrame) -> pd.DataFrame:
    """Give one row a thing: the mean over seeds that the rows hold, else one taken here, without an interval.

    A network that is alone keeps the interval that it has over its images.
    """
    held, single = found[found["seed"].isna()], singles(found)
    if single.empty:
        return held
    there, keys = set(_things(held)), _things(single)
    missing = [key not in there for key in keys]
    if not any(missing):
        return held
    taken = _mean_of_one(single) if len(set(keys)) == 1 else _mean_of_each(single[missing])
    return pd.concat([one for one in (held, taken) if len(one)])


def _things(found: pd.DataFrame) -> list[tuple[object, ...]]:
    """Give what each row is of, the seed left out."""
    columns = (found[name].fillna(-1) if name == "level" else found[name] for name in _SAME)
    return list(zip(*(column.to_numpy().tolist() for column in columns), strict=True))


def _mean_of_one(single: pd.DataFrame) -> pd.DataFrame:
    """Give the mean over the seeds of one thing: what `_mean_of_each` gives, without its search for groups."""
    left = single.sort_values("seed", kind="stable")
    mean = left.groupby(np.zeros(len(left)))["value"].mean()  # summed as groups are, to the last digit
    first = left.iloc[:1].assign(value=mean.to_numpy(), seed=np.nan)
    return first.assign(low=np.nan, high=np.nan) if len(left) > 1 else first


def _mean_of_each(single: pd.DataFrame) -> pd.DataFrame:
    """Give the mean over the seeds of each thing."""
    left = single.sort_values([*_SAME, "seed"], kind="stable")
    groups = left.groupby(_SAME, dropna=False)["value"]
    several = groups.transform("size") > 1
    taken = left.assign(value=groups.transform("mean"), seed=np.nan)
    taken[["low", "high"]] = taken[["low", "high"]].where(~several, np.nan)
    return taken.drop_duplicates(_SAME)


def singles(found: pd.DataFrame) -> pd.DataFrame:
    """Give the rows of single networks."""
    return found[found["seed"].notna()]
