"""Brightness of what stands in the middle of a picture, and which images of a class are the darkest by it."""

import torch
from jaxtyping import Float64, Int64
from torch import Tensor

from mistrust.data import ImageSet
from mistrust.inputs.limits import within

# ITU-R BT.601, the weights that Pillow's mode "L" and the published code use, in thousandths: of whole levels every
# product and sum is then exact, so that a luma of 76.5 is that on every processor and rounds alike.
LUMA = (299, 587, 114)


def luma(images: Float64[Tensor, "n c h w"]) -> Float64[Tensor, "n h w"]:
    """Luma of colour images, 0.299 R + 0.587 G + 0.114 B; the single channel of grey ones.

    Examples
    --------
    Pure red, green and blue:

    >>> luma(torch.eye(3, dtype=torch.float64).view(3, 3, 1, 1)).flatten()
    tensor([0.2990, 0.5870, 0.1140], dtype=torch.float64)
    """
    if images.shape[1] == 1:
        return images[:, 0]
    return torch.einsum("nchw,c->nhw", images, torch.tensor(LUMA, dtype=images.dtype)) / 1000


def brightness(images: ImageSet) -> Float64[Tensor, " n"]:
    """Mean luma, in [0, 1], of the central quarter of each image: half the height and half the width.

    The animal is in the middle more often than not, so a black cat on a white sofa counts as dark and a white cat at
    night does not. The paper removes black cats by hand and states no rule; this one needs no hand.

    Examples
    --------
    A white frame around a black middle counts as dark:

    >>> from mistrust.data import ImageSet
    >>> pixels = torch.ones(2, 1, 4, 4)
    >>> pixels[0, 0, 1:3, 1:3] = 0
    >>> brightness(ImageSet("two", pixels, torch.tensor([0, 1]), torch.arange(2), ("framed", "white")))
    tensor([0., 1.], dtype=torch.float64)
    """
    height, width = images.images.shape[2:]
    top, left = height // 4, width // 4
    middle = images.images[:, :, top : height - top, left : width - left]
    # Sums of whole levels are exact: which of two images is darker is the same on every processor.
    total = luma(middle.to(torch.float64).sum((2, 3), keepdim=True)).flatten()
    return total / (middle.shape[2] * middle.shape[3] * (255 if middle.dtype == torch.uint8 else 1))


def darkest(images: ImageSet, label: int, share: float) -> Int64[Tensor, " d"]:
    """Positions of the darkest images of a class, darkest first: floor(share x images of it); ties by lower id.

    Raises
    ------
    MistrustError
        A share outside [0, 1].

    Examples
    --------
    >>> from mistrust.data import ImageSet
    >>> pixels = torch.tensor([0.8, 0.2, 0.1, 0.5]).view(4, 1, 1, 1).expand(4, 1, 4, 4)
    >>> images = ImageSet("four", pixels, torch.tensor([0, 0, 1, 0]), torch.arange(4), ("cat", "dog"))
    >>> darkest(images, 0, 0.67)  # two of the three cats
    tensor([1, 3])
    """
    within("The share of the darkest images", share, 0, 1)
    rows = (images.labels == label).nonzero().flatten()
    values = brightness(images.take(rows))
    by_id = images.ids[rows].argsort()
    order = by_id[values[by_id].argsort(stable=True)]
    # A hair is added because 0.12 x 100 is 11.999... in binary.
    return rows[order[: int(share * len(rows) + 1e-9)]]
