"""Claims of sections VII-B and VII-C ("Discussion") on how fast supervisors are, judged by what benchmarks measured.

A time is that of one machine and has no interval: what is said of it is counted over the ways in which it was measured.
The benchmark "supervisors" timed every supervisor alone, with the passes of networks that it needs, by numbers of
threads. It also timed the score by itself, from a record that is there: that leaves out the passes with dropout and the
members of ensembles, and so says something only of supervisors that need the same pass. The benchmark "surprise" timed
fitting and scoring together, with one thread and two, for few inputs and many, and by numbers of training rows.
"""

from itertools import pairwise

import pandas as pd

from mistrust.publishing.claim_tests.supervisors.reading import CHAPTER, NAMES, PLAIN, SIXTEEN
from mistrust.publishing.estimates import NotRun, Reader
from mistrust.publishing.verdicts import Verdict, claim_test, counted

MUCH = 2.0  # times as fast
TENFOLD = 10  # rows of one measurement of growth beside those of the next
TIME = "microseconds an image"
WAYS = "measurements"


@claim_test("ambiguess-mdsa-much-faster", CHAPTER)
def mdsa_much_faster(rows: Reader) -> Verdict:
    """By counting measurements in which MDSA is at least twice as fast as DSA on the same arrays."""
    ways = [_by_way(rows, way, ("dsa", "mdsa")) for way in ("alone", "one record")]
    ratios = pd.concat([found["dsa"] / found["mdsa"] for found in (*ways, _fitting_and_scoring(rows))])
    ratios.index = pd.RangeIndex(len(ratios))  # each is a measurement of its own
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


@claim_test("ambiguess-softmax-fast", CHAPTER)
def softmax_fast(rows: Reader) -> Verdict:
    """By counting measurements in which each of the four takes at most half of the median of the sixteen."""
    times = _by_way(rows)
    shares = times[list(PLAIN)].max(axis=1) / times.median(axis=1)
    told = f"the slowest of the four takes {shares.min():.2f} to {shares.max():.2f} of the median time, "
    return counted(shares <= 1 / MUCH, WAYS, f"{told}at most half", f"{told}more than half")


@claim_test("ambiguess-dsa-grows-linearly", CHAPTER)
def dsa_grows_linearly(rows: Reader) -> Verdict:
    """By counting steps to ten times as many training rows that take 5 to 20 times as long, half to twice of ten."""
    found = rows.find(table="surprise", metric="seconds", method="mistrust", at="growth, dsa")
    times = found.set_index("level")["value"].sort_index()
    steps = [(few, many) for few, many in pairwise(times.index) if round(many / few) == TENFOLD]
    if not steps:
        raise NotRun("seconds of DSA by training rows")
    ratios = pd.Series([times[many] / times[few] for few, many in steps])
    told = f"takes {ratios.min():.1f} to {ratios.max():.1f} times as long"
    between = ratios.between(TENFOLD / MUCH, TENFOLD * MUCH)
    return counted(between, "steps to ten times as many training rows", f"DSA {told}", f"DSA does not: it {told}")


def _fast(rows: Reader, name: str) -> Verdict:
    times = _by_way(rows)
    median = times.median(axis=1)
    least, most = times[name].min(), times[name].max()
    told = f"{NAMES[name]} takes {least:.0f} to {most:.0f} microseconds an image, "
    return counted(times[name] < median, WAYS, f"{told}less than the median", f"{told}more than the median")


def _by_way(rows: Reader, way: str = "alone", names: tuple[str, ...] = SIXTEEN) -> pd.DataFrame:
    """Microseconds an image: one line per number of threads, one column per supervisor."""
    found = rows.find(table="supervisors", metric=TIME, method=list(names), condition=way)
    times = found.pivot(index="at", columns="method", values="value")
    lacking = [NAMES[name] for name in names if name not in times.columns or bool(times[name].isna().any())]
    if lacking:
        raise NotRun(f"microseconds an image of {', '.join(lacking)}")
    return times


def _fitting_and_scoring(rows: Reader) -> pd.DataFrame:
    """Seconds: one line per number of threads and inputs, one column per supervisor; both must have been timed."""
    found = rows.find(table="surprise", metric="seconds", method="mistrust")
    places = found["at"].str.extract(r"^(\w+), (.+)$")
    grown = places[0] == "growth"  # "growth, dsa": there the level is the number of training rows
    name, way = places[0].where(~grown, places[1]), places[1].where(~grown, "rows: " + found["level"].astype(str))
    timed = found.assign(name=name, way=way)
    times = timed[timed["name"].isin(["dsa", "mdsa"])].pivot(index="way", columns="name", values="value")
    times = times[~(times.index.str.startswith("rows: ") & times.isna().any(axis=1))]  # growth of one of them alone
    if set(times.columns) != {"dsa", "mdsa"} or bool(times.isna().to_numpy().any()):
        raise NotRun("seconds of DSA and MDSA beside each other")
    return times
