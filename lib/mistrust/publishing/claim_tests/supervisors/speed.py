"""Claims of section VII-C, "Discussion", on how fast supervisors are, judged by what the benchmarks measured.

A time is that of one machine and has no interval: what is said of it is counted over the ways in which it was measured.
The benchmark "supervisors" timed every supervisor alone, with the network's pass that it needs, and its score by
itself, by numbers of threads; "surprise" timed fitting and scoring together, with one thread and two, for few inputs
and many.
"""

import pandas as pd

from mistrust.publishing.claim_tests.supervisors.reading import CHAPTER, NAMES, SIXTEEN
from mistrust.publishing.estimates import NotRun, Reader
from mistrust.publishing.verdicts import Verdict, claim_test, counted

MUCH = 2.0  # times as fast
TIME = "microseconds an image"
WAYS = "measurements"


@claim_test("ambiguess-mdsa-much-faster", CHAPTER)
def mdsa_much_faster(rows: Reader) -> Verdict:
    """By counting measurements in which MDSA is at least twice as fast as DSA on the same arrays."""
    scoring, both = _by_way(rows), _fitting_and_scoring(rows)
    ratios = pd.concat([scoring["dsa"] / scoring["mdsa"], both["dsa"] / both["mdsa"]])
    told = f"times as fast: {ratios.min():.2g} to {ratios.max():.2g}"
    return counted(ratios >= MUCH, WAYS, f"MDSA is at least twice as fast as DSA ({told})", f"it is not ({told})")


@claim_test("ambiguess-mdsa-fast", CHAPTER)
def mdsa_fast(rows: Reader) -> Verdict:
    """By counting measurements in which its time an image is less than the median of the sixteen."""
    return _fast(rows, "mdsa")


@claim_test("ambiguess-autoencoder-fast", CHAPTER)
def autoencoder_fast(rows: Reader) -> Verdict:
    """By counting measurements in which its time an image is less than the median of the sixteen."""
    return _fast(rows, "autoencoder")


def _fast(rows: Reader, name: str) -> Verdict:
    times = _by_way(rows)
    median = times.median(axis=1)
    least, most = times[name].min(), times[name].max()
    told = f"{NAMES[name]} takes {least:.0f} to {most:.0f} microseconds an image, "
    return counted(times[name] < median, WAYS, f"{told}less than the median", f"{told}more than the median")


def _by_way(rows: Reader) -> pd.DataFrame:
    """Microseconds an image: a line a way of measuring, a column a supervisor."""
    found = rows.find(table="supervisors", metric=TIME, method=list(SIXTEEN))
    times = found.pivot(index=["condition", "at"], columns="method", values="value")
    lacking = [NAMES[name] for name in SIXTEEN if name not in times.columns or bool(times[name].isna().any())]
    if lacking:
        raise NotRun(f"microseconds an image of {', '.join(lacking)}")
    return times


def _fitting_and_scoring(rows: Reader) -> pd.DataFrame:
    """Seconds: a line a number of threads and inputs, a column a supervisor; both must have been timed."""
    found = rows.find(table="surprise", metric="seconds", method="mistrust")
    places = found["at"].str.extract(r"^(\w+), (.+)$")
    timed = found.assign(name=places[0], way=places[1])
    times = timed[timed["name"].isin(["dsa", "mdsa"])].pivot(index="way", columns="name", values="value")
    if set(times.columns) != {"dsa", "mdsa"} or bool(times.isna().to_numpy().any()):
        raise NotRun("seconds of DSA and MDSA beside each other")
    return times
