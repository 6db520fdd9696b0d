"""`ImageSet`: images with their labels, ids and class names, checked when made, frozen afterwards."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch
from jaxtyping import Float32, Int64, UInt8
from torch import Tensor
from torch.utils.data import DataLoader

from mistrust.data.outside import as_pixels, outside
from mistrust.errors import MistrustError

Images = UInt8[Tensor, "n channels height width"] | Float32[Tensor, "n channels height width"]


@dataclass(frozen=True, eq=False)
class ImageSet:
    """Images, what they show, and which ones they are.

    Attributes
    ----------
    name : what the set is called in rows and messages ("mnist").
    images : (n, channels, height, width), uint8 in 0..255 or float32 in [0, 1].
    labels : (n,) int64, each the position of a class in `classes`.
    ids : (n,) int64, unique over a set's train and test part. An image made from another keeps its id.
    classes : the names of the classes.

    Raises
    ------
    MistrustError
        A shape, type or range other than these, a label without a class, a class name with ">" in it, an id that
        occurs twice.

    Examples
    --------
    Images of your own; what is made from an image keeps its id:

    >>> pixels = torch.tensor([[0, 255], [255, 0], [255, 255]], dtype=torch.uint8).view(3, 1, 1, 2)
    >>> mine = ImageSet("mine", pixels, torch.tensor([0, 1, 1]), torch.arange(3), ("dark left", "bright left"))
    >>> mine
    ImageSet(mine: 3 of 1x2x1 uint8, 2 classes)
    >>> some = mine.take(mine.labels == 1)
    >>> some.ids, some.floats()[0].flatten()
    (tensor([1, 2]), tensor([1., 0.]))
    >>> ImageSet("mine", pixels.float(), mine.labels, mine.ids, mine.classes)
    Traceback (most recent call last):
    mistrust.errors.MistrustError: mine: float images reach from 0 to 255, expected [0, 1] ...
    """

    name: str
    images: Images
    labels: Int64[Tensor, " n"]
    ids: Int64[Tensor, " n"]
    classes: tuple[str, ...]

    def __post_init__(self) -> None:
        _check_names(self.name, self.classes)
        object.__setattr__(self, "classes", tuple(self.classes))
        _check_images(self.name, self.images)
        for what, given in (("labels", self.labels), ("ids", self.ids)):
            _check_column(self.name, what, given, len(self.images))
        _check_labels(self.name, self.labels, self.classes)
        _check_ids(self.name, self.ids)

    def __len__(self) -> int:
        return len(self.images)

    def __repr__(self) -> str:
        n, channels, height, width = self.images.shape
        kind = str(self.images.dtype).removeprefix("torch.")
        return f"ImageSet({self.name}: {n:,} of {height}x{width}x{channels} {kind}, {len(self.classes)} classes)"

    @cached_property
    def checksum(self) -> str:
        """sha256 (its first 20 hex digits) of pixels, labels, ids and classes; equal content has equal checksums."""
        head = [list(self.images.shape), str(self.images.dtype), list(self.classes)]
        digest = hashlib.sha256(json.dumps(head).encode())
        for tensor in (self.images, self.labels, self.ids):
            digest.update(tensor.detach().cpu().contiguous().view(-1).numpy().data)
        return digest.hexdigest()[:20]

    def floats(self) -> Float32[Tensor, "n channels height width"]:
        """The images as float32 in [0, 1]: uint8 values are divided by 255, floats given as they are."""
        return self.images if self.images.dtype == torch.float32 else self.images.to(torch.float32).div_(255)

    def take(self, indices: Tensor | np.ndarray | Sequence[int] | slice) -> "ImageSet":
        """The images at these positions, in this order: integers, a mask of booleans, or a slice.

        Raises
        ------
        MistrustError
            A position outside the set, a mask of another length, or positions that are no whole numbers.
        """
        if isinstance(indices, slice):
            return replace(self, images=self.images[indices], labels=self.labels[indices], ids=self.ids[indices])
        chosen = torch.as_tensor(indices)
        if chosen.ndim != 1:
            raise MistrustError(f"{self.name}: take expects one row of positions, not shape {tuple(chosen.shape)}.")
        if chosen.dtype == torch.bool and len(chosen) != len(self):
            raise MistrustError(f"{self.name}: the mask has {len(chosen):,} entries, the set {len(self):,} images.")
        if chosen.is_floating_point() and len(chosen):
            raise MistrustError(f"{self.name}: positions are whole numbers or a mask, not {chosen.dtype}.")
        if chosen.dtype != torch.bool:
            chosen = chosen.long()
            outside = (chosen < -len(self)) | (chosen >= len(self))
            if bool(outside.any()):
                first = int(chosen[outside][0])
                raise MistrustError(f"{self.name} has no image at position {first}: it holds {len(self):,}.")
        return replace(self, images=self.images[chosen], labels=self.labels[chosen], ids=self.ids[chosen])

    def with_images(self, images: Images) -> "ImageSet":
        """Other pixels for the same things: labels, ids and classes stay. There must be as many images as before."""
        if len(images) != len(self):
            raise MistrustError(
                f"{self.name}: {len(images):,} images given in place of {len(self):,}. "
                "with_images changes pixels; to leave images out, use take first."
            )
        return replace(self, images=images)


def _check_names(name: object, classes: object) -> None:
    if not isinstance(name, str):
        raise MistrustError(
            f"The name of a set of images is of type {type(name).__name__}, expected text. An ImageSet is made of "
            "name, images, labels, ids and classes, in this order."
        )
    if isinstance(classes, str) or not isinstance(classes, Iterable):
        raise MistrustError(
            f"{name}: classes are {classes!r}, expected their names, one a label: ('cat', 'dog'), or "
            "[str(i) for i in range(10)]."
        )


def _check_images(name: str, images: Tensor) -> None:
    if not isinstance(images, Tensor):
        raise MistrustError(
            f"{name}: images are a {type(images).__name__}, expected a torch tensor: "
            + ("torch.cat([x for x, _ in loader])." if isinstance(images, DataLoader) else "torch.from_numpy(images).")
        )
    shape = tuple(images.shape)
    if images.ndim != 4 or 0 in shape[1:]:
        hint = " Grey images need their channel: images[:, None]." if images.ndim == 3 else ""
        raise MistrustError(f"{name}: images have shape {shape}, expected (n, channels, height, width).{hint}")
    if shape[1] > 4 and shape[3] in (1, 3, 4):
        raise MistrustError(
            f"{name}: images have shape {shape}, which looks like (n, height, width, channels); "
            "expected (n, channels, height, width): images.permute(0, 3, 1, 2)."
        )
    if images.dtype not in (torch.uint8, torch.float32):
        raise MistrustError(
            f"{name}: images are {images.dtype}, expected uint8 (0..255) or float32 in [0, 1]: {as_pixels(images)}."
        )
    if images.dtype == torch.float32 and images.numel():
        low, high = (float(v) for v in torch.aminmax(images))
        if not (low >= 0 and high <= 1):  # written so that NaN, which compares false, is refused too
            raise MistrustError(
                f"{name}: float images reach from {low:g} to {high:g}, expected [0, 1] and no NaN. {outside(images)}"
            )


def _check_column(name: str, what: str, given: Tensor, n: int) -> None:
    if not isinstance(given, Tensor):
        raise MistrustError(
            f"{name}: {what} are a {type(given).__name__}, expected a torch tensor: torch.as_tensor({what})."
        )
    if tuple(given.shape) != (n,):
        raise MistrustError(f"{name}: {what} have shape {tuple(given.shape)}, expected ({n},), one for each image.")
    if given.dtype != torch.int64:
        raise MistrustError(f"{name}: {what} are {given.dtype}, expected int64: {what}.long().")


def _check_labels(name: str, labels: Tensor, classes: tuple[str, ...]) -> None:
    if not classes or not all(isinstance(one, str) and one for one in classes):
        raise MistrustError(f"{name}: classes are {classes!r}, expected the name of each class as text.")
    if len(set(classes)) != len(classes):
        twice = next(one for one in classes if classes.count(one) > 1)
        raise MistrustError(f"{name}: two classes are called '{twice}'. Give each class a name of its own.")
    marked = next((one for one in classes if ">" in one), None)
    if marked is not None:
        raise MistrustError(
            f"{name}: a class is called '{marked}', but '>' cannot be part of a name: rows of results write '4>9' for "
            "images of class 4 taken for class 9. Write the name without it."
        )
    # numpy here and below: torch would start its threads, which takes longer than reading the images.
    values = labels.detach().cpu().numpy()
    if len(values) and (values.min() < 0 or values.max() >= len(classes)):
        position = int(np.flatnonzero((values < 0) | (values >= len(classes)))[0])
        raise MistrustError(
            f"{name}: label {int(labels[position])} of image {position} names no class: expected 0 to "
            f"{len(classes) - 1}, one for each of the {len(classes)} classes."
        )


def _check_ids(name: str, ids: Tensor) -> None:
    ordered = np.sort(ids.detach().cpu().numpy())
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    if len(twice):
        raise MistrustError(f"{name}: id {int(twice[0])} occurs more than once. Every image needs an id of its own.")
