"""Claims of sections I, V and IX that printed numbers, the paper's own formulas or its code decide by themselves.

Read: `ambiguity-text.csv`, `ambiguity-code.csv` (testingautomated-usi/ambguess-src, commit 8ff505f, and the authors'
data sets on Hugging Face) and `ambiguity-performance.csv` among the printed numbers. What is printed is no matter of
chance: no interval, no p.
"""

import math

from mistrust.publishing.claim_tests.ambiguity.reading import AMBIGUOUS, CHAPTER, MNIST
from mistrust.publishing.claim_tests.printed import decided, one
from mistrust.publishing.estimates import Reader, number
from mistrust.publishing.published import PROFILE
from mistrust.publishing.verdicts import Verdict, claim_test

THEIRS = "ambiguous/ambiguous-mnist"
CLASSES = (10, 20, 30)
# Section IX's "four considered quantitative indicators" are the columns of Table I; which way is ahead, by section
# VI-B: a lower top-1, more of the others.
INDICATORS = {"top-1": -1, "top-2": 1, "top-pair": 1, "entropy": 1}
# A sum of 1 to half a per cent.
ONE, NEAR = 1.0, 0.005


@claim_test("ambiguess-data-released", CHAPTER, printed=True)
def data_released(rows: Reader) -> Verdict:
    """How many are said, how many the authors' hub has since, and what section X says of it."""
    said = one(rows, table="text", metric="data sets")
    there = one(rows, table="code", metric="data sets on the hub")
    later = one(rows, table="text", metric="released upon acceptance")
    told = f"the authors' pages on Hugging Face have {number(there) if there else 'none'} since March 2023"
    more = "; section X of this version says that they will be released upon acceptance" if later else ""
    return decided(there >= said, told + more)


@claim_test("ambiguess-pairs-exponential", CHAPTER, printed=True)
def pairs_exponential(rows: Reader) -> Verdict:
    """By the paper's formula: what grows exponentially is multiplied by the same number for each ten classes more."""
    counts = [one(rows, table="text", metric="pairs", level=classes) for classes in CLASSES]
    first, second = counts[1] / counts[0], counts[2] / counts[1]
    told = ", ".join(f"{classes} classes have {number(count)}" for classes, count in zip(CLASSES, counts, strict=True))
    return decided(
        second >= first, f"{told}: ten classes more make {number(first)}, then {number(second)} times as many"
    )


@claim_test("ambiguess-density-is-posterior", CHAPTER, printed=True)
def density_is_posterior(rows: Reader) -> Verdict:
    """By the section's own prior: with p(c) = 0.5, p(c|z) = p(z|c) / (p(z|c1) + p(z|c2)), so that sum must be 1."""
    means = [one(rows, table="text", metric="mean", at=which) for which in ("first", "second")]
    spread = one(rows, table="text", metric="standard deviation")
    dimensions = one(rows, table="text", metric="latent dimensions")
    peak = (spread * math.sqrt(2 * math.pi)) ** -dimensions
    points = {"at the clusters' centres": means[0], "halfway between them": sum(means) / 2}
    sums = {
        where: sum(peak * math.exp(-((z - mean) ** 2) / (2 * spread**2)) for mean in means)
        for where, z in points.items()
    }
    told = " and ".join(f"{number(value)} {where}" for where, value in sums.items())
    right = all(abs(value - ONE) < NEAR for value in sums.values())
    return decided(right, f"the densities of both classes add up to {told}; they would have to add up to 1")


@claim_test("ambiguess-labels-normalised", CHAPTER, printed=True)
def labels_normalised(rows: Reader) -> Verdict:
    """What the code makes of the discriminator's two outputs: s / (s + s'), or the softmax of what is before s."""
    softmax = one(rows, table="code", metric="softmax of logits")
    told = "takes the softmax of the two logits, which is another number" if softmax else "divides each by their sum"
    return decided(not softmax, f"the code {told}")


@claim_test("ambiguess-cells-by-gradient", CHAPTER, printed=True)
def cells_by_gradient(rows: Reader) -> Verdict:
    """What the code takes the gradient of, and which cell it draws by it."""
    told: list[str] = []
    if one(rows, table="code", metric="gradient of the energy"):
        told.append("takes the gradient of the sum of squared pixels, not of the image")
    if one(rows, table="code", metric="cells transposed"):
        told.append("draws a cell's place with its two coordinates exchanged")
    return decided(not told, f"the code {', and '.join(told) or 'draws cells by the norm of the gradient'}")


@claim_test("ambiguess-four-indicators", CHAPTER, printed=True)
def four_indicators(rows: Reader) -> Verdict:
    """How many of the four are printed of both sets, and on how many AmbiGuess is ahead."""
    both: list[str] = []
    ahead = 0
    for metric, way in INDICATORS.items():
        where = {"table": "performance", "data": MNIST, "metric": metric}
        ours = one(rows, method="mixed", condition=AMBIGUOUS, **where)
        theirs = rows.find(profile=PROFILE, condition=THEIRS, **where)["value"]
        if len(theirs):
            both.append(metric)
            ahead += way * (ours - float(theirs.iloc[0])) > 0
    lacking = [metric for metric in INDICATORS if metric not in both]
    told = f"{len(both)} of {len(INDICATORS)} are printed of both sets, AmbiGuess is ahead on {ahead or 'none'}"
    more = f"; not of AmbiguousMNIST: {', '.join(lacking)}" if lacking else ""
    return decided(ahead == len(INDICATORS), told + more)


@claim_test("ambiguess-discriminator-checked", CHAPTER, printed=True)
def discriminator_checked(rows: Reader) -> Verdict:
    """What the code's accuracy is of, and where it cuts."""
    told: list[str] = []
    if one(rows, table="code", metric="accuracy over all steps"):
        told.append("counts all steps since training began")
    if cut := one(rows, table="code", metric="cut of logits"):
        told.append(f"takes for an image what has a logit above {number(cut)}, not above 0")
    return decided(not told, f"the code {', and '.join(told) or 'counts at the end of training, and cuts at 0'}")
