"""Table "evaded": how many images get past a supervisor, by how far a pixel may change and what the attacker knows."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from jaxtyping import Bool, Float64

from mistrust.evaluation import share
from mistrust.supervisors.tables import Row

ALONE, TOO = "attack/network alone", "attack/supervisor too"


def evaded(
    condition: str,
    epsilon: Float64[np.ndarray, " n"],
    unnoticed: Mapping[str, Bool[np.ndarray, " n"]],
    levels: Sequence[float],
) -> Iterator[Row]:
    """Rows "share unnoticed" of each supervisor at each level, of all images that were tried.

    Parameters
    ----------
    condition : `ALONE` or `TOO`.
    epsilon : of each image the first within which the attack ended, infinite where it did not.
    unnoticed : by supervisor, whether the image that the attack ended with gets past it.
    levels : epsilons, rising.

    Examples
    --------
    >>> passed = {"mdsa": np.array([True, False, True])}
    >>> found = evaded("attack/supervisor too", np.array([0.1, 0.1, 0.2]), passed, [0.1, 0.2])
    >>> [(row["level"], round(row["value"], 2)) for row in found]
    [(0.1, 0.33), (0.2, 0.67)]
    """
    for name, passed in unnoticed.items():
        for level in levels:
            found = share(int((passed & (epsilon <= level)).sum()), len(epsilon))
            yield {
                "table": "evaded", "condition": condition, "method": name, "level": level, "metric": "share unnoticed",
                "value": found.value, "low": found.low, "high": found.high, "over": "images", "n": found.n,
            }  # fmt: skip
