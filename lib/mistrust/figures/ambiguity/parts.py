"""What the chapter's figures share: what a reader calls things, places on the latent plane, images from notes."""

import re

import pandas as pd

from mistrust.errors import MistrustError, NoRows
from mistrust.figures.written import interval

RULES = ("normalised", "softmax", "prior")
SETS = ("ambiguess", "as published", "mixing", "midpoint")
_NUMBER = r"(-?\d+(?:\.\d+)?)"
_PLACE = re.compile(rf"z0={_NUMBER},z1={_NUMBER}")
_WORDS = {
    "ambiguess": "AmbiGuess",
    "as published": "AmbiGuess as coded",
    "mixing": "two images mixed",
    "midpoint": "midpoint in a VAE",
    "normalised": "normalised (default)",
    "softmax": "softmax (as coded)",
    "prior": "the prior's own",
    "jacobian": "Jacobian (default)",
    "jacobian transposed": "Jacobian, transposed",
    "uniform": "even draw",
    "uniform transposed": "even draw, transposed",
    "differences": "finite differences",
    "differences transposed": "finite differences, transposed",
    "energy": "energy gradient",
    "energy transposed": "energy gradient, transposed",
    "shared": "AmbiGuess, shared decoders",
    "ambiguous-mnist": "AmbiguousMNIST",
    "mixed": "mixed training",
    "clean": "clean training",
    "nominal": "nominal",
    "known world": "known world",
    "ambiguess-conv": "convolutional",
    "ambiguess-fc": "fully connected, linear (as coded)",
    "ambiguess-fc-relu": "fully connected, ReLU",
    "resnet50-v1": "ResNet-50",
    "densenet-se": "DenseNet",
    "all": "mean over architectures",
    "top-pair": "top-pair",
    "entropy": "softmax entropy (bits)",
    "excess entropy": "entropy beyond the labels' own (bits)",
    "label entropy": "entropy of the labels (bits)",
    "kl": "divergence from the label (bits)",
    "brier": "Brier score",
    "accuracy difference": "difference of nominal accuracy",
    "largest probability": "best possible top-1",
    "near-duplicates": "test images with a near-duplicate in training",
    "pixels that wrap": "white pixels that turn black",
    "images with a pixel that wraps": "images with a white pixel that turns black",
    "pair distance": "distance between two images",
    "pair distance, 10% quantile": "distance between two images, 10% quantile",
    "nearest neighbour": "distance to the nearest neighbour",
    "deviation of z1": "standard deviation of z1",
    "share kept": "share of draws kept",
    "share accepted": "share of autoencoders accepted",
    "auroc density": "AUROC of low density, 40 components",
    "auroc pixel density": "AUROC of low density, all pixels",
    "bad": "share of bad images",
    "share seen": "share with 0.8 or more on the two classes",
    "ambiguous at the origin": "share of autoencoders ambiguous at the origin",
    "top-2 ceiling": "best possible top-2",
    "count": "images found",
    "candidates": "images looked at",
    "auroc entropy": "AUROC of the judges' entropy",
    "share on pair": "probability on the two classes",
    "balance": "balance of the two classes",
    "ambiguous": "share of ambiguous images",
    "absolute error": "mean absolute error of p",
    "share between": "share judged between 0.2 and 0.8",
    "spearman": "Spearman's correlation",
    "spearman within pairs": "Spearman's correlation within pairs",
    "spearman, stated 0.3 to 0.7": "Spearman's correlation where 0.3 to 0.7 is stated",
    "slope": "slope of judged on stated p",
    "codes between": "share of codes between the clusters",
    "discrimination": "accuracy of discrimination",
    "labelling": "accuracy of the labels",
    "discrimination as published": "accuracy of discrimination, as coded",
    "labelling as published": "accuracy of the labels, as coded",
}


def words(text: str) -> str:
    """Give what a reader calls a method, set, metric, network or condition of the rows, or a difference of two.

    Names that need no other words ("top-1", "4/9") come back as they are.

    Examples
    --------
    >>> words("ambiguous/as published"), words("jacobian minus uniform"), words("top-1")
    ('AmbiGuess as coded', 'Jacobian (default) minus even draw', 'top-1')
    """
    if text in _WORDS:
        return _WORDS[text]
    if " minus " in text:
        return " minus ".join(words(one) for one in text.split(" minus "))
    kind, slash, name = text.partition("/")
    return words(name) if slash and kind == "ambiguous" else text


def in_order(names: object, first: tuple[str, ...]) -> list[str]:
    """Put names in the order of `first`; others follow by the alphabet."""
    return sorted(set(names), key=lambda n: (first.index(n) if n in first else len(first), n))  # type: ignore[call-overload]


def two_classes(pair: str, classes: tuple[str, str] | None = None) -> tuple[str, str]:
    """Name the two classes of a pair: as given, or by its only "/"; otherwise "first class" and "second class"."""
    if classes is not None:
        return classes
    return tuple(pair.split("/")) if pair.count("/") == 1 else ("first class", "second class")  # type: ignore[return-value]


def on_plane(found: pd.DataFrame) -> pd.DataFrame:
    """Give the rows whose `at` is "z0=-1.00,z1=0.50" with the numbers in columns z0 and z1, as one reads a page.

    Raises
    ------
    MistrustError
        The places fill no rectangle.
    """
    places = found["at"].str.extract(_PLACE).astype(float)
    here = found.assign(z0=places[0], z1=places[1]).dropna(subset=["z0", "z1"])
    here = here.sort_values(["z1", "z0"], ascending=[False, True], kind="stable")
    across, down = here["z0"].nunique(), here["z1"].nunique()
    if across * down != len(here) or here.duplicated(["z0", "z1"]).any():
        raise MistrustError(
            f"{len(here)} places on the latent plane do not fill a rectangle of {across} values of z0 and {down} of "
            "z1: give the rows of one pair, one method and one metric, all of them."
        )
    return here


def of_pair(found: pd.DataFrame, pair: str | None, what: str) -> pd.DataFrame:
    """Give the rows of one pair, the first in the rows for None; of several image sets that have it, of the first.

    Raises
    ------
    NoRows
        There are no rows of that pair; the message names those that there are.
    """
    pairs = list(dict.fromkeys(found["condition"]))
    if not pairs or (pair is not None and pair not in pairs):
        there = f" of pair {pair}; there are {', '.join(pairs)}" if pairs else ""
        raise NoRows(f"There are no rows for the {what}{there}: run the chapter, or leave the figure out.")
    here = found[found["condition"] == (pairs[0] if pair is None else pair)]
    return here[here["data"] == here["data"].iloc[0]]


def with_interval(value: float, low: float, high: float, digits: int = 2) -> str:
    """Write "0.53 (0.52 to 0.54)", or the value alone where there is no interval; small values with more digits."""
    digits += 2 if 0 < abs(value) < 0.1 and digits == 2 else 0
    return interval(value, low, high, lambda number: f"{number:.{digits}f}")
