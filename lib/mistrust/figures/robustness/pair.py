"""One image as it is, and with the noise that first changes the answer (the paper's Figure 4)."""

from collections.abc import Sequence

import pandas as pd

from mistrust.figures.images import images_of, show
from mistrust.figures.parts import some
from mistrust.figures.robustness.parts import of, wanted, words
from mistrust.figures.style import Picture, figure, picture, style
from mistrust.figures.written import many, plain

_WHAT = "image and its breaking noise"


def pair(
    rows: pd.DataFrame, networks: Sequence[str] | None = None, *, data: str | None = None, caption: str = ""
) -> Picture:
    """Draw one column per network: its first image that breaks, and beneath it the same with the noise that breaks it.

    Parameters
    ----------
    rows : rows of the chapter, with the table "pair" (metric source, at = class, the picture in `note`; metric sigma,
        at = what is answered then).
    networks : which; None for the first of each family.
    data : which image set; None for the first.

    Raises
    ------
    MistrustError
        There are no such rows, or one lacks its picture.

    Examples
    --------
    >>> import numpy as np
    >>> from mistrust import rows
    >>> from mistrust.pictures import pack
    >>> note = pack(np.zeros((8, 8), np.uint8))
    >>> found = [
    ...     {"at": "3", "metric": "source", "value": 7, "note": note},
    ...     {"at": "8", "metric": "sigma", "value": 83, "note": note},
    ... ]
    >>> made = pair(rows.table(found, table="pair", data="mnist", network="vgg9-w16", seed=0))
    >>> made.alt.partition("answer. ")[2]
    'VGG-9 w16: 3, with σ 83 predicted as 8.'
    """
    held = of(rows, "pair", _WHAT, data=data)
    held = held[held["seed"] == held["seed"].min()]
    both = held.groupby("network")["metric"].nunique()
    some(both[both == 2], _WHAT)
    names = wanted(networks, both[both == 2].index, _WHAT)
    said = []
    with style():
        drawn = figure(3.4 if len(names) > 2 else 4.6)
        panels = drawn.subplots(2, len(names), squeeze=False)
        for column, name in zip(panels.T, names, strict=True):
            own = held[held["network"] == name].drop_duplicates("metric").set_index("metric")
            clean, noisy = own.loc["source"], own.loc["sigma"]
            sigma = plain(float(noisy["value"]))
            for axes, pixels in zip(column, images_of(own.loc[["source", "sigma"]]), strict=True):
                show(axes, pixels)
            column[0].set_title("\n".join((*words(name).rsplit(" ", 1), str(clean["at"]))), fontsize=10.5)
            column[1].set_title(f"{noisy['at']}\nσ {sigma}", fontsize=10.5)
            said.append(f"{words(name)}: {clean['at']}, with σ {sigma} predicted as {noisy['at']}.")
        alt = (
            f"An image of {words(held['data'].iloc[0])} for each of {many(len(names), 'network')} and, beneath "
            "it, the same "
            f"image with the noise that first changes the network's answer. {' '.join(said)}"
        )
        return picture(drawn, alt, caption, "fig-pair")
