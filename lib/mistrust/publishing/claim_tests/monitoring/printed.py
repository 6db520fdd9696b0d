"""Claims that the paper's printed numbers, or its code, decide by themselves.

Read: `monitoring-sets.csv`, `monitoring-complete.csv`, `monitoring-table6.csv`, `monitoring-text.csv` and
`monitoring-code.csv` among the printed numbers. What is printed is no matter of chance: no interval, no p.
"""

import pandas as pd

from mistrust.publishing.claim_tests.monitoring.reading import CHAPTER, NAMES, THREE, TITLES
from mistrust.publishing.claim_tests.printed import decided, one
from mistrust.publishing.estimates import NotRun, Reader, number
from mistrust.publishing.published import PROFILE
from mistrust.publishing.verdicts import Verdict, claim_test

# "Around": up to a half more or less.
AROUND = 1.5
# "Slight": less than twice as long.
SLIGHT = 2.0
# Categories whose sets have each image once; rotated ones have four copies, FGSM repeats a few, novelty takes other
# sets.
ONCE = ("anomaly/", "noise/", "shift/")
ROTATED = "shift/rotated"
# MCC, FPR, FNR, precision, recall, F1.
NUMBERS = 6
# "20 %": to a percentage point.
A_POINT = 0.01


@claim_test("farm-benchmark-sets", CHAPTER, printed=True)
def benchmark_sets(rows: Reader) -> Verdict:
    """Sets that the authors' code makes, and those of novelty."""
    said = one(rows, table="text", metric="benchmark sets")
    found = rows.find(profile=PROFILE, table="sets", metric="made")
    if found.empty:
        raise NotRun("the paper's benchmark sets")
    count = len(found[["data", "condition", "level"]].drop_duplicates())
    return decided(count == said, f"{number(said)} are said, {count} are made of {found['data'].nunique()} image sets")


@claim_test("farm-odin-best-on-most", CHAPTER, printed=True)
def odin_best_on_most(rows: Reader) -> Verdict:
    """MCC in the authors' complete tables; where several monitors are best of a set, each of them is."""
    found = rows.find(profile=PROFILE, table="complete", metric="mcc", method=list(THREE))
    if set(found["method"]) != set(THREE):
        raise NotRun("MCC of three monitors in the authors' complete tables")
    sets = found.groupby(["data", "condition", "level", "place"], dropna=False)["value"]
    first = found["value"].eq(sets.transform("max")).groupby(found["method"]).sum()
    others = [int(first[name]) for name in THREE if name != "odin"]
    told = ", ".join(f"{NAMES[name]} on {first[name]}" for name in THREE)
    return decided(
        first["odin"] > max(others), f"by MCC, of {sets.ngroups} sets, best are {told} (ties count for each)"
    )


@claim_test("farm-positive-as-defined", CHAPTER, printed=True)
def positive_as_defined(rows: Reader) -> Verdict:
    """Which answer has to be positive for a row's precision and MCC to follow from its two rates, to rounding."""
    from mistrust.monitoring.rereading import readings  # here, for the library loads torch

    found = readings(_complete(rows))["polarity"].value_counts()
    nominal, faulty = (int(found.get(name, 0)) for name in ("nominal", "ood"))
    told = f"of {found.sum()} rows of the authors' complete tables {nominal or 'none'} can only be read with nominal"
    return decided(faulty > 0 and not nominal, f"{told} images as positives, {faulty or 'none'} only with faulty ones")


@claim_test("farm-micro-f1", CHAPTER, printed=True)
def micro_f1(rows: Reader) -> Verdict:
    """Micro-F1 of two answers is the accuracy; of rows whose other numbers fit a known share of nominal images."""
    from mistrust.monitoring.rereading import f1_reading, readings  # here, for the library loads torch

    complete = _complete(rows)
    fitting = complete[readings(complete)["polarity"].isin(["nominal", "either"])]
    found = f1_reading(fitting)
    micro, weighted = int(found["accuracy"].sum()), int(found["weighted"].sum())
    told = (
        f"of {len(fitting)} rows whose other numbers fit, F1 can be micro-F1 in {micro or 'none'}, and F1 weighted by"
    )
    return decided(micro == len(fitting), f"{told} the classes' shares in {weighted or 'none'}")


@claim_test("farm-benchmark-unseen", CHAPTER, printed=True)
def benchmark_unseen(rows: Reader) -> Verdict:
    """Counts of the code: more images made faulty, each once, than the test part has must be training images."""
    found = rows.find(profile=PROFILE, table="sets", metric=["nominal", "made"])
    found = found[found["condition"].str.startswith(ONCE) & found["condition"].ne(ROTATED)]
    if set(found["metric"]) != {"nominal", "made"}:
        raise NotRun("how many images the paper's sets have")
    sizes = found.set_index(["data", "condition", "level", "metric"])["value"].unstack()
    over = sizes["made"] > sizes["nominal"]
    told = [
        f"{size['made']:,.0f} of {TITLES[str(data)]}, whose test part has {size['nominal']:,.0f}"
        for data, size in sizes[over].groupby(level="data").max().iterrows()
    ]
    whole = f"{int(over.sum()) or 'none'} of {len(sizes)} sets of shift, noise and anomalies"
    examples = f": {' and '.join(told)}" if told else ""
    return decided(not over.any(), f"{whole} hold more faulty images than there are test images{examples}")


@claim_test("farm-transformations", CHAPTER, printed=True)
def transformations(rows: Reader) -> Verdict:
    """What is said against the code's sets of noise and shift."""
    kinds, intensities = (one(rows, table="text", metric=metric) for metric in ("transformations", "intensities"))
    found = rows.find(profile=PROFILE, table="sets", metric="made")
    found = found[found["condition"].str.startswith(("noise/", "shift/"))]
    if found.empty:
        raise NotRun("the paper's sets of noise and shift")
    each = found.groupby("condition")["level"].nunique()
    right = int((each == intensities).sum())
    levels = " and ".join(f"{level:g}" for level in sorted(found["level"].dropna().unique()))
    told = f"the code has {len(each)} of noise and shift, {right} in {number(intensities)} intensities ({levels})"
    return decided(len(each) == kinds == right, told)


@claim_test("farm-fifth-nominal", CHAPTER, printed=True)
def fifth_nominal(rows: Reader) -> Verdict:
    """Counts of the code, whose sets of noise and shift hold the whole data set made faulty."""
    said = one(rows, table="text", metric="nominal share")
    found = rows.find(profile=PROFILE, table="sets", metric=["nominal", "made"])
    found = found[found["condition"].str.startswith(ONCE) & found["condition"].ne(ROTATED)]
    if set(found["metric"]) != {"nominal", "made"}:
        raise NotRun("how many images the paper's sets have")
    sizes = found.groupby(["data", "metric"])["value"].max().unstack()
    shares = sizes["nominal"] / sizes["made"]
    told = [f"{TITLES[str(data)]} {share:.1%}" for data, share in shares.items()]
    right = bool((shares - said).abs().le(A_POINT).all())
    return decided(right, f"as many nominal images as this share of the whole data set: {', '.join(told)}")


@claim_test("farm-elbow-clusters", CHAPTER, printed=True)
def elbow_clusters(rows: Reader) -> Verdict:
    """Against the number of clusters of the OOB that did best in the paper's own Table V."""
    told: list[str] = []
    right = True
    for data, title in TITLES.items():
        where = {"table": "text", "data": data, "method": "oob", "metric": "number of clusters"}
        elbow, best = (one(rows, at=at, **where) for at in ("elbow", "best"))
        right &= elbow == best
        told.append(f"{title} {number(elbow)} by elbow analysis (IV-C), {number(best)} in the best OOB (IV-D-2)")
    return decided(right, "; ".join(told))


@claim_test("farm-slight-differences", CHAPTER, printed=True)
def slight_differences(rows: Reader) -> Verdict:
    """Table VI, the longest over the shortest; the three classifiers are different networks, too."""
    spent = {name: _seconds(rows, name, "network") for name in THREE}
    longest, shortest = max(spent, key=spent.__getitem__), min(spent, key=spent.__getitem__)
    times = spent[longest] / spent[shortest]
    told = f"Table VI has {spent[longest]:.4f} s with {NAMES[longest]} and {spent[shortest]:.4f} s with "
    return decided(times < SLIGHT, f"{told}{NAMES[shortest]}, {number(times)} times")


@claim_test("farm-seconds-printed", CHAPTER, printed=True)
def seconds_printed(rows: Reader) -> Verdict:
    """Table VI, the monitor alone."""
    bound = one(rows, table="text", metric="seconds")
    spent = {name: _seconds(rows, name, "monitor") for name in THREE}
    told = ", ".join(f"{seconds:.4f} s for {NAMES[name]}" for name, seconds in spent.items())
    return decided(max(spent.values()) <= bound, f"Table VI has {told}")


@claim_test("farm-sum-of-times", CHAPTER, printed=True)
def sum_of_times(rows: Reader) -> Verdict:
    """Table VI, each of three, in seconds and in per cent: these, as rounded as they are, leave a rest as well."""
    rests: list[float] = []
    shares: list[float] = []
    for name in THREE:
        parts = [_seconds(rows, name, at) for at in ("network", "monitor")]
        rests.append(round(_seconds(rows, name, "both") - sum(parts), 4))
        percent = (one(rows, table="table6", method=name, at=at, metric="percent") for at in ("network", "monitor"))
        shares.append(round(sum(percent), 1))
    told = f"Table VI leaves {_span(rests, 4)} s for the rest, and gives the two {_span(shares, 1)} % of the time"
    return decided(min(rests) > 0 and max(shares) < 100, told)


@claim_test("farm-classifier-size", CHAPTER, printed=True)
def classifier_size(rows: Reader) -> Verdict:
    """What is said against what is coded: as many networks as there are libraries and image sets."""
    parameters, units = (one(rows, table="text", metric=metric) for metric in ("parameters", "last hidden units"))
    sizes = _networks(rows, "parameters")
    hidden = _networks(rows, "last hidden units")
    near = sum(parameters / AROUND <= size <= parameters * AROUND for size in sizes)
    exact = sum(count == units for count in hidden)
    told = f"the code has {len(sizes)} networks of {_span(sizes, 0)} parameters and {_span(hidden, 0)} last hidden "
    told += f"neurons; {near or 'none'} has about as many parameters as printed, {exact or 'none'} as many neurons"
    return decided(near == len(sizes) and exact == len(hidden), told)


@claim_test("farm-tuned-in-distribution", CHAPTER, printed=True)
def tuned_in_distribution(rows: Reader) -> Verdict:
    """Where ODIN's settings come from, and on which images the code compares those of OOB."""
    where = {"table": "text", "method": "odin"}
    taken = [one(rows, metric="taken from its authors", at=at, **where) for at in ("temperature", "magnitude")]
    calibrated = one(rows, metric="calibrated out of distribution", **where)
    compared = rows.find(profile=PROFILE, table="code", method="oob", metric="settings compared")
    if compared.empty:
        raise NotRun("how many settings of OOB the code compares")
    told: list[str] = []
    if any(taken) and calibrated:
        told.append("ODIN's settings are its authors', who used images out of distribution (IV-C, IV-E)")
    if many := int(compared["value"].max()):
        told.append(f"the code lays {many} settings of OOB side by side on each of {len(compared)} sets of novelty")
    return decided(not told, "; ".join(told) or "no setting was seen on images out of distribution")


@claim_test("farm-code-released", CHAPTER, printed=True)
def code_released(rows: Reader) -> Verdict:
    """All of it: the three monitors, and the test of their ranks."""
    whole, there = (one(rows, table="code", metric=metric) for metric in ("monitors", "monitors that are there"))
    tests = one(rows, table="code", metric="Friedman tests")
    ranks = "and the Friedman test" if tests else "but no Friedman test: it draws ranks that were typed by hand"
    return decided(there == whole and tests > 0, f"the code has {number(there)} of {number(whole)} monitors, {ranks}")


def _complete(rows: Reader) -> pd.DataFrame:
    """The authors' complete tables, one line for each benchmark set and monitor."""
    from mistrust.monitoring.rereading import printed

    found = rows.find(profile=PROFILE, table="complete")
    if found["metric"].nunique() < NUMBERS:
        raise NotRun("all numbers of the authors' complete tables")
    return printed(found)


def _seconds(rows: Reader, method: str, at: str) -> float:
    return one(rows, table="table6", method=method, at=at, metric="seconds")


def _networks(rows: Reader, metric: str) -> list[float]:
    """What the code has, a number for each image set and network."""
    found = rows.find(profile=PROFILE, table="code", metric=metric)
    if found.empty:
        raise NotRun(f"the {metric} of the coded networks")
    return found["value"].to_list()


def _span(values: list[float], places: int) -> str:
    """The least and the greatest, or the one that all are."""
    least, greatest = f"{min(values):,.{places}f}", f"{max(values):,.{places}f}"
    return least if least == greatest else f"{least} to {greatest}"
