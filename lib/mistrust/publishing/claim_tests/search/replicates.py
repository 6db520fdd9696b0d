"""Claims of sections III and V-B on what SDR and a thousand replicates say.

Read: `controls` (condition "control/null"), `searches` at 50 queries, `curves` (random search at one query) and
`authors`. The authors' rows are of one model: what is computed from them is arithmetic on their own data, without an
interval between models.
"""

from dataclasses import replace

from scipy import stats

from mistrust.errors import MistrustError
from mistrust.publishing.claim_tests.search.panels import by_model, panels, read
from mistrust.publishing.claim_tests.search.reading import (
    AD,
    CHAPTER,
    DOSES,
    FIFTY,
    NAMES,
    PANEL,
    RANDOM,
    RIVALS,
    TENTH,
    each,
    rate,
)
from mistrust.publishing.estimates import Estimate, NotRun, Reader, number
from mistrust.publishing.verdicts import Verdict, above, claim_test, every, within

# A normal law has 95 % within so many standard deviations, either way.
HALF = 1.96
# An oracle that errs as confidence says; adaptive searches miss one by up to some 5 % (facts 8).
EXPECTED = TENTH
# Sensitive: what varies by more than a tenth of itself.
SENSITIVE = 0.1
ONE = 1.0


@claim_test("adversarial-distance-one-is-expected", CHAPTER)
def one_is_expected(rows: Reader) -> Verdict:
    """Reads `controls`: each search at 50 queries, where an oracle errs with 1 - confidence by construction."""

    def judge(method: str) -> Verdict:
        found = rows.find(table="controls", condition="control/null", metric="sdr", method=method, level=FIFTY)
        found = found[found["seed"].notna()]
        if found.empty:
            raise NotRun(f"SDR of {NAMES[method]} with an oracle that errs as confidence says")
        estimate = rate(by_model(found.set_index([*PANEL])["value"]))
        return within(estimate, *EXPECTED, f"SDR with an oracle that errs as confidence says, {NAMES[method]}")

    return every(each((AD, *RIVALS), judge))


@claim_test("adversarial-distance-mean-is-rate", CHAPTER)
def mean_is_rate(rows: Reader) -> Verdict:
    """The mean of ratios over the pooled ratio, of random search at one query: `curves`, and the authors' rows."""
    return every(each(("ours", "theirs"), lambda name: _ours(rows) if name == "ours" else _theirs(rows)))


@claim_test("adversarial-distance-sensitive", CHAPTER)
def sensitive(rows: Reader) -> Verdict:
    """SDR at 50 queries: its standard deviation between subsets of one pool over the SDR, each search but random."""
    methods = [AD, *(one for one in RIVALS if one != RANDOM)]
    found = read(rows, "searches", ["replicate sd", "sdr"], methods, [FIFTY])

    def judge(method: str) -> Verdict:
        spread, whole = (found.of(metric, method, FIFTY) for metric in ("replicate sd", "sdr"))
        ratio = (spread / whole[whole > 0]).dropna()
        text = f"standard deviation of SDR between subsets over SDR, {NAMES[method]}"
        return above(rate(by_model(ratio)), SENSITIVE, text)

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


def _ours(rows: Reader) -> Verdict:
    own, pooled = (panels(rows, metric, DOSES, table="curves", method=RANDOM, level=ONE)
                   for metric in ("mean of ratios", "sdr"))  # fmt: skip
    found = rate(by_model((own / pooled).dropna()))
    return within(found, *TENTH, "mean of ratios over the pooled ratio, random search at one query")


def _theirs(rows: Reader) -> Verdict:
    mean, pooled = (float(_authors(rows, metric, RANDOM, ONE)["value"]) for metric in ("mean of ratios", "sdr"))
    told = f"on the authors' rows random search has at one query a mean of ratios of {number(mean)} and a pooled ratio"
    right = TENTH[0] <= mean / pooled <= TENTH[1]
    return Verdict("holds" if right else "does not hold", f"{told} of {number(pooled)}")


def _authors(rows: Reader, metric: str, method: str, level: float) -> "dict[str, float]":
    found = rows.find(table="authors", metric=metric, method=method, level=level)
    what = f"{metric} of {NAMES[method]} on the authors' rows"
    if found.empty:
        raise NotRun(what)
    if len(found) > 1:
        raise MistrustError(f"Several rows where one was expected: {what}.")
    one = found.iloc[0]
    return {column: float(one[column]) for column in ("value", "low", "high", "n")}
