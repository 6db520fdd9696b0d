"""Relative Mahalanobis distance: to the nearest class, minus to all training images together."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Float, Float64, Int
from torch import Tensor

from mistrust.errors import MistrustError, check_known
from mistrust.inputs.limits import number, whole_numbers
from mistrust.networks import Record
from mistrust.supervisors.blocks import blocks, check_width, checked, of_one_layer
from mistrust.supervisors.card import Card
from mistrust.supervisors.contract import Fitted, Supervisor, supervisor

GROUPS = ("labels", "predicted")
# Largest memory that covariances may take, in GB, and how many matrices of their size exist at once.
LARGEST, MATRICES = 64, 6


def check_ridge(ridge: float) -> None:
    """Refuse a ridge that is not from 0 on."""
    if not 0 <= number("ridge", ridge) < float("inf"):
        raise MistrustError(f"ridge is {ridge:g}, expected at least 0; 0 is the pseudo-inverse.")


def relative_mahalanobis(
    train: Float[Tensor, "m d"], groups: Int[Tensor, " m"], features: Float[Tensor, "n d"], ridge: float = 0.0
) -> Float64[Tensor, " n"]:
    """Smallest squared Mahalanobis distance to a class, minus the squared distance to all rows: any real number.

    Ren et al. 2021, section 2: each class has its own mean, all share one covariance (the mean over all rows of the
    products of deviations from the class mean); the background has the mean and the covariance of all rows. Both
    covariances divide by m; pytorch-ood 0.4.0 leaves that out, so that its scores are 1/m of these.

    Directions in which a covariance has no variance are left out of its distance (pseudo-inverse), unless `ridge`
    adds that share of the mean variance to every direction. Where a covariance is zero altogether (one row; constant
    features) its distance is 0. A class without rows has no mean and is left out.

    Parameters
    ----------
    train, groups : m >= 1 rows and the class of each.
    ridge : at least 0; 0 is the pseudo-inverse.

    Raises
    ------
    MistrustError
        Another ridge; no training row, or another number of groups than of rows; what is no rows of numbers, or of
        two lengths; a number that is not finite.
    """
    train, features = of_one_layer(train, features)
    groups = whole_numbers("The classes of the training rows", groups)
    if not len(train) or groups.shape != train.shape[:1]:
        raise MistrustError(
            f"There are {len(train)} training rows and classes of shape {tuple(groups.shape)}, expected at least one "
            "row and a class for each."
        )
    return _relative(features, **fit_gaussians(train, groups, ridge))


def fit_gaussians(
    train: Float[Tensor, "m d"], groups: Int[Tensor, " m"], ridge: float = 0.0
) -> dict[str, Float64[Tensor, "..."]]:
    """What `relative_mahalanobis` needs of the training rows.

    Returns
    -------
    dict
        `centre` (d,), the mean of all rows; `means` (c, r), those of the classes that occur, from the centre, and
        `within` (d, r), which whitens deviations from them; `background` (d, s), which whitens those from the centre.

    Raises
    ------
    MistrustError
        A ridge that is no number of at least 0; covariances of more than 64 GB.
    """
    check_ridge(ridge)
    present, group = groups.unique(return_inverse=True)
    counts = torch.bincount(group, minlength=len(present)).to(torch.float64)
    # From the first row: a feature that does not vary is exactly 0, so that no deviation along it is seen.
    first = train[0].to(torch.float64)
    sums = torch.zeros(len(present), train.shape[1], dtype=torch.float64)
    for rows in blocks(len(train)):
        sums.index_add_(0, group[rows], train[rows].to(torch.float64) - first)
    means, centre = sums / counts[:, None], sums.sum(0) / len(train)
    between = means - centre
    d = train.shape[1]
    if len(train) < d and ridge == 0:
        off = train.to(torch.float64) - first
        whiten = _of_few(off - means[group])
        background = _of_few(off - centre)
    else:
        _check_size(d, ridge)
        scatter = torch.zeros(d, d, dtype=torch.float64)
        for rows in blocks(len(train)):
            off = train[rows].to(torch.float64) - first - means[group[rows]]
            scatter.addmm_(off.T, off)
        within = scatter / len(train)
        whiten = _whitening(within, ridge)
        # Total variance is variance within plus variance between: no second pass over the rows.
        background = _whitening(within + between.T @ (between * counts[:, None]) / len(train), ridge)
    return {"centre": first + centre, "means": between @ whiten, "within": whiten, "background": background}


def _check_size(d: int, ridge: float) -> None:
    """Refuse covariances that no memory takes, before it is asked for them."""
    size = MATRICES * 8 * d**2 / 1e9
    if size > LARGEST:
        fewer = "ridge=0 with fewer images than numbers needs none, " if ridge else "With fewer images it needs none, "
        raise MistrustError(
            f"Relative Mahalanobis: covariances of {d:,} numbers per image take about {size:,.3g} GB. {fewer}and a "
            "later layer gives fewer numbers."
        )


def _of_few(deviations: Float64[Tensor, "m d"]) -> Float64[Tensor, "d r"]:
    """What `_whitening` gives of few rows' covariance, without it: the products of rows have the same eigenvalues.

    A feature that does not vary is 0 in all rows, and so in all directions.
    """
    m, d = deviations.shape
    found, axes = torch.linalg.eigh(deviations @ deviations.T / m)
    kept = (found > 0) & (found > found.max() * d * torch.finfo(torch.float64).eps)
    return (deviations.T @ (axes[:, kept] / (found[kept] * m**0.5))).contiguous()


def _whitening(covariance: Float64[Tensor, "d d"], ridge: float) -> Float64[Tensor, "d r"]:
    """A matrix A with A A' the (pseudo-)inverse; variance below d x 2e-16 of the largest counts as none.

    Features that do not vary are directions by themselves: decomposed with the others, they would take part in those of
    little variance, by a rounding that a far deviation multiplies.
    """
    varies = (covariance.diagonal() > 0).nonzero()[:, 0]
    found, axes = torch.linalg.eigh(covariance[varies][:, varies])
    variance, directions = torch.zeros(len(covariance)).to(found), torch.eye(len(covariance)).to(axes)
    variance[varies], directions[varies[:, None], varies] = found.clamp_min(0), axes
    variance = variance + ridge * variance.mean()
    kept = variance > variance.max() * len(variance) * torch.finfo(torch.float64).eps
    return directions[:, kept] / variance[kept].sqrt()


def _relative(features: Tensor, centre: Tensor, means: Tensor, within: Tensor, background: Tensor) -> Tensor:
    scores = []
    for rows in blocks(len(features)):
        off = features[rows].to(torch.float64) - centre
        white = off @ within
        nearest = torch.stack([(white - mean).square().sum(1) for mean in means]).amin(0)
        scores.append(nearest - (off @ background).square().sum(1))
    return torch.cat(scores)


@supervisor("relative_mahalanobis")
@dataclass(eq=False)
class RelativeMahalanobis(Supervisor):
    """Squared Mahalanobis distance to the nearest class, minus that to all training images.

    Attributes
    ----------
    layer : the layer read, flat; the paper reads the one before the last linear layer.
    groups : "labels" (the paper) or "predicted": what makes a training image one of a class.
    ridge : share of the mean variance added to every direction of both covariances; 0 is the pseudo-inverse, which
        does not see what training images never did (a unit that was always 0).
    """

    card = Card(
        "Relative Mahalanobis", "surprise",
        "Ren and others, A simple fix to Mahalanobis distance for improving near-OOD detection, 2021",
        "section 2", "https://arxiv.org/abs/2106.09022", ("layer",),
        "Fitting decomposes two d x d covariances, or m x m products of m < d training rows where ridge is 0; an image "
        "costs 2 d min(m, d) multiply-adds.",
        fits=("labels",),
        limits="One covariance stands for all classes, and directions that no training image took do not count.",
    )  # fmt: skip
    layer: str = ""
    groups: str = "labels"
    ridge: float = 0.0

    def __post_init__(self) -> None:
        check_known("way of grouping", self.groups, GROUPS)
        check_ridge(self.ridge)

    def _fit(self, record: Record, layers: tuple[str, ...]) -> Mapping[str, Tensor]:
        groups = record.labels if self.groups == "labels" else record.predicted
        features = checked(record, layers[0], self.card.title)
        if len(groups.unique()) < 2:
            raise MistrustError(
                f"{self.card.title} compares classes with all images, and the training images are of one class by "
                f"their {'labels' if self.groups == 'labels' else 'predictions'}: every score would be 0. Give images "
                'of two classes or more; groups="predicted" needs no labels.'
            )
        return fit_gaussians(features, groups, self.ridge)

    def _score(self, record: Record, learnt: Fitted) -> Tensor:
        features = checked(record, learnt.layers[0], self.card.title)
        check_width(features, len(learnt.state["centre"]), learnt, self.card.title)
        return _relative(features, **learnt.state)
