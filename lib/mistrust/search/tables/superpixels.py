"""Which parts of an image speak most for a class: superpixels, blotted out one at a time (Figure 8 has LIME's).

The paper shows LIME's superpixels (Ribeiro, Singh and Guestrin, 2016) for six images and says neither how they were
cut nor how many samples were drawn. Here pixels are grouped by place and colour, and a superpixel's weight is how much
the class's logit lead falls when it is blotted out with the image's mean colour: no sampling, no seed of one's own.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float, Float64, Int64, UInt8
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from torch import Tensor

from mistrust.data import ImageSet
from mistrust.networks import Classifier
from mistrust.search.mechanisms import luma

PIECES, SPEAKING = 16, 3
# How much a difference in place counts against one in colour, both in units of their range.
PLACE = 1.0
REST = 128  # grey, where a superpixel does not speak


def superpixels(image: Float64[Tensor, "c h w"], pieces: int = PIECES) -> Int64[np.ndarray, "h w"]:
    """Number of each pixel's superpixel, from 0 on: K-means on row, column and colour."""
    _, height, width = image.shape
    row, column = np.mgrid[0:height, 0:width] / max(height, width)
    colour = image.numpy().reshape(len(image), -1)
    # Any: the stubs of scikit-learn take no array whose type says more than its own.
    points: Any = np.stack([PLACE * row.ravel(), PLACE * column.ravel(), *colour], 1)
    found = KMeans(min(pieces, len(points)), n_init=1, random_state=0).fit_predict(points)
    return np.asarray(found, dtype=np.int64).reshape(height, width)


@dataclass(frozen=True)
class Speaking:
    """What speaks most for a class in each of n images.

    Attributes
    ----------
    brightness : (n,) mean luma of the `SPEAKING` superpixels that speak most, minus the image's mean luma, in [-1, 1].
    falls : (n,) by how much the class's lead falls, in logits, where all of them are blotted out at once.
    masks : (n, h, w) whether a pixel is in one of them.
    """

    brightness: Float64[np.ndarray, " n"]
    falls: Float64[np.ndarray, " n"]
    masks: Bool[np.ndarray, "n h w"]


@torch.no_grad()
def speaking(classifier: Classifier, images: ImageSet, label: int) -> Speaking:
    """Blot out the superpixels of images one at a time, and find those that speak most for a class.

    Parameters
    ----------
    images : n, of a classifier of two classes.
    label : the class that is spoken for.
    """
    light: list[float] = []
    falls: list[float] = []
    where: list[NDArray[np.bool_]] = []
    for pixels in images.floats():
        parts = superpixels(pixels.double())
        numbers, lead = _most(classifier, pixels, parts, label)
        most = (torch.from_numpy(parts)[None] == numbers[:, None, None]).any(0)
        luminance = luma(pixels.double()[None])[0]
        light.append(float(luminance[most].mean() - luminance.mean()))
        without = torch.where(most, pixels.mean((1, 2), keepdim=True), pixels)
        falls.append(float(lead - _lead(classifier, without[None], label)[0]))
        where.append(most.numpy())
    return Speaking(np.array(light), np.array(falls), np.array(where, dtype=bool).reshape(-1, *images.images.shape[2:]))


@torch.no_grad()
def most_speaking(
    classifier: Classifier, pixels: Float[Tensor, "c h w"], parts: Int64[np.ndarray, "h w"], label: int
) -> set[int]:
    """Numbers of the `SPEAKING` superpixels of one image that speak most for a class.

    Parameters
    ----------
    parts : number of each pixel's superpixel, which may have been cut from another image.
    """
    return {*_most(classifier, pixels, parts, label)[0].tolist()}


def _most(classifier: Classifier, pixels: Tensor, parts: Int64[np.ndarray, "h w"], label: int) -> tuple[Tensor, Tensor]:
    """The superpixels that speak most, strongest first, and the class's lead with all of them in place."""
    masks = torch.from_numpy(parts)[None] == torch.arange(int(parts.max()) + 1)[:, None, None]
    blot = pixels.mean((1, 2), keepdim=True)
    lead = _lead(classifier, torch.cat([pixels[None], torch.where(masks[:, None], blot, pixels)]), label)
    return (lead[0] - lead[1:]).argsort(descending=True, stable=True)[:SPEAKING], lead[0]


def alone(whole: UInt8[Tensor, "c h w"], mask: Bool[np.ndarray, "h w"]) -> UInt8[Tensor, "c h w"]:
    """Give the part of an image within a mask; the rest is grey."""
    return torch.where(torch.from_numpy(mask), whole, torch.full_like(whole, REST))


def _lead(classifier: Classifier, shown: Tensor, label: int) -> Tensor:
    logits = classifier(shown).double().cpu()
    return logits[:, label] - logits[:, 1 - label]
