"""Images over the whole grid, from one class to the other, to ask judges whether the stated probabilities are right.

The ambiguous sets hold stated probabilities near one half alone; whether a stated 0.2 is right they cannot tell.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from mistrust.ambiguity import labels, sampling
from mistrust.ambiguity.autoencoder import Autoencoders
from mistrust.ambiguity.composition import to_bytes
from mistrust.ambiguity.grid import Grid
from mistrust.ambiguity.labels import LABELS
from mistrust.ambiguity.plain_vae import PlainVae
from mistrust.ambiguity.rivals import midpoints, mixed
from mistrust.ambiguity.sampling import Scheme
from mistrust.data import ImageSet


@dataclass(frozen=True, eq=False)
class Wide:
    """Images with what is said of them.

    Attributes
    ----------
    images : with labels that mean nothing.
    pairs : (n, 2) positions of each image's two classes.
    stated : (n,) the first class's probability, by rule or by rival.
    clusters : (n,) which images hang together: those of one pair.
    """

    images: ImageSet
    pairs: Tensor
    stated: Mapping[str, NDArray[np.float64]]
    clusters: NDArray[np.int64]


def wide(good: Autoencoders, images: ImageSet, vae: PlainVae, count: int, bound: float, seed: int) -> Iterator[Wide]:
    """Make images of each decoder evenly over the grid, and of the rivals evenly over the shares.

    Parameters
    ----------
    good : one decoder a pair.
    images : to mix, the decoders' training images.
    vae : a plain autoencoder of them.
    count : images in all, of the decoders and of each rival, up to a remainder.
    bound : of the grid.
    """
    each = max(1, count // len(good))
    points = sampling.draw(good, 1.0, each, Scheme(Grid(bound=bound), "uniform"), seed, "wide")
    with torch.no_grad():
        pixels = to_bytes(good.decode(points.z)).flatten(0, 1).view(-1, *good.shape)
        logits = good.logits(points.z)
    stated = {rule: labels.probabilities(logits, points.z, rule)[..., 0].flatten().numpy() for rule in LABELS}
    pairs = torch.tensor(good.pairs).repeat_interleave(each, 0)
    yield _wide(pixels, pairs, images, stated)
    wanted = [list(pair) for pair in good.pairs]
    for name, one in (
        ("mixing", mixed(images, wanted, each * len(good), delta_max=1.0, seed=seed, role="wide")),
        ("midpoint", midpoints(images, wanted, each * len(good), vae, delta_max=1.0, seed=seed, role="wide")),
    ):
        yield _wide(one.images, one.pairs, images, {name: one.probabilities[:, 0].numpy()})


def _wide(pixels: Tensor, pairs: Tensor, like: ImageSet, stated: Mapping[str, NDArray[np.float64]]) -> Wide:
    n = len(pixels)
    shown = ImageSet(f"wide-{like.name}", pixels, torch.zeros(n, dtype=torch.int64), torch.arange(n), like.classes)
    clusters = pairs[:, 0] * len(like.classes) + pairs[:, 1]
    return Wide(shown, pairs, stated, clusters.numpy())
