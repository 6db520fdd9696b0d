"""Claims of sections I, II-C, III and VI-A that go beyond the pool's own rate of errors.

Read: `overall`, metrics "lift" and "matched lift" ("detectable lift" beside it), condition "all". An SDR above one is
what any search has in an overconfident pool; what a search adds is its SDR over the pool's, and, confidence by
confidence, its errors over those that pool members of equal confidence lead to expect. Verdicts by facts 12.
"""

from dataclasses import replace

from mistrust.publishing.claim_tests.search.mechanisms import difference_of_shares
from mistrust.publishing.claim_tests.search.panels import agreeing, paired, panels, read
from mistrust.publishing.claim_tests.search.reading import (
    AD,
    BANDIT,
    CHAPTER,
    CONTROLS,
    COVERAGE,
    DOSES,
    FIFTY,
    LOW,
    NAMES,
    RANDOM,
    each,
    gap,
    lifted,
    opposite,
    overall,
)
from mistrust.publishing.estimates import Reader, number
from mistrust.publishing.verdicts import Verdict, above, claim_test, every


@claim_test("adversarial-distance-not-artefact", CHAPTER)
def not_artefact(rows: Reader) -> Verdict:
    """What is left of an SDR above one when the pool's own is taken out, at 50 queries."""
    verdict = lifted(overall(rows, "lift", AD, FIFTY), f"SDR over the pool's, {NAMES[AD]} at 50 queries")
    return _with_power(rows, verdict)


@claim_test("adversarial-distance-perturbations-improve", CHAPTER)
def perturbations_improve(rows: Reader) -> Verdict:
    """Against pool members of equal confidence, at 20 and at 50 queries."""
    return every(each(("20", "50"), lambda level: _matched(rows, AD, float(level))))


@claim_test("adversarial-distance-rivals-by-chance", CHAPTER)
def rivals_by_chance(rows: Reader) -> Verdict:
    """No lift of either rival against pool members of equal confidence, at 50 queries."""
    return every(each((BANDIT, COVERAGE), lambda rival: opposite(_matched(rows, rival, FIFTY))))


@claim_test("adversarial-distance-sure-errors-missed", CHAPTER)
def sure_errors_missed(rows: Reader) -> Verdict:
    """Reads `searches`, metric "sure errors", at 50 queries: more of them than by chance or by lowest confidence."""
    found = read(rows, "searches", ["sure errors"], [AD, RANDOM, LOW], [FIFTY])

    def judge(rival: str) -> Verdict:
        values = [found.of("sure errors", method, FIFTY) for method in (AD, rival)]
        first, second = paired(*values)
        text = f"errors above 90 % confidence at 50 queries, {NAMES[AD]} minus {NAMES[rival]}"
        return agreeing(above(gap(first - second), 0.0, text), values[0] - values[1])

    return every(each((RANDOM, LOW), judge))


@claim_test("adversarial-distance-suggests-overconfidence", CHAPTER)
def suggests_overconfidence(rows: Reader) -> Verdict:
    """Reads `searches` (sdr at 50) and `panel` (pool sdr), controls too: how often the pool's is above one as well."""
    conditions = (*DOSES, *CONTROLS)
    own = panels(rows, "sdr", conditions, method=AD, level=FIFTY)
    pool = panels(rows, "pool sdr", conditions, table="panel")
    both = own.to_frame("own").join(pool.rename("pool"), how="inner")
    found = difference_of_shares(both["pool"] > 1, both["own"] > 1)
    text = "share of panels whose pool has an SDR above one, where the search's is, minus where it is not"
    return above(found, 0.0, f"{text}, {NAMES[AD]}")


def _matched(rows: Reader, method: str, level: float) -> Verdict:
    text = f"errors over those expected at equal confidence, {NAMES[method]} at {level:g} queries"
    return lifted(overall(rows, "matched lift", method, level), text)


def _with_power(rows: Reader, verdict: Verdict) -> Verdict:
    """What could have been shown at all, where the rows say so."""
    found = rows.find(table="overall", metric="detectable lift", method=AD, level=FIFTY, condition="all")
    if len(found) != 1:
        return verdict
    least = number(float(found.iloc[0]["value"]))
    return replace(verdict, evidence=f"{verdict.evidence}; this design could have shown a lift of {least}")
