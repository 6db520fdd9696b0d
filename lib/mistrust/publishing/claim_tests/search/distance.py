"""Claims of sections II-B, IV-A and VI-C on the boundary attack and on what its distance measures.

Read: `attack` of method "boundary", at the most steps that a panel has; `panel`, metric "residual auc"; `searches` of
method "highest_distance". The gates are of searches: rows of the attack are read with and without.
"""

from mistrust.publishing.claim_tests.search.panels import agreeing, attacked, by_model, paired, panels
from mistrust.publishing.claim_tests.search.reading import (
    CHAPTER,
    DOSES,
    FARTHEST,
    FIFTY,
    NAMES,
    PANEL,
    correlation,
    gap,
    rate,
    share,
)
from mistrust.publishing.estimates import NotRun, Reader, number
from mistrust.publishing.verdicts import Verdict, Word, above, below, claim_test

# Of 255. Madry et al. (ICLR 2018) bound the change of each value by it so that nobody is to notice.
IMPERCEPTIBLE = 8.0
# "A very small number of pixels".
FEW = 0.1
# Facts 12: the gate on test and retest of the residual.
RELIABLE = 0.6
# With a rank correlation above, a tenth of the order at most is left to the distance.
SAME_ORDER = 0.95
# A start that works: for one image in twenty at most it does not.
STARTS = 0.95


@claim_test("adversarial-distance-indistinguishable", CHAPTER)
def indistinguishable(rows: Reader) -> Verdict:
    """Median MAE of adversarial images; the mean change is never more than the largest."""
    found = rate(by_model(attacked(rows, "mae")))
    return below(found, IMPERCEPTIBLE, "median change of a value in grey levels")


@claim_test("adversarial-distance-noise-starts", CHAPTER)
def noise_starts(rows: Reader) -> Verdict:
    """Share of images that some noise starts, the poorer of a network's two classes where both were tried."""
    found = attacked(rows, "noise starts")
    keys = [name for name in PANEL if name != "at"]
    poorer = found.groupby(level=keys).min()
    return above(share(by_model(poorer)), STARTS, "share of images for which noise is a start")


@claim_test("adversarial-distance-smaller-and-smaller", CHAPTER)
def smaller_and_smaller(rows: Reader) -> Verdict:
    """Median MAE with the fewest steps and with the most: a fall in each panel, as it can never rise."""
    found = rows.find(table="attack", method="boundary", metric="mae")
    found = found[found["seed"].notna()].sort_values("level")
    groups = found.groupby([*PANEL])["value"]
    several = groups.size() > 1
    if not several.any():
        raise NotRun("boundary attack: mae, with fewer and with more steps")
    falls = (groups.first() - groups.last())[several]
    least, most = (number(float(end)) for end in (falls.min(), falls.max()))
    told = f"by {least} to {most} grey levels in {len(falls)} panels from the fewest steps to the most"
    word: Word = "holds" if (falls > 0).all() else "does not hold"
    return Verdict(word, f"the smallest distance so far never rises, by construction; its median falls {told}")


@claim_test("adversarial-distance-discrepancy", CHAPTER)
def discrepancy(rows: Reader) -> Verdict:
    """Spearman of log MAE with confidence, the attack's noise included: it makes the two look more different."""
    found = correlation(by_model(attacked(rows, "confidence correlation")))
    return below(found, SAME_ORDER, "rank correlation of the attack's distance with confidence")


@claim_test("adversarial-distance-susceptible", CHAPTER)
def susceptible(rows: Reader) -> Verdict:
    """Test and retest of the residual: a measure of an image must come out alike twice."""
    found = correlation(by_model(attacked(rows, "residual reliability")))
    return above(found, RELIABLE, "rank correlation of Adversarial Distance in two runs")


@claim_test("adversarial-distance-more-prone", CHAPTER)
def more_prone(rows: Reader) -> Verdict:
    """Over whole pools, not only the first fifty: AUROC within strata of equal confidence."""
    found = panels(rows, "residual auc", DOSES, table="panel")
    text = "AUROC of a small Adversarial Distance for error, confidence equal"
    return agreeing(above(share(by_model(found), scale="logit"), 0.5, text), found, 0.5)


@claim_test("adversarial-distance-few-pixels", CHAPTER)
def few_pixels(rows: Reader) -> Verdict:
    """Share of values that change by half a grey level or more."""
    return below(share(by_model(attacked(rows, "changed"))), FEW, "share of an image's values that are changed")


@claim_test("adversarial-distance-prototypes", CHAPTER)
def prototypes(rows: Reader) -> Verdict:
    """Errors are rarer among the largest distances than in the pool: SDR at 50 minus the pool's."""
    own = panels(rows, "sdr", DOSES, method=FARTHEST, level=FIFTY)
    pool = panels(rows, "pool sdr", DOSES, table="panel")
    first, second = paired(own, pool)
    verdict = below(gap(first - second), 0.0, f"SDR of the {NAMES[FARTHEST]} at 50 queries minus the pool's")
    return agreeing(verdict, pool - own)
