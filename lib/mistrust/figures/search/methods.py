"""What each search finds (Figures 5 to 7): one line per method, one panel per measure, single models as ticks."""

from collections.abc import Callable, Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from mistrust.figures.dots import dot, estimate, marks, name_lines, value_of
from mistrust.figures.parts import and_so_on, one_of, some
from mistrust.figures.search.held import of, of_authors, queries, wanted
from mistrust.figures.search.parts import (
    AD,
    colour,
    conditions_in,
    in_order,
    marker,
    short,
    strongest,
    told,
    words,
)
from mistrust.figures.style import Picture, figure, picture, style
from mistrust.figures.told import extremes
from mistrust.figures.written import two

_LINE = 0.3  # inches
# Beneath a narrow panel; what is not named here breaks at every blank.
_TITLES = {
    "errors": "errors\nfound",
    "sure errors": "errors of\nconfidence\nabove 0.9",
    "confidence": "mean\nconfidence",
    "utility": "utility",
    "lift": "lift",
    "matched lift": "lift at\nequal\nconfidence",
    "misaligned spread": "spread as\npublished",
    "mean of ratios": "mean of\nratios",
}


def methods(
    rows: pd.DataFrame, metrics: Sequence[str] = ("errors", "confidence", "utility"), level: float | None = None, *,
    table: str = "searches", data: str | None = None, condition: str | None = None, at: str | None = None,
    methods: Sequence[str] | None = None, caption: str = "",
) -> Picture:  # fmt: skip
    """Draw measures of each search after some queries: the mean over models, its interval, single models as ticks.

    Parameters
    ----------
    rows : rows of the chapter, with the table "searches" or "authors".
    metrics : of that table, one panel each, in this order; not more than fit beside each other (three).
    level : queries; None for the most that rows have.
    table : "searches", of our own pools, or "authors", of the paper's authors, who left neither condition nor class.
    data : which image set; None for the first.
    condition : which; None for the strongest dose of the first mechanism.
    at : the critical class; None for the paper's, else the first.
    methods : which; None for all.

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = {"adversarial_distance": 12, "random": 7}
    >>> errors = [{"method": name, "metric": "errors", "value": value} for name, value in found.items()]
    >>> held = rows.table(errors, table="searches", condition="biased/25", at="cat", level=50)
    >>> print(methods(held).alt.partition("class cat. ")[2].partition("7.0). ")[2])
    Errors found: Adversarial Distance 12.0; Random 7.0.
    """
    level = queries(rows, table, level)
    what = f"searches after {level:g} queries"
    one_of(table, ("searches", "authors"), what)
    if table == "authors":
        held = of_authors(rows, what, data=data, level=level, metric=list(metrics))
        where = f"the authors' rows of {words(str(held['data'].iloc[0]))}"
        head = where[0].upper() + where[1:]
    else:
        held = of(rows, table, what, data=data, at=at, level=level, metric=list(metrics))
        there = conditions_in(held["condition"])
        held = held[held["condition"] == one_of(condition or strongest(there), there, what)]
        # Of an image set, where several have the condition.
        held = held[held["data"] == held["data"].iloc[0]]
        name, critical = told(str(held["condition"].iloc[0])), f"critical class {held['at'].iloc[0]}"
        where, head = f"{name}, {critical}", f"{name}\n{critical}"
    names = wanted(methods, in_order(held["method"]), what)
    held = held[held["method"].isin(names)]
    shown = [one for one in metrics if one in set(held["metric"])]
    some(shown, what)
    with style():
        drawn = figure(_LINE * len(names) + 1.75)
        panels = drawn.subplots(1, len(shown), squeeze=False, sharey=True)[0]
        said = []
        for axes, metric in zip(panels, shown, strict=True):
            own = held[held["metric"] == metric]
            write = writing(own)
            for y, one in enumerate(names):
                dot(axes, own[own["method"] == one], y, colour=colour(one), marker=marker(one))
            _finish(axes, metric)
            each = "; ".join(f"{words(one)} {estimate(own[own['method'] == one], write)}" for one in names)
            said.append(f"{words(metric)[0].upper()}{words(metric)[1:]}: {each}.")
        name_lines(panels[0], [(float(y), short(one), False) for y, one in enumerate(names)])
        for tick, one in zip(panels[0].get_yticklabels(), names, strict=True):
            tick.set(weight="bold" if one == AD else "normal")
        for axes in panels[1:]:
            axes.spines["left"].set_visible(False)
            axes.tick_params(axis="y", length=0)
        drawn.suptitle(head, fontsize=12)
        alt = (
            f"Dot plots of {and_so_on(words(one) for one in shown)} after {level:g} queries, by search; {where}. "
            f"{_first(held, shown[0], names)}{' '.join(said)}"
        )
        return picture(drawn, alt, f"{caption} {marks(held)}".strip(), "fig-methods", held)


def _first(held: pd.DataFrame, metric: str, names: Sequence[str]) -> str:
    """Say which search has most of the first measure, and which least."""
    own = held[held["metric"] == metric]
    values = {words(one): value_of(own[own["method"] == one]) for one in names}
    title = words(metric)
    return extremes(values, writing(own), f"The number of {title}" if metric == "errors" else f"The {title}")


def writing(own: pd.DataFrame) -> Callable[[float], str]:
    """Give how numbers are written: with one decimal where they reach 10, else with two, small ones with three."""
    most = float(own["value"].abs().max())
    return "{:.1f}".format if most >= 10 else two if most >= 0.5 else "{:.3f}".format


def _finish(axes: Axes, metric: str) -> None:
    axes.set_xlabel(_TITLES.get(metric, words(metric).replace(" ", "\n")), fontsize=11.5)
    axes.margins(x=0.1)
    if metric != "confidence":
        axes.set_xlim(0, axes.get_xlim()[1])
    axes.xaxis.set_major_locator(MaxNLocator(2, min_n_ticks=2))
