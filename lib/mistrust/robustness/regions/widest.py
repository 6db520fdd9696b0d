"""The widest path that can be found: searches at falling and rising levels, the best of them kept."""

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int, Int64
from torch import Tensor

from mistrust.errors import MistrustError
from mistrust.inputs.limits import whole
from mistrust.robustness.regions.climbing import NEAR, reaches
from mistrust.robustness.regions.paths import SEARCHES, Paths, repair, straight
from mistrust.robustness.regions.region import Region, check_samples
from mistrust.robustness.regions.traversal import traversal

BOTH = tuple(method.__name__ for method in (repair, traversal))
# Pairs that are searched at a time: bounds the corners of all their paths.
PAIRS = 64


def widest(
    region: Region,
    starts: Float[Tensor, "m ..."],
    ends: Float[Tensor, "m ..."],
    *,
    ids: Int[Tensor, " m"],
    seed: int = 0,
    searches: Sequence[str] = BOTH,
    rounds: int = 4,
) -> Paths:
    """Search each pair's widest path; the levels are a grid's, `Paths.exactly` gives those that bound the bottleneck.

    No path keeps above the lower margin of its ends: that level is tried first. Where it fails, each further round
    tries half-way between the best level that was met and the lowest that failed.

    Parameters
    ----------
    starts, ends : (m, ...) the pairs.
    ids : (m,) a pair's own number (`pair_ids`), which its draws are keyed by: no other pair changes its result.
    searches : names in `SEARCHES`.
    rounds : levels tried; 0 leaves the straight segments.

    Raises
    ------
    MistrustError
        Points outside of the region's box, an unknown search.

    Examples
    --------
    Around a ring of which the middle has margin 1, between points where it is 1:

    >>> region = WORLDS["annulus"].region()
    >>> start = torch.tensor([[-2.0, 0.0]])
    >>> paths = widest(region, start, -start, ids=torch.arange(1), searches=["repair"])
    >>> bool(0.9 < paths.exactly(region).item() <= 1)
    True
    """
    for points in (starts, ends):
        check_samples(region, points)
    if len({len(starts), len(ends), len(ids)}) > 1:
        raise MistrustError(f"Got {len(starts)} starts, {len(ends)} ends and {len(ids)} ids, expected as many of each.")
    methods = [SEARCHES[name] for name in searches]
    tries = whole("rounds", rounds, 0)
    found: list[Paths] = []
    for rows in torch.arange(len(starts), device=starts.device).split(PAIRS):
        a, b, keys = starts[rows], ends[rows], ids[rows.to(ids.device)]
        best = straight(region, a, b)
        top = region(a).minimum(region(b)).to(best.level)
        failed = top
        for number in range(tries):
            want = top if number == 0 else (best.level + failed) / 2
            worth = (~reaches(best.level, top) & (failed - best.level > 1e3 * NEAR)).nonzero()[:, 0]
            if not len(worth):
                break
            for method in methods:
                new = method(region, a[worth], b[worth], want[worth], ids=keys[worth.to(keys.device)], seed=seed)
                best = _better(best, new, worth)
            failed = torch.where(reaches(best.level, want), failed, want)
        found.append(best)
    return _stacked(found) if found else straight(region, starts, ends)


def pair_ids(first: Int[Tensor, " m"], second: Int[Tensor, " m"]) -> Int64[Tensor, " m"]:
    """A number for each pair of image ids, whichever comes first.

    Examples
    --------
    >>> here, there = torch.tensor([3, 7]), torch.tensor([7, 9])
    >>> torch.equal(pair_ids(here, there), pair_ids(there, here))
    True
    """
    low, high = first.minimum(second).long(), first.maximum(second).long()
    return (low * 1_000_003 + high) % 2**61


def _better(best: Paths, new: Paths, rows: Int64[Tensor, " r"]) -> Paths:
    """The higher of two paths of each pair; `new` has those of some rows only."""
    higher = (new.level > best.level[rows]).nonzero()[:, 0]
    if not len(higher):
        return best
    some, replaced = new.take(higher), rows[higher]
    level = best.level.clone()
    level[replaced] = some.level
    stays = torch.ones_like(level, dtype=torch.bool)
    stays[replaced] = False
    old = stays[best.pair]
    pair = torch.cat((best.pair[old], replaced[some.pair]))
    order = pair.argsort(stable=True)
    return Paths(pair[order], torch.cat((best.corners[old], some.corners))[order], level)


def _stacked(parts: list[Paths]) -> Paths:
    before = torch.tensor([0, *(len(p) for p in parts)]).cumsum(0).tolist()
    pair = torch.cat([p.pair + n for p, n in zip(parts, before, strict=False)])
    return Paths(pair, torch.cat([p.corners for p in parts]), torch.cat([p.level for p in parts]))
