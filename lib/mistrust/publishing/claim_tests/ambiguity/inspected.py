"""Claims of section VI-C: what the images look like, told by classifiers that learned from nominal images only.

The paper's authors looked at 300 images of each set. Here an image counts as ambiguous where such classifiers give its
two classes at least 0.8 together, and each of them between 0.2 and 0.8 of that (table "oddness").
"""

from mistrust.publishing.claim_tests.ambiguity.reading import CHAPTER, FASHION, MNIST, apart, stated
from mistrust.publishing.estimates import Estimate, Reader
from mistrust.publishing.verdicts import Verdict, above, below, claim_test


@claim_test("ambiguess-few-bad", CHAPTER)
def few_bad(rows: Reader) -> Verdict:
    """Bad: the judges are sure of one class of the pair (above 0.9), or put less than half on the two."""
    where = {"table": "oddness", "data": MNIST, "method": "ambiguess", "metric": "bad"}
    return below(stated(rows, least=0, most=1, **where), 0.25, "share of images that look bad")


@claim_test("ambiguess-fashion-seldom-ambiguous", CHAPTER)
def fashion_seldom_ambiguous(rows: Reader) -> Verdict:
    """What cannot exist cannot look right: the share that looks ambiguous is smaller than of MNIST."""
    gap = apart(_ambiguous(rows, MNIST), _ambiguous(rows, FASHION))
    return above(gap, 0.0, "share of images that look ambiguous, MNIST minus Fashion-MNIST")


@claim_test("ambiguess-fashion-both-classes", CHAPTER)
def fashion_both_classes(rows: Reader) -> Verdict:
    """Bad as above: one class of the pair is all that the judges see, or they see something else."""
    where = {"table": "oddness", "data": FASHION, "method": "ambiguess", "metric": "bad"}
    return below(stated(rows, least=0, most=1, **where), 0.5, "share of images that look bad")


def _ambiguous(rows: Reader, data: str) -> Estimate:
    where = {"table": "oddness", "data": data, "method": "ambiguess", "metric": "ambiguous"}
    return stated(rows, least=0, most=1, **where)
