"""One encoded image to uint8 pixels, with every way in which that can go wrong named."""

from dataclasses import dataclass
from io import BytesIO

import numpy as np

from mistrust.data import image_files
from mistrust.errors import MistrustError

# Pillow's modes with eight bits a channel or fewer; those with more would be clipped silently.
GREY, COLOUR = ("1", "L", "LA"), ("P", "PA", "RGB", "RGBA", "CMYK", "YCbCr")


@dataclass(frozen=True)
class Fit:
    """What every image of a set must be.

    Attributes
    ----------
    channels : 1 or 3: images are converted to it (a grey WebP decodes as colour); 0: as the image is.
    size : height and width, or None for any.
    crop : larger images are cut to their centre.
    same : no conversion between grey and colour: another number of channels is refused.
    """

    channels: int = 0
    size: tuple[int, int] | None = None
    crop: bool = False
    same: bool = False


def decode(encoded: bytes, fit: Fit, where: str) -> np.ndarray:
    """A PNG, WebP, JPEG or PPM file in memory as uint8 (channels, height, width).

    Transparency is dropped.

    Raises
    ------
    MistrustError
        The bytes are no complete image, have more than eight bits a channel, or do not fit. `where` begins the
        message.
    """
    from PIL import Image, UnidentifiedImageError

    # Pillow asks WebP last of forty formats, which takes a quarter of the time of a small image.
    formats = ("WEBP",) if encoded[:4] == b"RIFF" and encoded[8:12] == b"WEBP" else None
    try:
        with Image.open(BytesIO(encoded), formats=formats) as image:
            if image.format in image_files.DRAWN:
                raise MistrustError(f"{where}: a drawing ({image.format}), expected pixels: save it as PNG before.")
            if image.mode not in (*GREY, *COLOUR):
                raise MistrustError(f"{where}: pixels of mode {image.mode}, expected 8-bit grey or colour.")
            channels = 1 if image.mode in GREY else 3
            if fit.same and channels != fit.channels:
                raise MistrustError(
                    f"{where}: {_kind(channels)}, but the images before are {_kind(fit.channels)}. Convert them, or "
                    "declare the schema's metadata channels = 1 or 3 (see data/README.md)."
                )
            values = np.asarray(image.convert("L" if (fit.channels or channels) == 1 else "RGB"))
    except MistrustError:
        raise
    except UnidentifiedImageError as error:  # its own words name the buffer in memory, not the file
        raise MistrustError(
            f"{where}: no complete image ({len(encoded):,} bytes): it begins like no format that Pillow knows."
        ) from error
    except Image.DecompressionBombError as error:
        raise MistrustError(f"{where}: an image too large to be read ({error}). Make it smaller before.") from error
    except (OSError, SyntaxError, ValueError) as error:
        raise MistrustError(f"{where}: no complete image ({len(encoded):,} bytes): {error}") from error
    pixels = values[None] if values.ndim == 2 else values.transpose(2, 0, 1)
    return _sized(pixels, fit, where)


def _sized(pixels: np.ndarray, fit: Fit, where: str) -> np.ndarray:
    if fit.size is None or pixels.shape[1:] == fit.size:
        return pixels
    (height, width), (rows, columns) = pixels.shape[1:], fit.size
    if fit.crop and height >= rows and width >= columns:
        top, left = (height - rows) // 2, (width - columns) // 2
        return pixels[:, top : top + rows, left : left + columns]
    raise MistrustError(
        f"{where}: the image is {height}x{width} pixels (height x width), expected {rows}x{columns}. "
        "All images of a set have one size: resize them before."
    )


def _kind(channels: int) -> str:
    return "grey" if channels == 1 else "colour"
