"""Features in which searches measure distances between instances: five principal components of the pixels.

As published: flattened pixels, each standardised, the first five principal components, rounded to four decimals, all
fitted on the whole test set, not on the pool.
"""

from typing import Any

import numpy as np
from jaxtyping import Float64
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mistrust.data import ImageSet
from mistrust.errors import MistrustError

COMPONENTS, DECIMALS = 5, 4


def features(images: ImageSet, components: int = COMPONENTS, decimals: int = DECIMALS) -> Float64[np.ndarray, "n p"]:
    """Principal components of standardised pixels, in standard deviations of a pixel, largest variance first.

    Pixels that are the same in all images count for nothing. The components are found exactly, by Lanczos' iteration
    from a fixed start, where the published call draws a random approximation without a seed; signs are scikit-learn's.

    Raises
    ------
    MistrustError
        Not more images, or not more pixels, than components.

    Examples
    --------
    >>> from mistrust.data import load
    >>> x = features(load("digits", "test"), components=2)
    >>> x.shape, bool(x[:, 0].var() > x[:, 1].var())
    ((500, 2), True)
    """
    pixels = images.images.flatten(1).numpy().astype(np.float64)
    if min(pixels.shape) <= components:
        raise MistrustError(
            f"{components} components need more than {components} images and pixels; '{images.name}' has "
            f"{pixels.shape[0]} images of {pixels.shape[1]} numbers. Take more images or fewer components."
        )
    # Any: the stubs of scikit-learn take no array whose type says more than its own.
    pipeline: Any = make_pipeline(StandardScaler(copy=False), PCA(components, svd_solver="arpack", random_state=0))
    found: np.ndarray = pipeline.fit_transform(pixels)
    return found.round(decimals) + 0.0  # no -0.0, which prints otherwise
