"""What the chapter's figures share: networks in their order, rows of one thing, means over seeds, and words."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from mistrust.figures.image_sets import TITLES as IMAGE_SETS
from mistrust.figures.parts import one_of, some, sorted_rows
from mistrust.figures.style import MARKERS, PALETTE
from mistrust.networks.architectures.families import FAMILIES as MEMBERS
from mistrust.robustness.noise import VARIANTS
from mistrust.robustness.rereading.printed import NETWORKS
from mistrust.rows import select

ALL = "all"  # trained on all samples of all classes
TRAINED = {ALL: "all", "half": "half of the samples", "fraction": "a fraction of the classes"}
RIGHT = "fixed-clipped"  # the right variant of noise
# How the names of networks begin, and what families are called; in the order of the paper.
FAMILIES = {
    name.lower(): f"{name} style" for name in sorted(MEMBERS, key=("AlexNet", "VGG", "ResNet", "Inception").index)
}
IMAGENET = ("imagenet", "imagenet_sample")  # the paper's networks with their own weights, where these are at hand
OTHER = "other networks"
CAP = 510.0  # grey levels, where the search for breaking noise ends (twice the distance from black to white)
UPPER = "an upper bound: paths may have been overlooked"
DATA = ("fmnist", "mnist", "mnist5k", "digits", "cifar10", "cifar10-jpeg", "gtsrb", "gtsrb-thin")
_NAME = re.compile(r"([a-z]+)(\d+)-w(\d+)")
_TITLES = {name.lower(): name for name in MEMBERS}
_WORDS = IMAGE_SETS | {
    "mlm-cnn": "MLM's CNN",
    "known": "all, on images of these classes",
    "random": "breaking noise",
    "targeted": "targeted distance",
    "parameters": "number of parameters",
    "bubbles": "number of bubbles",
    "adam": "Adam (paper)",
    "adam beside tight": "Adam (paper)",
    "adam to the border": "Adam, to a probability of one half",
    "tight": "tight (PGD)",
    "linear estimate": "margin / gradient",
    "ddn": "DDN (L2 search)",
    "elementwise": "element by element",
    "channel": "channel by channel",
    "linf": "L∞ distance (grey levels)",
    "l2": "L2 distance (grey levels)",
    "steps": "steps of Adam",
}


def words(name: str) -> str:
    """Give what a reader calls a network, an image set, a variant of noise or of training, a quantity of the rows.

    Names that need no other words ("accuracy") come back as they are.

    Examples
    --------
    >>> [words(name) for name in ("resnet14-w8", "fmnist", "fixed-clipped", "half", "accuracy")]
    ['ResNet-14 w8', 'Fashion-MNIST', 'fixed noise, clipped', 'half of the samples', 'accuracy']
    """
    for table in (_WORDS, NETWORKS, TRAINED):
        if name in table:
            return table[name]
    if name in VARIANTS:
        return VARIANTS[name].title
    parsed = _NAME.fullmatch(name)
    if parsed and parsed[1] in _TITLES:
        return f"{_TITLES[parsed[1]]}-{parsed[2]} w{parsed[3]}"
    return name


def layers_of(network: str) -> str:
    """Give what distinguishes a network from others of its family: "9 layers, w16"."""
    parsed = _NAME.fullmatch(network)
    return f"{parsed[2]} layers, w{parsed[3]}" if parsed else words(network)


def shape_of(network: str) -> tuple[int, int]:
    """Give depth (layers) and width of one of our networks; zeros of a network whose name tells neither.

    Examples
    --------
    >>> shape_of("vgg9-w16"), shape_of("mlm-cnn")
    ((9, 16), (0, 0))
    """
    parsed = _NAME.fullmatch(network)
    return (int(parsed[2]), int(parsed[3])) if parsed else (0, 0)


def family(network: str) -> str:
    """Give the key of a network's family ("vgg" of "vgg9-w16"); `OTHER` where it has none."""
    return next((name for name in FAMILIES if network.startswith(name)), OTHER)


def family_title(name: str) -> str:
    """Give what a reader calls a family: "VGG style"."""
    return FAMILIES.get(name, OTHER)


def look(network: str) -> dict[str, Any]:
    """Give the colour and marker of a network's family."""
    place = list(FAMILIES).index(family(network)) if family(network) in FAMILIES else len(FAMILIES)
    return {"color": PALETTE[place], "marker": MARKERS[place]}


def in_order(networks: Iterable[str]) -> list[str]:
    """Put networks in order: family by family, shallow before deep, narrow before wide."""
    families = [*FAMILIES, OTHER]

    def place(name: str) -> tuple[int, int, int, str]:
        return families.index(family(name)), *shape_of(name), name

    return sorted(set(networks), key=place)


def one_a_family(networks: Iterable[str]) -> list[str]:
    """Give the first network of each family, and all others that have none."""
    there = in_order(networks)
    return [n for i, n in enumerate(there) if family(n) == OTHER or family(n) not in map(family, there[:i])]


def data_in(found: pd.DataFrame) -> list[str]:
    """Give the image sets of these rows, the one with most networks first."""
    return sorted(set(found["data"]), key=lambda name: (DATA.index(name) if name in DATA else len(DATA), name))


def of(
    rows: pd.DataFrame, table: str, what: str, *, data: str | None, condition: str | None = ALL, **where: object
) -> pd.DataFrame:
    """Give the rows of one table and one image set.

    Parameters
    ----------
    what : what is missing, for the message.
    data : which image set; None for the first.
    condition : the training variant; rows that name none count for each. None takes every row.
    where : further columns.

    Raises
    ------
    MistrustError
        There are no such rows; an image set is said with those that there are.
    """
    held = sorted_rows(select(rows, table=table, **where))
    if condition is not None:
        held = held[held["condition"].isin([condition, ""])]
    some(held, what)
    return held[held["data"] == one_of(data, data_in(held), what)]


def wanted(networks: Sequence[str] | None, there: Iterable[str], what: str) -> list[str]:
    """Give the networks that are asked for, in the order asked; one per family for None; refuse one without rows."""
    held = in_order(there)
    return one_a_family(held) if networks is None else [one_of(name, held, what) for name in networks]


def grouped_lines(networks: Sequence[str]) -> tuple[list[tuple[float, str, bool]], Mapping[str, float]]:
    """Give lines for networks under the heads of their families: (where, name, whether a head), and each one's line."""
    labels: list[tuple[float, str, bool]] = []
    at: dict[str, float] = {}
    y = 0.0
    for number, name in enumerate(networks):
        if number == 0 or family(name) != family(networks[number - 1]):
            labels.append((y, family_title(family(name)), True))
            y += 1
        at[name] = y
        labels.append((y, words(name), False))
        y += 1
    return labels, at
