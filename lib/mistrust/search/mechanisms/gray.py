"""Three ways to look at a colour image: as it is, in gray, and "in gray" as the published code has it."""

from collections.abc import Callable

import torch
from jaxtyping import Float64
from torch import Tensor

from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.registry import Registry
from mistrust.search.mechanisms.brightness import luma

Toned = Callable[[Float64[Tensor, "n h w"]], Float64[Tensor, "n 3 h w"]] | None


def _everywhere(gray: Float64[Tensor, "n h w"]) -> Float64[Tensor, "n 3 h w"]:
    return gray[:, None].expand(-1, 3, -1, -1)


def _first_channel(gray: Float64[Tensor, "n h w"]) -> Float64[Tensor, "n 3 h w"]:
    return torch.stack((gray, torch.zeros_like(gray), torch.zeros_like(gray)), 1)


# From luma to three channels; None leaves the image alone. "channel0" is the published code's: luma in the red channel
# and nothing in the others, a dark red picture where the paper says gray.
TONES = Registry[Toned]("tone")
TONES.add("rgb", None)
TONES.add("gray", _everywhere)
TONES.add("channel0", _first_channel)


def toned(images: ImageSet, tone: str) -> ImageSet:
    """The same colour images in a tone, an entry of `TONES`; uint8 stays uint8, luma rounded to the nearest level.

    Raises
    ------
    MistrustError
        An unknown tone; images without three channels.

    Examples
    --------
    >>> from mistrust.data import ImageSet
    >>> pixel = torch.tensor([255, 0, 0], dtype=torch.uint8).view(1, 3, 1, 1)
    >>> red = ImageSet("red", pixel, torch.tensor([0]), torch.arange(1), ("a", "b"))
    >>> toned(red, "gray").images.flatten()  # 0.299 times 255
    tensor([76, 76, 76], dtype=torch.uint8)
    """
    change = TONES[tone]
    if images.images.shape[1] != 3:
        raise MistrustError(
            f"'{images.name}' has images of {images.images.shape[1]} channels, expected 3: red, green and blue."
        )
    if change is None:
        return images
    blocks = [_blockwise(block, change) for block in images.images.split(1024)]
    return images.with_images(torch.cat(blocks) if blocks else images.images)


def _blockwise(pixels: Tensor, change: Callable[[Tensor], Tensor]) -> Tensor:
    values = change(luma(pixels.to(torch.float64)))
    return (values.round() if pixels.dtype == torch.uint8 else values).to(pixels.dtype)
