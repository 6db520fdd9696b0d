"""How the autoencoder sees inputs: each beside what it makes of it."""

import numpy as np
import pandas as pd

from mistrust.figures.contact import Cell, Layout, contact, layout
from mistrust.figures.images import images_of
from mistrust.figures.parts import and_so_on
from mistrust.figures.style import WIDTH, Picture, figure, picture, style
from mistrust.figures.supervisors.parts import conditions_in, of, words

_ACROSS = 8  # images on a line at most: inputs and their reconstructions
_HEAD = 0.3  # inches for the words above a line


def rebuilt(rows: pd.DataFrame, *, data: str | None = None, caption: str = "") -> Picture:
    """Draw one line per kind of input: images, each with its reconstruction at its right and the error beneath.

    Parameters
    ----------
    rows : rows of the chapter, with the table "rebuilt".
    data : which image set; None for the first.

    Raises
    ------
    MistrustError
        There are no such rows; a row without an image.

    Examples
    --------
    >>> from mistrust import rows
    >>> from mistrust.pictures import pack
    >>> both = {"metric": "reconstruction error", "note": pack(np.zeros((4, 8), np.uint8)), "at": "0"}
    >>> found = [{**both, "condition": "nominal", "value": 90.2}, {**both, "condition": "invalid/other", "value": 310}]
    >>> rebuilt(rows.table(found, table="rebuilt", data="mnist")).alt.partition("nats. ")[2]
    'Nominal: 90. Invalid: 310.'
    """
    held = of(rows, "rebuilt", "inputs beside their reconstructions", data=data)
    held = held.assign(at=held["at"].astype(int)).sort_values("at")
    plan = layout(["rebuilt"], WIDTH, _ACROSS)
    plan = Layout(plan.across, plan.cell, 0)  # words stand beneath, none above
    kinds = {name: held[held["condition"] == name].head(plan.across // 2) for name in conditions_in(held)}
    high = plan.height(1, 2) + _HEAD
    with style():
        drawn = figure(high * len(kinds))
        said = []
        for line, (condition, found) in enumerate(kinds.items()):
            drawn.text(0.012, 1 - (line * high + 0.04) / (high * len(kinds)), words(condition), va="top", weight="bold")
            cells = list[Cell]()
            for both, error in zip(images_of(found), found["value"], strict=True):
                image, again = np.split(both, 2, axis=1)
                cells += [Cell(image, "", ("input", "")), Cell(again, "", ("rebuilt", f"{error:.0f} nats"))]
            contact(drawn, cells, plan, line * high + _HEAD)
            said.append(f"{words(condition)}: {and_so_on(f'{error:.0f}' for error in found['value'])}.")
        alt = (
            f"Images of {len(kinds)} kinds in {words(held['data'].iloc[0])}, one line per kind, each beside what the "
            f"autoencoder rebuilds, with its error in nats. {' '.join(said)}"
        )
        return picture(drawn, alt, caption, "fig-rebuilt")
