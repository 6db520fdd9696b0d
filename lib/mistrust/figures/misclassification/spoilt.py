"""One image spoilt more and more, and what the network says of its class: the paper's Figure 6."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from mistrust.errors import MistrustError
from mistrust.figures.interactive import Interactive, Step, stepper
from mistrust.figures.misclassification.parts import ALL, condition_title
from mistrust.figures.parts import GREY, and_so_on, class_names, of_network, some
from mistrust.figures.style import PALETTE, figure, picture, style
from mistrust.rows import select

_ACROSS = 5  # levels side by side in the static picture
_NAMED = 3  # classes that a step names in words, at most
_WORTH = 0.005  # less is "0.00", and needs no words


def spoilt_digit(
    rows: pd.DataFrame,
    images: ArrayLike,
    *,
    true_class: str,
    perturbation: str,
    seed: int | None = None,
    caption: str = "",
) -> Interactive:
    """Let a reader step through the levels: one image under one perturbation, and the softmax of its class.

    The image is one of the class under one perturbation; the bars are the average softmax of all images of the class
    at that level under all perturbations, as in the paper.

    Parameters
    ----------
    rows : rows of the chapter, with the table "softmax".
    images : uint8 (levels, h, w) or (levels, h, w, 3), one per level of the rows in ascending order; what
        `mistrust.misclassification.thumbnails.under_levels` gives.
    true_class : name of the class ("5").
    perturbation : what spoils the image ("pixelation").
    seed : the network's seed; None for the mean over networks.

    Raises
    ------
    MistrustError
        There is no softmax for this class, or fewer than two levels; images that do not fit the levels.

    Examples
    --------
    >>> from mistrust import rows
    >>> five = [{"level": 1, "value": 0.97}, {"level": 10, "value": 0.31}]
    >>> common = {"table": "softmax", "condition": "perturbed/all", "method": "5", "metric": "mean softmax", "at": "5"}
    >>> images = torch.zeros(2, 8, 8, dtype=torch.uint8)
    >>> found = spoilt_digit(rows.table(five, seed=0, **common), images, true_class="5", perturbation="fog")
    >>> found.alt.rpartition(". ")[2]
    'The true class falls from 0.97 at level 1 to 0.31 at level 10.'
    """
    found = select(rows, table="softmax", condition=ALL, method=true_class, metric="mean softmax")
    found = of_network(found, seed)
    some(found, f"softmax of class {true_class}")
    table = found.pivot(index="level", columns="at", values="value").sort_index()
    table = table[class_names(table.columns)]
    pixels = np.asarray(images)
    if len(pixels) != len(table):
        raise MistrustError(
            f"{len(pixels)} images for {len(table)} levels of the rows: give one per level, "
            f"under_levels(images, class_index, '{perturbation}', {[int(level) for level in table.index]}, seed)."
        )
    title = condition_title(f"perturbed/{perturbation}")
    steps = []
    for index, (level, shares) in enumerate(table.iterrows()):
        top = shares.sort_values(ascending=False, kind="stable").head(_NAMED)
        words = and_so_on(f"{name} with {value:.2f}" for name, value in top.items() if value >= _WORTH)
        bars = [(str(name), float(value)) for name, value in shares.items() if not np.isnan(value)]
        text = f"Average softmax of class {true_class} at this level, over all perturbations: {words}."
        steps.append(Step(f"{title}, level {level:.0f}", text, [index], bars))
    own = table[true_class] if true_class in table else table.max(axis=1)
    first, last = (f"{own.iloc[i]:.2f} at level {table.index[i]:.0f}" for i in (0, -1))
    alt = (
        f"An image of class {true_class} under {title.lower()}, level by level, and bars of the average softmax of its "
        f"class under all perturbations. The true class falls from {first} to {last}."
    )
    return stepper(
        steps,
        title=f"A {true_class} spoilt step by step",
        alt=alt,
        images=pixels,
        labels=[f"class {true_class}, {title.lower()} level {level:.0f}" for level in table.index],
        static=_all_levels(table, pixels, true_class, alt),
        caption=caption,
    )


def _all_levels(table: pd.DataFrame, pixels: NDArray[np.uint8], true_class: str, alt: str) -> str:
    """Draw every level for those who have no JavaScript: the image above its bars; SVG text."""
    across = min(_ACROSS, len(table))
    lines = -(-len(table) // across)
    names = list(table.columns)
    colours = [PALETTE[0] if name == true_class else GREY for name in names]
    bars_high = 0.2 * len(names)
    with style():
        drawn = figure(lines * (bars_high + 1.4))
        heights = [0.9, bars_high] * lines
        panels = drawn.subplots(2 * lines, across, squeeze=False, height_ratios=heights)
        for axes in panels.ravel():
            axes.axis("off")
        for index, (level, shares) in enumerate(table.iterrows()):
            line, column = divmod(index, across)
            above: Axes = panels[2 * line, column]
            below: Axes = panels[2 * line + 1, column]
            above.imshow(pixels[index], cmap="gray", vmin=0, vmax=255)
            above.set_title(f"level {level:.0f}")
            below.axis("on")
            below.barh(names, np.asarray(shares, dtype=np.float64), color=colours)
            below.set_xlim(0, 1)
            below.set_xticks([0, 1])
            below.set_ylim(len(names) - 0.4, -0.6)
            below.tick_params(axis="y", length=0, labelleft=column == 0)
            below.grid(visible=False, axis="y")
        drawn.supxlabel("average softmax", fontsize=12)
        return picture(drawn, alt, "", "fig-spoilt").svg
