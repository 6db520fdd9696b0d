"""Cheap ways to images between two classes, as AmbiGuess's rivals: mixed pixels, and midpoints in a plain VAE.

Both give an `AmbiguousSet`, so that all that is measured of AmbiGuess's sets is measured of theirs. Their labels are
the share of each of the two images: nobody claims that a classifier, or a person, would see it so.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float32, Float64, Int64
from torch import Tensor

from mistrust import random
from mistrust.ambiguity.ambiguous_set import AmbiguousSet
from mistrust.ambiguity.composition import FIRST_ID, to_bytes
from mistrust.ambiguity.pairs import pairs_of
from mistrust.ambiguity.plain_vae import PlainVae
from mistrust.ambiguity.sampling import checked
from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.inputs.limits import whole

# Images made at a time.
BLOCK = 4096


@dataclass(frozen=True, eq=False)
class _Draws:
    """For each image to be made: its pair, a random image of either class, and the first one's share."""

    pairs: Int64[Tensor, "n 2"]
    rows: Int64[Tensor, "n 2"]
    share: Float64[Tensor, " n"]
    labels: Int64[Tensor, " n"]


def mixed(
    images: ImageSet,
    pairs: Sequence[str | Sequence[str | int]] | None,
    count: int,
    *,
    delta_max: float = 0.25,
    seed: int = 0,
    role: str = "test",
    first_id: int = FIRST_ID,
) -> AmbiguousSet:
    """Mix the pixels of two images of two classes: share · first + (1 - share) · second.

    Parameters
    ----------
    images : to mix.
    pairs : of classes; None for all. Each gets as many images as another, up to one.
    count : images in all.
    delta_max : in (0, 1]: |2 share - 1| is uniform below it, as the difference of AmbiGuess's probabilities may be.
    seed, role : of the draws; another role ("train") gives others.
    first_id : id of the first image.

    Returns
    -------
    AmbiguousSet
        `probabilities` are the shares, `latent` (n, 1) is the first one's, `decoder` is -1.

    Raises
    ------
    MistrustError
        Pairs that are none or have no images, delta_max outside (0, 1], a count below 1.

    Examples
    --------
    >>> from mistrust.data import load
    >>> made = mixed(load("digits", "train"), ["3/8", "4/9"], 6)
    >>> made.pairs.unique(dim=0, return_counts=True)[1]  # as many of the one as of the other
    tensor([3, 3])
    >>> bool((gap(made.probabilities) <= 0.25).all())
    True
    """
    drawn = _draws(images, pairs, count, delta_max, seed, f"mixing/{role}")
    made: list[Tensor] = []
    for here in torch.arange(count).split(BLOCK):
        first, second = (_floats(images, drawn.rows[here, side]).double() for side in (0, 1))
        share = drawn.share[here, None, None, None]
        made.append(to_bytes(share * first + (1 - share) * second))
    return _set("mixing", images, drawn, torch.cat(made), delta_max, seed, role, first_id, {})


def midpoints(
    images: ImageSet,
    pairs: Sequence[str | Sequence[str | int]] | None,
    count: int,
    vae: PlainVae,
    *,
    delta_max: float = 0.25,
    seed: int = 0,
    role: str = "test",
    first_id: int = FIRST_ID,
) -> AmbiguousSet:
    """Decode the point between the latent means of two images, at the share that `mixed` would mix them with.

    With the same seed and role these are the same two images at the same share as in `mixed`. Parameters, result and
    errors are those of `mixed`; `vae` is a `plain_vae` of images of this size.

    Examples
    --------
    >>> from mistrust.data import load
    >>> vae = PlainVae(64, PlainRecipe(latent=2, hidden=16))  # nobody has trained it
    >>> digits = load("digits", "train")
    >>> made, rival = midpoints(digits, ["4/9"], 3, vae), mixed(digits, ["4/9"], 3)
    >>> torch.equal(made.probabilities, rival.probabilities)  # the same shares of the same images
    True
    """
    expected = vae.encoder.in_features
    if images.images[0].numel() != expected:
        raise MistrustError(
            f"{images.name} has images of {images.images[0].numel():,} numbers, the plain autoencoder was trained on "
            f"{expected:,}: train it on these images, plain_vae(images)."
        )
    drawn = _draws(images, pairs, count, delta_max, seed, f"mixing/{role}")
    made: list[Tensor] = []
    shape = images.images.shape[1:]
    with torch.no_grad():
        for here in torch.arange(count).split(BLOCK):
            first, second = (vae.encode(_floats(images, drawn.rows[here, side]).flatten(1)) for side in (0, 1))
            share = drawn.share[here, None].to(first)
            made.append(to_bytes(vae.decode(share * first + (1 - share) * second)).view(-1, *shape))
    about = {"latent": vae.mean.out_features, "hidden": vae.encoder.out_features}
    return _set("midpoint", images, drawn, torch.cat(made), delta_max, seed, role, first_id, about)


def _floats(images: ImageSet, rows: Int64[Tensor, " n"]) -> Float32[Tensor, "n channels height width"]:
    """The images at these places, which may repeat."""
    pixels = images.images[rows]
    return pixels.to(torch.float32) / 255 if pixels.dtype == torch.uint8 else pixels


def _draws(
    images: ImageSet,
    pairs: Sequence[str | Sequence[str | int]] | None,
    count: int,
    delta_max: float,
    seed: int,
    key: str,
) -> _Draws:
    count, delta = whole("Number of images: count", count, 1), checked(delta_max)
    chosen = torch.tensor(pairs_of(images, pairs))
    ids = torch.arange(count)

    def uniform(what: str) -> Float64[Tensor, " n"]:
        return random.keyed(seed, f"ambiguity/{key}/{what}", ids, lambda g, m: g.random(m))

    # Pairs in turn, from a random one on, so that a short set is balanced, too.
    order = random.permutation(seed, f"ambiguity/{key}/pairs", len(chosen))
    pair = chosen[order[ids % len(chosen)]]
    by_class = {int(c): torch.nonzero(images.labels == c)[:, 0] for c in chosen.unique()}
    rows = torch.empty((count, 2), dtype=torch.int64)
    for side in (0, 1):
        u = uniform(f"image {side}")
        for c, there in by_class.items():
            here = pair[:, side] == c
            rows[here, side] = there[(u[here] * len(there)).long()]
    share = (1 + delta * (2 * uniform("share") - 1)) / 2
    labels = torch.where(uniform("label") < share, pair[:, 0], pair[:, 1])
    return _Draws(pair, rows, share, labels)


def _set(
    method: str, images: ImageSet, drawn: _Draws, pixels: Tensor, delta_max: float, seed: int, role: str, first_id: int,
    more: dict[str, Any],
) -> AmbiguousSet:  # fmt: skip
    count = len(pixels)
    about = {
        "method": method, "role": role, "delta_max": delta_max,
        "data": {"name": images.name, "checksum": images.checksum}, **more,
    }  # fmt: skip
    return AmbiguousSet(
        name=f"{method}-{images.name}",
        images=pixels,
        pairs=drawn.pairs,
        probabilities=torch.stack([drawn.share, 1 - drawn.share], dim=1),
        labels=drawn.labels,
        ids=torch.arange(first_id, first_id + count),
        decoder=torch.full((count,), -1),
        latent=drawn.share[:, None],
        classes=images.classes,
        seed=seed,
        made_by=about,
    )
