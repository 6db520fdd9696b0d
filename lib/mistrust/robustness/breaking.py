"""The breaking standard deviation: by how much noise a right prediction is changed, found step by step.

UREM, section 3.1: sigma is raised in steps of one grey level until the label differs from the one of the clean image.
Where nothing changes it up to a cap, the value is right-censored at the cap, and said to be.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float64, Int64
from torch import Tensor

from mistrust.data import ImageSet
from mistrust.networks import Classifier
from mistrust.robustness.checks import check_seeds, starting_points, steps
from mistrust.robustness.noise import Variant, find_variant
from mistrust.robustness.searching import First, Look, stepped
from mistrust.robustness.trials import Trials

SEEDS = (0, 1, 2, 3)  # one is not enough: seeds of one image spread by a third to two thirds of what images do
CAP = 510.0  # twice the range of pixels


@dataclass(frozen=True, eq=False)
class Breaking:
    """Breaking standard deviations of m images under s noise seeds.

    Attributes
    ----------
    variant, step, cap, seeds : how they were found; step and cap in grey levels of 0 to 255.
    ids, labels : (m,) of the images, all classified correctly.
    misclassified : (o,) ids of those that were not, and were kept apart.
    sigma : (m, s) the first sigma tried that changes the label, in grey levels; the cap where none does.
    broken : (m, s) whether one does; where not, sigma is right-censored.
    new_label : (m, s) the label at sigma, -1 where unbroken.
    probability : (m, s) softmax of the new label, NaN where unbroken.
    effective : (m, s) standard deviation of what happened to the pixels at sigma, after clipping, in grey levels.
    passes : (m, s) forward passes of images that a search one after another takes; the same for every batch.
    computed : forward passes that were made, those ahead of a break included; of clean images not.
    """

    variant: str
    step: float
    cap: float
    seeds: tuple[int, ...]
    ids: Int64[Tensor, " m"]
    labels: Int64[Tensor, " m"]
    misclassified: Int64[Tensor, " o"]
    sigma: Float64[Tensor, "m s"]
    broken: Bool[Tensor, "m s"]
    new_label: Int64[Tensor, "m s"]
    probability: Float64[Tensor, "m s"]
    effective: Float64[Tensor, "m s"]
    passes: Int64[Tensor, "m s"]
    computed: int

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        unbroken = int((~self.broken).sum())
        return (
            f"Breaking({self.variant}: {len(self)} images x {len(self.seeds)} seeds, {unbroken} unbroken at "
            f"{self.cap:g}, {len(self.misclassified)} misclassified kept apart)"
        )


def breaking(
    classifier: Classifier,
    images: ImageSet,
    *,
    variant: str | Variant = "fixed-clipped",
    seeds: Sequence[int] = SEEDS,
    step: float = 1.0,
    cap: float = CAP,
    block: int = 512,
) -> Breaking:
    """Find the breaking standard deviation by trying step, 2 step, ... up to the cap.

    Noise belongs to image id, seed and, where it is fresh, sigma, so that an image's result depends on no other image,
    on no order and on no block. In float32 a forward pass may differ in its last bits with the size of its batch: a
    result then differs, by a step and seldom, where two logits tie to about 1e-6. A float64 network has no such case.

    Parameters
    ----------
    variant : an entry of `VARIANTS`, or one of your own.
    seeds : of the noise, at least one.
    step, cap : in grey levels; the cap is a whole multiple of the step.
    block : images in one forward pass, and pairs of image and seed whose noise is held.

    Raises
    ------
    MistrustError
        What `starting_points` refuses; an unknown variant, seeds that are alike, a cap that is no multiple of the step.

    Examples
    --------
    Ten digits, and a network that takes all for a 0: one is right, and no noise changes that.

    >>> from mistrust.data import load
    >>> from mistrust.networks import wrap
    >>> images, layer = load("digits", "test").take(slice(30, 40)), torch.nn.Linear(64, 10)
    >>> _ = torch.nn.init.zeros_(layer.weight), torch.nn.init.zeros_(layer.bias)
    >>> breaking(wrap(torch.nn.Sequential(torch.nn.Flatten(), layer), images.classes), images, cap=4.0)
    Breaking(fixed-clipped: 1 images x 4 seeds, 4 unbroken at 4, 9 misclassified kept apart)
    """
    numbers = steps(step, cap)
    return search(
        classifier, images, variant, seeds, step, cap, block, lambda look, n: stepped(look, n, numbers, block)
    )


def search(
    classifier: Classifier,
    images: ImageSet,
    variant: str | Variant,
    seeds: Sequence[int],
    step: float,
    cap: float,
    block: int,
    find: Callable[[Look, int], First],
) -> Breaking:
    """Find each pair's step by `find`, for as many pairs of image and seed at a time as a block holds."""
    name, kind = find_variant(variant)
    chosen = check_seeds(seeds)
    start = starting_points(classifier, images, block)
    seed = torch.tensor(chosen).repeat(len(start.images))
    position = torch.arange(len(start.images)).repeat_interleave(len(chosen))
    found: list[First] = []
    spread: list[Tensor] = []
    for some in torch.arange(len(seed)).split(block):
        trials = Trials(classifier, start.images, position[some], seed[some], kind)
        found.append(find(trials.at(step), len(some)))
        spread.append(trials.effective(found[-1].step.double() * step))
    shape = (len(start.images), len(chosen))
    held = torch.cat([one.held for one in found]).view(shape)
    likely, label = torch.cat([one.kept for one in found]).double().softmax(1).max(1)
    return Breaking(
        name, float(step), float(cap), chosen, start.images.ids, start.images.labels, start.misclassified,
        sigma=torch.cat([one.step for one in found]).double().mul(step).view(shape),
        broken=held,
        new_label=torch.where(held, label.view(shape), -1),
        probability=torch.where(held, likely.view(shape), torch.nan),
        effective=torch.cat(spread).view(shape),
        passes=torch.cat([one.looks for one in found]).view(shape),
        computed=sum(one.computed for one in found),
    )  # fmt: skip
