"""Few training images of two digits that look alike: the mechanism that needs no file, for a quick run."""

from mistrust.data import ImageSet, load
from mistrust.networks import Recipe
from mistrust.search.mechanisms.overfitted import few
from mistrust.search.mechanisms.parts import Sizes, joined, two_groups
from mistrust.search.mechanisms.table import MECHANISMS, Mechanism

NAME, PAIR = "mnist5k", {"3": ("3",), "5": ("5",)}


def whole() -> ImageSet:
    """All threes and fives: 1,000."""
    return two_groups(joined(NAME, [load(NAME, "train"), load(NAME, "test")]), PAIR)


MECHANISMS.add(
    "few_digits",
    Mechanism(
        "Few training images, two digits", "ours, after section V (UT-Zap50K): a network too large for its data",
        "Threes against fives, 100, 30 or 20 to train on, equally many steps.",
        {"100": 100, "30": 30, "20": 20},
        whole, few,
        Sizes(100, 150, 750),
        "mlm-cnn",
        Recipe(epochs=40, batch=32, rate=1e-3, optimiser="adam"),
        ((NAME, "train"), (NAME, "test")),
        steady=True,
    ),
)  # fmt: skip
