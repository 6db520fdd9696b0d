"""From trained decoders to a train and a test set of ambiguous images (paper, section V-C)."""

from dataclasses import asdict, dataclass, field
from typing import Any

import torch
from jaxtyping import Bool, Float, UInt8
from torch import Tensor

from mistrust import random
from mistrust.ambiguity.ambiguous_set import AmbiguousSet
from mistrust.ambiguity.decoders import Decoders, names
from mistrust.ambiguity.lots import Lot, by_pair, evenly, of_pool
from mistrust.ambiguity.sampling import PUBLISHED, Scheme, cell_gaps, checked
from mistrust.errors import MistrustError
from mistrust.inputs.limits import as_tensor, whole

# Ids of ambiguous images begin here, so that they stay clear of those of the images that they are mixed with.
FIRST_ID = 1_000_000
# A pixel that `to_bytes` makes 256 of, where it is not kept from it.
WHITE = 1.0
# Pixels that are decoded at a time, over all decoders.
BLOCK = 2**23


@dataclass(frozen=True)
class Composition:
    """What the two sets are made of.

    Attributes
    ----------
    scheme : how latent points are drawn.
    delta_train, delta_test : largest |p1 - p2|, in (0, 1]; the paper's.
    stratified : equally many images of every pair of classes (and of every decoder of a pair), up to one; otherwise
        all decoders' points are pooled and the set is drawn from them, so that pairs with more decoders have more.
    shared : train and test from the same decoders; otherwise every decoder serves one of them.
    pooled : points of each decoder in the pool, where not stratified; None: twice as many as are drawn.
    short : a decoder that gives too few points is in the pool with those that it gives, as in the reference's code;
        otherwise that is an error. Only where not stratified.
    wraps : a pixel of exactly 1 becomes 0, as in the reference's code.

    Examples
    --------
    >>> how = Composition(delta_train=0.4, delta_test=0.25)
    >>> how.scheme.grid.bound, AS_PUBLISHED.scheme.grid.bound  # how far the latent grid reaches
    (3.0, 5.0)
    """

    scheme: Scheme = field(default_factory=Scheme)
    delta_train: float = 0.4
    delta_test: float = 0.25
    stratified: bool = True
    shared: bool = False
    pooled: int | None = None
    short: bool = False
    wraps: bool = False

    def __post_init__(self) -> None:
        if self.short and self.stratified:
            raise MistrustError(
                "A stratified set has equally many images of every pair; with short=True a decoder may give fewer. Ask "
                "for one of them: stratified=False, or short=False."
            )


AS_PUBLISHED = Composition(PUBLISHED, stratified=False, shared=True, short=True, wraps=True)


def compose(
    decoders: Decoders,
    accepted: Bool[Tensor, " G"],
    train: int,
    test: int,
    how: Composition = Composition(),
    *,
    name: str = "ambiguous",
    seed: int = 0,
    first_id: int = FIRST_ID,
) -> tuple[AmbiguousSet, AmbiguousSet]:
    """Make a train and a test set of ambiguous images.

    Parameters
    ----------
    decoders : G trained decoders with their discriminators.
    accepted : (G,) which of them passed the gates; the others are not used.
    train, test : numbers of images.
    how : see `Composition`; `AS_PUBLISHED` has what the reference's code does.
    name : of both sets, for rows and messages.
    seed : of all draws.
    first_id : of the train set; the test set's ids follow.

    Returns
    -------
    The train and the test set, both in random order. `decoder` counts positions in `decoders`.

    Raises
    ------
    MistrustError
        No mask of the decoders; a pair of classes without an accepted decoder, or with a single one where two are
        needed; all that `sampling.draw` raises, but a decoder without ambiguous cells is only left out (`made_by` lists
        it) where its pair has another. With `how.short` decoders that give fewer points than their part of the pool are
        listed, too, and a pair may have no image.

    Examples
    --------
    >>> from mistrust.data import load
    >>> two = [Member(4, 9, seed=0), Member(4, 9, seed=1)]  # one for each part
    >>> made = trained(load("digits", "train"), two, training=Training(epochs=3, batch=64))
    >>> how = Composition(Scheme(Grid(cells=10)))
    >>> train, test = compose(made, torch.tensor([True, True]), 6, 4, how)
    >>> len(train), len(test), bool((gap(test.probabilities) < 0.25).all())
    (6, 4, True)
    >>> bool(torch.isin(train.decoder, test.decoder).any()), bool(torch.isin(train.ids, test.ids).any())
    (False, False)
    """
    n_train, n_test = whole("Number of images: train", train, 1), whole("Number of images: test", test, 1)
    accepted = as_tensor("The marks of accepted decoders", accepted)
    if tuple(accepted.shape) != (len(decoders.members),) or accepted.dtype != torch.bool:
        raise MistrustError(
            f"accepted has shape {tuple(accepted.shape)} and type {accepted.dtype}, expected a mask of "
            f"{len(decoders.members)} truth values, one for each decoder."
        )
    tags = names(decoders)
    least = min(checked(how.delta_train), checked(how.delta_test))
    gaps = cell_gaps(decoders, how.scheme).nan_to_num(nan=1.0).amin(dim=1)
    holds = gaps <= least
    if not how.short:
        _check_cells(decoders, accepted, gaps, least, how.scheme.grid.cells)
    sides = _sides(decoders, tags, accepted, holds | how.short, how.shared, seed)
    made = []
    for role, n, delta, side, first in (
        ("train", n_train, how.delta_train, sides[0], first_id),
        ("test", n_test, how.delta_test, sides[1], first_id + n_train),
    ):
        asked = (decoders, side, n, delta, how.scheme, role, seed)
        lot = evenly(*asked) if how.stratified else of_pool(*asked, pooled=how.pooled, short=how.short)
        found = _made(decoders, tags, lot, how, role, seed)
        order = random.permutation(seed, f"ambiguity/order/{role}", n)
        about = _about(decoders, how, role, delta, [tags[g] for g in torch.nonzero(accepted & ~holds)[:, 0].tolist()])
        about |= {"short": {tags[g]: count for g, count in lot.short.items()}} if how.short else {}
        columns = {key: column[order] for key, column in found.items()}
        ids = torch.arange(first, first + n)
        made.append(AmbiguousSet(name=name, ids=ids, classes=decoders.classes, seed=seed, made_by=about, **columns))
    return made[0], made[1]


def to_bytes(images: Float[Tensor, "*n"], wraps: bool = False) -> UInt8[Tensor, "*n"]:
    """Turn pixels in [0, 1] into min(255, floor(256 x)), which gives all grey levels intervals of the same width.

    With `wraps`, 1 becomes 256 and that 0, as in the reference's code.

    Raises
    ------
    MistrustError
        Pixels outside [0, 1], or NaN.

    Examples
    --------
    >>> to_bytes(torch.tensor([0.0, 0.5, 1.0])), to_bytes(torch.tensor([0.0, 0.5, 1.0]), wraps=True)
    (tensor([  0, 128, 255], dtype=torch.uint8), tensor([  0, 128,   0], dtype=torch.uint8))
    """
    images = as_tensor("Pixels", images)
    if images.numel():
        low, high = (float(one) for one in images.aminmax())
        if not (low >= 0 and high <= 1):  # written so that NaN is refused, too
            raise MistrustError(
                f"Pixels to be stored as grey levels reach from {low:g} to {high:g}, expected [0, 1] and no NaN."
            )
    levels = (images.to(torch.float64) * 256).floor().to(torch.int32)
    return (levels % 256 if wraps else levels.clamp(0, 255)).to(torch.uint8)


def _check_cells(decoders: Decoders, accepted: Tensor, gaps: Tensor, least: float, cells: int) -> None:
    """Refuse a grid on which no accepted decoder of a pair has an ambiguous cell."""
    for pair, group in by_pair(decoders, torch.nonzero(accepted)[:, 0].tolist()).items():
        nearest = float(gaps[group].min())
        if nearest > least:
            raise MistrustError(
                f"Pair {'/'.join(decoders.classes[c] for c in pair)}: no cell of the grid ({cells} an axis) has "
                f"|p1 - p2| <= {least:g} in any of {len(group)} accepted decoders; the least is {nearest:.3g}. Take "
                f"more cells ({2 * cells}), a delta_max above {nearest:.3g}, or leave the pair out."
            )


def _sides(
    decoders: Decoders, tags: list[str], accepted: Tensor, holds: Tensor, shared: bool, seed: int
) -> tuple[list[int], list[int]]:
    """Give the decoders of train and of test."""
    good = by_pair(decoders, torch.nonzero(accepted & holds)[:, 0].tolist())
    train: list[int] = []
    test: list[int] = []
    for pair in by_pair(decoders, range(len(tags))):
        usable, called = good.get(pair, []), "/".join(decoders.classes[c] for c in pair)
        if not usable:
            raise MistrustError(
                f"Pair {called} has no decoder that was accepted. Train more of them (other seeds), or leave the pair "
                "out."
            )
        if shared:
            train, test = train + usable, test + usable
            continue
        if len(usable) < 2:
            raise MistrustError(
                f"Pair {called} has one usable decoder, and train and test are made by different ones. Train more of "
                "them (other seeds), or use shared=True and count near-duplicates."
            )
        order = random.permutation(seed, f"ambiguity/side/{pair[0]}-{pair[1]}", len(usable)).tolist()
        half = (len(usable) + 1) // 2
        train += [usable[i] for i in order[:half]]
        test += [usable[i] for i in order[half:]]
    return train, test


def _made(decoders: Decoders, tags: list[str], lot: Lot, how: Composition, role: str, seed: int) -> dict[str, Tensor]:
    """Label and decode; images of one decoder lie together."""
    counts, used, most = lot.counts, list(lot.counts), max(lot.counts.values())
    some, z, p = decoders.take(used), lot.points.z[:, :most], lot.points.p[:, :most]
    wanted = torch.arange(most) < torch.tensor([counts[g] for g in used])[:, None]
    pairs = torch.tensor([[decoders.members[g].first, decoders.members[g].second] for g in used])
    chance = torch.stack([_chance(seed, f"{role}/{tags[g]}", most) for g in used])
    labels = torch.where(chance < p[..., 0], pairs[:, :1], pairs[:, 1:])
    channels, height, width = decoders.shape
    pixels = torch.empty((len(used), most, channels * height * width), dtype=torch.uint8)
    with torch.no_grad():
        for here in torch.arange(most).split(max(1, BLOCK // (len(used) * pixels.shape[-1]))):
            pixels[:, here] = to_bytes(some.decode(z[:, here].nan_to_num()), how.wraps).cpu()
    return {
        "images": pixels[wanted].unflatten(1, (channels, height, width)),
        "pairs": pairs[:, None].expand(-1, most, -1)[wanted],
        "probabilities": p[wanted],
        "labels": labels[wanted],
        "decoder": torch.tensor(used)[:, None].expand(-1, most)[wanted],
        "latent": z[wanted],
    }


def _chance(seed: int, name: str, count: int) -> Float[Tensor, " n"]:
    return random.keyed(seed, f"ambiguity/label/{name}", torch.arange(count), lambda g, m: g.random(m))


def _about(decoders: Decoders, how: Composition, role: str, delta: float, without: list[str]) -> dict[str, Any]:
    return {
        "method": "AmbiGuess",
        "role": role,
        "delta_max": delta,
        **asdict(how),
        "decoders": [[one.first, one.second, one.seed] for one in decoders.members],
        "without_ambiguous_cells": without,
    }
