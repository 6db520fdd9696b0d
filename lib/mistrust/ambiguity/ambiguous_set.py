"""`AmbiguousSet`: ambiguous images with the probabilities of their two classes, checked when made, then frozen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import torch
from jaxtyping import Float64, Int64, UInt8
from torch import Tensor

from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.inputs.limits import as_tensor, within

# Pairs of images whose distance is computed at a time.
BLOCK = 2**22


class _Pixels(Protocol):
    @property
    def images(self) -> Tensor: ...


@dataclass(frozen=True, eq=False)
class AmbiguousSet:
    """Images that show one of two classes, nobody can say which; probabilities say how likely each is.

    Attributes
    ----------
    name : what the set is called in rows and messages.
    images : (n, channels, height, width) uint8.
    pairs : (n, 2) int64, positions of the two classes, the first below the second.
    probabilities : (n, 2) float64 of the pair's classes, each row adds up to 1.
    labels : (n,) int64, one of the two classes, drawn by these probabilities: the hard label.
    ids : (n,) int64, unique over train and test.
    decoder : (n,) int64, position of the decoder in the stack that the set was made with.
    latent : (n, L) float64, the latent point that was decoded.
    classes : the names of all classes.
    seed : of all draws.
    made_by : how the set was made, as plain text, numbers and lists; ready for json.

    Raises
    ------
    MistrustError
        A shape, type or range other than these.

    Examples
    --------
    >>> from mistrust.data import load
    >>> made = mixed(load("digits", "train"), ["4/9"], 4)
    >>> made.pairs[0].tolist(), bool((made.probabilities.diff(dim=1).abs() <= 0.25).all())
    ([4, 9], True)
    >>> made.soft.shape, made.soft[0].nonzero().flatten().tolist()  # as soft labels of all ten classes
    (torch.Size([4, 10]), [4, 9])
    >>> made.image_set().labels.unique().tolist()  # with hard ones
    [4, 9]
    """

    name: str
    images: UInt8[Tensor, "n channels height width"]
    pairs: Int64[Tensor, "n 2"]
    probabilities: Float64[Tensor, "n 2"]
    labels: Int64[Tensor, " n"]
    ids: Int64[Tensor, " n"]
    decoder: Int64[Tensor, " n"]
    latent: Float64[Tensor, "n L"]
    classes: tuple[str, ...]
    seed: int
    made_by: Mapping[str, Any]

    def __post_init__(self) -> None:
        object.__setattr__(self, "classes", tuple(self.classes))
        n = len(self.images)
        for what, given, kind, shape in (
            ("pairs", self.pairs, torch.int64, (n, 2)),
            ("probabilities", self.probabilities, torch.float64, (n, 2)),
            ("decoder", self.decoder, torch.int64, (n,)),
            ("latent", self.latent, torch.float64, (n, *self.latent.shape[1:2])),
        ):
            if given.dtype != kind or tuple(given.shape) != shape:
                raise MistrustError(
                    f"{self.name}: {what} are {given.dtype} of shape {tuple(given.shape)}, expected {kind} of {shape}."
                )
        if self.images.dtype != torch.uint8:
            raise MistrustError(f"{self.name}: images are {self.images.dtype}, expected uint8.")
        first, second = self.pairs[:, 0], self.pairs[:, 1]
        if not bool(((first >= 0) & (first < second) & (second < len(self.classes))).all()):
            raise MistrustError(f"{self.name}: pairs must name two of {len(self.classes)} classes, the lower first.")
        p = self.probabilities
        if not bool(((p >= 0).all(1) & ((p.sum(1) - 1).abs() < 1e-9)).all()):  # NaN compares false
            raise MistrustError(f"{self.name}: probabilities must be 0 or more and add up to 1 for every image.")
        self.image_set()  # checks images, labels, ids and classes
        if not bool((self.labels[:, None] == self.pairs).any(1).all()):
            raise MistrustError(f"{self.name}: every hard label must be one of its image's two classes.")

    def __len__(self) -> int:
        return len(self.images)

    def __repr__(self) -> str:
        n, channels, height, width = self.images.shape
        pairs = len(self.pairs.unique(dim=0))
        return f"AmbiguousSet({self.name}: {n:,} of {height}x{width}x{channels}, {pairs} pairs of classes)"

    @property
    def soft(self) -> Float64[Tensor, "n K"]:
        """The probabilities over all K classes, 0 outside the pair: the probabilistic label."""
        zeros = torch.zeros((len(self), len(self.classes)), dtype=torch.float64)
        return zeros.scatter(1, self.pairs, self.probabilities)

    def image_set(self) -> ImageSet:
        """Give images, hard labels and ids, for all that takes labelled images."""
        return ImageSet(self.name, self.images, self.labels, self.ids, self.classes)

    def take(self, indices: Tensor | Sequence[int] | slice) -> "AmbiguousSet":
        """Give the images at these positions, in this order: integers, a mask of booleans, or a slice.

        Raises
        ------
        MistrustError
            A position outside the set, or twice; a mask of another length; positions that are no whole numbers.
        """
        chosen = indices if isinstance(indices, slice) else as_tensor(f"{self.name}: positions", indices)
        self.image_set().take(chosen)  # which looks at each
        if not isinstance(chosen, slice) and chosen.dtype != torch.bool:
            chosen = chosen.long()  # of no positions torch makes floats
        here = torch.arange(len(self))[chosen]
        columns = ("images", "pairs", "probabilities", "labels", "ids", "decoder", "latent")
        return replace(self, **{name: getattr(self, name)[here] for name in columns})

    def near_duplicates(self, other: _Pixels, distance: float) -> int:
        """Count the images of this set that have an image of the other within a distance.

        Parameters
        ----------
        other : an `AmbiguousSet` or an `ImageSet` with uint8 images of the same size.
        distance : Euclidean over all pixels, each in [0, 1] (two digits of one class are some 5 to 10 apart); 0
            counts exact duplicates.

        Raises
        ------
        MistrustError
            Images of other size or type, a distance below 0.
        """
        limit = (255 * within("near_duplicates: distance", distance, 0)) ** 2
        if self.images.shape[1:] != other.images.shape[1:] or other.images.dtype != torch.uint8:
            raise MistrustError(
                f"{self.name} has uint8 images of {tuple(self.images.shape[1:])}, the other "
                f"{other.images.dtype} of {tuple(other.images.shape[1:])}: they cannot be compared."
            )
        theirs = other.images.flatten(1).double()  # whole numbers below 2**53: every sum is exact
        size, near = theirs.square().sum(1), 0
        for block in self.images.flatten(1).split(max(1, BLOCK // max(1, len(theirs)))):
            mine = block.double()
            apart = torch.addmm(mine.square().sum(1, keepdim=True) + size, mine, theirs.T, alpha=-2)
            near += int((apart <= limit).any(dim=1).sum())
        return near
