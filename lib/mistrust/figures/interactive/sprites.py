"""Many small images in one picture, carried inside the page."""

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image

from mistrust.errors import MistrustError

# What one figure may add to a page. A data URI is a third larger than the PNG in it.
LIMIT = 300_000


@dataclass(frozen=True)
class Sprite:
    """`count` images of one size, side by side in `columns` columns, as a PNG data URI.

    Attributes
    ----------
    uri : "data:image/png;base64,...", at most 300,000 characters.
    count, columns, rows : how many images, and how they lie; read row by row.
    height, width : size of one image in pixels.

    Examples
    --------
    >>> sheet = sprite(np.zeros((6, 8, 8), np.uint8), columns=3)
    >>> sheet.count, sheet.columns, sheet.rows, sheet.uri[:22]
    (6, 3, 2, 'data:image/png;base64,')
    """

    uri: str
    count: int
    columns: int
    rows: int
    height: int
    width: int

    def __repr__(self) -> str:
        return f"Sprite({self.count} images of {self.height} x {self.width}, {len(self.uri):,} characters)"


def sprite(images: ArrayLike, columns: int | None = None) -> Sprite:
    """Pack images into one sprite.

    Parameters
    ----------
    images : uint8 in [0, 255], shape (n, height, width), (n, height, width, 1) or (n, height, width, 3).
    columns : images in one row of the sprite; None for a sprite that is about square.

    Raises
    ------
    MistrustError
        Another shape or type, no image, or more than 300,000 characters: the message says how many images fit.

    Examples
    --------
    >>> images = np.zeros((6, 8, 8), np.uint8)
    >>> sprite(images, columns=3).rows
    2
    >>> sprite(images / 255)
    Traceback (most recent call last):
    mistrust.errors.MistrustError: A sprite is made from uint8 images in [0, 255], got float64. ...
    """
    pixels = np.asarray(images)
    if pixels.ndim == 4 and pixels.shape[3] == 1:
        pixels = pixels[..., 0]
    if pixels.ndim not in (3, 4) or (pixels.ndim == 4 and pixels.shape[3] != 3) or 0 in pixels.shape:
        raise MistrustError(
            f"A sprite is made from images of shape (n, height, width) or (n, height, width, 3), got {pixels.shape}."
            " Channels first? Use images.transpose(0, 2, 3, 1)."
        )
    if pixels.dtype != np.uint8:
        raise MistrustError(
            f"A sprite is made from uint8 images in [0, 255], got {pixels.dtype}."
            " Images in [0, 1]: (images * 255).round().astype('uint8')."
        )
    count, height, width = pixels.shape[:3]
    across = int(np.ceil(np.sqrt(count))) if columns is None else columns
    if across < 1:
        raise MistrustError(f"A sprite needs at least one column, got {columns}.")
    rows = -(-count // across)
    uri = _uri(_tiled(pixels, rows, across))
    if len(uri) > LIMIT:
        fit = max(1, int(count * LIMIT / len(uri) * 0.95))
        raise MistrustError(
            f"The sprite of {count} images of {height} x {width} has {len(uri):,} characters, allowed are {LIMIT:,}."
            f" About {fit} such images fit: show fewer a cell, or smaller ones (images[:, ::2, ::2])."
        )
    return Sprite(uri, count, across, rows, height, width)


def thumb(sheet: Sprite, index: int, labels: Sequence[str]) -> str:
    """HTML of one image of a sprite, with its text alternative; `labels` holds one per image."""
    where = place(sheet, index)
    return f'<span class="mt-thumb" role="img" aria-label="{escape(labels[index])}" style="{where}"></span>'


def place(sheet: Sprite, index: int) -> str:
    """The CSS variables that point at one image of a sprite; an index outside it is refused."""
    if not 0 <= index < sheet.count:
        raise MistrustError(f"There is no image {index} in a sprite of {sheet.count}: 0 to {sheet.count - 1}.")
    return f"--c:{index % sheet.columns};--r:{index // sheet.columns}"


def _tiled(pixels: NDArray[np.uint8], rows: int, columns: int) -> NDArray[np.uint8]:
    count, height, width = pixels.shape[:3]
    full = np.zeros((rows * columns, *pixels.shape[1:]), np.uint8)
    full[:count] = pixels
    tiles = full.reshape(rows, columns, *pixels.shape[1:]).swapaxes(1, 2)
    return np.ascontiguousarray(tiles.reshape(rows * height, columns * width, *pixels.shape[3:]))


def _uri(picture: NDArray[np.uint8]) -> str:
    buffer = io.BytesIO()
    # No metadata and a fixed level: equal images give equal bytes.
    Image.fromarray(picture).save(buffer, "PNG", optimize=True)
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")
