"""Likelihood-based surprise adequacy (LSA): how unlikely an input is under a kernel density of its class."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import log, pi
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Float64, Int
from torch import Tensor

from mistrust.errors import MistrustError
from mistrust.inputs.limits import number, whole
from mistrust.supervisors.card import Card
from mistrust.supervisors.contract import supervisor
from mistrust.supervisors.surprise.groups import (
    ModelOfClasses,
    centred,
    checked_rows,
    inverted,
    products,
    scored,
    surely_regular,
)

ROWS = 4096  # of a tile of kernel values
WIDE = 1024  # columns: of more, most of a class may not vary, and all products cost more than a look at each
RIDGE = 1e-2  # of 1e-6 to 1, the best against two kinds of bad input, of 100 to 200 rows and 300 features a class


class Density(NamedTuple):
    """A Gaussian kernel density of one class, in coordinates where a kernel is a standard normal.

    Attributes
    ----------
    columns : (d,) features that are kept.
    mean : (d,) mean of the rows.
    factor : (d, d) lower triangular; factor @ factor.T is the kernels' covariance.
    rows : (m, d) the rows in those coordinates.
    log_norm : () -log(m) - log of the square root of det(2 pi covariance).
    linear : () whether the density is formed before its logarithm is taken, so that it underflows.

    Examples
    --------
    >>> rows = torch.tensor([[-1.0], [0.0], [1.0]], dtype=torch.float64)
    >>> near, far = density(rows).surprise(torch.tensor([[0.0], [5.0]], dtype=torch.float64))
    >>> bool(near < far)
    True
    """

    columns: Int[Tensor, " d"]
    mean: Float64[Tensor, " d"]
    factor: Float64[Tensor, "d d"]
    rows: Float64[Tensor, "m d"]
    log_norm: Float64[Tensor, ""]
    linear: Bool[Tensor, ""]

    def surprise(self, queries: Float64[Tensor, "n f"]) -> Float64[Tensor, " n"]:
        """Give -log density of rows of all features."""
        z = _whitened_(queries[:, self.columns] - self.mean, self.factor)
        size = z.square().sum(1)
        linear = bool(self.linear)
        found: list[Tensor] = []
        for tile in self.rows.split(ROWS):
            powers = (z @ tile.T).sub_(torch.linalg.vector_norm(tile, dim=1).square_().div_(2))
            found.append(powers.sub_(size[:, None] / 2).exp_().sum(1) if linear else _log_sum_exp_(powers))
        if linear:
            density = torch.stack(found).sum(0) * self.log_norm.exp()
            return -torch.nan_to_num(density, nan=0.0, posinf=float("inf")).log()
        return size / 2 - torch.stack(found).logsumexp(0) - self.log_norm


def _log_sum_exp_(powers: Float64[Tensor, "n m"]) -> Float64[Tensor, " n"]:
    """Give `powers.logsumexp(1)`; the powers are overwritten, which saves the time that two more such tensors take."""
    most = powers.amax(1, keepdim=True)
    most.masked_fill_(most.isinf(), 0)
    return powers.sub_(most).exp_().sum(1).log_().add_(most[:, 0])


def _whitened_(away: Float64[Tensor, "n d"], factor: Float64[Tensor, "d d"]) -> Float64[Tensor, "n d"]:
    """Give rows in the coordinates of a factor; they are overwritten where they lie."""
    # From the left, rows as columns: as they lie in memory, so that nothing is copied there and back.
    columns = away.T
    return torch.linalg.solve_triangular(factor, columns, upper=False, out=columns).T.contiguous()


def checked_features(features: int, ridge: float) -> int:
    """Give the number of features to keep; one that is not whole or below 0, and a ridge not above 0, are refused."""
    kept = number("LSA: features", features)
    if not kept >= 0 or not 0 < number("LSA: ridge", ridge) < float("inf"):
        raise MistrustError(
            f"LSA keeps 0 (all) or more features and adds a ridge above 0, got features={features}, ridge={ridge:g}."
        )
    return whole("LSA: features", features, 0)


def density(
    rows: Float[Tensor, "m f"], features: int = 300, ridge: float = RIDGE, as_published: bool = False
) -> Density | None:
    """Fit a kernel density with the covariance of the rows (m - 1 below) times Scott's m^(-2 / (d + 4)).

    Where the covariance is singular, ridge * trace / d is added to its diagonal: fewer rows than kept features, or an
    eigenvalue of the correlations within rounding of 0. Elsewhere this is `scipy.stats.gaussian_kde`.

    Parameters
    ----------
    features : how many columns of highest variance to keep, d at most; 0 keeps all. Columns that do not vary go.
    ridge : above 0, relative to the mean variance of the kept columns.
    as_published : keep columns that do not vary, and replace the diagonal of a singular covariance by 1e-10, 2e-10,
        ... up to 1e-5, as AmbiGuess's code does.

    Returns
    -------
    None where nothing can be said: one row, equal rows, or, as published, a covariance that stays singular.

    Raises
    ------
    MistrustError
        A number of features that is not whole or below 0; a ridge that is not above 0, or so small that a singular
        covariance stays it.

    Examples
    --------
    The same as SciPy's, where the covariance is not singular:

    >>> from scipy.stats import gaussian_kde
    >>> rows = torch.tensor([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [3.0, 2.0]], dtype=torch.float64)
    >>> ours = density(rows).surprise(torch.tensor([[1.0, 1.0]], dtype=torch.float64))
    >>> theirs = -gaussian_kde(rows.numpy().T).logpdf([1.0, 1.0])
    >>> bool(abs(float(ours) - float(theirs[0])) < 1e-9)
    True
    >>> density(rows[:1]) is None  # one row has no spread
    True
    """
    features = checked_features(features, ridge)
    if len(rows) < 2:
        return None
    mean, parts = centred(rows)
    columns, kept, sums = _chosen(mean, parts, features, as_published)
    if not len(columns):
        return None
    covariance = sums / (len(rows) - 1)
    width = len(rows) ** (-1 / (len(columns) + 4))
    root = _replaced(covariance) if as_published else _ridged(covariance, len(rows), ridge)
    if root is None:
        return None
    factor = (root * width).contiguous()  # row after row, as when loaded: sums have the same order
    log_norm = -factor.diagonal().log().sum() - log(len(rows)) - len(columns) * log(2 * pi) / 2
    return Density(columns, mean[columns], factor, _whitened_(kept, factor), log_norm, torch.tensor(as_published))


def _chosen(
    mean: Float64[Tensor, " f"], parts: Callable[[], Iterator[Tensor]], features: int, constant: bool
) -> tuple[Int[Tensor, " d"], Float64[Tensor, "m d"], Float64[Tensor, "d d"]]:
    """The columns to keep, rows less their mean in these alone, and the sums of their products.

    Products of all columns hold the variances: where few are all that may be kept, one pass over the rows does.
    """
    features = features or len(mean)
    if len(mean) <= min(features, WIDE):
        blocks = list(parts())
        kept = torch.cat(blocks) if len(blocks) > 1 else blocks[0]
        sums = products(kept)
        varies = sums.diagonal() > 0
        if constant or bool(varies.all()):
            return torch.arange(len(mean), device=mean.device), kept, sums
        columns = varies.nonzero()[:, 0]
        return columns, kept[:, columns], sums[columns][:, columns]
    squares = sum((part.square().sum(0) for part in parts()), torch.zeros_like(mean))
    columns = squares.argsort(descending=True, stable=True)[:features]
    columns = (columns if constant else columns[squares[columns] > 0]).sort().values
    kept = torch.cat([part[:, columns] for part in parts()])
    return columns, kept, products(kept)


def _ridged(covariance: Float64[Tensor, "d d"], rows: int, ridge: float) -> Float64[Tensor, "d d"]:
    """Cholesky factor, after a ridge where the covariance is singular."""
    variance = covariance.diagonal()
    if rows > len(variance):
        factor, broken = torch.linalg.cholesky_ex(covariance)
        if not int(broken) and _regular(covariance, factor):
            return factor
    even = ridge * variance.mean() * torch.eye(len(variance)).to(variance)
    factor, broken = torch.linalg.cholesky_ex(covariance + even)
    if int(broken):
        raise MistrustError(f"The covariance of a class is singular with a ridge of {ridge:g}, too. Give a larger one.")
    return factor


def _regular(covariance: Float64[Tensor, "d d"], factor: Float64[Tensor, "d d"]) -> bool:
    """Whether no eigenvalue is within rounding of 0; of correlations, so that the units of a feature do not matter.

    Their Cholesky factor is that of the covariance, each row divided by its spread.
    """
    spread = covariance.diagonal().sqrt()
    correlations = covariance / spread / spread[:, None]
    if surely_regular(correlations, inverted(factor) * spread):
        return True
    roots = torch.linalg.eigvalsh(correlations)
    return bool(roots[0] > roots[-1] * len(roots) * torch.finfo(torch.float64).eps)


def _replaced(covariance: Float64[Tensor, "d d"]) -> Float64[Tensor, "d d"] | None:
    """Cholesky factor, after the reference's way of making a covariance regular; None where it gives up."""
    covariance, diagonal = covariance.clone(), 1e-10
    while True:
        factor, broken = torch.linalg.cholesky_ex(covariance)
        if not int(broken):
            return factor
        if diagonal > 1e-5:
            return None
        covariance.fill_diagonal_(diagonal)
        diagonal *= 2


def lsa(
    train: Float[Tensor, "m d"],
    groups: Int[Tensor, " m"],
    queries: Float[Tensor, "n d"],
    predicted: Int[Tensor, " n"],
    *,
    features: int = 300,
    ridge: float = RIDGE,
    as_published: bool = False,
) -> Float64[Tensor, " n"]:
    """Give -log of a kernel density of the training rows of the predicted class, in nats.

    Kim, Feldt and Yoo, ICSE 2019, section III. In the log domain and float64: finite however far a query lies.

    Parameters
    ----------
    train, queries : activations, one row per input.
    groups, predicted : the class that the network predicts for each row.
    features, ridge, as_published : see `density`; as published the density underflows to 0 and the score is +inf,
        and where it overflows, -inf.

    Returns
    -------
    Scores in (-inf, inf]. +inf where the predicted class has no training row, one, or only equal ones.

    Raises
    ------
    MistrustError
        What is no numbers; shapes that do not belong together; a number that is not finite; `features` or a `ridge`
        that `density` refuses.

    Examples
    --------
    >>> train = torch.tensor([[-1.0], [0.0], [1.0], [9.0], [10.0], [11.0]])
    >>> groups = torch.tensor([0, 0, 0, 1, 1, 1])
    >>> scores = lsa(train, groups, torch.tensor([[0.0], [3.0], [10.0], [10.0]]), torch.tensor([0, 0, 0, 1]))
    >>> scores.argsort()[2:].tolist()  # far from its class is worse; 10 is usual in class 1, and odd in class 0
    [1, 2]
    >>> bool(abs(scores[0] - scores[3]) < 1e-9)  # the two classes look alike
    True
    """
    train, groups, queries, predicted = checked_rows(train, groups, queries, predicted)
    checked_features(features, ridge)
    return scored(train, groups, queries, predicted, lambda rows: density(rows, features, ridge, as_published))


@supervisor("lsa")
@dataclass(eq=False)
class LSA(ModelOfClasses):
    """Likelihood-based surprise adequacy.

    Attributes
    ----------
    layer : the layer to read; empty: the one that the record holds.
    features : of each class keep so many features of highest variance; 0: all. AmbiGuess's code keeps 300.
    ridge : added to the diagonal of a singular covariance, in mean variances.
    as_published : linear domain, and the diagonal of a singular covariance replaced.

    Raises
    ------
    MistrustError
        A negative number of features, a ridge that is not above 0.

    Examples
    --------
    >>> from mistrust.networks import observe
    >>> from mistrust.supervisors.made_up import made_up
    >>> it = made_up()
    >>> lsa = LSA(layer="hidden").fit(observe(it.classifier, it.training, layers=["hidden"]))
    >>> near, far = (lsa.score(observe(it.classifier, some, layers=["hidden"])) for some in (it.nominal, it.novel))
    >>> bool(near.max() < 0), bool(far.min() > 1000)  # nats
    (True, True)
    """

    layer: str = ""
    features: int = 300
    ridge: float = RIDGE
    as_published: bool = False

    kind = Density
    card = Card(
        "Likelihood-based Surprise Adequacy", "surprise",
        "Kim, Feldt and Yoo, Guiding deep learning system testing using surprise adequacy, ICSE 2019",
        "section III", "https://arxiv.org/abs/1808.08444", ("logits", "layer"),
        "Fitting takes m d^2 products and keeps the m training rows of d kept features; scoring n inputs takes n m d / "
        "k products for k classes, in float64.",
        limits="With many features the density is little more than the distance to the nearest training image.",
    )  # fmt: skip

    def __post_init__(self) -> None:
        self.features = checked_features(self.features, self.ridge)

    def _model(self, rows: Float[Tensor, "m d"]) -> Density | None:
        return density(rows, self.features, self.ridge, self.as_published)
