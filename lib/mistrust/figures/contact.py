"""Contact sheets: images side by side with words above and beneath, as many across as the words leave room for."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from mistrust.figures.images import place, show

_LINE = 0.19  # inches a line of words
_LETTER = 0.105  # inches a letter, about


@dataclass(frozen=True)
class Cell:
    """One image of a sheet: uint8 (h, w) or (h, w, 3), its head, and lines beneath."""

    image: NDArray[np.uint8]
    head: str
    beneath: tuple[str, ...] = ()


@dataclass(frozen=True)
class Layout:
    """How many images stand across, how wide a cell is in inches, and how many lines its head has."""

    across: int
    cell: float
    lines: int

    def head(self, text: str) -> str:
        """Break a head into lines that fit over an image."""
        return "\n".join(_broken(text, int(self.cell / _LETTER)))

    @property
    def side(self) -> float:
        """Inches of an image's side."""
        return min(self.cell, 1.15) - 0.08

    def height(self, count: int, beneath: int) -> float:
        """Inches that this many images take, words and all."""
        return -(-count // self.across) * (self.side + _LINE * (self.lines + beneath) + 0.2)


def layout(heads: Sequence[str], width: float, across: int) -> Layout:
    """Fit at most `across` images into `width` inches: fewer where a head would need more than two lines."""
    plan = Layout(1, width, 1)
    for count in range(across, 0, -1):
        cell = width / count
        broken = [_broken(head, int(cell / _LETTER)) for head in heads]
        plan = Layout(count, cell, max(len(lines) for lines in broken))
        if plan.lines <= 2 and max(len(line) for lines in broken for line in lines) * _LETTER <= cell:
            break
    return plan


def _broken(text: str, letters: int) -> list[str]:
    """Break a text at blanks and behind a "/" into lines of at most so many letters, where its words allow it."""
    lines = [""]
    for piece in re.findall(r"[^ /]*[ /]?", text):
        if lines[-1] and len((lines[-1] + piece).rstrip()) > letters:
            lines.append("")
        lines[-1] += piece
    return [line.strip() for line in lines]


def contact(
    drawn: Figure, cells: Sequence[Cell], plan: Layout, top: float, left: float = 0, beside: tuple[str, ...] = ()
) -> None:
    """Draw a sheet from `top` and `left` inches on; `beside` names the lines beneath, at the left of each row."""
    side = plan.side
    rows = max(plan.height(1, len(cell.beneath)) for cell in cells)
    for index, cell in enumerate(cells):
        down, across = divmod(index, plan.across)
        x, y = left + (across + 0.5) * plan.cell - side / 2, top + down * rows + _LINE * plan.lines + 0.06
        axes = place(drawn, x, y, side, side)
        show(axes, cell.image)
        axes.set_title(plan.head(cell.head), pad=3)
        look: dict[str, Any] = {
            "xycoords": "axes fraction",
            "textcoords": "offset points",
            "va": "top",
            "annotation_clip": False,
        }
        axes.annotate("\n".join(cell.beneath), (0.5, 0), xytext=(0, -3), ha="center", **look)
        if across == 0:
            axes.annotate("\n".join(beside), (0, 0), xytext=(-9, -3), ha="right", **look)
