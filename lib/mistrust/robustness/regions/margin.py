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
    label : the class, one for all or one a row.

    Examples
    --------
    >>> logits = torch.tensor([[3.0, 1.0, 0.0], [3.0, 1.0, 5.0]])
    >>> margin(logits, 0)
    tensor([ 2., -2.])
    """
    own = torch.as_tensor(label, device=logits.device).expand(len(logits))[:, None]
    return logits.gather(1, own)[:, 0] - logits.scatter(1, own, -torch.inf).amax(1)


def refuse_training(network: nn.Module) -> None:
    """Refuse a network any part of which is in training mode, and name that part."""
    for name, part in network.named_modules():
        if part.training:
            raise MistrustError(
                f"The network is in training mode ({name or 'as a whole'}: {type(part).__name__}), where dropout and "
                "batch statistics change the margin from call to call. Call network.eval() before."
            )
