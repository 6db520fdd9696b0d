"""Claims of sections VI-A and VI-B, and of VI's summary: what classifiers make of all images (Table I).

Numbers of Table I are means over the paper's architectures, by seed. Training on nominal data alone is compared network
by network (architecture and seed) of the same architectures, as fewer networks are trained so. AmbiguousMNIST stands by
its printed numbers, and by the best that any classifier can reach given its labels, which are those of the authors' own
label file.
"""

from collections.abc import Callable
from dataclasses import replace

import pandas as pd

from mistrust.networks import ARCHITECTURES
from mistrust.publishing.claim_tests.ambiguity.reading import (
    AMBIGUOUS,
    CHAPTER,
    FASHION,
    MNIST,
    TITLES,
    accuracy,
    networks,
    number,
    on_both,
    printed_as,
    stated,
)
from mistrust.publishing.estimates import Estimate, Reader, between_models, difference
from mistrust.publishing.verdicts import Verdict, above, below, claim_test, divided, every, greater, within

# AmbiguousMNIST: printed in section VI-B, and the ceilings by its labels (best possible top-1 and top-2, bits).
OURS = {"table": "sets", "data": MNIST, "method": "ambiguess", "condition": "test"}
TOP_1, TOP_2, ENTROPY = 0.7250, 0.9093, 0.88
BEST_TOP_1, BEST_TOP_2, LABEL_ENTROPY = 0.837, 0.967, 0.555
# Accuracy on nominal images by data and training, as printed.
NOMINAL = {(MNIST, "mixed"): 0.9698, (MNIST, "clean"): 0.9742, (FASHION, "mixed"): 0.8843, (FASHION, "clean"): 0.8837}
POINT = 0.01
# Of AmbiguousMNIST's labels those of one class, as printed in whole per cent.
ONE_CLASS, HALF_A_POINT = 0.37, 0.005
METRICS = ("top-1", "top-2", "top-pair")


FALL = "on nominal minus ambiguous images"


@claim_test("ambiguess-top-1-lower", CHAPTER)
def top_1_lower(rows: Reader) -> Verdict:
    """By twenty points or more; paired by seed."""
    return on_both(lambda data, title: above(_fall(rows, data, "top-1"), 0.2, f"{title}: top-1 {FALL}"))


@claim_test("ambiguess-clean-lower-top-1", CHAPTER)
def clean_lower_top_1(rows: Reader) -> Verdict:
    """Paired by network."""

    def part(data: str, title: str) -> Verdict:
        mixed, clean = (_trained(rows, data, method, "top-1") for method in ("mixed", "clean"))
        return greater(mixed, clean, f"{title}: top-1 on ambiguous images, mixed minus clean training")

    return on_both(part)


@claim_test("ambiguess-clean-out-of-distribution", CHAPTER)
def clean_out_of_distribution(rows: Reader) -> Verdict:
    """AUROC of low density above 0.75, within 40 components of nominal training images; 0.5 is no different."""

    def part(data: str, title: str) -> Verdict:
        where = {"table": "oddness", "data": data, "method": "ambiguess", "metric": "auroc density"}
        return above(
            stated(rows, least=0, most=1, **where), 0.75, f"{title}: AUROC of low density within 40 components"
        )

    return on_both(part)


@claim_test("ambiguess-doubt-from-ambiguity", CHAPTER)
def doubt_from_ambiguity(rows: Reader) -> Verdict:
    """After mixed training, the entropy beyond the label's own is less than half of all; mean of shares by seed."""

    def part(data: str, title: str) -> Verdict:
        excess, whole = (accuracy(rows, data, AMBIGUOUS, metric) for metric in ("excess entropy", "entropy"))
        beyond = between_models((excess / whole).dropna().to_list())
        return below(beyond, 0.5, f"{title}: share of the entropy of ambiguous images that exceeds their labels'")

    return on_both(part)


@claim_test("ambiguess-clean-in-line", CHAPTER)
def clean_in_line(rows: Reader) -> Verdict:
    """Top-1, top-2 and top-pair each within five points of mixed training; paired by network."""

    def part(data: str, title: str) -> Verdict:
        text = f"{title}: %s on ambiguous images, clean minus mixed training"
        parts = []
        for metric in METRICS:
            clean, mixed = (_trained(rows, data, method, metric) for method in ("clean", "mixed"))
            parts.append(within(difference(clean, mixed), -0.05, 0.05, text % metric))
        return every(parts)

    return on_both(part)


@claim_test("ambiguess-cost-negligible", CHAPTER)
def cost_negligible(rows: Reader) -> Verdict:
    """No more than one point is lost; paired by network of the paper's architectures, whose means the page pairs."""

    def part(data: str, title: str) -> Verdict:
        mixed, clean = (100 * _trained(rows, data, method, "top-1", "nominal") for method in ("mixed", "clean"))
        text = f"{title}: accuracy on nominal images, mixed minus clean training, in percentage points"
        return above(difference(mixed, clean), -100 * POINT, text)

    return on_both(part)


@claim_test("ambiguess-nominal-accuracy", CHAPTER)
def nominal_accuracy(rows: Reader) -> Verdict:
    """Each of four within one point; by architecture ours are not all the paper's."""
    parts = []
    for (data, method), value in NOMINAL.items():
        found = printed_as(rows, data, "nominal", "top-1", method)
        parts.append(within(found, value - POINT, value + POINT, f"{TITLES[data]}: accuracy after {method} training"))
    return every(parts)


@claim_test("ambiguess-top-1-half", CHAPTER)
def top_1_half(rows: Reader) -> Verdict:
    """Within five points of one half. The best possible on such labels is little more."""

    def part(data: str, title: str) -> Verdict:
        return within(printed_as(rows, data, AMBIGUOUS, "top-1"), 0.45, 0.55, f"{title}: top-1 on ambiguous images")

    return on_both(part)


@claim_test("ambiguess-top-2-as-nominal", CHAPTER)
def top_2_as_nominal(rows: Reader) -> Verdict:
    """No more than three points below; paired by seed."""
    return on_both(lambda data, title: below(_fall(rows, data, "top-2"), 0.03, f"{title}: top-2 {FALL}"))


@claim_test("ambiguess-top-pair-mnist", CHAPTER)
def top_pair_mnist(rows: Reader) -> Verdict:
    """Three points to either side."""
    return _top_pair(rows, MNIST, 0.9537)


@claim_test("ambiguess-top-pair-fashion", CHAPTER)
def top_pair_fashion(rows: Reader) -> Verdict:
    """Three points to either side."""
    return _top_pair(rows, FASHION, 0.8671)


@claim_test("ambiguess-entropy-higher", CHAPTER)
def entropy_higher(rows: Reader) -> Verdict:
    """By half a bit or more; paired by seed."""

    def part(data: str, title: str) -> Verdict:
        gap = difference(accuracy(rows, data, AMBIGUOUS, "entropy"), accuracy(rows, data, "nominal", "entropy"))
        return above(gap, 0.5, f"{title}: entropy of ambiguous minus nominal images, in bits")

    return on_both(part)


@claim_test("ambiguess-below-ambiguous-mnist", CHAPTER)
def below_ambiguous_mnist(rows: Reader) -> Verdict:
    """Top-1 alone, as the paper compares it."""
    found = below(printed_as(rows, MNIST, AMBIGUOUS, "top-1"), TOP_1, "top-1")
    ceiling = number(rows, metric="largest probability", **OURS)
    return replace(found, evidence=f"{found.evidence}; the labels allow {ceiling:.3f} here, {BEST_TOP_1:.3f} there")


@claim_test("ambiguess-harder-than-ambiguous-mnist", CHAPTER)
def harder_than_ambiguous_mnist(rows: Reader) -> Verdict:
    """Top-1 over the best possible: only what stays below the labels' own ceiling says that images are harder."""
    ceiling = number(rows, metric="largest probability", **OURS)
    reached = between_models((accuracy(rows, MNIST, AMBIGUOUS, "top-1") / ceiling).to_list())
    return below(reached, TOP_1 / BEST_TOP_1, "top-1 over the best possible with such labels")


@claim_test("ambiguess-top-2-above-ambiguous-mnist", CHAPTER)
def top_2_above_ambiguous_mnist(rows: Reader) -> Verdict:
    """Top-2 over the best possible, 1 where labels have two classes; open where networks lie on both sides."""
    bound, found = TOP_2 / BEST_TOP_2, printed_as(rows, MNIST, AMBIGUOUS, "top-2")
    whole = above(replace(found, most=1.0), bound, "top-2 over the best possible with such labels")
    return _by_architecture(rows, MNIST, "top-2", whole, lambda one: above(one, bound))


@claim_test("ambiguess-ambiguous-mnist-one-class", CHAPTER, printed=True)
def ambiguous_mnist_one_class(rows: Reader) -> Verdict:
    """Counted in the label file of the authors' code: a label is the mean of ten draws, of one class where all agree.

    So an image of two classes whose draws agree by chance is counted, too.
    """
    found = number(rows, table="sets", data=MNIST, method="ambiguous-mnist", metric="unambiguous")
    told = f"{100 * found:.3g} % of the labels of AmbiguousMNIST's test part in the authors' code name one class"
    return Verdict("holds" if abs(found - ONE_CLASS) < HALF_A_POINT else "does not hold", told)


@claim_test("ambiguess-entropy-above-ambiguous-mnist", CHAPTER)
def entropy_above_ambiguous_mnist(rows: Reader) -> Verdict:
    """Higher, and not because the network doubts more than the labels ask for: the excess is no larger."""
    entropy, excess = (printed_as(rows, MNIST, AMBIGUOUS, metric) for metric in ("entropy", "excess entropy"))
    return every(
        [
            above(entropy, ENTROPY, "mean entropy of softmax, in bits"),
            below(excess, ENTROPY - LABEL_ENTROPY, "entropy of softmax beyond that of the labels, in bits"),
        ]
    )


@claim_test("ambiguess-top-2-near-all", CHAPTER)
def top_2_near_all(rows: Reader) -> Verdict:
    """Above 90 %, so that the paper's own 94 % on Fashion-MNIST counts as close to 100 %."""

    def part(data: str, title: str) -> Verdict:
        whole = above(printed_as(rows, data, AMBIGUOUS, "top-2"), 0.9, f"{title}: top-2 on ambiguous images")
        return _by_architecture(rows, data, "top-2", whole, lambda one: above(one, 0.9))

    return on_both(part)


def _trained(rows: Reader, data: str, method: str, metric: str, condition: str = AMBIGUOUS) -> "pd.Series[float]":
    return networks(rows, table="performance", data=data, method=method, condition=condition, metric=metric)


def _top_pair(rows: Reader, data: str, printed: float) -> Verdict:
    low, high = printed - 0.03, printed + 0.03
    whole = within(printed_as(rows, data, AMBIGUOUS, "top-pair"), low, high, f"{TITLES[data]}: top-pair accuracy")
    return _by_architecture(rows, data, "top-pair", whole, lambda one: within(one, low, high))


def _by_architecture(
    rows: Reader, data: str, metric: str, whole: Verdict, judge: Callable[[Estimate], Verdict]
) -> Verdict:
    """A verdict on the mean over architectures, open where they lie on both sides, with each in its evidence."""
    by = _trained(rows, data, "mixed", metric).groupby(level="network")
    each = {str(name): replace(between_models(runs.to_list()), most=1.0) for name, runs in by}
    verdict = divided(whole, [judge(one) for one in each.values()], "networks")
    told = ", ".join(f"{ARCHITECTURES[name].title} {one}" for name, one in each.items())
    return replace(verdict, evidence=f"{verdict.evidence}; by network: {told}")


def _fall(rows: Reader, data: str, metric: str) -> Estimate:
    """How much less a number of Table I is on ambiguous than on nominal images, paired by seed."""
    return difference(accuracy(rows, data, "nominal", metric), accuracy(rows, data, AMBIGUOUS, metric))
