"""Robust local-linear regression (lowess), the windows of many places at once.

W. S. Cleveland, "Robust locally weighted regression and smoothing scatterplots", Journal of the American Statistical
Association 74, 1979. The numbers are statsmodels' up to rounding, its conventions at ties, at constant windows and
where all weights are 0 included. It goes from place to place, which takes a thousand subsets of 2,000 instances ten
minutes; here a window is a row of a matrix.
"""

from collections.abc import Iterator

import numpy as np
from jaxtyping import Float64, Int64
from numpy.lib.stride_tricks import sliding_window_view

Array = Float64[np.ndarray, "..."]
BLOCK = 2**17  # numbers in the windows that are looked at together: a few arrays of 1 MB
HELD = 2**22  # in all windows: as many are kept from pass to pass
# As in statsmodels: a weight that counts as one, and the least variance of a window.
COUNTS, LEAST = 1e-12, 1e-12


def local_linear(
    values: Float64[np.ndarray, " n"], at: Float64[np.ndarray, " n"], fraction: float, passes: int
) -> Float64[np.ndarray, " n"]:
    """Give fitted values at each place.

    Parameters
    ----------
    values, at : what is fitted, and where.
    fraction : share of the instances in each window, in (0, 1]; a window holds two at least.
    passes : fits after the first, in which what lies far from the last one counts less.

    Examples
    --------
    >>> at = np.linspace(0, 1, 21)
    >>> bool(np.allclose(local_linear(1 + 2 * at, at, 0.3, 3), 1 + 2 * at))  # a line is fitted by itself
    True
    """
    n = len(at)
    size = min(max(int(fraction * n + 1e-10), 2), n)
    order = np.argsort(at)
    x, y = at[order], values[order]
    new = np.concatenate([[True], x[1:] != x[:-1]])
    first = np.flatnonzero(new)  # of equal places the first is fitted
    left = np.searchsorted((x[: n - size] + x[size:]) / 2, x[first])
    windows: list[_Window] | None = None
    if len(first) * size <= HELD:
        windows = list(_windows(x, y, first, left, size))
    trust, found = np.ones(n), y
    for last in range(passes + 1):
        some = windows or _windows(x, y, first, left, size)
        found = np.concatenate([one.fitted(sliding_window_view(trust, size)) for one in some])[np.cumsum(new) - 1]
        if last < passes:
            trust = _trusted(np.abs(y - found))
    back = np.empty(n, dtype=np.int64)
    back[order] = np.arange(n)
    return found[back]


class _Window:
    """The windows of some places: whose instances, how far away in x, what they weigh by that, and their values."""

    def __init__(self, x: Array, y: Array, first: Int64[np.ndarray, " m"], left: Int64[np.ndarray, " m"], size: int):
        self.left, self.own = left, y[first]
        self.away = sliding_window_view(x, size)[left]
        self.away -= x[first, None]
        self.values = sliding_window_view(y, size)[left]
        near = np.abs(self.away)
        with np.errstate(invalid="ignore"):  # a window of one place has no weights
            near /= near[:, [0, -1]].max(1, keepdims=True)
        cube = near * near
        cube *= near
        np.subtract(1, cube, out=cube)
        self.near = np.multiply(cube, cube, out=near)
        self.near *= cube

    def fitted(self, trust: Float64[np.ndarray, "s k"]) -> Float64[np.ndarray, " m"]:
        """The line's value at each place; where fewer than two instances count, the place's own."""
        weights = trust[self.left]
        weights *= self.near
        fits = np.count_nonzero(weights > COUNTS, axis=1) >= 2
        with np.errstate(invalid="ignore", divide="ignore"):
            share = 1 / weights.sum(1)
            x, y = (np.einsum("mk,mk->m", weights, of) * share for of in (self.away, self.values))
            weights *= self.away
            xx, xy = (np.einsum("mk,mk->m", weights, of) * share for of in (self.away, self.values))
            slope = (xy - x * y) / np.maximum(xx - x * x, LEAST)
            return np.where(fits, y - slope * x, self.own)


def _windows(
    x: Array, y: Array, first: Int64[np.ndarray, " m"], left: Int64[np.ndarray, " m"], size: int
) -> Iterator[_Window]:
    step = max(1, BLOCK // size)
    for start in range(0, len(first), step):
        some = slice(start, start + step)
        yield _Window(x, y, first[some], left[some], size)


def _trusted(off: Float64[np.ndarray, " n"]) -> Float64[np.ndarray, " n"]:
    """Bisquare weights of residuals, in units of six times their median."""
    median = np.median(off)
    scaled = (off > 0).astype(np.float64) if median == 0 else off / (6 * median)
    return np.square(1 - np.square(np.minimum(scaled, 1)))
