"""The matrix itself: by each rule, and beside the true confusion."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from numpy.typing import NDArray

from mistrust.figures.misclassification.cells import matrix, tops
from mistrust.figures.misclassification.heat import heat
from mistrust.figures.misclassification.parts import ALL, method_title, methods_in_order
from mistrust.figures.parts import some
from mistrust.figures.style import Picture, figure, picture, style
from mistrust.rows import select

_SMALL = 9  # points: two matrices side by side hold 20 numbers in 5 inches


def matrices(rows: pd.DataFrame, methods: dict[str, str], *, caption: str = "", name: str = "fig-matrix") -> Picture:
    """Draw matrices one below the other: true class down, class mistaken for across, in per cent of the row.

    Parameters
    ----------
    rows : rows of the chapter, with the table "matrix".
    methods : method in the rows -> title over its matrix.

    Raises
    ------
    MistrustError
        There is no matrix by one of the methods.

    Examples
    --------
    >>> from mistrust import rows
    >>> cells = [{"at": "cat>dog", "value": 0.8}, {"at": "cat>owl", "value": 0.2}, {"at": "dog>cat", "value": 1.0}]
    >>> common = {"table": "matrix", "method": "minimum", "metric": "likelihood", "condition": "perturbed/all"}
    >>> matrices(rows.table(cells, seed=0, **common), {"minimum": "By the minimum"}).alt.rpartition("taken for. ")[2]
    'By the minimum: largest cell of each row: cat for dog (80%), dog for cat (100%).'
    """
    found = {method: matrix(rows, method) for method in methods}
    top = _top(found)
    with style():
        drawn = figure(4.6 * len(found))
        panels = drawn.subplots(len(found), 1, squeeze=False)[:, 0]
        for panel, (method, (values, classes)) in zip(panels, found.items(), strict=True):
            _large(panel, values, classes, methods[method], top)
        return picture(drawn, _told(found, methods), caption, name)


def rules(
    rows: pd.DataFrame, methods: dict[str, str] | None = None, *, caption: str = "", name: str = "fig-rules"
) -> Picture:
    """Draw the matrices of all rules in two columns, small, on one scale of colours.

    Parameters
    ----------
    rows : rows of the chapter, with the table "matrix".
    methods : method in the rows -> title over its matrix; None for all methods that the rows hold, the true confusion
        last. A method without rows is left out.

    Raises
    ------
    MistrustError
        There is no matrix at all.

    Examples
    --------
    >>> from mistrust import rows
    >>> cells = [{"at": "cat>dog", "value": 0.8}, {"at": "cat>owl", "value": 0.2}, {"at": "dog>cat", "value": 1.0}]
    >>> common = {"table": "matrix", "method": "mean", "metric": "likelihood", "condition": "perturbed/all"}
    >>> rules(rows.table(cells, seed=0, **common)).alt.rpartition("taken for. ")[2]  # all methods that there are
    'mean: largest cell of each row: cat for dog (80%), dog for cat (100%).'
    """
    held = select(rows, table="matrix", condition=ALL)
    if methods is None:
        wanted = {m: method_title(m) for m in methods_in_order(held) if m != "confusion"} | {"confusion": "confusion"}
    else:
        wanted = methods
    found = {method: matrix(rows, method) for method in wanted if method in set(held["method"])}
    some(found, "matrices by rule")
    top, columns = _top(found), min(2, len(found))
    lines = -(-len(found) // columns)
    with style():
        drawn = figure((4.8 if columns == 1 else 2.35 * lines) + 0.9)
        panels = drawn.subplots(lines, columns, squeeze=False).ravel()
        shown = AxesImage(panels[0])
        for index, (panel, (method, (values, classes))) in enumerate(zip(panels, found.items(), strict=False)):
            shown = heat(panel, 100 * values, classes, classes, 100 * top, size=_SMALL)
            panel.set_title(wanted[method])
            panel.tick_params(labelsize=_SMALL, length=0)
            # Names once at the left and once at the foot of each column.
            panel.tick_params(labelleft=index % columns == 0, labelbottom=index + columns >= len(found))
        drawn.supxlabel("taken for", fontsize=12)
        drawn.supylabel("true class", fontsize=12)
        _scale(drawn, shown, list(panels), len(found))
        return picture(drawn, _told(found, wanted), caption, name)


def _top(found: dict[str, tuple[NDArray[np.float64], list[str]]]) -> float:
    """Give the largest value of all: panels that are compared share one scale."""
    return max(float(np.nanmax(values)) for values, _ in found.values())


def _large(axes: Axes, values: NDArray[np.float64], classes: list[str], title: str, top: float) -> None:
    shown = heat(axes, 100 * values, classes, classes, 100 * top)
    axes.set_xlabel("taken for")
    axes.set_ylabel("true class")
    axes.set_title(title)
    axes.figure.colorbar(shown, ax=axes, label="% of the row", shrink=0.8)


def _scale(drawn: Figure, shown: AxesImage, panels: list[Axes], used: int) -> None:
    """Draw the colours' scale: in the panel that an odd number of matrices leaves free, else above them all."""
    if used < len(panels):
        panels[-1].axis("off")
        place = panels[-1].inset_axes((0.1, 0.5, 0.8, 0.07))
        drawn.colorbar(shown, cax=place, label="% of the row", orientation="horizontal")
    else:
        drawn.colorbar(shown, ax=panels, label="% of the row", location="top", shrink=0.6, aspect=30)


def _told(found: dict[str, tuple[NDArray[np.float64], list[str]]], titles: dict[str, str]) -> str:
    said = [f"{titles[method]}: {tops(values, classes)}" for method, (values, classes) in found.items()]
    return f"Heat map: rows are true classes, columns the classes that they are taken for. {' '.join(said)}"
