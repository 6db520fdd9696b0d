"""Overfitting: few training images, gone through until the network knows them by heart."""

from mistrust.data import ImageSet, load
from mistrust.search.mechanisms.parts import Parts, Sizes, drawn, joined, two_groups
from mistrust.search.mechanisms.table import MECHANISMS, Mechanism, recipe_of

NAME = "fmnist"
# Clothes that look alike lie on both sides: shirts and pullovers, dresses and coats, sneakers and ankle boots.
GROUPS = {
    "summer": ("T-shirt/top", "Dress", "Sandal", "Shirt", "Sneaker"),
    "winter": ("Trouser", "Pullover", "Coat", "Bag", "Ankle boot"),
}


def whole() -> ImageSet:
    """All clothes, for summer and for winter."""
    return two_groups(joined(NAME, [load(NAME, "train"), load(NAME, "test")]), GROUPS)


def few(images: ImageSet, level: float, dose: str, seed: int, sizes: Sizes) -> Parts:
    """`level` images to train on, `sizes.train` at most.

    Validation and test are drawn first: of one seed all doses have them in common, and the images of a smaller dose
    are among those of a larger one.
    """
    train = min(int(level), sizes.train)
    validation, test, known = drawn(images, seed, (sizes.validation, sizes.test, train))
    return Parts(known, validation, test, {"training images": train})


MECHANISMS.add(
    "overfitting",
    Mechanism(
        "Overfitting", "section V (UT-Zap50K, shoes and others, 75 epochs); Fashion-MNIST in two groups",
        "Clothes for summer and for winter; 4,000, 500 or 125 to train on, equally many steps.",
        {"4000": 4_000, "500": 500, "125": 125},
        whole, few,
        Sizes(4_000, 1_000, 6_000),
        "sdr-cnn-small",
        recipe_of("sdr-cnn-small"),
        ((NAME, "train"), (NAME, "test")),
        steady=True,
    ),
)  # fmt: skip
