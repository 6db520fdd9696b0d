"""The front page's picture: the best supervisor for each kind of bad input, and how it does on the others."""

from collections.abc import Iterable

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from mistrust.figures.images import images_of, place, show
from mistrust.figures.parts import GREY, by_network, some
from mistrust.figures.style import MARKERS, PALETTE, WIDTH, Picture, figure, picture, style
from mistrust.figures.supervisors.parts import conditions_in, of, short, words
from mistrust.rows import select

_LEFT, _HEAD, _LINE, _FOOT = 1.75, 0.1, 1.0, 0.6  # inches: names and images, above, a kind of input, the axis's words
_IMAGE, _ACROSS = 0.4, 4
CHANCE = 0.5


def front(rows: pd.DataFrame, *, data: str | None = None, network: str = "all") -> Picture:
    """Draw a line of dots a kind of bad input, a dot a supervisor; whoever is best at one is followed to the others.

    Parameters
    ----------
    rows : rows of the chapter, with the tables "detection" (AUROC, means over runs) and "inputs" (images).
    data : which image set; None for the first.
    network : which architecture; "all" is the mean over them.

    Raises
    ------
    MistrustError
        There are no such rows; a row without an image.

    Examples
    --------
    >>> from mistrust import rows
    >>> from mistrust.pictures import pack
    >>> auroc = {"ambiguous/ambiguess": (0.92, 0.4), "invalid/other": (0.81, 0.96)}
    >>> found = [
    ...     {"method": method, "condition": condition, "value": value}
    ...     for condition, values in auroc.items()
    ...     for method, value in zip(("max_softmax", "dsa"), values)
    ... ]
    >>> image = {"at": "0", "metric": "predicted", "value": 3, "note": pack(np.zeros((4, 4), np.uint8))}
    >>> detected = rows.table(found, table="detection", metric="auroc", data="mnist")
    >>> shown = rows.table([{**image, "condition": name} for name in auroc], table="inputs", data="mnist")
    >>> front(pd.concat([detected, shown])).alt.partition("worst: ")[2].partition(";")[0]
    'Ambiguous: Max Softmax 0.92, which has 0.81 for invalid inputs'
    """
    held = select(of(rows, "detection", "front picture", data=data, network=network), metric="auroc")
    mean = by_network(held)[0].pivot(index="condition", columns="method", values="value")
    kinds = [name for name in conditions_in(held) if name in mean.index]
    some(kinds, "front picture")
    best = {name: str(mean.loc[name].idxmax()) for name in kinds}
    seen = of(rows, "inputs", "front picture", data=held["data"].iloc[0])
    seen = seen.sort_values("at", key=lambda at: at.astype(int))
    with style():
        drawn = figure(_HEAD + _LINE * len(kinds) + _FOOT)
        for line, name in enumerate(kinds):
            shown = seen[seen["condition"] == name].head(_ACROSS)
            _inputs(drawn, _HEAD + _LINE * line, words(name), images_of(shown) if len(shown) else ())
        axes = place(drawn, _LEFT, _HEAD, WIDTH - _LEFT - 0.12, _LINE * len(kinds))
        _dots(axes, mean.loc[kinds], best)
        return picture(drawn, _told(mean.loc[kinds], best), "", "fig-front")


def _inputs(drawn: Figure, top: float, name: str, images: Iterable[NDArray[np.uint8]]) -> None:
    """Write a kind's name above a few of its images."""
    drawn.text(0.02, 1 - (top + 0.3) / drawn.get_figheight(), name, weight="bold")
    for index, image in enumerate(images):
        show(place(drawn, 0.1 + index * _IMAGE, top + 0.4, _IMAGE * 0.95, _IMAGE * 0.95), image)


def _dots(axes: Axes, mean: pd.DataFrame, best: dict[str, str]) -> None:
    """Draw all supervisors as grey dots, and a line through the kinds for each that is best at one."""
    at = range(len(mean))
    for name in mean.columns:
        axes.plot(mean[name], at, "o", color=GREY, alpha=0.35, ms=4, mew=0, ls="none")
    for index, name in enumerate(dict.fromkeys(best.values())):
        axes.plot(mean[name], at, color=PALETTE[index], marker=MARKERS[index], ms=6, lw=1.2, alpha=0.9)
        for line in (line for line, kind in enumerate(mean.index) if best[kind] == name):
            value = float(mean[name].iloc[line])
            axes.plot(value, line, color=PALETTE[index], marker=MARKERS[index], ms=9, mec="black")
            _write(axes, f"{short(name)} {value:.2f}", value, line, weight="bold")
        for line in (line for line in at if mean[name].iloc[line] < CHANCE):
            _write(axes, f"{mean[name].iloc[line]:.2f}", float(mean[name].iloc[line]), line)
    axes.axvline(CHANCE, color="black", lw=1, ls=":")
    axes.set(xlim=(0, 1.03), ylim=(len(mean) - 0.5, -0.5), yticks=[], xlabel="AUROC (0.5: chance, 1: finds all)")
    axes.spines["left"].set_visible(False)


def _write(axes: Axes, text: str, x: float, y: int, weight: str = "normal") -> None:
    side, beneath = "right" if x > CHANCE else "left", {"fc": "white", "ec": "none", "alpha": 0.8, "pad": 0.5}
    axes.annotate(text, (x, y), (2, 9), textcoords="offset points", ha=side, weight=weight, bbox=beneath)


def _told(mean: pd.DataFrame, best: dict[str, str]) -> str:
    said = []
    for kind, name in best.items():
        others = mean[name].drop(kind)
        said.append(
            f"{words(kind)}: {words(name)} {mean.loc[kind, name]:.2f}, which has {others.min():.2f} for "
            f"{words(str(others.idxmin())).lower()} inputs"
            if len(others)
            else f"{words(kind)}: {words(name)} {mean.loc[kind, name]:.2f}"
        )
    return (
        f"How well {len(mean.columns)} supervisors tell {len(mean)} kinds of bad input from nominal ones, as "
        f"AUROC, a line of dots a kind. The best of each kind, and where it is worst: {'; '.join(said)}."
    )
