"""What the learning rate does to the published measure of distance: it is rate times steps."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import NullFormatter

from mistrust.figures.parts import GREY, and_so_on, means, network_lines, numbers, one_of, singles, some
from mistrust.figures.robustness.parts import family, in_order, look, of, words
from mistrust.figures.style import MARKERS, PALETTE, Picture, figure, legend_beneath, picture, style
from mistrust.figures.written import plain, two

_TITLES = {
    "linf": "L∞ distance\n(grey levels)",
    "l2": "L2 distance\n(grey levels)",
    "steps": "steps",
    "product": "L∞ / (rate\n× steps)",
    "success": "reached, %",
}


def rates(
    rows: pd.DataFrame, networks: Sequence[str] | None = None, *, data: str | None = None, caption: str = ""
) -> Picture:
    """Draw distance, steps, and distance over (rate x steps) against Adam's learning rate.

    Parameters
    ----------
    rows : rows of the chapter, with the table "targeted", method "adam", level = learning rate in grey levels, metrics
        linf, l2, steps and success. Bands are the rows' intervals of the mean over seeds.
    networks : which; None for all that have rows.
    data : which image set; None for the first.

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    Ten times the rate, and a tenth of the steps:

    >>> from mistrust import rows
    >>> found = [
    ...     {"level": level, "metric": metric, "value": value}
    ...     for level, linf, steps in ((1, 40, 50), (10, 45, 5))
    ...     for metric, value in (("linf", linf), ("steps", steps))
    ... ]
    >>> made = rates(rows.table(found, table="targeted", data="mnist", network="vgg9-w16", method="adam"))
    >>> made.alt.partition("highest rate: ")[2]
    'L-infinity distance 40 to 45, steps 50 to 5.0 and distance over (rate times steps) between 0.80 and 0.90.'
    """
    what = "learning rates"
    held = of(rows, "targeted", what, data=data, method=["adam", ""])
    held = held[held["level"].notna()]
    some(held, what)
    there = in_order(held["network"])
    names = there if networks is None else [one_of(name, there, what) for name in networks]
    held = held[held["network"].isin(names)]
    held = pd.concat([held, _product(held)])
    metrics = [one for one in _TITLES if (held["metric"] == one).any()]
    if (held[held["metric"] == "success"]["value"] >= 1).all():
        metrics = [one for one in metrics if one != "success"]
    same = len({family(name) for name in names}) < len(names)
    with style():
        drawn = figure(1.45 * len(metrics) + 0.75 + 0.25 * -(-len(names) // 2))
        panels = drawn.subplots(len(metrics), 1, squeeze=False, sharex=True)[:, 0]
        for axes, metric in zip(panels, metrics, strict=True):
            for index, name in enumerate(names):
                own = held[(held["network"] == name) & (held["metric"] == metric)]
                shown = {"color": PALETTE[index % 7], "marker": MARKERS[index % 7]} if same else look(name)
                found = pd.concat([means(own), singles(own)])
                network_lines(axes, found, "level", colour=shown["color"], marker=shown["marker"],
                              percent=metric == "success", label=words(name))  # fmt: skip
            _scaled(axes, metric)
            axes.set_ylabel(_TITLES[metric])
        panels[-1].set_xlabel("learning rate of Adam (grey levels per step)")
        levels = sorted(set(held["level"]))
        panels[-1].set_xscale("log")
        panels[-1].set_xticks(levels, [f"{one:g}" for one in levels])
        panels[-1].xaxis.set_minor_formatter(NullFormatter())
        panels[-1].set_xticks([], minor=True)
        drawn.align_ylabels(list(panels))
        handles, texts = panels[0].get_legend_handles_labels()
        legend_beneath(drawn, handles, texts, ncols=2, columnspacing=1)
        alt = (
            f"Line plots against Adam's learning rate, {levels[0]:g} to {levels[-1]:g} grey levels, on "
            f"{words(held['data'].iloc[0])}. {' '.join(_told(held, name) for name in names)}"
        )
        return picture(drawn, alt, caption, "fig-rates", held)


def _product(held: pd.DataFrame) -> pd.DataFrame:
    """Give rows of L-infinity over rate times steps, by network and rate; the interval does not carry over."""
    keys = ["network", "level", "seed"]
    mean = pd.concat([means(held[held["metric"] == one]) for one in ("linf", "steps")])
    both = pd.concat([mean, singles(held[held["metric"].isin(["linf", "steps"])])])
    linf, steps = (both[both["metric"] == one][[*keys, "value"]] for one in ("linf", "steps"))
    wide = linf.rename(columns={"value": "linf"}).merge(steps.rename(columns={"value": "steps"}), on=keys)
    wide = wide[wide["steps"] > 0]
    nothing = {"metric": "product", "low": np.nan, "high": np.nan}
    value = wide["linf"] / (wide["level"] * wide["steps"])
    return wide[keys].assign(value=value, data=held["data"].iloc[0], method="adam", table="targeted", condition="",
                             at="", **nothing)  # fmt: skip


def _scaled(axes: Axes, metric: str) -> None:
    if metric == "steps":
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:g}")
    elif metric == "product":
        axes.axhline(1, color=GREY, lw=1.2, ls="--", zorder=1)
        axes.set_ylim(0, max(1.25, 1.05 * axes.get_ylim()[1]))
    elif metric == "success":
        axes.set_ylim(0, 104)
    else:
        axes.set_ylim(bottom=0)


def _told(held: pd.DataFrame, name: str) -> str:
    own = held[held["network"] == name]
    said = []
    for metric, title in (("linf", "L-infinity distance"), ("l2", "L2 distance"), ("steps", "steps")):
        line = means(own[own["metric"] == metric]).sort_values("level")
        if len(line):
            values = numbers(line["value"])
            said.append(f"{title} {plain(values[0])} to {plain(values[-1])}")
    line = numbers(own[own["metric"] == "product"]["value"])
    if len(line):
        said.append(f"distance over (rate times steps) between {two(line.min())} and {two(line.max())}")
    return f"{words(name)}, from the lowest to the highest rate: {and_so_on(said or ['no target is reached'])}."
