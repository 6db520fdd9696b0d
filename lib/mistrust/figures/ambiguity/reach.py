"""Images on the border between the classes, ever farther from the clusters: how far to draw."""

import pandas as pd

from mistrust.figures.images import images_of, show
from mistrust.figures.parts import and_so_on, some
from mistrust.figures.style import WIDTH, Picture, figure, picture, style
from mistrust.figures.written import two
from mistrust.rows import select


def reach(rows: pd.DataFrame, *, caption: str = "") -> Picture:
    """Draw the image nearest to the border between the classes for several distances, one line per pair.

    Beneath each is the probability of the first class: the border may lie outside the strip between the clusters.

    Parameters
    ----------
    rows : rows of the chapter, with the table "reach".

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> from mistrust.pictures import pack
    >>> image = {"metric": "p first", "value": 0.5, "condition": "4/9", "note": pack(np.zeros((8, 8), np.uint8))}
    >>> made = rows.table([image, {"metric": "share of codes beyond", "value": 0.05}], table="reach", level=2)
    >>> reach(made).alt.split("first class, ")[1]
    '0.50 to 0.50. Of the training images, 5.00% lie beyond 2.'
    """
    held = select(rows, table="reach", metric="p first")
    some(held, "images far from the clusters")
    pairs, levels = list(dict.fromkeys(held["condition"])), sorted(held["level"].unique())
    side = WIDTH / (len(levels) + 1)
    with style():
        drawn = figure((side + 0.22) * len(pairs) + 0.4)
        panels = drawn.subplots(len(pairs), len(levels), squeeze=False)
        for line, pair in zip(panels, pairs, strict=True):
            for axes, level in zip(line, levels, strict=True):
                own = held[(held["condition"] == pair) & (held["level"] == level)]
                show(axes, images_of(own)[0])
                axes.axis("off")
                axes.text(0.5, -0.04, two(own["value"].iloc[0]), transform=axes.transAxes, ha="center", va="top")
            line[0].text(-0.15, 0.5, pair.replace("/", "/\n", 1), transform=line[0].transAxes, ha="right", va="center")
        for axes, level in zip(panels[0], levels, strict=True):
            axes.set_title(f"z1 = {level:g}")
        shares = select(rows, table="reach", metric="share of codes beyond").sort_values("level")
        beyond = [
            f"{share:.2%} lie beyond {level:g}" for level, share in zip(shares["level"], shares["value"], strict=True)
        ]
        told = f" Of the training images, {and_so_on(beyond)}." if beyond else ""
        alt = (
            f"Images where both classes of a pair are as equally probable as they get between the clusters, for "
            f"{and_so_on(pairs)}, at z1 of {and_so_on(f'{level:g}' for level in levels)}; beneath each the probability "
            f"of the first class, {two(held['value'].min())} to {two(held['value'].max())}.{told}"
        )
        return picture(drawn, alt, caption, "fig-reach")
