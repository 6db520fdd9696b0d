"""Mahalanobis-distance-based surprise adequacy (MDSA): how far from the mean of the class, in its own spreads."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float, Float64, Int
from torch import Tensor

from mistrust.errors import MistrustError, check_known
from mistrust.inputs.limits import number
from mistrust.supervisors.card import Card
from mistrust.supervisors.contract import supervisor
from mistrust.supervisors.surprise.groups import (
    ModelOfClasses,
    centred,
    checked_rows,
    inverse_factor,
    products,
    scored,
)

COVARIANCES = {
    "pinv": "pseudo-inverse of the covariance: directions without variance are ignored",
    "ridge": "ridge * trace / d added to the diagonal",
    "ledoit_wolf": "shrunk towards trace / d on the diagonal, by Ledoit and Wolf's formula",
}
RIDGE = 1e-2


class Ellipsoid(NamedTuple):
    """Mean and inverse covariance of one class, along the directions in which its rows vary.

    Attributes
    ----------
    mean : (d,)
    axes : (d, r) directions; orthonormal unless they are all there are.
    weights : (r,) the inverse variance along each.
    rest : () the inverse variance along all other directions; 0 ignores them.

    Examples
    --------
    Rows on a line: by default what leaves the line does not count, with a ridge it does.

    >>> rows = torch.tensor([[-1.0, 0.0], [1.0, 0.0]], dtype=torch.float64)
    >>> beside = torch.tensor([[1.0, 3.0]], dtype=torch.float64)
    >>> for covariance in ("pinv", "ridge"):
    ...     round(ellipsoid(rows, covariance).surprise(beside).item(), 2)
    1.0
    1801.0
    """

    mean: Float64[Tensor, " d"]
    axes: Float64[Tensor, "d r"]
    weights: Float64[Tensor, " r"]
    rest: Float64[Tensor, ""]

    def surprise(self, queries: Float64[Tensor, "n d"]) -> Float64[Tensor, " n"]:
        """Give the squared Mahalanobis distance."""
        away = queries - self.mean
        along = away @ self.axes
        squares = along.square() @ self.weights
        if float(self.rest) == 0 or self.axes.shape[0] == self.axes.shape[1]:
            return squares
        # As a difference of vectors, not of squares, which would lose digits.
        return squares + self.rest * (away - along @ self.axes.T).square().sum(1)


def check_inverse(covariance: str, ridge: float) -> None:
    """Refuse a covariance that is in no table, and a ridge that is not above 0."""
    check_known("covariance of MDSA", covariance, COVARIANCES)
    if not 0 < number("MDSA: ridge", ridge) < float("inf"):
        raise MistrustError(f"MDSA adds a ridge above 0, got {ridge:g}.")


def ellipsoid(rows: Float[Tensor, "m d"], covariance: str = "pinv", ridge: float = RIDGE) -> Ellipsoid | None:
    """Fit mean and covariance (divided by m) of rows, and invert it.

    Parameters
    ----------
    covariance : an entry of `COVARIANCES`. The pseudo-inverse cuts as scipy's `pinvh` does, at d times the rounding
        of the largest eigenvalue; Ledoit and Wolf, A well-conditioned estimator for large-dimensional covariance
        matrices, 2004, as scikit-learn computes it; of two rows, which show no noise, the pseudo-inverse is left. So
        it is of deviations of about 1e76 and more, or 1e-80 and less, whose fourth powers are no float64 numbers:
        rescale such features.
    ridge : above 0, of "ridge" alone.

    Returns
    -------
    None where the rows do not vary: one row, or equal ones.

    Raises
    ------
    MistrustError
        Another covariance, a ridge that is not above 0.

    Examples
    --------
    Corners of a square about (1, 1) have variance 1 in each direction; (3, 1) is two spreads away:

    >>> rows = torch.tensor([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0]], dtype=torch.float64)
    >>> float(ellipsoid(rows).surprise(torch.tensor([[3.0, 1.0]], dtype=torch.float64)).round(decimals=6))
    4.0
    """
    check_inverse(covariance, ridge)
    mean, parts = centred(rows)

    def shrunk(trace: Tensor, norm: Tensor) -> tuple[Tensor, Tensor]:
        """How far towards a multiple of the identity, and the least eigenvalue that this leaves."""
        level = trace / len(mean)
        none = torch.zeros_like(level)
        if covariance == "ridge":
            return none, ridge * level
        if covariance == "pinv":
            return none, none
        fourth = sum((part.square().sum(1).square().sum() for part in parts()), none) / len(rows)
        spread = norm - len(mean) * level**2
        noise = torch.minimum((fourth - norm) / len(rows), spread)
        # Of two rows the noise is 0; what rounding leaves of it would make a deviation across them immense.
        above = fourth - norm > (len(rows) + len(mean)) * torch.finfo(torch.float64).eps * fourth
        shrinkage = torch.where(above & (noise > 0), noise / spread, 0.0)
        return shrinkage, shrinkage * level

    if len(rows) < len(mean):
        roots, axes = _spectrum(rows, mean, parts)
        shrinkage, floor = shrunk(roots.sum(), roots.square().sum())
    else:
        squares = _squares(mean, parts) / len(rows)
        shrinkage, floor = shrunk(squares.trace(), squares.square().sum())
        whole = _regular(mean, (1 - shrinkage) * squares + floor * torch.eye(len(mean)).to(squares), float(floor))
        if whole is not None:
            return whole
        # Features that do not vary are left out: a rounding of theirs would be multiplied by a far deviation.
        varies = (squares.diagonal() > 0).nonzero()[:, 0]
        if not len(varies):
            return None
        roots, within = _above_rounding(squares[varies][:, varies], len(mean))
        axes = torch.zeros(len(mean), len(roots)).to(within).index_copy_(0, varies, within)
    if not len(roots):
        return None
    rest = torch.where(floor > 0, 1 / floor, 0.0)
    # Row after row, as when loaded: sums have the same order.
    return Ellipsoid(mean, axes.contiguous(), 1 / ((1 - shrinkage) * roots + floor), rest)


def _regular(mean: Float64[Tensor, " d"], squares: Float64[Tensor, "d d"], floor: float) -> Ellipsoid | None:
    """What needs no eigenvectors: all directions vary, but for features that do not at all. None where others may not.

    Features that are constant in a class are common: units of a ReLU layer that the class never switches on.
    """
    varies = squares.diagonal() > 0
    inverse = inverse_factor(squares if varies.all() else squares[varies][:, varies], floor)
    if inverse is None or not len(inverse):
        return None
    axes = mean.new_zeros(len(mean), len(inverse))
    axes[varies] = inverse.T  # the pseudo-inverse is the inverse there, and 0 elsewhere
    return Ellipsoid(mean, axes, mean.new_ones(len(inverse)), mean.new_zeros(()))


def _squares(mean: Float64[Tensor, " d"], parts: Callable[[], Iterator[Tensor]]) -> Float64[Tensor, "d d"]:
    return sum((products(part) for part in parts()), torch.zeros(len(mean), len(mean)).to(mean))


def _spectrum(
    rows: Float[Tensor, "m d"], mean: Float64[Tensor, " d"], parts: Callable[[], Iterator[Tensor]]
) -> tuple[Float64[Tensor, " r"], Float64[Tensor, "d r"]]:
    """Eigenvalues of the covariance of few rows that differ from 0, and their directions.

    The products of rows have the same eigenvalues, and are fewer.
    """
    apart = torch.cat(list(parts()))
    roots, axes = _above_rounding(apart @ apart.T / len(rows), len(mean))
    return roots, apart.T @ axes / (roots * len(rows)).sqrt()


def _above_rounding(products: Float64[Tensor, "n n"], width: int) -> tuple[Tensor, Tensor]:
    roots, axes = torch.linalg.eigh(products)
    kept = roots > roots.abs().max() * width * torch.finfo(torch.float64).eps
    return roots[kept], axes[:, kept]


def mdsa(
    train: Float[Tensor, "m d"],
    groups: Int[Tensor, " m"],
    queries: Float[Tensor, "n d"],
    predicted: Int[Tensor, " n"],
    *,
    covariance: str = "pinv",
    ridge: float = RIDGE,
) -> Float64[Tensor, " n"]:
    """Give the squared Mahalanobis distance from the training rows of the predicted class.

    Kim and others, ESEC/FSE 2020. In float64.

    Parameters
    ----------
    train, queries : activations, one row per input.
    groups, predicted : the class that the network predicts for each row.
    covariance, ridge : see `ellipsoid`.

    Returns
    -------
    Scores in [0, inf]. +inf where the predicted class has no training row, one, or only equal ones.

    Raises
    ------
    MistrustError
        What is no numbers; shapes that do not belong together; a number that is not finite; another covariance or a
        ridge that is not above 0.

    Examples
    --------
    Class 0 spreads by 1 about 0, class 1 by 10 about 100. Twenty away from the mean is much in the one only:

    >>> train, groups = torch.tensor([[-1.0], [1.0], [90.0], [110.0]]), torch.tensor([0, 0, 1, 1])
    >>> mdsa(train, groups, torch.tensor([[20.0], [120.0]]), torch.tensor([0, 1])).round(decimals=6)
    tensor([400.,   4.], dtype=torch.float64)
    """
    train, groups, queries, predicted = checked_rows(train, groups, queries, predicted)
    check_inverse(covariance, ridge)
    return scored(train, groups, queries, predicted, lambda rows: ellipsoid(rows, covariance, ridge))


@supervisor("mdsa")
@dataclass(eq=False)
class MDSA(ModelOfClasses):
    """Mahalanobis-distance-based surprise adequacy.

    Attributes
    ----------
    layer : the layer to read; empty: the one that the record holds.
    covariance : "pinv", "ridge" or "ledoit_wolf".
    ridge : of "ridge", in mean variances.

    Raises
    ------
    MistrustError
        Another covariance, a ridge that is not above 0.

    Examples
    --------
    >>> from mistrust.networks import observe
    >>> from mistrust.supervisors.made_up import made_up
    >>> it = made_up()
    >>> mdsa = MDSA(layer="hidden").fit(observe(it.classifier, it.training, layers=["hidden"]))
    >>> near, far = (mdsa.score(observe(it.classifier, some, layers=["hidden"])) for some in (it.nominal, it.novel))
    >>> bool(near.max() < 100), bool(far.min() > 1000)
    (True, True)
    """

    layer: str = ""
    covariance: str = "pinv"
    ridge: float = RIDGE

    kind = Ellipsoid
    card = Card(
        "Mahalanobis-Distance-based Surprise Adequacy", "surprise",
        "Kim and others, Reducing DNN labelling cost using surprise adequacy: an industrial case study for autonomous "
        "driving, ESEC/FSE 2020",
        "Mahalanobis distance based surprise adequacy", "https://arxiv.org/abs/2006.00894", ("logits", "layer"),
        "Fitting takes m d^2 products and one decomposition of min(m, d) rows a class; scoring takes n d^2 products, "
        "in float64; k d^2 numbers are kept.",
        limits="The default ignores directions in which the training images of the class do not vary: with fewer of "
        "them than the layer has features, most directions; covariance='ledoit_wolf' ignores none.",
    )  # fmt: skip

    def __post_init__(self) -> None:
        check_inverse(self.covariance, self.ridge)

    def _model(self, rows: Float[Tensor, "m d"]) -> Ellipsoid | None:
        return ellipsoid(rows, self.covariance, self.ridge)
