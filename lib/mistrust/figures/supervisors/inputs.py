"""A few inputs of every kind as they are, with the class that the classifier gives them."""

from dataclasses import replace

import pandas as pd

from mistrust.figures.kinds import line_a_kind
from mistrust.figures.style import Picture
from mistrust.figures.supervisors.parts import conditions_in, of, of_network, words

_ACROSS = 8


def inputs(rows: pd.DataFrame, *, data: str | None = None, caption: str = "") -> Picture:
    """Draw one line of images per kind of input, each with its predicted class beneath.

    Parameters
    ----------
    rows : rows of the chapter, with the table "inputs".
    data : which image set; None for the first.

    Raises
    ------
    MistrustError
        There are no such rows; a row without an image.

    Examples
    --------
    >>> from mistrust import rows
    >>> from mistrust.pictures import pack
    >>> image = {"metric": "predicted", "value": 7, "method": "7", "note": pack(np.zeros((4, 4), np.uint8))}
    >>> found = [{**image, "at": "0", "condition": name} for name in ("invalid/other", "nominal")]
    >>> inputs(rows.table(found, table="inputs", data="mnist")).alt.partition("gives it. ")[2]
    'Nominal: 7. Invalid: 7.'
    """
    held = of(rows, "inputs", "inputs of every kind", data=data)
    made = line_a_kind(held, conditions_in(held), words, across=_ACROSS, caption=caption)
    return replace(made, shown=of_network(held))
