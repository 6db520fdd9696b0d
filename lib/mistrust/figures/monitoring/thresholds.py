"""What thresholds and slips do: false alarms against misses of each monitor, as it is right and as published."""

import pandas as pd

from mistrust.figures.monitoring.parts import EVERY, THREE, VARIANTS, looks, of, words
from mistrust.figures.parts import and_so_on, by_network, some
from mistrust.figures.style import Picture, figure, legend_beneath, picture, style

_FILLS = {"": "full", "published rule": "left", "as published": "none"}
_SAID = {"": "right", "published rule": "published rule", "as published": "as published"}


def thresholds(
    rows: pd.DataFrame, *, data: str | None = None, network: str | None = None, caption: str = ""
) -> Picture:
    """Draw each of the three monitors at its false alarms and its misses, joined to what publication made of it.

    Parameters
    ----------
    rows : rows of the chapter, with the tables "nominal" (false alarms) and "summary" (misses, the mean over all
        benchmark sets).
    data, network : which image set and classifier; None for the first.

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> common = {"data": "mnist5k", "network": "farm-lenet", "method": "odin"}
    >>> alarms = {"table": "nominal", "condition": "nominal", "metric": "fpr", "value": 0.05}
    >>> missed = {"table": "summary", "condition": "all sets/mean", "at": "ood", "metric": "fnr", "value": 0.6}
    >>> thresholds(rows.table([alarms, missed], **common)).alt.partition("benchmark sets. ")[2]
    'ODIN right 5% and 60%. By chance, the two add up to 100%.'
    """
    what = "false alarms and misses"
    found = by_network(of(rows, ("nominal", "summary"), what, data=data, network=network))[0]
    false = _by_method(found[(found["table"] == "nominal") & (found["condition"] == "nominal")], "fpr")
    missed = _by_method(found[(found["condition"] == f"{EVERY}/mean") & (found["at"] == "ood")], "fnr")
    points = {
        name: {v: (100 * false[key], 100 * missed[key]) for v in VARIANTS
               if (key := f"{name}/{v}".rstrip("/")) in false and key in missed}
        for name in THREE
    }  # fmt: skip
    points = {name: own for name, own in points.items() if own}
    some(points, what)
    with style():
        drawn = figure(4.9)
        axes = drawn.subplots()
        axes.plot([0, 100], [100, 0], color="#777777", lw=1.2, ls=":", zorder=1)
        axes.text(59, 43, "by chance", color="#555555", rotation=-45, rotation_mode="anchor", ha="center", va="bottom",
                  transform_rotates_text=True)  # fmt: skip
        for name, own in points.items():
            look = looks(name)
            axes.plot(*zip(*own.values(), strict=True), color=look["color"], lw=1, alpha=0.6, zorder=2)
            for variant, at in own.items():
                fill = {"fillstyle": _FILLS[variant], "mec": look["color"], "mew": 1.6, "markerfacecoloralt": "white"}
                axes.plot(*at, ls="", ms=11, **look, **fill, zorder=3)
        marks = [axes.plot([], [], ls="", ms=10, label=words(name), **looks(name))[0] for name in points]
        fills = [
            axes.plot([], [], "o", ms=10, color="black", fillstyle=_FILLS[v], markerfacecoloralt="white", mew=1.6,
                      label=_SAID[v])[0] for v in VARIANTS if any(v in own for own in points.values())
        ]  # fmt: skip
        blank = axes.plot([], [], ls="", label=" ")  # a legend fills column after column: monitors, then variants
        handles = [*marks, *blank * (len(fills) - len(marks)), *fills]
        legend_beneath(drawn, handles=handles, ncols=2, handletextpad=0.4)
        axes.set(xlim=(-3, 103), ylim=(-3, 103), xlabel="false alarms, % of nominal images")
        axes.set_ylabel("misses, % (mean over sets)")
        ticks = [0, 25, 50, 75, 100]
        axes.set_xticks(ticks)
        axes.set_yticks(ticks)
        told = and_so_on(
            f"{words(name)} " + ", ".join(f"{_SAID[v]} {x:.0f}% and {y:.0f}%" for v, (x, y) in own.items())
            for name, own in points.items()
        )
        alt = (
            f"Scatter plot for {words(found['data'].iloc[0])}: false alarms on nominal images against misses, the mean "
            f"over benchmark sets. {told}. By chance, the two add up to 100%."
        )
        return picture(drawn, alt, caption, "fig-thresholds")


def _by_method(found: pd.DataFrame, metric: str) -> dict[str, float]:
    own = found[found["metric"] == metric]
    return {str(name): float(value) for name, value in zip(own["method"], own["value"], strict=True)}
