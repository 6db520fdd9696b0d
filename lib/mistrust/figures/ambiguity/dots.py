"""Dot plots: names down, one panel per metric, intervals as lines, several dots a name side by side."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from mistrust.figures.ambiguity.parts import with_interval
from mistrust.figures.parts import GREY, by_network, numbers
from mistrust.figures.style import MARKERS, PALETTE


def dots(
    axes: Axes, found: pd.DataFrame, names: Sequence[str], column: str, series: Mapping[object, str], by: str
) -> None:
    """Draw one panel: one dot per name and series with its interval; single networks as small grey dots.

    Parameters
    ----------
    found : rows of one metric.
    names : values of `column`, from top to bottom.
    series : values of the column `by`, and their names in the legend.
    """
    mean, single = by_network(found)
    offsets = np.linspace(-0.22, 0.22, len(series)) if len(series) > 1 else [0.0]
    for index, (one, label) in enumerate(series.items()):
        look = {"color": PALETTE[index % len(PALETTE)], "marker": MARKERS[index % len(MARKERS)]}
        axes.plot([], [], ls="", ms=7, label=label, **look)
        for y, name in enumerate(names):
            small = single[(single[column] == name) & (single[by] == one)]["value"]
            place = y + float(offsets[index])
            axes.plot(small, np.full(len(small), place), ".", color=GREY, ms=3, zorder=2)
            here = mean[(mean[column] == name) & (mean[by] == one)]
            for value, low, high in numbers(here[["value", "low", "high"]]):
                axes.plot([low, high], [place, place], color=look["color"], lw=2, zorder=2.5)
                axes.plot(value, place, ms=7, mec="white", mew=0.6, zorder=3, **look)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.xaxis.set_major_locator(MaxNLocator(3, min_n_ticks=2))
    axes.margins(x=0.12)
    axes.tick_params(axis="y", length=0)


def told(found: pd.DataFrame, column: str, name: str, by: str, one: object, digits: int = 2) -> str:
    """Write the mean of one dot with its interval; "" where there is none."""
    mean, _ = by_network(found)
    here = mean[(mean[column] == name) & (mean[by] == one)]
    return "" if here.empty else with_interval(*numbers(here[["value", "low", "high"]])[0], digits=digits)
