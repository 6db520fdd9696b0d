"""How much noise each network stands before its answer changes."""

import numpy as np
import pandas as pd

from mistrust.figures.dots import dot, estimate, name_lines, value_of
from mistrust.figures.parts import and_so_on, numbers, singles, some
from mistrust.figures.robustness.parts import ALL, CAP, IMAGENET, RIGHT, grouped_lines, in_order, look, of, words
from mistrust.figures.robustness.printed import printed_of
from mistrust.figures.style import Picture, figure, legend_beneath, picture, style
from mistrust.figures.told import extremes
from mistrust.figures.written import percent, plain
from mistrust.rows import select

_LINE = 0.27  # inches


def breaking(
    rows: pd.DataFrame,
    *,
    method: str = RIGHT,
    data: str | None = None,
    condition: str = ALL,
    printed: pd.DataFrame | None = None,
    caption: str = "",
) -> Picture:
    """Draw each network's breaking noise, family by family, with the share of images that never broke.

    The paper's own networks have a full dot beside the printed one where the rows hold them.

    Parameters
    ----------
    rows : rows of the chapter, with the table "random": capped mean, median (left out where it is not reached) and
        unbroken.
    method : the variant of noise.
    data : which image set; None for the first.
    condition : the training variant.
    printed : the paper's published rows, whose Table 1 is drawn beneath with empty dots; None leaves it out.

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [
    ...     {"metric": "capped mean", "value": 80, "low": 70, "high": 90},
    ...     {"metric": "unbroken", "value": 0.1},
    ... ]
    >>> common = {"table": "random", "data": "mnist", "network": "vgg9-w16", "method": "fixed-clipped"}
    >>> breaking(rows.table(found, **common)).alt.partition("up to 510. ")[2]
    'VGG-9 w16 80 (70 to 90), 10% unbroken.'
    """
    held = of(rows, "random", "breaking noise", data=data, condition=condition, method=method)
    names = in_order(held[held["metric"] == "capped mean"]["network"])
    some(names, "breaking noise")
    paper = printed_of(printed, "table1", "mean")
    labels, at = grouped_lines(names)
    where, here = dict(at), words(held["data"].iloc[0])
    if paper:
        start = labels[-1][0] + 1.3
        labels.append((start, "The paper, ImageNet", True))
        labels += [(start + 1 + i, words(name), False) for i, name in enumerate(paper)]
        where |= {name: start + 1 + i for i, name in enumerate(paper)}
        theirs = select(rows, table="random", data=list(IMAGENET), condition=condition, method=method)
        theirs = theirs[theirs["network"].isin(set(paper) - set(names))]
        held = pd.concat([held, theirs])
        names += [name for name in paper if name in set(theirs["network"])]
    said: list[str] = []
    capped: dict[str, float] = {}
    with style():
        drawn = figure(_LINE * (labels[-1][0] + 1.6) + 1.15)
        axes = drawn.subplots()
        top = 0.0
        for name in names:
            own = held[held["network"] == name]
            one, never = own[own["metric"] == "capped mean"], own[own["metric"] == "unbroken"]
            dot(axes, one, where[name], colour=look(name)["color"], marker=look(name)["marker"])
            median = own[own["metric"] == "median"]
            # Where some network does not reach it, the mean of the others would be too low.
            middle = value_of(median) if len(singles(median)) == len(singles(one)) else float("nan")
            axes.plot(middle, where[name] + 0.02, "|", color="black", ms=11, mew=2, zorder=4)
            share = value_of(never)
            text = "" if np.isnan(share) else percent(share)
            axes.text(1.02, where[name], text, va="center", ha="left", transform=axes.get_yaxis_transform())
            top = max(top, np.nanmax(numbers(one[["value", "high"]])), np.nan_to_num(middle))
            if len(one):
                capped[words(name)] = value_of(one)
            lost = "" if np.isnan(share) else f", {percent(share)} unbroken"
            said.append(f"{words(name)} {estimate(one, plain)}{lost}")
        for name, value in paper.items():
            own = look(name)
            axes.plot(value, where[name], own["marker"], mfc="white", mec=own["color"], ms=7.5, mew=1.8, zorder=3)
            top = max(top, value)
        name_lines(axes, labels)
        axes.set_xlim(0, min(CAP, 1.06 * top) if top <= CAP else top)
        axes.text(1.02, 0, "never", va="center", ha="left", transform=axes.get_yaxis_transform())
        axes.set_xlabel("breaking σ (grey levels of 255)")
        axes.plot([], [], "o", color="#444444", ms=7, label="capped mean")
        axes.plot([], [], "|", color="black", ms=11, mew=2, label="median")
        if paper:
            axes.plot([], [], "o", mfc="white", mec="#444444", ms=7.5, mew=1.8, label="the paper's mean")
        legend_beneath(drawn, ncols=3, handletextpad=0.2, columnspacing=1)
        theirs = and_so_on(f"{words(name)} {value:.1f}" for name, value in paper.items()) if paper else ""
        alt = (
            f"Dot plot of the standard deviation of noise, in grey levels, that changes the answer ({words(method)}; "
            f"{here}): capped mean over images with its interval, and the share of images "
            f"never broken up to {CAP:.0f}. {extremes(capped, plain, 'The mean')}{and_so_on(said)}."
            f"{f' The paper, on ImageNet: {theirs}.' if paper else ''}"
        )
        return picture(drawn, alt, caption, "fig-breaking")
