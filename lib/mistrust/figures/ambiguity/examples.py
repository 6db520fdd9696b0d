"""Good and bad samples of the ambiguous set, by a stated rule: the paper's Figure 5."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from mistrust.figures.contact import Cell, contact, layout
from mistrust.figures.images import images_of
from mistrust.figures.parts import and_so_on, some
from mistrust.figures.style import WIDTH, Picture, figure, picture, style
from mistrust.rows import select

_HEADS = {
    "best": "Best",
    "random": "Drawn at random",
    "worst": "Worst",
}
_HEAD = 0.3  # inches for the words above
_BESIDE = 0.75  # inches for the words at the left


def examples(
    rows: pd.DataFrame,
    methods: Sequence[str] = ("best", "random", "worst"),
    *,
    most: int = 10,
    heads: dict[str, str] | None = None,
    caption: str = "",
) -> Picture:
    """Draw samples of the ambiguous test set: the first class stated and judged, and both.

    Parameters
    ----------
    rows : rows of the chapter, with the table "examples".
    methods : which samples ("best", "worst", "random"), in this order; those without rows are left out.
    most : images of each method at most, the first by rank.
    heads : words above the images of a method, in place of the usual ones.

    Raises
    ------
    MistrustError
        There are no such rows; a sample without an image.

    Examples
    --------
    >>> from mistrust import rows
    >>> from mistrust.pictures import pack
    >>> stated = {"metric": "stated", "value": 0.5, "note": pack(np.zeros((8, 8), np.uint8))}
    >>> both = [stated, {"metric": "judged", "value": 0.48}]  # of one image, the first by rank
    >>> made = rows.table(both, table="examples", method="best", condition="4/9", level=1)
    >>> examples(made).alt.split("two. ")[1]
    'Best: 4/9 stated 0.50, judged 0.48.'
    """
    held = select(rows, table="examples", method=list(methods))
    some(held[held["metric"] == "stated"], "examples")
    blocks = {m: _cells(held[held["method"] == m], most) for m in methods if (held["method"] == m).any()}
    plan = layout([cell.head for cells in blocks.values() for cell in cells], WIDTH - _BESIDE, 5)
    heights = [plan.height(len(cells), 3) + _HEAD for cells in blocks.values()]
    said = []
    with style():
        drawn = figure(sum(heights))
        tops = np.cumsum([0, *heights[:-1]])
        for top, (method, cells) in zip(tops, blocks.items(), strict=True):
            head = {**_HEADS, **(heads or {})}.get(method, method)
            drawn.text(0.5, 1 - (top + 0.05) / sum(heights), head, ha="center", va="top", weight="bold")
            contact(drawn, cells, plan, float(top) + _HEAD, _BESIDE, ("stated", "judged", "on pair"))
            each = and_so_on(f"{c.head} stated {c.beneath[0]}, judged {c.beneath[1]}" for c in cells)
            said.append(f"{head}: {each}.")
        alt = (
            "Samples of the ambiguous test set, each with its pair of classes, the stated and the judged "
            f"probability of the first, and what the judges put on the two. {' '.join(said)}"
        )
        return picture(drawn, alt, caption, "fig-examples")


def _cells(found: pd.DataFrame, most: int) -> list[Cell]:
    stated = found[found["metric"] == "stated"].sort_values("level").head(most)
    told = {name: found[found["metric"] == name].set_index("level")["value"] for name in ("judged", "share on pair")}
    return [
        Cell(image, pair, (f"{p:.2f}", *(f"{one[rank]:.2f}" if rank in one else "–" for one in told.values())))
        for image, pair, p, rank in zip(
            images_of(stated), stated["condition"], stated["value"], stated["level"], strict=True
        )
    ]
