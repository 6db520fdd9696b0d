"""When supervisors cannot tell, by their cards."""

from collections.abc import Iterable

import pandas as pd

from mistrust.figures.parts import and_so_on
from mistrust.figures.supervisors.parts import in_order, short
from mistrust.supervisors import SUPERVISORS


def limits(names: Iterable[str]) -> pd.DataFrame:
    """Give a line for each limit that cards of these supervisors name; those that share one stand together.

    Raises
    ------
    UnknownName
        There is no such supervisor.

    Examples
    --------
    >>> limits(["knn", "softmax_entropy"]).iloc[0].tolist()
    ['Softmax Entropy', 'A network may be sure of what it has never seen.']
    """
    by: dict[str, list[str]] = {}
    for name in in_order(names):
        by.setdefault(SUPERVISORS[name].card.limits, []).append(short(name))
    lines = [(and_so_on(those), limit) for limit, those in by.items() if limit]
    return pd.DataFrame(lines, columns=["supervisor", "when it cannot tell"])
