"""Ways in which images may be wanted, and orders in which classes may stand: where another fits far better, say so."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from scipy.optimize import linear_sum_assignment
from torch import Tensor

from mistrust.evaluation import share
from mistrust.misclassification import confusion

CLEARLY = 0.2  # by how much another way must be better, in shares of images


@dataclass(frozen=True)
class Scaling:
    """One way: the model sees (image - mean) / std, images in [0, 1]; a number, or one per channel.

    Examples
    --------
    >>> Scaling("images in [-1, 1]", (0.5,), (0.5,)).options
    '--mean 0.5 --std 0.5'
    """

    title: str
    mean: tuple[float, ...]
    std: tuple[float, ...]

    @property
    def options(self) -> str:
        """As the command line takes it."""
        means, stds = (",".join(f"{v:g}" for v in values) for values in (self.mean, self.std))
        return f"--mean {means} --std {stds}"


# Numbers that libraries write down: torchvision's weights, its examples for MNIST, networks for [-1, 1] and for bytes.
SCALINGS = (
    Scaling("images in [0, 1]", (0.0,), (1.0,)),
    Scaling("images in [-1, 1]", (0.5,), (0.5,)),
    Scaling("grey levels 0 to 255", (0.0,), (1 / 255,)),
    Scaling("ImageNet's mean and deviation", (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
    Scaling("MNIST's mean and deviation", (0.1307,), (0.3081,)),
    Scaling("black and white exchanged", (1.0,), (-1.0,)),
)


def better_scaling(
    network: Callable[[Tensor], Tensor],
    images: Tensor,
    labels: Tensor,
    given: Scaling,
    others: Sequence[Scaling] = SCALINGS,
) -> tuple[Scaling, Tensor] | None:
    """Give the way of scaling under which the model is clearly right more often, with what it predicts then; or None.

    Parameters
    ----------
    images : (n, c, h, w) float32 in [0, 1].
    given : the way that was asked for.

    Notes
    -----
    Clearly: by a fifth of the images, and the exact intervals of the two accuracies lie apart. Accuracies are those of
    outputs in the order that fits best: so classes in a wrong order are not taken for images in a wrong range, nor do
    they hide one.
    """
    n = len(images)
    ways = [
        way for way in others
        if len(way.mean) in (1, images.shape[1]) and (way.mean, way.std) != (given.mean, given.std)
    ]  # fmt: skip
    if not ways:
        return None
    _, own = _predicted(network, images, labels, given)
    tried = []
    for way in ways:
        try:
            tried.append((*_predicted(network, images, labels, way), way))
        except Exception:  # whatever somebody's model raises of numbers that it was never shown
            continue
    if not tried:
        return None
    predicted, best, way = max(tried, key=lambda one: one[1])
    clear = share(best, n).low > share(own, n).high and best - own >= CLEARLY * n
    return (way, predicted) if clear else None


@torch.no_grad()
def _predicted(network: Callable[[Tensor], Tensor], images: Tensor, labels: Tensor, way: Scaling) -> tuple[Tensor, int]:
    """Predictions, and how many would be right if outputs stood in the order that fits best."""
    mean, std = (torch.tensor(values).view(1, -1, 1, 1) for values in (way.mean, way.std))
    outputs = torch.cat([network((some - mean) / std).cpu() for some in images.split(64)])
    counts = confusion(labels, outputs.argmax(1), outputs.shape[1]).numpy()
    return outputs.argmax(1), int(counts[linear_sum_assignment(-counts)].sum())


def told_of_order(labels: Tensor, predicted: Tensor, classes: tuple[str, ...]) -> str:
    """Say in which order of class names the model would clearly be right more often; "" where in none."""
    found = better_order(labels, predicted, classes)
    if found is None:
        return ""
    names, own, best = found
    return (
        f"The model is right for {own:.0%} of {len(labels)} images in the order of classes given, and would be for "
        f"{best:.0%} in the order {in_order(names)}. Is the order of its outputs another? Name it by --classes."
    )


def in_order(names: Sequence[str]) -> str:
    """Class names in a row, the first twelve of many."""
    return ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")


def told_of_guessing(labels: Tensor, predicted: Tensor) -> str:
    """Say that the model is not clearly better than the name of the most frequent class each time; "" where it is."""
    n, right, most = len(labels), int((predicted == labels).sum()), int(labels.bincount().max())
    if n < 2 or share(right, n).low > most / n:
        return ""
    return (
        f"The model is right for {right} of {n} images, which is not clearly more than naming the most frequent class "
        f"each time ({most}). Are labels, classes and their order, and the scaling those that it was trained with?"
    )


def better_order(labels: Tensor, predicted: Tensor, classes: tuple[str, ...]) -> tuple[list[str], float, float] | None:
    """Give the order of class names under which the model is clearly right more often, with both accuracies; or None.

    The order is the assignment of outputs to classes with the most right answers. It is fitted to the images, so that
    more is asked of it: at least three images a class, and of the images whose classes move, be it two of many, half
    more right answers than before, and six in ten right.
    """
    k, n = len(classes), len(labels)
    if n < 3 * k:
        return None
    counts = confusion(labels, predicted, k).numpy()
    rows, columns = linear_sum_assignment(-counts)
    moved = (rows != columns) & (counts[rows].sum(1) > 0)
    there = counts[rows[moved]].sum()
    own, best = counts[rows[moved], rows[moved]].sum(), counts[rows[moved], columns[moved]].sum()
    if best - own < max(0.5 * there, 3 * moved.sum(), 1) or best < 0.6 * there:
        return None
    own, best = int(np.trace(counts)), int(counts[rows, columns].sum())
    order = [""] * k
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        order[column] = classes[row]
    return order, own / n, best / n
