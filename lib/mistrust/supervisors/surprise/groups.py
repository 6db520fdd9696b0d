"""Rows by predicted class: what the three kinds of surprise share.

Training rows and queries are grouped by the class that the network predicts for them, never by their labels. A query
whose class cannot be judged from the training rows (no row, or too few) has surprise +inf: what cannot be compared is
not trusted. `unjudged` of a fitted supervisor names these classes.
"""

import math
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import ClassVar, Protocol

import torch
from jaxtyping import Float, Float64, Int
from torch import Tensor

from mistrust.errors import MistrustError
from mistrust.inputs.limits import as_tensor, whole_numbers
from mistrust.networks import Record
from mistrust.supervisors.blocks import check_width, checked, of_one_layer
from mistrust.supervisors.contract import Fitted, NotFitted, Supervisor

BLOCK = 4 * 2**20  # numbers of a block in float64: 32 MB
QUERIES = 1024  # scored at once
STRIP = 32  # columns of a strip of products, at least
# How far a bound on the condition stays below where eigenvalues count as 0: seven digits of a distance are left.
REGULAR = 1e-7


class OfClasses(Supervisor):
    """A supervisor that compares an input with training inputs of its predicted class."""

    @property
    def unjudged(self) -> tuple[str, ...]:
        """Classes for which it has too few training rows: a prediction of one of them scores +inf.

        Raises
        ------
        NotFitted
            Before `fit`.
        """
        learnt = self.fitted
        if learnt is None:
            raise NotFitted(f"{self.card.title} is not fitted yet: which classes it cannot judge, `fit` finds out.")
        judged = learnt.state["judged"].tolist()
        return tuple(name for name, known in zip(learnt.classes, judged, strict=True) if not known)


class Model(Protocol):
    """A named tuple of tensors that describes one class."""

    def surprise(self, queries: Float64[Tensor, "n d"]) -> Float64[Tensor, " n"]:
        """Score rows as predicted members of the class."""
        ...

    def _asdict(self) -> dict[str, Tensor]: ...


class ModelOfClasses(OfClasses):
    """A supervisor that fits one model to the rows of each class."""

    kind: ClassVar[Callable[..., Model]]

    @abstractmethod
    def _model(self, rows: Float[Tensor, "m d"]) -> Model | None:
        """Fit one class; None where its rows say nothing."""

    def _fit(self, record: Record, layers: tuple[str, ...]) -> Mapping[str, Tensor]:
        train = checked(record, layers[0], self.card.title)
        known = dict(models(train, members(record.predicted), self._model))
        judged = torch.tensor([group in known for group in range(len(record.classifier.classes))])
        state = {"judged": judged, "width": torch.tensor(train.shape[1])}
        for group, model in known.items():
            state |= {f"{group}/{name}": values for name, values in model._asdict().items()}
        return state

    def _score(self, record: Record, learnt: Fitted) -> Tensor:
        state = learnt.state
        queries = checked(record, learnt.layers[0], self.card.title)
        check_width(queries, int(state["width"]), learnt, self.card.title)
        known: dict[int, Model] = {}
        for group in state["judged"].nonzero().flatten().tolist():
            start = f"{group}/"
            known[group] = self.kind(**{n.removeprefix(start): v for n, v in state.items() if n.startswith(start)})
        return by_group(queries, record.predicted, known.items())


def checked_rows(
    train: Float[Tensor, "m d"], groups: Int[Tensor, " m"], queries: Float[Tensor, "n d"], predicted: Int[Tensor, " n"]
) -> tuple[Float[Tensor, "m d"], Int[Tensor, " m"], Float[Tensor, "n d"], Int[Tensor, " n"]]:
    """Give what the three functions of surprise are given, as tensors: arrays and lists become some.

    Raises
    ------
    MistrustError
        What is no numbers; shapes that do not belong together; a number that is not finite.
    """
    train, queries = as_tensor("The training rows", train), as_tensor("The queries", queries)
    groups = whole_numbers("The classes of the training rows", groups)
    predicted = whole_numbers("The classes of the queries", predicted)
    for what, rows, classes in (("training rows", train, groups), ("queries", queries, predicted)):
        if rows.ndim != 2 or classes.ndim != 1 or len(rows) != len(classes):
            raise MistrustError(
                f"The {what} have shape {tuple(rows.shape)} and their classes {tuple(classes.shape)}, expected (n, d) "
                "and (n,). Flatten activations with .flatten(1)."
            )
    train, queries = of_one_layer(train, queries)
    return train, groups, queries, predicted


def members(groups: Int[Tensor, " n"]) -> dict[int, Int[Tensor, " r"]]:
    """Rows of each group that occurs, ascending.

    Examples
    --------
    >>> members(torch.tensor([7, 3, 7]))
    {3: tensor([1]), 7: tensor([0, 2])}
    """
    return {int(group): (groups == group).nonzero().flatten() for group in groups.unique()}


def models(
    train: Float[Tensor, "m d"],
    of_group: Mapping[int, Int[Tensor, " r"]],
    fit: Callable[[Float[Tensor, "r d"]], Model | None],
) -> Iterator[tuple[int, Model]]:
    """Fit a model to the rows of each group, one after the other; groups whose rows say nothing are left out."""
    for group, rows in of_group.items():
        model = fit(train.index_select(0, rows))
        if model is not None:
            yield group, model


def scored(
    train: Float[Tensor, "m d"],
    groups: Int[Tensor, " m"],
    queries: Float[Tensor, "n d"],
    predicted: Int[Tensor, " n"],
    fit: Callable[[Float[Tensor, "r d"]], Model | None],
) -> Float64[Tensor, " n"]:
    """Score each query by a model of the rows of its class; a class that no query has is not fitted."""
    asked = members(predicted)
    of_group = {group: rows for group, rows in members(groups).items() if group in asked}
    return by_group(queries, predicted, models(train, of_group, fit))


def by_group(
    queries: Float[Tensor, "n d"], predicted: Int[Tensor, " n"], known: Iterable[tuple[int, Model]]
) -> Float64[Tensor, " n"]:
    """Score each query by the model of its class, block by block in float64; +inf where there is none.

    A model that is made when its turn comes is scored while it lies in the cache, and is gone before the next.
    """
    scores = torch.full((len(queries),), float("inf"), dtype=torch.float64, device=queries.device)
    of_group = members(predicted)
    for group, model in known:
        for part in of_group[group].split(min(QUERIES, rows_a_block(queries.shape[1]))) if group in of_group else ():
            scores[part] = model.surprise(queries[part].double())
    return scores


def centred(rows: Float[Tensor, "n d"]) -> tuple[Float64[Tensor, " d"], Callable[[], Iterator[Float64[Tensor, "b d"]]]]:
    """Mean of rows, and a function that goes over the rows less their mean, block by block.

    The mean is taken relative to the first row, so a column that does not vary is exactly zero.
    """
    first = rows[0].double()
    blocks = in_blocks(rows)
    if len(blocks) == 1:  # small enough to be kept, instead of made again for whoever asks
        away = rows.double() - first
        offset = away.mean(0)
        away -= offset
        return first + offset, lambda: iter((away,))
    total = torch.zeros_like(first)
    for part in blocks:
        total += (part.double() - first).sum(0)
    offset = total / len(rows)
    return first + offset, lambda: ((part.double() - first).sub_(offset) for part in blocks)


def products(rows: Float64[Tensor, "m d"]) -> Float64[Tensor, "d d"]:
    """Give rows.T @ rows; blocks on and below the diagonal are multiplied, the others are copied from them.

    Elsewhere than on a CPU it is one product, which fills the device; many small ones would not.
    """
    if rows.device.type != "cpu":
        return rows.T @ rows
    width = rows.shape[1]
    found = rows.new_empty(width, width)
    step = max(STRIP, -(-width // 8))  # more strips save little more
    for start in range(0, width, step):
        stop = min(start + step, width)
        found[start:stop, :stop] = rows[:, start:stop].T @ rows[:, :stop]
        # Not every processor adds up a product and its mirror image in one order: each is written once.
        block = found[start:stop, start:stop]
        block.copy_(block.tril() + block.tril(-1).T)
        found[:start, start:stop] = found[start:stop, :start].T
    return found


def inverse_factor(covariance: Float64[Tensor, "d d"], floor: float = 0.0) -> Float64[Tensor, "d d"] | None:
    """Inverse of the Cholesky factor of a covariance that is surely regular; None where it may be singular.

    Parameters
    ----------
    floor : no eigenvalue is below it.
    """
    factor, broken = torch.linalg.cholesky_ex(covariance)
    if int(broken):
        return None
    inverse = inverted(factor)
    return inverse if surely_regular(covariance, inverse, floor) else None


def inverted(factor: Float64[Tensor, "d d"]) -> Float64[Tensor, "d d"]:
    """Inverse of a lower triangular matrix."""
    return torch.linalg.solve_triangular(factor, torch.eye(len(factor)).to(factor), upper=False)


def surely_regular(covariance: Float64[Tensor, "d d"], inverse: Float64[Tensor, "d d"], floor: float = 0.0) -> bool:
    """Whether no eigenvalue is within rounding of 0, by a bound on the condition; where not, it may be regular still.

    No eigenvalue is above the Frobenius norm, and none of the inverse above its trace, which is the sum of squares of
    the inverse of the Cholesky factor: so their product bounds the condition without a decomposition into eigenvectors,
    which costs ten times as much. Where a ridge keeps all eigenvalues above a floor, that bounds those of the inverse.
    """
    largest = min(float(inverse.square().sum()), 1 / floor if floor > 0 else math.inf)
    condition = covariance.norm() * largest
    return float(condition) * len(inverse) * torch.finfo(torch.float64).eps < REGULAR


def in_blocks(rows: Float[Tensor, "n d"]) -> tuple[Float[Tensor, "b d"], ...]:
    """Rows in blocks of at most `BLOCK` numbers, not copied."""
    return rows.split(rows_a_block(rows.shape[1]))


def rows_a_block(width: int) -> int:
    """How many rows of so many numbers make a block."""
    return max(1, BLOCK // max(1, width))
