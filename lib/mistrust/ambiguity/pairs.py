"""Which classes are to be made ambiguous with each other: from what a user writes to positions of classes."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from mistrust.data import ImageSet
from mistrust.errors import MistrustError, UnknownName

Pair = tuple[int, int]


def pairs_of(images: ImageSet, wanted: Sequence[str | Sequence[str | int]] | None = None) -> tuple[Pair, ...]:
    """Give pairs of class positions, the lower first.

    Parameters
    ----------
    images : those that the generator learns from.
    wanted : each "3/8", or two names or positions; None for all pairs of classes that have images. A name that has a
        "/" itself is understood: "T-shirt/top/Dress".

    Raises
    ------
    MistrustError
        Fewer than two classes with images; a pair of other than two different classes, one that stands there twice,
        an unknown class, a class without images.
    """
    counts = np.bincount(images.labels.numpy(), minlength=len(images.classes))
    there = [int(c) for c in np.flatnonzero(counts)]
    if len(there) < 2:
        only = f": '{images.classes[there[0]]}'" if there else ""
        raise MistrustError(
            f"{images.name} has images of {len(there)} class{'' if len(there) == 1 else 'es'}{only}. Ambiguity is "
            "between two: give images of at least two classes."
        )
    if wanted is None:
        return tuple(combinations(there, 2))
    if isinstance(wanted, str) or not len(wanted):
        raise MistrustError(f"pairs is {wanted!r}, expected a list of pairs, like ['3/8', '4/9'], or None for all.")
    found: list[Pair] = []
    for one in wanted:
        pair = _pair(one, images.classes)
        for c in pair:
            if not counts[c]:
                raise MistrustError(
                    f"Pair {title(images.classes, pair)}: {images.name} has no image of class '{images.classes[c]}'. "
                    "Leave the pair out, or add images of that class."
                )
        if pair in found:
            raise MistrustError(f"Pair {title(images.classes, pair)} is named twice; the order does not matter.")
        found.append(pair)
    return tuple(found)


def title(classes: Sequence[str], pair: Sequence[int]) -> str:
    """Name a pair: "3/8"."""
    return "/".join(classes[c] for c in pair)


def _pair(one: str | Sequence[str | int], classes: tuple[str, ...]) -> Pair:
    if isinstance(one, str):
        parts = one.split("/")
        # A class name may hold a slash: take the one split both of whose sides are classes.
        splits = [("/".join(parts[:k]).strip(), "/".join(parts[k:]).strip()) for k in range(1, len(parts))]
        sides = next((s for s in splits if all(_position(x, classes) is not None for x in s)), None)
        given: Sequence[str | int] = sides or [part.strip() for part in parts]
    else:
        given = one
    if len(given) != 2:
        meant = _divided(one, classes) or f"{classes[0]}/{classes[-1]}"
        raise MistrustError(
            f"{one!r} names {len(given)} class{'' if len(given) == 1 else 'es'}, expected two: '{meant}'. Ambiguity "
            "between three classes is not made here."
        )
    places = [_position(each, classes) for each in given]
    for each, place in zip(given, places, strict=True):
        if place is None:
            raise UnknownName("class", each, classes)
    first, second = sorted(place for place in places if place is not None)
    if first == second:
        raise MistrustError(f"{one!r} names '{classes[first]}' twice, expected two different classes.")
    return first, second


def _divided(one: object, classes: tuple[str, ...]) -> str:
    """Two classes that were written without a slash, "49", with one; "" where it is not two."""
    text = one if isinstance(one, str) else ""
    splits = ((text[:at], text[at:]) for at in range(1, len(text)))
    return next(("/".join(each) for each in splits if {*each} <= {*classes}), "")


def _position(name: str | int, classes: tuple[str, ...]) -> int | None:
    """A class by its name, or by its position where no class has that name."""
    if isinstance(name, str) and name in classes:
        return classes.index(name)
    number = int(name) if isinstance(name, int) or (name.isascii() and name.isdigit()) else -1
    return number if 0 <= number < len(classes) else None
