"""UT-Zap50K from a local folder: shoes against sandals and slippers, trained for too long.

Yu and Grauman, Fine-grained visual comparisons with local learning, CVPR 2014: 50,025 pictures in folders
category/subcategory/brand, of which the boots are left out. For academic use alone, so nothing here downloads it.
"""

from dataclasses import replace
from pathlib import Path

import torch

from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.search.mechanisms.folders import pictures, place
from mistrust.search.mechanisms.parts import Parts, Sizes, drawn
from mistrust.search.mechanisms.table import MECHANISMS, Mechanism, recipe_of

NAME = "zappos50k"
# Either archive of the authors; both hold the same pictures in the same folders.
ROOTS = ("ut-zap50k-images-square", "ut-zap50k-images")
LABELS = {"Sandals": 0, "Slippers": 0, "Shoes": 1}
LEFT_OUT = ("Boots",)
SIZE = (64, 64)
WAY = f"Get the images from the authors' page and unpack them as {NAME}/{ROOTS[1]}/."


def zappos(folder: Path, size: tuple[int, int] = SIZE) -> ImageSet:
    """All pictures but the boots: label 1 for shoes, 0 for sandals and slippers ("not shoe").

    Ids count all pictures, boots included, in the order of their paths.

    Raises
    ------
    MistrustError
        Neither of the authors' folders, a category that is none of the four, no pictures of one of them.
    """
    root = next((folder / name for name in ROOTS if (folder / name).is_dir()), None)
    if root is None:
        raise MistrustError(f"{folder} holds neither {' nor '.join(ROOTS)}. {WAY}")
    found = sorted(root.rglob("*.jpg"), key=lambda path: path.relative_to(root).as_posix())
    categories = [path.relative_to(root).parts[0] for path in found]
    odd = next((one for one in categories if one not in (*LABELS, *LEFT_OUT)), None)
    if odd is not None:
        raise MistrustError(f"{root} has the category '{odd}'. Known: {', '.join(sorted((*LABELS, *LEFT_OUT)))}.")
    for category in LABELS:
        if category not in categories:
            raise MistrustError(f"{root} has no pictures of the category '{category}': unpack the archive again.")
    kept = [row for row, category in enumerate(categories) if category in LABELS]
    labels = torch.tensor([LABELS[categories[row]] for row in kept], dtype=torch.int64)
    images = pictures([found[row] for row in kept], size)
    return ImageSet(NAME, images, labels, torch.tensor(kept, dtype=torch.int64), ("not shoe", "shoe"))


def folder() -> Path:
    """The folder of the pictures."""
    return place(NAME, (), WAY)


def whole() -> ImageSet:
    """All pictures but the boots."""
    return zappos(folder())


def thirds(images: ImageSet, level: float, dose: str, seed: int, sizes: Sizes) -> Parts:
    """Two thirds to train on, a tenth of them for validation, one third to search: drawn from the seed."""
    train, validation, test = drawn(images, seed, (sizes.train, sizes.validation, sizes.test))
    return Parts(train, validation, test)


MECHANISMS.add(
    "zappos",
    Mechanism(
        "Overfitting, shoes", "section V (UT-Zap50K without boots), what is no shoe the critical class",
        "Shoes against sandals and slippers; 75 epochs.",
        {"75 epochs": 75.0},
        whole, thirds,
        Sizes(22_315, 2_479, 12_397),
        "sdr-cnn",
        replace(recipe_of("sdr-cnn"), epochs=75),
        folder=folder,
    ),
)  # fmt: skip
