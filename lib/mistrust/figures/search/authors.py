"""The authors' own rows, searched again: SDR by query, pooled and as a mean of ratios, beside the pool's own."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes

from mistrust.figures.parts import and_so_on, numbers, one_of, some
from mistrust.figures.search.held import wanted
from mistrust.figures.search.parts import (
    AD,
    colour,
    data_in,
    in_order,
    short,
    words,
)
from mistrust.figures.style import Picture, figure, legend_beneath, picture, style
from mistrust.figures.written import interval, two
from mistrust.rows import select

# Of Adversarial Distance "sdr" is one search of the whole pool; its subsets have a name of their own.
POOLED, RATIOS, WHOLE, REPLICATED = "sdr", "mean of ratios", "whole sdr", "replicated sdr"
_ACROSS = 2
_PANEL = 1.75  # inches
_WHAT = "authors' own rows"


def authors(
    rows: pd.DataFrame, methods: Sequence[str] | None = None, *, data: str | None = None, caption: str = ""
) -> Picture:
    """Draw one panel per method: SDR after so many queries, pooled over subsets (filled) and mean of ratios (hollow).

    Parameters
    ----------
    rows : rows of the chapter, with the table "authors" (level = queries; metrics pool sdr, sdr, replicated sdr, mean
        of ratios). Of Adversarial Distance "sdr" is that of the whole pool, drawn as a diamond with its exact interval.
    methods : which, in this order; None for all.
    data : which image set; None for the first.

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> records = [{"metric": "pool sdr", "value": 2.98}]
    >>> records += [{"metric": "sdr", "method": "random", "level": 20, "value": 3.1}]
    >>> print(authors(rows.table(records, table="authors", data="kaggle13")).alt.partition("ratios. ")[2])
    Dashed: the pool's own SDR, 2.98. Random: pooled 3.10 at 20.
    """
    held = _tidied(rows, data)
    pool = held[held["metric"] == "pool sdr"]["value"]
    held = held[held["method"] != ""]
    some(held, _WHAT)
    names = wanted(methods, in_order(held["method"]), _WHAT)
    some(names, _WHAT)
    held = held[held["method"].isin(names)]
    levels = sorted(set(held["level"]))
    # One query of the whole pool, and the end of its interval, are as high as one likes: they leave the panel.
    top = 1.2 * max([*held[held["metric"] != WHOLE]["value"], *pool, 1])
    lines = -(-len(names) // _ACROSS)
    with style():
        drawn = figure(_PANEL * lines + 1.05)
        panels = drawn.subplots(lines, _ACROSS, squeeze=False, sharex=True, sharey=True)
        for axes, name in zip(panels.flat, names, strict=False):
            _panel(axes, held[held["method"] == name], levels, top)
            axes.set_title(short(name), fontsize=12 if len(short(name)) < 20 else 11)
            for value in pool:
                axes.axhline(value, color="black", lw=1.4, ls="--", zorder=1)
        for axes in panels.flat[len(names) :]:
            axes.set_visible(False)
        for column in range(_ACROSS):
            shown = panels[:, column][: -(-(len(names) - column) // _ACROSS)]
            if len(shown):
                shown[-1].tick_params(labelbottom=True)
                shown[-1].set_xlabel("oracle queries")
        for axes in panels[:, 0]:
            axes.set_ylabel("SDR")
        panels[0, 0].set_ylim(-0.03 * top, top)
        panels[0, 0].set_xlim(-0.5, len(levels) - 0.5)
        _legend(panels[0, 0], bool((held["metric"] == WHOLE).any()), bool(len(pool)))
        lines = panels[0, 0].get_legend_handles_labels()
        legend_beneath(drawn, *lines, ncols=2, columnspacing=1, handlelength=1.5, handletextpad=0.5)
        own = f" Dashed: the pool's own SDR, {two(pool.iloc[0])}." if len(pool) else ""
        alt = (
            f"Line plots of SDR by query on the authors' rows of {words(str(held['data'].iloc[0]))}, one panel per "
            f"method: pooled over subsets, and the mean of ratios.{own} {' '.join(_told(held, name) for name in names)}"
        )
        return picture(drawn, alt, caption, "fig-authors")


def _tidied(rows: pd.DataFrame, data: str | None) -> pd.DataFrame:
    """Give the table of one image set in an order of its own, so that "sdr" is pooled over subsets in each method."""
    held = select(rows, table="authors", metric=["pool sdr", POOLED, RATIOS, REPLICATED])
    some(held, _WHAT)
    held = held[held["data"] == one_of(data, data_in(held["data"]), _WHAT)]
    whole = (held["method"] == AD) & (held["metric"] == POOLED)
    metric = held["metric"].mask(whole, WHOLE).replace(REPLICATED, POOLED)
    return held.assign(metric=metric).sort_values(["method", "metric", "level"], kind="stable")


def _panel(axes: Axes, own: pd.DataFrame, levels: list[float], top: float) -> None:
    look = colour(str(own["method"].iloc[0]))
    places = {level: float(x) for x, level in enumerate(levels)}
    for metric, shift, face, dash in ((POOLED, -0.1, look, "-"), (RATIOS, 0.1, "white", ":")):
        line = own[own["metric"] == metric]
        x = [places[level] + shift for level in line["level"]]
        axes.plot(x, line["value"], "o", ls=dash, color=look, mfc=face, mew=1.6, ms=7, lw=1.8, zorder=3)
    for level, value, low, high in numbers(own[own["metric"] == WHOLE][["level", "value", "low", "high"]]):
        x = places[level] + 0.3
        axes.plot([x, x], [low, high], color="#444444", lw=1.6, zorder=2)
        if value > top:
            axes.plot(x, 0.96 * top, "^", color="#444444", ms=7, zorder=3)
            axes.text(x + 0.15, 0.96 * top, f"{value:.0f}", va="center", color="#444444")
        else:
            axes.plot(x, value, "D", color="#444444", ms=6, mec="white", mew=0.6, zorder=3)
    axes.axhline(1, color="black", lw=0.8)
    axes.set_xticks(range(len(levels)), [f"{level:.0f}" for level in levels])
    axes.grid(visible=False, axis="x")


def _legend(axes: Axes, whole: bool, pool: bool) -> None:
    axes.plot([], [], "o", ls="-", color="#444444", ms=7, label="pooled over subsets")
    axes.plot([], [], "o", ls=":", color="#444444", mfc="white", mew=1.6, ms=7, label="mean of ratios")
    if whole:
        axes.plot([], [], "D", ls="-", color="#444444", ms=6, label="whole pool, 95%")
    if pool:
        axes.plot([], [], "--", color="black", lw=1.4, label="the pool's own SDR")
    axes.plot([], [], color="black", lw=0.8, label="1: calibrated")


def _told(held: pd.DataFrame, name: str) -> str:
    own = held[held["method"] == name]
    said = []
    for metric, title in ((POOLED, "pooled"), (RATIOS, "mean of ratios"), (WHOLE, "on the whole pool")):
        line = own[own["metric"] == metric]
        each = [f"{interval(*one)} at {level:.0f}"
                for level, *one in numbers(line[["level", "value", "low", "high"]])]  # fmt: skip
        if each:
            said.append(f"{title} {and_so_on(each)}")
    return f"{words(name)}: {'; '.join(said)}."
