"""Which images are read where not all are: in the shares that the classes have, but a few of each."""

import numpy as np
from numpy.typing import NDArray

LEAST = 5  # of each class, where there are so many and room for them


def in_shares(labels: NDArray[np.integer], order: NDArray[np.integer], count: int) -> NDArray[np.integer]:
    """Positions, ascending, of so many of n images.

    Parameters
    ----------
    labels : (n,).
    order : (n,), the positions in the order of a draw; of each class its first come first.
    count : how many; all where there are no more.

    Examples
    --------
    >>> in_shares(np.repeat([0, 1], [30, 10]), np.arange(40), 12)
    array([ 0,  1,  2,  3,  4,  5,  6, 30, 31, 32, 33, 34])
    """
    n = len(labels)
    turn, share, place = np.empty(n, dtype=np.int64), np.empty(n), np.empty(n, dtype=np.int64)
    place[order] = np.arange(n)
    for label in np.unique(labels):
        mine = order[labels[order] == label]
        turn[mine] = np.arange(len(mine))  # how many of its class come before it
        share[mine] = (turn[mine] + 0.5) / len(mine)
    few = turn < LEAST
    return np.sort(np.lexsort((place, np.where(few, turn, share), ~few))[:count])
