"""Where the spread of targeted distances comes from: the source, the target, the image, the seed, or none of them."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.patches import Patch

from mistrust.figures.dots import name_lines
from mistrust.figures.parts import and_so_on, means, one_of, some
from mistrust.figures.robustness.parts import ALL, in_order, of, words
from mistrust.figures.style import PALETTE, Picture, figure, legend_beneath, picture, style
from mistrust.figures.written import percent
from mistrust.robustness.variance import COMPONENTS, REST

_LINE = 0.36  # inches
# Light enough for black numbers, apart from one another in lightness where they are neighbours.
_COLOURS = dict(
    zip((*COMPONENTS, REST), (PALETTE[5], PALETTE[4], "#bfe3d4", PALETTE[3], "#f3e37c", "#c9c2e6", "#dddddd"),
        strict=False)
)  # fmt: skip
WHAT = {"": "targeted distances", "cells": "mean targeted distances from class to class, over training seeds,"}
_WRITTEN = 0.07  # of the bar, that a number needs


def variance(
    rows: pd.DataFrame,
    networks: Sequence[str] | None = None,
    *,
    data: str | None = None,
    condition: str = ALL,
    method: str = "",
    caption: str = "",
) -> Picture:
    """Draw shares of variance as stacked bars, one per network.

    Parameters
    ----------
    rows : rows of the chapter, with the table "variance" (at = component, metric share). A component that could not be
        told from another has no row.
    networks : which; None for all.
    data, condition : which image set (None for the first) and training variant.
    method : "" for the distances of single images, network by network; "cells" for the mean distances of all classes
        to all others in a network's several trainings, of which the seed is a component.

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [{"at": "source", "value": 0.5}, {"at": "target", "value": 0.3}, {"at": "rest", "value": 0.2}]
    >>> made = variance(rows.table(found, table="variance", metric="share", data="mnist", network="vgg9-w16"))
    >>> made.alt.partition("common. ")[2]
    'VGG-9 w16: source 50%, target 30% and rest 20%.'
    """
    what = "shares of variance"
    every = of(rows, "variance", what, data=data, condition=condition, method=method, metric="share")
    held = means(every)
    some(held, what)
    there = in_order(held["network"])
    names = there if networks is None else [one_of(name, there, what) for name in networks]
    parts = [one for one in _COLOURS if one in set(held["at"])]
    parts += sorted(set(held["at"]) - set(parts))
    colours = {one: _COLOURS.get(one, "white") for one in parts}
    said = []
    with style():
        drawn = figure(_LINE * len(names) + 0.75 + 0.25 * -(-len(parts) // 3))
        axes = drawn.subplots()
        for y, name in enumerate(names):
            own = held[held["network"] == name].set_index("at")["value"]
            left = 0.0
            for part in parts:
                share = float(own.get(part, 0.0))
                axes.barh(y, 100 * share, left=100 * left, height=0.78, color=colours[part], ec="white", lw=0.8)
                if share >= _WRITTEN:
                    axes.text(
                        100 * (left + share / 2), y, f"{100 * share:.0f}", ha="center", va="center", fontsize=10.5
                    )
                left += share
            said.append(f"{words(name)}: {and_so_on(f'{p} {percent(float(own[p]))}' for p in parts if p in own)}.")
        name_lines(axes, [(y, words(name), False) for y, name in enumerate(names)])
        axes.set_xlim(0, 100)
        axes.grid(visible=False)
        axes.set_xlabel("share of the variance, %")
        handles = [Patch(fc=colours[part], label=part.replace(" x ", " × ")) for part in parts]
        legend_beneath(drawn, handles=handles, ncols=3, columnspacing=1, handlelength=1.2)
        alt = (
            f"Stacked bars of the variance of {WHAT[method]} on {words(held['data'].iloc[0])}, split by what the "
            f"distances have in common. {' '.join(said)}"
        )
        return picture(
            drawn, alt, caption, f"fig-variance{'-' * bool(method)}{method}", every[every["network"].isin(names)]
        )
