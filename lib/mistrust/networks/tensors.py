"""What a classifier is given and gives, as tensors: images in [0, 1]; outputs that are logits, or probabilities."""

import torch
from jaxtyping import Float
from torch import Tensor

from mistrust.data import ImageSet
from mistrust.data.outside import slip
from mistrust.errors import MistrustError


def check_tensor(images: object) -> None:
    """Refuse images that are no tensor.

    Examples
    --------
    >>> check_tensor([[0.5]])
    Traceback (most recent call last):
    mistrust.errors.MistrustError: Images are of type list, expected a torch tensor: torch.as_tensor(images).
    """
    if not isinstance(images, Tensor):
        hint = as_one_tensor(images)
        if isinstance(images, ImageSet):
            hint = "images.images, or observe(classifier, images)"
        raise MistrustError(f"Images are of type {type(images).__name__}, expected a torch tensor: {hint}.")


def as_one_tensor(images: object) -> str:
    """Say what makes a tensor of images that are none: arrays, or batches that a DataLoader gives."""
    loader = isinstance(images, torch.utils.data.DataLoader)
    return "torch.cat([x for x, _ in loader])" if loader else "torch.as_tensor(images)"


def check_images(images: Tensor) -> None:
    """Refuse images that are not a tensor (n, c, h, w) in [0, 1].

    Examples
    --------
    >>> check_images(torch.rand(2, 1, 28, 28))  # all is well: nothing is said
    >>> check_images(torch.rand(28, 28))
    Traceback (most recent call last):
    mistrust.errors.MistrustError: Images have shape (28, 28), expected (n, channels, height, width).
    """
    check_tensor(images)
    if images.ndim != 4:
        raise MistrustError(f"Images have shape {tuple(images.shape)}, expected (n, channels, height, width).")
    if len(images) == 0:
        return
    if images.numel() == 0:
        raise MistrustError(f"Images have shape {tuple(images.shape)}, expected at least one channel and one pixel.")
    low, high = (float(v) for v in images.detach().aminmax())
    if not (low >= 0.0 and high <= 1.0):  # written so that NaN is refused too
        way_out = slip(images.detach()) or (
            "A classifier applies its own normalisation: give it images / 255 (or uint8), and put mean and std into "
            "wrap(...)."
        )
        raise MistrustError(f"Images range from {low:.4g} to {high:.4g}, expected [0, 1]. {way_out}")


def looks_like_probabilities(outputs: Float[Tensor, "n k"], *, rounded: bool = False) -> bool:
    """Tell whether every row is at least 0 and sums to 1; without rows, False.

    Parameters
    ----------
    outputs : (n, k) a tensor, or more axes before the last.
    rounded : sums may be off by what rounding to two digits does, 0.005 a class and 0.05 at most: for many rows, all
        of which must be so. Else by 1e-4, or, in numbers of 16 bits, by 0.005.

    Examples
    --------
    >>> looks_like_probabilities(torch.tensor([[0.5, 0.5], [1.0, 0.0]]))
    True
    >>> looks_like_probabilities(torch.tensor([[2.5, -0.5]]))
    False
    >>> thirds = torch.tensor([[0.33, 0.33, 0.33], [0.67, 0.17, 0.17]])
    >>> looks_like_probabilities(thirds), looks_like_probabilities(thirds, rounded=True)
    (False, True)
    """
    if not isinstance(outputs, Tensor) or outputs.ndim < 1:
        raise MistrustError(f"Outputs are {outputs!r}, expected a tensor (n, k): torch.as_tensor(outputs).")
    rows = outputs.detach()
    half = rows.dtype in (torch.float16, torch.bfloat16)
    sums = rows.sum(-1, dtype=torch.float32 if half else None)
    tolerance = min(0.05, 0.005 * rows.shape[-1]) if rounded else 5e-3 if half else 1e-4
    return len(rows) > 0 and bool((rows >= 0).all()) and bool(((sums - 1).abs() < tolerance).all())


# How far a row of probabilities may be off: rounding to two digits of ten classes; numbers of 16 bits stay far below.
SUM, BELOW = 0.0505, 1e-4


def check_probabilities(rows: Float[Tensor, "n k"], name: str) -> None:
    """Refuse rows that are no probabilities: below 0, or of a sum that is not about 1. NaN is for others to tell.

    Parameters
    ----------
    name : of the classifier that gave them.

    Examples
    --------
    >>> check_probabilities(torch.tensor([[0.33, 0.33, 0.33], [1.0, 0.0, 0.0]]), "yours")
    >>> check_probabilities(torch.tensor([[90.0, 10.0]]), "yours")
    Traceback (most recent call last):
    mistrust.errors.MistrustError: Classifier 'yours' gives rows that sum to between 100 and 100, ...
    """
    if not len(rows):
        return
    given = rows.detach()
    sums = given.sum(-1, dtype=torch.float32 if given.dtype in (torch.float16, torch.bfloat16) else None)
    low, (least, most) = float(given.amin()), (float(one) for one in sums.aminmax())
    if low < -BELOW:
        raise MistrustError(
            f"Classifier '{name}' gives numbers down to {low:.4g}, and "
            'outputs="probabilities" promises none below 0. Take outputs="logits", or put a softmax at its end.'
        )
    if least < 1 - SUM or most > 1 + SUM:
        raise MistrustError(
            f"Classifier '{name}' gives rows that sum to between {least:.4g} and {most:.4g}, and "
            'outputs="probabilities" promises 1. Take outputs="logits" if that is what they are; divide percentages by '
            "100, and other rows by their sum."
        )
