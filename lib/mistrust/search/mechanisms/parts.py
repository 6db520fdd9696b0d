"""What a mechanism gives: three sets of images of two classes that share no image, and how they are drawn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import torch
from jaxtyping import Int64
from torch import Tensor

from mistrust import random
from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.inputs.limits import whole


@dataclass(frozen=True)
class Sizes:
    """How many images the three parts have (the training part at most so many).

    Raises
    ------
    MistrustError
        Less than two images in a part, or no whole number.

    Examples
    --------
    >>> sizes = Sizes(train=2000, validation=500, test=1000)
    >>> sizes.train + sizes.validation + sizes.test
    3500
    >>> Sizes(train=2000, validation=500, test=1)
    Traceback (most recent call last):
    mistrust.errors.MistrustError: ...
    """

    train: int
    validation: int
    test: int

    def __post_init__(self) -> None:
        for part in ("train", "validation", "test"):
            whole(f"The number of images in the {part} part", getattr(self, part), 2)


@dataclass(frozen=True, eq=False)
class Parts:
    """Three sets of images of the same two classes, without an image in common.

    Attributes
    ----------
    train : what a network is trained on.
    validation : what its temperature is fitted on, drawn as `train` is: whoever knew of the bias would not train so.
    test : what is searched.
    notes : what was done, as numbers by name, for rows ("removed": 300).

    Raises
    ------
    MistrustError
        Not two classes, other classes in one part than in another, an image in two parts, a class without images.

    Examples
    --------
    >>> from mistrust.data import load
    >>> two = two_groups(load("digits", "test"), {"even": "02468", "odd": "13579"})
    >>> parts = Parts(*drawn(two, 0, (100, 50, 200)))
    >>> len(parts.train), parts.classes
    (100, ('even', 'odd'))
    >>> Parts(parts.train, parts.train, parts.test)
    Traceback (most recent call last):
    mistrust.errors.MistrustError: An image of 'digits' stands in two of the parts train, validation and test: ...
    """

    train: ImageSet
    validation: ImageSet
    test: ImageSet
    notes: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        parts = {"train": self.train, "validation": self.validation, "test": self.test}
        for name, images in parts.items():
            if len(images.classes) != 2 or images.classes != self.train.classes:
                raise MistrustError(
                    f"The {name} part of '{images.name}' has the classes {images.classes}, expected the same two in "
                    "all three parts. `two_groups` makes two classes of several."
                )
            counts = images.labels.bincount(minlength=2).tolist()
            if 0 in counts:
                raise MistrustError(
                    f"The {name} part of '{images.name}' has no image of class '{images.classes[counts.index(0)]}': "
                    "draw more images."
                )
        ids = torch.cat([images.ids for images in parts.values()])
        if len(ids.unique()) < len(ids):
            raise MistrustError(
                f"An image of '{self.test.name}' stands in two of the parts train, validation and test: what is "
                "searched must be new to the network and to its temperature."
            )

    @property
    def classes(self) -> tuple[str, ...]:
        """The two classes."""
        return self.test.classes


def joined(name: str, sets: Sequence[ImageSet]) -> ImageSet:
    """All images of several sets as one; their ids must differ, as those of a set's train and test part do.

    Examples
    --------
    >>> from mistrust.data import load
    >>> len(joined("all digits", [load("digits", "train"), load("digits", "test")]))
    1797
    """
    images, labels = torch.cat([one.images for one in sets]), torch.cat([one.labels for one in sets])
    return ImageSet(name, images, labels, torch.cat([one.ids for one in sets]), sets[0].classes)


def two_groups(images: ImageSet, groups: Mapping[str, Sequence[str]]) -> ImageSet:
    """Give the images of two groups of classes, with the groups as their classes; images of no group are left out.

    Raises
    ------
    MistrustError
        Not two groups, a class in both, or one that the images do not have.

    Examples
    --------
    >>> from mistrust.data import load
    >>> digits = load("digits", "test")
    >>> some = two_groups(digits, {"round": ["0", "8"], "straight": ["1", "7"]})
    >>> some.classes, len(some) < len(digits)
    (('round', 'straight'), True)
    >>> torch.equal(some.labels.bincount().sum(), torch.isin(digits.labels, torch.tensor([0, 1, 7, 8])).sum())
    True
    """
    members = [(label, name) for label, group in enumerate(groups.values()) for name in group]
    names = [name for _, name in members]
    if len(groups) != 2 or len(set(names)) < len(names):
        raise MistrustError(f"Groups are {dict(groups)}, expected two groups without a class in common.")
    unknown = [name for name in names if name not in images.classes]
    if unknown:
        raise MistrustError(f"'{images.name}' has no class '{unknown[0]}'. Known: {', '.join(images.classes)}.")
    new = torch.full((len(images.classes),), -1)
    for label, name in members:
        new[images.classes.index(name)] = label
    labels = new[images.labels]
    kept = (labels >= 0).nonzero().flatten()
    taken = images.take(kept)
    return ImageSet(images.name, taken.images, labels[kept], taken.ids, tuple(groups))


def drawn(images: ImageSet, seed: int, counts: Sequence[int]) -> list[ImageSet]:
    """Draw parts of these sizes at random and without an image in common; a seed gives the same images.

    Raises
    ------
    MistrustError
        More images wanted than there are: says how many are missing.

    Examples
    --------
    >>> from mistrust.data import load
    >>> first, second = drawn(load("digits", "test"), 0, (100, 50))
    >>> len(first), len(second), bool(torch.isin(first.ids, second.ids).any())
    (100, 50, False)
    """
    if sum(counts) > len(images):
        raise MistrustError(
            f"'{images.name}' has {len(images):,} images of these classes, {sum(counts):,} are wanted "
            f"({' + '.join(f'{count:,}' for count in counts)}). Take smaller sizes."
        )
    order = random.permutation(seed, f"parts/{images.name}", len(images))
    return [images.take(rows.sort().values) for rows in _cut(order, counts)]


def halved(images: ImageSet, name: str) -> ImageSet:
    """The same images with half as many pixels a side: means of 2x2 pixels, halves rounded up, uint8.

    Raises
    ------
    MistrustError
        An odd height or width; images that are no uint8.

    Examples
    --------
    >>> from mistrust.data import ImageSet
    >>> pixels = torch.tensor([[0, 255, 8, 8], [255, 0, 8, 8]], dtype=torch.uint8).view(1, 1, 2, 4)
    >>> halved(ImageSet("one", pixels, torch.tensor([0]), torch.arange(1), ("a", "b")), "small").images
    tensor([[[[128,   8]]]], dtype=torch.uint8)
    """
    _, _, height, width = images.images.shape
    if height % 2 or width % 2 or images.images.dtype != torch.uint8:
        raise MistrustError(
            f"'{images.name}' holds {images.images.dtype} images of {height}x{width} pixels, expected uint8 and even "
            "sides to halve."
        )
    pixels = images.images
    # Strided sums: one over two axes of blocks takes thirteen times as long.
    pairs = pixels[:, :, ::2].to(torch.int16).add_(pixels[:, :, 1::2])
    means = (pairs[..., ::2] + pairs[..., 1::2]).add_(2).bitwise_right_shift_(2)
    return replace(images, name=name, images=means.to(torch.uint8))


def _cut(order: Int64[Tensor, " n"], counts: Sequence[int]) -> Sequence[Int64[Tensor, " m"]]:
    return order[: sum(counts)].split(list(counts))
