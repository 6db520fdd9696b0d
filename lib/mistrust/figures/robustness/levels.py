"""How many bubbles hold a class's training samples as the margin that is asked for rises."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import NDArray

from mistrust.figures.parts import class_names, means, numbers, one_of, singles, some
from mistrust.figures.robustness.parts import ALL, UPPER, in_order, of, words
from mistrust.figures.style import PALETTE, Picture, figure, legend_beneath, picture, style
from mistrust.figures.written import many
from mistrust.rows import select

_WHAT = "bubbles by level of the margin"


def levels(
    rows: pd.DataFrame,
    networks: Sequence[str] | None = None,
    *,
    data: str | None = None,
    seed: int | None = None,
    caption: str = "",
) -> Picture:
    """Draw the number of bubbles of each class against the level, one panel per network, their mean in bold.

    Parameters
    ----------
    rows : rows of the chapter, with the table "regions" (method "relative", at = class, level = share of the samples'
        median margin, metrics bubbles and samples) and, for the segments that a grid had wrong, "edges" (checked; grid
        wrong, a share).
    networks : which; None for all that have rows.
    data : which image set; None for the first.
    seed : which training seed; None for the mean over them.

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    Where more of a margin is asked for, a bubble falls apart, until few samples are left:

    >>> from mistrust import rows
    >>> found = [
    ...     {"at": digit, "level": level, "value": bubbles}
    ...     for digit in "38"
    ...     for level, bubbles in ((0, 1), (0.5, 3), (1, 2))
    ... ]
    >>> common = {"table": "regions", "metric": "bubbles", "method": "relative"}
    >>> made = levels(rows.table(found, data="mnist", network="mlm-cnn", **common))
    >>> made.alt.partition("overlooked). ")[2]
    "MLM's CNN: at level 0 1.0 on average over 2 classes, at most 3.0 at level 0.5."
    """
    held = of(rows, "regions", _WHAT, data=data, condition=ALL, method="relative")
    held = means(held) if seed is None else held[held["seed"] == seed]
    held = held[held["level"].notna() & held["metric"].isin(["bubbles", "samples"])]
    some(held, _WHAT)
    there = in_order(held["network"])
    names = there if networks is None else [one_of(name, there, _WHAT) for name in networks]
    columns = min(2, len(names))
    lines = -(-len(names) // columns)
    said = []
    with style():
        drawn = figure(2.35 * lines + 1.0)
        panels = drawn.subplots(lines, columns, squeeze=False, sharey=True).ravel()
        for axes, name in zip(panels, names, strict=False):
            own = held[held["network"] == name]
            said.append(f"{words(name)}: {_panel(axes, own)}{_edges(rows, own)}.")
            axes.set_title(words(name), weight="bold")
        for axes in panels[len(names) :]:
            axes.axis("off")
        _counts(panels[0])
        for index, axes in enumerate(panels[: len(names)]):
            axes.set_xlabel("level (1: median margin)" if index + columns >= len(names) else "")
            axes.set_ylabel("bubbles found" if index % columns == 0 else "")
        handles, texts = panels[0].get_legend_handles_labels()
        legend_beneath(drawn, handles, texts, ncols=2, columnspacing=1)
        alt = (
            f"Step curves of the number of bubbles that hold the training samples of a class of "
            f"{words(held['data'].iloc[0])} where the margin is at least a share of the samples' median margin "
            f"({UPPER}). {' '.join(said)}"
        )
        return picture(drawn, alt, caption, "fig-levels")


def looked_at(rows: pd.DataFrame, metric: str, *, data: str = "fmnist") -> str:
    """Say in words how many segments were tested exactly, or of how many of them something is true; "not run" of none.

    Parameters
    ----------
    rows : rows of the chapter, with the table "edges" of single networks, class by class.
    metric : "checked"; or a share of these: "grid wrong", "grid wrong at 0", "bent".

    Examples
    --------
    >>> from mistrust import rows
    >>> shares = [{"at": digit, "metric": "bent", "value": value} for digit, value in (("3", 0.1), ("8", 0.5))]
    >>> counts = [{"at": digit, "metric": "checked", "value": value} for digit, value in (("3", 30), ("8", 20))]
    >>> found = rows.table([*shares, *counts], table="edges", data="mnist", network="mlm-cnn", seed=0)
    >>> looked_at(found, "checked", data="mnist"), looked_at(found, "bent", data="mnist")
    ('50', '13 (26%)')
    """
    held = singles(select(rows, table="edges", data=data))
    wide = held.pivot(index=["network", "seed", "at"], columns="metric", values="value")
    if not {"checked", metric} <= set(wide.columns):
        return "not run"
    total = round(wide["checked"].sum())
    if metric == "checked":
        return f"{total:,}"
    hits = round((wide[metric] * wide["checked"]).sum())
    return f"{hits:,} ({hits / total:.0%})" if hits else "none"


def _panel(axes: Axes, own: pd.DataFrame) -> str:
    found = own[own["metric"] == "bubbles"].sort_values("level")
    classes = class_names(found["at"])
    for name in classes:
        one = found[found["at"] == name]
        axes.step(one["level"], one["value"], where="post", color=PALETTE[0], lw=0.8, alpha=0.45)
    axes.plot([], [], color=PALETTE[0], lw=0.8, alpha=0.6, label="one class")
    mean = found.groupby("level")["value"].mean()
    axes.step(mean.index.tolist(), mean, where="post", color=PALETTE[0], lw=2.6, label="mean over classes")
    samples = own[own["metric"] == "samples"].groupby("level")["value"].mean()
    axes.step(
        samples.index.tolist(),
        samples,
        where="post",
        color="#555555",
        lw=1.4,
        ls=(0, (3, 2)),
        label="samples left, mean",
    )
    axes.axvline(0, color="black", lw=0.9, ls=":")
    at_zero = found[np.isclose(found["level"], 0)]["value"]
    most, where = (float(mean.max()), float(mean.idxmax())) if len(mean) else (np.nan, np.nan)  # type: ignore[arg-type]
    zero = (
        ""
        if at_zero.empty
        else f"at level 0 {numbers(at_zero).mean():.1f} on average over {many(len(classes), 'class', 'classes')}, "
    )
    return f"{zero}at most {most:.1f} at level {where:g}"


def _root(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.sqrt(np.maximum(counts, 0))


def _counts(axes: Axes) -> None:
    """Scale counts by their square root: few bubbles are told apart beside many samples."""
    top = axes.get_ylim()[1]
    axes.set_yscale("function", functions=(_root, np.square))
    axes.set_ylim(0, top)
    axes.set_yticks([one for one in (0, 1, 2, 5, 10, 20, 30, 50, 100, 200, 500) if one <= top])


def _edges(rows: pd.DataFrame, own: pd.DataFrame) -> str:
    """Say how many segments were tested exactly, and how many of these the grid had wrong."""
    here = select(rows, table="edges", data=own["data"].iloc[0], network=own["network"].iloc[0])
    here = here[here["seed"].notna()] if here["seed"].notna().any() else here
    wide = here.pivot_table(index=["seed", "at"], columns="metric", values="value", dropna=False)
    if not {"checked", "grid wrong"} <= set(wide.columns):
        return ""
    checked, wrong = wide["checked"].sum(), (wide["checked"] * wide["grid wrong"]).sum()
    return f"; of {checked:.0f} segments tested exactly, the grid got {wrong:.0f} wrong"
