"""The breaking standard deviation with a tenth of the passes: a coarse grid, a closer look, bisection, and an audit.

Bisection finds a change of the label, the search step by step the first one. They are the same where no larger sigma
gives the old label back, as for two linear classes without clipping; nothing forbids other networks to. Before the
label leaves for a moment and comes back, it nearly leaves: where the margin, by which the largest probability exceeds
the second, has become small at a step of the grid, the steps beside it are looked at, too. What this overlooks an audit
tells: a random share of the images is searched step by step as well.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Float64, Int, Int64
from torch import Tensor

from mistrust import random
from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.inputs.limits import within
from mistrust.networks import Classifier
from mistrust.robustness.breaking import CAP, SEEDS, Breaking, breaking, search
from mistrust.robustness.checks import steps
from mistrust.robustness.noise import Variant, find_variant
from mistrust.robustness.searching import First, Look, Seen, bisected, closer, stepped

GRID = 16.0
# In 1,280 pairs of eight networks a quarter takes those that agree with stepping from 98.5 % to 99.5 %, and a half only
# to 99.6 %; passes are still a ninth or less of stepping's where sigma is above 64.
CLOSE = 0.25


@dataclass(frozen=True, eq=False)
class Audit:
    """What a search step by step says of some of the images.

    Attributes
    ----------
    share : chance of an image to be audited, which its id decides.
    position : (a,) the audited images among the m of the result.
    sigma, broken : (a, s) breaking sigma step by step, and whether there is one.
    mismatched : (a, s) where bisection found another sigma, or none.
    """

    share: float
    position: Int64[Tensor, " a"]
    sigma: Float64[Tensor, "a s"]
    broken: Bool[Tensor, "a s"]
    mismatched: Bool[Tensor, "a s"]

    def __repr__(self) -> str:
        return f"Audit({int(self.mismatched.sum())} of {self.mismatched.numel()} pairs differ)"


@dataclass(frozen=True, eq=False)
class Bracketed:
    """Breaking standard deviations by bracket and bisection, as they were found: the audit corrects none of them.

    Attributes
    ----------
    breaking : of all images; its `passes` are those of bracket and bisection alone.
    grid : distance of the coarse steps, in grey levels.
    close : share of the clean image's margin below which the steps between two of the grid were looked at.
    audit : of a share of them.
    """

    breaking: Breaking
    grid: float
    close: float
    audit: Audit


def bracketed(
    classifier: Classifier,
    images: ImageSet,
    *,
    variant: str | Variant = "fixed-clipped",
    seeds: Sequence[int] = SEEDS,
    step: float = 1.0,
    cap: float = CAP,
    grid: float = GRID,
    close: float = CLOSE,
    audit: float = 0.05,
    audit_seed: int = 0,
    block: int = 512,
) -> Bracketed:
    """Find the first sigma of a grid that changes the label, look closer before it, and bisect.

    A pair that breaks at sigma takes about sigma / grid + log2(grid / step) passes in place of sigma / step, and a few
    more where the label nearly changes before.

    Parameters
    ----------
    variant : one with fixed noise.
    seeds, step, cap, block : as for `breaking`, which gives the same for every pair without re-entry.
    grid : in grey levels, a whole multiple of the step.
    close : where the margin between the two largest probabilities is less than this share of the clean image's at a
        step of the grid, the middle between it and the next is tried as well; then where it is less than half of that
        for the halves, and so on. So it is before the first step where the clean image's own margin is less than this.
        0: on the grid alone.
    audit : share in [0, 1] of the images that are searched step by step as well, chosen by id and `audit_seed`.

    Raises
    ------
    MistrustError
        Fresh noise; a grid that is no multiple of the step; a share or `close` outside [0, 1]; what `breaking` refuses.
    """
    refuse_fresh(variant)
    within("audit", audit, 0, 1)
    slope = within("close", close, 0, 1) * step / grid
    tried = coarse_steps(step, cap, grid)

    def find(look: Look, n: int) -> First:
        seen = Seen(look, _margin, n, int(tried[-1]))
        seen(torch.arange(n), torch.zeros(n, dtype=torch.int64))  # the clean image
        found = closer(seen, stepped(seen, n, tried, block), slope, block)
        return bisected(look, found, seen.below(found.step), block)

    found = search(classifier, images, variant, seeds, step, cap, block, find)
    chosen = (random.uniform(audit_seed, "robustness/audit", found.ids, ()) < audit).nonzero()[:, 0]
    sigma, broken = found.sigma[chosen], found.broken[chosen]
    if len(chosen):
        where = torch.isin(images.ids, found.ids[chosen])
        exact = breaking(classifier, images.take(where), variant=variant, seeds=seeds, step=step, cap=cap, block=block)
        sigma, broken = exact.sigma, exact.broken
    mismatched = (sigma != found.sigma[chosen]) | (broken != found.broken[chosen])
    return Bracketed(found, float(grid), float(close), Audit(float(audit), chosen, sigma, broken, mismatched))


def _margin(logits: Float[Tensor, "r k"]) -> Float64[Tensor, " r"]:
    """By how much the largest probability exceeds the second."""
    likeliest = logits.double().softmax(1).topk(2, dim=1).values
    return likeliest[:, 0] - likeliest[:, 1]


def coarse_steps(step: float, cap: float, grid: float) -> Int[Tensor, " steps"]:
    """Numbers of the steps on a grid, and the last step."""
    every = steps(step, cap)
    width = round(within("grid", grid, step) / step)
    if abs(width * step - grid) > 1e-9 * grid:
        raise MistrustError(f"grid is {grid:g}, expected a whole multiple of step {step:g}, such as {width * step:g}.")
    return torch.cat([every[width - 1 :: width], every[-1:]]).unique()


def refuse_fresh(variant: str | Variant) -> None:
    """Refuse bisection where each sigma is a new trial: a change there says nothing about smaller sigmas."""
    name, kind = find_variant(variant)
    if kind.fresh:
        raise MistrustError(
            f"Variant '{name}' draws other noise at each sigma, so that a change at one says nothing about smaller "
            "ones: bisection is refused. Search step by step: breaking(...), or half(..., grid=None); or take a "
            "variant with fixed noise."
        )
