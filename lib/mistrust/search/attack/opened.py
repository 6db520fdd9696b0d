"""What attacks by labels alone have in common: the network asked for the images' own labels, a start each, an end."""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from mistrust.data import ImageSet
from mistrust.inputs.limits import whole
from mistrust.search.attack.asking import Asked, Network, lent, taken
from mistrust.search.attack.found import Distances, Trace, collected
from mistrust.search.attack.starts import Searched, Starts, started


@dataclass(frozen=True, eq=False)
class Opened:
    """Searches that have begun.

    Attributes
    ----------
    asked : the network, its queries counted.
    pixels, ids : (n, c, h, w) and (n,) as given.
    searched, start : the images as rows with their own labels, and where each search begins.
    """

    asked: Asked
    pixels: Float[Tensor, "n c h w"]
    ids: Int64[Tensor, " n"]
    searched: Searched
    start: Starts

    @property
    def queries(self) -> Int64[Tensor, " n"]:
        """Images asked for so far, each one's own label included."""
        return self.start.queries + 1

    def ended(
        self,
        method: str,
        best: Float[Tensor, "n d"],
        queries: Int64[Tensor, " n"],
        trace: Trace | None = None,
    ) -> Distances:
        """Put together what was found: the nearest images of another class, where there was a start."""
        start = self.start
        return collected(
            method, self.pixels.to(self.asked.device), best.view(-1, *self.pixels.shape[1:]), start.found, ids=self.ids,
            label=self.searched.label, start=start.kind, queries=queries, shared=start.shared, trace=trace,
        )  # fmt: skip


def opened(
    network: Network,
    images: ImageSet | Float[Tensor, "n c h w"],
    *,
    ids: Int64[Tensor, " n"] | None,
    donors: ImageSet | Float[Tensor, "m c h w"] | None,
    seed: int,
    blends: int,
    probes: int,
    block: int | None,
    dtype: torch.dtype | None = None,
) -> Opened:
    """Check what an attack is given, ask for the images' own labels, and find where each search begins.

    Parameters
    ----------
    dtype : of the images that the network is shown, see `Asked`; the others as for `boundary`.
    """
    pixels, numbers = taken(images, ids)
    asked = Asked(network, pixels, block, dtype)
    searched = labelled(asked, pixels, numbers)
    start = started(
        asked, searched, lent(donors, pixels), seed=seed,
        blends=whole("blends", blends, 1), probes=whole("probes", probes, 0),
    )  # fmt: skip
    return Opened(asked, pixels, numbers, searched, start)


def labelled(asked: Asked, pixels: Float[Tensor, "n c h w"], ids: Int64[Tensor, " n"]) -> Searched:
    """Flatten images, in float64 where the network is, and ask for their own labels."""
    flat = pixels.flatten(1).to(asked.device)
    return Searched(flat.double(), ids.to(asked.device), asked(flat.to(asked.dtype)))
