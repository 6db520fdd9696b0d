"""What must hold of a panel before a conclusion is drawn from it, as far as network and pool decide it.

The numbers were set before the panels were trained; what an attack must reach is checked where it runs.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool
from numpy.typing import ArrayLike

from mistrust.errors import MistrustError
from mistrust.search.mechanisms.panel import Panel
from mistrust.search.pool import THRESHOLD

LEAST_POOL, LEAST_ERRORS, LEAST_MODELS = 300, 25, 5
# Share of a pool that may have confidence exactly 1, where F has no width.
MOST_CERTAIN = 0.01
# A model is unlike the others when its accuracy is this many standard deviations off, or its temperature this many
# times the median or more.
DEVIATIONS, TIMES = 3.0, 2.5


def missed(panel: Panel, critical: str, threshold: float = THRESHOLD) -> tuple[str, ...]:
    """Name the gates that a panel misses with this critical class, in words with their numbers; () if none."""
    rows = panel.rows(critical, threshold)
    wrong, certain = int(panel.errors[rows].sum()), float((panel.confidence[rows] == 1).mean()) if len(rows) else 0.0
    found = {
        f"pool of {len(rows)}, expected {LEAST_POOL}": len(rows) < LEAST_POOL,
        f"{wrong} errors in the pool, expected {LEAST_ERRORS}": wrong < LEAST_ERRORS,
        f"temperature {panel.temperature.value:.3g} at its limit": bool(panel.temperature.limit),
        f"{certain:.1%} of the pool with confidence 1, expected below {MOST_CERTAIN:.0%}": certain >= MOST_CERTAIN,
    }
    return tuple(text for text, fails in found.items() if fails)


def unlike(accuracies: ArrayLike, temperatures: Sequence[float]) -> Bool[np.ndarray, " m"]:
    """Tell which of m models are unlike the others: what holds is shown with and without them.

    A model is compared with the mean and standard deviation of the *others*' accuracies (of ten models none can lie
    more than 2.85 of its own standard deviations from a mean that it is part of), and with the median temperature.

    Raises
    ------
    MistrustError
        Fewer than three models, or not one temperature a model.
    """
    a, t = np.asarray(accuracies, dtype=np.float64), np.asarray(temperatures, dtype=np.float64)
    if a.ndim != 1 or a.shape != t.shape or len(a) < 3:
        raise MistrustError(
            f"Accuracies have shape {a.shape} and temperatures {t.shape}, expected one of each for at least 3 models."
        )
    far = np.array([_far(a[i], np.delete(a, i)) for i in range(len(a))])
    return far | (t > TIMES * np.median(t))


def _far(value: float, others: np.ndarray) -> bool:
    # Equal accuracies have a deviation of 0, and rounding must not make them far.
    return bool(abs(value - others.mean()) > DEVIATIONS * others.std(ddof=1) + 1e-12)
