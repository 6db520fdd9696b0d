"""Table "pair": one image as it is, and with the noise that first changes the answer (the paper's Figure 4)."""

from collections.abc import Iterator

import torch

from mistrust.data import ImageSet
from mistrust.pictures import pack
from mistrust.robustness.breaking import Breaking
from mistrust.robustness.noise import GREY, Variant, find_variant, noisy
from mistrust.robustness.tables import Row


def pair(found: Breaking, images: ImageSet, variant: str | Variant) -> Iterator[Row]:
    """Rows of the first image that broke under the first noise seed; none where none did.

    `at` is the image's class, then the one that the network answers; the pictures stand in `note`, rounded to 8 bits.

    Parameters
    ----------
    found : breaking noise of images among `images`.
    images : the set that they are of.
    variant : the noise, by which they were found.
    """
    broke = found.broken[:, 0].nonzero()[:, 0]
    if not len(broke):
        return
    first = int(broke[0])
    image = images.take(images.ids == found.ids[first])
    clean, kind = image.floats(), find_variant(variant)[1]
    sigma = found.sigma[first, :1]
    z = kind.draw(torch.tensor(found.seeds[:1]), image.ids, sigma, tuple(clean.shape[1:]))
    moved = noisy(clean, z, sigma, clipped=kind.clipped).clamp(0, 1)
    common = {"table": "pair", "method": found.variant}
    for at, metric, value, pixels in (
        (found.labels[first], "source", float(found.ids[first]), clean),
        (found.new_label[first, 0], "sigma", float(sigma), moved),
    ):
        rounded = (pixels[0] * GREY).round().to(torch.uint8)
        yield {**common, "at": images.classes[int(at)], "metric": metric, "value": value, "note": pack(rounded)}
