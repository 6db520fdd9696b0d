"""Some of a set's images: the first, which are of all classes unless the set is sorted by class."""

import torch

from mistrust.data import ImageSet


def some_of(images: ImageSet, count: int) -> ImageSet:
    """Take the first `count` images, or, of a set that is sorted by class, as many evenly spaced ones.

    The first images of a sorted set are of its first classes alone: beside nominal images of all, a score that tells
    classes apart would seem to tell bad inputs.

    Examples
    --------
    >>> labels = torch.arange(6) // 3
    >>> pair = ImageSet("pair", torch.zeros(6, 1, 2, 2), labels, torch.arange(6), ("a", "b"))
    >>> some_of(pair, 2).labels.tolist(), some_of(pair.take(torch.tensor([3, 1, 4])), 2).labels.tolist()
    ([0, 1], [1, 0])
    """
    labels = images.labels
    if count < len(images) and labels[0] < labels[-1] and bool((labels.diff() >= 0).all()):
        return images.take(torch.linspace(0, len(images) - 1, count).round().long())
    return images.take(slice(0, count))
