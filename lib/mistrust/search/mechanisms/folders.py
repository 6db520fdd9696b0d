"""Image files in a folder of one's own: where it lies, and its pictures at one size."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from jaxtyping import UInt8
from torch import Tensor

from mistrust.data import pixels, places
from mistrust.errors import MistrustError, NotHere
from mistrust.progress import bar


def place(name: str, needed: Sequence[str], way: str) -> Path:
    """The first folder `name` below those that are searched (`MISTRUST_DATA` first) that has all that is needed.

    Raises
    ------
    NotHere
        There is none: says what is missing where, and the way to get it.
    """
    lacking = []
    for folder in places.named(name):
        missing = [one for one in needed if not (folder / one).exists()]
        if not missing:
            return folder
        lacking.append(f"{folder} lacks {', '.join(missing)}.")
    raise NotHere(
        " ".join(
            [f"'{name}' is not here.", *lacking, f"{way} Put it into FOLDER/{name}/ and set MISTRUST_DATA=FOLDER."]
        )
    )


def pictures(paths: Sequence[Path], size: tuple[int, int]) -> UInt8[Tensor, "n 3 h w"]:
    """Decode colour pictures and bring each to (height, width), its shape ignored: bilinear with antialiasing.

    Raises
    ------
    MistrustError
        A file that is missing or no complete image: names it.
    """
    from PIL import Image

    height, width = size
    images = np.empty((len(paths), 3, height, width), np.uint8)
    with bar(len(paths), "decoding pictures", "image") as progress:
        for row, path in enumerate(paths):
            try:
                encoded = path.read_bytes()
            except OSError as error:
                raise MistrustError(f"{path} cannot be read: {error.strerror}. Unpack the archive again.") from error
            whole = pixels.decode(encoded, pixels.Fit(channels=3), str(path))
            resized = Image.fromarray(whole.transpose(1, 2, 0)).resize((width, height), Image.Resampling.BILINEAR)
            images[row] = np.asarray(resized).transpose(2, 0, 1)
            progress.update()
    return torch.from_numpy(images)
