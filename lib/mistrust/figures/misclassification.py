"""Figures of the MLM chapter: each takes rows and gives a picture."""

import numpy as np
import pandas as pd
import torch
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from mistrust.errors import MistrustError
from mistrust.figures.interactive import Interactive, grid
from mistrust.figures.style import MAP, MARKERS, PALETTE, Picture, figure, picture, style
from mistrust.inputs import PERTURBATIONS
from mistrust.rows import select


def accuracy_by_level(rows: pd.DataFrame, beside: pd.DataFrame | None = None, *, caption: str = "") -> Picture:
    """Draw accuracy against level, one panel a perturbation: the mean over networks bold, each network thin.

    Parameters
    ----------
    rows : rows of the chapter.
    beside : rows of another run, whose mean is drawn dashed; what only it has gets a panel as well.
    """
    found = select(rows, table="accuracy")
    other = found.iloc[:0] if beside is None else select(beside, table="accuracy")
    both = [*found["condition"], *other["condition"]]
    conditions = [c for c in dict.fromkeys(both) if c.startswith("perturbed/")]
    _some(conditions, "accuracy under perturbations")
    said: list[str] = []
    with style():
        drawn = figure(2.9 * len(conditions))
        panels = drawn.subplots(len(conditions), 1, squeeze=False, sharex=True)[:, 0]
        for index, (axes, condition) in enumerate(zip(panels, conditions, strict=True)):
            lines, dashed = (f[f["condition"] == condition].sort_values("level") for f in (found, other))
            mean, mean_beside = lines[lines["seed"].isna()], dashed[dashed["seed"].isna()]
            colour, title = PALETTE[index % len(PALETTE)], PERTURBATIONS[condition.removeprefix("perturbed/")].title
            for _, line in lines.groupby("seed"):
                axes.plot(line["level"], 100 * line["value"], color=colour, lw=1, alpha=0.5)
            axes.plot(mean["level"], 100 * mean["value"], color=colour, lw=2.5, marker=MARKERS[index % len(MARKERS)])
            axes.plot(mean_beside["level"], 100 * mean_beside["value"], color="black", lw=1.5, ls="--")
            said.append(_fall(title, mean, lines) if len(mean) else _fall(f"{title}, this run", mean_beside, dashed))
            axes.set_title(title)
            axes.set_ylabel("accuracy (%)")
            axes.set_ylim(0, 102)
        panels[-1].set_xlabel("level of the perturbation")
        panels[-1].set_xticks(sorted({int(level) for f in (found, other) for level in f["level"].dropna()}))
        dashed = "" if beside is None else " A dashed line is the mean of this run."
        alt = f"Line plots of accuracy in per cent by level, a panel a perturbation. {' '.join(said)}{dashed}"
        return picture(drawn, alt, caption, "fig-accuracy")


def _fall(title: str, mean: pd.DataFrame, lines: pd.DataFrame) -> str:
    """Say where a line begins and ends, and how far the networks lie apart at its end."""
    first, last = mean.iloc[0], mean.iloc[-1]
    end = lines[(lines["level"] == last["level"]) & lines["seed"].notna()]["value"]
    return (
        f"{title}: {first['value']:.1%} at level {first['level']:.0f}, {last['value']:.1%} at level "
        f"{last['level']:.0f}, where single networks lie from {end.min():.1%} to {end.max():.1%}."
    )


def matrices(rows: pd.DataFrame, methods: dict[str, str], *, caption: str = "", name: str = "fig-matrix") -> Picture:
    """Draw matrices one below the other: true class down, class mistaken for across, in per cent of the row.

    Parameters
    ----------
    rows : rows of the chapter.
    methods : method in the rows -> title over its matrix.
    """
    found = {method: matrix(rows, method) for method in methods}
    top = max(float(np.nanmax(values)) for values, _ in found.values())  # one scale: the panels are to be compared
    said: list[str] = []
    with style():
        drawn = figure(4.6 * len(found))
        panels = drawn.subplots(len(found), 1, squeeze=False)[:, 0]
        for panel, (method, (values, classes)) in zip(panels, found.items(), strict=True):
            _heat(panel, values, classes, methods[method], top)
            said.append(f"{methods[method]}: {_tops(values, classes)}")
        alt = f"Heat map, rows are true classes, columns the class they are taken for. {' '.join(said)}"
        return picture(drawn, alt, caption, name)


def front(rows: pd.DataFrame) -> Picture:
    """Draw the book's front picture: what was mistaken for what, and which cell of each row the matrix foretold.

    Colour is the true confusion; a frame marks the largest cell of each row of the MLM by the paper's rule.
    """
    truth, classes = matrix(rows, "confusion")
    foretold, _ = matrix(rows, "minimum")
    tops = [int(np.nanargmax(row)) for row in foretold]
    hits = sum(int(top == np.nanargmax(row)) for top, row in zip(tops, truth, strict=True))
    with style():
        drawn = figure(4.8)
        axes: Axes = drawn.subplots()
        _heat(axes, truth, classes, "Spoilt digits: taken for which?", float(np.nanmax(truth)))
        for y, top in enumerate(tops):
            axes.add_patch(Rectangle((top - 0.5, y - 0.5), 1, 1, fill=False, edgecolor=PALETTE[1], linewidth=3))
        alt = (
            "Heat map of the digits that spoilt images were taken for, a row a true digit. A frame in each row marks "
            f"the cell that the Misclassification Likelihood Matrix puts first; in {hits} of {len(tops)} rows that is "
            f"the most frequent mistake. {_tops(truth, classes).capitalize()}"
        )
        return picture(drawn, alt, "", "fig-front")


def explorer(
    rows: pd.DataFrame,
    method: str,
    images: tuple[torch.Tensor, dict[str, list[int]], list[str]],
    *,
    network: int = 0,
    caption: str = "",
) -> Interactive:
    """Let a reader walk over the matrix of one network: each cell tells its value, interval and nearest images.

    Parameters
    ----------
    rows : rows of the chapter.
    method : method in the rows ("minimum").
    images : what `mistrust.misclassification.thumbnails.nearest_images` gives.
    network : seed of the network.
    """
    values, classes = matrix(rows, method, seed=network)
    low, high = (matrix(rows, method, column, seed=network)[0] for column in ("low", "high"))
    pixels, cells, words = images
    at = {f"{a}>{b}": (y, c) for y, a in enumerate(classes) for c, b in enumerate(classes)}
    return grid(
        values,
        classes,
        classes,
        title="Likelihood of being mistaken, cell by cell",
        alt=f"Matrix of likelihoods, a row a true class; {_tops(values, classes)}",
        row_title="true class",
        column_title="taken for",
        value_title="likelihood",
        intervals=(low, high),
        interval_title="95 % interval over images",
        images=pixels.numpy(),
        pictures={at[cell]: found for cell, found in cells.items()},
        labels=words,
        low=0.0,
        missing="not a mistake, so left out",
        caption=caption,
    )


def matrix(
    rows: pd.DataFrame, method: str, column: str = "value", *, seed: int | None = None
) -> tuple[NDArray[np.float64], list[str]]:
    """Give the (k, k) matrix of a method, NaN on the diagonal, and its class names.

    The mean over networks, or the matrix of the network with that seed.
    """
    cells = select(rows, table="matrix", method=method, condition="perturbed/all")
    cells = cells[cells["seed"].isna() if seed is None else cells["seed"] == seed]
    _some(cells, f"matrix by {method}")
    names = {at.split(">")[0] for at in select(rows, table="misses")["at"]}
    # Rows keep no order of classes: numbers by size, names by the alphabet.
    ordered = sorted(names, key=lambda name: (not name.isdigit(), int(name) if name.isdigit() else 0, name))
    position = {name: i for i, name in enumerate(ordered)}
    values = np.full((len(position), len(position)), np.nan)
    for at, value in zip(cells["at"], cells[column], strict=True):
        y, c = at.split(">")
        values[position[y], position[c]] = value
    return values, list(position)


def _heat(axes: Axes, values: NDArray[np.float64], classes: list[str], title: str, top: float) -> None:
    limit = 100 * top
    shown = axes.imshow(100 * values, cmap=MAP, vmin=0, vmax=limit)
    for (y, c), value in np.ndenumerate(100 * values):
        if not np.isnan(value):
            axes.text(c, y, f"{value:.0f}", ha="center", va="center", color="white" if value < limit / 2 else "black")
    axes.set_xticks(range(len(classes)), classes, rotation=90 if max(map(len, classes)) > 2 else 0)
    axes.set_yticks(range(len(classes)), classes)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    axes.set_xlabel("taken for")
    axes.set_ylabel("true class")
    axes.set_title(title)
    axes.figure.colorbar(shown, ax=axes, label="% of the row", shrink=0.8)


def _tops(values: NDArray[np.float64], classes: list[str]) -> str:
    """Name the largest cell of each row, in words."""
    tops = [
        f"{classes[y]} for {classes[int(np.nanargmax(row))]} ({np.nanmax(row):.0%})"
        for y, row in enumerate(values)
        if not np.isnan(row).all()
    ]
    return f"largest cell of each row: {', '.join(tops)}."


def _some(found: object, what: str) -> None:
    if len(found) == 0:  # type: ignore[arg-type]
        raise MistrustError(f"There are no rows for the {what}: run the chapter, or leave the figure out.")
