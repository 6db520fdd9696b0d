"""To what a hidden vector is reduced before boxes are laid around it: entries of a table, each a fit and a transform.

The original method reduces nothing (Henzinger, Lukina and Schilling, ECAI 2020), or looks at two neurons in its
figures; PCA and Isomap are additions of Ferreira and others (PRDC 2021, table I).
"""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Float64
from threadpoolctl import threadpool_limits
from torch import Tensor

from mistrust.registry import Registry

# Share of the training points' extent below which a computed width is rounding.
ROUNDING = 1e-9

Learnt = Mapping[str, Tensor]


@dataclass(frozen=True)
class Projection:
    """One way to reduce vectors.

    Attributes
    ----------
    title : what a reader calls it.
    fit : (points (m, D), components, neighbours) -> tensors, float64.
    transform : (points (n, D), those tensors) -> (n, d); a point's does not depend on the others.
    exact : whether values are read as they are, so that equal points stay equal to the last bit.

    Examples
    --------
    >>> points = torch.tensor([[1.0, 5.0, 3.0], [2.0, 8.0, 2.0]], dtype=torch.float64)
    >>> simple = PROJECTIONS["simple"]
    >>> simple.title, simple.transform(points, simple.fit(points, 2, 5)).tolist()
    ('first and last neuron', [[1.0, 3.0], [2.0, 2.0]])
    >>> mean = Projection("mean neuron", lambda points, c, n: {}, lambda points, learnt: points.mean(1, keepdim=True))
    >>> mean.transform(points, mean.fit(points, 1, 5)).tolist()  # one of your own
    [[3.0], [4.0]]
    """

    title: str
    fit: Callable[[Tensor, int, int], Learnt]
    transform: Callable[[Tensor, Learnt], Tensor]
    exact: bool = False


PROJECTIONS = Registry[Projection]("projection")


def fit_pca(points: Float64[Tensor, "m p"], components: int, neighbours: int) -> Learnt:
    """Mean (p,), and the axes (p, c) of largest variance, c at most p."""
    mean = points.mean(0)
    off = points - mean
    axes = torch.linalg.eigh(off.T @ off).eigenvectors.flip(1)[:, :components]
    return {"mean": mean, "axes": axes.contiguous()}


def pca(points: Float64[Tensor, "n p"], learnt: Learnt) -> Float64[Tensor, "n c"]:
    """Coordinates along the axes."""
    return (points - learnt["mean"]) @ learnt["axes"]


def fit_isomap(points: Float64[Tensor, "m p"], components: int, neighbours: int) -> Learnt:
    """What Isomap's transform reads; scikit-learn's, of m > components points, with at most m - 1 neighbours.

    Returns
    -------
    dict
        `points` (m, p), their geodesic `distances` (m, m), and of the kernel -distances^2 / 2 the means of its rows
        `rows` (m,), of all of it `mean` (), and `axes` (m, c), eigenvectors over the roots of their eigenvalues, 0
        where an eigenvalue is 0. `nearest` (): neighbours of a new point.
    """
    from sklearn.manifold import Isomap  # here: it takes a second to import, and few need it

    nearest = min(neighbours, len(points) - 1)
    # Dense: the other solver starts from numbers of a global generator.
    fit = Isomap(n_neighbors=nearest, n_components=components, eigen_solver="dense")
    # One thread: the order of sums, and with it the last digits, would depend on the machine's.
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")  # a graph in several parts is completed: this is what it warns of
        fit.fit(points.numpy())
    distances = torch.from_numpy(fit.dist_matrix_).to(torch.float64)
    values = torch.from_numpy(fit.kernel_pca_.eigenvalues_).to(torch.float64)
    vectors = torch.from_numpy(fit.kernel_pca_.eigenvectors_).to(torch.float64)
    good = values > ROUNDING * values.amax()
    axes = torch.where(good, vectors / values.where(good, 1.0).sqrt(), 0.0)
    kernel = -0.5 * distances.square()
    return {
        "points": points.clone(), "distances": distances.contiguous(), "rows": kernel.mean(0), "mean": kernel.mean(),
        "axes": axes, "nearest": torch.tensor(nearest),
    }  # fmt: skip


def isomap(points: Float64[Tensor, "n p"], learnt: Learnt) -> Float64[Tensor, "n c"]:
    """Embed new points by their geodesics through their nearest training points, as kernel PCA embeds.

    Bengio and others, Out-of-sample extensions for LLE, Isomap, MDS, eigenmaps and spectral clustering, 2003. Of
    geodesics g (m,) of a point its kernel row is -g^2 / 2, centred as the training kernel was.
    """
    known, distances = learnt["points"], learnt["distances"]
    exact = "donot_use_mm_for_euclid_dist"  # products lose the digits of short distances
    found = torch.cdist(points, known, compute_mode=exact).topk(int(learnt["nearest"]), 1, largest=False)
    geodesics = torch.full((len(points), len(known)), torch.inf, dtype=torch.float64)
    for away, index in zip(found.values.T, found.indices.T, strict=True):
        geodesics = geodesics.minimum(distances[index] + away[:, None])
    kernel = -0.5 * geodesics.square()
    return (kernel - kernel.mean(1, keepdim=True) - learnt["rows"] + learnt["mean"]) @ learnt["axes"]


PROJECTIONS.add(
    "none", Projection("all neurons", lambda points, components, neighbours: {}, lambda points, learnt: points, True)
)
PROJECTIONS.add(
    "simple",
    Projection(
        "first and last neuron",
        lambda points, components, neighbours: {},
        lambda points, learnt: points[:, [0, -1]],
        True,
    ),
)
PROJECTIONS.add("pca", Projection("principal components", fit_pca, pca))
PROJECTIONS.add("isomap", Projection("Isomap", fit_isomap, isomap))
