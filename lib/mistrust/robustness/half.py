"""sigma_50: the smallest standard deviation at which half of many noise fields change the label.

The breaking standard deviation of one noise field is a random number; this is a property of network and image. It can
be infinite: for two linear classes fewer than half of all fields change the label, however strong they are.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float64, Int, Int64
from torch import Tensor

from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.inputs.limits import within
from mistrust.networks import Classifier
from mistrust.robustness.bracket import GRID, coarse_steps, refuse_fresh
from mistrust.robustness.breaking import CAP
from mistrust.robustness.checks import check_seeds, starting_points, steps
from mistrust.robustness.noise import GREY, Variant, find_variant
from mistrust.robustness.searching import First, Look, below, bisected, stepped
from mistrust.robustness.trials import Trials

FIELDS = tuple(range(1000, 1064))  # away from the seeds of `breaking`: both are looked at side by side


@dataclass(frozen=True, eq=False)
class Half:
    """sigma_50 of m images.

    Attributes
    ----------
    variant, step, cap, fields : how it was found; step and cap in grey levels, fields the number of noise fields.
    ids : (m,) of the images, all classified correctly.
    misclassified : (o,) ids of those that were not, and were kept apart.
    sigma : (m,) in grey levels; infinity where less than half of the fields change the label at every sigma tried.
    rate : (m,) share of the fields that change the label at sigma; where that is infinite, at the cap.
    passes : (m,) forward passes of images that a search one after another takes.
    """

    variant: str
    step: float
    cap: float
    fields: int
    ids: Int64[Tensor, " m"]
    misclassified: Int64[Tensor, " o"]
    sigma: Float64[Tensor, " m"]
    rate: Float64[Tensor, " m"]
    passes: Int64[Tensor, " m"]


@dataclass(frozen=True, eq=False)
class Rates:
    """Share of noise fields that change the label, by sigma.

    Attributes
    ----------
    ids : (m,) of the images, all classified correctly.
    misclassified : (o,) ids of those that were not, and were kept apart.
    sigmas : (g,) grey levels.
    rate : (m, g).
    """

    ids: Int64[Tensor, " m"]
    misclassified: Int64[Tensor, " o"]
    sigmas: Float64[Tensor, " g"]
    rate: Float64[Tensor, "m g"]


def half(
    classifier: Classifier,
    images: ImageSet,
    *,
    variant: str | Variant = "fixed-clipped",
    seeds: Sequence[int] = FIELDS,
    step: float = 1.0,
    cap: float = CAP,
    grid: float | None = GRID,
    block: int = 512,
) -> Half:
    """Find the smallest sigma at which at least half of the noise fields change the label.

    On a grid (the default) the coarse steps are tried, and the step before the first that changes half is bisected.
    Where the rate rises to a half and falls again between two coarse steps, that is passed over: a larger sigma is
    found, or none.

    Parameters
    ----------
    variant : an entry of `VARIANTS`. With fixed noise each field is stretched by every sigma, so that the rate moves
        smoothly. With fresh noise every sigma has fields of its own, and the first rate that chance lifts to a half
        ends the search: too small a value, and a finite one where theory has none.
    seeds : one a noise field, the same for all images; images have fields of their own under one seed.
    step, cap : in grey levels; the cap is a whole multiple of the step.
    grid : the coarse steps of bracket and bisection, refused for fresh noise; None tries every step.
    block : images in one forward pass.

    Raises
    ------
    MistrustError
        Fresh noise with a grid; what `breaking` refuses.
    """
    name, kind = find_variant(variant)
    if grid is not None:
        refuse_fresh(variant)
    tried = steps(step, cap) if grid is None else coarse_steps(step, cap, grid)
    many, start = check_seeds(seeds), starting_points(classifier, images, block)
    at_once = max(1, block // len(many))
    found: list[First] = []
    for rows in torch.arange(len(start.images)).split(at_once):
        look = _at_least_half(_Fields(classifier, start.images, rows, many, kind, block), step)
        coarse = stepped(look, len(rows), tried, at_once)
        found.append(coarse if grid is None else bisected(look, coarse, below(coarse, tried), at_once))
    sigma = torch.cat([one.step for one in found]).double() * step
    return Half(
        name, float(step), float(cap), len(many), start.images.ids, start.misclassified,
        sigma=torch.where(torch.cat([one.held for one in found]), sigma, torch.inf),
        rate=torch.cat([one.kept for one in found]),
        passes=torch.cat([one.looks for one in found]) * len(many),
    )  # fmt: skip


def change_rates(
    classifier: Classifier,
    images: ImageSet,
    sigmas: Sequence[float],
    *,
    variant: str | Variant = "fixed-clipped",
    seeds: Sequence[int] = FIELDS,
    block: int = 512,
) -> Rates:
    """Share of noise fields that change the label at given sigmas (grey levels, from 0 on).

    Raises
    ------
    MistrustError
        A negative sigma; what `breaking` refuses.
    """
    levels = torch.tensor([within("sigma", sigma, 0) for sigma in sigmas], dtype=torch.float64)
    kind, many = find_variant(variant)[1], check_seeds(seeds)
    start = starting_points(classifier, images, block)
    rate = torch.empty(len(start.images), len(levels), dtype=torch.float64)
    for rows in torch.arange(len(start.images)).split(max(1, block // len(many))):
        fields = _Fields(classifier, start.images, rows, many, kind, block)
        for column, sigma in enumerate(levels):
            rate[rows, column] = fields.rate(torch.arange(len(rows)), sigma.expand(len(rows)))
    return Rates(start.images.ids, start.misclassified, levels, rate)


def linear_rate(
    margin: Float64[Tensor, " *n"], norm: Float64[Tensor, " *n"], sigma: Float64[Tensor, " *n"]
) -> Float64[Tensor, " *n"]:
    """Rate at which noise that is not clipped changes the label of two linear classes: Phi(-255 margin / (sigma norm)).

    Parameters
    ----------
    margin : by how much the logit of the label leads, from 0 on.
    norm : L2 norm of the difference of both classes' weights, of images in [0, 1], from 0 on.
    sigma : grey levels, from 0 on. The rate stays below a half for a margin above 0, so sigma_50 is infinite.

    Returns
    -------
    0 where no noise reaches the logits, sigma or norm being 0, and so without a margin, too.

    Raises
    ------
    MistrustError
        A number below 0, or NaN.

    Examples
    --------
    >>> margin, none = torch.tensor([0.0, 0.0, 1.0]).double(), torch.tensor([0.0, 1.0, 255.0]).double()
    >>> linear_rate(margin, torch.ones(3).double(), none).round(decimals=3).tolist()
    [0.0, 0.5, 0.159]
    """
    for name, values in {"margin": margin, "norm": norm, "sigma": sigma}.items():
        if not bool((values >= 0).all()):
            raise MistrustError(f"linear_rate: {name} is {float(values.min()):g} at its least, expected 0 or more.")
    spread = sigma * norm
    return torch.where(spread > 0, torch.special.ndtr(-GREY * margin / spread), 0.0)


class _Fields:
    """Some of the images, each under all noise fields."""

    def __init__(
        self,
        classifier: Classifier,
        images: ImageSet,
        rows: Int[Tensor, " r"],
        seeds: tuple[int, ...],
        kind: Variant,
        block: int,
    ) -> None:
        self._fields, self._block = torch.arange(len(seeds)), block
        each = torch.tensor(seeds).repeat(len(rows))
        self._trials = Trials(classifier, images, rows.repeat_interleave(len(seeds)), each, kind)

    def rate(self, rows: Int[Tensor, " r"], sigmas: Float64[Tensor, " r"]) -> Float64[Tensor, " r"]:
        """Share of the fields that change the label."""
        pairs = (rows[:, None] * len(self._fields) + self._fields).flatten().split(self._block)
        each = sigmas.repeat_interleave(len(self._fields)).split(self._block)
        changed = torch.cat([self._trials.look(*some)[0] for some in zip(pairs, each, strict=True)])
        return changed.view(len(rows), -1).double().mean(1)


def _at_least_half(fields: _Fields, step: float) -> Look:
    def look(rows: Tensor, numbers: Tensor) -> tuple[Bool[Tensor, " r"], Tensor]:
        rate = fields.rate(rows, numbers.double() * step)
        return rate >= 0.5, rate

    return look
