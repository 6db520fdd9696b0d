"""A quantile of very many numbers, exactly and without sorting them all: torch.quantile stops at 16 million."""

from math import floor

import torch
from jaxtyping import Float
from torch import Tensor

from mistrust.errors import MistrustError
from mistrust.inputs.limits import number

# Numbers looked at together, and numbers of the sample that says where to look.
BLOCK, SAMPLE = 1 << 22, 1 << 18


def pooled_quantile(values: Float[Tensor, "..."], q: float) -> float:
    """The q-quantile of all numbers of a tensor together, between neighbours linearly as numpy does it.

    A sample gives two bounds around the answer; what lies between them, about a thirtieth, is sorted. Where the answer
    lies outside, the bounds are set wider: the sample decides on the time, never on the result.

    Parameters
    ----------
    values : at least one number, all finite.
    q : in [0, 1].

    Raises
    ------
    MistrustError
        q outside [0, 1], no number.
    """
    if not 0 <= number("quantile", q) <= 1:
        raise MistrustError(f"quantile is {q:g}, expected a number in [0, 1].")
    if values.numel() == 0:
        raise MistrustError("There is no number to take a quantile of.")
    flat = values.reshape(-1)
    place = q * (len(flat) - 1)
    ranks = (floor(place), min(floor(place) + 1, len(flat) - 1))
    sample = flat[:: max(len(flat) // SAMPLE, 1)].sort().values
    middle, margin = round(q * (len(sample) - 1)), len(sample) // 64 + 1
    while True:
        first = float(sample[middle - margin]) if middle >= margin else -torch.inf
        last = float(sample[middle + margin]) if middle + margin < len(sample) else torch.inf
        low, high = _of_ranks(flat, ranks, first, last)
        if low is not None and high is not None:
            return low + (place - floor(place)) * (high - low)
        margin *= 4


def _of_ranks(flat: Float[Tensor, " n"], ranks: tuple[int, int], first: float, last: float) -> list[float | None]:
    """The numbers of these ranks (0 the smallest), None where one is below `first` or above `last`."""
    below = at_first = at_last = 0
    between: list[Tensor] = []
    for part in flat.split(BLOCK):
        below += int((part < first).sum())
        at_first += int((part == first).sum())
        at_last += int((part == last).sum()) if last > first else 0
        between.append(part[(part > first) & (part < last)])
    inside = torch.cat(between).sort().values
    found: list[float | None] = []
    for rank in ranks:
        place = rank - below - at_first
        if -at_first <= place < 0:
            found.append(first)
        elif 0 <= place < len(inside):
            found.append(float(inside[place]))
        elif len(inside) <= place < len(inside) + at_last:
            found.append(last)
        else:
            found.append(None)
    return found
