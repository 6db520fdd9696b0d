"""Table "spread": where the scores of each kind of input lie among those of the nominal one."""

from collections.abc import Iterator, Sequence

import numpy as np

from mistrust.supervisors.tables import Row, Scores
from mistrust.supervisors.tables.together import place

BINS = 20


def spread(nominal: Scores, kinds: Sequence[Scores], methods: Sequence[str]) -> Iterator[Row]:
    """Share of inputs in each twentieth of the nominal scores.

    Scores of supervisors have no common unit. Their place among the nominal ones has: nominal inputs are spread evenly
    from 0 to 1, and 5 % of them lie above 0.95. `at` is the bin's left edge.
    """
    edges = np.linspace(0, 1, BINS + 1)
    for kind in (nominal, *kinds):
        if len(kind) == 0:
            continue
        for method in methods:
            counts, _ = np.histogram(place(kind.by[method], nominal.by[method]), edges)
            row = {"table": "spread", "condition": kind.name, "method": method, "metric": "share", "n": len(kind)}
            for left, count in zip(edges[:-1], counts, strict=True):
                yield {**row, "at": f"{left:.2f}", "value": float(count) / len(kind)}
