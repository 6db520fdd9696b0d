"""Claims of sections 3.2 and 4.4: accuracy and mean softmax under the perturbations (tables "accuracy", "softmax")."""

import pandas as pd

from mistrust.publishing.claim_tests.misclassification.reading import (
    CHAPTER,
    DIGITS,
    LEVELS,
    TWELVE,
    accuracies,
    complete,
    of_all,
    perturbations,
)
from mistrust.publishing.estimates import Reader, between_models
from mistrust.publishing.verdicts import Verdict, below, claim_test, every, falling, greater, within

RESILIENT = ("brightness", "contrast", "fog")
HARMFUL = ("pixelation", "shot_noise", "zoom_blur")
FIRST, MIDDLE, LAST = 1.0, 6.0, 10.0


@claim_test("mlm-accuracy-falls", CHAPTER)
def accuracy_falls(rows: Reader) -> Verdict:
    """From each level to the next, under each perturbation."""
    names = perturbations(rows)
    found = accuracies(rows, names)
    return of_all(rows, every([falling({level: found[name, level] for level in LEVELS}, name) for name in names]))


@claim_test("mlm-each-ends-lower", CHAPTER)
def each_ends_lower(rows: Reader) -> Verdict:
    """Accuracy at level 1 is above that at level 10, under each perturbation."""
    names = perturbations(rows)
    found = accuracies(rows, names)
    parts = [greater(found[name, FIRST], found[name, LAST], f"{name}, level 1 minus 10") for name in names]
    return of_all(rows, every(parts))


@claim_test("mlm-accuracy-falls-linearly", CHAPTER)
def accuracy_falls_linearly(rows: Reader) -> Verdict:
    """Linear: levels 6 to 10 take as much as levels 1 to 5, up to a quarter: (late - early) / (late + early) <= 1/9."""
    names = perturbations(rows)
    found = accuracies(rows, names)
    parts: list[Verdict] = []
    for name in names:
        early, late = found[name, 1.0] - found[name, 5.0], found[name, 6.0] - found[name, 10.0]
        parts.append(within(between_models(((late - early) / (late + early)).to_list()), -1 / 9, 1 / 9, name))
    return of_all(rows, every(parts, "(late - early fall) / both"))


@claim_test("mlm-mean-accuracy-ends", CHAPTER)
def mean_accuracy_ends(rows: Reader) -> Verdict:
    """Within 0.01 of 0.9761 at level 1 and within 0.05 of 0.4883 at level 10, where networks differ more."""
    where = {"table": "accuracy", "condition": "perturbed/all", "method": "network", "metric": "accuracy"}
    verdict = every(
        [
            within(rows.estimate(**where, level=FIRST), 0.9661, 0.9861, "mean of level 1"),
            within(rows.estimate(**where, level=LAST), 0.4383, 0.5383, "mean of level 10"),
        ]
    )
    return of_all(rows, verdict, either=True)


@claim_test("mlm-accuracy-extremes", CHAPTER)
def accuracy_extremes(rows: Reader) -> Verdict:
    """The highest of all accuracies lies within 0.01 of 0.9852, the lowest within 0.05 of 0.3632."""
    found = accuracies(rows, perturbations(rows))
    verdict = every(
        [
            within(between_models(found.max(axis=1).to_list()), 0.9752, 0.9952, "highest accuracy"),
            within(between_models(found.min(axis=1).to_list()), 0.3132, 0.4132, "lowest accuracy"),
        ]
    )
    return of_all(rows, verdict, either=True)


@claim_test("mlm-brightness-ends", CHAPTER)
def brightness_ends(rows: Reader) -> Verdict:
    """Within 0.01 of 0.99 at level 1 and within 0.05 of 0.50 at level 10, where networks differ more."""
    where = {"table": "accuracy", "condition": "perturbed/brightness", "metric": "accuracy"}
    return every(
        [
            within(rows.estimate(**where, level=FIRST), 0.98, 1.0, "level 1"),
            within(rows.estimate(**where, level=LAST), 0.45, 0.55, "level 10"),
        ]
    )


@claim_test("mlm-snow-impulse-rise", CHAPTER)
def snow_impulse_rise(rows: Reader) -> Verdict:
    """Accuracy at level 2 is above that at level 1, under each of the two."""
    names = ("snow", "impulse_noise")
    found = accuracies(rows, names)
    return every([greater(found[name, 2.0], found[name, FIRST], f"{name}, level 2 minus 1") for name in names])


@claim_test("mlm-gradual", CHAPTER)
def gradual(rows: Reader) -> Verdict:
    """From level 6 to 10, the higher intensities, each of the three takes less than each of the two."""
    slow, fast = ("brightness", "contrast", "defocus_blur"), ("pixelation", "zoom_blur")
    found = accuracies(rows, (*slow, *fast))
    fall = {name: found[name, MIDDLE] - found[name, LAST] for name in (*slow, *fast)}
    return every([greater(fall[b], fall[a], f"fall under {b} minus {a}") for a in slow for b in fast])


@claim_test("mlm-most-resilient", CHAPTER)
def most_resilient(rows: Reader) -> Verdict:
    """At level 10 accuracy under each of the three is above that under each other perturbation."""
    last = _last(rows, RESILIENT)
    others = [name for name in last if name not in RESILIENT]
    parts = [greater(last[a], last[b], f"{a} minus {b}") for a in RESILIENT for b in others]
    return of_all(rows, every(parts, "accuracy at level 10"))


@claim_test("mlm-three-below-sixty", CHAPTER)
def three_below_sixty(rows: Reader) -> Verdict:
    """At level 10 accuracy under each of the three is below 0.6."""
    found = accuracies(rows, HARMFUL)
    return every([below(between_models(found[name, LAST].to_list()), 0.6, name) for name in HARMFUL])


@claim_test("mlm-three-harm-more", CHAPTER)
def three_harm_more(rows: Reader) -> Verdict:
    """At level 10 accuracy under each of the three is below the mean of the other nine."""
    last = _last(rows, HARMFUL)
    rest = last[[name for name in last if name not in HARMFUL]].mean(axis=1)
    parts = [greater(rest, last[name], f"mean of the others minus {name}") for name in HARMFUL]
    return of_all(rows, every(parts, "accuracy at level 10"), either=True)


@claim_test("mlm-five-stays-five", CHAPTER)
def five_stays_five(rows: Reader) -> Verdict:
    """The mean softmax of fives is higher for five than for each other digit, at each of ten levels."""
    found = rows.wide("level", "at", table="softmax", condition="perturbed/all", method="5", metric="mean softmax")
    complete(found, [(level, d) for level in LEVELS for d in DIGITS], "mean softmax of fives at ten levels")
    pairs = [(level, d) for level in LEVELS for d in DIGITS if d != "5"]
    parts = [greater(found[level, "5"], found[level, d], f"level {level:g}, five minus {d}") for level, d in pairs]
    return of_all(rows, every(parts, "mean softmax of fives"), either=True)


def _last(rows: Reader, needed: tuple[str, ...]) -> pd.DataFrame:
    """Accuracy at level 10: a line a network, a column a perturbation, those that are needed and all others run."""
    names = [name for name in TWELVE if name in needed or name in perturbations(rows)]
    found = accuracies(rows, names)
    return pd.DataFrame({name: found[name, LAST] for name in names})
