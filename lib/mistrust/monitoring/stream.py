"""`Stream`: a benchmark set in random order, of which blocks are made when they are asked for."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import torch
from jaxtyping import Bool, Int64
from torch import Tensor

from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.inputs import to_uint8
from mistrust.inputs.faults import origin
from mistrust.inputs.limits import check_made
from mistrust.monitoring.parts import KINDS, NOMINAL, NOVELTY, Part


@dataclass(frozen=True, eq=False)
class Block:
    """Images of a stream, and how they count.

    Attributes
    ----------
    images : n images with labels in the nominal classes; that of a novelty is 0 and means nothing. Ids are unique over
        the stream: nominal images keep theirs, for others `mistrust.inputs.faults.origin` tells whose copy they are.
    position : (n,) when the image comes in the stream, from 0.
    out : (n,) whether it is out-of-distribution.
    kind : (n,) position in `KINDS`.
    shared : (n,) whether it comes from a novel set, but is of a class that the nominal one has, and so nominal.
    """

    images: ImageSet
    position: Int64[Tensor, " n"]
    out: Bool[Tensor, " n"]
    kind: Int64[Tensor, " n"]
    shared: Bool[Tensor, " n"]

    def __len__(self) -> int:
        return len(self.images)

    @property
    def labels(self) -> Int64[Tensor, " n"]:
        """Labels in the nominal classes, -1 where there is none."""
        return self.images.labels.masked_fill(self.kind == NOVELTY, -1)

    @property
    def kinds(self) -> list[str]:
        """The kind of each image in words, as the oracle reads it."""
        return [KINDS[one] for one in self.kind.tolist()]

    @property
    def origin(self) -> Int64[Tensor, " n"]:
        """The id, in its own set, of the image that each was made from."""
        return origin(self.images.ids)


@dataclass(frozen=True, eq=False)
class Stream:
    """A benchmark set in the order in which its images arrive.

    Attributes
    ----------
    name : of the benchmark set.
    nominal : whose classes are known.
    parts : where images come from.
    order : (n,) a permutation: which image of the parts, one after the other, arrives when.

    Raises
    ------
    MistrustError
        An order that is no permutation of all images; two images of one id.
    """

    name: str
    nominal: ImageSet
    parts: tuple[Part, ...]
    order: Int64[Tensor, " n"]

    def __post_init__(self) -> None:
        total = sum(map(len, self.parts))
        if not torch.equal(self.order.sort().values, torch.arange(total)):
            raise MistrustError(f"The order of '{self.name}' is no permutation of its {total} images.")
        known, often = self.ids.unique(return_counts=True)
        if len(known) < total:
            twice = known[often > 1][0]
            named = ", ".join(f"'{part.source.name}'" for part in self.parts if bool((part.ids == twice).any()))
            raise MistrustError(
                f"Image {int(origin(twice))} stands {int(often.max())} times in '{self.name}', of {named}: ids are "
                "unique over a stream. Give the images of one set ids of their own: ImageSet(..., ids=...)."
            )

    def __len__(self) -> int:
        return len(self.order)

    def __repr__(self) -> str:
        return f"Stream({self.name}: {len(self):,} images, {int(self.out.sum()):,} of them out-of-distribution)"

    @cached_property
    def kind(self) -> Int64[Tensor, " n"]:
        """As in `Block`, of all images in their order; no image is made."""
        return self._all("kind")[self.order]

    @property
    def out(self) -> Bool[Tensor, " n"]:
        """As in `Block`, of all images in their order; no image is made."""
        return self.kind != NOMINAL

    @cached_property
    def shared(self) -> Bool[Tensor, " n"]:
        """As in `Block`, of all images in their order; no image is made."""
        return self._all("shared")[self.order]

    @cached_property
    def labels(self) -> Int64[Tensor, " n"]:
        """As in `Block`, of all images in their order; no image is made."""
        return self._all("labels")[self.order].masked_fill(self.kind == NOVELTY, -1)

    @cached_property
    def ids(self) -> Int64[Tensor, " n"]:
        """Of all images in their order, unique; no image is made."""
        return self._all("ids")[self.order]

    def _all(self, name: str) -> Tensor:
        return torch.cat([getattr(part, name) for part in self.parts])

    def blocks(self, size: int = 512, *, shuffled: bool = True) -> Iterator[Block]:
        """Make the stream in blocks of at most `size` images, and hold no more than one.

        Parameters
        ----------
        size : at least 1.
        shuffled : in the order of arrival. Otherwise part after part, each in its own order, which is faster, since
            near ids share draws; `position` says when each image arrives. The images are the same.

        Raises
        ------
        MistrustError
            Another size; what makes images faulty gives no image set, or one of another number or shape of images.
        """
        if size != int(size) or size < 1:
            raise MistrustError(f"A block has {size} images, expected a whole number of at least 1.")
        position = torch.empty_like(self.order)
        position[self.order] = torch.arange(len(self))
        order = self.order if shuffled else torch.arange(len(self))
        for here in order.split(int(size)):
            yield self._made(here, position[here])

    def whole(self) -> Block:
        """All of it at once, in the order of arrival: for small sets."""
        blocks = list(self.blocks())
        if not blocks:
            raise MistrustError(f"'{self.name}' has no images.")
        columns = {
            name: torch.cat([getattr(one, name) for one in blocks]) for name in ("position", "out", "kind", "shared")
        }
        pixels, labels, ids = (
            torch.cat([getattr(one.images, name) for one in blocks]) for name in ("images", "labels", "ids")
        )
        return Block(ImageSet(self.name, pixels, labels, ids, self.nominal.classes), **columns)

    def _made(self, here: Int64[Tensor, " n"], position: Int64[Tensor, " n"]) -> Block:
        pixels = torch.empty((len(here), *self.nominal.images.shape[1:]), dtype=self.nominal.images.dtype)
        columns = {name: torch.empty(len(here), dtype=torch.int64) for name in ("labels", "ids", "kind")}
        shared, start = torch.empty(len(here), dtype=torch.bool), 0
        for part in self.parts:
            mine = ((here >= start) & (here < start + len(part))).nonzero()[:, 0]
            if len(mine):
                at = here[mine] - start
                made = part.pixels(at)
                what = f"What makes images of '{part.source.name}' faulty in '{self.name}'"
                check_made(what, made, (len(mine), *pixels.shape[1:]))
                pixels[mine] = _like(pixels, made)
                columns["labels"][mine], columns["kind"][mine] = part.labels[at], part.kind[at]
                columns["ids"][mine], shared[mine] = part.ids[at], part.shared[at]
            start += len(part)
        images = ImageSet(self.name, pixels, columns["labels"], columns["ids"], self.nominal.classes)
        return Block(images, position, columns["kind"] != NOMINAL, columns["kind"], shared)


def _like(pixels: Tensor, made: Tensor) -> Tensor:
    """Bring grey levels to [0, 1] or back, where nominal images are of the other kind."""
    if made.dtype == pixels.dtype:
        return made
    return to_uint8(made) if pixels.dtype == torch.uint8 else made.to(torch.float32).div_(255)
