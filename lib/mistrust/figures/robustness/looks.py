"""Does the search tell more than a look at the gradient? Rank correlations of cheap looks with what searches found."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from mistrust.figures.dots import estimate, name_lines
from mistrust.figures.parts import means, numbers, one_of, some
from mistrust.figures.robustness.parts import FAMILIES, OTHER, family, family_title, in_order, look, of, words
from mistrust.figures.style import Picture, figure, legend_beneath, picture, style
from mistrust.figures.written import two

METHODS = ("margin", "linear estimate", "ddn")
_TITLES = {"spearman with random": "breaking noise", "spearman with targeted": "targeted distance"}
_LINE = 0.135  # inches of a network


def looks(
    rows: pd.DataFrame, networks: Sequence[str] | None = None, *, data: str | None = None, caption: str = ""
) -> Picture:
    """Draw how well the margin, the linear estimate and DDN order images as both searches do: one dot per network.

    Parameters
    ----------
    rows : rows of the chapter, with the table "looks" (method = margin, linear estimate or ddn; metrics spearman with
        random, spearman with targeted).
    networks : which; None for all.
    data : which image set; None for the first.

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [{"method": "margin", "value": 0.4}, {"method": "ddn", "value": 0.8, "low": 0.7, "high": 0.9}]
    >>> common = {"table": "looks", "data": "mnist", "network": "vgg9-w16", "metric": "spearman with random"}
    >>> looks(rows.table(found, **common)).alt.partition("intervals. ")[2]
    'With breaking noise: margin 0.40; DDN (L2 search) 0.80 (0.70 to 0.90).'
    """
    what = "cheap looks beside the searches"
    held = of(rows, "looks", what, data=data, metric=list(_TITLES))
    there = in_order(held["network"])
    names = there if networks is None else [one_of(name, there, what) for name in networks]
    held = held[held["network"].isin(names)]
    methods = [one for one in METHODS if (held["method"] == one).any()]
    methods += sorted(set(held["method"]) - set(METHODS))
    metrics = [one for one in _TITLES if (held["metric"] == one).any()]
    some(metrics and methods, what)
    step = 0.84 / max(1, len(names))
    said = []
    with style():
        drawn = figure(max(0.6, _LINE * len(names) + 0.2) * len(methods) + 1.6)
        panels = drawn.subplots(1, len(metrics), squeeze=False, sharey=True)[0]
        for axes, metric in zip(panels, metrics, strict=True):
            here = held[held["metric"] == metric]
            for y, method in enumerate(methods):
                for index, name in enumerate(names):
                    own = here[(here["method"] == method) & (here["network"] == name)]
                    _dot(axes, own, y + step * (index - (len(names) - 1) / 2), name)
            said.append(f"With {_TITLES[metric]}: {_told(here, methods, names)}.")
        name_lines(panels[0], [(y, "\n".join(words(one).split(" (")).rstrip(")"), False)
                               for y, one in enumerate(methods)])  # fmt: skip
        for axes, metric in zip(panels, metrics, strict=True):
            _finish(axes, _TITLES[metric], len(methods))
        for axes in panels[1:]:
            axes.spines["left"].set_visible(False)
            axes.tick_params(axis="y", length=0)
        for one in (*FAMILIES, OTHER):
            if one in set(map(family, names)):
                panels[0].plot([], [], ls="", ms=6.5, label=family_title(one), **look(one))
        handles, texts = panels[0].get_legend_handles_labels()
        legend_beneath(drawn, handles, texts, ncols=2, handletextpad=0.2)
        alt = (
            f"Dot plots of the rank correlation over images between a quick look and a search, for {len(names)} "
            f"networks on {words(held['data'].iloc[0])}, with intervals. {' '.join(said)}"
        )
        return picture(drawn, alt, caption, "fig-looks", held)


def _dot(axes: Axes, own: pd.DataFrame, y: float, name: str) -> None:
    for value, low, high in numbers(means(own)[["value", "low", "high"]]):
        axes.plot([low, high], [y, y], color=look(name)["color"], lw=1.6, alpha=0.7, zorder=2)
        axes.plot(value, y, ls="", ms=6.5, mec="white", mew=0.5, zorder=3, **look(name))


def _finish(axes: Axes, title: str, count: int) -> None:
    for y in range(count - 1):
        axes.axhline(y + 0.5, color="#bbbbbb", lw=0.8)
    axes.axvline(0, color="black", lw=0.9)
    axes.set_title(title)
    axes.set_xlabel("rank correlation ρ")
    axes.set_ylim(count - 0.5, -0.5)
    low = min(0.0, axes.get_xlim()[0])
    axes.set_xlim(-1 if low < -0.3 else min(-0.05, low), 1.02)
    axes.set_xticks(*(([-1, 0, 1], ["−1", "0", "1"]) if low < -0.3 else ([0, 0.5, 1], ["0", ".5", "1"])))
    axes.grid(visible=False, axis="y")


def _told(here: pd.DataFrame, methods: list[str], names: list[str]) -> str:
    said = []
    for method in methods:
        own = here[here["method"] == method]
        if len(names) == 1:
            said.append(f"{words(method)} {estimate(own, two)}")
            continue
        values = numbers(means(own)["value"])
        if len(values):
            said.append(f"{words(method)} {two(float(np.median(values)))} (median of {len(values)} networks, from "
                        f"{two(values.min())} to {two(values.max())})")  # fmt: skip
    return "; ".join(said)
