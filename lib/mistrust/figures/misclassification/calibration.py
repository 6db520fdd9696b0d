"""Levels that mean the same to every network: accuracy before and after they are calibrated."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import NDArray

from mistrust.figures.misclassification.parts import (
    by_network,
    condition_title,
    of_network,
    perturbations_in,
    some,
)
from mistrust.figures.style import PALETTE, Picture, figure, picture, style
from mistrust.rows import select

_PLAIN, _NAMED = "#999999", PALETTE[1]


def calibration(rows: pd.DataFrame, *, caption: str = "") -> Picture:
    """Draw accuracy by the paper's levels and by calibrated ones, a line a perturbation, the target dashed.

    The line that lies farthest from the target at any level is named in each panel. The first panel shows the networks
    that were calibrated, no others.

    Parameters
    ----------
    rows : rows of the chapter, with the tables "calibration" and "accuracy"; the latter may be missing.

    Raises
    ------
    MistrustError
        There is no accuracy after calibration.
    """
    held = select(rows, table="calibration", method="calibrated")
    after = held[(held["metric"] == "accuracy") & held["level"].notna()]
    some(perturbations_in(after), "accuracy after calibration")
    target = by_network(held[held["metric"] == "target"])[0].groupby("level")["value"].mean()
    networks = after["seed"].dropna().unique()
    before = select(rows, table="accuracy", metric="accuracy")
    if len(networks):
        before = before[before["seed"].isin(networks)]  # so that the mean is taken over the same networks
    panels = {"The paper's levels": before, "Calibrated levels": after}
    shown = {title: found for title, found in panels.items() if perturbations_in(found)}
    said = []
    with style():
        drawn = figure(3.9)
        columns = drawn.subplots(1, len(shown), squeeze=False, sharey=True)[0]
        for axes, (title, found) in zip(columns, shown.items(), strict=True):
            axes.set_title(title)
            said.append(f"{title}: {_panel(axes, found, target)}")
        columns[0].set_ylabel("accuracy (%)")
        handles, labels = columns[0].get_legend_handles_labels()
        drawn.supxlabel("level", fontsize=12)
        drawn.legend(handles, labels, loc="outside upper center", ncols=2, frameon=False)
        goal = f" The target falls from {target.iloc[0]:.1%} to {target.iloc[-1]:.1%}." if len(target) else ""
        alt = f"Line plots of accuracy by level, a line a perturbation, mean over networks.{goal} {' '.join(said)}"
        return picture(drawn, alt, caption, "fig-calibration")


def _panel(axes: Axes, found: pd.DataFrame, target: pd.Series) -> str:
    """Draw one panel and tell how far its lines lie from the target, or, without one, from each other."""
    mean = of_network(found, None)
    conditions = perturbations_in(mean)
    lines = {c: mean[mean["condition"] == c].set_index("level")["value"].sort_index() for c in conditions}
    table = pd.DataFrame(lines)
    away = table.sub(target.reindex(table.index) if len(target) else table.mean(axis=1), axis=0).abs().max()
    worst = str(away.idxmax())
    for condition, line in lines.items():
        if condition != worst:
            label = "" if axes.get_lines() else "a perturbation"
            axes.plot(*_points(line), color=_PLAIN, lw=1, label=label)
    axes.plot(*_points(lines[worst]), color=_NAMED, lw=2.5, label="farthest from target")
    axes.plot(*_points(target), color="black", lw=2, ls="--", label="target")
    axes.text(0.04, 0.04, condition_title(worst), transform=axes.transAxes, weight="bold")
    levels = sorted(table.index)
    axes.set_ylim(0, 104)
    axes.set_xticks(sorted({levels[0], levels[(len(levels) - 1) // 2], levels[-1]}))
    last = table.iloc[-1].dropna()
    return (
        f"at level {levels[-1]:.0f} the perturbations lie from {last.min():.1%} to {last.max():.1%}; farthest from "
        f"the {'target' if len(target) else 'mean'} is {condition_title(worst)}, by up to {away[worst]:.1%}."
    )


def _points(line: pd.Series) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give the levels of a line, and its values in per cent."""
    return np.asarray(line.index, dtype=np.float64), 100 * np.asarray(line, dtype=np.float64)
