"""How sure the queries of each search are (Figure 7): a box plot, from quantiles."""

from collections.abc import Sequence

import pandas as pd

from mistrust.figures.dots import name_lines
from mistrust.figures.parts import one_of, some
from mistrust.figures.search.held import of, wanted
from mistrust.figures.search.parts import colour, conditions_in, in_order, short, strongest, told, words
from mistrust.figures.style import Picture, figure, picture, style
from mistrust.figures.told import extremes
from mistrust.figures.written import two

_LINE = 0.3  # inches
_WHAT = "confidences of queries"
_PARTS = {0.05: "whislo", 0.25: "q1", 0.5: "med", 0.75: "q3", 0.95: "whishi"}


def boxes(
    rows: pd.DataFrame, methods: Sequence[str] | None = None, *, data: str | None = None, condition: str | None = None,
    at: str | None = None, caption: str = "",
) -> Picture:  # fmt: skip
    """Draw the confidences that each search asks about: middle half as a box, from 5 to 95% as whiskers.

    Parameters
    ----------
    rows : rows of the chapter, with the table "confidences" (level = share below). Of several models, their mean.
    methods : which, in this order; None for all.
    data, at : which image set and critical class; None for the first.
    condition : which; None for the strongest dose of the first mechanism.

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> shares = {0.05: 0.7, 0.25: 0.8, 0.5: 0.9, 0.75: 0.95, 0.95: 0.99}
    >>> found = [{"level": share, "metric": "confidence", "value": value} for share, value in shares.items()]
    >>> held = rows.table(found, table="confidences", method="random", condition="gray/gray", at="cat")
    >>> print(boxes(held).alt.partition("class cat. ")[2])
    Random 0.90 (0.80 to 0.95).
    """
    held = of(rows, "confidences", _WHAT, data=data, at=at)
    there = conditions_in(held["condition"])
    held = held[held["condition"] == one_of(condition or strongest(there), there, _WHAT)]
    held = held[held["data"] == held["data"].iloc[0]]
    if held["seed"].notna().any():
        held = held[held["seed"].notna()]
    wide = held.pivot_table(index="method", columns="level", values="value")
    names = wanted(methods, in_order(wide.dropna().index), _WHAT)
    some(names, _WHAT)
    where = f"{told(str(held['condition'].iloc[0]))}\ncritical class {held['at'].iloc[0]}"
    with style():
        drawn = figure(_LINE * len(names) + 1.4)
        axes = drawn.subplots()
        said: list[str] = []
        medians: dict[str, float] = {}
        for y, name in enumerate(names):
            one = {part: float(wide.loc[name, share]) for share, part in _PARTS.items()}
            look = {"color": colour(name), "lw": 1.6}
            axes.bxp(
                [one], positions=[y], widths=0.6, orientation="horizontal", showfliers=False, boxprops=look,
                whiskerprops=look, capprops=look, medianprops={"color": "black", "lw": 2},
            )  # fmt: skip
            medians[words(name)] = one["med"]
            said.append(f"{words(name)} {two(one['med'])} ({two(one['q1'])} to {two(one['q3'])})")
        name_lines(axes, [(y, short(name), False) for y, name in enumerate(names)])
        axes.set_xlabel("confidence of the queries")
        drawn.suptitle(where, fontsize=12)
        alt = (
            f"Box plot of the confidences of each search's queries: median and, in brackets, quartiles. "
            f"{where.replace(chr(10), ', ')}. {extremes(medians, two, 'The median')}{'; '.join(said)}."
        )
        return picture(drawn, alt, caption, "fig-boxes", held)
