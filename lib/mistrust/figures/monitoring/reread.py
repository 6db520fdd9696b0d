"""The paper's false-positive rates, as printed and as they must be read: they are misses."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from mistrust.figures.monitoring.parts import THREE, data_in, looks, name_lines, words
from mistrust.figures.parts import and_so_on, numbers, some
from mistrust.figures.style import Picture, figure, picture, style
from mistrust.monitoring.rereading.labels import DROPPED
from mistrust.monitoring.rereading.rates import VARIATIONS

# The columns of the picture: what of a row, which image set it counts for, what stands above.
_PANELS = (
    ("fpr", "data", "false positives,\nas printed"),
    ("false_alarm", "true_data", "false alarms,\nre-read"),
    ("miss", "true_data", "misses,\nre-read"),
)


def reread(frame: pd.DataFrame, *, caption: str = "") -> Picture:
    """Draw each monitor's printed false-positive rates, and its false alarms and misses as read again.

    Parameters
    ----------
    frame : by `mistrust.monitoring.rereading.reread`; rows of shifts, anomalies and noise are drawn.

    Raises
    ------
    MistrustError
        There are no rows.

    Examples
    --------
    >>> from mistrust.monitoring import rereading
    >>> row = {"place": "Table IV", "data": "gtsrb", "kind": "shift", "label": "fog (2)", "method": "alooc"}
    >>> numbers = {"mcc": 0.5, "fpr": 0.2, "fnr": 0.1, "precision": 0.5, "recall": 0.9, "f1": 0.8}
    >>> reread(rereading.reread(pd.DataFrame([row | numbers]))).alt.rpartition("of the three: ")[2]
    'GTSRB ALOOC 20%, 10%, 20%.'
    """
    held = frame[frame["kind"].isin(VARIATIONS)]
    some(held, "printed rates")
    sets, names = data_in(held), [one for one in THREE if (held["method"] == one).any()]
    medians: dict[tuple[str, str, str], float] = {}
    with style():
        drawn = figure(0.5 * len(sets) * (len(names) + 1) + 1.15)
        panels = drawn.subplots(1, len(_PANELS), sharey=True)
        for axes, (metric, of_data, title) in zip(panels, _PANELS, strict=True):
            kept = held if of_data == "data" else held[held["status"] != DROPPED]
            y = 0
            for data in sets:
                y += 1
                for name in names:
                    values = kept[(kept[of_data] == data) & (kept["method"] == name)][metric].dropna()
                    _strip(axes, y, values, name)
                    if len(values):
                        medians[data, name, metric] = float(values.median())
                    y += 1
            axes.set_title(title)
            axes.set_xlim(-6, 106)
            axes.set_xticks([0, 50, 100])
            axes.tick_params(axis="y", length=0)
            axes.grid(visible=False, axis="y")
            axes.spines["left"].set_visible(False)
        panels[0].set_ylim(len(sets) * (len(names) + 1) - 0.5, -0.5)
        lines: list[tuple[float, str, bool]] = []
        for number, data in enumerate(sets):
            top = number * (len(names) + 1)
            lines += [(top, words(data), True), *((top + k, words(name), False) for k, name in enumerate(names, 1))]
        name_lines(panels[0], lines)
        panels[1].set_xlabel("% (number and line: median)")
        told = and_so_on(
            f"{words(data)} {words(name)} {medians[data, name, 'fpr']:.0%}, {medians[data, name, 'false_alarm']:.0%}, "
            f"{medians[data, name, 'miss']:.0%}"
            for data in sets
            for name in names
            if (data, name, "miss") in medians
        )
        alt = (
            "Strips of dots, one dot per printed row of a shift, an anomaly or noise, by image set and monitor: the "
            "false-positive rate as printed, and false alarms and misses as re-read. Medians of the three: "
            f"{told}."
        )
        return picture(drawn, alt, caption, "fig-reread")


def _strip(axes: Axes, y: float, values: pd.Series, name: str) -> None:
    """Draw dots side by side in a narrow strip, their median as a line, and its number above."""
    if values.empty:
        return
    x = 100 * np.sort(numbers(values))
    up = 0.16 * ((np.arange(len(x)) * 2) % 3 - 1)  # three heights in turn, so that equal values are seen
    axes.plot(x, y + up, ls="", ms=4.5, alpha=0.6, mew=0, **looks(name))
    median = float(np.median(x))
    axes.plot([median] * 2, [y - 0.28, y + 0.28], color="black", lw=1.8)
    axes.text(median, y - 0.29, f"{median:.0f}", ha="center", va="bottom", fontsize=10.5)
