"""What the chapter's figures share: supervisors in their order, kinds of input in theirs, and words for both."""

from collections.abc import Iterable

import pandas as pd

from mistrust.figures.image_sets import TITLES as IMAGE_SETS
from mistrust.figures.parts import one_of, some
from mistrust.networks import ARCHITECTURES
from mistrust.over_models import EVERY
from mistrust.rows import select
from mistrust.supervisors import FAMILIES, SUPERVISORS

KINDS = ("nominal", "ambiguous", "adversarial", "corrupted", "invalid")
BAD = KINDS[1:]
DATA = ("mnist", "mnist5k", "fmnist", "digits")
NETWORKS = ("ambiguess-conv", "ambiguess-fc", "ambiguess-fc-relu")  # which the book compares; others come after
_TITLES = {"dsa": "DSA", "lsa": "LSA", "mdsa": "MDSA"}  # everyone writes the letters
_SHORT = {"prediction_confidence_score": "PCS", "relative_mahalanobis": "Rel. Mahalanobis"}
# What the letters of short names stand for; figures that use them say so.
LETTERS = (
    "PCS: Prediction Confidence Score; VR: variation ratio, MS: mean softmax, PE: predictive entropy and MI: mutual "
    "information of many passes or networks."
)
_WORDS = IMAGE_SETS | {
    "nominal and corrupted": "Nominal and corrupted",
    "every kind": "every kind",
    "all": "mean over architectures",
    "ambiguess-conv": "convolutional",
    "ambiguess-fc": "fully connected, linear (as coded)",
    "ambiguess-fc-relu": "fully connected, ReLU",
    "resnet50-v1": "ResNet-50",
    "densenet-se": "DenseNet",
    "nominal only": "fitted on nominal images only",
    "ridge": "ridge covariance",
    "ledoit-wolf": "Ledoit and Wolf's covariance",
    "excess": "cross-entropy above the image's own",
    "mse": "mean squared error",
    "fgsm": "FGSM",
    "pgd": "PGD",
    "bim": "BIM",
    "deepfool": "DeepFool",
    "auroc": "AUROC",
    "auroc-correct": "AUROC, correctly classified nominal images only",
    "mean auroc": "mean AUROC",
    "least auroc": "least AUROC",
    "fpr": "false alarms where 95% are found",
    "risk 80%": "risk at 80% coverage",
    "risk 95%": "risk at 95% coverage",
    "area": "area under risk and coverage",
    "excess area": "area above an oracle's",
    "share fooled": "fooled",
    "share failure": "not fooled",
    "share natural error": "wrong without an attack",
    "share tied": "inputs that tie at one value",
    "share earlier": "fooled by an earlier epsilon",
    "mean entropy": "mean entropy of the same samples instead",
    "quantile 0.95": "clipped at the 0.95 quantile",
    "quantile 0.99": "clipped at the 0.99 quantile",
    "quantile 1": "clipped at the largest value",
}


def words(name: str) -> str:
    """Give what a reader calls a supervisor, a variant, two as one, a condition, a data set or a metric of the rows.

    Names that need no other words ("accuracy") come back as they are.

    Examples
    --------
    >>> [words(name) for name in ("dsa", "lsa/nominal only", "corrupted/shot_noise", "fmnist", "accuracy")]
    ['DSA', 'LSA, fitted on nominal images only', 'Shot noise', 'Fashion-MNIST', 'accuracy']
    """
    if name in SUPERVISORS:
        return _TITLES.get(name, SUPERVISORS[name].card.title)
    if name in KINDS:
        return name.capitalize()
    if name in _WORDS:
        return _WORDS[name]
    for sign in (" + ", " minus "):
        if sign in name:
            return sign.join(words(one) for one in name.split(sign))
    if name in ARCHITECTURES:
        return ARCHITECTURES[name].title
    first, slash, last = name.partition("/")
    if slash and first in SUPERVISORS:
        return f"{words(first)}, {words(last)}"
    if slash and first in KINDS:
        return words(first) if first != "corrupted" or last == "corruptions" else last.replace("_", " ").capitalize()
    return name


def short(name: str) -> str:
    """Give a supervisor's name as the paper's table writes it, or that of two: "MC-Dropout (MI)", "DSA + Energy".

    Examples
    --------
    >>> [short(name) for name in ("dsa", "mc_mutual_information", "dsa + prediction_confidence_score")]
    ['DSA', 'MC-Dropout (MI)', 'DSA + PCS']
    """
    if " + " in name:
        return " + ".join(short(one) for one in name.split(" + "))
    title = _SHORT.get(name) or words(name)
    whole, colon, how = title.partition(": ")
    return f"{whole} ({''.join(word[0] for word in how.split()).upper()})" if colon else title


def cell(name: str) -> str:
    """Give a short name for a narrow column: it breaks between two supervisors only."""
    kept = [one.replace(" ", "\u00a0").replace("-", "\u2011") for one in short(name).split(" + ")]
    return " +\u00a0".join(kept)


def kind(condition: str) -> str:
    """Give what stands before the slash of a condition."""
    return condition.partition("/")[0]


def family(name: str) -> str:
    """Give the family of a supervisor, or of a variant of it."""
    return SUPERVISORS[name.partition("/")[0]].card.family


def reach(rows: pd.DataFrame) -> str:
    """Say how far the intervals of rows reach from their values at the most; "not run" where none has one.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [{"value": 0.9, "low": 0.8497, "high": 0.9378}, {"seed": 1, "value": 0.8}]
    >>> reach(rows.table(found, table="severity", metric="auroc"))
    '0.05'
    """
    ends = _reaches(rows)
    return "not run" if ends.isna().all() else f"{ends.max():.2g}"


def plus_minus(rows: pd.DataFrame, names: Iterable[str], what: str) -> tuple[dict[str, list[float]], str]:
    """Give a table's column that says how sure each number of these methods is, and what explains it.

    Parameters
    ----------
    rows : one row a method.
    what : what the table calls the numbers.

    Returns
    -------
    No column, and "", where no row has an interval.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [{"method": "dsa", "value": 0.9, "low": 0.875, "high": 0.95}, {"method": "lsa", "value": 0.8}]
    >>> column, says = plus_minus(rows.table(found, table="trust", metric="auroc"), ["lsa", "dsa"], "the AUROC")
    >>> [round(value, 3) for value in column["±"]], says
    ([nan, 0.05], '±: how far the 95% interval reaches from the AUROC.')
    """
    ends = _reaches(rows.set_index("method"))[list(names)]
    return (
        ({}, "") if ends.isna().all() else ({"±": ends.tolist()}, f"±: how far the 95% interval reaches from {what}.")
    )


def _reaches(rows: pd.DataFrame) -> "pd.Series[float]":
    return rows[["low", "high"]].sub(rows["value"], axis=0).abs().max(axis=1)


def of_network(rows: pd.DataFrame) -> str:
    """Say which image set rows are of, and which network where it is one alone; "" where they are of several.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = rows.table([{"value": 0.1}], table="spread", metric="share", data="mnist", network="ambiguess-conv")
    >>> of_network(found), of_network(found.assign(network=""))
    ('MNIST; one network, convolutional', '')
    """
    sets, networks = (list(dict.fromkeys(rows[name])) for name in ("data", "network"))
    if len(sets) != 1 or len(networks) != 1 or networks[0] in ("", EVERY):
        return ""
    return f"{words(sets[0])}; one network, {words(networks[0])}"


def in_order(names: Iterable[str]) -> list[str]:
    """Put supervisors in the order of their families, and within one in that of the table."""
    families, table = list(FAMILIES), list(SUPERVISORS)
    return sorted(
        set(names), key=lambda name: (families.index(family(name)), table.index(name.partition("/")[0]), name)
    )


def conditions_in(found: pd.DataFrame) -> list[str]:
    """Give the conditions of these rows, kind by kind."""
    there = {name for name in found["condition"] if kind(name) in KINDS}
    return sorted(there, key=lambda name: (KINDS.index(kind(name)), name))


def one_set(data: Iterable[str]) -> list[str]:
    """Give the image sets whose rows figures of a single set may show: digits, and what a run has but clothes.

    Clothes stand beside digits in the tables of both; of a run that has nothing else figures show them, and them alone.

    Examples
    --------
    >>> one_set(["mnist", "fmnist"]), one_set(["photos"])
    (['mnist', 'mnist5k', 'digits'], ['mnist', 'mnist5k', 'digits', 'photos'])
    >>> one_set(["fmnist"])
    ['fmnist']
    """
    clothes, asked = "fmnist", list(data)
    if asked == [clothes]:
        return asked
    return list(dict.fromkeys(name for name in (*DATA, *asked) if name != clothes))


def networks_in(found: pd.DataFrame) -> list[str]:
    """Give the single networks of these rows: those that the book compares in its order, others by name.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [{"network": name} for name in ("all", "resnet20", "ambiguess-fc", "ambiguess-conv")]
    >>> networks_in(rows.table(found, table="trust", metric="auroc", value=0.9))
    ['ambiguess-conv', 'ambiguess-fc', 'resnet20']
    """
    there = set(found["network"]) - {"", EVERY}
    return sorted(there, key=lambda name: (NETWORKS.index(name) if name in NETWORKS else len(NETWORKS), name))


def data_in(found: pd.DataFrame) -> list[str]:
    """Give the image sets of these rows, MNIST first."""
    return sorted(set(found["data"]), key=lambda name: (DATA.index(name) if name in DATA else len(DATA), name))


def of(rows: pd.DataFrame, table: str, what: str, *, data: str | None, network: str | None = None) -> pd.DataFrame:
    """Give the rows of one table and image set; of the first set for None.

    Parameters
    ----------
    what : what is missing, for the message.
    network : which architecture; "all" is the mean over them, or the only one that there is; None takes every one.

    Raises
    ------
    NoRows
        There are no such rows; the message names those that there are.
    """
    held = select(rows, table=table)
    some(held, what)
    held = held[held["data"] == one_of(data, data_in(held), what)]
    if network is None:
        return held
    there = list(dict.fromkeys(held["network"]))
    return held[held["network"] == one_of(there[0] if network == EVERY and len(there) == 1 else network, there, what)]
