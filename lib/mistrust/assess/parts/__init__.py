"""The sections of a report, in the order of the page; importing this fills the table `PARTS`."""

from mistrust.assess.parts import (  # noqa: I001  (the order of the page)
    accuracy,
    perturbations,
    matrix,
    supervisors,
    noise,
    targeted,
    labelling,
)
from mistrust.assess.parts.part import PARTS, Part, Piece, Told

__all__ = [
    "PARTS",
    "Part",
    "Piece",
    "Told",
    "accuracy",
    "labelling",
    "matrix",
    "noise",
    "perturbations",
    "supervisors",
    "targeted",
]
