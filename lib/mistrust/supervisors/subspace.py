"""ViM: energy, plus how far features lie from the subspace that training images fill, in units of logits."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Float, Float64
from torch import Tensor

from mistrust.errors import MistrustError
from mistrust.inputs.limits import number, whole
from mistrust.supervisors.blocks import blocks
from mistrust.supervisors.card import Card
from mistrust.supervisors.contract import Fitted, supervisor
from mistrust.supervisors.head import Head, OfHead
from mistrust.supervisors.logits import energy

# A mean residual below this share of the mean length of the features is rounding of float32.
NOTHING = 1e-6


def principal_dimension(d: int) -> int:
    """Dimension of the principal space for d features: the paper's 1000 above 1500, else 512 (section 6).

    The paper has no network with 512 features or fewer; there half of them, rounded down.

    Examples
    --------
    >>> [principal_dimension(d) for d in (2048, 1600, 768, 64)]
    [1000, 1000, 512, 32]
    """
    if d > 1500:
        return 1000
    return 512 if d > 512 else d // 2


def fit_vim(train: Float[Tensor, "m d"], head: Head, dimension: int | None = None) -> dict[str, Float64[Tensor, "..."]]:
    """What `vim` needs of the training features: Wang et al. 2022, section 4.

    Parameters
    ----------
    train : m >= 1 rows, what the head gets.
    dimension : of the principal space, 0 to d - 1; None takes `principal_dimension(d)`, or half of the dimensions that
        the rows fill where they fill no more than that, since many units of a small network are always silent.

    Returns
    -------
    dict
        `origin` (d,), the point -W+ b where all logits are 0 or nearest to it; `residual` (d, d - dimension), the
        eigenvectors of the smallest eigenvalues of X'X, X the rows from the origin; `alpha` (), which makes the mean
        length of the residual the mean of the largest logit (equation 6).

    Raises
    ------
    MistrustError
        A dimension that is not whole, below 0, or d or more; rows that leave no residual (fewer of them than
        `dimension`; constant features); largest logits that are not above 0 on average, so that alpha would turn the
        residual around.
    """
    d = train.shape[1]
    if dimension is not None and not (0 <= (asked := number("ViM: dimension", dimension)) < d and asked.is_integer()):
        raise MistrustError(
            f"ViM: the principal space has dimension {dimension}, and the layer gives {d} numbers per image. Take a "
            f"dimension from 0 to {d - 1}, such as {d // 2}."
        )
    origin = -torch.linalg.pinv(head.weight) @ head.bias
    products = torch.zeros(d, d, dtype=torch.float64)
    for rows in blocks(len(train)):
        off = train[rows].to(torch.float64) - origin
        products.addmm_(off.T, off)
    values, vectors = torch.linalg.eigh(products)
    if dimension is None:
        dimension, filled = principal_dimension(d), int((values > NOTHING**2 * values.sum()).sum())
        dimension = filled // 2 if filled <= dimension else dimension
    residual = vectors[:, : d - int(dimension)].contiguous()
    # Sums over the rows of: the largest logit, the residual's length, the length.
    sums = torch.zeros(3, dtype=torch.float64)
    for rows in blocks(len(train)):
        off = train[rows].to(torch.float64) - origin
        sums += torch.stack((
            head.logits(train[rows]).amax(1).sum(), (off @ residual).norm(dim=1).sum(), off.norm(dim=1).sum()
        ))  # fmt: skip
    largest, left, length = (sums / len(train)).tolist()
    if left <= NOTHING * length:
        raise MistrustError(
            f"ViM: the {len(train)} training rows lie in their principal space of dimension {dimension}, so there is "
            "no residual to measure others by. Fit it on more images, or take a smaller dimension."
        )
    if largest <= 0:
        raise MistrustError(
            f"ViM: the largest logit of the training images is {largest:.4g} on average, expected above 0, since the "
            "residual is scaled by it. Is the network trained, and are these its logits?"
        )
    return {"origin": origin, "residual": residual, "alpha": torch.tensor(largest / left, dtype=torch.float64)}


def vim(
    features: Float[Tensor, "n d"],
    head: Head,
    origin: Float64[Tensor, " d"],
    residual: Float64[Tensor, "d r"],
    alpha: Float64[Tensor, ""],
) -> Float64[Tensor, " n"]:
    """Virtual logit plus energy, alpha |x_residual| - log sum exp(logits): any real number.

    Equation 8 of Wang et al. 2022; the paper's score, the softmax of the virtual logit (equation 7), is
    1 / (1 + exp(-this)) and ranks alike, but rounds to 1 where this does not.
    """
    scores = []
    for rows in blocks(len(features)):
        off = features[rows].to(torch.float64) - origin
        scores.append(alpha * (off @ residual).norm(dim=1) + energy(head.logits(features[rows])))
    return torch.cat(scores)


@supervisor("vim")
@dataclass(eq=False)
class Vim(OfHead):
    """Virtual-logit matching.

    Attributes
    ----------
    layer : the layer before the last linear one.
    dimension : of the principal space, below the number of features; None takes the paper's rule, see `fit_vim`.
    """

    card = Card(
        "ViM", "surprise",
        "Wang, Li, Feng and Zhang, ViM: out-of-distribution with virtual-logit matching, CVPR 2022",
        "section 4", "https://arxiv.org/abs/2203.10807", ("logits", "layer"),
        "Fitting decomposes one d x d matrix; an image costs d x (d - dimension) multiply-adds.",
        fits=("network",),
        limits="Needs a network that ends in a linear layer, and more training images than the principal space's "
        "dimension.",
    )  # fmt: skip
    layer: str = ""
    dimension: int | None = None

    def __post_init__(self) -> None:
        if self.dimension is not None:
            self.dimension = whole("ViM: dimension", self.dimension, 0)

    def _learn(self, features: Tensor, head: Head, layer: str) -> Mapping[str, Tensor]:
        return fit_vim(features, head, self.dimension)

    def _suspicion(self, features: Tensor, head: Head, learnt: Fitted) -> Tensor:
        state = learnt.state
        return vim(features, head, state["origin"], state["residual"], state["alpha"])
