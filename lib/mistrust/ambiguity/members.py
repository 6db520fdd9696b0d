"""Which autoencoders there are: a pair of classes and a seed each."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Int
from torch import Tensor

from mistrust.ambiguity.pairs import pairs_of
from mistrust.data import ImageSet
from mistrust.errors import MistrustError


@dataclass(frozen=True, order=True)
class Member:
    """One autoencoder: its pair of classes, by position, and the seed of all its draws.

    Examples
    --------
    >>> Member(3, 8, seed=1).name
    'rAAE/3/8'
    """

    first: int
    second: int
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.first < self.second:
            raise MistrustError(
                f"A member has the classes {self.first} and {self.second}, expected two different ones, the lower "
                f"first: Member({min(self.first, self.second)}, {max(self.first, self.second)}, seed)."
            )

    @property
    def name(self) -> str:
        """What its draws are named after; the seed is given beside it."""
        return f"rAAE/{self.first}/{self.second}"


def members_of(
    images: ImageSet, pairs: Iterable[str | Sequence[str]] | None = None, repetitions: int = 1, seed: int = 0
) -> list[Member]:
    """Give members for pairs of classes, as `pairs_of` understands them; None takes all that have images.

    Repetition r of every pair has the seed `seed` + r. All pairs come once before any comes twice.

    Raises
    ------
    MistrustError
        A pair that is not two different classes, a class without images, one pair twice, no repetition.

    Examples
    --------
    >>> from mistrust.data import load
    >>> members = members_of(load("digits", "train"), ["3/8", "4/9"], repetitions=2)
    >>> [(one.first, one.second, one.seed) for one in members]
    [(3, 8, 0), (4, 9, 0), (3, 8, 1), (4, 9, 1)]
    >>> len(members_of(load("digits", "train")))  # all pairs of ten classes
    45
    """
    if repetitions < 1:
        raise MistrustError(f"repetitions is {repetitions}, expected at least 1.")
    chosen = pairs_of(images, None if pairs is None else list(pairs))
    made = [Member(first, second, seed + r) for r in range(repetitions) for first, second in chosen]
    check_members(images, made)
    return made


def check_members(images: ImageSet, members: Sequence[Member]) -> None:
    """Refuse no members, a member that occurs twice, and classes without images."""
    if not members:
        raise MistrustError("No members are given, expected at least one: members_of(images) gives one of each pair.")
    seen: set[Member] = set()
    for member in members:
        if member in seen:
            raise MistrustError(f"{member} occurs more than once: give each repetition of a pair another seed.")
        seen.add(member)
        rows_of(images, member)


def rows_of(images: ImageSet, member: Member) -> Int[Tensor, " n"]:
    """Positions of the images of a member's pair.

    Raises
    ------
    MistrustError
        A class that the set does not know, or of which it holds no image.
    """
    for one in (member.first, member.second):
        if one >= len(images.classes):
            raise MistrustError(
                f"{images.name} has no class {one}: its {len(images.classes)} classes are 0 to "
                f"{len(images.classes) - 1} ({', '.join(images.classes)})."
            )
        if not bool((images.labels == one).any()):
            pair = f"{images.classes[member.first]}/{images.classes[member.second]}"
            raise MistrustError(
                f"{images.name} holds no image of class '{images.classes[one]}': the pair {pair} cannot be trained. "
                "Leave the pair out, or add images of that class."
            )
    return torch.nonzero((images.labels == member.first) | (images.labels == member.second))[:, 0]


def order_by_size(images: ImageSet, members: Sequence[Member]) -> list[int]:
    """Positions of the members, those with the most images first."""
    counts = [len(rows_of(images, member)) for member in members]
    return sorted(range(len(members)), key=lambda i: -counts[i])
