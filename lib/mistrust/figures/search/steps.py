"""Step through a search query by query: the image, the confidence, the oracle's answer, what came of it so far."""

from dataclasses import replace

import pandas as pd

from mistrust.errors import MistrustError
from mistrust.figures.images import images_of
from mistrust.figures.interactive import Interactive, Sprite, Step, sprite, stepper
from mistrust.figures.search.asked import asked
from mistrust.figures.search.one_search import Asked, Query, asked_of, ratio, sure
from mistrust.figures.search.parts import words
from mistrust.figures.written import many

# Without this a reader looks for the SDR that the curves have after as many queries.
_LATER = "later curves of SDR are means over networks, and over subsets of their pools"


def steps(
    rows: pd.DataFrame,
    *,
    data: str | None = None,
    condition: str | None = None,
    at: str | None = None,
    seed: int | None = None,
    caption: str = "",
) -> Interactive:
    """Let a reader choose a search and go through its queries; `asked` stands in without JavaScript.

    Parameters
    ----------
    rows : rows of the chapter, with the table "steps".
    data, condition, at, seed : which image set, condition, critical class and model; None for the first, and the
        strongest dose of the first mechanism.

    Raises
    ------
    MistrustError
        There are no such rows; a query without its image or its confidence.

    Examples
    --------
    Two queries, the first of them an error:

    >>> from mistrust import rows
    >>> from mistrust.pictures import pack
    >>> query = {"table": "steps", "method": "random", "condition": "biased/25", "at": "cat"}
    >>> query["note"] = pack(np.zeros((8, 8, 3), dtype=np.uint8))  # the image
    >>> said = {"answer": (1, 0), "confidence": (0.9, 0.7), "sdr": (10, 2.5)}
    >>> held = [{"metric": m, "level": i, "value": v} for m, both in said.items() for i, v in enumerate(both, 1)]
    >>> print(steps(rows.table(held, **query)).alt.partition("answer. ")[2])
    In the end: Random, 1 of 2 wrong, SDR 2.50.
    """
    found = asked_of(rows, None, data, condition, at, seed)
    sheet, place, count = _fitting(found)
    shown = {name: queries[:count] for name, queries in found.searches.items()}
    series = [
        Step(
            _title(one), _text(one), [place[one.note]], [("confidence of the prediction", one.confidence)], words(name)
        )
        for name, queries in shown.items()
        for one in queries
    ]
    ends = "; ".join(
        f"{words(name)}, {queries[-1].errors} of {len(queries)} wrong, SDR {ratio(queries[-1].sdr)}"
        for name, queries in shown.items()
    )
    made = stepper(
        series,
        title=f"Search query by query: {found.where}",
        alt=f"One query of one network's pool after the other, with image, confidence and answer. In the end: {ends}.",
        label="Search",
        name="Query",
        images=sheet,
        labels=[f"image predicted as {found.at}"] * sheet.count,
        static=asked(rows, list(found.searches), data=data, condition=condition, at=at, seed=seed).svg,
        caption=f"{caption} {many(count, 'query', 'queries')} of one network's whole pool: {_LATER}.".lstrip(),
    )
    return replace(made, shown=found.shown)


def _title(one: Query) -> str:
    return f"{'wrong' if one.wrong else 'correct'} at confidence {sure(one.confidence)}; SDR so far {ratio(one.sdr)}"


def _text(one: Query) -> str:
    found = f"{one.errors or 'No'} error{'' if one.errors == 1 else 's'} found"
    if one.expected == 0:
        return f"{found}; confidences of exactly 1 lead us to expect none, so SDR is not defined."
    return f"{found}; the confidences lead us to expect {one.expected:.2g}."


def _fitting(found: Asked) -> tuple[Sprite, dict[str, int], int]:
    """Pack each image once; give also where each note's image is, and how many queries of a search a page carries."""
    count = max(len(queries) for queries in found.searches.values())
    while True:
        notes = list(dict.fromkeys(one.note for queries in found.searches.values() for one in queries[:count]))
        pixels = images_of(pd.DataFrame({"note": notes}))
        try:
            return sprite(pixels), {note: number for number, note in enumerate(notes)}, count
        except MistrustError:  # more than a page carries
            if count <= 2:
                raise
            count = max(2, count * 3 // 4)
