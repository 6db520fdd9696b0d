"""Does a confidence mean what it says? Reliability diagrams before and after temperature scaling: the paper's Figure 2.

Counts stand beneath: where a bin holds few images, its accuracy says little.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import NullLocator, StrMethodFormatter

from mistrust.errors import MistrustError
from mistrust.figures.parts import by_network, numbers, one_of, some
from mistrust.figures.search.held import wanted
from mistrust.figures.search.parts import (
    conditions_in,
    data_in,
    mechanism,
    words,
)
from mistrust.figures.style import PALETTE, Picture, figure, legend_beneath, picture, style
from mistrust.figures.written import two
from mistrust.rows import select

MOST = 4  # panels
BEFORE, AFTER = "uncalibrated", ""
_WHAT = "reliability diagram"
_LOOK = {BEFORE: (PALETTE[1], "s", "uncalibrated"), AFTER: (PALETTE[0], "o", "calibrated")}
_ECE = {BEFORE: "ece before", AFTER: "ece"}
_WIDE = 0.42  # of a bin: a bar of counts


def reliability(
    rows: pd.DataFrame,
    conditions: Sequence[str] | None = None,
    *,
    data: str | None = None,
    seed: int | None = None,
    caption: str = "",
) -> Picture:
    """Draw accuracy by confidence before and after temperature scaling, and beneath how many images each bin holds.

    Single models stand as small dots beside their mean, the smaller the fewer images they stand for.

    Parameters
    ----------
    rows : rows of the chapter, with the table "reliability"; the expected calibration error is told from "panel".
    conditions : at most four, a panel each; None for all, or for those of the first mechanism where there are more.
    data : which image set; None for all.
    seed : which model; None for the mean over models.

    Raises
    ------
    MistrustError
        There are no such rows; more conditions than a picture holds.

    Examples
    --------
    One bin, too sure of itself:

    >>> from mistrust import rows
    >>> found = {"confidence": 0.95, "accuracy": 0.8, "n": 40}
    >>> held = [{"metric": metric, "value": value} for metric, value in found.items()]
    >>> drawn = reliability(rows.table(held, table="reliability", condition="gray/gray", level=0.9))
    >>> print(drawn.alt.partition("grey images: ")[2].partition(", farthest")[0])
    calibrated 40 images, in the bin from 0.90 on 40 with confidence 0.950 and accuracy 0.800
    """
    held = select(rows, table="reliability")
    some(held, _WHAT)
    if data is not None:
        held = held[held["data"] == one_of(data, data_in(held["data"]), _WHAT)]
    there = conditions_in(held["condition"])
    if conditions is None and len(there) > MOST:
        there = [one for one in there if mechanism(one) == mechanism(there[0])][:MOST]
    names = wanted(conditions, there if conditions is None else conditions_in(held["condition"]), _WHAT)
    some(names, _WHAT)
    if len(names) > MOST:
        raise MistrustError(f"{len(names)} reliability diagrams do not fit a picture: name {MOST} conditions at most.")
    across = min(2, len(names))
    down = -(-len(names) // across)
    said = []
    with style():
        drawn = figure(3.55 * down + 0.65)
        grid = drawn.subplots(2 * down, across, squeeze=False, sharex=True, sharey="row",
                              height_ratios=[2.2, 1] * down)  # fmt: skip
        for place, name in enumerate(names):
            row, column = divmod(place, across)
            own = held[held["condition"] == name]
            lines = _lines(_of_model(own, seed))
            some(lines, _WHAT)
            above, beneath = grid[2 * row : 2 * row + 2, column]
            _above(above, lines, [] if seed is not None else [_lines(one) for _, one in own.groupby("seed")])
            _beneath(beneath, lines)
            above.set_title(f"{words(mechanism(name))}\n{words(name)}")
            if place + across >= len(names):  # the lowest of its column
                beneath.set_xlabel("confidence")
                beneath.tick_params(labelbottom=True)
            errors = {method: _ece(rows, name, seed, metric) for method, metric in _ECE.items()}
            said.append(f"{words(mechanism(name))}, {words(name)}: {_told(lines, errors)}.")
        for row in range(down):
            grid[2 * row, 0].set_ylabel("accuracy")
            grid[2 * row + 1, 0].set_ylabel("images\n(log)")
        for axes in grid[-2:, len(names) - across * (down - 1) :].ravel():
            axes.set_axis_off()
        handles, labels = grid[0, 0].get_legend_handles_labels()
        legend_beneath(drawn, handles, labels, ncols=3, columnspacing=1.4)
        alt = (
            "Reliability diagrams: accuracy by confidence, in bins, before and after temperature scaling, a diagonal "
            f"where both are equal, and the number of images of each bin{_whose(held, seed)}. {' '.join(said)}"
        )
        shown = held[held["condition"].isin(names)]
        return picture(drawn, alt, caption, "fig-reliability", shown)


def _of_model(own: pd.DataFrame, seed: int | None) -> pd.DataFrame:
    """Rows of one model; of the mean over models for None, where counts are over all of them."""
    mean, single = by_network(own)
    if seed is not None:
        there = [f"{one:.0f}" for one in sorted(set(single["seed"]))] or ["none"]
        return single[single["seed"] == float(one_of(f"{seed}", there, _WHAT))]
    if single.empty:
        return mean
    # A bin that is empty in a model has no row there, but counts as 0 where counts are averaged.
    counts = single[single["metric"] == "n"].groupby(["method", "at"])["value"].sum() / single["seed"].nunique()
    where = mean["metric"] == "n"
    found = [counts.get((m, at), v) for m, at, v in mean.loc[where, ["method", "at", "value"]].itertuples(index=False)]
    value = mean["value"].copy()
    value[where] = found
    return mean.assign(value=value)


def _lines(own: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Give before and after, as far as there, one row per bin: level (its lower edge), accuracy, confidence, n."""
    found = {}
    for method in _LOOK:
        table = own[own["method"] == method].pivot(index="level", columns="metric", values="value").sort_index()
        table = table.reindex(columns=["accuracy", "confidence", "n"])
        if table.isna().any(axis=None):
            raise MistrustError(
                "A bin of the table 'reliability' lacks its accuracy, its confidence or its number of images: "
                "expected a row of each metric. Run the chapter again."
            )
        if len(table):
            found[method] = table.reset_index()
    return found


def _above(axes: Axes, lines: dict[str, pd.DataFrame], single: list[dict[str, pd.DataFrame]]) -> None:
    least = min(float(line["level"].min()) for line in lines.values())
    for method, line in lines.items():
        colour, marker, label = _LOOK[method]
        if len(single) > 1:
            for one in (found[method] for found in single if method in found):
                size = 2 + 5 * np.log10(numbers(one["n"]).clip(1))
                axes.scatter(one["confidence"], one["accuracy"], size, color=colour, alpha=0.45, lw=0, zorder=2.2)
        axes.plot(line["confidence"], line["accuracy"], color=colour, marker=marker, ms=6.5, lw=2, mec="white",
                  mew=0.7, label=label, zorder=3)  # fmt: skip
    axes.plot([least, 1], [least, 1], color="black", lw=1.2, ls="--", label="equal", zorder=2)
    axes.set_xlim(least - 0.02, 1.03)
    axes.tick_params(axis="x", length=0)


def _beneath(axes: Axes, lines: dict[str, pd.DataFrame]) -> None:
    width = min((float(np.diff(numbers(line["level"])).min()) for line in lines.values() if len(line) > 1), default=0.1)
    for side, (method, line) in zip((-0.5, 0.5), lines.items(), strict=False):
        middle = numbers(line["level"]) + width / 2
        axes.bar(middle + side * _WIDE * width, line["n"], _WIDE * width, color=_LOOK[method][0])
    axes.set_yscale("log")
    least = min(float(line["n"].min()) for line in lines.values())
    axes.set_ylim(bottom=min(axes.get_ylim()[0], 0.5, 0.5 * least))
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.yaxis.set_minor_locator(NullLocator())


def _ece(rows: pd.DataFrame, condition: str, seed: int | None, metric: str) -> float:
    """Expected calibration error of a condition; NaN where the rows hold none."""
    found = select(rows, table="panel", condition=condition, metric=metric)
    if found.empty:
        return float("nan")
    held = by_network(found)[0] if seed is None else found[found["seed"] == seed]
    return float(held["value"].mean())


def _told(lines: dict[str, pd.DataFrame], errors: dict[str, float]) -> str:
    said = []
    for method, line in lines.items():
        level, confidence, accuracy, n = numbers(line[["level", "confidence", "accuracy", "n"]])[-1]
        ece = f"ECE {errors[method]:.3f}, " if errors[method] == errors[method] else ""
        said.append(
            f"{_LOOK[method][2]} {ece}{line['n'].sum():,.0f} images, in the bin from {two(level)} on {n:,.0f} with "
            f"confidence {confidence:.3f} and accuracy {accuracy:.3f}, farthest apart in a bin with {_worst(line)}"
        )
    return "; ".join(said)


def _worst(line: pd.DataFrame) -> str:
    table = numbers(line[["confidence", "accuracy", "n"]])
    confidence, accuracy, n = table[int(np.abs(table[:, 0] - table[:, 1]).argmax())]
    return f"confidence {two(confidence)} and accuracy {two(accuracy)} ({n:,.0f} images)"


def _whose(held: pd.DataFrame, seed: int | None) -> str:
    models = held["seed"].nunique()
    return f", model {seed}" if seed is not None else f", mean over {models} models" if models > 1 else ""
