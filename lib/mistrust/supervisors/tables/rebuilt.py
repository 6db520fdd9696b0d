"""Table "rebuilt": a few inputs of every kind beside what the autoencoder makes of them."""

from collections.abc import Iterator, Mapping

import torch

from mistrust.data import ImageSet
from mistrust.inputs import to_uint8
from mistrust.networks.variational import Variational
from mistrust.pictures import pack
from mistrust.supervisors.autoencoder import cross_entropy
from mistrust.supervisors.tables import Row


def rebuilt(sets: Mapping[str, ImageSet], network: Variational, count: int) -> Iterator[Row]:
    """The first `count` images of every set, each with its reconstruction from the mean code at its right.

    Parameters
    ----------
    sets : the inputs, by what they are called in `condition`.
    network : the autoencoder, in evaluation mode.

    Yields
    ------
    Rows whose `at` is the place in the set, whose `value` is the error (cross-entropy summed over pixels, nats) and
    whose `note` is the picture, twice as wide as an image.
    """
    for name, images in sets.items():
        some = images.take(slice(0, count)).floats()
        with torch.no_grad():
            logits = network.logits(network.posterior(some)[0])
        both = torch.cat([to_uint8(some), to_uint8(logits.sigmoid())], dim=3)
        for place, (error, picture) in enumerate(zip(cross_entropy(logits, some).tolist(), both, strict=True)):
            yield {
                "table": "rebuilt", "condition": name, "at": str(place), "metric": "reconstruction error",
                "value": error, "n": len(images), "note": pack(picture),
            }  # fmt: skip
