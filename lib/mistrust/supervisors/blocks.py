"""Rows of a layer a block at a time, so that memory stays bounded whatever n is."""

from collections.abc import Iterator

from jaxtyping import Float
from torch import Tensor

from mistrust.errors import MistrustError
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


def check_width(features: Tensor, width: int, learnt: Fitted, what: str) -> None:
    """Refuse features of another length than those that were fitted."""
    if features.shape[1] != width:
        raise MistrustError(
            f"{what} was fitted on {width} numbers per image of layer '{learnt.layers[0]}', this record has "
            f"{features.shape[1]}. Fit it again on a record of this network and this size of images."
        )
