"""Tests of the claims of Sikar et al., "The Misclassification Likelihood Matrix", by the rows of its chapter.

Tables read: "accuracy" (clean, at train or test; perturbed/<name> by level), "misses" (clean counts, at "6>0": a six
taken for a zero), "matrix" and "agreement" (perturbed/all). The unit of chance is the network: differences are paired
by its seed.
"""

from dataclasses import replace

import pandas as pd

from mistrust.publishing.estimates import NotRun, Reader, between_models
from mistrust.publishing.verdicts import Verdict, above, below, claim_test, every, falling, greater, within

CHAPTER = "misclassification"
DIGITS = tuple("0123456789")
PERTURBATIONS = 12  # as many as the paper has
LEVELS = 10
COUNTS = 1.0  # the grain of counted images


@claim_test("mlm-accuracy-train", CHAPTER)
def accuracy_train(rows: Reader) -> Verdict:
    """Half a percentage point to either side of the printed accuracy: networks of one recipe differ by as much."""
    found = rows.estimate(table="accuracy", condition="clean", at="train", metric="accuracy")
    return within(found, 0.9788, 0.9888, "accuracy on training images")


@claim_test("mlm-accuracy-test", CHAPTER)
def accuracy_test(rows: Reader) -> Verdict:
    """As for the training images."""
    found = rows.estimate(table="accuracy", condition="clean", at="test", metric="accuracy")
    return within(found, 0.9796, 0.9896, "accuracy on test images")


@claim_test("mlm-test-above-train", CHAPTER)
def test_above_train(rows: Reader) -> Verdict:
    """Paired by network."""
    where = {"table": "accuracy", "condition": "clean", "metric": "accuracy"}
    test, train = rows.by_seed(**where, at="test"), rows.by_seed(**where, at="train")
    return greater(test, train, "accuracy on test minus training images")


@claim_test("mlm-classes-differ", CHAPTER)
def classes_differ(rows: Reader) -> Verdict:
    """The classes most and least missed by the *other* networks, compared in each network, so as not to pick chance."""
    missed = _missed(rows)
    if len(missed) < 2:
        raise NotRun("misses of two networks or more")
    gaps: list[float] = []
    for seed in missed.index:
        others = missed.drop(index=seed).mean()
        gaps.append(float(missed.loc[seed, others.idxmax()] - missed.loc[seed, others.idxmin()]))
    return above(between_models(gaps, COUNTS), 0.0, "misses of the most minus the least missed class")


@claim_test("mlm-zero-least", CHAPTER)
def zero_least(rows: Reader) -> Verdict:
    """Zero is missed less often than each other digit."""
    missed = _missed(rows)
    return every([greater(missed[d], missed["0"], f"misses of {d} minus 0", COUNTS) for d in DIGITS if d != "0"])


@claim_test("mlm-eight-most", CHAPTER)
def eight_most(rows: Reader) -> Verdict:
    """Eight is missed more often than each other digit."""
    missed = _missed(rows)
    return every([greater(missed["8"], missed[d], f"misses of 8 minus {d}", COUNTS) for d in DIGITS if d != "8"])


@claim_test("mlm-one-five-seldom", CHAPTER)
def one_five_seldom(rows: Reader) -> Verdict:
    """One and five are each missed less often than the mean digit."""
    missed = _missed(rows)
    mean = missed[list(DIGITS)].mean(axis=1)
    return every([greater(mean, missed[d], f"mean misses minus those of {d}", COUNTS) for d in ("1", "5")])


@claim_test("mlm-eight-as-zero-six-nine", CHAPTER)
def eight_as_zero_six_nine(rows: Reader) -> Verdict:
    """Each is more frequent than the mean of the other answers to an eight."""
    return _preferred(_cells(rows), "8", ("0", "6", "9"))


@claim_test("mlm-three-as-five-seven", CHAPTER)
def three_as_five_seven(rows: Reader) -> Verdict:
    """Each is more frequent than the mean of the other answers to a three."""
    return _preferred(_cells(rows), "3", ("5", "7"))


@claim_test("mlm-nine-as-seven-top", CHAPTER)
def nine_as_seven_top(rows: Reader) -> Verdict:
    """The cell 9>7 exceeds each other cell of the clean test."""
    cells = _cells(rows)
    return every([greater(cells["9>7"], cells[at], f"9>7 minus {at}", COUNTS) for at in cells.columns if at != "9>7"])


@claim_test("mlm-corner-zeros", CHAPTER)
def corner_zeros(rows: Reader) -> Verdict:
    """The six cells together hold less than one image a network."""
    corner = _cells(rows)[_corner()].sum(axis=1)
    return below(between_models(corner.to_list(), COUNTS), 1.0, "images in the six cells")


@claim_test("mlm-accuracy-falls", CHAPTER)
def accuracy_falls(rows: Reader) -> Verdict:
    """From each level to the next, under each perturbation."""
    names = _perturbations(rows)
    return _of_all(rows, every([falling(_levels(rows, name), name) for name in names]))


@claim_test("mlm-accuracy-falls-linearly", CHAPTER)
def accuracy_falls_linearly(rows: Reader) -> Verdict:
    """Linear: levels 6 to 10 take as much as levels 1 to 5, up to a quarter: (late - early) / (late + early) <= 1/9."""
    parts: list[Verdict] = []
    for name in _perturbations(rows):
        levels = _levels(rows, name)
        early, late = levels[1] - levels[5], levels[6] - levels[10]
        parts.append(within(between_models(((late - early) / (late + early)).to_list()), -1 / 9, 1 / 9, name))
    return _of_all(rows, every(parts, "(late - early fall) / both"))


@claim_test("mlm-brightness-ends", CHAPTER)
def brightness_ends(rows: Reader) -> Verdict:
    """Within 0.01 of 0.99 at level 1 and within 0.05 of 0.50 at level 10, where networks differ more."""
    where = {"table": "accuracy", "condition": "perturbed/brightness", "metric": "accuracy"}
    return every(
        [
            within(rows.estimate(**where, level=1), 0.98, 1.0, "level 1"),
            within(rows.estimate(**where, level=10), 0.45, 0.55, "level 10"),
        ]
    )


@claim_test("mlm-orders-confusions", CHAPTER)
def orders_confusions(rows: Reader) -> Verdict:
    """Spearman's correlation over all cells with the confusions of other base images is above 0."""
    found = rows.estimate(table="agreement", condition="perturbed/all", method="minimum", metric="spearman")
    return _noted(rows, above(found, 0.0, "Spearman's correlation"))


@claim_test("mlm-finds-top-confusion", CHAPTER)
def finds_top_confusion(rows: Reader) -> Verdict:
    """In more than half of the classes the matrix's largest cell is the most frequent confusion."""
    found = rows.estimate(table="agreement", condition="perturbed/all", method="minimum", metric="top-1 share")
    return _noted(rows, above(found, 0.5, "share of the classes"))


@claim_test("mlm-seven-as-two", CHAPTER)
def seven_as_two(rows: Reader) -> Verdict:
    """The cell 7>2 is the largest of its row, among clean misses and in the matrix."""
    parts: list[Verdict] = []
    for where, cells, grain in (("clean", _cells(rows), COUNTS), ("matrix", _matrix(rows), 0.0)):
        others = [f"7>{d}" for d in DIGITS if d not in "27"]
        parts += [greater(cells["7>2"], cells[at], f"{where} 7>2 minus {at}", grain) for at in others]
    clean = every(parts[:8])
    return clean if clean.verdict == "does not hold" else _of_all(rows, every(parts), either=True)


@claim_test("mlm-nine-as-seven-low", CHAPTER)
def nine_as_seven_low(rows: Reader) -> Verdict:
    """The matrix gives 9>7 less than an equal share of its row, 1/9."""
    found = between_models(_matrix(rows)["9>7"].to_list())
    return _of_all(rows, below(found, 1 / 9, "likelihood of 9>7"), either=True)


@claim_test("mlm-corner-low", CHAPTER)
def corner_low(rows: Reader) -> Verdict:
    """The matrix gives each of the six cells more than nothing and less than an equal share of its row, 1/9."""
    matrix = _matrix(rows)
    parts: list[Verdict] = []
    for at in _corner():
        least = float(matrix[at].min())  # no estimate: above nothing in every network, or not
        parts.append(Verdict("holds" if least > 0 else "does not hold", f"smallest {at} {least:.2g}"))
        parts.append(below(between_models(matrix[at].to_list()), 1 / 9, at))
    return _of_all(rows, every(parts), either=True)


def _cells(rows: Reader) -> pd.DataFrame:
    """Clean misses: a row a network (its seed), a column a cell."""
    return _by_cell(rows.find(table="misses", condition="clean", metric="count"), "misses of clean test images")


def _matrix(rows: Reader) -> pd.DataFrame:
    """The paper's matrix: a row a network, a column a cell."""
    found = rows.find(table="matrix", condition="perturbed/all", method="minimum", metric="likelihood")
    return _by_cell(found, "the matrix of perturbed images")


def _by_cell(found: pd.DataFrame, what: str) -> pd.DataFrame:
    single = found[found["seed"].notna()]
    cells = single.pivot(index="seed", columns="at", values="value")
    lacking = {f"{y}>{c}" for y in DIGITS for c in DIGITS if y != c} - set(cells.columns)
    if lacking or cells.isna().to_numpy().any():
        raise NotRun(f"{what}, all cells between ten digits")
    return cells


def _missed(rows: Reader) -> pd.DataFrame:
    """Clean misses of each digit: a row a network, a column a digit."""
    cells = _cells(rows)
    return pd.DataFrame({y: cells[[f"{y}>{c}" for c in DIGITS if c != y]].sum(axis=1) for y in DIGITS})


def _preferred(cells: pd.DataFrame, true: str, answers: tuple[str, ...]) -> Verdict:
    """Each of these answers to a digit is more frequent than the mean of its other wrong answers."""
    rest = cells[[f"{true}>{c}" for c in DIGITS if c != true and c not in answers]].mean(axis=1)
    text = f"{true}>%s minus the mean of the others"
    return every([greater(cells[f"{true}>{c}"], rest, text % c, COUNTS) for c in answers])


def _corner() -> list[str]:
    """The cells of zeros, ones and twos taken for eights and nines."""
    return [f"{y}>{c}" for y in "012" for c in "89"]


def _perturbations(rows: Reader) -> list[str]:
    """The perturbations that were run, by name."""
    conditions = set(rows.frame.loc[rows.frame["table"] == "accuracy", "condition"])
    names = sorted(name.removeprefix("perturbed/") for name in conditions if name.startswith("perturbed/"))
    if not names:
        raise NotRun("accuracy under a perturbation")
    return names


def _levels(rows: Reader, name: str) -> "dict[float, pd.Series[float]]":
    """Accuracy by level and network under one perturbation, all ten levels."""
    found = rows.find(table="accuracy", condition=f"perturbed/{name}", metric="accuracy")
    levels = sorted(found["level"].dropna().unique())
    if len(levels) != LEVELS:
        raise NotRun(f"accuracy at {LEVELS} levels of {name}")
    where = {"table": "accuracy", "condition": f"perturbed/{name}", "metric": "accuracy"}
    return {float(level): rows.by_seed(**where, level=level) for level in levels}


def _of_all(rows: Reader, verdict: Verdict, *, either: bool = False) -> Verdict:
    """Some perturbations can refute what is said of all twelve, never confirm it.

    `either`: they cannot refute it either, as what is said is of all twelve together.
    """
    noted = _noted(rows, verdict)
    few = len(_perturbations(rows)) < PERTURBATIONS
    open_to_doubt = ("holds", "does not hold") if either else ("holds",)
    return replace(noted, verdict="undecided") if few and verdict.verdict in open_to_doubt else noted


def _noted(rows: Reader, verdict: Verdict) -> Verdict:
    """Say how many of the paper's perturbations the rows hold."""
    count = len(_perturbations(rows))
    note = f"{count} of the paper's {PERTURBATIONS} perturbations run"
    return verdict if count >= PERTURBATIONS else replace(verdict, evidence=f"{note}: {verdict.evidence}")
