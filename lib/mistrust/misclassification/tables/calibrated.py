"""Rows of the calibration: accuracy at severities chosen for this network, on images kept out of choosing."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from mistrust.evaluation import share
from mistrust.inputs.calibration import Calibration
from mistrust.misclassification.tables.sweep import Row, told


def calibrated(found: Calibration, measured: Float[np.ndarray, " l"], n: int, levels: Sequence[int]) -> list[Row]:
    """Target, severity and accuracy at each level, and the largest deviation of accuracy from target.

    Parameters
    ----------
    found : targets and severities, one per level.
    measured : (l,) accuracy there on n other images.
    levels : what the l places are called.

    Examples
    --------
    The second target is lower than this perturbation can bring the network:

    >>> from mistrust.inputs.calibration import Calibration
    >>> grid, curve = np.array([0.0, 1.0, 2.0]), np.array([0.95, 0.85, 0.7])
    >>> chosen = (np.array([0.9, 0.6]), np.array([0.5, 2.0]), np.array([0.9, 0.7]))  # targets, severities, expected
    >>> found = Calibration("fog", "net", 0, 0.95, grid, curve, curve, *chosen, torch.arange(50))
    >>> rows = calibrated(found, np.array([0.92, 0.71]), n=100, levels=(1, 10))
    >>> [(row["level"], row["value"], row["note"]) for row in rows if row["metric"] == "accuracy"]
    [(1, 0.92, ''), (10, 0.71, 'out of reach: the curve ends at 0.700')]
    >>> rows[-1]["metric"], round(rows[-1]["value"], 2)
    ('worst deviation', 0.11)
    """
    common = {"table": "calibration", "condition": f"perturbed/{found.perturbation}", "method": "calibrated", "n": n}
    rows: list[Row] = []
    for i, level in enumerate(levels):
        estimate = share(round(float(measured[i]) * n), n)
        note = "" if bool(found.reached[i]) else f"out of reach: the curve ends at {found.expected[i]:.3f}"
        here = {**common, "level": level, "note": note}
        rows += [
            {**here, "metric": "accuracy", **told(estimate)},
            {**here, "metric": "target", "value": float(found.targets[i])},
            {**here, "metric": "severity", "value": float(found.severities[i])},
        ]
    worst = float(np.abs(measured - found.targets).max())
    return [*rows, {**common, "metric": "worst deviation", "value": worst}]
