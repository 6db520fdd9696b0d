"""Claims of section VI-B (Figure 8) on the errors that Adversarial Distance finds under biased training.

Read: `explained`, of what is called a cat. With `level` (a number of errors) the first that the search finds; without
it all of the pool.
"""

import math

import pandas as pd

from mistrust.publishing.claim_tests.search.panels import by_model
from mistrust.publishing.claim_tests.search.reading import AD, CHAPTER, CRITICAL, WAYS, gap
from mistrust.publishing.estimates import NotRun, Reader
from mistrust.publishing.verdicts import Verdict, above, claim_test


@claim_test("adversarial-distance-light-dogs", CHAPTER)
def light_dogs(rows: Reader) -> Verdict:
    """Brightness of the errors found against that of all dogs."""
    text = "brightness of the dogs found that are called cats, minus that of all dogs, in standard deviations"
    return above(gap(_explained(rows, "brightness", found=True)), 0.0, text)


@claim_test("adversarial-distance-light-is-cat", CHAPTER)
def light_is_cat(rows: Reader) -> Verdict:
    """Brightness of all dogs of the pool, each of which is called a cat, against that of all dogs."""
    text = "brightness of all dogs that are called cats, minus that of all dogs, in standard deviations"
    return above(gap(_explained(rows, "brightness", found=False)), 0.0, text)


@claim_test("adversarial-distance-light-superpixels", CHAPTER)
def light_superpixels(rows: Reader) -> Verdict:
    """Brightness of the superpixels that speak most for a cat, against the image's mean."""
    text = "brightness of the superpixels that speak most for a cat, minus the image's mean"
    return above(gap(_explained(rows, "superpixel brightness", found=True)), 0.0, text)


def _explained(rows: Reader, metric: str, *, found: bool) -> "pd.Series[float]":
    """By model; of the most errors found that there is a row for, or of the whole pool."""
    where = {"table": "explained", "method": AD, "condition": list(WAYS["biased"].doses), "at": CRITICAL}
    read = rows.find(metric=metric, **where)
    read = read[read["seed"].notna() & (read["level"].notna() if found else read["level"].map(math.isnan))]
    what = f"{metric} of the errors found under biased training" if found else f"{metric} of the pool's errors"
    if read.empty:
        raise NotRun(what)
    last = read.sort_values("level").drop_duplicates(["data", "network", "condition", "seed"], keep="last")
    return by_model(last.set_index(["condition", "seed"])["value"])
