"""Claims of the abstract and sections 1.2, 4 and 6: what depth and number of parameters decide.

The paper has four networks, which prove nothing (`mistrust.robustness.rereading.orders`); here a dozen of one recipe on
one image set, depth and size varied separately.
"""

from mistrust.publishing.claim_tests.robustness.reading import CHAPTER, relation, told_relation
from mistrust.publishing.claim_tests.supervisors.quorum import at_least
from mistrust.publishing.estimates import Reader
from mistrust.publishing.verdicts import Verdict, above, below, claim_test, every

# Correlated by 0.7, two orders have half of their variance in common.
HALF_IN_COMMON = 0.7


@claim_test("urem-depth-random", CHAPTER)
def depth_random(rows: Reader) -> Verdict:
    """Above 0."""
    return _above(rows, "depth ~ random")


@claim_test("urem-depth-accuracy", CHAPTER)
def depth_accuracy(rows: Reader) -> Verdict:
    """Above 0."""
    return _above(rows, "depth ~ accuracy")


@claim_test("urem-depth-beside-accuracy", CHAPTER)
def depth_beside_accuracy(rows: Reader) -> Verdict:
    """What surprises cannot be what accuracy explains."""
    return _above(rows, "depth ~ random | accuracy")


@claim_test("urem-depth-not-size", CHAPTER)
def depth_not_size(rows: Reader) -> Verdict:
    """The paper tells depth from size by words alone: its networks differ in both."""
    return _above(rows, "depth ~ random | parameters")


@claim_test("urem-parameters-accuracy", CHAPTER)
def parameters_accuracy(rows: Reader) -> Verdict:
    """The paper does not say which way; more parameters, more accuracy is what one would expect."""
    return _above(rows, "parameters ~ accuracy")


@claim_test("urem-parameters-targeted", CHAPTER)
def parameters_targeted(rows: Reader) -> Verdict:
    """Below 0: the more parameters, the smaller the distance."""
    return _below(rows, "parameters ~ targeted")


@claim_test("urem-size-not-depth", CHAPTER)
def size_not_depth(rows: Reader) -> Verdict:
    """Below 0 among networks of one depth."""
    return _below(rows, "parameters ~ targeted | depth")


@claim_test("urem-accuracy-incomplete", CHAPTER)
def accuracy_incomplete(rows: Reader) -> Verdict:
    """One kind of robustness that accuracy does not order is enough."""
    names = ("accuracy ~ random", "accuracy ~ targeted")
    parts = [below(relation(rows, name), HALF_IN_COMMON, told_relation(name)) for name in names]
    return at_least(parts, 1, "accuracy and robustness have less than half of their order in common")


@claim_test("urem-bubbles-non-robust", CHAPTER)
def bubbles_non_robust(rows: Reader) -> Verdict:
    """Both below 0: the more bubbles are found, the less accurate and the less robust is the network."""
    return every([_below(rows, "bubbles ~ accuracy"), _below(rows, "bubbles ~ random")])


def _above(rows: Reader, name: str) -> Verdict:
    return above(relation(rows, name), 0.0, told_relation(name))


def _below(rows: Reader, name: str) -> Verdict:
    return below(relation(rows, name), 0.0, told_relation(name))
