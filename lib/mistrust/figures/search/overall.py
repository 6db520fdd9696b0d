"""The lift of every search over all panels: is the adversarial distance special?"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mistrust.errors import check_known
from mistrust.figures.dots import name_lines
from mistrust.figures.parts import GREY, and_so_on, numbers, one_of, some
from mistrust.figures.search.held import queries, wanted
from mistrust.figures.search.lifts import GUIDES, LEGEND, interval, limits, log_axis, mark, shade, title
from mistrust.figures.search.parts import (
    AD,
    BESIDE,
    EVERY,
    colour,
    in_order,
    is_control,
    marker,
    short,
    words,
)
from mistrust.figures.style import Picture, figure, legend_beneath, picture, style
from mistrust.rows import select

_LINE = 0.34  # inches
_METRICS = ("lift", "matched lift")


def overall(
    rows: pd.DataFrame, metric: str = "lift", level: float | None = None, *, condition: str = EVERY,
    methods: Sequence[str] | None = None, caption: str = "",
) -> Picture:  # fmt: skip
    """Draw the lift of each search, pooled over panels, with its interval; the residual of other scores among them.

    Parameters
    ----------
    rows : rows of the chapter, with the table "overall". Where that has none, since no condition has five models that
        pass every gate, the means of each condition with the mechanism ("searches") stand for it: grey ticks, and
        their mean as an empty mark, without an interval.
    metric : "lift" or "matched lift".
    level : queries; None for the most that rows have.
    condition : "all", or a mechanism in rows ("gray").
    methods : which; None for all.

    Raises
    ------
    MistrustError
        An unknown metric; there are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> lifts = {"adversarial_distance": (1.5, 1.2, 1.9), "random": (1.0, 0.9, 1.1)}
    >>> records = [{"method": one, "value": v, "low": low, "high": high} for one, (v, low, high) in lifts.items()]
    >>> held = rows.table(records, table="overall", metric="lift", condition="all", level=50, n=10)
    >>> print(overall(held).alt.partition("no lift. ")[2])
    Adversarial Distance 1.50 (1.20 to 1.90); Random 1.00 (0.90 to 1.10).
    """
    level = queries(rows, "searches", level)
    what = f"lift over panels at {level:g} queries"
    check_known("lift over panels", metric, _METRICS)
    held = select(rows, table="overall", metric=metric, level=level)
    single = held[:0]
    if held.empty:
        single = _by_condition(rows, metric, level, condition)
        some(single, what)
        held = single.groupby("method", as_index=False)[["value"]].mean().assign(low=np.nan, high=np.nan)
    else:
        held = held[held["condition"] == one_of(condition, sorted(set(held["condition"])), what)]
    names = wanted(methods, in_order(held["method"]), what)
    lifts = numbers(held.set_index("method").loc[names, ["value", "low", "high"]])
    beside = {name: numbers(single[single["method"] == name]["value"]) for name in names}
    with style():
        drawn = figure(_LINE * len(names) + 1.6)
        axes = drawn.subplots()
        alone = np.concatenate(list(beside.values()))
        ends = limits(np.concatenate([lifts, np.column_stack([alone, alone, alone])]))
        for y, (name, lift) in enumerate(zip(names, lifts, strict=True)):
            axes.plot(beside[name], np.full(len(beside[name]), y), "|", color=GREY, ms=8, mew=1.3, zorder=2)
            mark(axes, lift, y, ends, color=colour(name), marker=marker(name), hollow=len(single) > 0)
        shade(axes)
        if len(single):
            axes.plot([], [], "|", ls="", color=GREY, ms=8, mew=1.3, label="one condition")
        name_lines(axes, [(float(y), short(name), name == AD) for y, name in enumerate(names)])
        log_axis(axes, *ends)
        axes.set_xlabel(f"{title(metric)}, {level:g} queries")
        legend_beneath(drawn, ncols=2, **LEGEND)
        each = "; ".join(f"{words(name)} {interval(*lift)}" for name, lift in zip(names, lifts, strict=True))
        alt = (
            f"Dot plot of the {title(metric)} of {len(names)} searches after {level:g} queries; "
            f"{words(condition).lower()}, {_source(held, single)}. {_ranked(names, lifts[:, 0])}{GUIDES} {each}."
        )
        return picture(drawn, alt, caption, f"fig-overall{'-matched' if metric != 'lift' else ''}")


def _by_condition(rows: pd.DataFrame, metric: str, level: float, condition: str) -> pd.DataFrame:
    """Give the mean lift of each search over models and both classes, one row per condition with the mechanism."""
    found = select(rows, table="searches", metric=metric, level=level)
    found = found[found["seed"].notna()]
    found = found[found["condition"].map(_treated).astype(bool)]
    if condition != EVERY:
        found = found[found["condition"].str.partition("/")[0] == condition]
    return found.groupby(["method", "condition"], as_index=False)[["value"]].mean()


def _treated(condition: str) -> bool:
    return not is_control(condition) and condition not in BESIDE


def _source(held: pd.DataFrame, single: pd.DataFrame) -> str:
    if single.empty:
        return f"pooled over panels that pass every gate, {held['n'].max():g} models, with 95% intervals"
    count = single["condition"].nunique()
    return (
        f"means of {f'{count} conditions' if count > 1 else 'one condition'}, without an interval, since no condition "
        "has five models that pass every gate"
    )


def _ranked(names: list[str], lifts: NDArray[np.float64]) -> str:
    """Say which searches do as well as Adversarial Distance, by the value alone."""
    if AD not in names or len(names) < 2:
        return ""
    own = lifts[names.index(AD)]
    above = [words(name) for name, lift in zip(names, lifts, strict=True) if name != AD and lift >= own]
    listed = (and_so_on(above) if len(above) < 4 else f"{len(above)} of {len(names) - 1} others") if above else "none"
    return f"As high as Adversarial Distance or higher: {listed}. "
