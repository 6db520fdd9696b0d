"""How well queries cover the pool: measured on the pool, and on the wrong rows of a distance matrix, as published."""

from collections.abc import Sequence

import pandas as pd

from mistrust.figures.dots import dot, marks, name_lines, value_of
from mistrust.figures.parts import means, numbers, one_of, some
from mistrust.figures.search.held import of, of_authors, queries, wanted
from mistrust.figures.search.parts import (
    colour,
    conditions_in,
    data_in,
    in_order,
    marker,
    short,
    strongest,
    told,
    words,
)
from mistrust.figures.style import Picture, figure, legend_beneath, picture, style
from mistrust.figures.told import extremes
from mistrust.figures.written import interval

ALIGNED, MISALIGNED = "spread", "misaligned spread"
_LINE = 0.36  # inches
_WHAT = "spread of the queries"


def spread(
    rows: pd.DataFrame,
    methods: Sequence[str] | None = None,
    *,
    level: float | None = None,
    table: str = "searches",
    data: str | None = None,
    condition: str | None = None,
    at: str | None = None,
    caption: str = "",
) -> Picture:
    """Draw the mean distance of the pool to its nearest query, per method: right (filled), as published (hollow).

    Parameters
    ----------
    rows : rows of the chapter, with the table "searches" or "authors" (level = queries; metrics spread and misaligned
        spread). A method without the one has the other alone.
    methods : which, in this order; None for all.
    level : queries; None for the most that rows have.
    table : "searches", of our own pools, or "authors", of the paper's authors.
    data, at : which image set and critical class; None for the first.
    condition : which; None for the strongest dose of the first mechanism.

    Raises
    ------
    MistrustError
        There are no such rows, or another table.

    Examples
    --------
    >>> from mistrust import rows
    >>> both = [{"metric": "spread", "value": 0.12}, {"metric": "misaligned spread", "value": 0.135}]
    >>> held = rows.table(both, table="authors", data="kaggle13", method="random", level=50)
    >>> print(spread(held, table="authors").alt.partition("covered. ")[2])
    Random aligned 0.120, as published 0.135.
    """
    level = queries(rows, table, level)
    one_of(table, ("searches", "authors"), _WHAT)
    where = {"metric": [ALIGNED, MISALIGNED], "level": level}
    if table == "authors":
        held = of_authors(rows, _WHAT, data=data, **where)
        of_what = f"the authors' rows of {words(str(held['data'].iloc[0]))}"
        head = of_what[0].upper() + of_what[1:]
    else:
        held = of(rows, table, _WHAT, data=data, at=at, **where)
        held = held[held["data"] == data_in(held["data"])[0]]
        there = conditions_in(held["condition"])
        held = held[held["condition"] == one_of(condition or strongest(there), there, _WHAT)]
        first = held.iloc[0]
        of_what = f"{words(first['data'])} ({told(first['condition'])}; critical class {first['at']})"
        head = f"{told(first['condition'])}\ncritical class {first['at']}"
    names = wanted(methods, in_order(held["method"]), _WHAT)
    some(names, _WHAT)
    said: list[str] = []
    covered: dict[str, float] = {}
    with style():
        drawn = figure(_LINE * len(names) + 1.6)
        axes = drawn.subplots()
        for y, name in enumerate(names):
            look = {"colour": colour(name), "marker": marker(name)}
            each: list[str] = []
            for metric, up, title in ((ALIGNED, -0.17, "aligned"), (MISALIGNED, 0.17, "as published")):
                own = held[(held["method"] == name) & (held["metric"] == metric)]
                dot(axes, own, y + up, hollow=metric == MISALIGNED, **look)
                if metric == ALIGNED:
                    covered[words(name)] = value_of(own)
                each += [f"{title} {interval(*one, write='{:.3f}'.format)}"
                         for one in numbers(means(own)[["value", "low", "high"]])]  # fmt: skip
            said.append(f"{words(name)} {', '.join(each)}")
        for face, title in (("#444444", "aligned"), ("white", "misaligned, as published")):
            axes.plot([], [], "o", color="#444444", mfc=face, mew=1.5, ms=7, label=title)
        name_lines(axes, [(y, short(name), False) for y, name in enumerate(names)])
        axes.margins(x=0.08)
        axes.set_xlabel("mean distance to the nearest query")
        drawn.suptitle(head, fontsize=12)
        legend_beneath(drawn, ncols=2, handletextpad=0.2)
        alt = (
            f"Dot plot of the spread of {level:.0f} queries on {of_what}: mean distance of the pool to the nearest "
            f"query, as a share of the pool's largest distance; smaller is better covered. "
            f"{extremes(covered, '{:.3f}'.format, 'Aligned, it')}{'; '.join(said)}."
        )
        return picture(drawn, alt, f"{caption} {marks(held)}".strip(), "fig-spread", held)
