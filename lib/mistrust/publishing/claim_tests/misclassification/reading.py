"""What the claims of the MLM chapter share: cells, accuracies, and how far some perturbations speak for twelve."""

from collections.abc import Hashable, Sequence
from dataclasses import replace

import pandas as pd

from mistrust.publishing.estimates import NotRun, Reader
from mistrust.publishing.verdicts import Verdict

CHAPTER = "misclassification"
DIGITS = tuple("0123456789")
CELLS = tuple(f"{y}>{c}" for y in DIGITS for c in DIGITS if y != c)
CORNER = tuple(f"{y}>{c}" for y in "012" for c in "89")  # zeros, ones and twos taken for eights and nines
TWELVE = (
    "brightness", "contrast", "defocus_blur", "fog", "frost", "gaussian_noise", "impulse_noise", "motion_blur",
    "pixelation", "shot_noise", "snow", "zoom_blur",
)  # fmt: skip
LEVELS = tuple(float(level) for level in range(1, 11))
COUNTS = 1.0  # the grain of counted things
# The paper's matrix (Figure 2): its mean over the levels of all perturbations.
LIKELIHOOD = {"table": "matrix", "condition": "perturbed/all", "method": "minimum", "metric": "likelihood"}


def title(name: str) -> str:
    """A perturbation's title: "Defocus blur" (the table of perturbations has the same, but loads torch)."""
    return name.replace("_", " ").capitalize()


def taken(cell: str) -> str:
    """A cell in words: "9 taken for 7" of "9>7"."""
    return cell.replace(">", " taken for ")


def cells(rows: Reader) -> pd.DataFrame:
    """Clean misses (the paper's Figure 1): one line per network (its seed), one column per cell."""
    found = rows.wide("at", table="misses", condition="clean", method="network", metric="count")
    return complete(found, CELLS, "misses of clean test images, all cells between ten digits")


def sizes(rows: Reader) -> pd.DataFrame:
    """How many clean test images each digit has: one line per network (its seed), one column per digit."""
    found = rows.find(table="misses", condition="clean", method="network", metric="count")
    single = found[found["seed"].notna()]
    by = single.assign(digit=single["at"].str[0]).groupby(["seed", "digit"])["n"].first().unstack()
    return complete(by, DIGITS, "how many clean test images each of ten digits has")[list(DIGITS)]


def matrix(rows: Reader) -> pd.DataFrame:
    """The mean over ten levels of the paper's matrix (Figure 2): one line per network, one column per cell."""
    found = rows.wide("at", **LIKELIHOOD)
    return complete(found, CELLS, "the matrix of perturbed images, all cells between ten digits")


def accuracies(rows: Reader, names: Sequence[str]) -> pd.DataFrame:
    """Accuracy under these perturbations: one line per network, columns (perturbation, level), all ten levels."""
    conditions = [f"perturbed/{name}" for name in names]
    where = {"table": "accuracy", "condition": conditions, "method": "network", "metric": "accuracy"}
    found = rows.wide("condition", "level", **where)
    found = found.rename(columns=lambda name: name.removeprefix("perturbed/"), level="condition")
    for name in names:
        complete(found, [(name, level) for level in LEVELS], f"accuracy at all {len(LEVELS)} levels of {name}")
    return found


def complete(found: pd.DataFrame, columns: Sequence[Hashable], what: str) -> pd.DataFrame:
    """The same where each network has a number in each of these columns; else not run."""
    if not set(columns) <= set(found.columns) or found[list(columns)].isna().to_numpy().any():
        raise NotRun(what)
    return found


def perturbations(rows: Reader) -> list[str]:
    """Those of the paper's twelve that were run, by name."""
    conditions = set(rows.frame.loc[rows.frame["table"] == "accuracy", "condition"])
    names = [name for name in TWELVE if f"perturbed/{name}" in conditions]
    if not names:
        raise NotRun("accuracy under a perturbation")
    return names


def of_all(rows: Reader, verdict: Verdict, *, either: bool = False) -> Verdict:
    """Some perturbations can refute what is said of all twelve, never confirm it.

    `either`: they cannot refute it either, as what is said is of all twelve together.
    """
    told = noted(rows, verdict)
    few = len(perturbations(rows)) < len(TWELVE)
    open_to_doubt = ("holds", "does not hold") if either else ("holds",)
    return replace(told, verdict="undecided") if few and verdict.verdict in open_to_doubt else told


def noted(rows: Reader, verdict: Verdict) -> Verdict:
    """Say how many of the paper's perturbations the rows hold."""
    count = len(perturbations(rows))
    note = f"{count} of the paper's {len(TWELVE)} perturbations run"
    return verdict if count == len(TWELVE) else replace(verdict, evidence=f"{note}: {verdict.evidence}")
