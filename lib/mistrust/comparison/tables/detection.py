"""Table "detection": is the input bad? Each scorer against each kind of bad input; and the limit that alarms."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from mistrust.comparison.tables import Row, Said
from mistrust.comparison.tables.ranking import LEAST, aurocs
from mistrust.evaluation import share
from mistrust.parts import estimated
from mistrust.supervisors import Quantile

Limits = Mapping[str, Quantile]


def limits(held: Said, rate: float) -> Limits:
    """Give the limit of each scorer that at most a share `rate` of further nominal images is to pass.

    Parameters
    ----------
    held : nominal images that no scorer was fitted on.
    """
    found = {name: Quantile(rate) for name in held.by}
    for name, one in found.items():
        one.fit(torch.from_numpy(held.by[name]))
    return found


def passed(limit: Quantile, values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which scores (n,) alarm."""
    return limit.alarms(torch.from_numpy(values)).numpy()


def detection(nominal: Said, bad: Sequence[Said], limit_of: Limits, resamples: int, seed: int) -> Iterator[Row]:
    """Rows of every kind of bad input against the nominal ones.

    Metrics
    -------
    auroc : negatives are all nominal inputs, wrongly classified ones too; interval over images.
    alarms : share of a set that passes the limit; of the nominal set they are false. Exact interval.
    """
    for one in (nominal, *bad):
        for name, values in one.by.items():
            alarms = share(int(passed(limit_of[name], values).sum()), len(values))
            row = {"table": "detection", "condition": one.name, "method": name, "metric": "alarms"}
            yield {**row, **estimated(alarms)}
    for one in bad:
        if min(len(one), len(nominal)) < LEAST:
            continue
        by = {name: (nominal.by[name], one.by[name]) for name in one.by}
        outcome = (np.zeros(len(nominal), bool), np.ones(len(one), bool))
        for name, found in aurocs(by, outcome, (nominal.ids, one.ids), resamples, seed).items():
            row = {"table": "detection", "condition": one.name, "method": name, "metric": "auroc"}
            yield {**row, **estimated(found)}
