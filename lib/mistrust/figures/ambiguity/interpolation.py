"""From one class to the other, step by step, with the label of each step: the paper's Figure 4."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from mistrust.figures.ambiguity.parts import of_pair, two_classes
from mistrust.figures.images import images_of, place, show
from mistrust.figures.parts import and_so_on, numbers, numbers_at, some
from mistrust.figures.style import PALETTE, WIDTH, Picture, figure, for_words, picture, style
from mistrust.rows import select

_FIRST, _SECOND = PALETTE[0], PALETTE[1]
_SIDE, _ABOVE, _BELOW = 0.04, 0.3, 0.46  # inches beside a strip, above it for names, beneath it for bars and shares


def interpolation(
    rows: pd.DataFrame,
    pairs: Sequence[str] | None = None,
    *,
    classes: Mapping[str, tuple[str, str]] | None = None,
    steps: int = 7,
    first: Sequence[str] = (),
    caption: str = "",
) -> Picture:
    """Draw a strip of images a pair, from one class to the other, and the probability of each class under them.

    Parameters
    ----------
    rows : rows of the chapter, with the table "interpolation"; of several image sets the first is drawn.
    pairs : which pairs, in this order; None for all.
    first : instead of `pairs`: the first two of these that have rows; where none has, the first two that there are.
    classes : the two names of a pair; needed only where a name has a "/" itself.
    steps : images a strip holds at most; of more, evenly spaced ones are shown, both ends among them.

    Raises
    ------
    MistrustError
        There are no such rows, or none of a pair.

    Examples
    --------
    >>> from mistrust import rows
    >>> from mistrust.pictures import pack
    >>> note = pack(np.zeros((8, 8), np.uint8))
    >>> steps = [{"at": f"z0={z0}", "value": p} for z0, p in ((-1, 0.9), (0, 0.6), (1, 0.2))]
    >>> made = rows.table(steps, table="interpolation", condition="4/9", metric="p first", note=note)
    >>> interpolation(made).alt.split("probabilities. ")[1]
    'From 4 to 9, probability of 4: 90%, 60% and 20%.'
    """
    held = select(rows, table="interpolation", metric="p first")
    some(held, "interpolation")
    held = held[held["data"] == held["data"].iloc[0]]
    made = list(dict.fromkeys(held["condition"]))
    wanted = made if pairs is None else list(pairs)
    if first:
        wanted = ([pair for pair in dict.fromkeys(first) if pair in made] or made)[:2]
    strips: list[tuple[NDArray[np.uint8], NDArray[np.float64], tuple[str, str]]] = []
    said: list[str] = []
    for pair in wanted:
        line = numbers_at(of_pair(held, pair, "interpolation"), "z0")
        chosen = np.unique(np.linspace(0, len(line) - 1, min(steps, len(line))).round().astype(int))
        line = line.iloc[list(chosen)]
        names = two_classes(pair, (classes or {}).get(pair))
        shares = numbers(line["value"])
        strips.append((np.concatenate(list(images_of(line)), axis=1), shares, names))
        told = and_so_on(f"{share:.0%}" for share in shares)
        said.append(f"From {names[0]} to {names[1]}, probability of {names[0]}: {told}.")
    tall = [(WIDTH - 2 * _SIDE) * strip.shape[0] / strip.shape[1] for strip, _, _ in strips]
    with style():
        drawn = figure(sum(tall) + (_ABOVE + _BELOW) * len(strips))
        top = 0.0
        for height, strip in zip(tall, strips, strict=True):
            _strip(drawn, top, height, *strip)
            top += height + _ABOVE + _BELOW
        alt = (
            f"{len(wanted)} strip{'s' * (len(wanted) > 1)} of images that turn from one class into another, with bars "
            f"of both probabilities. {' '.join(said)}"
        )
        return picture(drawn, alt, caption, "fig-interpolation")


def _strip(
    drawn: Figure,
    top: float,
    height: float,
    strip: NDArray[np.uint8],
    shares: NDArray[np.float64],
    names: tuple[str, str],
) -> None:
    """Draw images side by side without a gap, and beneath each a bar parted between the two classes."""
    above = place(drawn, _SIDE, top + _ABOVE, WIDTH - 2 * _SIDE, height)
    show(above, strip)
    above.set_title(names[0], loc="left", color=for_words(_FIRST), weight="bold", pad=4)
    above.set_title(names[1], loc="right", color=for_words(_SECOND), weight="bold", pad=4)
    _bars(place(drawn, _SIDE, top + _ABOVE + height + 0.06, WIDTH - 2 * _SIDE, 0.12), shares)


def _bars(axes: Axes, shares: NDArray[np.float64]) -> None:
    places, wide = np.arange(len(shares)), 0.86
    left = places - wide / 2
    axes.barh(np.zeros(len(shares)), wide * shares, left=left, color=_FIRST, height=1)
    axes.barh(np.zeros(len(shares)), wide * (1 - shares), left=left + wide * shares, color=_SECOND, height=1)
    axes.set_xlim(-0.5, len(shares) - 0.5)
    axes.set_xticks(places, [f"{share:.0%}" for share in shares])
    axes.set_yticks([])
    axes.tick_params(length=0, pad=2, labelcolor=_FIRST)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
