"""Images at another size: as published, traffic signs have 28 x 28 pixels."""

from dataclasses import replace

import torch
from torch.nn import functional

from mistrust.data import ImageSet
from mistrust.inputs import to_uint8
from mistrust.inputs.limits import check_set, whole

# Pixels a side, by the paper's name of the nominal set (the authors' data profile module, `datasets.py`).
PUBLISHED_SIDES = {"gtsrb": 28, "cifar10": 32}


def resized(images: ImageSet, side: int) -> ImageSet:
    """Bring whole images to side x side pixels by bicubic interpolation, smoothed first where they shrink.

    So did the authors' code, with Pillow, whose grey levels these are but for rounding. It read the original files of
    any size; what is stored here at 32 x 32 is resized a second time, so it has no detail that 32 x 32 had lost.

    Parameters
    ----------
    images : n images; float images are rounded to bytes, which is what files hold.
    side : pixels, at least 1.

    Returns
    -------
    ImageSet
        uint8, labels and ids as they were, named after its size, since other pixels are another set. Images that have
        this size already come back as they are.

    Raises
    ------
    MistrustError
        What is no `ImageSet`, a side that is no whole number of at least 1.

    Examples
    --------
    >>> from mistrust.data import load
    >>> resized(load("photos", "test"), PUBLISHED_SIDES["gtsrb"])
    ImageSet(photos-28: 130 of 28x28x3 uint8, 2 classes)
    >>> photos = load("photos", "test")
    >>> resized(photos, PUBLISHED_SIDES["cifar10"]) is photos
    True
    """
    check_set("resized", images)
    side = whole("resized: side", side, 1)
    size = (side, side)
    if tuple(images.images.shape[2:]) == size:
        return images
    pixels = images.images if images.images.dtype == torch.uint8 else to_uint8(images.images)
    made = pixels.new_empty((0, pixels.shape[1], *size))
    if len(pixels):
        made = functional.interpolate(pixels, size, mode="bicubic", antialias=True)
    return replace(images, name=f"{images.name}-{size[0]}", images=made)
