"""The story in a picture: how far one image is from every other class, for several networks.

The paper's Figure 6, in polar form: a direction a class, the source's own left empty. What the search did not reach is
no number: it stands outside of the disc.
"""

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Circle

from mistrust.errors import MistrustError
from mistrust.figures.images import images_of, place, show
from mistrust.figures.parts import GREY
from mistrust.figures.robustness.one_image import MOST, Bubble, bubbles_of, classes_of, rings, told_of
from mistrust.figures.robustness.parts import words
from mistrust.figures.style import MARKERS, PALETTE, Picture, figure, picture, style

_DASHES = ("-", (0, (5, 1.5)), (0, (1.5, 1.2)), (0, (6, 1.5, 1.5, 1.5)))
_HEAD = 0.65  # inches above the disc: a name, and beside it the image
_FEW = 16  # classes, up to which names are large
_SIDE = 0.25  # of the radius: names nearer to the middle stand centred over their spoke
_OUTSIDE = 0.1  # of the disc's radius, between the marks of failures


def story(
    rows: pd.DataFrame,
    networks: Sequence[str] | None = None,
    *,
    method: str | None = None,
    data: str | None = None,
    seed: int | None = None,
    caption: str = "",
) -> Picture:
    """Draw the bubbles of one image over each other.

    Parameters
    ----------
    rows : rows of the chapter, with the table "bubble": at = target, metric linf (the row is left out, or not read,
        where the target was not reached) and success; at = source, metric source, whose note may hold the image.
    networks : which, four at most; None for the first four, family by family.
    method : the search, "adam" or "tight"; None for the first.
    data, seed : which image set and training seed; None for the first.

    Raises
    ------
    MistrustError
        There are no such rows; more networks than can be told apart.

    Examples
    --------
    A target that was not reached is no number:

    >>> from mistrust import rows
    >>> found = [
    ...     {"at": "3", "metric": "source", "value": 3},
    ...     {"at": "5", "metric": "linf", "value": 20},
    ...     {"at": "8", "metric": "linf", "value": 12},
    ...     {"at": "1", "metric": "success", "value": 0},
    ... ]
    >>> made = story(rows.table(found, table="bubble", data="mnist", network="vgg9-w16", method="adam"))
    >>> made.alt.partition("that class. ")[2]
    'VGG-9 w16: 16 on average, nearest 8 at 12, farthest 5 at 20, not reached 1.'
    """
    held, bubbles = bubbles_of(rows, networks, method, data, seed)
    if len(bubbles) > MOST:
        raise MistrustError(f"{len(bubbles)} bubbles over each other cannot be told apart: name {MOST} at most.")
    source, classes = bubbles[0].source, classes_of(bubbles)
    top, step = rings(bubbles)
    failures = max(sum(name in one.failed for one in bubbles) for name in classes)
    rim = 1 + (0.06 + _OUTSIDE * failures if failures else 0.0)
    size = 12 if len(classes) <= _FEW else 9
    radius = _radius(classes, source, size)  # inches, of the rim
    foot = 0.25 * -(-(len(bubbles) + bool(failures)) // 2) + 0.45  # inches, for the legend and a name
    with style():
        drawn = figure(2 * radius + _HEAD + foot)
        axes = place(drawn, 2.5 - radius, _HEAD, 2 * radius, 2 * radius)
        axes.set_xlim(-rim, rim)
        axes.set_ylim(-rim, rim)
        _disc(axes, classes, source, top, step, rim, size)
        for index, one in enumerate(bubbles):
            _outline(axes, one, classes, top, index)
        for angle, name in _angles(classes):
            for number, one in enumerate([one for one in bubbles if name in one.failed]):
                far = 1.06 + _OUTSIDE * (number + 0.5)
                axes.plot(math.sin(angle) * far, math.cos(angle) * far, "x", ms=7, mew=2.2,
                          color=PALETTE[bubbles.index(one)], zorder=5)  # fmt: skip
        if failures:
            axes.plot([], [], "x", ms=7, mew=2.2, color="#444444", ls="", label="not reached")
        drawn.legend(loc="lower center", ncols=2, frameon=False, columnspacing=1.2, handlelength=2.6, borderaxespad=0)
        image = held[(held["metric"] == "source") & held["note"].str.startswith("png:")].head(1)
        if len(image):
            show(place(drawn, 0.05, 0.05, _HEAD + 0.1, _HEAD + 0.1), images_of(image)[0])
        alt = (
            f"Polar plot of one image of {source} ({words(held['data'].iloc[0])}): one direction per class, "
            "that of the source left empty; the distance from the middle is the L-infinity distance, in grey levels, "
            f"at which the network is sure of that class. {' '.join(told_of(one, classes) for one in bubbles)}"
        )
        return picture(drawn, alt, caption, "fig-story")


def _radius(classes: Sequence[str], source: str, size: float) -> float:
    """Give the disc's radius in inches, as large as names at its sides allow."""
    room = [
        (2.4 - 0.0066 * size * max(len(name), 9 * (name == source))) / abs(math.sin(angle)) - 0.12
        for angle, name in _angles(classes)
        if abs(math.sin(angle)) >= _SIDE
    ]
    return min([2.0, *room])  # of two classes no name stands at a side


def _angles(classes: Sequence[str]) -> list[tuple[float, str]]:
    return [(2 * math.pi * i / len(classes), name) for i, name in enumerate(classes)]


def _disc(axes: Axes, classes: Sequence[str], source: str, top: float, step: float, rim: float, size: float) -> None:
    axes.set_aspect("equal")
    axes.axis("off")
    if rim > 1:
        axes.add_patch(Circle((0, 0), rim, facecolor="#f3f3f3", edgecolor="none", zorder=0))
        axes.add_patch(Circle((0, 0), 1, facecolor="white", edgecolor="none", zorder=0))
    middle = math.pi / len(classes) if len(classes) <= _FEW else 0.0
    for ring in np.arange(step, top + step / 2, step):
        axes.add_patch(Circle((0, 0), ring / top, fill=False, edgecolor="#cccccc", lw=0.9, zorder=1))
        at, box = ring / top, {"fc": "white", "ec": "none", "pad": 0.8, "alpha": 0.8}
        axes.text(math.sin(middle) * at, math.cos(middle) * at, f"{ring:g}", fontsize=10, ha="center", va="center",
                  color="#333333", bbox=box, zorder=6)  # fmt: skip
    for angle, name in _angles(classes):
        x, y = math.sin(angle), math.cos(angle)
        own = name == source
        axes.plot([0, x], [0, y], color=GREY if own else "#cccccc", lw=1.2, ls=(0, (2, 3)) if own else "-", zorder=1)
        side = "center" if abs(x) < _SIDE else ("left" if x > 0 else "right")
        text = f"{name}\n(source)" if own and len(classes) <= _FEW else name
        up = "bottom" if y > 0.9 else "top" if y < -0.9 else "center"
        weight = "bold" if own else "normal"
        axes.text(x * (rim + 0.08), y * (rim + 0.08), text, ha=side, va=up, fontsize=size, weight=weight)


def _outline(axes: Axes, one: Bubble, classes: Sequence[str], top: float, index: int) -> None:
    """Draw one bubble: neighbours are joined, over the source and over failures nothing is."""
    colour, marker = PALETTE[index], MARKERS[index]
    points = [
        (math.sin(a) * one.distance[n] / top, math.cos(a) * one.distance[n] / top) if n in one.distance else None
        for a, n in _angles(classes)
    ]
    for here, following in zip(points, [*points[1:], points[0]], strict=True):
        if here and following:
            axes.plot(*zip(here, following, strict=True), color=colour, lw=2, ls=_DASHES[index], zorder=3)
    x, y = zip(*(p for p in points if p), strict=True) if any(points) else ((), ())
    axes.plot(x, y, marker, color=colour, mec="white", mew=0.6, ms=7 if len(classes) <= _FEW else 4, zorder=4)
    axes.plot([], [], marker=marker, color=colour, mec="white", mew=0.6, ms=7, lw=2, ls=_DASHES[index], label=one.title)
