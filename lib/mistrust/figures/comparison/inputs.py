"""A few inputs of every kind as they are, with the class that the classifier gives them."""

import pandas as pd

from mistrust.figures.comparison.parts import of, troubles_in, words
from mistrust.figures.kinds import line_a_kind
from mistrust.figures.style import Picture

_ACROSS = 6


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
    >>> seen = [{"condition": "nominal", "method": "4"}, {"condition": "noise", "method": "9"}]  # an image of each kind
    >>> note = pack(np.zeros((8, 8), np.uint8))
    >>> made = rows.table(seen, table="inputs", metric="predicted", value=0, at="0", data="mnist", note=note)
    >>> inputs(made).alt.split("gives it. ")[1]
    'Nominal: 4. Noise: 9.'
    """
    held = of(rows, "inputs", "inputs of every kind", data=data)
    return line_a_kind(held, troubles_in(held), words, across=_ACROSS, caption=caption)
