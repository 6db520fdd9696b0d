"""Distance to the nearest other class by foolbox's DDN: not our code, to check our searches by.

Rony and others, "Decoupling direction and norm for efficient gradient-based L2 adversarial attacks and defenses", CVPR
2019 (arXiv 1811.09600). Untargeted, to the boundary and not to a probability, without rounding to 8 bits.
"""

import warnings
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float64, Int64
from torch import Tensor, nn

from mistrust.data import ImageSet
from mistrust.inputs.limits import whole
from mistrust.networks import Classifier
from mistrust.robustness.checks import forward, pixels_of, starting_points
from mistrust.robustness.gradient import BLOCK, blocks
from mistrust.robustness.noise import GREY

# A lead of the own class from which on foolbox is given smaller logits: in its cross-entropy 1 - softmax loses digits.
SURE = 20.0


@dataclass(frozen=True, eq=False)
class Boundary:
    """The nearest other class that DDN found of m images.

    Attributes
    ----------
    ids : (m,) of the images, all classified correctly.
    l2 : (m,) Euclidean distance in grey levels (of [0, 1] images, times 255); NaN where it found none.
    success : (m,) whether it found one.
    label : (m,) the class that it found; -1 where none.
    misclassified : (o,) ids of the images that were named wrongly as they are, and were kept apart.
    """

    ids: Int64[Tensor, " m"]
    l2: Float64[Tensor, " m"]
    success: Bool[Tensor, " m"]
    label: Int64[Tensor, " m"]
    misclassified: Int64[Tensor, " o"]


def ddn(classifier: Classifier, images: ImageSet, *, steps: int = 100, block: int = BLOCK) -> Boundary:
    """Find the nearest other class of each image, Euclidean: an upper bound of the distance to any.

    Parameters
    ----------
    classifier : wraps a torch module in evaluation mode.
    images : with true labels.
    steps : of DDN, at least 10; foolbox takes 100. More come nearer.
    block : images at a time.

    Raises
    ------
    MistrustError
        What `starting_points` refuses; a plain callable, fewer steps than 10.
    """
    _ = classifier.module
    count, size = whole("ddn: steps", steps, 10), whole("block", block, 1)
    start = starting_points(classifier, images, size)
    lead = start.logits.double().topk(2, 1).values.diff(dim=1).neg()
    factors = (SURE / lead).clamp(max=1).split(size)
    parts = [
        _nearest(classifier, some, factor, count)
        for some, factor in zip(blocks(start.images, size), factors, strict=True)
    ]
    l2, label = (torch.cat(column) for column in zip(*parts, strict=True))
    return Boundary(start.images.ids, l2, label >= 0, label, start.misclassified)


class _Seen(nn.Module):
    """What foolbox sees: logits in float64, times a factor for each image of the block."""

    def __init__(self, classifier: Classifier, factor: Tensor) -> None:
        super().__init__()
        self.classifier, self.factor = classifier, factor

    def forward(self, pixels: Tensor) -> Tensor:
        return forward(self.classifier, pixels).double() * self.factor


def _nearest(
    classifier: Classifier, images: ImageSet, factor: Tensor, steps: int
) -> tuple[Float64[Tensor, " b"], Int64[Tensor, " b"]]:
    """Distances of one block, NaN where foolbox fails, and the classes reached, -1 there."""
    with warnings.catch_warnings():  # foolbox imports a name that scipy has moved
        warnings.simplefilter("ignore")
        from foolbox import PyTorchModel
        from foolbox.attacks import DDNAttack
    pixels, labels = pixels_of(classifier, images), images.labels.to(classifier.device)
    seen = _Seen(classifier, factor.to(pixels.device)).eval()
    model = PyTorchModel(seen, bounds=(0, 1), device=classifier.device)
    # Foolbox draws from the global generator at every step, although it needs a draw only where a gradient is 0.
    with torch.random.fork_rng([pixels.device] if pixels.device.type == "cuda" else []):
        torch.manual_seed(0)
        found, _, fooled = DDNAttack(steps=steps)(model, pixels, labels, epsilons=None)
    with torch.no_grad():
        label = seen(found).argmax(1)
    l2 = (found.detach().cpu().double() - pixels.cpu().double()).flatten(1).norm(dim=1) * GREY
    return torch.where(fooled.cpu(), l2, torch.nan), torch.where(fooled, label, -1).cpu()
