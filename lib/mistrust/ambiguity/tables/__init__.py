"""Rows of the AmbiGuess chapter, table by table: pure functions of what was trained, drawn and observed.

============ ==================================================================================
made         autoencoders, their gates, what the label rules say, where points come from
converged    steps and parameters that autoencoders of two classes need, and of all
diverse      how different drawn images are, by the way they are drawn
composed     the sets: their labels, near-duplicates
performed    Table I
judged       ambiguous or odd, calibration, samples and natural images by rule
shown        pictures: the latent plane, far from it, the way between two classes, a plain VAE's plane
============ ==================================================================================
"""

from collections.abc import Iterable, Mapping
from typing import Any

from mistrust.evaluation import Estimate

Row = Mapping[str, Any]


def point(z: Iterable[float]) -> str:
    """Write a latent point as rows have it: "z0=-1.00,z1=0.50"; no minus before a zero."""
    return ",".join(f"z{axis}={round(value, 2) + 0.0:.2f}" for axis, value in enumerate(z))


def measured(found: Estimate, **row: Any) -> Row:
    """Give a row of an estimate."""
    return {**row, "value": found.value, "low": found.low, "high": found.high, "n": found.n}
