"""A small picture as text, so that a row can carry it: "png:" and the base64 of a PNG, which keeps every pixel."""

import base64
import binascii
import io

import numpy as np
from jaxtyping import UInt8
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor

from mistrust.errors import MistrustError

PREFIX = "png:"
# Colors that PIL is asked to keep, by the number of axes.
MODES = {2: "L", 3: "RGB"}


def pack(pixels: UInt8[Tensor, "..."] | UInt8[np.ndarray, "..."]) -> str:
    """Give a picture as text: equal pixels give equal text (by one version of Pillow), with no date or name in it.

    Parameters
    ----------
    pixels : uint8 in 0..255, (height, width) or (1, height, width) grey, (height, width, 3) or (3, height, width) in
        colour. A last axis of three is the colour, whatever the first is.

    Raises
    ------
    MistrustError
        Another type or shape, or no pixels.
    """
    x = pixels.detach().cpu().numpy() if isinstance(pixels, Tensor) else np.asarray(pixels)
    if x.dtype != np.uint8:
        raise MistrustError(
            f"A picture has pixels of type {x.dtype}, expected uint8 in 0..255: "
            "`mistrust.ambiguity.to_bytes` makes them from pixels in [0, 1]."
        )
    shape = x.shape
    if x.ndim == 3 and shape[2] != 3 and shape[0] in (1, 3):
        x = x[0] if shape[0] == 1 else x.transpose(1, 2, 0)
    if x.size == 0 or x.ndim not in MODES or (x.ndim == 3 and x.shape[2] != 3):
        raise MistrustError(
            f"A picture has shape {tuple(shape)}, expected one image: (h, w) or (1, h, w) grey, (h, w, 3) or (3, h, w) "
            "in colour."
        )
    file = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(x)).save(file, "PNG", optimize=True)
    return PREFIX + base64.b64encode(file.getvalue()).decode("ascii")


def unpack(text: str) -> NDArray[np.uint8]:
    """Give the pixels of a packed picture: uint8, (height, width) grey or (height, width, 3) in colour.

    Raises
    ------
    MistrustError
        Text that `pack` did not write, or that was cut short.
    """
    if not isinstance(text, str) or not text.startswith(PREFIX):
        raise MistrustError(f"{_short(text)} is not a picture, expected text that begins with '{PREFIX}'.")
    try:
        with Image.open(io.BytesIO(base64.b64decode(text[len(PREFIX) :], validate=True)), formats=["PNG"]) as image:
            mode, x = image.mode, np.array(image)
    except (binascii.Error, OSError, SyntaxError, ValueError, Image.DecompressionBombError) as broken:
        raise MistrustError(
            f"{_short(text)} cannot be read as a picture: it is broken or was cut short. Make its row again."
        ) from broken
    if mode not in MODES.values():
        raise MistrustError(f"{_short(text)} is a PNG of kind '{mode}', expected {' or '.join(MODES.values())}.")
    return x.astype(np.uint8, copy=False)


def _short(text: object) -> str:
    said = repr(text)
    return said if len(said) <= 40 else f"{said[:30]}... ({len(said):,} characters)"
