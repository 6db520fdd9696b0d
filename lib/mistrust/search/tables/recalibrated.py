"""The authors' rows with calibrated confidences, as their paper means them: what then remains of a "four times"."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.special import expit, logit

from mistrust.evaluation import Estimate
from mistrust.search import measures
from mistrust.search.authors import read_rows
from mistrust.search.calibration import fit_temperature
from mistrust.search.pool import THRESHOLD, Pool
from mistrust.search.tables import LEVELS, Row, estimated
from mistrust.search.tables.orders import AD, order


def recalibrated(path: Path, fraction: float, budget: int, seed: int) -> Iterator[Row]:
    """SDR of Adversarial Distance and of the pool once one temperature was fitted on the rows themselves.

    There are two classes, so a confidence c stands for the logit log c / (1 - c), and the temperature is that under
    which right and wrong answers of all rows are most likely. It saw the answers that are then looked for: what is
    left is, if anything, too little.
    """
    found = read_rows(path, threshold=0)
    logits = logit(np.minimum(found.pool.confidence, np.nextafter(1.0, 0.0)))
    scale = fit_temperature(np.stack([logits, np.zeros_like(logits)], 1), found.errors.astype(np.int64))
    c = expit(logits / scale.value)
    kept = np.flatnonzero(c > THRESHOLD)
    c, errors = c[kept], found.errors[kept]
    pool = Pool(kept, c, distance=found.pool.need("distance", "The authors' rows")[kept])
    common = {"table": "authors", "n": len(kept)}
    yield {**common, "metric": "temperature", "value": scale.value, "n": scale.n}
    chances = measures.chances(c)
    note = f"{int(errors.sum())} errors, {chances.sum():.2f} expected"
    yield {**common, "metric": "recalibrated pool sdr", "value": float(errors.sum() / chances.sum()), "note": note}
    rows = order(pool, AD, budget, fraction, seed)
    for level in (level for level in LEVELS if level <= budget):
        asked = rows[:level]
        value = float(measures.sdr(errors[asked], c[asked])[-1])
        low, high = measures.sdr_interval(int(errors[asked].sum()), measures.chances(c[asked]))
        yield {
            "table": "authors", "method": AD, "level": level, "metric": "recalibrated sdr",
            **estimated(Estimate(value, float(low), float(high), level)),
        }  # fmt: skip
