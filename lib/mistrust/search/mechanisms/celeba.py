"""CelebA from a local folder: men and women in colour, then in gray.

Liu, Luo, Wang and Tang, Deep learning face attributes in the wild, ICCV 2015: `img_align_celeba/` with 202,599 JPEG
files of 178x218 pixels, `list_attr_celeba.txt` and `list_eval_partition.txt`. For research alone, so nothing here
downloads it.
"""

from dataclasses import replace
from pathlib import Path

import torch

from mistrust.data import ImageSet
from mistrust.errors import MistrustError, nearest
from mistrust.search.mechanisms.folders import pictures, place
from mistrust.search.mechanisms.gray import TONES, toned
from mistrust.search.mechanisms.parts import Parts, Sizes
from mistrust.search.mechanisms.table import MECHANISMS, Mechanism, recipe_of

NAME = "celeba"
IMAGES, ATTRIBUTES, PARTITION = "img_align_celeba", "list_attr_celeba.txt", "list_eval_partition.txt"
PARTITIONS = {"train": "0", "validation": "1", "test": "2"}
# Height and width as the published code passes them: upright portraits become landscapes.
SIZE = (60, 73)
WAY = "Get the aligned and cropped images, the attributes and the partition from the authors' page and unpack them."


def celeba(
    folder: Path, partition: str, most: int | None = None, *, attribute: str = "Male", size: tuple[int, int] = SIZE
) -> ImageSet:
    """The first `most` images of a partition ("train", "validation" or "test"), as the partition's list orders them.

    The label is 1 where the attribute is there; the id is the number in the file's name.

    Raises
    ------
    MistrustError
        An unknown partition or attribute, a list in another layout, an image without attributes or file.
    """
    if partition not in PARTITIONS:
        raise MistrustError(f"There is no partition '{partition}'. Known: {', '.join(PARTITIONS)}.")
    listed = [row.split() for row in _lines(folder / PARTITION)]
    if any(len(row) != 2 or row[1] not in PARTITIONS.values() for row in listed):
        raise MistrustError(f"{folder / PARTITION} is no partition: expected lines such as '000001.jpg 0'.")
    names = [name for name, part in listed if part == PARTITIONS[partition]][:most]
    labels = _labels(folder / ATTRIBUTES, attribute)
    absent = next((name for name in names if name not in labels), None)
    if absent is not None:
        raise MistrustError(f"{folder / ATTRIBUTES} says nothing about {absent}, which {PARTITION} lists.")
    images = pictures([folder / IMAGES / name for name in names], size)
    classes = ("female", "male") if attribute == "Male" else (f"not {attribute}", attribute)
    ids = torch.tensor([int(Path(name).stem) for name in names], dtype=torch.int64)
    return ImageSet(NAME, images, torch.tensor([labels[name] for name in names], dtype=torch.int64), ids, classes)


def _labels(path: Path, attribute: str) -> dict[str, int]:
    """An attribute by file name: the first line counts the images, the second names the attributes, then -1 and 1."""
    lines = _lines(path)
    names = lines[1].split() if len(lines) > 1 else []
    if not lines[0].isdecimal() or not names:
        raise MistrustError(f"{path} is no list of attributes: expected their count, their names, then one line each.")
    if attribute not in names:
        near = nearest(attribute, names)
        hint = f" Did you mean '{near}'?" if near else ""
        raise MistrustError(f"{path} has no attribute '{attribute}'.{hint} Known: {', '.join(names)}.")
    column = names.index(attribute) + 1
    rows = [line.split() for line in lines[2:]]
    bad = next((row for row in rows if len(row) != len(names) + 1 or row[column] not in ("-1", "1")), None)
    if bad is not None:
        raise MistrustError(f"{path}: the line of {bad[0]} has not {len(names)} values of -1 or 1.")
    return {row[0]: int(row[column] == "1") for row in rows}


def _lines(path: Path) -> list[str]:
    found = [line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    if not found:
        raise MistrustError(f"{path} is empty.")
    return found


def whole() -> Path:
    """The folder of the images."""
    return place(NAME, (IMAGES, ATTRIBUTES, PARTITION), WAY)


def partitioned(folder: Path, level: float, dose: str, seed: int, sizes: Sizes) -> Parts:
    """The published partitions, the test images in the tone `dose`; the seed is the network's alone."""
    train, validation, test = (
        celeba(folder, part, most)
        for part, most in zip(PARTITIONS, (sizes.train, sizes.validation, sizes.test), strict=True)
    )
    return Parts(train, validation, toned(test, dose))


MECHANISMS.add(
    "celeba",
    Mechanism(
        "Shift to grey, faces", "section V (CelebA), men the critical class",
        "Trained on colour; 10,000 test images in colour, in gray, or with luma in the red channel, as coded.",
        {name: float(level) for level, name in enumerate(TONES)},
        whole, partitioned,
        Sizes(162_770, 19_867, 10_000),
        "sdr-cnn",
        replace(recipe_of("sdr-cnn"), epochs=10),
        folder=whole,
    ),
)  # fmt: skip
