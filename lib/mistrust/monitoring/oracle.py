"""The oracle: what an alarm, or its absence, was worth, by two standards (Ferreira and others, 2021, section III.C).

*Specific*: is the image out of distribution (OOD)? That is what the monitor was built to find. *Overall*: was the
class wrong? That is what the system needs to know. An alarm on an OOD image that is classified correctly is a true
positive by the first and a false positive by the second. Images of a kind that has no right class, novelty, are
always to be rejected, by both.

| image | alarm | class right | specific | overall |
|---|---|---|---|---|
| nominal | yes | yes | FP | FP |
| nominal | yes | no | FP | TP |
| nominal | no | yes | TN | TN |
| nominal | no | no | TN | FN |
| OOD | yes | yes | TP | FP |
| OOD | yes | no | TP | TP |
| OOD | no | yes | FN | TN |
| OOD | no | no | FN | FN |
| OOD, meaningless | yes | any | TP | TP |
| OOD, meaningless | no | any | FN | FN |
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import torch
from jaxtyping import Bool, Int8
from torch import Tensor

from mistrust.errors import MistrustError

MEANINGLESS = frozenset({"novelty"})


class Outcome(IntEnum):
    """What a decision was, in the order of `evaluation.decisions.CELLS`; 3 less the code swaps the polarity."""

    TP = 0
    FP = 1
    FN = 2
    TN = 3


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Codes of `Outcome`: `specific` and `overall`, each (..., n) int8."""

    specific: Int8[Tensor, "... n"]
    overall: Int8[Tensor, "... n"]


def judged(
    ood: Bool[Tensor, "... n"],
    alarm: Bool[Tensor, "... n"],
    right: Bool[Tensor, "... n"],
    kind: str | Sequence[str] = "",
    *,
    meaningless: Collection[str] = MEANINGLESS,
) -> Outcomes:
    """Judge the alarms of any number of monitors.

    Parameters
    ----------
    ood : (..., n) true where the image is out of distribution.
    alarm : (..., n) what the monitor said; leading axes, such as one for monitors, are broadcast.
    right : (..., n) true where the predicted class is the label. Not read where the image has no right class.
    kind : of fault that made the OOD images ("noise"): one for all, or one per image. Nominal images may bear it too
        (those of shared classes in a novelty set): it is read of OOD images alone.
    meaningless : kinds whose OOD images have no right class. The paper's rule knows "novelty"; a comment in the
        authors' code names outliers beside it.

    Returns
    -------
    The paper's ten cases, as in the table above.

    Raises
    ------
    MistrustError
        Flags that are not bool, or have shapes that do not go together; another number of kinds than images.
    """
    wrong = must_reject(ood, right, kind, meaningless=meaningless)
    return Outcomes(outcomes(ood, alarm), outcomes(wrong, alarm))


def must_reject(
    ood: Bool[Tensor, "... n"],
    right: Bool[Tensor, "... n"],
    kind: str | Sequence[str] = "",
    *,
    meaningless: Collection[str] = MEANINGLESS,
) -> Bool[Tensor, "... n"]:
    """Tell which predictions should be rejected: the class is wrong, or the OOD image has none that were right.

    Parameters and errors are those of `judged`.
    """
    check_flags(ood=ood, right=right)
    if isinstance(meaningless, str):
        raise MistrustError(f"meaningless is '{meaningless}', expected a collection of kinds: {{'{meaningless}'}}.")
    n = ood.shape[-1]
    for one in {kind} if isinstance(kind, str) else set(kind):
        meant = [known for known in meaningless if known.casefold() == one.strip().casefold() and known != one]
        if meant:
            raise MistrustError(
                f"The kind '{one}' is not '{meant[0]}' to the letter, which has no right class: did you mean it?"
            )
    if isinstance(kind, str):
        lost = torch.tensor(kind in meaningless, device=ood.device)
    elif len(kind) == n:
        lost = torch.tensor([one in meaningless for one in kind], dtype=torch.bool, device=ood.device)
    else:
        raise MistrustError(f"There are {len(kind)} kinds and {n} images, expected one kind per image, or one for all.")
    return ~right | (ood & lost)


def outcomes(positive: Bool[Tensor, "... n"], alarm: Bool[Tensor, "... n"]) -> Int8[Tensor, "... n"]:
    """Code what each alarm was, given what should have raised one.

    Raises
    ------
    MistrustError
        Flags that are not bool, or have shapes that do not go together.
    """
    check_flags(positive=positive, alarm=alarm)
    return (2 * (~alarm).to(torch.int8) + (~positive).to(torch.int8)).to(torch.int8)


def check_flags(**flags: Tensor) -> None:
    """Refuse what is no tensor of bool, and flags of different images."""
    for name, flag in flags.items():
        if not isinstance(flag, Tensor):
            raise MistrustError(f"{name} is a {type(flag).__name__}, expected a tensor of bool: one flag per image.")
        if flag.dtype != torch.bool:
            raise MistrustError(
                f"{name} is {str(flag.dtype).removeprefix('torch.')}, expected bool: one flag per image."
            )
    shapes = {name: tuple(flag.shape) for name, flag in flags.items()}
    told = " and ".join(f"{name} {shape}" for name, shape in shapes.items())
    try:
        np.broadcast_shapes(*shapes.values())
        alike = len({shape[-1] for shape in shapes.values()}) == 1  # one image is not broadcast over many
    except (ValueError, IndexError):
        alike = False
    if not alike:
        raise MistrustError(f"The flags' shapes do not go together: {told}. Expected (..., n) with the same n images.")
