"""Claims of section 4.1: accuracy and confusions of clean images (tables "accuracy" and "misses").

Where digits are compared the paper speaks of counts of images, and so do these tests. A digit has 892 (five) to 1,135
(one) test images, so that the order of shares may differ from that of counts where two digits are close.
"""

import pandas as pd

from mistrust.publishing.claim_tests.misclassification.reading import (
    CELLS,
    CHAPTER,
    CORNER,
    COUNTS,
    DIGITS,
    cells,
    taken,
)
from mistrust.publishing.estimates import NotRun, Reader, between_models
from mistrust.publishing.verdicts import Verdict, above, claim_test, counted, every, greater, within


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
    """The classes most and least missed by the *other* networks, compared in each network, so as not to pick chance.

    Counts of images, as the paper's; digits have 892 to 1,135.
    """
    missed = _missed(rows)
    if len(missed) < 2:
        raise NotRun("misses of two networks or more")
    gaps: list[float] = []
    for seed in missed.index:
        others = missed.drop(index=seed).mean()
        gaps.append(float(missed.loc[seed, others.idxmax()] - missed.loc[seed, others.idxmin()]))
    return above(
        between_models(gaps, COUNTS), 0.0, "misses of the most minus the least missed digit, told by the other networks"
    )


@claim_test("mlm-zero-least", CHAPTER)
def zero_least(rows: Reader) -> Verdict:
    """Zero is missed less often than each other digit, in counts as the paper's (digits have 892 to 1,135 images)."""
    missed = _missed(rows)
    others = [d for d in DIGITS if d != "0"]
    return every([greater(missed[d], missed["0"], f"misses of {d} minus misses of 0", COUNTS) for d in others])


@claim_test("mlm-eight-most", CHAPTER)
def eight_most(rows: Reader) -> Verdict:
    """Eight is missed more often than each other digit, in counts as the paper's (digits have 892 to 1,135 images)."""
    missed = _missed(rows)
    others = [d for d in DIGITS if d != "8"]
    return every([greater(missed["8"], missed[d], f"misses of 8 minus misses of {d}", COUNTS) for d in others])


@claim_test("mlm-one-five-seldom", CHAPTER)
def one_five_seldom(rows: Reader) -> Verdict:
    """One and five are each missed less often than the mean digit, in counts as the paper's.

    Ones are the most (1,135 test images) and fives the fewest (892).
    """
    missed = _missed(rows)
    mean = missed[list(DIGITS)].mean(axis=1)
    text = "misses of the mean digit minus misses of %s"
    return every([greater(mean, missed[d], text % d, COUNTS) for d in ("1", "5")])


@claim_test("mlm-eight-as-zero-six-nine", CHAPTER)
def eight_as_zero_six_nine(rows: Reader) -> Verdict:
    """Each is more frequent than the mean of the other answers to an eight."""
    return _preferred(cells(rows), "8", ("0", "6", "9"))


@claim_test("mlm-three-as-five-seven", CHAPTER)
def three_as_five_seven(rows: Reader) -> Verdict:
    """Each is more frequent than the mean of the other answers to a three."""
    return _preferred(cells(rows), "3", ("5", "7"))


@claim_test("mlm-nine-as-seven-top", CHAPTER)
def nine_as_seven_top(rows: Reader) -> Verdict:
    """The cell 9>7 exceeds each other cell of the clean test."""
    found = cells(rows)
    others = [at for at in CELLS if at != "9>7"]
    return every([greater(found["9>7"], found[at], f"9 taken for 7 minus {taken(at)}", COUNTS) for at in others])


@claim_test("mlm-corner-zeros", CHAPTER)
def corner_zeros(rows: Reader) -> Verdict:
    """By counting: refuted where every network takes at least one such image for eight or nine."""
    corner = cells(rows)[list(CORNER)].sum(axis=1)
    least, most = (f"{count:.0f}" for count in (corner[corner > 0].min(), corner.max()))
    some = f"{least} to {most}" if least != most else least
    one_or_more = f"at least one is taken for 8 or 9 ({some} a network)"
    return counted(corner == 0, "networks", "none is taken for 8 or 9", one_or_more)


def _missed(rows: Reader) -> pd.DataFrame:
    """Clean misses of each digit: one line per network, one column per digit."""
    found = cells(rows)
    return pd.DataFrame({y: found[[f"{y}>{c}" for c in DIGITS if c != y]].sum(axis=1) for y in DIGITS})


def _preferred(found: pd.DataFrame, true: str, answers: tuple[str, ...]) -> Verdict:
    """Each of these answers to a digit is more frequent than the mean of its other wrong answers."""
    rest = found[[f"{true}>{c}" for c in DIGITS if c != true and c not in answers]].mean(axis=1)
    text = f"{true} taken for %s minus the mean of the other answers"
    return every([greater(found[f"{true}>{c}"], rest, text % c, COUNTS) for c in answers])
