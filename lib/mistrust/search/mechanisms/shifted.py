"""Shift to grey: trained on colour, asked about gray."""

from mistrust.data import ImageSet, load
from mistrust.search.mechanisms.gray import TONES, toned
from mistrust.search.mechanisms.parts import Parts, Sizes, drawn, joined, two_groups
from mistrust.search.mechanisms.table import MECHANISMS, Mechanism, recipe_of

NAME = "cifar10-jpeg"
GROUPS = {
    "animal": ("bird", "cat", "deer", "dog", "frog", "horse"),
    "vehicle": ("airplane", "automobile", "ship", "truck"),
}
DOSES = {name: float(level) for level, name in enumerate(TONES)}


def whole() -> ImageSet:
    """All animals and vehicles."""
    return two_groups(joined(NAME, [load(NAME, "train"), load(NAME, "test")]), GROUPS)


def shifted(images: ImageSet, level: float, dose: str, seed: int, sizes: Sizes) -> Parts:
    """Trained and validated in colour, tested in the tone `dose`: of one seed the same images, and one network."""
    train, validation, test = drawn(images, seed, (sizes.train, sizes.validation, sizes.test))
    return Parts(train, validation, toned(test, dose))


MECHANISMS.add(
    "shift_to_gray",
    Mechanism(
        "Shift to grey", "section V (CelebA, men and women, gray test images); a thin JPEG copy of CIFAR-10",
        "Animals and vehicles; the test images in colour, in gray, or with luma in the red channel alone, as coded.",
        DOSES,
        whole, shifted,
        Sizes(4_000, 1_000, 6_000),
        "sdr-cnn-small",
        recipe_of("sdr-cnn-small"),
        ((NAME, "train"), (NAME, "test")),
    ),
)  # fmt: skip
