"""Rows of the chapter on robustness estimation, table by table: what is measured of one network.

Which tables there are, and what their rows mean, stands where they are read: the contract at the top of
`mistrust.publishing.claim_tests.robustness.reading`.
"""

from collections.abc import Mapping
from math import isfinite
from typing import Any

from mistrust.evaluation import Estimate

Row = Mapping[str, Any]


def estimated(found: Estimate, over: str = "images") -> dict[str, Any]:
    """An estimate as columns of a row; ends that are not finite are left out."""
    both = isfinite(found.low) and isfinite(found.high)
    ends = {"low": found.low, "high": found.high, "over": over} if both else {}
    return {"value": found.value, "n": found.n, **ends}
