"""Which parts of an image speak most for a class: superpixels, blotted out one at a time (Figure 8 has LIME's).

The paper shows LIME's superpixels (Ribeiro, Singh and Guestrin, 2016) for six images and says neither how they were
cut nor how many samples were drawn. Here pixels are grouped by place and colour, and a superpixel's weight is how much
the class's logit lead falls when it is blotted out with the image's mean colour: no sampling, no seed of one's own.
"""

from typing import Any

import numpy as np
import torch
from jaxtyping import Float64, Int64
from sklearn.cluster import KMeans
from torch import Tensor

from mistrust.data import ImageSet
from mistrust.networks import Classifier
from mistrust.search.mechanisms import luma

PIECES, SPEAKING = 16, 3
# How much a difference in place counts against one in colour, both in units of their range.
PLACE = 1.0


def superpixels(image: Float64[Tensor, "c h w"], pieces: int = PIECES) -> Int64[np.ndarray, "h w"]:
    """Number of each pixel's superpixel, from 0 on: K-means on row, column and colour."""
    _, height, width = image.shape
    row, column = np.mgrid[0:height, 0:width] / max(height, width)
    colour = image.numpy().reshape(len(image), -1)
    # Any: the stubs of scikit-learn take no array whose type says more than its own.
    points: Any = np.stack([PLACE * row.ravel(), PLACE * column.ravel(), *colour], 1)
    found = KMeans(min(pieces, len(points)), n_init=1, random_state=0).fit_predict(points)
    return np.asarray(found, dtype=np.int64).reshape(height, width)


@torch.no_grad()
def speaking_brightness(classifier: Classifier, images: ImageSet, label: int) -> Float64[np.ndarray, " n"]:
    """Mean luma of the `SPEAKING` superpixels that speak most for a class, minus the image's mean luma, in [-1, 1].

    Parameters
    ----------
    images : n, of a classifier of two classes.
    label : the class that is spoken for.
    """
    values = []
    for pixels in images.floats():
        parts = torch.from_numpy(superpixels(pixels.double()))
        count = int(parts.max()) + 1
        blot = pixels.mean((1, 2), keepdim=True)
        masks = parts[None] == torch.arange(count)[:, None, None]
        shown = torch.cat([pixels[None], torch.where(masks[:, None], blot, pixels)])
        logits = classifier(shown).double().cpu()
        lead = logits[:, label] - logits[:, 1 - label]
        most = (lead[0] - lead[1:]).argsort(descending=True, stable=True)[:SPEAKING]
        light = luma(pixels.double()[None])[0]
        values.append(float(light[masks[most].any(0)].mean() - light.mean()))
    return np.array(values, dtype=np.float64)
