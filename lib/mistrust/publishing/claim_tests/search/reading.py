"""What the claims of the chapter on the search share: the tables that they read, and how.

The tables, which the experiment writes: columns of `mistrust.rows`, chapter "search"; `data` is the image set,
`network` the architecture, `condition` = "MECHANISM/DOSE" (`WAYS`), `at` the critical class (empty: the whole network),
`seed` the model. A panel is one model and one critical class: (data, network, condition, at, seed). `method` is a name
in `mistrust.search.SEARCHES` (and "highest_distance": Adversarial Distance the other way round), `level` the number of
oracle queries, unless said otherwise.

==========  ============================================  ==============================================================
table       where                                         metric
==========  ============================================  ==============================================================
panel       no at, no method, no level                    accuracy (test), validation accuracy, temperature, ece before
                                                          (at temperature 1), ece; on test images, shares, not percent
panel       at, no method, no level                       pool, errors, expected, pool sdr, residual auc (small residual
                                                          for error, stratified by confidence), gates (1: all of facts
                                                          12 are passed, 0: not; the note says which are not)
reliability no method (calibrated); at = bin, level =     accuracy, confidence, n, of all test images of a network
            its lower edge
searches    at; method; level = 20 or 50                  sdr (pooled over replicates), mean of ratios, errors, sure
                                                          errors (of confidence above 0.9), utility, spread,
                                                          misaligned spread, confidence (mean of the queries), p, lift
                                                          (sdr over pool sdr), matched lift (errors over what pool
                                                          members of equal confidence lead to expect), replicate sd (of
                                                          the sdr of one subset, between subsets)
curves      at; method; level = 1 to 50, some of them     sdr, mean of ratios, spread; of the paper's searches errors
                                                          and utility; of single models alone
confidences at; method; level = share below               confidence: quantiles of all queries of all replicates
refit       at; method = "adversarial_distance"; level    sdr once (F fitted on the pool), sdr anew (on each subset, as
                                                          published), difference (anew less once), same queries (share)
attack      at; method = "boundary"; level = steps        mae (median, grey levels of 0 to 255), changed (share of
                                                          values that differ by half a grey level or more), success,
                                                          queries, noise starts (share of images that can start from
                                                          noise), confidence correlation (Spearman of log MAE with
                                                          confidence), distance reliability and residual reliability
                                                          (Spearman of two runs), distance agreement and residual
                                                          agreement (Spearman with the fast distance); at the most
                                                          steps both "with foolbox" (Spearman with its attack), mae of
                                                          foolbox, queries of foolbox
overall     no data, no at, no seed; method; level;       lift, matched lift (random effects over panels, low and high
            condition = "all" or a mechanism ("gray")     over "models"); detectable lift (the smallest that this design
                                                          could have shown)
controls    condition = "control/null"; at; method;       sdr, mean over oracles that err with 1 - confidence
            level
controls    condition = "control/lowered"; level =        lift at 50 queries, log MAE of errors lowered by lambda
            lambda                                        residual standard deviations
authors     no network, no seed; method; level            pool sdr; sdr (AD: of the whole pool, low, high exact, over
                                                          "images"), mean of ratios, replicate sd (of sdr between
                                                          subsets), errors, confidence, utility, spread, misaligned
                                                          spread, matched lift and matched p (AD: against members of
                                                          equal confidence)
explained   at; method = "adversarial_distance"; level    brightness (of the errors found, minus that of all images of
            = number of errors, or none: of the pool      their true class, in standard deviations), superpixel
                                                          brightness (of the superpixels that speak most for the
                                                          predicted class, minus the image's mean, 0 to 1)
focus       at; method = "adversarial_distance"           spoke before (of the superpixels that speak most for the
                                                          other class in adversarial images of the errors found, the
                                                          share that did so before the change)
==========  ============================================  ==============================================================

How they are judged. Models differ, images of one model are subsets of each other: every interval is Student's t between
models (seeds), of the mean over a model's panels, the same panels of every model (`panels.complete`); models of
different mechanisms are independent of each other, and no pairs (`mechanisms`); ratios of numbers of errors on the
scale of roots, where counts are nearly normal. `overall` has the interval that random effects give. A
panel that misses a gate is left out; one without a row "gates" counts as missing. A mechanism means all its doses but
the control; "gray" is true gray, as the paper says, while its code has `gray/channel0`. A dose that too few models have
is left out. Rivals are those that the paper ran, as coded. What the paper reports of its own three sets is judged on
the panels of the same mechanism: the paper's class is critical there where we have it (cats called so, `MEANT`),
else both classes are.

Which claim reads what stands in the docstring of its test.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import pandas as pd

from mistrust.errors import MistrustError
from mistrust.publishing.claim_tests.search.mechanisms import over_networks
from mistrust.publishing.estimates import BETWEEN, Estimate, NotRun, Reader, number
from mistrust.publishing.verdicts import Verdict, Word

Case = TypeVar("Case")

CHAPTER = "search"
CONDITION = ("data", "network", "condition")
PANEL = (*CONDITION, "at", "seed")


@dataclass(frozen=True)
class Way:
    """A mechanism in rows: what a reader calls it, the condition without it, those with it, the paper's image set."""

    title: str
    control: str
    doses: tuple[str, ...]
    data: str


WAYS = {
    "biased": Way("biased training", "biased/0", ("biased/12", "biased/25"), "kaggle13"),
    "gray": Way("grey test images", "gray/rgb", ("gray/gray",), "celeba"),
    "overfit": Way("overfitting", "overfit/4000", ("overfit/500", "overfit/125"), "ut-zap50k"),
}
DOSES = tuple(dose for way in WAYS.values() for dose in way.doses)
CONTROLS = tuple(way.control for way in WAYS.values())
# The class of cats_dogs that the paper has as critical; the dark ones are missing from training.
CRITICAL = "cat"
# Of what the paper says of one of its sets: the critical class, where we have it.
MEANT = {"biased": CRITICAL}

AD, RANDOM, LOW = "adversarial_distance", "random", "low_confidence"
COVERAGE, BANDIT = "bansal_weld_coded", "lakkaraju_coded"
META, FARTHEST, LEARNED = "adversarial_distance_then_model", "highest_distance", "facility_learned"
RIVALS = (BANDIT, COVERAGE, LOW, RANDOM)
NAMES = {
    AD: "Adversarial Distance", RANDOM: "random search", LOW: "lowest confidence",
    COVERAGE: "Bansal and Weld's search", BANDIT: "Lakkaraju's search", META: "Adversarial Distance, then a meta-model",
    FARTHEST: "largest Adversarial Distance", LEARNED: "facility location with learnt chances of error",
}  # fmt: skip
TWENTY, FIFTY = 20.0, 50.0
NONE = math.nan

# "Similar", "near": within a fifth, either way.
NEAR = (0.8, 1.25)
# "Almost exactly", "similar spread": within a tenth.
TENTH = (0.9, 1.1)
# As many models as a lift needs: a dose that has them is not left out for one that lacks them.
MODELS = 5
# Facts 12: a lift whose interval ends below is none.
NO_LIFT = 1.25


@dataclass(frozen=True)
class Ratio(Estimate):
    """A ratio whose interval is one of logarithms: its p-values are theirs."""

    def p(self, bound: float) -> float:
        """As `Estimate.p`, on the logarithm; `bound` above 0."""
        if not 0 < self.low <= self.high < math.inf:
            return 1.0
        value, low, high = (math.log(one) for one in (self.value, self.low, self.high))
        return Estimate(value, low, high, freedom=self.freedom).p(math.log(bound))


def rate(values: "pd.Series[float]") -> Estimate:
    """The mean over models of something like a count divided by a nearly fixed number, with its interval."""
    return replace(over_networks(values, "root"), least=0.0)


def share(values: "pd.Series[float]", scale: str = "arcsine") -> Estimate:
    """The mean over models of numbers in 0 to 1."""
    return replace(over_networks(values, scale), least=0.0, most=1.0)


def correlation(values: "pd.Series[float]") -> Estimate:
    """The mean over models of correlations."""
    return replace(over_networks(values, "fisher"), least=-1.0, most=1.0)


def gap(values: "pd.Series[float]") -> Estimate:
    """The mean over models of differences."""
    return over_networks(values)


def overall(rows: Reader, metric: str, method: str, level: float, condition: str = "all") -> Estimate:
    """Lift by random effects over mechanisms; a row whose interval is not between models decides nothing.

    The interval is Hartung and Knapp's, Student's t between the mechanisms that the note names by their conditions;
    of one mechanism alone it is Student's t between its models (`n`). A row that tells neither decides nothing.
    """
    where = {"table": "overall", "method": method, "level": level, "condition": condition, "at": ""}
    found = rows.find(metric=metric, **where)
    what = told(metric, method, level, [condition])
    if found.empty:
        raise NotRun(f"{what}, over panels")
    if len(found) > 1:
        raise MistrustError(f"Several rows where one was expected: {what}, over panels.")
    row = found.iloc[0]
    value, low, high, models = (float(row[column]) for column in ("value", "low", "high", "n"))
    ways = {one.partition("/")[0] for one in str(row["note"]).split(", ")}
    freedom = (len(ways) if len(ways) > 1 else models) - 1
    known = row["over"] in BETWEEN and low <= high and freedom > 0
    ends = (low, high) if known else (-math.inf, math.inf)
    return Ratio(value, *ends, least=0.0, freedom=freedom if known else None)


def lifted(estimate: Estimate, evidence: str) -> Verdict:
    """Facts 12: a lift where the whole interval lies above 1, none where all of it lies below `NO_LIFT`."""
    shown = f"{estimate.of(evidence)}, a lift above 1, none below {number(NO_LIFT)}"
    word: Word = "holds" if estimate.low > 1 else "does not hold" if estimate.high < NO_LIFT else "undecided"
    return Verdict(word, shown, estimate.p(NO_LIFT) if word == "does not hold" else estimate.p(1.0))


def opposite(verdict: Verdict) -> Verdict:
    """What is claimed is that this is not so."""
    words: dict[Word, Word] = {"holds": "does not hold", "does not hold": "holds"}
    return replace(verdict, verdict=words.get(verdict.verdict, verdict.verdict))


def each(cases: Iterable[Case], judge: Callable[[Case], Verdict]) -> list[Verdict]:
    """One part a case; a part without rows is *not run*, the others are judged."""
    return [_part(judge, case) for case in cases]


def _part(judge: Callable[[Case], Verdict], case: Case) -> Verdict:
    try:
        return judge(case)
    except NotRun as lack:
        return Verdict("not run", f"no rows: {lack}")


def told(metric: str, method: str = "", level: float = NONE, conditions: Sequence[str] = ()) -> str:
    """What is read, for readers: "sdr of random search at 20 queries, grey test images"."""
    of = f" of {NAMES.get(method, method.replace('_', ' '))}" if method else ""
    queries = "" if math.isnan(level) else f" at {level:g} queries"
    ways = ", ".join(dict.fromkeys(_way(one) for one in conditions))
    measure = metric.replace("sdr", "SDR").replace("ece", "ECE").replace("auc", "AUC")
    return f"{measure}{of}{queries}" + (f", {ways}" if ways and len(conditions) < len(DOSES) else "")


def _way(condition: str) -> str:
    name, _, dose = condition.partition("/")
    way = WAYS.get(name)
    if way is None:
        return "all panels" if condition == "all" else condition
    return f"control of {way.title}" if f"{name}/{dose}" == way.control else way.title
