"""Rows of the chapter on the search for high-confidence errors, table by table: what is measured of one panel.

Which tables there are, and what their rows mean, stands where they are read: the contract at the top of
`mistrust.publishing.claim_tests.search.reading`. Four more are for figures alone: "reliability", "rank", "steps", and
"curves", which claims read, too.
"""

from collections.abc import Mapping
from math import isfinite
from typing import Any

from mistrust.evaluation import Estimate

Row = Mapping[str, Any]
# Queries after which searches are compared.
LEVELS = (20, 50)
# Confidence above which an error is one of high confidence, in the paper's words "sure".
SURE = 0.9


def estimated(found: Estimate, over: str = "images") -> dict[str, Any]:
    """An estimate as columns of a row; ends that are not finite are left out."""
    both = isfinite(found.low) and isfinite(found.high)
    ends = {"low": found.low, "high": found.high, "over": over} if both else {}
    return {"value": found.value, "n": found.n, **ends}
