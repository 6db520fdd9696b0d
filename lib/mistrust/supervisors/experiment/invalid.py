"""Invalid inputs: images of another set, brought into the shape that a classifier reads."""

import torch
from torch import Tensor
from torch.nn import functional

from mistrust import random
from mistrust.data import ImageSet, load

# The paper takes MNIST for Fashion-MNIST and the other way round. Patches of photographs are no class of any other set;
# no network learns from them, so both their parts serve. To a classifier of photographs digits are invalid.
OTHER = {"mnist": ("fmnist", ("test",)), "fmnist": ("mnist", ("test",)), "photos": ("digits", ("test",))}
PATCHES = ("photos", ("train", "test"))
# Far above every set's own ids, so that no invalid image shares one with a nominal image.
FIRST_ID = 2**50
# Shares of red, green and blue in what the eye takes for brightness (ITU-R BT.601).
LUMA = (0.299, 0.587, 0.114)


def invalid(data: str, like: ImageSet) -> ImageSet:
    """Give inputs that show none of a set's classes.

    Parameters
    ----------
    data : the nominal set's name.
    like : images whose shape and class names to take; labels of the result mean nothing.
    """
    name, splits = OTHER.get(data, PATCHES)
    parts = [load(name, split) for split in splits]
    images = torch.cat([shaped(part.images, tuple(like.images.shape[1:])) for part in parts])
    ids = torch.cat([part.ids for part in parts]) + FIRST_ID
    # Patches lie in the order of their photograph, whose first rows are sky.
    order = random.permutation(0, "invalid/order", len(ids))
    return ImageSet(f"{name} for {data}", images[order], torch.zeros_like(ids), ids[order], like.classes)


def shaped(images: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Bring images (n, c, h, w) to another (c, h, w): colour to grey by brightness, grey to colour by repeating.

    Sizes change by the mean over areas when they shrink, and linearly when they grow; values stay uint8 where they
    were, rounded.
    """
    channels, height, width = shape
    if tuple(images.shape[1:]) == shape:
        return images
    floats = images.to(torch.float32)
    if images.shape[1] == 3 and channels == 1:
        floats = (floats * torch.tensor(LUMA).view(1, 3, 1, 1)).sum(1, keepdim=True)
    elif images.shape[1] == 1 and channels == 3:
        floats = floats.expand(-1, 3, -1, -1)
    if tuple(floats.shape[2:]) != (height, width):
        smaller = height <= floats.shape[2] and width <= floats.shape[3]
        mode = "area" if smaller else "bilinear"
        floats = functional.interpolate(floats, (height, width), mode=mode)
    return floats.round().clamp(0, 255).to(torch.uint8) if images.dtype == torch.uint8 else floats
