"""A few inputs of every kind as they are, with the class that the classifier gives them."""

import pandas as pd

from mistrust.figures.comparison.parts import data_in, troubles_in, words
from mistrust.figures.contact import Cell, Layout, contact, layout
from mistrust.figures.images import images_of
from mistrust.figures.parts import and_so_on, one_of, some
from mistrust.figures.style import WIDTH, Picture, figure, picture, style
from mistrust.rows import select

_ACROSS = 6
_HEAD = 0.3  # inches for the words above a line


def inputs(rows: pd.DataFrame, *, data: str | None = None, caption: str = "") -> Picture:
    """Draw one line of images a kind of input, each with its predicted class beneath.

    Parameters
    ----------
    rows : rows of the chapter, with the table "inputs".
    data : which image set; None for the first.

    Raises
    ------
    MistrustError
        There are no such rows; a row without an image.
    """
    held = select(rows, table="inputs")
    some(held, "inputs of every kind")
    held = held[held["data"] == one_of(data, data_in(held), "inputs of every kind")]
    held = held.assign(at=held["at"].astype(int)).sort_values("at")
    plan = layout(sorted(set(held["method"])), WIDTH, _ACROSS)
    kinds = {name: held[held["condition"] == name].head(plan.across) for name in troubles_in(held)}
    bare = Layout(plan.across, plan.cell, 0)  # words stand beneath, none above
    high = bare.height(1, plan.lines) + _HEAD
    with style():
        drawn = figure(high * len(kinds))
        said = []
        for line, (condition, found) in enumerate(kinds.items()):
            drawn.text(0.012, 1 - (line * high + 0.04) / (high * len(kinds)), words(condition), va="top", weight="bold")
            beneath = [tuple(plan.head(name).split("\n")) for name in found["method"]]
            cells = [Cell(image, "", lines) for image, lines in zip(images_of(found), beneath, strict=True)]
            contact(drawn, cells, bare, line * high + _HEAD)
            said.append(f"{words(condition)}: {and_so_on(found['method'])}.")
        alt = (
            f"Images of {len(kinds)} kinds in {words(held['data'].iloc[0])}, a line a kind, each with the class that "
            f"the classifier gives it. {' '.join(said)}"
        )
        return picture(drawn, alt, caption, "fig-inputs")
