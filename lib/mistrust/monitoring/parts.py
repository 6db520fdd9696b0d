"""A part of a stream: which images of which set, what is made of them, and how they count."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Int64
from torch import Tensor
from torch.nn import functional

from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.inputs import to_uint8
from mistrust.inputs.faults import copied
from mistrust.inputs.faults.colour import grey

KINDS = ("nominal", "ood", "novelty")
NOMINAL, OOD, NOVELTY = range(3)


@dataclass(frozen=True, eq=False)
class Part:
    """m images of a stream, not yet made.

    Attributes
    ----------
    source : the set that they come from.
    rows : (m,) positions in it; repeats allowed.
    labels : (m,) in the nominal classes; 0 where there is none.
    kind : (m,) position in `KINDS`.
    shared : (m,) whether the image comes from a novel set, but is of a class that the nominal one has.
    copies : (m,) number of the copy that the image is, for its id; 0 for the image itself.
    pick : (m,) which of the faulty images of a row it is, where there are several.
    make : from images to faulty ones; None leaves them as they are.
    """

    source: ImageSet
    rows: Int64[Tensor, " m"]
    labels: Int64[Tensor, " m"]
    kind: Int64[Tensor, " m"]
    shared: Bool[Tensor, " m"]
    copies: Int64[Tensor, " m"]
    pick: Int64[Tensor, " m"] | None = None
    make: Callable[[ImageSet], ImageSet] | None = None

    @classmethod
    def of(
        cls,
        source: ImageSet,
        rows: Int64[Tensor, " m"],
        kind: int,
        make: Callable[[ImageSet], ImageSet] | None = None,
        *,
        copies: int | Int64[Tensor, " m"] = 0,
        pick: Int64[Tensor, " m"] | None = None,
    ) -> "Part":
        """Images that all are of one kind, with their own labels."""
        own = torch.zeros_like(rows)
        return cls(source, rows, source.labels[rows], own + kind, own.bool(), own + copies, pick, make)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def ids(self) -> Int64[Tensor, " m"]:
        """Ids in the stream, see `copied`."""
        return copied(self.source.ids[self.rows], self.copies)

    def pixels(self, here: Int64[Tensor, " k"]) -> Tensor:
        """The images at these positions of the part, (k, c, h, w): each row is made once, however often it is asked."""
        if self.make is None:
            return self.source.images[self.rows[here]]
        rows, back = self.rows[here].unique(return_inverse=True)
        given = self.source.take(rows)
        made = self.make(given)
        if not isinstance(made, ImageSet):
            raise MistrustError(
                f"What makes images of '{self.source.name}' faulty gave {type(made).__name__}, expected an ImageSet: "
                "images.with_images(...)."
            )
        times = 1 if self.pick is None else len(made) // max(len(given), 1)
        if len(made) != times * len(given):
            raise MistrustError(
                f"What makes images of '{self.source.name}' faulty gave {len(made)} for {len(given)}, expected as many."
            )
        return made.images[back if self.pick is None else self.pick[here] * len(given) + back]


def coinciding(
    known: Sequence[str], novel: ImageSet, shared: Sequence[tuple[int, int]] = ()
) -> tuple[tuple[int, int], ...]:
    """Find classes of a novel set that the nominal one has by the same name, though they are not said to be shared.

    Parameters
    ----------
    known : the nominal classes.
    novel : of its classes, those count of which it has images.
    shared : as in `BenchmarkSet`.

    Returns
    -------
    (label in the novel set, label in the nominal one) of each, as `BenchmarkSet.shared` takes them.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from mistrust.data import load
    >>> animals = replace(load("photos", "test"), classes=("cat", "horse"))
    >>> coinciding(("dog", "cat"), animals), coinciding(("dog", "cat"), animals, shared=((0, 1),))
    (((0, 1),), ())
    """
    ours, mapped = {name: label for label, name in enumerate(known)}, {theirs for theirs, _ in shared}
    present = [label for label in novel.labels.unique().tolist() if label not in mapped]
    return tuple((label, ours[name]) for label in present if (name := novel.classes[label]) in ours)


def known_classes(both: Sequence[tuple[int, int]], novel: ImageSet, nominal: str) -> tuple[str, str]:
    """Give the names of coinciding classes for a message, and how a rule maps them: three, and whether there are more.

    Examples
    --------
    >>> from mistrust.data import load
    >>> known_classes(((0, 3),), load("photos", "test"), "mine")
    ("'china'", "BenchmarkSet(..., shared=((0, 3), ...)), of each its label in 'photos' and in 'mine'")
    """
    more = [", ..."] if len(both) > 3 else []
    names = ", ".join([f"'{novel.classes[theirs]}'" for theirs, _ in both[:3]]) + "".join(more)
    pairs = ", ".join([*map(str, both[:3]), "..."])
    return names, f"BenchmarkSet(..., shared=({pairs})), of each its label in '{novel.name}' and in '{nominal}'"


def fitting(nominal: ImageSet, novel: ImageSet) -> Callable[[ImageSet], ImageSet]:
    """Give what brings images of a novel set to the size and the channels of the nominal one, as uint8.

    Sizes by linear interpolation, smoothed first where the picture shrinks. Colours become grey, grey becomes three
    equal channels.

    Raises
    ------
    MistrustError
        Numbers of channels other than 1 and 3 that are not the same.
    """
    channels, height, width = nominal.images.shape[1:]
    have = novel.images.shape[1]
    if have != channels and {have, channels} != {1, 3}:
        raise MistrustError(
            f"Images of '{novel.name}' have {have} channels, those of '{nominal.name}' {channels}: expected the same, "
            "or one and three."
        )

    def fit(images: ImageSet) -> ImageSet:
        if tuple(images.images.shape[1:]) == (channels, height, width) and images.images.dtype == torch.uint8:
            return images
        pixels = images.floats()
        if have != channels:
            pixels = grey(pixels) if channels == 1 else pixels.expand(-1, 3, -1, -1)
        if pixels.shape[2:] != (height, width) and len(pixels):
            pixels = functional.interpolate(
                pixels.contiguous(), (height, width), mode="bilinear", align_corners=False, antialias=True
            )
        return images.with_images(to_uint8(pixels.clamp(0, 1)))

    return fit
