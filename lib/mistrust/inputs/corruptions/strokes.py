"""Lines drawn over the picture: a dotted one from side to side, and a zigzag."""

from functools import lru_cache
from math import e

import torch
from jaxtyping import Float, Int
from torch import Tensor

from mistrust.errors import MistrustError
from mistrust.inputs.draws import Draws

_WIDTH = 2.3  # a line's value falls to zero within this many pixels
_RISES = range(-5, 5)  # by how many rows a zigzag's end can lie below its beginning


def line(
    rows: Float[Tensor, " h"], width: int,
    c0: Float[Tensor, " n"], r0: Float[Tensor, " n"], c1: Float[Tensor, " n"], r1: Float[Tensor, " n"],
) -> Float[Tensor, "n h w"]:  # fmt: skip
    """Draw lines from column and row (c0, r0) to (c1, r1): max(0, 1 + ln(1 - d / 2.3)), d the distance in rows.

    Columns before floor(c0), from ceil(c1) on, and lines that go back or straight up are empty.

    Parameters
    ----------
    rows : the rows to draw, with the numbers that they have in r0 and r1.
    width : columns are 0 to width - 1.
    """
    columns = torch.arange(width, dtype=c0.dtype)
    slope = (r1 - r0) / torch.where(c1 > c0, c1 - c0, 1)
    middle = slope[:, None] * (columns - c0[:, None]) + r0[:, None]
    inside = (columns >= c0.floor()[:, None]) & (columns < c1.ceil()[:, None]) & (c1 > c0)[:, None]
    distance = (rows[:, None] - middle[:, None, :]).abs_()
    # From _WIDTH (1 - 1/e) on the logarithm is below -1.
    value = distance.clamp_max_(_WIDTH * (1 - 1 / e)).mul_(-1 / _WIDTH).log1p_().add_(1)
    return value.mul_(inside[:, None, :]).clamp_(0, 1)


def dotted_line(images: Tensor, draws: Draws) -> Tensor:
    """Draw a dotted line from the left side to the right, from any row but the last to any other but the last."""
    height, width = _room("dotted_line", images, 2)
    ends = draws.integers(0, height - 1, (2,))
    return (images + dotted(ends[:, 0], ends[:, 1], height, width)[:, None].to(images)).clamp_(0, 1)


def dotted(r0: Int[Tensor, " n"], r1: Int[Tensor, " n"], height: int, width: int) -> Float[Tensor, "n h w"]:
    """A line from row r0 in the first column to r1 in the last; columns 0, 1, 4, 5, 8, 9, ... are left out."""
    # From any row it is the same line, so it is drawn once for each rise, and cut out where it begins.
    rise, which = (r1 - r0).long().unique(return_inverse=True)
    first = torch.zeros(len(rise), dtype=torch.float64)
    rows = torch.arange(1 - height, height).to(first)
    drawn = line(rows, width, first, first, first + width - 1, rise.to(first)).float()
    drawn *= torch.arange(width) % 4 >= 2
    return drawn[which[:, None], torch.arange(height) - r0.long()[:, None] + height - 1]


def zigzag(images: Tensor, draws: Draws) -> Tensor:
    """Draw a zigzag from the third column to the last but two, from any row but the last, up or down by at most 5."""
    height, width = _room("zigzag", images, 7)
    start = draws.integers(0, height - 1, (), "start").long()
    rise = draws.integers(_RISES.start, _RISES.stop, (), "rise").long()
    # From any row it is the same zigzag, so it is drawn once for each rise, and cut out where it begins.
    rows = torch.arange(height) - start[:, None] + height - 2
    drawn = _zigzags(height, width)[rise[:, None] - _RISES.start, rows]
    return (images + drawn[:, None].to(images)).clamp_(0, 1)


@lru_cache(maxsize=32)
def _zigzags(height: int, width: int) -> Float[Tensor, "rises rows w"]:
    """The zigzags that begin at row 0, on the rows -(h - 2) to h - 1."""
    rise = torch.arange(_RISES.start, _RISES.stop, dtype=torch.float64)
    return zigzagged(rise, torch.arange(2 - height, height, dtype=torch.float64), width).float()


def zigzagged(rise: Float[Tensor, " n"], rows: Float[Tensor, " h"], width: int) -> Float[Tensor, "n h w"]:
    """Zigzags about an axis from row 0 in column 2 to row `rise` in column width - 3, at the numbered `rows`.

    Along an axis of length d the tips lie at 2, 6, 10, ..., two to one side of it and two to the other by turns; the
    end lies at (d, s / (2 (d - 4 floor(d / 4)))), s the side of the last tip, or at that tip where d is a multiple of
    4. All is turned about its beginning. Values of the stretches add up to at most 1.
    """
    axis = torch.hypot(rise, torch.full_like(rise, width - 5))
    cosine, sine = ((width - 5) / axis)[:, None], (rise / axis)[:, None]
    tips, left = ((axis - 2) / 4).floor().long()[:, None] + 1, axis[:, None].fmod(4)
    corner = torch.arange(int(tips.max()) + 2)
    along = (4 * corner - 2).clamp_min(0).to(rise).expand(len(rise), -1)
    side = torch.where(corner % 2 == 1, 2, -2).masked_fill(corner == 0, 0).to(rise).expand(len(rise), -1)
    along = torch.where(corner > tips, axis[:, None], along)
    side = torch.where(corner > tips, side.gather(1, tips) / (2 * left), side)
    last = torch.minimum(corner, tips + (left > 0))  # what comes after the end stays there
    along, side = along.gather(1, last), side.gather(1, last)
    c, r = cosine * along - sine * side + 2, sine * along + cosine * side
    drawn = torch.zeros(len(rise), len(rows), width, dtype=rise.dtype)
    for j in range(len(corner) - 1):
        drawn += line(rows, width, c[:, j], r[:, j], c[:, j + 1], r[:, j + 1])
    return drawn.clamp_(0, 1)


def _room(what: str, images: Tensor, least: int) -> tuple[int, int]:
    height, width = images.shape[2:]
    if min(height, width) < least:
        raise MistrustError(
            f"{what}: images are {height}x{width}, expected at least {least}x{least}: there is no room for the line."
        )
    return height, width
