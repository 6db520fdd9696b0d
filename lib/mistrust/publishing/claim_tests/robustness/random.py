"""Claims of the abstract on random noise, beside those on depth (`relations`) and on fewer samples (`variants`)."""

from mistrust.publishing.claim_tests.robustness.reading import (
    CHAPTER,
    IMPERCEPTIBLE,
    SIGMA,
    by_network,
    family,
    level,
)
from mistrust.publishing.estimates import Reader
from mistrust.publishing.verdicts import Verdict, below, claim_test, greater

CAP = 510.0  # the largest sigma that is tried


@claim_test("urem-noise-imperceptible", CHAPTER)
def noise_imperceptible(rows: Reader) -> Verdict:
    """Between networks; the smallest mean of Table 1 is 66.3 grey levels."""
    found = level(by_network(rows, **SIGMA), 0.0, CAP)
    return below(found, IMPERCEPTIBLE, "mean breaking sigma in grey levels")


@claim_test("urem-resnet-over-alexnet", CHAPTER)
def resnet_over_alexnet(rows: Reader) -> Verdict:
    """Means over the networks of a family, by seed."""
    text = "breaking sigma in grey levels, ResNet style minus AlexNet style"
    return greater(family(rows, "resnet", **SIGMA), family(rows, "alexnet", **SIGMA), text)
