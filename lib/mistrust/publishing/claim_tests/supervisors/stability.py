"""Claims of VII-A, of VII-C, "Stability of Results", and of VIII: how far runs and architectures agree.

A standard deviation is that of one supervisor's AUROC on one test set between the runs of one architecture. All of one
architecture and image set come from the same few classifiers, so they are no independent numbers: what is said of them
is taken architecture by architecture and set by set, and these make the interval. Runs share all but one member of
their ensembles, and their autoencoder where they have but one: what hardly could differ is left out, as in the page's
last column. The paper has five runs of each. On average over normal runs the standard deviation of three comes out 11 %
too small, that of five 6 %.
"""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pandas as pd
from scipy import stats

from mistrust.publishing.claim_tests.supervisors.reading import (
    ALIKE,
    AUTOENCODER,
    CHAPTER,
    ENSEMBLES,
    KINDS,
    OUTLIER,
    SIXTEEN,
    SOFTMAX_BASED,
    TITLES,
    VERY_WELL,
    by_network,
    cells,
    one_autoencoder,
    typical,
)
from mistrust.publishing.estimates import Estimate, NotRun, Reader, between_models, number
from mistrust.publishing.verdicts import Verdict, above, below, claim_test, in_each, within

# Of these each run has its own; of the autoencoder it may have.
OWN = tuple(name for name in SIXTEEN if name not in ENSEMBLES)
NEGLIGIBLE, LARGE, HIGHEST = 0.02, 0.05, 0.15
FIVE = 5  # runs of the paper


@claim_test("ambiguess-sd-mean", CHAPTER)
def sd_mean(rows: Reader) -> Verdict:
    """Half of one hundredth to either side."""
    means = _deviations(rows).groupby(["data", "network"])["sd"].mean()
    return within(between_models(means.to_list()), 0.01, 0.02, "mean standard deviation between runs")


@claim_test("ambiguess-sd-most-negligible", CHAPTER)
def sd_most_negligible(rows: Reader) -> Verdict:
    """The paper's 114 of 488 above 0.02 are 23 %; most are negligible as long as it is less than half."""
    return below(
        between_models(_shares(rows, NEGLIGIBLE), scale="arcsine"), 0.5, "share of standard deviations above 0.02"
    )


@claim_test("ambiguess-sd-few-large", CHAPTER)
def sd_few_large(rows: Reader) -> Verdict:
    """The paper's 29 of 488 are 6 %."""
    return below(between_models(_shares(rows, LARGE), scale="arcsine"), 0.1, "share of standard deviations above 0.05")


@claim_test("ambiguess-five-enough", CHAPTER)
def five_enough(rows: Reader) -> Verdict:
    """Share of results whose mean over five runs has an interval (Student) that reaches farther than 0.05: under 0.1.

    By our standard deviations between runs. What is that near is still alike elsewhere, too.
    """
    reach = float(stats.t.ppf(0.975, FIVE - 1)) / np.sqrt(FIVE)
    text = "share of results of which the interval over five runs would reach farther than 0.05"
    return below(between_models(_shares(rows, ALIKE / reach), scale="arcsine"), 0.1, text)


@claim_test("ambiguess-sd-highest", CHAPTER)
def sd_highest(rows: Reader) -> Verdict:
    """The largest of all below 0.15, with the interval of a standard deviation (chi-squared); the paper's is 0.124.

    Of three runs the interval is wide: what is measured may be small by chance, and the largest of many is no typical
    one. So the evidence says which values so few runs could decide at all.
    """
    found = _deviations(rows)
    sd, runs = found.loc[found["sd"].to_numpy() == found["sd"].max(), ["sd", "runs"]].iloc[0]
    ends = [float(np.sqrt((runs - 1) / stats.chi2.ppf(tail, runs - 1))) for tail in (0.975, 0.025)]
    low, high = (sd * end for end in ends)
    verdict = below(Estimate(float(sd), low, high, least=0.0), HIGHEST, "largest standard deviation between runs")
    few, many = (number(HIGHEST / end) for end in reversed(ends))
    told = f"of {number(runs)} runs only one below {few} would be surely below, only one above {many} surely above"
    return replace(verdict, evidence=f"{verdict.evidence}; {told}")


@claim_test("ambiguess-sd-large-where-low", CHAPTER)
def sd_large_where_low(rows: Reader) -> Verdict:
    """By counting those above 0.05: of all of them it is said, so two with a mean AUROC of 0.9 or more refute it."""
    found = _deviations(rows)
    large = found[found["sd"] > LARGE]
    low = (large["mean"] < VERY_WELL).set_axis(large["network"])
    what = "the mean AUROC is"
    return in_each(low, "standard deviations above 0.05", f"{what} below 0.9", f"{what} 0.9 or more")


@claim_test("ambiguess-sd-harmless", CHAPTER)
def sd_harmless(rows: Reader) -> Verdict:
    """By counting those above 0.05 where softmax-based supervisors lead in every run, or outlier detectors do.

    That none of them matters is said of all, so two that do refute it.
    """
    found = _deviations(rows)
    large = found[found["sd"] > LARGE]
    by_set = {data: by_network(rows, cells(SIXTEEN, data=[data])) for data in TITLES}
    same = [
        _same_leader(by_set[data].loc[[network]], data, kind)
        for (data, kind, _), network in zip(large.index, large["network"], strict=True)
    ]
    what = "softmax-based supervisors and outlier detectors stand to each other"
    return in_each(
        pd.Series(same, index=pd.Index(large["network"]), dtype=bool),
        "standard deviations above 0.05",
        f"{what} alike in every run, on average",
        f"{what} otherwise in some run",
    )


def _same_leader(runs: pd.DataFrame, data: str, kind: str) -> bool:
    ahead = typical(runs, data, kind, OUTLIER) > typical(runs, data, kind, SOFTMAX_BASED)
    return ahead.nunique() == 1


@claim_test("ambiguess-architectures-agree", CHAPTER)
def architectures_agree(rows: Reader) -> Verdict:
    """Spearman's correlation of the sixteen AUROCs, mean over pairs of architectures and test sets, by run."""
    found = by_network(rows, cells(SIXTEEN))
    if found.index.get_level_values("network").nunique() < 2:
        raise NotRun("two of the paper's architectures, by run")
    by_run = []
    for _, runs in found.groupby(level="seed"):  # one line per architecture
        pairs = [_correlations(runs[cells(SIXTEEN, [kind], [data])]) for data, kind in product(TITLES, KINDS)]
        by_run.append(float(np.mean(pairs)))
    agreement = between_models(by_run, scale="fisher")
    return above(agreement, 0.5, "correlation of the supervisors' order between architectures")


def _correlations(found: pd.DataFrame) -> list[float]:
    """Spearman's correlation of every two lines."""
    ranks = found.rank(axis="columns").T
    return [float(ranks[a].corr(ranks[b])) for a, b in combinations(ranks.columns, 2)]


def _deviations(rows: Reader) -> pd.DataFrame:
    """Standard deviation between runs and mean: one line per image set, architecture, kind and supervisor."""
    parts = []
    for data in TITLES:
        found = by_network(rows, cells(OWN, data=[data]))
        if one_autoencoder(found.groupby(level="seed").mean(), data):
            found = found.drop(columns=cells([AUTOENCODER], data=[data]))
        if found.index.get_level_values("seed").nunique() < 2:
            raise NotRun("a second run of the same architecture")
        for network, runs in found.groupby(level="network"):
            parts.append(pd.DataFrame({"sd": runs.std(), "mean": runs.mean(), "network": network, "runs": len(runs)}))
    return pd.concat(parts)


def _shares(rows: Reader, bound: float) -> list[float]:
    """Share of standard deviations above a bound, one per image set and architecture."""
    found = _deviations(rows)
    return found.assign(sd=found["sd"] > bound).groupby(["data", "network"])["sd"].mean().to_list()
