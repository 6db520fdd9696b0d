"""Foolbox 3's own boundary attack: not our code, and not the algorithm of the paper any more.

It accepts by the Euclidean distance, tries one candidate per step, adapts its steps by other rules, in float32, and all
images of a batch share one random direction, so that an image's distance depends on its batch (facts 3.6).
"""

import warnings
from typing import NamedTuple

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

from mistrust.data import ImageSet
from mistrust.inputs.limits import whole, within
from mistrust.search.attack.asking import BLOCK, Asked, Network
from mistrust.search.attack.found import Distances
from mistrust.search.attack.opened import opened
from mistrust.search.attack.starts import BLENDS, PROBES


def foolbox(
    network: Network,
    images: ImageSet | Float[Tensor, "n c h w"],
    *,
    ids: Int64[Tensor, " n"] | None = None,
    donors: ImageSet | Float[Tensor, "m c h w"] | None = None,
    seed: int = 0,
    steps: int = 25000,
    spherical_step: float = 0.01,
    source_step: float = 0.01,
    adaptation: float = 1.5,
    blends: int = BLENDS,
    probes: int = PROBES,
    block: int = BLOCK,
) -> Distances:
    """Find an image near each that the network names otherwise, by `foolbox.attacks.BoundaryAttack` (3.3.4).

    Parameters
    ----------
    network, images, ids, donors, blends, probes : as for `boundary`, whose starts it is given: by itself it refuses a
        whole batch when one image has none.
    seed : of the starts, and of torch's generator while foolbox runs; it is left as it was.
    steps : each one candidate for every image; 25,000 is foolbox's own.
    spherical_step, source_step, adaptation : as for `boundary`.
    block : images that share random directions.

    Raises
    ------
    MistrustError
        As `boundary`.

    Examples
    --------
    >>> bright = lambda images: (images.flatten(1).mean(1) > 0.5).long()
    >>> found = foolbox(bright, torch.full((1, 1, 4, 4), 0.3), steps=20)
    >>> found.method, found.start, bool(0.2 <= found.mae.item() < 0.25)
    ('foolbox', ('noise',), True)
    """
    limit = whole("steps", steps, 0)
    sizes = _Sizes(
        within("spherical_step", spherical_step, 1e-12),
        within("source_step", source_step, 1e-12),
        within("adaptation", adaptation, 1),
    )
    begun = opened(
        network, images, ids=ids, donors=donors, seed=seed, blends=blends, probes=probes, block=block,
        dtype=torch.float32,  # foolbox draws its directions so
    )  # fmt: skip
    asked, searched, start = begun.asked, begun.searched, begun.start
    originals, best = begun.pixels.to(asked.device, torch.float32), start.points.to(torch.float32)
    queries = begun.queries
    reached = start.found.nonzero()[:, 0]
    for rows in reached.split(asked.block) if len(reached) else ():
        before = asked.count
        begin = best[rows].view(-1, *asked.shape)
        best[rows] = _attacked(asked, originals[rows], begin, searched.label[rows], limit, sizes, seed).flatten(1)
        queries[rows] += (asked.count - before) // len(rows)
    return begun.ended("foolbox", best, queries)


class _Sizes(NamedTuple):
    spherical: float
    source: float
    adaptation: float


class _Seen(nn.Module):
    """What foolbox sees: two classes, the network's own label of each image of the batch and any other."""

    def __init__(self, asked: Asked, label: Tensor) -> None:
        super().__init__()
        self.asked, self.label = asked, label

    def forward(self, images: Tensor) -> Tensor:
        other = self.asked(images.flatten(1)) != self.label
        return torch.stack([~other, other], 1).to(torch.float32)


def _attacked(
    asked: Asked, images: Tensor, begin: Tensor, label: Tensor, steps: int, sizes: _Sizes, seed: int
) -> Tensor:
    """One batch of images by foolbox."""
    with warnings.catch_warnings():  # foolbox imports a name that scipy has moved
        warnings.simplefilter("ignore")
        from foolbox import PyTorchModel
        from foolbox.attacks import BoundaryAttack
    model = PyTorchModel(_Seen(asked, label).eval(), bounds=(0, 1), device=asked.device)
    with torch.random.fork_rng([asked.device] if asked.device.type == "cuda" else []):
        torch.manual_seed(seed)
        attack = BoundaryAttack(None, steps, sizes.spherical, sizes.source, step_adaptation=sizes.adaptation)
        return attack.run(model, images, torch.zeros_like(label), starting_points=begin).detach()
