"""Images as JPEG would have left them: a control, since a monitor may tell compression from none and not classes."""

import io

import numpy as np
import torch
from PIL import Image
from torch import Tensor

from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.inputs import to_uint8
from mistrust.inputs.limits import check_set

QUALITY = 75  # that of the copies of CIFAR-10 at hand, with colours at half the resolution


def as_jpeg(images: ImageSet, quality: int = QUALITY) -> ImageSet:
    """Compress every image and read it back.

    Parameters
    ----------
    images : n images of one or three channels.
    quality : of JPEG, 1 to 95; colours are kept at half the resolution (4:2:0).

    Returns
    -------
    ImageSet
        uint8; labels and ids stay.

    Raises
    ------
    MistrustError
        What is no `ImageSet`, a quality out of range, another number of channels.
    """
    check_set("as_jpeg", images)
    channels = images.images.shape[1]
    if not 1 <= quality <= 95:
        raise MistrustError(f"The quality of JPEG is {quality}, expected 1 to 95.")
    if channels not in (1, 3):
        raise MistrustError(f"Images of '{images.name}' have {channels} channels, expected 1 or 3 for JPEG.")
    pixels = to_uint8(images.images) if images.images.is_floating_point() else images.images
    made = [_once(one, quality) for one in pixels.permute(0, 2, 3, 1).contiguous()]
    return images.with_images(torch.stack(made) if made else pixels)


def _once(pixels: Tensor, quality: int) -> Tensor:
    file = io.BytesIO()
    Image.fromarray(pixels.squeeze(2).numpy()).save(file, "JPEG", quality=quality, subsampling=2)
    found = torch.from_numpy(np.array(Image.open(file)))
    return found[None] if found.ndim == 2 else found.permute(2, 0, 1)
