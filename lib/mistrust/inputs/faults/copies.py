"""Ids of images of which one set holds several: the id of the origin can always be read from that of the copy."""

from jaxtyping import Int64
from torch import Tensor

from mistrust.errors import MistrustError

# Room for 2^40 images of which each has up to 2^23 copies.
COPY = 2**40


def copied(ids: Int64[Tensor, " n"], copy: int | Int64[Tensor, " n"]) -> Int64[Tensor, " n"]:
    """Ids of the copies with these numbers: id + copy 2^40; copy 0 is the image's own id.

    Raises
    ------
    MistrustError
        An id that is a copy's already, or negative.

    Examples
    --------
    >>> ids = torch.tensor([3, 4])
    >>> first, second = copied(ids, 1), copied(ids, 2)
    >>> len(torch.cat([ids, first, second]).unique()), origin(second)
    (6, tensor([3, 4]))
    """
    if len(ids) and not (int(ids.min()) >= 0 and int(ids.max()) < COPY):
        raise MistrustError(
            f"Ids reach from {int(ids.min())} to {int(ids.max())}, expected 0 to 2^40 - 1: these images are copies "
            "already. Make copies of the images that they were made from."
        )
    return ids + copy * COPY


def origin(ids: Int64[Tensor, " n"]) -> Int64[Tensor, " n"]:
    """Ids of the images that these were copied from; an image's own id where it is no copy.

    Examples
    --------
    >>> origin(torch.cat([torch.tensor([3]), copied(torch.tensor([3, 4]), 1)]))
    tensor([3, 3, 4])
    """
    return ids % COPY
