"""Where on the latent plane each way to draw takes its points from."""

import textwrap

import numpy as np
import pandas as pd
from matplotlib.colors import PowerNorm
from numpy.typing import NDArray

from mistrust.figures.ambiguity.parts import in_order, of_pair, on_plane, words
from mistrust.figures.parts import numbers, values_of
from mistrust.figures.style import MAP, Picture, figure, picture, style
from mistrust.rows import select

_METHODS = ("uniform", "jacobian", "energy", "as published")
_HELD = 0.9  # of the chance, by the likeliest cells


def cells(rows: pd.DataFrame, pair: str | None = None, *, caption: str = "") -> Picture:
    """Draw the chance of each cell of the latent plane, one panel per way to draw, all on one scale.

    The scale is that of an even draw over the whole plane: 1 where a cell is as likely as there.

    Parameters
    ----------
    rows : rows of the chapter, with the table "cells".
    pair : which pair of classes; None for the first.

    Raises
    ------
    MistrustError
        There are no such rows; cells that fill no rectangle.

    Examples
    --------
    >>> from mistrust import rows
    >>> places = {"z0=0,z1=0": 0.5, "z0=1,z1=0": 0.5, "z0=0,z1=1": 0, "z0=1,z1=1": 0}  # two of four are drawn from
    >>> made = [{"at": at, "value": chance} for at, chance in places.items()]
    >>> drawn = cells(rows.table(made, table="cells", metric="chance", condition="4/9", method="uniform"))
    >>> drawn.alt.split("way to draw. ")[1]
    'even draw: 50% of the cells hold 90% of the chance, standard deviation of z1 0.0.'
    """
    found = of_pair(select(rows, table="cells", metric="chance"), pair, "chances of cells")
    planes = {method: _plane(found[found["method"] == method]) for method in in_order(found["method"], _METHODS)}
    most = max(float(values.max() * values.size) for values, _, _ in planes.values())
    said = []
    with style():
        drawn = figure(4.6)
        panels = drawn.subplots(1, len(planes), squeeze=False, sharey=True)[0]
        for axes, (method, (values, z0, z1)) in zip(panels, planes.items(), strict=True):
            x, y = (abs(float(line[1] - line[0])) / 2 if len(line) > 1 else 0.5 for line in (z0, z1))
            shown = axes.imshow(
                values * values.size,
                cmap=MAP,
                norm=PowerNorm(0.5, 0, most),
                aspect="auto",
                extent=(z0[0] - x, z0[-1] + x, z1[-1] - y, z1[0] + y),
            )
            axes.set_title("\n".join(textwrap.wrap(words(method), 11)))
            axes.grid(visible=False)
            axes.set_xticks([-0.5, 0.5] if z0[-1] > 0.5 else [float(z0[0]), float(z0[-1])])
            axes.set_xlabel("latent z0", labelpad=2)
            said.append(_told(words(method), values, z1))
        panels[0].set_ylabel("latent z1")
        bar = drawn.colorbar(shown, ax=list(panels), location="bottom", aspect=40, pad=0.02)
        bar.set_label("chance, 1 = even draw from all cells")
        bar.set_ticks([tick for tick in (0, 1, 2, 5, 10, 20, 50, 100, 200) if tick <= most])
        alt = (
            f"Heat maps of the latent plane of pair {found['condition'].iloc[0]}: the share of each cell in the "
            f"points that are kept, one panel per way to draw. {' '.join(said)}"
        )
        return picture(drawn, alt, caption, "fig-cells")


Plane = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]


def _plane(found: pd.DataFrame) -> Plane:
    """Give the chances (z1 falling, z0 rising) and the values of z0 and z1."""
    here = on_plane(found)
    z0, z1 = values_of(here["z0"]), values_of(here["z1"])
    return numbers(here["value"]).reshape(len(z1), len(z0)), z0, z1


def _told(name: str, values: NDArray[np.float64], z1: NDArray[np.float64]) -> str:
    ordered = np.sort(values.ravel())[::-1] / values.sum()
    few = (int(np.searchsorted(ordered.cumsum(), _HELD - 1e-9)) + 1) / values.size
    along = values.sum(1) / values.sum()
    spread = np.sqrt((along * z1**2).sum() - (along * z1).sum() ** 2)
    return f"{name}: {few:.0%} of the cells hold {_HELD:.0%} of the chance, standard deviation of z1 {spread:.1f}."
