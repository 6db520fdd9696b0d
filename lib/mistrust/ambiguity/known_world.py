"""A world whose true P(class | image) is known: finitely many glyphs, two classes that share them, exact pixel noise.

An image comes about in three draws: a class c, a glyph j with P(j | c), and noise on each pixel, normal around the
glyph's value and cut to [0, 1]. With finitely many glyphs P(c | x) is a sum, not an integral: no approximation stands
between an image and its right probabilities. It is defined for every image in [0, 1], generated ones included.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from jaxtyping import Float, Float64
from torch import Tensor

from mistrust import random
from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.inputs.limits import as_tensor
from mistrust.networks import check_images

# Images compared with all glyphs at a time: bounds the table of distances, (BLOCK, glyphs) float64.
BLOCK = 512


@dataclass(frozen=True, eq=False)
class World:
    """Glyphs, how often each class shows each of them, and the noise.

    Attributes
    ----------
    glyphs : (m, pixels) float64 in [0, 1]: the images without noise.
    shares : (2, m) float64: P(glyph | class), rows sum to 1.
    shape : (channels, height, width).
    noise : standard deviation of a pixel before it is cut to [0, 1].
    prior : P(class), sums to 1.
    classes, name : what they are called.

    Raises
    ------
    MistrustError
        Glyphs outside [0, 1] or of another size than `shape`; shares or prior that are no probabilities; noise that is
        not above 0.

    Examples
    --------
    Two glyphs of two pixels. Each class shows its own three times out of four:

    >>> glyphs = torch.tensor([[1.0, 0.0], [0.0, 1.0]], dtype=torch.float64)
    >>> shares = torch.tensor([[0.75, 0.25], [0.25, 0.75]], dtype=torch.float64)
    >>> world = World(glyphs, shares, (1, 1, 2), noise=0.1)
    >>> world.posterior(glyphs.view(2, 1, 1, 2)).round(decimals=4)
    tensor([[0.7500, 0.2500],
            [0.2500, 0.7500]], dtype=torch.float64)
    >>> world.draw(3, seed=0)
    ImageSet(known-world: 3 of 1x2x1 float32, 2 classes)
    """

    glyphs: Float64[Tensor, "m pixels"]
    shares: Float64[Tensor, "2 m"]
    shape: tuple[int, int, int]
    noise: float = 0.1
    prior: tuple[float, float] = (0.5, 0.5)
    classes: tuple[str, str] = ("first", "second")
    name: str = "known-world"

    def __post_init__(self) -> None:
        for what in ("glyphs", "shares"):
            given = getattr(self, what)
            # A list by way of numpy, which keeps its float64: rows of shares would not sum to 1 in float32.
            given = as_tensor(f"{self.name}: {what}", np.asarray(given) if isinstance(given, list) else given)
            object.__setattr__(self, what, given.to(torch.float64))
        if not (self.noise > 0 and math.isfinite(self.noise)):
            raise MistrustError(f"{self.name}: noise is {self.noise}, expected a standard deviation above 0.")
        if self.glyphs.ndim != 2 or self.glyphs.shape[1] != math.prod(self.shape):
            raise MistrustError(
                f"{self.name}: glyphs have shape {tuple(self.glyphs.shape)}, expected (m, {math.prod(self.shape)})."
            )
        check_images(self.glyphs.view(-1, *self.shape))
        if tuple(self.shares.shape) != (2, len(self.glyphs)) or not _probabilities(self.shares):
            raise MistrustError(
                f"{self.name}: shares of shape {tuple(self.shares.shape)} are no probabilities of {len(self.glyphs)} "
                "glyphs in each of two classes: every row must be at least 0 and sum to 1."
            )
        if not _probabilities(torch.tensor([self.prior], dtype=torch.float64)):
            raise MistrustError(f"{self.name}: prior is {self.prior}, expected two probabilities that sum to 1.")

    def draw(self, count: int, seed: int) -> ImageSet:
        """`count` images with the class that each came from; float32 in [0, 1], ids from 0."""
        ids = torch.arange(count)

        def uniform(what: str, *shape: int) -> Float64[Tensor, "n ..."]:
            return random.keyed(seed, f"{self.name}/{what}", ids, lambda g, m: g.random((m, *shape)))

        labels = (uniform("class") >= self.prior[0]).long()
        # The last entry is 1 up to rounding; clamped, so that no draw falls behind it.
        sums = self.shares.cumsum(1)
        chosen = torch.searchsorted(sums[labels], uniform("glyph")[:, None], right=True)[:, 0]
        images = torch.empty((count, *self.shape), dtype=torch.float32)
        below, above = self._cut
        for part in ids.split(BLOCK):
            glyph = chosen[part].clamp_max(len(self.glyphs) - 1)
            u = random.keyed(seed, f"{self.name}/noise", part, lambda g, m: g.random((m, self.glyphs.shape[1])))
            # Inverse of the distribution function between the two cuts.
            z = torch.special.ndtri(below[glyph] + u * (above[glyph] - below[glyph]))
            pixels = (self.glyphs[glyph] + self.noise * z).clamp_(0, 1)
            images[part] = pixels.to(torch.float32).view(-1, *self.shape)
        return ImageSet(self.name, images, labels, ids, self.classes)

    def posterior(self, images: Float[Tensor, "n channels height width"]) -> Float64[Tensor, "n 2"]:
        """P(class | image), exact: P(c) Σ_j P(j | c) p(x | glyph j), made to sum to 1.

        Parameters
        ----------
        images : uint8, or floats in [0, 1].

        Raises
        ------
        MistrustError
            Images of another shape, or outside [0, 1].
        """
        return torch.softmax(self._joint(images), dim=1)

    def log_density(self, images: Float[Tensor, "n channels height width"]) -> Float64[Tensor, " n"]:
        """Log p(image) in nats, the class left open: low for images that no class of this world shows."""
        return torch.logsumexp(self._joint(images), dim=1)

    def _joint(self, images: Tensor) -> Float64[Tensor, "n 2"]:
        """Log p(image, class)."""
        if tuple(images.shape[1:]) != self.shape:
            expected = ", ".join(map(str, self.shape))
            raise MistrustError(f"{self.name}: images have shape {tuple(images.shape)}, expected (n, {expected}).")
        prior = torch.tensor(self.prior, dtype=torch.float64).log()
        found = torch.empty((len(images), 2), dtype=torch.float64)
        for at, part in enumerate(images.split(BLOCK)):
            pixels = part.to(torch.float64) / (255 if part.dtype == torch.uint8 else 1)
            check_images(pixels)
            flat = pixels.flatten(1)
            # |x - g|² by its three terms: in float64 the loss of digits is far below what the noise leaves open.
            square = (
                flat.square().sum(1)[:, None] - 2 * flat @ self.glyphs.T + self.glyphs.square().sum(1)
            ).clamp_min_(0)
            each = self._constants - square / (2 * self.noise**2)
            for c in range(2):
                found[at * BLOCK : at * BLOCK + len(part), c] = prior[c] + torch.logsumexp(
                    each + self.shares[c].log(), dim=1
                )
        return found

    @cached_property
    def _cut(self) -> tuple[Tensor, Tensor]:
        """The normal distribution function of every glyph's pixel at 0 and at 1, each (m, pixels)."""
        ndtr = torch.special.ndtr
        return ndtr((0 - self.glyphs) / self.noise), ndtr((1 - self.glyphs) / self.noise)

    @cached_property
    def _constants(self) -> Float64[Tensor, " m"]:
        """What the normalised density of each glyph's pixels has beside the squared distance."""
        below, above = self._cut
        return -(above - below).log().sum(1) - self.glyphs.shape[1] * math.log(self.noise * math.sqrt(2 * math.pi))


def _probabilities(rows: Tensor) -> bool:
    return bool((rows >= 0).all()) and bool(((rows.sum(1) - 1).abs() < 1e-9).all())
