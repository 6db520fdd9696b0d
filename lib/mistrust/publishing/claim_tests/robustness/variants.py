"""Claims of section 4 on fewer samples and fewer classes (Tables 2 and 3, Figures 8 to 10).

Each network that was trained both ways, with the same recipe: the paper shows four. Each is judged by its training
seeds, and what is said has to be true of all of them. A network that knows some of the classes is set against one that
knows all on the images of those classes: others are not as easy to name, to break or to move.
"""

from collections.abc import Mapping

import pandas as pd

from mistrust.publishing.claim_tests.robustness.reading import (
    ACCURACY,
    ALL,
    CHAPTER,
    DISTANCE,
    FRACTION,
    HALF,
    SIGMA,
    TITLES,
    VARIANTS,
    called,
    single,
)
from mistrust.publishing.estimates import NotRun, Reader
from mistrust.publishing.verdicts import Verdict, claim_test, every, greater


@claim_test("urem-half-accuracy", CHAPTER)
def half_accuracy(rows: Reader) -> Verdict:
    """Accuracy with half of the images of each class below that with all, each network that was trained both ways."""
    return _each(rows, ACCURACY, HALF)


@claim_test("urem-fraction-accuracy", CHAPTER)
def fraction_accuracy(rows: Reader) -> Verdict:
    """Accuracy with a fraction of the classes above that with all, on images of these, by network."""
    return _each(rows, ACCURACY, FRACTION, more=True)


@claim_test("urem-half-random", CHAPTER)
def half_random(rows: Reader) -> Verdict:
    """Breaking sigma with half of the images below that with all, each network that was trained both ways."""
    return _each(rows, SIGMA, HALF)


@claim_test("urem-fraction-random", CHAPTER)
def fraction_random(rows: Reader) -> Verdict:
    """Breaking sigma with a fraction of the classes below that with all, on images of these, by network."""
    return _each(rows, SIGMA, FRACTION)


@claim_test("urem-half-targeted", CHAPTER)
def half_targeted(rows: Reader) -> Verdict:
    """Targeted distance with half of the images below that with all, each network that was trained both ways."""
    return _each(rows, DISTANCE, HALF)


@claim_test("urem-fraction-targeted", CHAPTER)
def fraction_targeted(rows: Reader) -> Verdict:
    """Targeted distance with a fraction of the classes below that with all, between these classes, by network."""
    return _each(rows, DISTANCE, FRACTION)


def _each(rows: Reader, where: Mapping[str, object], variant: str, *, more: bool = False) -> Verdict:
    """Every network that was trained on all and on the variant: less of it there, or more."""
    title = TITLES[str(where["table"])]
    what = f"{title}, trained on all and on {VARIANTS[variant]}, by seed"
    whole = {**where, "table": "known"} if variant == FRACTION else where
    sides = (single(rows, what, condition=ALL, **whole), single(rows, what, condition=variant, **where))
    found = pd.concat(sides)
    parts = []
    for name, one in found.groupby("network"):
        wide = one.pivot(index="seed", columns="condition", values="value")
        if set(wide.columns) == {ALL, variant}:
            both = wide.dropna()
            upper, lower = (variant, ALL) if more else (ALL, variant)
            names = {ALL: "all", variant: VARIANTS[variant]}
            seen = ", on images of these classes" if variant == FRACTION else ""
            text = f"{called(str(name))}, {title}{seen}, trained on {names[upper]} minus {names[lower]}"
            parts.append(greater(both[upper], both[lower], text))
    if not parts:
        raise NotRun(what)
    return every(parts)
