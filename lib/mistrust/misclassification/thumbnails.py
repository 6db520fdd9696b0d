"""The images behind the matrix: made again from their rows, which hold id, perturbation and level."""

from collections import defaultdict

import pandas as pd
import torch

from mistrust.data import ImageSet
from mistrust.inputs import PERTURBATIONS, perturbed
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
            pixels.append(image.permute(1, 2, 0))
            title = PERTURBATIONS[name].title.lower()
            words.append(f"image {i}, a {images.classes[label]}, {title} level {level}")
    cells: dict[str, list[int]] = defaultdict(list)
    for at, key in wanted:
        cells[at].append(place[key])
    sheet = torch.stack(pixels) if pixels else torch.empty(0, *images.images.shape[2:], 1, dtype=torch.uint8)
    return sheet.squeeze(-1) if sheet.shape[-1] == 1 else sheet, dict(cells), words
