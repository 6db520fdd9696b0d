"""Gaussian noise on the scale of grey levels: fixed or fresh, clipped or not.

The paper (UREM, sections 3.1 and 4) says neither. Here an image becomes x + sigma / 255 z, x in [0, 1] before the
classifier's own normalisation, z standard normal for each pixel and channel. Fixed: each image and seed has one z,
which sigma stretches. Fresh: it has another z at each sigma, so that every step is a new trial and the answer falls
with the step. Clipped: what leaves [0, 1] is put back, so that a pixel stays a pixel.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from mistrust import random
from mistrust.errors import UnknownName
from mistrust.registry import Registry

# (seeds (p,), ids (p,), sigmas (p,), shape (c, h, w)) -> z (p, c, h, w) of p pairs of image and seed.
Draw = Callable[[Int[Tensor, " p"], Int[Tensor, " p"], Float[Tensor, " p"], tuple[int, ...]], Tensor]

GREY = 255.0  # grey levels from black to white


@dataclass(frozen=True)
class Variant:
    """One reading of "the noise is increased until the label changes".

    Attributes
    ----------
    title : what a reader calls it.
    draw : standard noise of pairs of image and seed.
    fresh : whether `draw` gives other noise at each sigma.
    clipped : whether pixels are put back into [0, 1].
    """

    title: str
    draw: Draw
    fresh: bool
    clipped: bool


VARIANTS = Registry[Variant]("variant of noise")


def fixed(seeds: Int[Tensor, " p"], ids: Int[Tensor, " p"], sigmas: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Draw standard normal z (p, *shape), float32 on the CPU: one per image and seed, whatever sigma is."""
    return _drawn(seeds, ids, ["noise/fixed"] * len(ids), shape)


def fresh(seeds: Int[Tensor, " p"], ids: Int[Tensor, " p"], sigmas: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Draw standard normal z (p, *shape), float32 on the CPU: another one at each sigma.

    It belongs to sigma, not to the number of the step: a search with step 2 meets the trials that one with step 1
    meets at even sigmas.
    """
    return _drawn(seeds, ids, [f"noise/fresh/{sigma:.6g}" for sigma in sigmas.tolist()], shape)


def _drawn(seeds: Tensor, ids: Tensor, names: list[str], shape: tuple[int, ...]) -> Tensor:
    # A generator for each image: `random.keyed` draws for 256 ids at once, of which those still unbroken are few.
    z = np.empty((len(ids), *shape), dtype=np.float32)
    for row, (seed, id, name) in enumerate(zip(seeds.tolist(), ids.tolist(), names, strict=True)):
        random.generator(seed, name, id).standard_normal(dtype=np.float32, out=z[row])
    return torch.from_numpy(z)


VARIANTS.add("fixed-clipped", Variant("fixed noise, clipped", fixed, fresh=False, clipped=True))
VARIANTS.add("fixed-unclipped", Variant("fixed noise, not clipped", fixed, fresh=False, clipped=False))
VARIANTS.add("fresh-clipped", Variant("fresh noise, clipped", fresh, fresh=True, clipped=True))
VARIANTS.add("fresh-unclipped", Variant("fresh noise, not clipped", fresh, fresh=True, clipped=False))


def find_variant(variant: str | Variant) -> tuple[str, Variant]:
    """Name and entry of a variant; one of your own is called by its title.

    Raises
    ------
    MistrustError
        A name that is not in `VARIANTS`.
    """
    if isinstance(variant, Variant):
        return variant.title, variant
    if variant not in VARIANTS:
        raise UnknownName(VARIANTS.what, variant, VARIANTS)
    return variant, VARIANTS[variant]


def noisy(
    pixels: Float[Tensor, "p c h w"], z: Float[Tensor, "p c h w"], sigmas: Float[Tensor, " p"], *, clipped: bool
) -> Float[Tensor, "p c h w"]:
    """Add noise of sigma (p,) grey levels to pixels in [0, 1]; rows may also be (1, c, h, w), shared by all."""
    scale = (sigmas.double() / GREY).to(pixels).view(-1, 1, 1, 1)
    changed = pixels + z * scale
    return changed.clamp_(0, 1) if clipped else changed


def effective(pixels: Float[Tensor, "p c h w"], changed: Float[Tensor, "p c h w"]) -> Float[Tensor, " p"]:
    """Standard deviation (p,) of what happened to an image's pixels, in grey levels, float64.

    Clipping makes it smaller than sigma: of a black pixel's noise, only the brightening half remains.
    """
    return (changed.double() - pixels.double()).flatten(1).std(1, correction=0) * GREY
