"""A sheet for a class: images of one pool with their confidences, to choose from; the answers stand apart."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any

import pandas as pd

from mistrust.figures.contact import contact, layout
from mistrust.figures.parts import and_so_on
from mistrust.figures.search.asked import cells_of
from mistrust.figures.search.one_search import Asked, Query, asked_of, sure
from mistrust.figures.search.parts import data_in, told
from mistrust.figures.style import WIDTH, Picture, figure, picture, style
from mistrust.figures.written import many
from mistrust.rows import select

_ACROSS = 5


def sheet(
    rows: pd.DataFrame,
    *,
    most: int = 20,
    data: str | None = None,
    condition: str | None = None,
    at: str | None = None,
    seed: int | None = None,
    caption: str = "",
) -> Picture:
    """Draw images that searches asked about first, numbered from the surest on, without saying which are wrong.

    Parameters
    ----------
    rows : rows of the chapter, with the table "steps".
    most : images at most; the searches take turns.
    data, condition, at, seed : which image set, condition, critical class and model; None for the first, and the
        strongest dose of the first mechanism. Where neither image set nor condition is said, the second image set of
        the rows, if there is one: the first is that of `steps`, which gives the answers away.

    Raises
    ------
    MistrustError
        There are no such rows; a query without its image or its confidence.

    Examples
    --------
    >>> from mistrust import rows
    >>> from mistrust.pictures import pack
    >>> query = {"method": "random", "condition": "biased/25", "at": "cat", "level": 1}
    >>> query["note"] = pack(np.zeros((8, 8, 3), dtype=np.uint8))  # the image
    >>> said = {"answer": 1, "confidence": 0.9, "sdr": 10}
    >>> held = rows.table([{**query, "metric": name, "value": value} for name, value in said.items()], table="steps")
    >>> print(sheet(held).alt.partition(", numbered, ")[2])
    each with the confidence of its prediction: 1: 0.900.
    """
    found = _pool(rows, data, condition, at, seed)
    chosen = _chosen(found, most)
    cells = cells_of(chosen)
    plan = layout([cell.head for cell in cells], WIDTH, _ACROSS)
    listed = ", ".join(f"{one.number}: {sure(one.confidence)}" for one in chosen)
    alt = (
        f"{many(len(chosen), 'image')} of one pool ({found.where}), numbered, each with the confidence of its "
        f"prediction: {listed}."
    )
    with style():
        drawn = figure(plan.height(len(cells), 1) + 0.1)
        contact(drawn, cells, plan, 0.0)
        pool = f"One pool: {told(found.condition)}; predicted as {found.at}."
        return picture(drawn, alt, f"{caption} {pool}".lstrip(), "fig-sheet", found.shown)


def answers(rows: pd.DataFrame, *, most: int = 20, **pool: Any) -> str:
    """Say which numbers of `sheet`, with the same parameters, are wrong, and how many the confidences expect.

    Parameters
    ----------
    pool : data, condition, at and seed, as `sheet` takes them.

    Examples
    --------
    >>> from mistrust import rows
    >>> query = {"method": "random", "condition": "biased/25", "at": "cat", "level": 1}
    >>> said = {"answer": 1, "confidence": 0.9, "sdr": 10}
    >>> held = rows.table([{**query, "metric": name, "value": value} for name, value in said.items()], table="steps")
    >>> answers(held)
    'Wrong: 1 of 1 (1). All confidences together lead us to expect 0.1.'
    """
    chosen = _chosen(_pool(rows, **pool), most)
    wrong = [str(one.number) for one in chosen if one.wrong]
    expected = sum(1 - one.confidence for one in chosen)
    numbers = f" ({and_so_on(wrong)})" if wrong else ""
    return f"Wrong: {len(wrong)} of {len(chosen)}{numbers}. All confidences together lead us to expect {expected:.1f}."


def _pool(
    rows: pd.DataFrame,
    data: str | None = None,
    condition: str | None = None,
    at: str | None = None,
    seed: int | None = None,
) -> Asked:
    if data is None and condition is None:
        there = data_in(select(rows, table="steps")["data"])
        data = there[1] if len(there) > 1 else None
    return asked_of(rows, None, data, condition, at, seed)


def _chosen(found: Asked, most: int) -> Sequence[Query]:
    """Each search's first queries by turns, every image once, numbered anew from the surest on."""
    first: dict[str, Query] = {}
    for turn in zip_longest(*found.searches.values()):
        for one in turn:
            if one is not None:
                first.setdefault(one.note, one)
    surest = sorted([*first.values()][: max(1, most)], key=lambda one: -one.confidence)
    return [replace(one, number=number) for number, one in enumerate(surest, 1)]
