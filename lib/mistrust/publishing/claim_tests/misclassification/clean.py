"""Claims of section 4.1: accuracy and confusions of clean images (tables "accuracy" and "misses").

Where digits are compared the paper counts images. A digit has 892 (five) to 1,135 (one) of the test images, so these
tests compare rates, misses over the digit's images. What is said of these very images is judged between networks.
That some digits are missed more often at all is judged by the images, too: all networks are tried with the same ones.
"""

import numpy as np
import pandas as pd
from scipy import stats

from mistrust.publishing.claim_tests.misclassification.reading import (
    CELLS,
    CHAPTER,
    CORNER,
    COUNTS,
    DIGITS,
    cells,
    sizes,
    taken,
)
from mistrust.publishing.estimates import LEVEL, NotRun, Reader, between_models, number, share
from mistrust.publishing.verdicts import Verdict, above, claim_test, counted, every, greater, within

# No smaller share is told, which nobody could read.
LITTLE = 0.001


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
    """Rates of the digits most and least missed by the *other* networks; and rates of all against misses at random.

    The other networks choose, so as not to pick chance. They are tried with the same images, so these are asked as
    well: had as many images as one network misses been drawn whatever their digit, would rates differ as much? That is
    cautious, for the mean over networks varies less than one of them.
    """
    missed, of = _missed(rows), sizes(rows)
    if len(missed) < 2:
        raise NotRun("misses of two networks or more")
    rates = missed / of
    gaps: list[float] = []
    for seed in rates.index:
        others = rates.drop(index=seed).mean()
        gaps.append(float(rates.loc[seed, others.idxmax()] - rates.loc[seed, others.idxmin()]))
    text = "rate of misses of the most minus the least missed digit, told by the other networks"
    networks = above(between_models(gaps, _grain(of)), 0.0, text)
    mean = rates.mean()
    ends = [(str(mean.idxmax()), "most often"), (str(mean.idxmin()), "least often")]
    images = _by_images(missed.mean(), of.mean(), "; ".join(_told(missed, of, *end) for end in ends))
    return every([networks, images])


@claim_test("mlm-zero-least", CHAPTER)
def zero_least(rows: Reader) -> Verdict:
    """Zero is missed less often than each other digit: misses over the digit's images, paired by network."""
    rates, grain = _rates(rows)
    others = [d for d in DIGITS if d != "0"]
    return every([greater(rates[d], rates["0"], f"rate of misses of {d} minus that of 0", grain) for d in others])


@claim_test("mlm-eight-most", CHAPTER)
def eight_most(rows: Reader) -> Verdict:
    """Eight is missed more often than each other digit: misses over the digit's images, paired by network."""
    rates, grain = _rates(rows)
    others = [d for d in DIGITS if d != "8"]
    return every([greater(rates["8"], rates[d], f"rate of misses of 8 minus that of {d}", grain) for d in others])


@claim_test("mlm-one-five-seldom", CHAPTER)
def one_five_seldom(rows: Reader) -> Verdict:
    """One and five are each missed less often than the mean digit: misses over the digit's images, paired by network.

    Ones are the most (1,135 test images) and fives the fewest (892).
    """
    rates, grain = _rates(rows)
    mean = rates[list(DIGITS)].mean(axis=1)
    text = "rate of misses of the mean digit minus that of %s"
    return every([greater(mean, rates[d], text % d, grain) for d in ("1", "5")])


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


def _rates(rows: Reader) -> tuple[pd.DataFrame, float]:
    """Misses of each digit over its images, one line per network; and the step in which such rates come."""
    missed, of = _missed(rows), sizes(rows)
    return missed / of, _grain(of)


def _grain(of: pd.DataFrame) -> float:
    """One image of the digit that has the fewest."""
    return COUNTS / float(of.to_numpy().min())


def _told(missed: pd.DataFrame, of: pd.DataFrame, digit: str, how: str) -> str:
    """A digit's misses in all networks, with the exact share that takes images of one network for alike."""
    hits = [np.arange(int(n)) < int(m) for m, n in zip(missed[digit], of[digit], strict=True)]
    seeds = np.repeat(missed.index.to_numpy(), of[digit].astype(int))
    found = share(np.concatenate(hits).tolist(), "images", seeds.tolist())
    return found.of(f"{how} missed is {digit},")


def _by_images(missed: "pd.Series[float]", of: "pd.Series[float]", told: str) -> Verdict:
    """Pearson's chi-squared of misses and hits by digit; rates that differ no more than chance gives refute nothing."""
    if not 0 < missed.sum() < of.sum():
        raise NotRun("a network that misses some images and not all")
    p = float(stats.chi2_contingency(np.stack([missed, of - missed])).pvalue)
    as_much = number(p) if p >= LITTLE else f"of less than {number(LITTLE)}"
    shown = f"rates differ as much or more in a share {as_much} of draws whatever the digit, expected below "
    return Verdict("holds" if p < LEVEL else "undecided", f"{shown}{number(LEVEL)}; {told}", p)


def _preferred(found: pd.DataFrame, true: str, answers: tuple[str, ...]) -> Verdict:
    """Each of these answers to a digit is more frequent than the mean of its other wrong answers."""
    rest = found[[f"{true}>{c}" for c in DIGITS if c != true and c not in answers]].mean(axis=1)
    text = f"{true} taken for %s minus the mean of the other answers"
    return every([greater(found[f"{true}>{c}"], rest, text % c, COUNTS) for c in answers])
