"""Table "trust": is the prediction wrong? It is what a user asks, whatever kind of input it was."""

from collections.abc import Iterator, Sequence

import numpy as np

from mistrust.evaluation import auroc, best_area, risk_coverage
from mistrust.supervisors.tables import Row, Scores

COVERAGES = (0.8, 0.95)


def trust(name: str, parts: Sequence[Scores]) -> Iterator[Row]:
    """Rows of one set of inputs, or of several together.

    Parameters
    ----------
    name : what the inputs are called in `condition`.
    parts : scores that are read as one set; every input has a right class.

    Metrics
    -------
    auroc : wrong predictions score above right ones.
    area : under the risk-coverage curve, and "excess area", what lies above an oracle's.
    risk 80 %, risk 95 % : share of wrong predictions among the least suspicious 80 and 95 %.
    accuracy : of the classifier on all of them, beside which risks are read; the same for every method.
    """
    wrong = ~np.concatenate([part.correct for part in parts])
    common = {"table": "trust", "condition": name, "n": len(wrong)}
    yield {**common, "metric": "accuracy", "value": float(1 - wrong.mean())}
    if wrong.all() or not wrong.any():
        return
    best = best_area(int(wrong.sum()), len(wrong))
    for method in parts[0].by:
        scores = np.concatenate([part.by[method] for part in parts])
        curve = risk_coverage(scores, wrong)
        row = {**common, "method": method}
        yield {**row, "metric": "auroc", "value": auroc(scores, wrong)}
        yield {**row, "metric": "area", "value": curve.area}
        yield {**row, "metric": "excess area", "value": curve.area - best}
        for coverage in COVERAGES:
            yield {**row, "metric": f"risk {coverage:.0%}", "value": curve.at(coverage)}
