"""Levels that mean the same to every network: accuracy before and after they are calibrated."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import NDArray

from mistrust.figures.misclassification.parts import condition_title, perturbations_in
from mistrust.figures.parts import by_network, some
from mistrust.figures.style import PALETTE, Picture, figure, picture, style
from mistrust.rows import select

_PLAIN, _NAMED = "#777777", PALETTE[1]
_MEAN = -1  # in place of a seed
_EACH = "perturbation of one network"


def calibration(rows: pd.DataFrame, *, caption: str = "") -> Picture:
    """Draw accuracy by the paper's levels and by calibrated ones, one line per network and perturbation.

    The first panel shows the networks that were calibrated, no others.

    Parameters
    ----------
    rows : rows of the chapter, with the tables "calibration" and "accuracy"; the latter may be missing.

    Raises
    ------
    MistrustError
        There is no accuracy after calibration.

    Examples
    --------
    >>> from mistrust import rows
    >>> common = {"table": "calibration", "method": "calibrated", "level": 1, "seed": 0}
    >>> fog = {"condition": "perturbed/fog", "metric": "accuracy", "value": 0.88}
    >>> snow = {"condition": "perturbed/snow", "metric": "accuracy", "value": 0.93}
    >>> target = {"condition": "perturbed/fog", "metric": "target", "value": 0.9}
    >>> calibration(rows.table([fog, snow, target], **common)).alt.partition("Calibrated levels: ")[2]
    'at level 1 the lines range from 88.0% to 93.0%; the farthest from the target is Snow of network 0, by up to 3.0%.'
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
        alt = f"Line plots of accuracy by level, one line per perturbation of a network.{goal} {' '.join(said)}"
        return picture(drawn, alt, caption, "fig-calibration")


def _panel(axes: Axes, found: pd.DataFrame, target: pd.Series) -> str:
    """Draw one panel and tell how far its lines lie from the target, or, without one, from each other."""
    lines = found[found["level"].notna() & found["condition"].isin(perturbations_in(found))]
    single = lines[lines["seed"].notna()]
    if single.empty:  # a mean alone
        single = lines.assign(seed=_MEAN)
    table = single.pivot_table(index="level", columns=["seed", "condition"], values="value")
    away = table.sub(target.reindex(table.index) if len(target) else table.mean(axis=1), axis=0).abs().max()
    seed, worst = away.index[int(away.argmax())]
    whose = "" if seed == _MEAN else f" of network {seed:.0f}"
    for index, (_, line) in enumerate(table.items()):
        axes.plot(*_points(line.dropna()), color=_PLAIN, lw=0.7, alpha=0.6, label="" if index else _EACH)
    axes.plot(*_points(table.mean(axis=1)), color=_NAMED, lw=2.5, label="mean of all")
    axes.plot(*_points(target), color="black", lw=2, ls="--", label="target")
    levels = sorted(table.index)
    axes.set_ylim(0, 104)
    axes.set_xticks(sorted({levels[0], levels[(len(levels) - 1) // 2], levels[-1]}))
    last = table.iloc[-1].dropna()
    return (
        f"at level {levels[-1]:.0f} the lines range from {last.min():.1%} to {last.max():.1%}; the farthest from "
        f"the {'target' if len(target) else 'mean'} is {condition_title(worst)}{whose}, by up to "
        f"{away.max():.1%}."
    )


def _points(line: pd.Series) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give the levels of a line, and its values in per cent."""
    return np.asarray(line.index, dtype=np.float64), 100 * np.asarray(line, dtype=np.float64)
