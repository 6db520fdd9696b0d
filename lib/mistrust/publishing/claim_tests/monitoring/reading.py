"""What the claims of the monitoring chapter share: three monitors, two image sets, and how their rows are read.

Which monitor does a sentence speak of? What reports the paper's run ("OOB suffers from a lot of false positives") is
judged by the monitors as published: their settings, thresholds and slips. What concludes in general ("no more accurate
than a random monitor") is judged by the monitors as they are right, with thresholds at 5 % false alarms on nominal
images. Out of distribution is positive throughout, as section III-C has it: a false positive is a nominal image that
alarms. The paper's tables have it the other way round (`mistrust.monitoring.rereading`), so that a sentence written
after them may well be refuted here.

MCC, precision and F1 hang on how many images are nominal: half of ours, fewer of the paper's. Where a sentence reports
the paper's run they are brought to its share (`weighed`). Two that do are left as our rows have them, for which single
rates are not kept: ranks, and Table V as its code computes it. What concludes in general is judged by our own sets.

Networks are the small one of the paper's size, one run per seed; the runs make the interval. Where the rows of single
runs are not kept, which is so of single benchmark sets, the mean row has the interval between them. Runs on traffic
signs and on photographs have nothing in common but their number, so that the interval of their mean is Welch's.

Words of the paper stand for bounds. A Matthews correlation is a correlation, and Cohen's scale (Statistical Power
Analysis for the Behavioral Sciences, 1988, section 3.2) calls 0.1 small, 0.3 medium and 0.5 large: below 0.1 is
"random", 0.3 to 0.5 "fair", above 0.5 "good", below 0.3 "poor".
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeAlias

import numpy as np
import pandas as pd

from mistrust.errors import MistrustError
from mistrust.publishing.estimates import Estimate, NotRun, Reader, between_models, number
from mistrust.publishing.independent import mean_unpaired
from mistrust.publishing.verdicts import Verdict, Word, within

CHAPTER = "monitoring"
NETWORK = "farm-lenet"
GTSRB, CIFAR = "gtsrb", "cifar10"
# The paper's two sets as a reader calls them, and their copies: complete, or as they are at hand.
TITLES = {GTSRB: "GTSRB", CIFAR: "CIFAR-10"}
COPIES = {GTSRB: ("gtsrb", "gtsrb-thin"), CIFAR: ("cifar10", "cifar10-jpeg")}

NAMES = {"alooc": "ALOOC", "oob": "OOB", "odin": "ODIN"}
THREE = tuple(NAMES)
AS_PUBLISHED, PUBLISHED_RULE = "as published", "published rule"
VARIANTS = {"": "", AS_PUBLISHED: " as published", PUBLISHED_RULE: " with the published threshold"}
METRICS = {
    "mcc": "MCC", "mcc as published": "MCC as coded", "fpr": "false alarms", "fnr": "misses",
    "weighted-f1": "weighted F1", "accuracy": "accuracy",
}  # fmt: skip
ALL, FGSM = "all sets", "adversarial/FGSM"

RANDOM, FAIR, GOOD = 0.1, 0.3, 0.5
# The smallest rate of false alarms or misses that the paper calls many or high is 0.34 (Table II, ALOOC).
MANY = 0.3
# Where it says "always", the smallest rate is 0.75 (Table IV, OOB on GTSRB).
NEARLY_ALWAYS = 0.7
# "Around 50 %".
HALF = (0.4, 0.6)
# Of the F1 that it calls good the smallest is 0.62 (Table III); weighted, for that is what is printed.
GOOD_F1 = 0.6
# Where rates are close to normal; numbers of other metrics are taken as they are. As in the experiment's mean rows.
SCALES = {"fpr": "arcsine", "fnr": "arcsine", "weighted-f1": "arcsine", "precision": "arcsine"}


# One number of both image sets: of each, by run.
Both: TypeAlias = "list[pd.Series[float]]"


def published(monitor: str) -> str:
    """The monitor with the paper's settings, threshold and slips, by its name in rows."""
    return f"{monitor}/{AS_PUBLISHED}"


def nominal(rows: Reader, data: str, method: str, metric: str, *, network: str = NETWORK) -> "pd.Series[float]":
    """What nominal images give, by run."""
    where = {"table": "nominal", "condition": "nominal", "method": method, "metric": metric}
    return _by_run(rows, data, network=network, **where)


def coded(rows: Reader, data: str, method: str) -> "pd.Series[float]":
    """Table V as its code computes it, by run; the mean over the sets of novelty."""
    wide = rows.wide("condition", **_where(data, table="nominal", method=method, metric="mcc as published"))
    return wide.dropna().mean(axis=1)


def typical(
    rows: Reader, data: str, kind: str, method: str, metric: str, at: str = "ood", *, network: str = NETWORK
) -> "pd.Series[float]":
    """The mean over the benchmark sets of a category, or over `ALL`, by run.

    Parameters
    ----------
    at : "ood": is the image out of distribution? "failures": should the prediction be rejected?
    """
    where = {"table": "summary", "condition": f"{kind}/mean", "at": at, "method": method, "metric": metric}
    return _by_run(rows, data, network=network, **where)


def mean(parts: "Iterable[pd.Series[float]]") -> "pd.Series[float]":
    """The mean of these by run: of the three monitors on one image set; runs that all of them have."""
    return pd.concat([*parts], axis=1, join="inner").mean(axis=1, skipna=False)


def nominal_of_both(rows: Reader, method: str, metric: str) -> "Both":
    """What nominal images of each image set give, by run."""
    return [nominal(rows, data, method, metric) for data in TITLES]


def typical_of_both(rows: Reader, kind: str, method: str, metric: str, at: str = "ood") -> "Both":
    """`typical` of each image set, by run."""
    return [typical(rows, data, kind, method, metric, at) for data in TITLES]


def gap_of_both(first: "Both", second: "Both") -> Estimate:
    """The mean over both image sets of a difference in the same runs of each."""
    return mean_unpaired([(one - other).dropna() for one, other in zip(first, second, strict=True)])


def level(found: "pd.Series[float] | Both", metric: str) -> Estimate:
    """The mean over runs with its interval; over both image sets, of which each counts as much."""
    if isinstance(found, list):
        if any(one.dropna().empty for one in found):
            raise NotRun("a run in which this is defined")
        return _bounded(mean_unpaired(found), metric)
    known = found.dropna()
    if known.empty:
        raise NotRun("a run in which this is defined")
    return _bounded(between_models(known.to_list(), scale=SCALES.get(metric, "identity")), metric)


def on_set(
    rows: Reader,
    data: str,
    condition: str,
    method: str,
    metric: str,
    severity: int | None = None,
    *,
    table: str = "detection",
) -> Estimate:
    """One benchmark set: the mean over runs with its interval; an interval over images alone counts as none."""
    where = _where(data, table=table, condition=condition, method=method, metric=metric)
    found = rows.find(**where, **({} if severity is None else {"level": severity}))
    if found.empty:
        raise NotRun(named(data, condition if severity is None else f"{condition} ({severity})", method, metric))
    if len(found) > 1:
        raise MistrustError(f"Several rows of one benchmark set where one was expected: {where}.")
    one = found.iloc[0]
    ends = (float(one["low"]), float(one["high"])) if one["over"] == "models" else (-np.inf, np.inf)
    return _bounded(Estimate(float(one["value"]), *ends, models=int(one["n"])), metric)


def sets_of(
    rows: Reader, data: str, kind: str, method: str, *, table: str = "detection"
) -> list[tuple[str, int | None]]:
    """The benchmark sets of a category that there are: condition, and severity where it has one."""
    found = rows.frame
    found = found[(found["table"] == table) & (found["network"] == NETWORK) & found["data"].isin(COPIES[data])]
    found = found[(found["method"] == method) & found["condition"].str.startswith(f"{kind}/")]
    places = found[["condition", "level"]].drop_duplicates().itertuples(index=False)
    return [(str(condition), None if level != level else int(level)) for condition, level in places]


def runs(rows: Reader) -> int:
    """How many runs there are of the image set that has fewer."""
    return min(len(nominal(rows, data, "network", "accuracy")) for data in TITLES)


def apart(estimate: Estimate, bound: float, evidence: str) -> Verdict:
    """Holds where a difference is surely larger than `bound`, whichever way; fails where it surely is not."""
    alike = within(estimate, -bound, bound)
    opposite: dict[str, Word] = {"holds": "does not hold", "does not hold": "holds"}
    told = f"{estimate.of(evidence)}, expected farther than {number(bound)} from 0"
    return Verdict(opposite.get(alike.verdict, "undecided"), told, alike.p)


def named(data: str, kind: str, method: str, metric: str) -> str:
    """What a number is of, for readers: "GTSRB, shift: false alarms of OOB as published"."""
    return f"{TITLES[data]}, {told(kind)}: {METRICS[metric]} of {called(method)}"


def told(condition: str) -> str:
    """A benchmark set or a category, for readers: "novelty/BTSC" is "novelty, BTSC"."""
    return condition.replace("/", ", ")


def called(method: str) -> str:
    """A monitor, for readers: "odin/as published" is "ODIN as published"."""
    name, _, variant = method.partition("/")
    return {"network": "the classifier", **NAMES}[name] + VARIANTS[variant]


def _by_run(rows: Reader, data: str, **where: str) -> "pd.Series[float]":
    return rows.by_seed(**_where(data, **where))


def _where(data: str, **where: str) -> dict[str, object]:
    return {"network": NETWORK, "data": list(COPIES[data]), **where}


def _bounded(found: Estimate, metric: str) -> Estimate:
    """What is written of an interval stays where such numbers can be."""
    return replace(found, least=-1.0 if metric.startswith("mcc") else 0.0, most=1.0)
