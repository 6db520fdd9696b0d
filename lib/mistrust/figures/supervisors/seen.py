"""How supervisors see a world of two pixels: what they make of every point of the plane."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from numpy.typing import NDArray

from mistrust.figures.images import images_of
from mistrust.figures.parts import and_so_on, class_names, some
from mistrust.figures.style import MAP, MARKERS, Picture, figure, picture, style
from mistrust.figures.supervisors.parts import in_order, short, words
from mistrust.rows import select

ALARM = 0.95  # place among nominal scores above which an input alarms
_COLUMNS = 2
_COLOURS = ("#ffffff", "#D55E00", "#56B4E9")
_POINTS = 20  # of a class: more would hide the map


def seen(rows: pd.DataFrame, methods: Sequence[str] = (), *, caption: str = "") -> Picture:
    """Draw the plane as each supervisor sees it, with training points and the line behind which it alarms.

    Parameters
    ----------
    rows : rows of the chapter, with the table "seen".
    methods : which supervisors; those without a map are left out, and none takes all.

    Raises
    ------
    MistrustError
        There are no such rows; a map without an image.

    Examples
    --------
    A supervisor that alarms in the upper half of the plane, and two training images in the other:

    >>> from mistrust import rows
    >>> from mistrust.pictures import pack
    >>> half = np.repeat(np.uint8([255, 60]), 8)[:, None].repeat(16, axis=1)
    >>> found = [
    ...     {"method": "dsa", "metric": "share of the plane", "value": 0.5, "note": pack(half)},
    ...     {"condition": "class/left", "at": "x=0.200,y=0.300", "metric": "point", "value": 0},
    ...     {"condition": "class/right", "at": "x=0.800,y=0.300", "metric": "point", "value": 1},
    ... ]
    >>> seen(rows.table(found, table="seen", data="two clusters")).alt.partition("alarm. ")[2]
    'Share of the plane that alarms: DSA 50%.'
    """
    held = select(rows, table="seen")
    maps = held[held["metric"] == "share of the plane"].set_index("method", drop=False)
    if methods:
        maps = maps[maps["method"].isin(list(methods))]
    some(maps, "maps of the plane")
    points = held[held["metric"] == "point"].sort_values("at")
    names = in_order(maps.index)
    lines = -(-len(names) // _COLUMNS)
    with style():
        drawn = figure(2.7 * lines + 0.6 + (len(names) % _COLUMNS == 0))
        panels = drawn.subplots(lines, _COLUMNS, squeeze=False).ravel()
        for axes in panels:
            axes.set(xticks=[], yticks=[])
            axes.grid(visible=False)
            axes.spines[:].set_visible(False)
        look = {"cmap": MAP, "norm": Normalize(0, 255)}
        for axes, name in zip(panels, names, strict=False):
            grey = images_of(maps.loc[[name]])[0]
            axes.imshow(grey, extent=(0, 1, 0, 1), **look)
            _line(axes, grey)
            _points(axes, points)
            axes.set(title=short(name), xlim=(0, 1), ylim=(0, 1))
        handles, labels = panels[0].get_legend_handles_labels()
        key = {"facecolor": "#bbbbbb", "framealpha": 1, "title": "training images", "markerscale": 2}
        if len(names) < len(panels):  # the place of no map
            panels[-1].legend(handles, labels, loc="center", **key)
        else:
            drawn.legend(handles, labels, loc="outside lower center", ncols=len(labels), **key)
        bar = drawn.colorbar(ScalarMappable(**look), ax=list(panels), location="bottom", aspect=40, pad=0.01)
        bar.set_label("score's place among nominal scores;\nline: 0.95, the alarm")
        bar.set_ticks([0, 127.5, 255], labels=["0", "0.5", "1"])
        said = and_so_on(f"{words(name)} {maps.loc[name, 'value']:.0%}" for name in names)
        alt = (
            "Maps of the plane of all images of two pixels, one per supervisor, bright where it finds an image "
            f"suspicious, with training images of {len(labels)} classes and a line beyond which 5% of nominal images "
            f"alarm. Share of the plane that alarms: {said}."
        )
        return picture(drawn, alt, caption, "fig-seen")


def _line(axes: Axes, grey: NDArray[np.uint8]) -> None:
    """Draw the line of the alarm; one side of it is always bright, so black is seen."""
    cells = (np.arange(len(grey)) + 0.5) / len(grey)
    axes.contour(cells, cells[::-1], grey.astype(float), levels=[255 * ALARM], colors="black", linewidths=1.6)


def _points(axes: Axes, points: pd.DataFrame) -> None:
    places = points["at"].str.extract(r"x=([\d.]+),y=([\d.]+)").astype(float)
    for index, name in enumerate(class_names(points["condition"])):
        here = places[points["condition"] == name]
        here = here.iloc[:: -(-len(here) // _POINTS)]  # from left to right, so all along
        look = {"color": _COLOURS[index % len(_COLOURS)], "marker": MARKERS[index % len(MARKERS)]}
        axes.plot(here[0], here[1], ls="", ms=4, mec="black", mew=0.6, label=name.partition("/")[2], **look)
