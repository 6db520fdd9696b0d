"""Images of several kinds of input, one line per kind, each with what the classifier takes it for."""

from collections.abc import Callable, Iterable

import pandas as pd

from mistrust.figures.contact import Cell, Layout, contact, layout
from mistrust.figures.images import images_of
from mistrust.figures.parts import and_so_on
from mistrust.figures.style import WIDTH, Picture, figure, picture, style

_HEAD = 0.3  # inches for the words above a line


def line_a_kind(
    held: pd.DataFrame, conditions: Iterable[str], words: Callable[[str], str], *, across: int, caption: str = ""
) -> Picture:
    """Draw the first images of each kind of input, with the predicted class beneath.

    Parameters
    ----------
    held : rows of the table "inputs" of one image set: `condition`, `method` (the class) and the image.
    conditions : the kinds in the order of the lines.
    words : what a reader calls a kind or an image set.
    across : most images on a line.

    Raises
    ------
    MistrustError
        A row without an image.
    """
    held = held.assign(at=held["at"].astype(int)).sort_values("at")
    plan = layout(sorted(set(held["method"])), WIDTH, across)
    kinds = {name: held[held["condition"] == name].head(plan.across) for name in conditions}
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
            f"Images of {len(kinds)} kinds in {words(held['data'].iloc[0])}, one line per kind, each with the class "
            f"the classifier gives it. {' '.join(said)}"
        )
        return picture(drawn, alt, caption, "fig-inputs")
