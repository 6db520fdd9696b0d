"""Table "wrong": is the prediction wrong? It is what a user asks, whatever kind of input it was."""

from collections.abc import Iterator, Sequence

import numpy as np

from mistrust.comparison.tables import Row, Said
from mistrust.comparison.tables.detection import Limits, passed
from mistrust.comparison.tables.ranking import aurocs
from mistrust.evaluation import share
from mistrust.parts import estimated

TOGETHER = "together"


def wrong(sets: Sequence[Said], limit_of: Limits, resamples: int, seed: int) -> Iterator[Row]:
    """Rows of every set alone, and of all of them together.

    Parameters
    ----------
    sets : inputs that have a right class.

    Metrics
    -------
    accuracy : of the classifier, without a method.
    auroc : wrong predictions score above right ones; interval over images.
    found : share of the wrong predictions that pass the limit; "false alarms": share of the right ones. Exact
        intervals where each image occurs once.
    """
    several = {one.name: [one] for one in sets} | ({TOGETHER: list(sets)} if len(sets) > 1 else {})
    for condition, parts in several.items():
        common = {"table": "wrong", "condition": condition}
        right = sum(int((~one.wrong).sum()) for one in parts)
        yield {**common, "metric": "accuracy", **estimated(share(right, sum(map(len, parts))))}
        by = {name: [one.by[name] for one in parts] for name in parts[0].by}
        outcomes, ids = [one.wrong for one in parts], [one.ids for one in parts]
        for name, found in aurocs(by, outcomes, ids, resamples, seed).items():
            yield {**common, "method": name, "metric": "auroc", **estimated(found)}
            alarms = np.concatenate([passed(limit_of[name], scores) for scores in by[name]])
            bad = np.concatenate([one[: len(s)] for one, s in zip(outcomes, by[name], strict=True)])
            for metric, rows in (("found", bad), ("false alarms", ~bad)):
                told = estimated(share(int(alarms[rows].sum()), int(rows.sum())))
                if len(parts) > 1:  # several inputs are made from one image: no trials of their own
                    told = {"value": told["value"], "n": told["n"]}
                yield {**common, "method": name, "metric": metric, **told}
