"""The margin of a class: positive where the network names it."""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from mistrust.errors import MistrustError


def margin(logits: Float[Tensor, "n k"], label: int | Int[Tensor, " n"]) -> Float[Tensor, " n"]:
    """Lead of a class over the best of the others, z_c - max z_j with j != c, in logits.

    Parameters
    ----------
    logits : (n, k), k >= 2.
    label : the class, one for all or one per row.

    Raises
    ------
    MistrustError
        A label that is no class, or another number of them than rows.

    Examples
    --------
    >>> logits = torch.tensor([[3.0, 1.0, 0.0], [3.0, 1.0, 5.0]])
    >>> margin(logits, 0)
    tensor([ 2., -2.])
    """
    own = positions(label, len(logits), logits.shape[1], logits.device)[:, None]
    return logits.gather(1, own)[:, 0] - logits.scatter(1, own, -torch.inf).amax(1)


def positions(label: int | Int[Tensor, " n"], n: int, k: int, device: torch.device) -> Int[Tensor, " n"]:
    """Give each of n points its class, of one for all or one per point.

    Raises
    ------
    MistrustError
        No whole numbers, another number of them than points, one outside 0 to k - 1.
    """
    given = torch.as_tensor(label, device=device)
    if given.is_floating_point() or given.dtype == torch.bool or given.shape not in ((), (n,)):
        raise MistrustError(
            f"Classes are {given.dtype} of shape {tuple(given.shape)}, expected one whole number for all, or ({n},): "
            "one per point or segment."
        )
    if given.numel() and not 0 <= int(given.min()) <= int(given.max()) < k:
        raise MistrustError(
            f"Classes run from {int(given.min())} to {int(given.max())}, expected positions from 0 to {k - 1}."
        )
    return given.long().expand(n)


def refuse_training(network: nn.Module) -> None:
    """Refuse a network any part of which is in training mode, and name that part."""
    for name, part in network.named_modules():
        if part.training:
            raise MistrustError(
                f"The network is in training mode ({name or 'as a whole'}: {type(part).__name__}), where dropout and "
                "batch statistics change the margin from call to call. Call network.eval() before."
            )
