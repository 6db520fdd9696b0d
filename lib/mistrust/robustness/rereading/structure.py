"""Is a change of an image noise? How much what a pixel changes by tells of what its neighbours do (Figure 5)."""

from math import sqrt

import numpy as np
from numpy.typing import ArrayLike


def neighbour_correlation(change: ArrayLike) -> float:
    """Correlation of neighbouring pixels' changes, across and down; 0 is expected of noise drawn pixel by pixel.

    Parameters
    ----------
    change : (h, w) or (c, h, w), the image as it became minus as it was; channels are taken together.

    Returns
    -------
    A number in [-1, 1]; NaN of a change that is the same everywhere.

    Examples
    --------
    Two halves that change in opposite ways, and a chessboard:

    >>> float(neighbour_correlation([[1, 1, 1, -1, -1, -1]]))
    0.6
    >>> float(neighbour_correlation([[1, -1, 1, -1], [-1, 1, -1, 1]]))
    -1.0
    """
    whole = np.asarray(change, dtype=np.float64)
    centred = whole - whole.mean()
    pairs = [(centred[..., 1:, :], centred[..., :-1, :]), (centred[..., 1:], centred[..., :-1])]
    products = np.concatenate([(one * other).ravel() for one, other in pairs])
    power = (centred**2).mean()
    return float(products.mean() / power) if power else float("nan")


def independent_error(shape: tuple[int, ...]) -> float:
    """Standard error of that correlation in independent noise, by the number of neighbours.

    Examples
    --------
    >>> round(independent_error((28, 28)), 3)
    0.026
    """
    *channels, height, width = shape
    count = (height - 1) * width + height * (width - 1)
    return 1 / sqrt(count * int(np.prod(channels)))
