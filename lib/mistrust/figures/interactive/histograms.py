"""A small histogram as SVG that follows the page's colours, for figures that hold many of them."""

from collections.abc import Sequence
from html import escape

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mistrust.errors import MistrustError

# Units of the drawing. The page shows it at 280 pixels or more, so that 13 units are 9 points at least.
WIDTH, HEIGHT, FONT = 300, 112, 13
LEFT, TOP, ACROSS, UP = 44, 8, 250, 80
TICKS = (0.05, 0.25, 1.0)


def histogram(name: str, shares: ArrayLike, usual: ArrayLike, marked: int = 1) -> str:
    """Draw the shares of one kind in bins over [0, 1], and an outline of what is usual.

    Heights are square roots, so that 5 % is seen beside 100 %: the lines across say where 5, 25 and 100 % lie.

    Parameters
    ----------
    name : stands above the drawing, and is its text alternative.
    shares : (bins,) shares in [0, 1].
    usual : (bins,) shares drawn as a grey outline.
    marked : how many bins at the right end stand out, behind a dashed line.

    Raises
    ------
    MistrustError
        Numbers outside [0, 1], or not as many of both.

    Examples
    --------
    >>> drawn = histogram("Noise", shares=[0.5, 0.25, 0.25], usual=[0.8, 0.15, 0.05])
    >>> drawn.split("<svg")[0]
    '<div class="mt-histogram"><p aria-hidden="true">Noise</p>'
    >>> histogram("Noise", shares=[50, 25, 25], usual=[80, 15, 5])
    Traceback (most recent call last):
    mistrust.errors.MistrustError: The shares of a histogram lie in [0, 1], without NaN.
    """
    values, outline = np.asarray(shares, np.float64), np.asarray(usual, np.float64)
    if values.ndim != 1 or values.shape != outline.shape or not 0 <= marked <= len(values) or len(values) == 0:
        raise MistrustError(f"A histogram needs shares of equal bins, got {values.shape} and {outline.shape}.")
    if not (((values >= 0) & (values <= 1)).all() and ((outline >= 0) & (outline <= 1)).all()):
        raise MistrustError("The shares of a histogram lie in [0, 1], without NaN.")
    split = len(values) - marked
    wide = ACROSS / len(values)
    line = LEFT + wide * split
    grid = "".join(
        f'<path class="mt-ring" d="M{LEFT} {_y(t)}h{ACROSS}"/>'
        f'<text x="{LEFT - 4}" y="{_y(t)}" text-anchor="end" dominant-baseline="central">{t:.0%}</text>'
        for t in TICKS
    )
    ends = "".join(
        f'<text x="{LEFT + place * ACROSS:g}" y="{HEIGHT - 8}" text-anchor="{anchor}">{place:g}</text>'
        for place, anchor in ((0, "start"), (0.5, "middle"), (1, "end"))
    )
    drawn = (
        f'<path class="mt-low" d="{_steps(values[:split], LEFT, wide)}"/>'
        f'<path class="mt-top" d="{_steps(values[split:], line, wide)}"/>'
        f'<path class="mt-usual" d="{_steps(outline, LEFT, wide)}"/>'
        f'<path class="mt-limit" d="M{line:g} {TOP}V{TOP + UP}"/>'
    )
    return (
        f'<div class="mt-histogram"><p aria-hidden="true">{escape(name)}</p>'
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" font-size="{FONT}" role="img" aria-label="{escape(name)}">'
        f"{grid}{drawn}{ends}</svg></div>"
    )


def histograms(drawn: Sequence[str]) -> str:
    """Put histograms side by side, as many as there is room for.

    Examples
    --------
    >>> both = histograms([histogram("Noise", [0.5, 0.5], [0.9, 0.1]), histogram("Shift", [0.6, 0.4], [0.9, 0.1])])
    >>> both.count("<svg")
    2
    """
    return f'<div class="mt-histograms">{"".join(drawn)}</div>'


def _y(share: float) -> str:
    return f"{TOP + UP * (1 - share**0.5):.1f}".removesuffix(".0")


def _steps(shares: NDArray[np.float64], left: float, wide: float) -> str:
    """Path of the outline of bars that stand side by side."""
    if not len(shares):
        return ""
    tops = "".join(f"V{_y(float(share))}h{wide:g}" for share in shares)
    return f"M{left:g} {TOP + UP}{tops}V{TOP + UP}z"
