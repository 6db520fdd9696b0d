"""Claims of sections IV-D-3 (Tables VI and VII) and IV-E on time and memory.

They read a table "cost", of monitors in memory, in one framework, on one machine, of which the chapter may have no
rows: `ratio` = a monitor's time over the classifier's, for one image at a time (`at` "one"), with its interval over
repetitions; `megabytes` of what a monitor has learnt, counted. Both on the classifier of the paper's size, by image
set. What the paper timed is its harness: models read from disk and built anew for every image.
"""

import numpy as np

from mistrust.publishing.claim_tests.monitoring.reading import (
    CHAPTER,
    COPIES,
    GTSRB,
    NAMES,
    NETWORK,
    THREE,
    TITLES,
    called,
    published,
)
from mistrust.publishing.estimates import Estimate, NotRun, Reader, number
from mistrust.publishing.verdicts import Verdict, above, claim_test, every

# "96 % of the necessary time", to a percentage point: so many times the classifier's own.
MOST_OF_THE_TIME = 0.95 / 0.05
ALMOST_A_HUNDRED = (90.0, 100.0)


@claim_test("farm-odin-fastest", CHAPTER)
def odin_fastest(rows: Reader) -> Verdict:
    """Whole interval against whole interval, on both image sets."""
    parts = []
    for data, title in TITLES.items():
        own = _ratio(rows, data, "odin")
        for name in ("alooc", "oob"):
            other = _ratio(rows, data, name)
            text = f"{title}, one image, times the classifier's time: {NAMES[name]} minus ODIN"
            value, low, high = other.value - own.value, other.low - own.high, other.high - own.low
            parts.append(above(Estimate(value, low, high), 0.0, text))
    return every(parts)


@claim_test("farm-monitoring-slower", CHAPTER)
def monitoring_slower(rows: Reader) -> Verdict:
    """Each of three, on both image sets."""
    return _slower(rows, 1.0)


@claim_test("farm-monitoring-most-of-time", CHAPTER)
def monitoring_most_of_time(rows: Reader) -> Verdict:
    """Each of three, on both image sets: Table VI has 96.0 to 96.9 %."""
    return _slower(rows, MOST_OF_THE_TIME)


@claim_test("farm-alooc-hundred-megabytes", CHAPTER)
def alooc_hundred_megabytes(rows: Reader) -> Verdict:
    """Counted, not estimated; 43 classes."""
    found = rows.find(table="cost", network=NETWORK, data=list(COPIES[GTSRB]), method="alooc", metric="megabytes")
    if found.empty:
        raise NotRun("megabytes of what ALOOC learns on GTSRB")
    value, (low, high) = float(found["value"].iloc[0]), ALMOST_A_HUNDRED
    told = f"GTSRB: ALOOC has learnt {number(value)} MB, expected {number(low)} to {number(high)}"
    return Verdict("holds" if low <= value <= high else "does not hold", told)


@claim_test("farm-isomap-costs", CHAPTER)
def isomap_costs(rows: Reader) -> Verdict:
    """OOB as published, which projects by ISOMAP, takes more than twice the time of OOB without a reduction."""
    parts = []
    for data, title in TITLES.items():
        plain, isomap = _ratio(rows, data, "oob"), _ratio(rows, data, published("oob"))
        found = Estimate(isomap.value / plain.value, isomap.low / plain.high, isomap.high / plain.low)
        parts.append(above(found, 2.0, f"{title}, one image: time of {called(published('oob'))} over OOB"))
    return every(parts)


def _slower(rows: Reader, bound: float) -> Verdict:
    parts = []
    for data, title in TITLES.items():
        for name in THREE:
            text = f"{title}, one image: time of {NAMES[name]} over the classifier's"
            parts.append(above(_ratio(rows, data, name), bound, text))
    return every(parts)


def _ratio(rows: Reader, data: str, method: str) -> Estimate:
    where = {"table": "cost", "network": NETWORK, "method": method, "metric": "ratio", "at": "one"}
    found = rows.find(**where, data=list(COPIES[data]))
    if found.empty:
        raise NotRun(f"the time of {called(method)} over the classifier's, one image at a time, on {TITLES[data]}")
    value, low, high = (float(found.iloc[0][name]) for name in ("value", "low", "high"))
    known = not (np.isnan(low) or np.isnan(high))
    return Estimate(value, low if known else -np.inf, high if known else np.inf, least=0.0)
