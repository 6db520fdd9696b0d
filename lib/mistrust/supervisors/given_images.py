"""Images as a monitor is given them: a set, or pixels alone, which get ids that hang on nothing but the pixels."""

from collections.abc import Iterator

import numpy as np
import torch
from jaxtyping import Int
from torch import Tensor

from mistrust import random
from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.networks.tensors import as_one_tensor

BLOCK = 1000  # images that are turned into numbers at once


def parts(
    images: Tensor | ImageSet, classes: tuple[str, ...], by_pixels: bool
) -> Iterator[tuple[Int[Tensor, " m"], ImageSet]]:
    """Image sets, and the rows that they are of.

    Images without ids get some: their positions, or, where dropout masks hang on them, one of `random.BLOCK` numbers
    that only their pixels decide, so that a stream of one image at a time gives what a batch gives. Images that share
    a number go into different sets.
    """
    if isinstance(images, ImageSet):
        yield torch.arange(len(images)), images
        return
    pixels = images.detach().cpu()
    pixels = pixels.to(torch.float32) if pixels.is_floating_point() else pixels
    ids = torch.arange(len(pixels))
    whole = ImageSet("images", pixels, torch.zeros(len(pixels), dtype=torch.int64), ids, classes)
    if not by_pixels:
        yield ids, whole
        return
    drawn = numbers(whole)
    order = drawn.argsort(stable=True)
    first = torch.searchsorted(drawn[order], drawn[order])
    turn = torch.empty_like(ids)
    turn[order] = ids - first  # how many images before this one have its number
    for t in range(int(turn.max()) + 1 if len(turn) else 0):
        rows = torch.nonzero(turn == t).flatten()
        yield rows, ImageSet("images", pixels[rows], whole.labels[rows], drawn[rows], classes)


def check_given(images: Tensor | ImageSet) -> None:
    """Refuse what is neither a set nor a tensor of four dimensions."""
    if not isinstance(images, (Tensor, ImageSet)):
        raise MistrustError(
            f"A monitor takes images as a tensor or an ImageSet, got {type(images).__name__}. It becomes a "
            f"tensor by {as_one_tensor(images)}."
        )
    if isinstance(images, Tensor) and images.ndim != 4:
        raise MistrustError(
            f"A monitor takes images of shape (n, channels, height, width), got {tuple(images.shape)}. "
            "One image is images[None]; grey images without their channel are images[:, None]."
        )


def numbers(images: ImageSet) -> Int[Tensor, " n"]:
    """A number in [0, random.BLOCK) of each image's pixels, the same for bytes and for bytes / 255 (multiply-shift)."""
    return (checksums(images) >> 40) % random.BLOCK


def checksums(images: ImageSet) -> Int[Tensor, " n"]:
    """A checksum of each image's pixels, int64, the same for bytes and for bytes / 255."""
    found = [torch.zeros(0, dtype=torch.int64)]
    draws: Tensor | None = None
    for start in range(0, len(images), BLOCK):
        part = images.take(slice(start, start + BLOCK)).floats()
        bits = (part.flatten(1) + 0.0).contiguous().view(torch.int32).to(torch.int64)  # -0.0 is 0.0
        if draws is None:
            drawn = random.generator(0, "monitor/pixels").integers(0, 2**63, bits.shape[1], dtype=np.int64)
            draws = torch.from_numpy(drawn | 1)
        found.append((bits * draws).sum(1))  # whole numbers wrap, so the order of the sum does not matter
    return torch.cat(found)
