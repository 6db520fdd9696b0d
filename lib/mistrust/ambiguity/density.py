"""How likely an image is under a model that knows no network and no labels: is an ambiguous image odd?

A mixture of Gaussians on the first principal components of nominal images, and one Gaussian of equal variance on all
that lies outside them, as in probabilistic principal component analysis (Tipping and Bishop, 1999). It is a judge from
outside: no generator and no classifier of the chapter was fitted with its help.

Most directions lie outside, so the whole density is ruled by how much fine detail an image has. What is smoother than
nominal images, as generated ones and means of two images are, is *denser* than they: of MNIST's test images and means
of two of them, the latter are the less dense ones in 0.15 of pairs only. The density within the components alone
(`log_density(images, outside=False)`) asks what is shown rather than how sharply, and there it is 0.70. Neither is a
probability that an image is valid; noise is less dense by both.
"""

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float64
from numpy.typing import ArrayLike, NDArray
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture
from threadpoolctl import threadpool_limits
from torch import Tensor

from mistrust import random
from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.inputs.limits import whole

# Least number of images for each component kept, and for each of these in a cluster: a full covariance needs them.
SHARE = 5
# Images scored at a time: bounds the copy in float64.
BLOCK = 4096
# Variance of the rounding to 256 levels, 1/12 of a squared step: no direction is known more exactly than that.
ROUNDING = 1 / (12 * 255**2)
# Added to the variances in a cluster, as a share of the smallest variance kept, so that no cluster collapses.
REGULARIZATION = 0.01
STEPS = 100
# PCA by the eigenvectors of the covariance: exact, and fast where images are more than pixels.
SOLVER: Any = "covariance_eigh"

Pixels = ImageSet | Tensor | ArrayLike


@dataclass(frozen=True, eq=False)
class DensityModel:
    """A fitted model of images of one size.

    Attributes
    ----------
    mean : (d,) of all pixels.
    basis : (q, d) principal components, rows of length 1.
    mixture : scikit-learn's `GaussianMixture` on them, fitted.
    noise : variance of each direction outside.
    n : how many images it was fitted on.
    """

    mean: NDArray[np.float64]
    basis: NDArray[np.float64]
    mixture: Any
    noise: float
    n: int

    @property
    def components(self) -> int:
        """How many components were kept, q."""
        return len(self.basis)

    @property
    def clusters(self) -> int:
        """How many Gaussians are mixed."""
        return len(self.mixture.weights_)

    @classmethod
    def fit(
        cls, images: Pixels, *, components: int = 40, clusters: int = 30, seed: int = 0, most: int = 20000
    ) -> "DensityModel":
        """Fit the model.

        Parameters
        ----------
        images : an `ImageSet`, or (n, ...) pixels: uint8, which are divided by 255, or floats in [0, 1].
        components : how many to keep; fewer are kept where there are fewer than 5 images for each, fewer pixels, or
            fewer directions in which the images differ.
        clusters : Gaussians to mix; fewer where a cluster would have fewer than 5 images for each component.
        seed : of the choice of images and of the mixture's start.
        most : where there are more images, this many are chosen evenly at random.

        Returns
        -------
        The model; its `components` and `clusters` say what was fitted. EM stops after at most 100 steps: any step is a
        density. Some 30 s for 20,000 images of 784 pixels on one core.

        Raises
        ------
        MistrustError
            Fewer than 10 images, pixels outside [0, 1] or not finite, images that are all equal, a count that is not
            whole or below 1.
        """
        components, clusters, most = (
            whole(f"Density: {name}", count, 0)
            for name, count in (("components", components), ("clusters", clusters), ("most", most))
        )
        if min(components, clusters, most) < 1:
            raise MistrustError(
                f"components, clusters and most are {components}, {clusters} and {most}, expected 1 or more of each."
            )
        x = _raw(images)
        if min(len(x), most) < 2 * SHARE:
            raise MistrustError(
                f"A density needs at least {2 * SHARE} images, got {min(len(x), most)}: give more images (or a larger "
                "`most`)."
            )
        if len(x) > most:
            x = x[np.sort(random.generator(seed, "density/images").choice(len(x), most, replace=False))]
        x = _floats(x)
        n, d = x.shape
        if (x == x[0]).all():
            raise MistrustError(f"All {n} images are equal: a density needs images that differ.")
        variance = x.var(axis=0, ddof=1).sum()
        # One thread: the order of sums, and with it the last digits, would depend on the machine's.
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            pca: Any = PCA(min(components, d, n // SHARE), svd_solver=SOLVER)
            pca.fit(x)
            # A direction without variance is no component; rounding leaves it some.
            kept = max(1, int((pca.explained_variance_ > 1e-9 * variance).sum()))
            basis, own = pca.components_[:kept], pca.explained_variance_[:kept]
            mixture: Any = GaussianMixture(
                max(1, min(clusters, n // (SHARE * kept))),
                reg_covar=max(ROUNDING, REGULARIZATION * float(own[-1])),
                max_iter=STEPS,
                random_state=int(random.generator(seed, "density/mixture").integers(2**32)),
            )
            mixture.fit((x - pca.mean_) @ basis.T)
        noise = max(ROUNDING, float(variance - own.sum()) / (d - kept)) if d > kept else ROUNDING
        return cls(pca.mean_, basis, mixture, noise, n)

    def log_density(self, images: Pixels, *, outside: bool = True) -> Float64[np.ndarray, " n"]:
        """Give the logarithm of the density in nats; higher is more usual.

        Parameters
        ----------
        images : as in `fit`, on the same scale. Those that were fitted are denser than others of their kind.
        outside : count what lies outside the components; False gives the density of the q components alone.

        Raises
        ------
        MistrustError
            Images of another size, with pixels outside [0, 1] or not finite.
        """
        x = _raw(images)
        d = len(self.mean)
        if x.shape[1] != d:
            raise MistrustError(f"Images have {x.shape[1]} pixels, the density was fitted on images of {d}.")
        found = np.empty(len(x))
        with threadpool_limits(1):
            for at in range(0, len(x), BLOCK):
                here = _floats(x[at : at + BLOCK]) - self.mean
                z = here @ self.basis.T
                value = self.mixture.score_samples(z)
                if outside:
                    rest = ((here - z @ self.basis) ** 2).sum(axis=1)
                    free = d - self.components
                    value = value - rest / (2 * self.noise) - free / 2 * math.log(2 * math.pi * self.noise)
                found[at : at + BLOCK] = value
        return found


def _raw(images: Pixels) -> NDArray[np.generic]:
    """Give images as an array (n, d), in their own type."""
    given = images.images if isinstance(images, ImageSet) else images
    try:
        x = given.detach().cpu().numpy() if isinstance(given, Tensor) else np.asarray(given)
    except ValueError:
        raise MistrustError("Images have different sizes, expected (n, ...) pixels, as many of each image.") from None
    if x.dtype.kind not in "biuf":
        raise MistrustError(f"Pixels are {x.dtype}, expected uint8, or floats in [0, 1].")
    if x.ndim < 2:
        raise MistrustError(f"Images have shape {x.shape}, expected (n, ...): for one image give images[None].")
    return x.reshape(len(x), math.prod(x.shape[1:]))


def _floats(x: NDArray[np.generic]) -> NDArray[np.float64]:
    pixels = x.astype(np.float64) / (255 if x.dtype == np.uint8 else 1)
    if not np.isfinite(pixels).all():
        raise MistrustError(f"{int((~np.isfinite(pixels)).any(axis=1).sum())} of {len(x)} images are not finite.")
    low, high = pixels.min(initial=0), pixels.max(initial=0)
    if low < 0 or high > 1:
        raise MistrustError(
            f"Pixels ({x.dtype}) reach from {low:g} to {high:g}, expected [0, 1]: give images / 255, or grey levels as "
            "uint8."
        )
    return pixels
