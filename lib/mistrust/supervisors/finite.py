"""Numbers that a supervisor reads, every one looked at: NaN would be a score of nothing."""

import torch
from jaxtyping import Float
from torch import Tensor

from mistrust.errors import MistrustError
from mistrust.networks import Record


def features(record: Record, layer: str, what: str, rows: slice | Tensor = slice(None)) -> Float[Tensor, "n d"]:
    """Give a layer's outputs, flat, of some rows.

    Raises
    ------
    MistrustError
        The layer was not recorded, or holds a number that is not finite.

    Examples
    --------
    >>> from mistrust.networks import observe
    >>> from mistrust.supervisors.made_up import made_up
    >>> it = made_up()
    >>> record = observe(it.classifier, it.training, layers=["hidden"])
    >>> features(record, "hidden", "My supervisor", slice(0, 5)).shape  # five images, sixteen units
    torch.Size([5, 16])
    """
    values = record.layer(layer)[rows].flatten(1)
    finite(values, f"{what}: layer '{layer}'")
    return values


def finite(values: Tensor, what: str) -> None:
    """Refuse numbers that are NaN or infinite."""
    good = torch.isfinite(values)
    if not bool(good.all()):
        broken = int((~good).sum())
        are = "number of {} that is" if broken == 1 else "numbers of {} that are"
        raise MistrustError(
            f"{what} hold{'' if what.endswith('s') else 's'} {broken} {are.format(values.numel())} NaN or infinite. "
            "Check the weights of the classifier, and its mean and std."
        )


def fine(values: Tensor, what: str) -> None:
    """Refuse numbers of a type that keeps two or three digits: images that differ would tie."""
    if values.dtype in (torch.float16, torch.bfloat16):
        raise MistrustError(
            f"{what} as {values.dtype}, in which images tie that differ. Compute in float32 or float64: "
            "record.layer(name).double(), say."
        )
