"""Depth and number of parameters against accuracy and both kinds of robustness: one point per network."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator

from mistrust.evaluation import spearman
from mistrust.figures.parts import and_so_on, means, numbers, one_of, some, sorted_rows
from mistrust.figures.robustness.parts import (
    ALL,
    FAMILIES,
    OTHER,
    RIGHT,
    data_in,
    family,
    family_title,
    in_order,
    look,
    words,
)
from mistrust.figures.style import Picture, figure, legend_beneath, picture, style
from mistrust.figures.written import interval, many, two
from mistrust.robustness.relation_names import within
from mistrust.rows import select

_ACROSS = {"depth": "depth (layers)", "parameters": "parameters"}


@dataclass(frozen=True)
class _Measure:
    """A row of panels: its name in relations, its axis, and where it stands in the rows."""

    name: str
    title: str
    where: dict[str, object]
    scale: float = 1.0


_DOWN = (
    _Measure("accuracy", "accuracy, %", {"table": "networks", "metric": "accuracy"}, 100.0),
    _Measure("random", "breaking σ\n(grey levels)", {"table": "random", "metric": "capped mean", "method": RIGHT}),
    _Measure("targeted", "targeted L∞\n(grey levels)", {"table": "targeted", "metric": "linf", "method": "adam"}),
)


def depth_and_size(rows: pd.DataFrame, *, data: str | None = None, caption: str = "") -> Picture:
    """Draw every network's accuracy, breaking noise and targeted distance by its depth and by its size.

    Parameters
    ----------
    rows : rows of the chapter, with the tables "networks" (accuracy, depth, parameters), "random" (capped mean),
        "targeted" (linf, by Adam, no level) and "relations", whose rank correlations stand over the panel, of all
        networks and within families with its interval; where these have no row, that of the points.
    data : which image set; None for the first.

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    Three networks, the deeper the better, and the larger the worse:

    >>> from mistrust import rows
    >>> sizes = {"alexnet6-w16": (6, 9e5, 0.9), "vgg9-w16": (9, 8e5, 0.92), "resnet14-w8": (14, 2e5, 0.95)}
    >>> found = [
    ...     {"network": name, "metric": metric, "value": value}
    ...     for name, values in sizes.items()
    ...     for metric, value in zip(("depth", "parameters", "accuracy"), values)
    ... ]
    >>> depth_and_size(rows.table(found, table="networks", data="mnist")).alt.partition("parameters. ")[2]
    'Rank correlations: depth with accuracy 1.00 and parameters with accuracy -1.00.'
    """
    what = "depth and size of networks"
    networks = select(rows, table="networks", condition=[ALL, ""])
    some(networks, what)
    there = one_of(data, data_in(networks), what)
    held = select(rows, data=there)
    sizes = {one: _by_network(held, {"table": "networks", "metric": one}) for one in _ACROSS}
    measures = [(one, values) for one in _DOWN if len(values := _by_network(held, one.where))]
    names = in_order(set(sizes["depth"].index) & set(sizes["parameters"].index))
    some(measures and names, what)
    said = []
    with style():
        drawn = figure(2.0 * len(measures) + 1.05)
        panels = drawn.subplots(len(measures), 2, squeeze=False, sharex="col", sharey="row")
        for line, (measure, values) in zip(panels, measures, strict=True):
            for axes, across in zip(line, _ACROSS, strict=True):
                _points(axes, names, sizes[across], values, measure.scale)
                text = _relation(held, across, measure.name, sizes[across], values)
                # Without the interval, for which the panel is too narrow; `relations` draws it.
                short = _narrow(text).partition(" (")[0].replace("; ", "\n")
                axes.set_title(f"ρ {short}", fontsize=10.5, pad=4)
                said.append(f"{across} with {words(measure.name)} {text}")
            line[0].set_ylabel(measure.title)
        for axes, title in zip(panels[-1], _ACROSS.values(), strict=True):
            axes.set_xlabel(title)
        panels[-1][0].xaxis.set_major_locator(MaxNLocator(5, integer=True))
        panels[-1][1].set_xscale("log")
        panels[-1][1].xaxis.set_minor_locator(NullLocator())
        panels[-1][1].xaxis.set_major_formatter(FuncFormatter(_short))
        drawn.align_ylabels(list(panels[:, 0]))
        for one in (*FAMILIES, OTHER):
            if one in set(map(family, names)):
                panels[0][0].plot([], [], ls="", ms=7, label=family_title(one), **look(one))
        handles, texts = panels[0][0].get_legend_handles_labels()
        legend_beneath(drawn, handles, texts, ncols=2, handletextpad=0.2)
        alt = (
            f"Scatter plots of {many(len(names), 'network')} on {words(there)}, the mean over their seeds: "
            "accuracy, breaking "
            f"noise and targeted distance by depth and by number of parameters. Rank correlations: {and_so_on(said)}."
        )
        return picture(drawn, alt, caption, "fig-depth-and-size")


def _short(number: float, _: int) -> str:
    """Write a number of parameters: "100 k", "10 M"."""
    return f"{number / 1e6:g} M" if number >= 1e6 else f"{number / 1e3:g} k"


def _narrow(text: str) -> str:
    """Leave the zero before the point out, so that an interval stands over a narrow panel."""
    return text.replace("0.", ".").replace("-", "−")


def _by_network(held: pd.DataFrame, where: dict[str, object]) -> pd.DataFrame:
    """Give value, low and high by network, of those trained on everything; rows of a learning rate are left out."""
    found = sorted_rows(select(held, condition=[ALL, ""], **where))
    found = means(found[found["level"].isna()])
    return found.drop_duplicates("network").set_index("network")[["value", "low", "high"]]


def _points(axes: Axes, names: list[str], size: pd.DataFrame, values: pd.DataFrame, scale: float) -> None:
    for name in (n for n in names if n in values.index):
        x = float(size.loc[name, "value"])  # type: ignore[arg-type]
        value, low, high = scale * numbers(values.loc[name])
        axes.plot([x, x], [low, high], color=look(name)["color"], lw=1.4, alpha=0.6, zorder=2)
        axes.plot(x, value, ls="", ms=7, mec="white", mew=0.6, zorder=3, **look(name))
    axes.margins(x=0.1, y=0.12)


def _relation(held: pd.DataFrame, across: str, down: str, size: pd.DataFrame, values: pd.DataFrame) -> str:
    """Write the rank correlation: of the rows, all together and within families, else that of the points."""
    pairs = [f"{across} ~ {down}", f"{down} ~ {across}"]
    whole, by_family = (
        select(held, table="relations", metric="spearman", method=names) for names in (pairs, [*map(within, pairs)])
    )
    both = [name for name in size.index if name in values.index]
    rho = spearman(size.loc[both, "value"], values.loc[both, "value"]) if len(both) > 2 else float("nan")
    if len(whole):
        rho = float(whole["value"].iloc[0])
    told = "not run" if np.isnan(rho) else two(rho)
    if len(by_family):
        value, low, high = numbers(by_family[["value", "low", "high"]])[0]
        told += f"; within families {interval(value, low, high)}"
    return told
