"""Which decoder gives how many images of a set, and the latent points that they are made of (paper, section V-C)."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch

from mistrust import random
from mistrust.ambiguity.decoders import Decoders
from mistrust.ambiguity.sampling import Points, Scheme, draw
from mistrust.errors import MistrustError


@dataclass(frozen=True, eq=False)
class Lot:
    """Points that images are made of: the first `counts[g]` of each decoder g, in the order of `points`.

    `short` has the decoders that gave fewer points than were asked of them, and how many they gave.
    """

    counts: dict[int, int]
    points: Points
    short: dict[int, int] = field(default_factory=dict)


def evenly(decoders: Decoders, side: list[int], n: int, delta: float, scheme: Scheme, role: str, seed: int) -> Lot:
    """Give equally many images of every pair, and of every decoder of a pair, up to one.

    Parameters
    ----------
    decoders : G of them.
    side : positions of those that serve this part of the set.
    n : images in all.
    delta, scheme, role, seed : as for `sampling.draw`, which says what is refused.
    """
    pairs = by_pair(decoders, side)
    shares = _even(n, len(pairs), f"ambiguity/rest/{role}", seed)
    each: dict[int, int] = {}
    for (pair, group), share in zip(pairs.items(), shares, strict=True):
        parts = _even(share, len(group), f"ambiguity/rest/{role}/{pair[0]}-{pair[1]}", seed)
        each |= dict(zip(group, parts, strict=True))
    counts = {g: count for g, count in each.items() if count}
    return Lot(counts, draw(decoders.take(list(counts)), delta, max(counts.values()), scheme, seed, role))


def of_pool(
    decoders: Decoders,
    side: list[int],
    n: int,
    delta: float,
    scheme: Scheme,
    role: str,
    seed: int,
    *,
    pooled: int | None,
    short: bool,
) -> Lot:
    """Pool equally many points of every decoder and draw the images from all; otherwise as `evenly`.

    Parameters
    ----------
    pooled : points of each decoder; None: twice as many as are drawn.
    short : a decoder that gives fewer is in the pool with those.

    Raises
    ------
    MistrustError
        A pool of fewer points than images; what `sampling.draw` raises.
    """
    ordered = [g for group in by_pair(decoders, side).values() for g in group]
    size = pooled if pooled is not None else -(-2 * n // len(ordered))
    pool = draw(decoders.take(ordered), delta, size, scheme, seed, role, short=short)
    total = int(pool.found.sum())
    if total < n:
        raise MistrustError(
            f"{n:,} {role} images are wanted of a pool of {total:,} ({size:,} of each of {len(ordered)} "
            f"decoders{', fewer where they ran out' if short else ''}). Ask for fewer, or raise `pooled`."
        )
    slots = random.permutation(seed, f"ambiguity/pool/{role}", total)[:n]
    owners = torch.arange(len(ordered)).repeat_interleave(pool.found)[slots]
    counts = dict(zip(ordered, torch.bincount(owners, minlength=len(ordered)).tolist(), strict=True))
    fewer = {g: count for g, count in zip(ordered, pool.found.tolist(), strict=True) if count < size}
    return Lot(counts, pool, fewer)


def by_pair(decoders: Decoders, chosen: Sequence[int]) -> dict[tuple[int, int], list[int]]:
    """Positions of decoders by pair; pairs, and seeds within a pair, in ascending order."""
    one = decoders.members
    pairs: dict[tuple[int, int], list[int]] = {}
    for g in sorted(chosen, key=lambda g: (one[g].first, one[g].second, one[g].seed)):
        pairs.setdefault((one[g].first, one[g].second), []).append(g)
    return pairs


def _even(n: int, parts: int, name: str, seed: int) -> list[int]:
    """Divide n as evenly as whole numbers allow; chance decides who gets one more."""
    more = random.permutation(seed, name, parts) < n % parts
    return (n // parts + more.long()).tolist()
