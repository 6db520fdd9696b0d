"""What an error's distance is made of: the error, the nearest image called otherwise, a prototype (Figure 9)."""

import pandas as pd

from mistrust.figures.contact import Cell, Layout, contact
from mistrust.figures.images import images_of
from mistrust.figures.parts import some
from mistrust.figures.search.held import of, wanted
from mistrust.figures.search.parts import conditions_in, told, words
from mistrust.figures.style import WIDTH, Picture, figure, picture, style
from mistrust.figures.written import two

_WHAT = "pictures of an error, the nearest image and a prototype"
_LEVELS = 3
_BESIDE, _HEAD, _APART = 1.12, 0.3, 0.14  # inches at the left, for a condition's name, between conditions


def insight(
    rows: pd.DataFrame, *, data: str | None = None, conditions: list[str] | None = None, caption: str = ""
) -> Picture:
    """Draw, by condition, the first error found, the nearest image of the other class and a prototype.

    Parameters
    ----------
    rows : rows of the chapter, with the table "insight" (level = 1 the error, 2 the nearest image that is called
        otherwise, 3 the right image with the largest Adversarial Distance; metrics shown and speaking, whose notes hold
        the pictures, and mae). Of several models the first is drawn.
    data : which image set; None for all.
    conditions : which, in this order; None for all that have all three pictures.

    Raises
    ------
    MistrustError
        There are no such rows; a row without its picture.

    Examples
    --------
    >>> import numpy as np
    >>> from mistrust import rows
    >>> from mistrust.pictures import pack
    >>> here = {"condition": "biased/25", "at": "cat", "data": "cats_dogs-32"}
    >>> note = pack(np.zeros((8, 8, 3), dtype=np.uint8))
    >>> made = [{"metric": metric, "level": level, "value": 0.5, "note": note}
    ...         for metric in ("shown", "speaking") for level in (1, 2, 3)]
    >>> made += [{"metric": "mae", "level": level, "value": 2.0} for level in (1, 3)]
    >>> print(insight(rows.table(made, table="insight", **here)).alt.partition("without them. ")[2].partition(";")[0])
    Biased training, 25% of cats missing (cats and dogs): predicted as cat, 0.50, lead falls by 0.5, 2.0 grey levels
    """
    held = of(rows, "insight", _WHAT, data=data)
    if held["seed"].notna().any():
        held = held[held["seed"] == held["seed"].min()]
    whole = held[held["metric"] == "shown"].groupby("condition")["level"].nunique()
    names = wanted(conditions, conditions_in(whole[whole == _LEVELS].index), _WHAT)
    some(names, _WHAT)
    plan = Layout(_LEVELS, (WIDTH - _BESIDE) / _LEVELS, 2)
    bare = Layout(plan.across, plan.cell, 0)
    tall = plan.height(1, 2), bare.height(1, 1)
    block = _HEAD + sum(tall) + _APART
    said = []
    with style():
        drawn = figure(block * len(names))
        for number, name in enumerate(names):
            own = held[held["condition"] == name]
            at = own["at"].iloc[0]
            heads = (f"called {at}", "nearest other", "prototype")
            above, beneath = _above(own, heads), _beneath(own)
            top = block * number
            high = block * len(names)
            place = f"{told(name)} ({words(own['data'].iloc[0])})"
            drawn.text(0.02, 1 - (top + 0.06) / high, told(name), va="top", ha="left", fontweight="bold")
            contact(drawn, above, plan, top + _HEAD, _BESIDE, ("confidence", "MAE"))
            contact(drawn, beneath, bare, top + _HEAD + tall[0], _BESIDE, ("lead falls",))
            parts = (
                f"{head}, {up.beneath[0]}, lead falls by {down.beneath[0]}"
                + (f", {up.beneath[1]} grey levels" if up.beneath[1] else "")
                for head, up, down in zip((f"predicted as {at}", *heads[1:]), above, beneath, strict=True)
            )
            said.append(f"{place}: {'; '.join(parts)}.")
        alt = (
            "In threes: the first error that Adversarial Distance found, the nearest image that the network predicts "
            "as another class, and the correctly predicted image with the largest Adversarial Distance; with the "
            "network's confidence in each prediction and how far the image is from the other class. Beneath each the "
            "superpixels that speak most for its predicted class, and by how much its lead falls without them. "
            + " ".join(said)
        )
        return picture(drawn, alt, caption, "fig-insight", held)


def _above(own: pd.DataFrame, heads: tuple[str, ...]) -> list[Cell]:
    shown = own[own["metric"] == "shown"].sort_values("level")
    apart = own[own["metric"] == "mae"].set_index("level")["value"]
    return [
        Cell(image, head, (two(value), f"{apart[level]:.1f}" if level in apart else ""))
        for image, head, value, level in zip(images_of(shown), heads, shown["value"], shown["level"], strict=True)
    ]


def _beneath(own: pd.DataFrame) -> list[Cell]:
    spoken = own[own["metric"] == "speaking"].sort_values("level")
    falls = (f"{round(fall, 1) + 0:.1f}".replace("-", "−") for fall in spoken["value"])  # no minus zero
    return [Cell(image, "", (fall,)) for image, fall in zip(images_of(spoken), falls, strict=True)]
