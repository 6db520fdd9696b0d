"""What a search asks of many oracles, whose answers to all of the pool are known."""

from copy import deepcopy

import numpy as np
from jaxtyping import Bool, Int64

from mistrust.search.methods import Asking


def asked(begun: Asking, wrong: Bool[np.ndarray, "S n"], budget: int) -> Int64[np.ndarray, "S b"]:
    """Give the rows that the search asks each oracle about, in its order.

    While oracles have given the same answers, the search runs once for all of them.

    Parameters
    ----------
    begun : the search before its first question; it is copied, not changed.
    wrong : (S, n) what each oracle says of each instance.
    budget : b, questions to each, at most n.

    Examples
    --------
    >>> class InOrder:
    ...     def choose(self, left):
    ...         return int(left.argmax())
    ...     def learn(self, row, error):
    ...         pass
    >>> asked(InOrder(), np.array([[True, False, True], [False, False, True]]), 2)
    array([[0, 1],
           [0, 1]])
    """
    rows = np.empty((len(wrong), budget), dtype=np.int64)
    # Searches under way, each with what is left and the oracles whose answers it has had: at most one per query.
    ways = [(deepcopy(begun), np.ones(wrong.shape[1], dtype=bool), np.arange(len(wrong)), 0)]
    while ways:
        asking, left, which, first = ways.pop()
        for query in range(first, budget if len(which) else 0):
            row = asking.choose(left)
            rows[which, query], left[row] = row, False
            answers = wrong[which, row]
            if answers.any() and not answers.all():  # here they part
                other = deepcopy(asking)
                other.learn(row, True)
                ways.append((other, left.copy(), which[answers], query + 1))
                which = which[~answers]
            asking.learn(row, bool(answers.all()))
    return rows
