"""Claims of the abstract on random noise, beside those on depth (`relations`) and on fewer samples (`variants`)."""

from mistrust.publishing.claim_tests.robustness.reading import (
    ALL,
    CHAPTER,
    IMPERCEPTIBLE,
    MEANS,
    SIGMA,
    by_family,
    by_network,
    family,
    level,
    single,
)
from mistrust.publishing.estimates import Reader
from mistrust.publishing.verdicts import Verdict, above, below, claim_test, greater

CAP = 510.0  # the largest sigma that is tried
SELDOM = 0.1  # "very easy": noise of some strength breaks nine images in ten


@claim_test("urem-noise-imperceptible", CHAPTER)
def noise_imperceptible(rows: Reader) -> Verdict:
    """Between families; the smallest mean of Table 1 is 66.3 grey levels."""
    found = level(by_family(by_network(rows, **SIGMA)), 0.0, CAP)
    return below(found, IMPERCEPTIBLE, f"mean breaking sigma in grey levels{MEANS}")


@claim_test("urem-easy-to-generate", CHAPTER)
def easy_to_generate(rows: Reader) -> Verdict:
    """Share of pairs of image and noise field that no sigma up to the cap breaks, between families."""
    what = "share of images that no noise breaks, by network"
    where = {"table": "random", "method": "fixed-clipped", "metric": "unbroken", "condition": ALL}
    found = single(rows, what, **where).groupby("network")["value"].mean()
    never = level(by_family(found), 0.0, 1.0, scale="arcsine")
    return below(never, SELDOM, f"share of images that no noise up to 510 breaks{MEANS}")


@claim_test("urem-low-confidence", CHAPTER)
def low_confidence(rows: Reader) -> Verdict:
    """Over images, the mean of each family; the margin is that of the two largest logits."""
    what = "rank correlation of margin with breaking sigma, by network"
    where = {"table": "looks", "method": "margin", "metric": "spearman with random", "condition": ALL}
    found = single(rows, what, **where).groupby("network")["value"].mean()
    both = level(by_family(found), -1.0, 1.0)
    return above(both, 0.0, f"rank correlation over images of the margin with breaking sigma{MEANS}")


@claim_test("urem-resnet-over-alexnet", CHAPTER)
def resnet_over_alexnet(rows: Reader) -> Verdict:
    """Means over the networks of a family, by seed."""
    text = "breaking sigma in grey levels, ResNet style minus AlexNet style"
    return greater(family(rows, "resnet", **SIGMA), family(rows, "alexnet", **SIGMA), text)
