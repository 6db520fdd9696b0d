"""`Part`: one section of the report, as a table entry; what it tells is rows and blocks of a page."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from torch import Tensor

from mistrust.assess.blocks import Block
from mistrust.assess.kept import Tensors
from mistrust.assess.subject import Subject
from mistrust.registry import Registry


@dataclass(frozen=True)
class Piece:
    """What is made at once and kept: a run that is killed loses at most one of these.

    Attributes
    ----------
    name : within its part.
    make : makes it.
    spec : what it depends on beyond model, images and seed.
    of : the part that it is kept for, where several read it; "" for the part that names it.

    Examples
    --------
    >>> piece = Piece("count", lambda: {"n": torch.tensor(3)}, spec={"level": 1})
    >>> piece.name, piece.make()["n"].item(), piece.of
    ('count', 3, '')
    """

    name: str
    make: Callable[[], Tensors]
    spec: Mapping[str, Any] = field(default_factory=dict)
    of: str = ""


def in_chunks(
    rows: Tensor, size: int, make: Callable[[Tensor], Tensors], spec: Mapping[str, Any] | None = None
) -> list[Piece]:
    """Give one piece for each `size` images; `make` gets their rows, and `spec` is what it depends on besides."""
    chunks = {i: rows[i : i + size] for i in range(0, len(rows), size)}
    return [
        Piece(f"images {i} to {i + len(some) - 1}", partial(make, some), {**(spec or {}), "rows": some.tolist()})
        for i, some in chunks.items()
    ]


@dataclass(frozen=True)
class Told:
    """What a part says.

    Attributes
    ----------
    headline : one sentence for the head of the report.
    rows : tidy rows (`mistrust.rows`), without chapter and network.
    blocks : the section.
    left : what was left out within the part: name and reason.
    files : further files of the report, by their path in its folder.
    read : how many of the images it read; None where nobody needs to be told, as it read them all.

    Examples
    --------
    >>> accuracy = {"table": "accuracy", "metric": "accuracy", "value": 0.87}
    >>> told = Told("Right for 87% of 200 images.", rows=[accuracy], blocks=[], left=[("ODIN", "needs gradients")])
    >>> told.headline, dict(told.left)
    ('Right for 87% of 200 images.', {'ODIN': 'needs gradients'})
    """

    headline: str
    rows: Sequence[Mapping[str, Any]]
    blocks: Sequence[Block]
    left: Sequence[tuple[str, str]] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    read: int | None = None


@dataclass(frozen=True)
class Part:
    """One section.

    Attributes
    ----------
    title : its heading.
    needs : entries of `NEEDS`.
    pieces : what is to be made for it.
    tell : from the pieces, by name, to what it says.

    Examples
    --------
    >>> from mistrust.assess.parts import Piece, Told
    >>> part = Part(
    ...     title="How many images",
    ...     needs=(),
    ...     pieces=lambda subject: [Piece("count", lambda: {"n": torch.tensor(len(subject))})],
    ...     tell=lambda subject, found: Told(f"There are {found['count']['n']} images.", rows=[], blocks=[]),
    ... )
    >>> subject = range(5)  # in the place of a model and its images
    >>> part.tell(subject, {piece.name: piece.make() for piece in part.pieces(subject)}).headline
    'There are 5 images.'
    """

    title: str
    needs: tuple[str, ...]
    pieces: Callable[[Subject], Sequence[Piece]]
    tell: Callable[[Subject, Mapping[str, Tensors]], Told]


PARTS = Registry[Part]("part of a report")
