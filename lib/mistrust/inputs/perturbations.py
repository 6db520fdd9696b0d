"""Perturbations: pure functions from a batch of images in [0, 1] to a batch of images in [0, 1], as table entries.

An entry knows its levels, so that "brightness at level 4" is a name and a number. Random ones draw by image id: the
same image gets the same noise in every batch.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from mistrust import random
from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.networks import check_images
from mistrust.registry import Registry


@dataclass(frozen=True)
class Draws:
    """The random numbers of one use of a perturbation: those of the images' ids, and of nothing else."""

    seed: int
    name: str
    ids: Int[Tensor, " n"]

    def normal(self, shape: tuple[int, ...], part: str = "z") -> Float[Tensor, "n ..."]:
        """Draw standard normal numbers (n, *shape); draws of another `part` are independent."""
        return random.normal(self.seed, f"{self.name}/{part}", self.ids, shape)

    def uniform(self, shape: tuple[int, ...], part: str = "u") -> Float[Tensor, "n ..."]:
        """Draw numbers uniform in [0, 1), (n, *shape)."""
        return random.uniform(self.seed, f"{self.name}/{part}", self.ids, shape)


@dataclass(frozen=True)
class Perturbation:
    """One perturbation.

    Attributes
    ----------
    title : what a reader calls it.
    source : paper and section.
    apply : (images (n, c, h, w) float32 in [0, 1], draws, **setting) -> images of the same shape in [0, 1].
    levels : the settings of level 1, 2, ...: parameters of `apply` by name.
    random : whether it draws.
    """

    title: str
    source: str
    apply: Callable[..., Tensor]
    levels: tuple[Mapping[str, float], ...]
    random: bool = False


PERTURBATIONS = Registry[Perturbation]("perturbation", "mistrust list perturbations")


def perturb(
    images: Float[Tensor, "n c h w"],
    name: str,
    setting: int | Mapping[str, float],
    *,
    ids: Int[Tensor, " n"] | None = None,
    seed: int = 0,
) -> Float[Tensor, "n c h w"]:
    """Apply a perturbation of the table.

    Parameters
    ----------
    images : (n, c, h, w) float32 in [0, 1].
    name : see `mistrust list perturbations`.
    setting : a level (1, 2, ...) or parameters by name, for instance {"shift": 0.2}.
    ids : (n,) ids that random perturbations draw by; 0 .. n-1 when not given.
    seed : of the draws.

    Raises
    ------
    MistrustError
        An unknown name, a level that the table does not have, an unknown parameter, images outside [0, 1].
    """
    check_images(images)
    entry = PERTURBATIONS[name]
    chosen = _setting(name, entry, setting)
    # Draws are keyed by the setting: the noise of two levels is independent, as in a data set made level by level.
    key = f"{name}/" + ",".join(f"{k}={float(v):g}" for k, v in sorted(chosen.items()))
    draws = Draws(seed, key, torch.arange(len(images)) if ids is None else ids)
    return entry.apply(images, draws, **chosen)


def _setting(name: str, entry: Perturbation, setting: int | Mapping[str, float]) -> Mapping[str, float]:
    if isinstance(setting, Mapping):
        known = set(entry.levels[0])
        if set(setting) != known:
            raise MistrustError(f"Perturbation '{name}' takes {sorted(known)}, got {sorted(setting)}.")
        return setting
    if not 1 <= setting <= len(entry.levels):
        raise MistrustError(f"Perturbation '{name}' has levels 1 to {len(entry.levels)}, got {setting}.")
    return entry.levels[setting - 1]


def perturbed(images: ImageSet, name: str, setting: int | Mapping[str, float], *, seed: int = 0) -> ImageSet:
    """Give the image set with every image perturbed and stored as uint8; ids and labels stay."""
    return images.with_images(to_uint8(perturb(images.floats(), name, setting, ids=images.ids, seed=seed)))


def to_uint8(images: Float[Tensor, "n c h w"]) -> Tensor:
    """Truncate images in [0, 1] to grey levels 0 to 255, as the MLM paper's data set was written.

    The small addend makes up for float32 rounding alone: what came from a whole grey level goes back to it, where
    plain truncation would lose a level in a few per cent of the pixels.
    """
    return (images * 255 + 2.0**-10).floor_().to(torch.uint8)


def brightness(images: Tensor, draws: Draws, *, shift: float) -> Tensor:
    """Add `shift` to every pixel, clipped; the paper's b on images in [-1, 1] is twice this shift."""
    return (images + shift).clamp_(0, 1)


def gaussian_noise(images: Tensor, draws: Draws, *, mean: float, sigma: float) -> Tensor:
    """Add normal noise of this mean and standard deviation to every pixel, clipped."""
    noise = draws.normal(tuple(images.shape[1:])).to(images)
    return (images + noise.mul_(sigma).add_(mean)).clamp_(0, 1)


# The paper perturbs images scaled to [-1, 1]; a step there is half a step in [0, 1]. Levels: the authors' table.
_MLM = "Sikar et al., section 3.2; levels from the authors' code"

PERTURBATIONS.add(
    "brightness",
    Perturbation(
        "Brightness", _MLM, brightness,
        tuple({"shift": b / 2} for b in (0.1, 0.55, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0)),
    ),
)  # fmt: skip
PERTURBATIONS.add(
    "gaussian_noise",
    Perturbation(
        "Gaussian noise", _MLM, gaussian_noise,
        tuple(
            {"mean": mu / 2, "sigma": 0.125}
            for mu in (0.05, 0.45, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.835, 0.87)
        ),
        random=True,
    ),
)  # fmt: skip
