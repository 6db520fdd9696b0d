"""HopSkipJump: the boundary's slope from labels alone, a jump along it, and back to the boundary by halving.

Chen, Jordan and Wainwright, HopSkipJumpAttack: A Query-Efficient Decision-Based Attack, IEEE S&P 2020 (arXiv
1904.02144), algorithm 2, in the Euclidean norm. The boundary attack keeps what one random direction tells; here each
step asks for many small ones round a point of the boundary at once, and the mean of those that were named otherwise
points away from it. One image's random numbers are its own, as in `boundary`.

The first step looks as far as the others, in shares of the distance; foolbox 3 and the authors' code look .1 far there.
How fine the halving is does not follow from how far is looked.
"""

from collections.abc import Iterable
from math import ceil, log2, sqrt

import torch
from jaxtyping import Bool, Float, Float64, Int64
from torch import Tensor

from mistrust.data import ImageSet
from mistrust.inputs.limits import whole, within
from mistrust.progress import bar
from mistrust.search.attack import streams
from mistrust.search.attack.asking import Asked, Network
from mistrust.search.attack.found import Distances, Kept, measured, traced
from mistrust.search.attack.opened import opened
from mistrust.search.attack.proposals import TINY
from mistrust.search.attack.smooth import directions
from mistrust.search.attack.starts import BLENDS, PROBES

NAME = "hopskip"
JUMPS = 30  # halvings of a jump before an image stays where it is
STRIP = 128  # directions of one image that are in memory together, at most


def hopskip(
    network: Network,
    images: ImageSet | Float[Tensor, "n c h w"],
    *,
    ids: Int64[Tensor, " n"] | None = None,
    donors: ImageSet | Float[Tensor, "m c h w"] | None = None,
    seed: int = 0,
    steps: int = 20,
    draws: int = 100,
    reach: float = 1.0,
    frequencies: float = 1.0,
    blends: int = BLENDS,
    probes: int = PROBES,
    trace: Iterable[int] = (),
    block: int | None = None,
) -> Distances:
    """Find an image near each that the network names otherwise, by labels alone, in fewer queries than `boundary`.

    Parameters
    ----------
    network : a `Classifier`, or any callable from images in [0, 1] to labels; its queries are counted.
    images, ids : what is searched, and what its random numbers are keyed by.
    donors : see `boundary`.
    seed : of all random numbers.
    steps : jumps of each image; step t asks for `draws` sqrt(t) images, and for some twenty more.
    draws : random directions of the first step.
    reach : how far they look: times the distance, over the number of pixel values; 1 as in foolbox.
    frequencies : the share of height's and of width's frequencies that directions are drawn of, see `boundary`.
    blends, probes : of the starts, see `started`.
    trace : steps after which the distance so far is kept; 0 is the start.
    block : images in one pass at most, and at work at a time; None: 512 on a CPU, 4,096 elsewhere. Directions are drawn
        and asked about in strips of 128 or fewer an image, whatever `draws` and `steps` are.

    Returns
    -------
    `images` are the nearest that the network named otherwise, as it was shown them; `trace` by numbers of jumps.

    Raises
    ------
    MistrustError
        A parameter, images or ids outside what is said here; a network that gives no labels.

    Examples
    --------
    The class changes where the mean passes 0.5, so that no image nearer than 0.2 to this one is of the other class:

    >>> bright = lambda images: (images.flatten(1).mean(1) > 0.5).long()
    >>> found = hopskip(bright, torch.full((1, 1, 4, 4), 0.3), steps=5, blends=50)
    >>> round(found.mae.item(), 2), bool(found.queries.item() < 1200)
    (0.2, True)
    """
    limit, first = whole("steps", steps, 0), whole("draws", draws, 1)
    share, far = within("frequencies", frequencies, 1e-6, 1), within("reach", reach, 1e-12)
    at = traced(trace, limit)
    opening = opened(network, images, ids=ids, donors=donors, seed=seed, blends=blends, probes=probes, block=block)
    asked, searched, start = opening.asked, opening.searched, opening.start
    best, queries = start.points.to(asked.dtype, copy=True), opening.queries
    kept = Kept(at, measured(searched.pixels, best)[0].where(start.found, torch.inf), queries)
    keys = streams.keys(seed, NAME, searched.ids)
    begun = start.found.nonzero()[:, 0] if limit else start.found.new_zeros(0, dtype=torch.int64)
    with bar(len(begun) * limit, NAME, "step") as progress:
        for rows in begun.split(asked.block) if len(begun) else ():
            hops = Hops(asked, searched.pixels[rows], searched.label[rows], keys[rows], start.points[rows])
            for step in range(1, limit + 1):
                hops.hop(step, ceil(first * sqrt(step)), far, share)
                kept.keep(rows, torch.full_like(rows, step), hops.distance, queries[rows] + hops.queries)
                progress.update(len(rows))
            best[rows] = hops.nearest
            queries[rows] += hops.queries
    return opening.ended(NAME, best, queries, kept.trace())


class Hops:
    """Images on their way along the boundary, all at the same step.

    Attributes
    ----------
    here : (m, d) the points that are named otherwise, hard at the boundary.
    nearest, distance : (m, d) the nearest image that was, as the network saw it, and its MAE (m,).
    queries : (m,) images asked for.

    Parameters
    ----------
    asked : the network.
    original, label, key, begin : (m, d) the images, their own labels, where their random numbers start, and a point of
        another class each.
    """

    def __init__(
        self,
        asked: Asked,
        original: Float64[Tensor, "m d"],
        label: Int64[Tensor, " m"],
        key: Int64[Tensor, " m"],
        begin: Float64[Tensor, "m d"],
    ) -> None:
        self.asked, self.original, self.label, self.key = asked, original, label, key
        self.here, self.queries, self.drawn = begin.clone(), torch.zeros_like(label), 0
        self.nearest, self.distance = begin.to(asked.dtype), measured(original, begin.to(asked.dtype))[0]
        # Fine enough for the points that look for the slope to lie on both sides of the boundary.
        self.halvings = ceil(1.5 * log2(max(2, original.shape[1])))
        self._to_boundary(self.here)

    def hop(self, step: int, count: int, reach: float, frequencies: float) -> None:
        """Find the slope of the boundary by `count` directions, jump along it, and go back to the boundary."""
        length = (self.here - self.original).norm(dim=1)
        away = self._slope(count, length, reach, frequencies)
        jump, jumped = length / sqrt(step), self.here.clone()
        waiting = torch.arange(len(jump), device=jump.device)
        for _ in range(JUMPS):
            if not len(waiting):
                break
            tried = torch.addcmul(self.here[waiting], away[waiting], jump[waiting, None]).clamp_(0, 1)
            hit = self._otherwise(tried, waiting)
            jumped[waiting[hit]] = tried[hit]
            waiting = waiting[~hit]
            jump[waiting] /= 2
        self._to_boundary(jumped)

    def _otherwise(self, points: Float64[Tensor, "k d"], rows: Int64[Tensor, " k"]) -> Bool[Tensor, " k"]:
        self.queries[rows] += 1
        return self.asked(points.to(self.asked.dtype)) != self.label[rows]

    def _slope(
        self, count: int, length: Float64[Tensor, " m"], reach: float, frequencies: float
    ) -> Float64[Tensor, "m d"]:
        """Estimate the unit vector away from the boundary: the mean of directions, each with the sign of its answer."""
        strips = torch.arange(self.drawn, self.drawn + count, device=self.key.device).chunk(ceil(count / STRIP))
        self.drawn += count
        self.queries += count
        radius = reach / self.here.shape[1] * length
        found = torch.empty_like(self.here)
        for rows in torch.arange(len(found), device=radius.device).split(max(1, self.asked.most // len(strips[0]))):
            total, signed, votes = torch.zeros_like(found[rows]), torch.zeros_like(found[rows]), radius.new_zeros(())
            for turns in strips:
                moved, sign = self._looked(rows, turns, radius[rows], frequencies)
                total += moved.sum(1)
                signed += (sign[:, None] @ moved)[:, 0]
                votes = votes + sign.sum(1)
            mean = (votes / count)[:, None]
            # Against the mean, which lowers the variance; where all agree there is none to be had.
            found[rows] = torch.where(mean.abs() == 1, signed, signed - mean * total)
        return found / found.norm(dim=1, keepdim=True).clamp_min(TINY)

    def _looked(
        self, rows: Int64[Tensor, " k"], turns: Int64[Tensor, " s"], radius: Float64[Tensor, " k"], frequencies: float
    ) -> tuple[Float64[Tensor, "k s d"], Float64[Tensor, "k s"]]:
        """What the network saw of each direction, which is what clipping left, and 1 where it was named otherwise."""
        k, s = len(rows), len(turns)
        drawn = directions(
            self.key[rows].repeat_interleave(s), turns.repeat(k), self.asked.shape, frequencies,
            radius.repeat_interleave(s),
        ).view(k, s, -1)  # fmt: skip
        here = self.here[rows, None]
        tried = drawn.add_(here).clamp_(0, 1)
        labels = self.asked(tried.view(k * s, -1).to(self.asked.dtype))
        sign = (labels.view(k, s) != self.label[rows, None]).to(tried.dtype).mul_(2).sub_(1)
        return tried.sub_(here), sign

    def _to_boundary(self, beyond: Float64[Tensor, "m d"]) -> None:
        """Halve the way from the original to points that are named otherwise again and again."""
        low, high = torch.zeros_like(self.distance), torch.ones_like(self.distance)
        way, rows = beyond - self.original, torch.arange(len(beyond), device=beyond.device)
        for _ in range(self.halvings):
            middle = (low + high) / 2
            hit = self._otherwise(torch.addcmul(self.original, way, middle[:, None]), rows)
            low, high = torch.where(hit, low, middle), torch.where(hit, middle, high)
        self.here = torch.where((high == 1)[:, None], beyond, torch.addcmul(self.original, way, high[:, None]))
        shown = self.here.to(self.asked.dtype)
        apart = measured(self.original, shown)[0]
        nearer = apart < self.distance
        self.distance = torch.where(nearer, apart, self.distance)
        self.nearest = torch.where(nearer[:, None], shown, self.nearest)
