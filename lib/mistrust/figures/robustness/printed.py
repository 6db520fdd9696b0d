"""The paper's printed numbers for figures: by network, in its order."""

import pandas as pd

from mistrust.robustness.rereading.printed import NETWORKS
from mistrust.rows import select


def printed_of(printed: pd.DataFrame | None, table: str, metric: str, **where: object) -> dict[str, float]:
    """Give network -> printed number; nothing for None, and no network that has none.

    Parameters
    ----------
    printed : the chapter's published rows.
    table, metric, where : which number.
    """
    if printed is None:
        return {}
    found = select(printed, table=table, metric=metric, **where).set_index("network")["value"]
    return {name: float(found[name]) for name in NETWORKS if name in found.index}
