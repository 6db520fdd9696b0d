"""What goes with what, between networks: rank correlations as a forest plot."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.lines import Line2D

from mistrust.figures.dots import name_lines
from mistrust.figures.parts import and_so_on, numbers, one_of, some
from mistrust.figures.robustness.parts import of, words
from mistrust.figures.style import PALETTE, Picture, figure, legend_beneath, picture, style
from mistrust.figures.written import interval, many, two
from mistrust.robustness.relation_names import FIXED, together, within

_LINE = 0.29  # inches
_MORE = 0.55  # lines, where something is held fixed: its name has a second line
_FIRST = ("depth", "parameters", "accuracy", "random", "margin", "linear estimate", "ddn", "bubbles")


def relations(
    rows: pd.DataFrame, names: Sequence[str] | None = None, *, data: str | None = None, caption: str = ""
) -> Picture:
    """Draw rank correlations between networks: of all together, and within families, with their intervals.

    Networks of one family are no independent draws, so that all together have a value and no interval. A dot is filled
    where the interval within families leaves 0 out.

    Parameters
    ----------
    rows : rows of the chapter, with the table "relations" (method = "depth ~ random", or "depth ~ random | accuracy"
        with accuracy held fixed, and the same with the family held fixed: "depth ~ random | family", "depth ~ random |
        accuracy, family"; metric spearman, within families with low and high).
    names : which relations, as they are of all together; None for all.
    data : which image set; None for the first.

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [
    ...     {"method": "depth ~ random", "value": -0.7},
    ...     {"method": "depth ~ random | family", "value": 0.1, "low": -0.4, "high": 0.6},
    ... ]
    >>> made = relations(rows.table(found, table="relations", metric="spearman", data="mnist", n=8))
    >>> made.alt.partition("families, with intervals. ")[2]
    'depth with breaking noise -0.70, within families 0.10 (-0.40 to 0.60).'
    """
    what = "relations between networks"
    held = of(rows, "relations", what, data=data, condition=None, metric="spearman")
    found = {one["method"]: (one["value"], one["low"], one["high"]) for one in held.to_dict("records")}
    known = [name for name in found if together(name) == name]
    shown = sorted(known, key=_place) if names is None else [one_of(name, sorted(known), what) for name in names]
    some(shown, what)
    labels: list[tuple[float, str, bool]] = []
    said: list[str] = []
    apart, tried = 0, 0
    y = 0.0
    with style():
        tall = sum(FIXED in one for one in shown)
        drawn = figure(_LINE * (len(shown) + _MORE * tall + len({_split(one)[0] for one in shown})) + 1.45)
        axes = drawn.subplots()
        for number, name in enumerate(shown):
            first, short = _split(name)
            if number == 0 or first != _split(shown[number - 1])[0]:
                labels.append((y, _capital(words(first)), True))
                y += 1
            y += _MORE / 2 * (FIXED in name)
            value = numbers(found[name])[0]
            axes.plot(value, y, "D", mfc="white", mec="black", mew=1.4, ms=6.5, zorder=2)
            labels.append((y, short, False))
            told = f"{words(first)} {short.replace(chr(10), ' ')} {two(value)}"
            if within(name) in found:
                own, low, high = numbers(found[within(name)])
                clear = low > 0 or high < 0
                apart, tried = apart + clear, tried + 1
                axes.plot([low, high], [y, y], color=PALETTE[0], lw=2.4, zorder=3)
                axes.plot(own, y, "o", mfc=PALETTE[0] if clear else "white", mec=PALETTE[0], mew=1.8, ms=8, zorder=4)
                told += f", within families {interval(own, low, high)}"
            said.append(told)
            y += 1 + _MORE / 2 * (FIXED in name)
        axes.axvline(0, color="black", lw=1)
        axes.set_xlim(-1.06, 1.06)
        axes.set_xticks([-1, -0.5, 0, 0.5, 1], ["−1", "−.5", "0", ".5", "1"])
        axes.set_xlabel("rank correlation ρ")
        name_lines(axes, labels)
        handles = [
            Line2D([], [], ls="", marker="D", mfc="white", mec="black", mew=1.4, ms=6.5),
            Line2D([], [], marker="o", color=PALETTE[0], lw=2.4, ms=8),
        ]
        legend_beneath(drawn, handles, ["all networks together", "within families, 95% interval"], ncols=2)
        n = f"{held['n'].max():.0f} " if held["n"].notna().any() else ""
        within_all = f"Within families {apart} of {many(tried, 'interval')} leave 0 out. " if tried > 1 else ""
        alt = (
            f"Forest plot of rank correlations between {n}networks on {words(held['data'].iloc[0])}, of all together "
            f"and within families, with intervals. {within_all}{and_so_on(said)}."
        )
        return picture(drawn, alt, caption, "fig-relations")


def _split(name: str) -> tuple[str, str]:
    """Give the first quantity of a relation, and words for the rest: "with breaking noise, accuracy fixed"."""
    pair, _, fixed = name.partition(FIXED)
    first, _, second = pair.partition(" ~ ")
    return first, f"with {words(second)}" + (f",\n{words(fixed)} fixed" if fixed else "")


def _place(name: str) -> tuple[int, str]:
    first = name.split(" ~ ")[0]
    return _FIRST.index(first) if first in _FIRST else len(_FIRST), name


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
