"""Noise inside a network: by how much the output of a layer must be disturbed before the prediction changes.

UREM, section 4, "Layer-wise Random Perturbations": noise of mean 1 is multiplied, its standard deviation is the share
of noise. The paper says neither whether the noise stays the same while it grows nor whether a map is scaled as a whole.
Here a layer's output h becomes h (1 + sigma z) with one z per image, seed and layer; nothing is clipped.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float64, Int, Int64
from torch import Tensor

from mistrust import random
from mistrust.data import ImageSet
from mistrust.errors import UnknownName
from mistrust.networks import Classifier
from mistrust.networks.checks import check_finite
from mistrust.robustness.bracket import coarse_steps
from mistrust.robustness.breaking import SEEDS
from mistrust.robustness.checks import check_seeds, pixels_of, starting_points
from mistrust.robustness.searching import First, below, bisected, stepped
from mistrust.robustness.tails import Tail, find_tail

CAP = 5.0  # noise five times as large as the output itself
# From the shape of one image's output to that of its noise: a number each, or one for all numbers of a channel
# (axis 1 of the batch), which leaves a layer without height and width as it is.
MODES: dict[str, Callable[[tuple[int, ...]], tuple[int, ...]]] = {
    "elementwise": lambda shape: shape,
    "channel": lambda shape: (*shape[:1], *(1 for _ in shape[1:])),
}


@dataclass(frozen=True, eq=False)
class LayerBreaking:
    """Breaking standard deviations of m images under s noise seeds, at one layer.

    Attributes
    ----------
    layer, mode, step, cap, seeds : how they were found; step and cap as shares of the layer's own output.
    shape : of the layer's output for one image.
    path : "cached tail" where only what follows the layer was repeated, "whole pass" where the network was.
    ids, labels : (m,) of the images, all classified correctly.
    misclassified : (o,) ids of those that were not, and were kept apart.
    sigma : (m, s) the first sigma tried that changes the label; the cap where none does.
    broken : (m, s) whether one does; where not, sigma is right-censored.
    new_label : (m, s) the label at sigma, -1 where unbroken.
    probability : (m, s) softmax of the new label, NaN where unbroken.
    passes : (m, s) passes behind the layer that a search one after another takes; the same for every batch.
    computed : passes behind the layer that were made, those ahead of a break included.
    """

    layer: str
    mode: str
    step: float
    cap: float
    seeds: tuple[int, ...]
    shape: tuple[int, ...]
    path: str
    ids: Int64[Tensor, " m"]
    labels: Int64[Tensor, " m"]
    misclassified: Int64[Tensor, " o"]
    sigma: Float64[Tensor, "m s"]
    broken: Bool[Tensor, "m s"]
    new_label: Int64[Tensor, "m s"]
    probability: Float64[Tensor, "m s"]
    passes: Int64[Tensor, "m s"]
    computed: int

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return (
            f"LayerBreaking({self.layer}, {self.mode}: {len(self)} images x {len(self.seeds)} seeds, "
            f"{self.censored:.0%} unbroken at {self.cap:g}, {self.path})"
        )

    @property
    def censored(self) -> float:
        """Share of the pairs of image and seed that no sigma up to the cap breaks, in [0, 1]."""
        return float((~self.broken).double().mean())


def layer_breaking(
    classifier: Classifier,
    images: ImageSet,
    layer: str,
    *,
    mode: str = "elementwise",
    seeds: Sequence[int] = SEEDS,
    step: float = 0.01,
    cap: float = CAP,
    grid: float | None = None,
    block: int = 512,
) -> LayerBreaking:
    """Find the breaking standard deviation of multiplicative noise at a layer.

    Noise belongs to image id, seed, layer and mode: an image's result depends on no other image, on no order and on no
    block, but for ties of two logits in float32 (see `breaking`).

    Parameters
    ----------
    layer : as `layer_names` gives them; "input" is the image in [0, 1], where black stays black, and "input/scaled"
        what the network sees of it after its own normalisation, where with a mean of 0.5 mid-grey stays mid-grey.
    mode : an entry of `MODES`.
    step, cap : sigma runs from step to cap, a whole multiple of it.
    grid : None tries every step. Otherwise multiples of it are tried, and what lies before the first that breaks is
        bisected (`bracketed`): 0.16 takes a sixteenth of the passes where nothing breaks, and gives the same where no
        larger sigma gives the old label back.
    block : pairs of image and seed whose outputs and noise are held, and passes in one batch.

    Raises
    ------
    MistrustError
        What `starting_points` and `find_tail` refuse; an unknown mode, seeds that are alike, a cap or a grid that is no
        multiple of the step.

    Examples
    --------
    Ten digits, and a network that takes all for a 0: one is right, and no noise changes that.

    >>> from mistrust.data import load
    >>> from mistrust.networks import wrap
    >>> images, layer = load("digits", "test").take(slice(30, 40)), torch.nn.Linear(64, 10)
    >>> _ = torch.nn.init.zeros_(layer.weight), torch.nn.init.zeros_(layer.bias)
    >>> classifier = wrap(torch.nn.Sequential(torch.nn.Flatten(), layer), images.classes)
    >>> found = layer_breaking(classifier, images, "input", mode="channel", cap=0.1)
    >>> len(found), found.censored
    (1, 1.0)
    """
    if mode not in MODES:
        raise UnknownName("mode of a layer's noise", mode, MODES)
    chosen, tried = check_seeds(seeds), coarse_steps(step, cap, step if grid is None else grid)
    start = starting_points(classifier, images, block)
    found: list[First] = []
    with torch.no_grad():
        tail = find_tail(classifier, layer, pixels_of(classifier, start.images.take(slice(0, 2))))
        seed = torch.tensor(chosen).repeat(len(start.images))
        position = torch.arange(len(start.images)).repeat_interleave(len(chosen))
        for some in torch.arange(len(seed)).split(block):
            trials = _Trials(classifier, start.images, position[some], seed[some], tail, mode, step)
            first = stepped(trials.look, len(some), tried, block)
            found.append(first if grid is None else bisected(trials.look, first, below(first, tried), block))
    size = (len(start.images), len(chosen))
    held = torch.cat([one.held for one in found]).view(size)
    likely, label = torch.cat([one.kept for one in found]).double().softmax(1).max(1)
    return LayerBreaking(
        layer, mode, float(step), float(cap), chosen, tail.shape, tail.path,
        start.images.ids, start.images.labels, start.misclassified,
        sigma=torch.cat([one.step for one in found]).double().mul(step).view(size),
        broken=held,
        new_label=torch.where(held, label.view(size), -1),
        probability=torch.where(held, likely.view(size), torch.nan),
        passes=torch.cat([one.looks for one in found]).view(size),
        computed=sum(one.computed for one in found),
    )  # fmt: skip


class _Trials:
    """Images under a noise seed each: does step number k, at the layer, change the label?"""

    def __init__(
        self,
        classifier: Classifier,
        images: ImageSet,
        rows: Int[Tensor, " t"],
        seeds: Int[Tensor, " t"],
        tail: Tail,
        mode: str,
        step: float,
    ) -> None:
        some, self._image = rows.unique(return_inverse=True)
        held = images.take(some)
        self._classifier, self._step, self._labels = classifier, step, held.labels[self._image]
        pixels = pixels_of(classifier, held)
        self._rest = tail.cut(pixels)
        name = f"noise/layer/{mode}/{tail.layer}"
        self._z = _noise(name, held.ids[self._image], seeds, MODES[mode](tail.shape)).to(pixels)

    def look(self, trials: Int[Tensor, " r"], numbers: Int[Tensor, " r"]) -> tuple[Bool[Tensor, " r"], Tensor]:
        """Whether the label differs from that of the clean image, (r,), and the logits (r, k)."""
        there = trials.to(self._z.device)
        z = self._z[there]
        sigmas = (numbers.double() * self._step).to(z).view(-1, *(1 for _ in z.shape[1:]))
        logits = self._rest(self._image[trials].to(there.device), 1 + sigmas * z).cpu()
        check_finite(logits, self._classifier)
        return logits.argmax(1) != self._labels[trials], logits


def _noise(name: str, ids: Int[Tensor, " p"], seeds: Int[Tensor, " p"], shape: tuple[int, ...]) -> Tensor:
    """Standard normal z (p, *shape), float32, from a generator of each pair's own: layers are too large for 256 ids."""
    z = np.empty((len(ids), *shape), dtype=np.float32)
    for row, (seed, id) in enumerate(zip(seeds.tolist(), ids.tolist(), strict=True)):
        random.generator(seed, name, id).standard_normal(dtype=np.float32, out=z[row])
    return torch.from_numpy(z)
