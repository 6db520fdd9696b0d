"""Test images that are ambiguous by nature: the paper's Figure 1, by a rule in place of choice by hand."""

import pandas as pd

from mistrust.figures.contact import Cell, contact, layout
from mistrust.figures.images import images_of
from mistrust.figures.parts import and_so_on, some
from mistrust.figures.style import WIDTH, Picture, figure, picture, style
from mistrust.rows import select


def natural(rows: pd.DataFrame, *, most: int = 18, caption: str = "") -> Picture:
    """Draw the first naturally ambiguous test images by rank, each with the two classes that the judges see.

    Parameters
    ----------
    rows : rows of the chapter, with the table "natural"; the number that passes the rule, where there is one, is told.
    most : images at most.

    Raises
    ------
    MistrustError
        There are no such rows; an image that is missing.

    Examples
    --------
    >>> from mistrust import rows
    >>> from mistrust.pictures import pack
    >>> image = {"metric": "entropy", "at": "id=115", "value": 0.99, "level": 1, "condition": "4/9",
    ...          "note": pack(np.zeros((8, 8), np.uint8))}
    >>> made = rows.table([image, {"metric": "count", "value": 41}], table="natural")
    >>> natural(made).alt.split("bits: ")[1]
    '4/9 (115, 0.99). 41 images pass the rule.'
    """
    held = select(rows, table="natural")
    found = held[(held["metric"] == "entropy") & held["at"].str.startswith("id=")].sort_values("level").head(most)
    some(found, "naturally ambiguous images")
    entropy = [f"{value:.2f}" for value in found["value"]]
    cells = [
        Cell(image, pair, (f"{bits} bit",))
        for image, pair, bits in zip(images_of(found), found["condition"], entropy, strict=True)
    ]
    plan = layout([cell.head for cell in cells], WIDTH, 6)
    numbers = held[held["at"] == ""].set_index("metric")["value"]
    who = f"of {numbers['candidates']:.0f} candidates" if "candidates" in numbers else "images"
    passed = f" {numbers['count']:.0f} {who} pass the rule" if "count" in numbers else ""
    with style():
        drawn = figure(plan.height(len(cells), 1))
        contact(drawn, cells, plan, 0.02)
        each = and_so_on(
            f"{pair} ({at.removeprefix('id=')}, {bits})"
            for pair, at, bits in zip(found["condition"], found["at"], entropy, strict=True)
        )
        alt = (
            f"{len(cells)} naturally ambiguous test images with the two classes that the judges see, by number and "
            f"entropy in bits: {each}.{passed}{'.' * bool(passed)}"
        )
        return picture(drawn, alt, caption, "fig-natural")
