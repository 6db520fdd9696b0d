"""Perturbation matrices: how far each class is from each other one (the paper's Figures 8 to 10)."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.image import AxesImage
from matplotlib.patches import Patch, Rectangle
from numpy.typing import NDArray

from mistrust.figures.misclassification.cells import laid_out
from mistrust.figures.misclassification.parts import classes_of_cells
from mistrust.figures.parts import means
from mistrust.figures.robustness.parts import ALL, TRAINED, of, wanted, words
from mistrust.figures.style import MAP, Picture, figure, ink, legend_beneath, picture, style
from mistrust.figures.written import percent, plain

Matrix = NDArray[np.float64]
_NUMBERED = 12  # classes at most whose cells hold their number
_NONE = "#d9d9d9"  # a cell without a number: no target was reached


def matrices(
    rows: pd.DataFrame,
    networks: Sequence[str] | None = None,
    *,
    data: str | None = None,
    condition: str = ALL,
    caption: str = "",
) -> Picture:
    """Draw matrices of targeted distances on one scale: source down, target across; hatched where targets failed.

    Parameters
    ----------
    rows : rows of the chapter, with the table "matrix" (at = "source>target", metrics linf and success).
    networks : which; None for the first of each family.
    data : which image set; None for the first.
    condition : "all" (Figure 8), "half" (9) or "fraction" (10).

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    Threes become eights easily; only half of the way back was found:

    >>> from mistrust import rows
    >>> found = [
    ...     {"at": "3>8", "metric": "linf", "value": 12},
    ...     {"at": "8>3", "metric": "linf", "value": 30},
    ...     {"at": "8>3", "metric": "success", "value": 0.5},
    ... ]
    >>> made = matrices(rows.table(found, table="matrix", data="mnist", network="vgg9-w16"))
    >>> made.alt.partition("reached. ")[2]
    'VGG-9 w16: mean 21, from 12 (3 to 8) to 30 (8 to 3); 25% of targets not reached.'
    """
    what = "perturbation matrix"
    every = of(rows, "matrix", what, data=data, condition=condition)
    held = means(every)
    near = held[held["metric"] == "linf"]  # every network has rows of success, a few have distances
    names = wanted(networks, (held if near.empty else near)["network"], what)
    held = held[held["network"].isin(names)]
    classes = classes_of_cells(held["at"])
    found = {name: _of_network(held[held["network"] == name], classes) for name in names}
    finite = [linf[np.isfinite(linf)] for linf, _ in found.values()]
    top = max((float(one.max()) for one in finite if len(one)), default=1.0)
    columns = min(2, len(names))
    lines = -(-len(names) // columns)
    some_fail = any((reached < 1).any() for _, reached in found.values())
    with style():
        drawn = figure((4.4 if columns == 1 else 2.45 * lines) + 1.15 + 0.3 * some_fail)
        panels = drawn.subplots(lines, columns, squeeze=False).ravel()
        shown = AxesImage(panels[0])
        for index, (axes, name) in enumerate(zip(panels, names, strict=False)):
            shown = _panel(axes, *found[name], top, numbered=columns == 1 and len(classes) <= _NUMBERED)
            axes.set_title(words(name))
            _ticks(axes, classes, left=index % columns == 0, foot=index // columns == lines - 1, small=columns > 1)
        for axes in panels[len(names) :]:
            axes.axis("off")
        bar = drawn.colorbar(shown, ax=list(panels), location="top", shrink=0.75, aspect=35)
        bar.set_label("L∞ distance (grey levels of 255)")
        if some_fail:
            handles = [Patch(fc="white", ec="black", lw=0.6, hatch="//", label="some not reached"),
                       Patch(fc=_NONE, ec="black", lw=0.6, hatch="xxxx", label="none reached")]  # fmt: skip
            legend_beneath(drawn, handles=handles, ncols=2, columnspacing=1)
        trained = "" if condition == ALL else f", trained on {TRAINED.get(condition, condition)}"
        alt = (
            f"Heat maps of the L-infinity distance in grey levels at which the network is sure of another class, mean "
            f"over images, for {len(classes)} classes of {words(held['data'].iloc[0])}{trained}; hatched where targets "
            f"were not reached. {' '.join(_told(words(n), *found[n], classes) for n in names)}"
        )
        name = "fig-matrices" if condition == ALL else f"fig-matrices-{condition}"
        return picture(drawn, alt, caption, name, every[every["network"].isin(names)])


def _of_network(own: pd.DataFrame, classes: list[str]) -> tuple[Matrix, Matrix]:
    """Give distances (k, k), NaN where no target was reached, and the shares of targets that were."""
    reached = laid_out(own[own["metric"] == "success"], classes)
    linf = laid_out(own[own["metric"] == "linf"], classes)
    # Rows leave out pairs of which all targets are reached.
    reached = np.where(np.isnan(reached) & np.isfinite(linf), 1.0, reached)
    return np.where(reached == 0, np.nan, linf), reached


def _panel(axes: Axes, linf: Matrix, reached: Matrix, top: float, *, numbered: bool) -> AxesImage:
    shown = axes.imshow(linf, cmap=MAP, vmin=0, vmax=top)
    for (y, x), share in np.ndenumerate(reached):
        if share < 1:
            none = share == 0
            axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=_NONE if none else "none", lw=0,
                           edgecolor="black" if none else ink(linf[y, x] / top),
                           hatch="xxxx" if none else "//"))  # fmt: skip
    if numbered:
        for (y, x), value in np.ndenumerate(linf):
            if np.isfinite(value):
                box = (
                    {"fc": shown.to_rgba(np.array([value]))[0], "ec": "none", "pad": 1.2} if reached[y, x] < 1 else None
                )
                axes.text(x, y, f"{value:.0f}", ha="center", va="center", fontsize=9,
                          color=ink(value / top), bbox=box)  # fmt: skip
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    return shown


def _ticks(axes: Axes, classes: list[str], *, left: bool, foot: bool, small: bool) -> None:
    k = len(classes)
    every = 1 if k <= 20 else 5 if k <= 60 else k // 10
    places = range(0, k, every)
    texts = [classes[i] for i in places]
    long = max(map(len, texts)) > 2
    size = 9 if small or k > 12 else 11
    axes.set_xticks(places, texts if foot else [], rotation=90 if long else 0, fontsize=size)
    axes.set_yticks(places, texts if left else [], fontsize=size)
    axes.tick_params(length=0)
    axes.set_xlabel("target" if foot else "")
    axes.set_ylabel("source" if left else "")


def _told(title: str, linf: Matrix, reached: Matrix, classes: list[str]) -> str:
    if np.isnan(linf).all():
        return f"{title}: no target reached."
    y, x = np.unravel_index(int(np.nanargmax(linf)), linf.shape)
    v, u = np.unravel_index(int(np.nanargmin(linf)), linf.shape)
    lost = 1 - float(np.nanmean(reached)) if np.isfinite(reached).any() else 0.0
    failed = f"; {percent(lost) if lost >= 0.005 else 'under 1%'} of targets not reached" if lost else ""
    return (
        f"{title}: mean {plain(float(np.nanmean(linf)))}, from {plain(linf[v, u])} ({classes[v]} to {classes[u]}) to "
        f"{plain(linf[y, x])} ({classes[y]} to {classes[x]}){failed}."
    )
