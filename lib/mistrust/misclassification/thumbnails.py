"""The images behind the matrix: made again from their rows, which hold id, perturbation and level."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
import torch
from jaxtyping import UInt8
from numpy.typing import NDArray
from torch import Tensor

from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.inputs import PERTURBATIONS, perturbed, to_uint8
from mistrust.rows import select


def nearest_images(
    rows: pd.DataFrame, images: ImageSet, seed: int, *, network: int = 0
) -> tuple[torch.Tensor, dict[str, list[int]], list[str]]:
    """Make the images that come nearest to each cell's confusion.

    Parameters
    ----------
    rows : rows of the chapter, with the table "nearest".
    images : the clean test images.
    seed : of the noise, as in the run.
    network : the seed of the network whose rows are taken.

    Returns
    -------
    pixels (m, h, w) or (m, h, w, 3) uint8, each image once; for each cell ("4>9") the indices of its images; and for
    each image what it is, in words. Without rows: no pixels, no cells, no words.
    """
    found = select(rows, table="nearest", seed=network).sort_values(["at", "method"])
    position = {int(i): p for p, i in enumerate(images.ids.tolist())}
    groups: dict[tuple[str, int], list[int]] = defaultdict(list)
    wanted = []
    for at, condition, level, note in zip(found["at"], found["condition"], found["level"], found["note"], strict=True):
        key = (condition.removeprefix("perturbed/"), int(level), int(note.removeprefix("id ")))
        wanted.append((at, key))
        if key[2] not in groups[key[:2]]:
            groups[key[:2]].append(key[2])

    pixels: list[torch.Tensor] = []
    words: list[str] = []
    place: dict[tuple[str, int, int], int] = {}
    for (name, level), ids in groups.items():
        some = images.take(torch.tensor([position[i] for i in ids]))
        made = perturbed(some, name, level, seed=seed)
        for i, image, label in zip(ids, made.images, made.labels.tolist(), strict=True):
            place[name, level, i] = len(pixels)
            pixels.append(image)
            title = PERTURBATIONS[name].title.lower()
            words.append(f"image {i}, a {images.classes[label]}, {title} level {level}")
    cells: dict[str, list[int]] = defaultdict(list)
    for at, key in wanted:
        cells[at].append(place[key])
    sheet = torch.stack(pixels) if pixels else torch.empty(0, *images.images.shape[1:], dtype=torch.uint8)
    return _channels_last(sheet), dict(cells), words


def under_levels(
    images: ImageSet, class_index: int, name: str, levels: Sequence[int], seed: int
) -> UInt8[Tensor, "l h w"] | UInt8[Tensor, "l h w c"]:
    """Make the first image of a class under a perturbation at each level.

    Parameters
    ----------
    images : the clean images.
    class_index : position of the class in `images.classes`.
    name : the perturbation.
    levels : its levels, from 1.
    seed : of the noise, as in the run.

    Returns
    -------
    (l, h, w) uint8, one per level; (l, h, w, 3) where the images are coloured.

    Raises
    ------
    MistrustError
        No image of that class, no level; no such perturbation or level.
    """
    places = (images.labels == class_index).nonzero()[:, 0]
    if len(places) == 0 or len(levels) == 0:
        raise MistrustError(
            f"There is no image of class {class_index} in {images!r}, or no level in {list(levels)}: "
            "give a class that the set holds, and at least one level."
        )
    one = images.take(places[:1])
    return _channels_last(torch.cat([perturbed(one, name, level, seed=seed).images for level in levels]))


def sheet(
    images: ImageSet, class_index: int, names: Sequence[str], levels: Sequence[int], seed: int
) -> UInt8[Tensor, "p l h w"] | UInt8[Tensor, "p l h w c"]:
    """Make the first image of a class under each of p perturbations at each level; otherwise as `under_levels`."""
    return torch.stack([under_levels(images, class_index, name, levels, seed) for name in names])


def misclustered(rows: pd.DataFrame, images: ImageSet) -> dict[int, NDArray[np.uint8]]:
    """Give the images, by id, that the rows of the table "misclustered" name in their notes ("id 8688, ...")."""
    notes = select(rows, table="misclustered")["note"]
    return by_id(images, [int(note.removeprefix("id ").split(",")[0]) for note in notes if note.startswith("id ")])


def by_id(images: ImageSet, ids: Iterable[int]) -> dict[int, NDArray[np.uint8]]:
    """Give the images with these ids, each (h, w) or (h, w, 3) uint8; an id that the set lacks is left out."""
    position = {int(i): p for p, i in enumerate(images.ids.tolist())}
    held = [i for i in dict.fromkeys(ids) if i in position]
    some = images.take(torch.tensor([position[i] for i in held], dtype=torch.int64))
    pixels = some.images if some.images.dtype == torch.uint8 else to_uint8(some.images)
    return dict(zip(held, _channels_last(pixels).numpy(), strict=True))


def _channels_last(pixels: UInt8[Tensor, "n c h w"]) -> Tensor:
    """Put colour last, as pictures are drawn; one channel is dropped."""
    return pixels[:, 0] if pixels.shape[1] == 1 else pixels.permute(0, 2, 3, 1)
