"""Claims of sections 3.2 and 4.4: accuracy and mean softmax under the perturbations (tables "accuracy", "softmax")."""

from itertools import pairwise

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
    title,
)
from mistrust.publishing.estimates import Reader, between_models
from mistrust.publishing.verdicts import Verdict, below, claim_test, every, greater, within

RESILIENT = ("brightness", "contrast", "fog")
HARMFUL = ("pixelation", "shot_noise", "zoom_blur")
FIRST, MIDDLE, LAST = 1.0, 6.0, 10.0


@claim_test("mlm-accuracy-falls", CHAPTER)
def accuracy_falls(rows: Reader) -> Verdict:
    """From each level to the next, under each perturbation."""
    names = perturbations(rows)
    found = accuracies(rows, names)
    steps = [(name, a, b) for name in names for a, b in pairwise(LEVELS)]
    parts = [greater(found[n, a], found[n, b], f"{title(n)}, level {a:g} minus {b:g}") for n, a, b in steps]
    return of_all(rows, every(parts, "fall of accuracy from level to level"))


@claim_test("mlm-each-ends-lower", CHAPTER)
def each_ends_lower(rows: Reader) -> Verdict:
    """Accuracy at level 1 is above that at level 10, under each perturbation."""
    names = perturbations(rows)
    found = accuracies(rows, names)
    parts = [greater(found[name, FIRST], found[name, LAST], f"{title(name)}, level 1 minus 10") for name in names]
    return of_all(rows, every(parts, "accuracy"))


@claim_test("mlm-accuracy-falls-linearly", CHAPTER)
def accuracy_falls_linearly(rows: Reader) -> Verdict:
    """Linear: levels 6 to 10 take as much as levels 1 to 5, up to a quarter: (late - early) / (late + early) <= 1/9.

    Where accuracy does not fall at all in some network there is no such ratio, and nothing is decided.
    """
    names = perturbations(rows)
    found = accuracies(rows, names)
    parts: list[Verdict] = []
    for name in names:
        early, late = found[name, 1.0] - found[name, 5.0], found[name, 6.0] - found[name, 10.0]
        if (late + early <= 0).any():
            told = f"{title(name)}: accuracy does not fall in every network, so there is no such share"
            parts.append(Verdict("undecided", told, 1.0))
            continue
        parts.append(within(between_models(((late - early) / (late + early)).to_list()), -1 / 9, 1 / 9, title(name)))
    return of_all(rows, every(parts, "late minus early fall, as a share of both"))


@claim_test("mlm-mean-accuracy-ends", CHAPTER)
def mean_accuracy_ends(rows: Reader) -> Verdict:
    """Within 0.01 of 0.9761 at level 1 and within 0.05 of 0.4883 at level 10, where networks differ more."""
    where = {"table": "accuracy", "condition": "perturbed/all", "method": "network", "metric": "accuracy"}
    verdict = every(
        [
            within(rows.estimate(**where, level=FIRST), 0.9661, 0.9861, "mean accuracy at level 1"),
            within(rows.estimate(**where, level=LAST), 0.4383, 0.5383, "mean accuracy at level 10"),
        ]
    )
    return of_all(rows, verdict, either=True)


@claim_test("mlm-accuracy-extremes", CHAPTER)
def accuracy_extremes(rows: Reader) -> Verdict:
    """The highest of all accuracies lies within 0.01 of 0.9852, the lowest within 0.05 of 0.3632."""
    found = accuracies(rows, perturbations(rows))
    verdict = every(
        [
            within(between_models(found.max(axis=1).to_list(), scale="logit"), 0.9752, 0.9952, "highest accuracy"),
            within(between_models(found.min(axis=1).to_list(), scale="logit"), 0.3132, 0.4132, "lowest accuracy"),
        ]
    )
    return of_all(rows, verdict, either=True)


@claim_test("mlm-brightness-ends", CHAPTER)
def brightness_ends(rows: Reader) -> Verdict:
    """Within 0.01 of 0.99 at level 1 and within 0.05 of 0.50 at level 10, where networks differ more."""
    where = {"table": "accuracy", "condition": "perturbed/brightness", "metric": "accuracy"}
    return every(
        [
            within(rows.estimate(**where, level=FIRST), 0.98, 1.0, "accuracy at level 1"),
            within(rows.estimate(**where, level=LAST), 0.45, 0.55, "accuracy at level 10"),
        ]
    )


@claim_test("mlm-snow-impulse-rise", CHAPTER)
def snow_impulse_rise(rows: Reader) -> Verdict:
    """Accuracy at level 2 is above that at level 1, under each of the two."""
    names = ("snow", "impulse_noise")
    found = accuracies(rows, names)
    parts = [greater(found[name, 2.0], found[name, FIRST], f"{title(name)}, level 2 minus 1") for name in names]
    return every(parts, "accuracy")


@claim_test("mlm-gradual", CHAPTER)
def gradual(rows: Reader) -> Verdict:
    """From level 6 to 10, the higher intensities, each of the three takes less than each of the two."""
    slow, fast = ("brightness", "contrast", "defocus_blur"), ("pixelation", "zoom_blur")
    found = accuracies(rows, (*slow, *fast))
    fall = {name: found[name, MIDDLE] - found[name, LAST] for name in (*slow, *fast)}
    parts = [greater(fall[b], fall[a], f"{title(b)} minus {title(a)}") for a in slow for b in fast]
    return every(parts, "fall of accuracy from level 6 to 10")


@claim_test("mlm-most-resilient", CHAPTER)
def most_resilient(rows: Reader) -> Verdict:
    """At level 10 accuracy under each of the three is above that under each other perturbation."""
    last = _last(rows, RESILIENT)
    others = [str(name) for name in last if name not in RESILIENT]
    parts = [greater(last[a], last[b], f"{title(a)} minus {title(b)}") for a in RESILIENT for b in others]
    return of_all(rows, every(parts, "accuracy at level 10"))


@claim_test("mlm-three-below-sixty", CHAPTER)
def three_below_sixty(rows: Reader) -> Verdict:
    """At level 10 accuracy under each of the three is below 0.6."""
    where = {"table": "accuracy", "method": "network", "metric": "accuracy", "level": LAST}
    found = {name: rows.estimate(condition=f"perturbed/{name}", **where) for name in HARMFUL}
    return every([below(found[name], 0.6, title(name)) for name in HARMFUL], "accuracy at level 10")


@claim_test("mlm-three-harm-more", CHAPTER)
def three_harm_more(rows: Reader) -> Verdict:
    """At level 10 accuracy under each of the three is below the mean of the other nine."""
    last = _last(rows, HARMFUL)
    rest = last[[name for name in last if name not in HARMFUL]].mean(axis=1)
    parts = [greater(rest, last[name], f"mean of the others minus {title(name)}") for name in HARMFUL]
    return of_all(rows, every(parts, "accuracy at level 10"), either=True)


@claim_test("mlm-five-stays-five", CHAPTER)
def five_stays_five(rows: Reader) -> Verdict:
    """The mean softmax of fives is higher for five than for each other digit, at each of ten levels."""
    found = rows.wide("level", "at", table="softmax", condition="perturbed/all", method="5", metric="mean softmax")
    complete(found, [(level, d) for level in LEVELS for d in DIGITS], "mean softmax of fives at ten levels")
    pairs = [(level, d) for level in LEVELS for d in DIGITS if d != "5"]
    text = "level %g, value of 5 minus value of %s"
    parts = [greater(found[level, "5"], found[level, d], text % (level, d)) for level, d in pairs]
    return of_all(rows, every(parts, "mean softmax of fives"), either=True)


def _last(rows: Reader, needed: tuple[str, ...]) -> pd.DataFrame:
    """Accuracy at level 10: one line per network, one column per perturbation, those needed and all others run."""
    names = [name for name in TWELVE if name in needed or name in perturbations(rows)]
    found = accuracies(rows, names)
    return pd.DataFrame({name: found[name, LAST] for name in names})
