"""What three monitors miss, fault by fault: a heat map, severities side by side."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.patches import Rectangle

from mistrust.errors import UnknownName
from mistrust.figures.monitoring.parts import (
    THREE,
    in_order,
    kind,
    name_lines,
    of,
    percent,
    places_in,
    severities,
    words,
)
from mistrust.figures.parts import and_so_on, by_network, numbers, some
from mistrust.figures.style import MAP, Picture, figure, ink, picture, style
from mistrust.figures.written import many

_LINE = 0.25  # inches of a line


@dataclass(frozen=True)
class Scale:
    """How a metric is drawn: values of the least and the greatest colour, how a number is written, what it is."""

    low: float
    high: float
    write: Callable[[float], str]
    title: str

    @property
    def colours(self) -> ScalarMappable:
        """Values to colours."""
        return ScalarMappable(Normalize(self.low, self.high), MAP)


METRICS = {
    "fnr": Scale(0, 1, percent, "misses, % of faulty or novel images"),
    "auroc": Scale(0.5, 1, "{:.2f}".format, "AUROC; 0.5 and below: chance"),
}


def misses(
    rows: pd.DataFrame, metric: str = "fnr", *, data: str | None = None, network: str | None = None, caption: str = ""
) -> Picture:
    """Draw the miss rate of the paper's three monitors on every benchmark set.

    Parameters
    ----------
    rows : rows of the chapter, with the table "detection".
    metric : "fnr", the share of images that should alarm and do not, or "auroc".
    data, network : which image set and classifier; None for the first.

    Raises
    ------
    MistrustError
        There are no such rows, or another metric.

    Examples
    --------
    >>> from mistrust import rows
    >>> common = {"table": "detection", "data": "mnist5k", "network": "farm-lenet", "method": "odin", "metric": "fnr"}
    >>> found = [{"condition": "shift/fog", "value": 0.3}, {"condition": "noise/gaussian noise", "value": 0.7}]
    >>> misses(rows.table(found, **common)).alt.rpartition("images. ")[2]
    'ODIN 50 on average, 30 (Fog) to 70 (Gaussian noise).'
    """
    if metric not in METRICS:
        raise UnknownName("metric of this figure", metric, METRICS)
    scale = METRICS[metric]
    what = "monitors on benchmark sets"
    held = of(rows, "detection", what, data=data, network=network)
    held = by_network(held[held["method"].isin(THREE) & (held["metric"] == metric)])[0]
    some(held, what)
    names, places = in_order(held["method"]), places_in(held)
    values = {(m, c, lv): v for m, c, lv, v in zip(held["method"], held["condition"], held["level"].fillna(0),
                                                   held["value"], strict=True)}  # fmt: skip
    heads = [i for i, one in enumerate(places) if i == 0 or kind(one) != kind(places[i - 1])]
    with style():
        drawn = figure(_LINE * (len(places) + len(heads)) + 1.35)
        axes = drawn.subplots()
        labels: list[tuple[float, str, bool]] = []
        top = 0.0
        for number, place in enumerate(places):
            if number in heads:
                labels.append((top + 0.5, words(kind(place)), True))
                top += 1
            levels = severities(held[held["condition"] == place])
            labels.append((top + 0.5, words(place), False))
            for column, name in enumerate(names):
                for step, level in enumerate(levels):
                    value = values.get((name, place, 0 if level != level else level))
                    wide = 0.94 / len(levels)
                    _cell(axes, (column + 0.03 + step * wide, top, wide), value, scale)
            top += 1
        axes.set_xlim(0, len(names))
        axes.set_ylim(top, 0)
        axes.set_xticks([i + 0.5 for i in range(len(names))], [words(one) for one in names], weight="bold")
        axes.xaxis.tick_top()
        name_lines(axes, labels)
        axes.tick_params(axis="x", length=0)
        axes.grid(visible=False)
        axes.spines[:].set_visible(False)
        bar = drawn.colorbar(scale.colours, ax=axes, location="bottom", aspect=40, pad=0.01)
        bar.set_label(scale.title)
        if metric == "fnr":
            bar.set_ticks([0, 0.5, 1], labels=["0", "50", "100"])
        alt = (
            f"Heat map of {many(len(places), 'fault or novelty', 'faults and novelties')} by "
            f"{many(len(names), 'monitor')} on "
            f"{words(held['data'].iloc[0])}, severities side by side; it shows {scale.title}. "
            f"{_told(held, names, scale)}"
        )
        return picture(drawn, alt, caption, "fig-misses")


def _cell(axes: Axes, at: tuple[float, float, float], value: float | None, scale: Scale) -> None:
    left, top, wide = at
    if value is None:
        return
    face = scale.colours.to_rgba(np.array([value]))[0]
    axes.add_patch(Rectangle((left, top + 0.03), wide - 0.02, 0.94, facecolor=face, edgecolor="none"))
    colour = ink((value - scale.low) / (scale.high - scale.low))
    axes.text(
        left + wide / 2 - 0.01, top + 0.52, scale.write(value), ha="center", va="center", color=colour, fontsize=10.5
    )


def _told(held: pd.DataFrame, names: list[str], scale: Scale) -> str:
    """Say each monitor's mean, and where it is least and greatest."""
    said = []
    for name in names:
        own = held[held["method"] == name].sort_values("value", kind="stable")
        values, where = numbers(own["value"]), own["condition"].tolist()
        least, most = (f"{scale.write(values[k])} ({words(where[k])})" for k in (0, -1))
        said.append(f"{words(name)} {scale.write(values.mean())} on average, {least} to {most}")
    return f"{and_so_on(said)}."
