"""`Grid`: the part of the latent space that is looked at, cut into cells."""

from dataclasses import dataclass
from math import inf

import torch
from jaxtyping import Float
from torch import Tensor

from mistrust.ambiguity import prior
from mistrust.errors import MistrustError
from mistrust.inputs.limits import whole, within

# Between the classes the grid reaches to this many standard deviations from either mean: [-1, 1] for means at -3, 3.
MARGIN = 2.0
# More cells than this are refused: their weights alone would take minutes and gigabytes for a stack of decoders.
MOST = 1_000_000


@dataclass(frozen=True)
class Grid:
    """Equal cells over the latent space between the classes, row by row, the first axis slowest.

    Attributes
    ----------
    cells : how many an axis.
    bound : along axes that do not separate the classes, the grid reaches from -bound to bound, in standard deviations
        of the prior: 5 as published. The default is how far training images reach: beyond lie one or two in a thousand,
        the decoder extrapolates, and strokes grow thick and images one-sided (a 9 rather than a 4 or a 9).

    Raises
    ------
    MistrustError
        Not a whole number of at least 1 cell, a bound that is not positive.

    Examples
    --------
    >>> grid = Grid(cells=10, bound=3.0)
    >>> grid.count(2), grid.anchors(2).shape
    (100, torch.Size([100, 2]))
    >>> centres = grid.anchors(2)
    >>> torch.equal(grid.cell(centres), torch.arange(100)), grid.cell(torch.tensor([[50.0, 0.0]]))  # far outside
    (True, tensor([-1]))
    """

    cells: int = 50
    bound: float = 3.0

    def __post_init__(self) -> None:
        whole("Grid: cells", self.cells, 1)
        if within("Grid: bound", self.bound, 0, inf) == 0:
            raise MistrustError("Grid: bound is 0, expected a positive number of standard deviations: bound=2.")

    def spans(self, latent: int) -> Float[Tensor, "latent 2"]:
        """Give where the grid begins and ends on each axis, float64."""
        low, high = prior.means(latent).aminmax(dim=0)
        separates = high > low
        ends = torch.stack((low + MARGIN, high - MARGIN), dim=1)
        around = torch.stack((low - self.bound, high + self.bound), dim=1)
        return torch.where(separates[:, None], ends, around)

    def widths(self, latent: int) -> Float[Tensor, " latent"]:
        """Give the width of a cell along each axis."""
        return self.spans(latent).diff(dim=1)[:, 0] / self.cells

    def count(self, latent: int) -> int:
        """Give the number of cells in all.

        Raises
        ------
        MistrustError
            More than a million.
        """
        cells = self.cells**latent
        if cells > MOST:
            raise MistrustError(
                f"A grid of {self.cells} cells an axis has {cells:,} cells in {latent} dimensions, more than {MOST:,}. "
                f"Take fewer an axis: cells={int(MOST ** (1 / latent) + 1e-9)}."
            )
        return cells

    def corners(self, cell: Tensor, latent: int) -> Float[Tensor, "*n latent"]:
        """Give the lower corner of each cell (by its number, any shape), float64."""
        steps = torch.stack(torch.unravel_index(cell, (self.cells,) * latent), dim=-1)
        return self.spans(latent)[:, 0] + steps * self.widths(latent)

    def anchors(self, latent: int) -> Float[Tensor, "cells latent"]:
        """Give the centres of all cells, float64: the paper's grid cell anchors."""
        return self.corners(torch.arange(self.count(latent)), latent) + self.widths(latent) / 2

    def cell(self, z: Float[Tensor, "*n latent"]) -> Tensor:
        """Give the number of the cell that each point lies in, -1 outside the grid."""
        latent = z.shape[-1]
        steps = ((z.double() - self.spans(latent)[:, 0]) / self.widths(latent)).floor().long()
        inside = ((steps >= 0) & (steps < self.cells)).all(dim=-1)
        strides = self.cells ** torch.arange(latent - 1, -1, -1)
        return torch.where(inside, (steps * strides).sum(-1), -1)

    def transposed(self, cells: Float[Tensor, "*g cells"], latent: int) -> Float[Tensor, "*g cells"]:
        """Give what the reference's code makes of numbers that belong to cells: those of cell (i, j) go to (j, i).

        It stores weights under i * n + j and unpacks a drawn number to (j, i).

        Raises
        ------
        MistrustError
            A latent space of other than two dimensions, where the slip is not defined.
        """
        if latent != 2:
            raise MistrustError(f"The transposition as coded is for 2 latent dimensions, not {latent}: leave it out.")
        square = cells.unflatten(-1, (self.cells, self.cells))
        return square.transpose(-1, -2).flatten(-2)
