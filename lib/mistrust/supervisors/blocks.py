"""Rows of a layer a block at a time, so that memory stays bounded whatever n is."""

from collections.abc import Iterator

from jaxtyping import Float
from torch import Tensor

from mistrust.errors import MistrustError
from mistrust.inputs.limits import as_tensor
from mistrust.networks import Record
from mistrust.supervisors.contract import Fitted
from mistrust.supervisors.finite import features

# Rows that are turned into float64 at once.
BLOCK = 2048


def blocks(n: int, size: int = BLOCK) -> Iterator[slice]:
    """Slices that cover n rows in order, `size` at a time; for no rows one empty slice.

    Examples
    --------
    >>> list(blocks(5, 2))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    for start in range(0, max(n, 1), size):
        yield slice(start, min(start + size, n))


def checked(record: Record, layer: str, what: str) -> Float[Tensor, "n d"]:
    """Give a layer's outputs, flat and not copied, after every number was looked at.

    Raises
    ------
    MistrustError
        The layer was not recorded, or holds a number that is not finite.
    """
    for rows in blocks(len(record)):
        features(record, layer, what, rows)
    return record.layer(layer).flatten(1)


def of_one_layer(
    train: Float[Tensor, "m d"], queries: Float[Tensor, "n d"]
) -> tuple[Float[Tensor, "m d"], Float[Tensor, "n d"]]:
    """Give training rows and queries as tensors, every number looked at: arrays and lists become some.

    Raises
    ------
    MistrustError
        What is no numbers or no rows of them; a number that is not finite; rows of two lengths.
    """
    train, queries = as_tensor("The training rows", train), as_tensor("The queries", queries)
    for what, rows in (("training rows", train), ("queries", queries)):
        if rows.ndim != 2:
            raise MistrustError(
                f"The {what} have shape {tuple(rows.shape)}, expected (n, d). Flatten activations with .flatten(1)."
            )
        # A sum shows it in one pass; one that overflows is looked at again.
        sure = all(bool(rows[some].sum().isfinite()) for some in blocks(len(rows)))
        broken = 0 if sure else sum(int((~rows[some].isfinite()).sum()) for some in blocks(len(rows)))
        if broken:
            numbers, are = ("number", "is") if broken == 1 else ("numbers", "are")
            raise MistrustError(f"{broken} {numbers} of the {what} {are} NaN or infinite: surprise has no value there.")
    if queries.shape[1] != train.shape[1]:
        raise MistrustError(
            f"The training rows have {train.shape[1]} features, the queries {queries.shape[1]}. Take both from the "
            "same layer."
        )
    return train, queries


def check_width(features: Tensor, width: int, learnt: Fitted, what: str) -> None:
    """Refuse features of another length than those that were fitted."""
    if features.shape[1] != width:
        raise MistrustError(
            f"{what} was fitted on {width} numbers per image of layer '{learnt.layers[0]}', this record has "
            f"{features.shape[1]}. Fit it again on a record of this network and this size of images."
        )
