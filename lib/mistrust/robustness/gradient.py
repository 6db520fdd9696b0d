"""What one look at the gradient says of the distance: margin over slope, without any search.

Were the network linear, class j would be reached from class c after (z_c - z_j) / ||grad (z_c - z_j)||: in the
Euclidean norm with the gradient's own length, in the maximum norm with the sum of its absolute values, the dual norm.
The smallest over j is the first step of DeepFool (Moosavi-Dezfooli and others, CVPR 2016, arXiv 1511.04599, section
3.2, equations 8 to 11). Against these the searches of this folder must show what they tell more.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import log

import torch
from jaxtyping import Float64, Int64
from torch import Tensor

from mistrust.data import ImageSet
from mistrust.inputs.attacks import gradient
from mistrust.inputs.limits import whole
from mistrust.networks import Classifier
from mistrust.robustness.checks import forward, pixels_of, probability_of, starting_points
from mistrust.robustness.noise import GREY

BLOCK = 256  # images at a time


@dataclass(frozen=True, eq=False)
class LinearEstimate:
    """How far m images are from the other classes, were the network as linear everywhere as it is at them.

    Attributes
    ----------
    ids : (m,) of the images, all classified correctly.
    predicted : (m,) the class that the network gives.
    runner_up : (m,) the class with the second highest logit.
    margin : (m,) lead of the predicted class over it, in logits, from 0 on.
    l2, linf : (m, k) estimated distance to each class in grey levels of 0..255; NaN at the predicted class and at
        classes that were no candidates, infinite where the gradient is 0.
    misclassified : (o,) ids of the images that were named wrongly as they are, and were kept apart.
    """

    ids: Int64[Tensor, " m"]
    predicted: Int64[Tensor, " m"]
    runner_up: Int64[Tensor, " m"]
    margin: Float64[Tensor, " m"]
    l2: Float64[Tensor, "m k"]
    linf: Float64[Tensor, "m k"]
    misclassified: Int64[Tensor, " o"]

    @property
    def nearest_l2(self) -> Float64[Tensor, " m"]:
        """The smallest estimate over the other classes, Euclidean: DeepFool's first step."""
        return self.l2.nan_to_num(torch.inf, posinf=torch.inf).amin(1)

    @property
    def nearest_linf(self) -> Float64[Tensor, " m"]:
        """The smallest estimate over the other classes, maximum norm."""
        return self.linf.nan_to_num(torch.inf, posinf=torch.inf).amin(1)

    @property
    def runner_up_l2(self) -> Float64[Tensor, " m"]:
        """Margin over the length of its gradient: the estimate for the runner-up alone."""
        return self.l2.gather(1, self.runner_up[:, None])[:, 0]

    @property
    def runner_up_linf(self) -> Float64[Tensor, " m"]:
        """Margin over the sum of its gradient's absolute values: the estimate for the runner-up alone."""
        return self.linf.gather(1, self.runner_up[:, None])[:, 0]


def linear_estimate(
    classifier: Classifier,
    images: ImageSet,
    *,
    probability: float = 0.5,
    candidates: int | None = None,
    block: int = BLOCK,
) -> LinearEstimate:
    """Estimate the distance of each image to each other class from one gradient per class, with no search.

    Parameters
    ----------
    classifier : wraps a torch module in evaluation mode.
    images : with true labels. That pixels end at 0 and 255 is not heeded.
    probability : how sure the network is to be of the other class, counting these two classes alone: .5 is the
        boundary, at .9 the other logit must lead by log 9. In [.5, 1).
    candidates : how many other classes are looked at, those with the highest logits; None for all. A gradient each.
    block : images at a time.

    Raises
    ------
    MistrustError
        What `starting_points` refuses; a plain callable, outputs without a finite gradient, a probability or a number
        of candidates out of range.
    """
    _ = classifier.module
    k, size = len(classifier.classes), whole("block", block, 1)
    chance = probability_of("linear_estimate: probability", probability, 0.5)
    others = k - 1 if candidates is None else whole("linear_estimate: candidates", candidates, 1, k - 1)
    start = starting_points(classifier, images, size)
    beyond = log(chance / (1 - chance))
    parts = [_estimated(classifier, some, others, beyond) for some in blocks(start.images, size)]
    l2, linf = (torch.cat(column) for column in zip(*parts, strict=True))
    top = start.logits.double().topk(2, 1)
    return LinearEstimate(
        start.images.ids, start.images.labels, top.indices[:, 1], top.values[:, 0] - top.values[:, 1], l2, linf,
        start.misclassified,
    )  # fmt: skip


def _estimated(classifier: Classifier, images: ImageSet, others: int, beyond: float) -> tuple[Tensor, Tensor]:
    """Estimates of one block in both norms, (b, k) each."""
    with torch.enable_grad():
        x = pixels_of(classifier, images).clone().requires_grad_()
        out = forward(classifier, x)
        order = out.detach().topk(others + 1, 1).indices
        l2 = torch.full(out.shape, torch.nan, dtype=torch.float64)
        linf = l2.clone()
        for place in range(1, others + 1):
            lead = out.gather(1, order[:, :1]) - out.gather(1, order[:, place : place + 1])
            slope = gradient(lead.sum(), x, last=place == others).flatten(1).cpu().double()
            far, column = GREY * (lead.detach().cpu().double() + beyond), order[:, place : place + 1].cpu()
            l2.scatter_(1, column, far / slope.norm(dim=1, keepdim=True))
            linf.scatter_(1, column, far / slope.abs().sum(1, keepdim=True))
    return l2, linf


def blocks(images: ImageSet, size: int) -> Iterator[ImageSet]:
    """Cut a set into parts of this size, the last one maybe smaller."""
    return (images.take(slice(i, i + size)) for i in range(0, len(images), size))
