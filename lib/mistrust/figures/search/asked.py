"""What a search asks about: its first images in order, errors framed."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from mistrust.figures.contact import Cell, Layout, contact, layout
from mistrust.figures.images import images_of
from mistrust.figures.parts import and_so_on
from mistrust.figures.search.one_search import Query, asked_of, ratio, sure
from mistrust.figures.search.parts import AD, RANDOM, in_order, words
from mistrust.figures.style import PALETTE, WIDTH, Picture, figure, picture, style
from mistrust.figures.written import many

ERROR = PALETTE[1]
_HEAD = 0.3  # inches for the words above a search
_FOOT = 0.45  # inches for the key


def asked(
    rows: pd.DataFrame,
    methods: Sequence[str] | None = None,
    *,
    most: int = 10,
    data: str | None = None,
    condition: str | None = None,
    at: str | None = None,
    seed: int | None = None,
    caption: str = "",
) -> Picture:
    """Draw the first images that searches ask about: the query's number above, the confidence beneath, errors framed.

    Parameters
    ----------
    rows : rows of the chapter, with the table "steps".
    methods : which searches, one above the other; None for Adversarial Distance and random search, or the first two.
    most : images of each at most.
    data, condition, at, seed : which image set, condition, critical class and model; None for the first, and the
        strongest dose of the first mechanism.

    Raises
    ------
    MistrustError
        There are no such rows; a query without its image or its confidence.

    Examples
    --------
    One wrong prediction of confidence 0.9, where 0.1 errors were to be expected:

    >>> from mistrust import rows
    >>> from mistrust.pictures import pack
    >>> query = {"method": "random", "condition": "biased/25", "at": "cat", "level": 1}
    >>> query["note"] = pack(np.zeros((8, 8, 3), dtype=np.uint8))  # the image
    >>> said = {"answer": 1, "confidence": 0.9, "sdr": 10}
    >>> held = rows.table([{**query, "metric": name, "value": value} for name, value in said.items()], table="steps")
    >>> print(asked(held).alt.partition("cat). ")[2])
    Random, 1 query with confidence 0.900; wrong: query 1; running SDR 10.00.
    """
    found = asked_of(rows, methods, data, condition, at, seed)
    names = list(found.searches)
    if methods is None:
        names = [name for name in (AD, RANDOM) if name in names]
        names += [name for name in in_order(found.searches) if name not in names]
        names = names[:2]
    blocks = {name: found.searches[name][: max(1, most)] for name in names}
    cells = {name: cells_of(queries) for name, queries in blocks.items()}
    plan = layout([cell.head for own in cells.values() for cell in own], WIDTH, 5)
    heights = [plan.height(len(own), 1) + _HEAD for own in cells.values()]
    said = []
    with style():
        drawn = figure(sum(heights) + _FOOT)
        top = 0.0
        for height, (name, own) in zip(heights, cells.items(), strict=True):
            last = blocks[name][-1]
            head = f"{words(name)}: {last.errors} of {last.number} wrong, SDR {ratio(last.sdr)}"
            drawn.text(0.01, 1 - (top + 0.05) / (sum(heights) + _FOOT), head, va="top", weight="bold")
            _block(drawn, own, blocks[name], plan, top + _HEAD)
            said.append(_told(name, blocks[name]))
            top += height
        key = "Framed: the prediction is wrong. Beneath: its confidence."
        drawn.text(0.01, 0.1 / (sum(heights) + _FOOT), key, va="bottom")
        alt = f"The first images that searches ask about, in order ({found.where}). {' '.join(said)}"
        return picture(drawn, alt, caption, "fig-asked", found.shown)


def cells_of(queries: Sequence[Query]) -> list[Cell]:
    """Give the images of queries: the number of each above, its confidence beneath."""
    images = images_of(pd.DataFrame({"note": [one.note for one in queries]}))
    return [
        Cell(image, str(one.number), (sure(one.confidence).replace("above ", ">"),))
        for image, one in zip(images, queries, strict=True)
    ]


def _block(drawn: Figure, cells: Sequence[Cell], queries: Sequence[Query], plan: Layout, top: float) -> None:
    """Draw the images of one search and frame the errors."""
    before = len(drawn.axes)
    contact(drawn, cells, plan, top)
    for axes, one in zip(drawn.axes[before:], queries, strict=True):
        if one.wrong:
            axes.spines[:].set(visible=True, color=ERROR, linewidth=4)
            axes.title.set(color=ERROR, weight="bold")


def _told(name: str, queries: Sequence[Query]) -> str:
    wrong = [str(one.number) for one in queries if one.wrong]
    which = f"{'query' if len(wrong) == 1 else 'queries'} {and_so_on(wrong)}" if wrong else "none"
    c = np.array([one.confidence for one in queries])
    between = " to ".join(dict.fromkeys((sure(c.min()), sure(c.max()))))
    running = ", ".join(ratio(one.sdr) for one in queries)
    return (
        f"{words(name)}, {many(len(queries), 'query', 'queries')} with confidence {between}; wrong: {which}; "
        f"running SDR {running}."
    )
