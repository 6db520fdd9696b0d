"""The margin of a class, and the region of all points where it is positive.

The paper (section 3, "Problem Statement") speaks of the level set of a label-valued f, and of paths with f'(x) x' = 0.
A label has no slope, so that condition holds everywhere and says nothing. The margin g_c(x) = z_c(x) - max z_j(x),
j != c, is what it can be asked of: the class region is {g_c > 0}, and {g_c >= level} lies within it.
"""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from mistrust.errors import MistrustError
from mistrust.inputs.attacks import gradient
from mistrust.networks import Classifier, check_images
from mistrust.networks.checks import is_whole
from mistrust.robustness.checks import forward
from mistrust.robustness.regions.margin import margin, refuse_training
from mistrust.robustness.regions.segments import certify

# Numbers in one block of points that a margin is asked for: 512 grey images of 28x28.
BLOCK = 400_000
# How far outside [0, 1] a pixel may lie: what rounding leaves of a point between two images.
SLACK = 1e-6


@dataclass(frozen=True, eq=False)
class Region:
    """Where a margin is positive.

    Attributes
    ----------
    title : what it is called.
    margin : points (n, ...) to margins (n,), differentiable almost everywhere.
    exact : (starts, ends), each (m, ...), to the smallest margin (m,) on each segment between them, exact up to
        rounding; None where nobody can say, and a grid is all there is.
    box : lowest and highest value of a coordinate; None where any will do.
    dtype : the numbers that the margin is computed in.

    Examples
    --------
    The inside of the unit circle, without an exact test:

    >>> disk = Region("disk", lambda x: 1 - x.square().sum(1))
    >>> disk(torch.tensor([[0.0, 0.0], [0.5, 0.0], [2.0, 0.0]]))
    tensor([ 1.0000,  0.7500, -3.0000], dtype=torch.float64)
    >>> margins, slopes = disk.slope(torch.tensor([[0.5, 0.0]]))
    >>> slopes  # it rises towards the middle
    tensor([[-1., -0.]], dtype=torch.float64)
    >>> disk.lowest(torch.tensor([[0.0, 0.0]]), torch.tensor([[0.5, 0.0]]))
    Traceback (most recent call last):
    mistrust.errors.MistrustError: disk has no exact segment test. Use lowest_on_grid(...), ...
    """

    title: str
    margin: Callable[[Tensor], Tensor]
    exact: Callable[[Tensor, Tensor], Tensor] | None = None
    box: tuple[float, float] | None = None
    dtype: torch.dtype = torch.float64

    @torch.no_grad()
    def __call__(self, points: Float[Tensor, "n ..."]) -> Float[Tensor, " n"]:
        """Margins of points, in blocks; bytes are refused, as what they count for is not known here."""
        _check_floats("Points", points)
        parts = [self.margin(some.to(self.dtype)) for some in self._blocks(points)]
        return torch.cat(parts) if parts else points.new_zeros(0, dtype=self.dtype)

    def slope(self, points: Float[Tensor, "n ..."]) -> tuple[Float[Tensor, " n"], Float[Tensor, "n ..."]]:
        """Margins of points and the gradient of each by its own point."""
        _check_floats("Points", points)
        margins, slopes = [points.new_zeros(0, dtype=self.dtype)], [points[:0].to(self.dtype)]
        with torch.enable_grad():
            for some in self._blocks(points):
                x = some.detach().to(self.dtype, copy=True).requires_grad_()
                found = self.margin(x)
                slopes.append(gradient(found.sum(), x, last=True))  # no point sees another
                margins.append(found.detach())
        return torch.cat(margins), torch.cat(slopes)

    def inside(self, points: Float[Tensor, "n ..."]) -> Float[Tensor, "n ..."]:
        """The nearest points of the box."""
        return points if self.box is None else points.clamp(*self.box)

    def lowest(self, starts: Float[Tensor, "m ..."], ends: Float[Tensor, "m ..."]) -> Float[Tensor, " m"]:
        """The exact smallest margin on each segment.

        Raises
        ------
        MistrustError
            A region without an exact test.
        """
        if self.exact is None:
            raise MistrustError(
                f"{self.title} has no exact segment test. Use lowest_on_grid(...), whose answer is an upper bound, or "
                "class_region(...) of a piecewise linear network."
            )
        return self.exact(starts, ends)

    def _blocks(self, points: Tensor) -> tuple[Tensor, ...]:
        return points.split(max(1, BLOCK // max(1, points[0].numel()))) if len(points) else ()


def class_region(
    classifier: Classifier, label: int, *, exact: bool = True, dtype: torch.dtype = torch.float64
) -> Region:
    """Give the region of one class of a classifier: points are images (n, c, h, w) in [0, 1], floats.

    Parameters
    ----------
    classifier : wraps a torch module in evaluation mode. A copy of the network is made, and is left alone.
    label : position of the class.
    exact : whether segments are tested exactly, for which the network must be piecewise linear; this is found out at
        the first test. False for networks with sigmoid, GELU and the like: only a grid can be had of them.
    dtype : of the copy. float64, unless speed on a grid is worth the digits; the exact test is always float64.

    Raises
    ------
    MistrustError
        A label that is no class, a plain callable, a network in training mode. The region's own calls refuse points
        that are no such images, but for what rounding leaves.

    Examples
    --------
    A linear classifier of two pixels, whose margin is the difference of the two:

    >>> from mistrust.networks import wrap
    >>> left = class_region(wrap(torch.nn.Flatten(), ["left", "right"]), 0)
    >>> images = torch.tensor([[1.0, 0.0], [0.25, 0.5]]).view(2, 1, 1, 2)
    >>> left(images)
    tensor([ 1.0000, -0.2500], dtype=torch.float64)
    >>> left.lowest(images[:1], images[1:])  # exact on the segment between them
    tensor([-0.2500], dtype=torch.float64)
    """
    k = len(classifier.classes)
    if not is_whole(label, 0) or label >= k:
        raise MistrustError(f"Class {label} is asked for, expected a position from 0 to {k - 1}: {classifier.classes}.")
    refuse_training(classifier.module)
    network = deepcopy(classifier.module).to(dtype).requires_grad_(False)

    def of(images: Tensor) -> Tensor:
        plain = images.detach()
        inside = plain.clamp(0, 1)
        check_images(inside if bool(((plain - inside).abs() <= SLACK).all()) else plain)
        # Not by the classifier's own call, which refuses 1 + 1e-16 and takes one row of sum 1 for probabilities.
        return margin(forward(classifier, images.to(classifier.device), network), label).to(images.device)

    def along(starts: Tensor, ends: Tensor) -> Tensor:
        return certify(classifier, starts, ends, label).lowest

    title = f"class '{classifier.classes[label]}' of '{classifier.name}'"
    return Region(title, of, along if exact else None, (0.0, 1.0), dtype)


def check_samples(region: Region, samples: Float[Tensor, "n ..."]) -> None:
    """Refuse samples that are no floats (n, ...), or outside the region's box."""
    _check_floats("Samples", samples)
    if region.box == (0.0, 1.0):
        check_images(samples)
    if not bool(torch.isfinite(samples).all()):
        raise MistrustError("Samples are NaN or infinite, expected points that a margin is defined at.")


def _check_floats(what: str, points: Tensor) -> None:
    if points.ndim < 2 or not points.is_floating_point():
        raise MistrustError(
            f"{what} are {points.dtype} of shape {tuple(points.shape)}, expected floats of shape (n, ...): "
            "images.floats() of an ImageSet."
        )
