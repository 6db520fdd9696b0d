"""Faults of a sensor that reads row by row: rows that are black, that repeat another, or that start too late.

Ferreira et al. (2021), section II-B, with the constants of the authors' code. They change no grey level, so that they
take uint8 images as well, and give uint8.
"""

import torch
from jaxtyping import Int
from torch import Tensor

from mistrust.inputs.draws import Draws
from mistrust.inputs.limits import whole


def pixel_trap(images: Tensor, draws: Draws, *, rows: float) -> Tensor:
    """Make whole rows black, drawn for each image, `rows` of them or as many as there are."""
    alive = draws.chosen(whole("pixel_trap: rows", rows, 0), (1, images.shape[2], 1)).logical_not_()
    return images * alive.to(images)


def row_add_logic(images: Tensor, draws: Draws, *, rows: float) -> Tensor:
    """Let the `rows` rows after row i = h // 2 - 2 repeat it, as far as there are any: i is 12 of 28, 14 of 32."""
    count, first = whole("row_add_logic: rows", rows, 0), max(images.shape[2] // 2 - 2, 0)
    made = images.clone()
    made[:, :, first + 1 : first + 1 + count] = images[:, :, first : first + 1]
    return made


def shifted_pixel(images: Tensor, draws: Draws, *, below: float) -> Tensor:
    """Turn every row to the left in a circle, by 0 to `below` - 1 pixels, drawn for each row of each image."""
    most = whole("shifted_pixel: below", below, 1)
    return turned_rows(images, draws.integers(0, most, (images.shape[2],)))


def turned_rows(images: Tensor, shifts: Int[Tensor, "n h"]) -> Tensor:
    """Turn row r of image i to the left by shifts[i, r] pixels in a circle: all channels alike."""
    width = images.shape[3]
    turned = (torch.arange(width) + torch.arange(width)[:, None]) % width
    places = turned[shifts.long() % width][:, None]
    return images.gather(3, places.to(images.device).expand_as(images))
