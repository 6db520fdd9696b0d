"""Figures for a known world: 4s and 9s, and all between."""

import math

import numpy as np
import torch
from jaxtyping import Float64
from torch import Tensor

from mistrust.ambiguity.known_world import World
from mistrust.errors import MistrustError
from mistrust.inputs.limits import whole


def fours_and_nines(
    size: int = 28,
    *,
    closings: int = 49,
    slants: int = 7,
    widths: int = 5,
    centres: tuple[float, float] = (0.2, 0.8),
    spread: float = 0.2,
    noise: float = 0.1,
    prior: tuple[float, float] = (0.5, 0.5),
) -> World:
    """Two families of figures: the bowl of a 4 is open at the top, that of a 9 is closed, and there is all between.

    How far it is closed, t in [0, 1], has a normal density around the class's centre, at `closings` equal steps; slant
    and width of the stroke are uniform and the same in both classes, so they tell nothing about the class. With equal
    priors the log-odds of the second class given t are (t - mean of centres) · (difference of centres) / spread².

    Parameters
    ----------
    size : pixels an edge.
    closings, slants, widths : steps of each; the world has as many glyphs as their product.
    centres, spread : of t, in the class of fours and in that of nines.
    noise, prior : as in `World`.

    Examples
    --------
    A world in which it is known how likely each image is a nine:

    >>> world = fours_and_nines(12, closings=9, slants=1, widths=1)
    >>> images = world.draw(200, seed=0)
    >>> nine = world.posterior(images.images)[:, 1]
    >>> bool(abs(nine.mean() - images.labels.double().mean()) < 0.1)  # as many as it says
    True
    """
    for what, value in (("size", size), ("closings", closings), ("slants", slants), ("widths", widths)):
        whole(f"fours_and_nines: {what}", value, 1)
    if not spread > 0:
        raise MistrustError(f"fours_and_nines: spread is {spread}, expected a standard deviation above 0.")
    t = _steps(0, 1, closings)
    of_t = torch.softmax(-(t - torch.tensor(centres, dtype=torch.float64)[:, None]).square() / (2 * spread**2), dim=1)
    glyphs = torch.stack(
        [
            _drawn(size, float(closing), float(slant), float(width))
            for closing in t
            for slant in _steps(-0.25, 0.25, slants)
            for width in _steps(0.035, 0.065, widths)
        ]
    )
    others = slants * widths
    return World(
        glyphs, of_t.repeat_interleave(others, 1) / others, (1, size, size), noise, prior, ("4", "9"), "fours-and-nines"
    )


def _drawn(size: int, closing: float, slant: float, width: float) -> Float64[Tensor, " pixels"]:
    """One figure: an upright stroke and a bowl left of it, on a square of edge 1, y downwards."""
    end = math.radians(200 + 160 * closing)  # the bowl begins at the stroke, goes below, left, and over the top
    angle = torch.linspace(0, end, 96, dtype=torch.float64)
    y = torch.cat([0.38 + 0.22 * angle.sin(), torch.linspace(0.14, 0.88, 48, dtype=torch.float64)])
    x = torch.cat([0.44 + 0.22 * angle.cos(), torch.full((48,), 0.66, dtype=torch.float64)])
    stroke = torch.stack([y, x + slant * (0.5 - y)], dim=1)
    middle = (torch.arange(size, dtype=torch.float64) + 0.5) / size
    distance = torch.cdist(torch.cartesian_prod(middle, middle), stroke).amin(1)
    # Edges as soft as a pixel is wide.
    return torch.sigmoid((width - distance) * 4 * size / 2)


def _steps(low: float, high: float, count: int) -> Float64[Tensor, " count"]:
    """Equal steps from `low` to `high`; their middle where there is one alone."""
    return torch.from_numpy(np.linspace(low, high, count) if count > 1 else np.array([(low + high) / 2]))
