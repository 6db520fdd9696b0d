"""Is a change of an image noise? How much what a pixel changes by tells of what its neighbours do (Figure 5).

Pixels that nothing can darken, or brighten, are changed one way alone, and images hold such pixels side by side. So
noise, too, that is drawn pixel by pixel and then clipped is correlated a little. What stands beside the correlation is
therefore the same change, its values exchanged between pixels of about the same grey level.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mistrust import random

STEP = 16  # grey levels that count as about the same


def neighbour_correlation(change: ArrayLike) -> float:
    """Correlation of neighbouring pixels' changes, across and down; 0 is expected of noise that nothing clips.

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


def exchanged(image: ArrayLike, change: ArrayLike, count: int, seed: int = 0) -> NDArray[np.float64]:
    """Correlations of neighbours when the change's values are exchanged between pixels of about the same grey level.

    Parameters
    ----------
    image : the image as it was, in grey levels, of the same shape as `change`.
    count : how many times they are.
    seed : of the draws.

    Returns
    -------
    (count,) numbers in [-1, 1].

    Examples
    --------
    Where all pixels are grey, noise is left with nothing; where light and dark ones are changed otherwise and lie
    side by side, exchanging within each leaves what that alone does:

    >>> grey, halves = np.full((1, 6), 128), np.array([[0, 0, 0, 255, 255, 255]])
    >>> bool(exchanged(grey, [[1, 1, 1, -1, -1, -1]], 99).mean() < 0.1), float(exchanged(halves, -halves, 1)[0])
    (True, 0.6)
    """
    level, values = np.asarray(image).ravel() // STEP, np.asarray(change, dtype=np.float64)
    draw = random.generator(seed, "robustness/structure")
    groups = [np.flatnonzero(level == one) for one in np.unique(level)]
    found = np.empty(count)
    for i in range(count):
        other = values.ravel().copy()
        for group in groups:
            other[group] = draw.permutation(other[group])
        found[i] = neighbour_correlation(other.reshape(values.shape))
    return found
