"""How SDR scatters: between subsets of one pool, between models, and by what one search can tell at all."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from mistrust.figures.dots import name_lines
from mistrust.figures.parts import numbers, one_of, some
from mistrust.figures.search.held import of, queries, wanted
from mistrust.figures.search.parts import (
    conditions_in,
    data_in,
    in_order,
    short,
    strongest,
    told,
    words,
)
from mistrust.figures.style import MARKERS, PALETTE, Picture, figure, legend_beneath, picture, style
from mistrust.figures.written import two

SUBSETS, MODELS, ONE = "between subsets of one pool", "between models", "one search, exact interval"
_LEGEND = {
    SUBSETS: "subsets of one pool, ± 2 SD",
    MODELS: "models, ± 2 SD",
    ONE: "one search: its SDR, exact 95% of the factor",
}
_TIMES = 2.0  # standard deviations to both sides: nearly 95 % of a normal law
_LINE = 0.5  # inches
_WHAT = "scatter of SDR"


@dataclass(frozen=True)
class _Bar:
    """One way in which a method's SDR scatters: its middle, its ends (clipped at 0, open above: inf) and its words."""

    value: float
    low: float
    high: float
    text: str


def replicates(
    rows: pd.DataFrame,
    methods: Sequence[str] | None = None,
    *,
    level: float | None = None,
    data: str | None = None,
    condition: str | None = None,
    at: str | None = None,
    caption: str = "",
) -> Picture:
    """Draw three bars a method: where SDR lies for other subsets, for other models, and given one search's answers.

    Parameters
    ----------
    rows : rows of single models of the chapter, with the table "searches" (metrics sdr, replicate sd, whole sdr with
        low and high). Numbers of several models are averaged; between models there must be two. A search
        whose exact interval has no upper end has none in the rows, and is left out.
    methods : which, in this order; None for all that have one of the three.
    level : queries; None for the most that rows have.
    data, condition, at : which image set, condition and critical class; None for the first, and of conditions for the
        strongest dose.

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> common = {"table": "searches", "method": "random", "condition": "biased/25", "at": "cat", "level": 50}
    >>> models = [{"metric": "sdr", "seed": seed, "value": value} for seed, value in enumerate((1.3, 1.5, 1.7))]
    >>> print(replicates(rows.table(models, **common)).alt.partition("means over models. ")[2])
    Random: between models 1.50, SD 0.20.
    """
    level = queries(rows, "searches", level)
    held = of(rows, "searches", _WHAT, data=data, at=at, level=level, metric=["sdr", "replicate sd", "whole sdr"])
    held = held[held["data"] == data_in(held["data"])[0]]
    there = conditions_in(held["condition"])
    held = held[held["condition"] == one_of(condition or strongest(there), there, _WHAT)]
    held = held[held["seed"].notna()]
    bars = {name: _bars(held[held["method"] == name]) for name in in_order(held["method"])}
    known = [name for name, own in bars.items() if own]
    some(known, _WHAT)
    names = wanted(methods, known, _WHAT)
    some(names, _WHAT)
    shown = [one for one in _LEGEND if any(one in bars[name] for name in names)]
    said = []
    with style():
        drawn = figure(_LINE * len(names) + 1.25 + 0.26 * len(shown))
        axes = drawn.subplots()
        ends: list[float] = []
        for y, name in enumerate(names):
            for kind, bar in bars[name].items():
                index = list(_LEGEND).index(kind)
                place, look = y + 0.25 * (index - 1), PALETTE[index]
                ends += [bar.value, *(one for one in (bar.low, bar.high) if np.isfinite(one))]
                top = bar.high if np.isfinite(bar.high) else 1e3  # open above: far out of the picture
                axes.plot([bar.low, top], [place, place], color=look, lw=3, alpha=0.6, solid_capstyle="butt")
                axes.plot(bar.value, place, MARKERS[index], color=look, ms=6.5, mec="white", mew=0.6, zorder=3)
            said.append(f"{words(name)}: {'; '.join(f'{kind} {bar.text}' for kind, bar in bars[name].items())}.")
        for kind in shown:
            index = list(_LEGEND).index(kind)
            axes.plot([], [], MARKERS[index], ls="-", color=PALETTE[index], lw=3, ms=6.5, label=_LEGEND[kind])
        axes.axvline(1, color="black", lw=0.9)
        name_lines(axes, [(y, short(name), False) for y, name in enumerate(names)])
        axes.set_xlim(-0.02 * max([*ends, 1]), 1.06 * max([*ends, 1]))
        axes.set_xlabel(f"SDR at {level:.0f} queries")
        legend_beneath(drawn, ncols=1, handlelength=1.8)
        first = held.iloc[0]
        drawn.suptitle(f"{told(first['condition'])}\ncritical class {first['at']}", fontsize=12)
        count = held["seed"].nunique()
        alt = (
            f"Bars that show how SDR at {level:.0f} queries scatters on {words(first['data'])} "
            f"({told(first['condition'])}; critical class {first['at']}), {count} model{'s' if count > 1 else ''}: "
            "between subsets of one model's pool (standard deviation, which measures the draw of subsets alone), "
            "between models (standard deviation, which measures training and all that follows), and the exact 95% "
            "interval of one search of a whole pool (of the factor by which 1 - confidence is too small, which is "
            "above SDR where chances reach 1; it shows how much so few answers can decide), means over "
            f"models. {' '.join(said)}"
        )
        return picture(drawn, alt, caption, "fig-replicates", held)


def _bars(own: pd.DataFrame) -> dict[str, _Bar]:
    """Give what is known of one method, in the order of the legend."""
    found: dict[str, _Bar] = {}
    sdr, sd, whole = (own[own["metric"] == name] for name in ("sdr", "replicate sd", "whole sdr"))
    if len(sdr) and len(sd):
        found[SUBSETS] = _spread(float(sdr["value"].mean()), float(sd["value"].mean()))
    if len(sdr) > 1:
        found[MODELS] = _spread(float(sdr["value"].mean()), float(sdr["value"].std(ddof=1)))
    exact = whole[whole["low"].notna() & whole["high"].notna()]
    if len(exact):
        value, low, high = numbers(exact[["value", "low", "high"]]).mean(0)
        # The interval is not one of SDR: of a few rows it lies wholly above.
        found[ONE] = _Bar(value, low, high, f"of the factor {two(low)} to {two(high)}, beside an SDR of {two(value)}")
    return found


def _spread(value: float, sd: float) -> _Bar:
    return _Bar(value, max(0.0, value - _TIMES * sd), value + _TIMES * sd, f"{two(value)}, SD {two(sd)}")
