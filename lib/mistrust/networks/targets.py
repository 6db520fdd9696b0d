"""Soft labels: a probability of each class for each image, given to training beside an `ImageSet`'s hard labels."""

import hashlib

import torch
from jaxtyping import Float, Float32
from torch import Tensor
from torch.nn import functional

from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.networks.checks import check_set

# How far a row's sum may be from 1: what float16 or four printed digits leave.
TOLERANCE = 1e-3


def check_targets(images: ImageSet, targets: Float[Tensor, "n k"]) -> Float32[Tensor, "n k"]:
    """Give soft labels as float32 on the CPU, or say what is wrong with them.

    Raises
    ------
    MistrustError
        Images that are no `ImageSet`; another shape than (images, classes), or no floats; a number that is negative or
        not finite; a row that does not sum to 1.

    Examples
    --------
    >>> from mistrust.data import load
    >>> two = load("digits", "test").take(slice(0, 2))
    >>> check_targets(two, torch.full((2, 10), 0.1, dtype=torch.float64)).dtype
    torch.float32
    >>> check_targets(two, torch.full((2, 10), 0.2))
    Traceback (most recent call last):
    mistrust.errors.MistrustError: Soft labels of image 0 of 'digits' are (0.2, 0.2, ...), sum 2; expected ...
    """
    check_set(images)
    expected = (len(images), len(images.classes))
    if not isinstance(targets, Tensor) or tuple(targets.shape) != expected or not targets.is_floating_point():
        found = f"{targets.dtype} {tuple(targets.shape)}" if isinstance(targets, Tensor) else type(targets).__name__
        raise MistrustError(
            f"Soft labels of '{images.name}' are {found}, expected floats of shape {expected}: for each image one "
            "probability a class. Of hard labels: mistrust.networks.one_hot(images)."
        )
    values = targets.detach().cpu().to(torch.float32)
    sums = values.sum(1, dtype=torch.float64)
    bad = ~((values >= 0).all(1) & ((sums - 1).abs() <= TOLERANCE))  # written so that NaN is refused too
    if bool(bad.any()):
        first = int(bad.nonzero()[0, 0])
        row = ", ".join(f"{v:.4g}" for v in values[first].tolist())
        raise MistrustError(
            f"Soft labels of image {first} of '{images.name}' are ({row}), sum {float(sums[first]):.4g}; expected "
            "probabilities that are at least 0 and sum to 1. Divide each row by its sum."
        )
    return values.contiguous()


def targets_checksum(targets: Float32[Tensor, "n k"]) -> str:
    """sha256 (its first 20 hex digits) of soft labels as `check_targets` gives them.

    Examples
    --------
    >>> targets = torch.tensor([[0.9, 0.1]])
    >>> targets_checksum(targets) == targets_checksum(targets.clone())
    True
    >>> targets_checksum(targets) == targets_checksum(torch.tensor([[0.8, 0.2]]))
    False
    """
    digest = hashlib.sha256(str(tuple(targets.shape)).encode())
    digest.update(targets.view(-1).numpy().data)
    return digest.hexdigest()[:20]


def one_hot(images: ImageSet) -> Float32[Tensor, "n k"]:
    """Hard labels as soft ones, to be joined with those of ambiguous images.

    Raises
    ------
    MistrustError
        Images that are no `ImageSet`, such as their labels alone.

    Examples
    --------
    >>> from mistrust.data import ImageSet
    >>> images = ImageSet("two", torch.zeros(2, 1, 1, 1), torch.tensor([2, 0]), torch.arange(2), ("a", "b", "c"))
    >>> one_hot(images)
    tensor([[0., 0., 1.],
            [1., 0., 0.]])
    """
    check_set(images)
    return functional.one_hot(images.labels, len(images.classes)).to(torch.float32)
