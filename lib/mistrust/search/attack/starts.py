"""Where a search begins: an image of another class, brought as near as blending with the original allows.

As foolbox 2's blended uniform noise (attacks/blended_noise.py, v2.0.0): draw uniform images until one is classified
otherwise, then take the first of (1 - e) image + e noise, e = 0.001, 0.002, ... 1, that still is. A network often
gives all noise one class; then no image of that class finds a noise start, after 1,000 queries for nothing. So 200
noise images are probed once for all, and where they say that noise cannot work, the noise is replaced by a donor: an
image of the same evaluation set that the network names otherwise, drawn by the image's id, blended the same way.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Float64, Int64
from torch import Tensor

from mistrust import random
from mistrust.search.attack import streams
from mistrust.search.attack.asking import Asked
from mistrust.search.attack.found import DONOR, NOISE, NONE

PROBES, TRIES, BLENDS = 200, 1000, 1000
NAME = "boundary attack"


@dataclass(frozen=True, eq=False)
class Starts:
    """Where n searches begin.

    Attributes
    ----------
    points : (n, d) images of another class; the original where there is none.
    kind : "noise", "donor" or "none", each.
    found : (n,) whether there is one.
    queries : (n,) asked for each image, without its own label.
    shared : asked once for all: noise probes, and donors where they are needed and other images than these.
    """

    points: Float64[Tensor, "n d"]
    kind: tuple[str, ...]
    found: Bool[Tensor, " n"]
    queries: Int64[Tensor, " n"]
    shared: int


@dataclass(frozen=True, eq=False)
class Searched:
    """The n images that are searched: (n, d) in [0, 1], ids (n,) and the network's labels (n,)."""

    pixels: Float64[Tensor, "n d"]
    ids: Int64[Tensor, " n"]
    label: Int64[Tensor, " n"]


def started(
    asked: Asked,
    searched: Searched,
    donors: Float[Tensor, "m d"] | None = None,
    *,
    seed: int = 0,
    blends: int = BLENDS,
    probes: int = PROBES,
    tries: int = TRIES,
) -> Starts:
    """Find where each search begins.

    Parameters
    ----------
    donors : images to be blended with where noise does not work; the searched ones themselves when not given. Given,
        an image's start does not depend on which others are searched along with it.
    blends : steps of the blending.
    probes : noise images that are tried once for all; 0 goes for donors at once.
    tries : noise images that one image tries at most, before it takes a donor.
    """
    n, d = searched.pixels.shape
    queries = torch.zeros_like(searched.ids)
    before = asked.count
    seen = torch.zeros(0, dtype=torch.int64, device=asked.device)
    if probes and n:
        noise = random.uniform(seed, f"{NAME}/probe", torch.arange(probes), (d,))
        seen = asked(noise.to(asked.device, asked.dtype)).unique()
    shared = asked.count - before
    # Noise works where some of it is named otherwise.
    promising = (seen[None, :] != searched.label[:, None]).any(1)
    others, noisy = _noise(asked, searched, promising, queries, seed, tries)
    before = asked.count
    lent = torch.zeros_like(noisy)
    if not bool(noisy.all()):
        pool, named = searched.pixels, searched.label
        if donors is not None:
            pool = donors.to(asked.device, asked.dtype)
            named, shared = asked(pool), shared + len(pool)
        lent = _lend(others, searched, ~noisy, pool, named, seed)
    points, found = _blended(asked, searched, others, noisy | lent, queries, blends)
    kind = tuple(NOISE if a else DONOR if b else NONE for a, b in zip(noisy.tolist(), lent.tolist(), strict=True))
    return Starts(points, kind, found, queries, shared)


def _noise(
    asked: Asked, searched: Searched, promising: Tensor, queries: Tensor, seed: int, tries: int
) -> tuple[Tensor, Tensor]:
    """Each image's first noise image that is named otherwise (n, d), and whether there is one (n,)."""
    d = searched.pixels.shape[1]
    others, found = searched.pixels.to(asked.dtype, copy=True), torch.zeros_like(promising)
    rows, key = promising.nonzero()[:, 0], streams.keys(seed, f"{NAME}/noise", searched.ids)
    for number in range(tries):
        if not len(rows):
            break
        noise = streams.uniform(key[rows], d, number).to(asked.dtype)
        hit = asked(noise) != searched.label[rows]
        queries[rows] += 1
        others[rows[hit]], found[rows[hit]] = noise[hit], True
        rows = rows[~hit]
    return others, found


def _lend(others: Tensor, searched: Searched, wanted: Tensor, pool: Tensor, named: Tensor, seed: int) -> Tensor:
    """Put a donor into `others` where one is wanted; gives where there was one."""
    lent = torch.zeros_like(wanted)
    draw = streams.uniform(streams.keys(seed, f"{NAME}/donor", searched.ids), 1)[:, 0]
    for label in searched.label[wanted].unique():  # classes, not images
        able, rows = (named != label).nonzero()[:, 0], (wanted & (searched.label == label)).nonzero()[:, 0]
        if len(able):
            chosen = able[(draw[rows].double() * len(able)).long()]
            others[rows], lent[rows] = pool[chosen].to(others), True
    return lent


def _blended(
    asked: Asked, searched: Searched, others: Tensor, able: Tensor, queries: Tensor, blends: int
) -> tuple[Tensor, Tensor]:
    """The first blend of each image with the other one that is named otherwise, and whether there is one."""
    points, found = searched.pixels.clone(), torch.zeros_like(able)
    rows = able.nonzero()[:, 0]
    for number in range(1, blends + 1):
        if not len(rows):
            break
        share = number / blends
        mixed = searched.pixels[rows].mul_(1 - share).add_(others[rows].double(), alpha=share).clamp_(0, 1)
        hit = asked(mixed.to(asked.dtype)) != searched.label[rows]
        queries[rows] += 1
        points[rows[hit]], found[rows[hit]] = mixed[hit], True
        rows = rows[~hit]
    return points, found
