"""Claims of sections III and V-B on what SDR and a thousand replicates say.

Read: `controls` (condition "control/null"), `searches` at 50 queries, `curves` (random search at one query) and
`authors`. The authors' rows are of one model: what is computed from them is arithmetic on their own data, whose chance
is which images a replicate draws, and has no interval between models.
"""

import math
from dataclasses import replace

import pandas as pd
from scipy import stats

from mistrust.errors import MistrustError
from mistrust.publishing.claim_tests.search.panels import Panels, by_model, paired, panels, read
from mistrust.publishing.claim_tests.search.reading import (
    AD,
    CHAPTER,
    DOSES,
    FIFTY,
    NAMES,
    NONE,
    RANDOM,
    RIVALS,
    TENTH,
    each,
    gap,
    rate,
    told,
)
from mistrust.publishing.estimates import Estimate, NotRun, Reader, number
from mistrust.publishing.verdicts import Verdict, above, claim_test, every, within

# A normal law has 95 % within so many standard deviations, either way.
HALF = 1.96
# An oracle that errs as confidence says; adaptive searches miss one by up to some 5 % (facts 8).
EXPECTED = TENTH
ONE = 1.0


@claim_test("adversarial-distance-one-is-expected", CHAPTER)
def one_is_expected(rows: Reader) -> Verdict:
    """Reads `controls`: each search in each pool, at 50 queries; oracles err with 1 - confidence by construction.

    Chance is in the oracles' draws and nowhere else: a pool's interval is over its oracles. How a search that reads
    answers leans in a further pool is another question, so one pool alone decides nothing.
    """
    found = rows.find(table="controls", condition="control/null", metric="sdr", method=[AD, *RIVALS], level=FIFTY)
    found = found[found["seed"].notna()]
    verdict = every([part for method in (AD, *RIVALS) for part in _by_chance(found, method)])
    networks = len(found.drop_duplicates(["data", "network", "seed"]))
    if networks > 1 or verdict.verdict == "not run":
        return verdict
    told = f"{verdict.evidence}; one network alone decides nothing"
    return replace(verdict, verdict="undecided", evidence=told, p=None)


@claim_test("adversarial-distance-mean-is-rate", CHAPTER)
def mean_is_rate(rows: Reader) -> Verdict:
    """The mean of ratios over the pooled ratio: random search at one query, each search at 50; and the authors' rows.

    One query is the worst that there is: one sure error outweighs hundreds of images. It reads `curves` and `searches`.
    """
    methods = (AD, *RIVALS)
    found = read(rows, "searches", ["mean of ratios", "sdr"], methods, [FIFTY])
    parts = [*each((RANDOM,), lambda _: _at_one(rows)), *each(("theirs",), lambda _: _theirs(rows))]
    return every([*parts, *each(methods, lambda method: _at_fifty(found, method))])


@claim_test("adversarial-distance-sensitive", CHAPTER)
def sensitive(rows: Reader) -> Verdict:
    """SDR at 50 queries: its standard deviation between subsets of one pool over that of chance, less random search's.

    Fifty labels of any subset scatter, for their mean the more the fewer errors are among them: what is left of chance
    alone, a binomial law with as many errors, is no matter of how a search begins.
    """
    methods = [AD, *(one for one in RIVALS if one != RANDOM)]
    found = read(rows, "searches", ["replicate sd", "sdr", "errors"], [*methods, RANDOM], [FIFTY])

    def scatter(method: str) -> "pd.Series[float]":
        spread, whole, errors = (found.of(metric, method, FIFTY) for metric in ("replicate sd", "sdr", "errors"))
        chance = ((1 - errors / FIFTY) / errors[errors > 0]) ** 0.5
        return (spread / whole[whole > 0] / chance[chance > 0]).dropna()

    def judge(method: str) -> Verdict:
        own, chance = paired(scatter(method), scatter(RANDOM))
        text = f"standard deviation of SDR between subsets over that of chance, {NAMES[method]} minus random search"
        return above(gap(own - chance), 0.0, text)

    return every(each(methods, judge))


@claim_test("adversarial-distance-replicates", CHAPTER)
def replicates(rows: Reader) -> Verdict:
    """Reads `authors`: the spread between subsets against what the exact interval of 50 labels says.

    The spread of so many subsets has an interval of its own, by chi-squared, as if they were independent draws.
    """
    between = _authors(rows, "replicate sd", AD, FIFTY)
    whole = _authors(rows, "sdr", AD, FIFTY)
    exact = (whole["high"] - whole["low"]) / (2 * HALF)
    if not exact > 0:
        raise NotRun("exact interval of the SDR of 50 labels on the authors' rows")
    free = between["n"] - 1
    low, high = (between["value"] * float(free / stats.chi2.isf(tail, free)) ** 0.5 for tail in (0.025, 0.975))
    text = "on the authors' rows, standard deviation of SDR at 50 queries between subsets of one pool over that by the "
    ratio = Estimate(between["value"] / exact, low / exact, high / exact)
    found = above(ratio, TENTH[0], f"{text}exact interval of one set of 50 labels ({number(exact)})")
    return replace(found, p=None)  # arithmetic on one model's rows: no draw of models was tested


def _by_chance(found: pd.DataFrame, method: str) -> list[Verdict]:
    """The search in each pool, its interval that over oracles."""
    own = found[found["method"] == method]
    if own.empty:
        return [Verdict("not run", f"no rows: SDR of {NAMES[method]} with an oracle that errs as confidence says")]
    parts = []
    for value, low, high, over, n in own[["value", "low", "high", "over", "n"]].itertuples(index=False):
        known = over == "oracles" and low <= high
        ends = (low, high) if known else (-math.inf, math.inf)
        estimate = Estimate(value, *ends, freedom=n - 1 if known else None)
        parts.append(within(estimate, *EXPECTED, f"SDR with oracles that err as confidence says, {NAMES[method]}"))
    return parts


def _at_fifty(found: Panels, method: str) -> Verdict:
    own, pooled = (found.of(metric, method, FIFTY) for metric in ("mean of ratios", "sdr"))
    ratio = rate(by_model((own / pooled[pooled > 0]).dropna()))
    return within(ratio, *TENTH, f"mean of ratios over the pooled ratio, {NAMES[method]} at 50 queries")


def _at_one(rows: Reader) -> Verdict:
    own, pooled = (panels(rows, metric, DOSES, table="curves", method=RANDOM, level=ONE)
                   for metric in ("mean of ratios", "sdr"))  # fmt: skip
    found = rate(by_model((own / pooled).dropna()))
    return within(found, *TENTH, "mean of ratios over the pooled ratio, random search at one query")


def _theirs(rows: Reader) -> Verdict:
    """What varies is which images are drawn, one a replicate; the ratio of sums over all draws is the pool's SDR."""
    mean, spread = (_authors(rows, metric, RANDOM, ONE) for metric in ("mean of ratios", "replicate sd"))
    pool = _authors(rows, "pool sdr")["value"]
    free = mean["n"] - 1
    half = float(stats.t.isf(0.025, free)) * spread["value"] / mean["n"] ** 0.5
    ends = ((mean["value"] + way * half) / pool for way in (0, -1, 1))
    text = f"on the authors' rows mean of ratios ({number(mean['value'])}) over the pool's SDR ({number(pool)}), "
    return within(Estimate(*ends, freedom=free), *TENTH, f"{text}random search at one query, {mean['n']:,.0f} draws")


def _authors(rows: Reader, metric: str, method: str = "", level: float = NONE) -> "dict[str, float]":
    found = rows.find(table="authors", metric=metric, method=method, level=level)
    what = f"{told(metric, method, level)} on the authors' rows"
    if found.empty:
        raise NotRun(what)
    if len(found) > 1:
        raise MistrustError(f"Several rows where one was expected: {what}.")
    one = found.iloc[0]
    return {column: float(one[column]) for column in ("value", "low", "high", "n")}
