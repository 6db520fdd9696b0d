"""Known worlds in the plane: what is connected, what is not, and what a straight path misses."""

from itertools import pairwise

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import NDArray

from mistrust.figures.parts import and_so_on
from mistrust.figures.style import PALETTE, Picture, figure, legend_beneath, picture, style
from mistrust.robustness.regions import WORLDS, World, merge_tree

Points = NDArray[np.float64]
_INSIDE = "#d6e8f5"
_SIDE = 241  # points of the plane a side
_CHORDS = 6
# Paths that keep the level of their ends, or lose little of it.
_ROUND = np.array([[-2 * np.cos(a), 2 * np.sin(a)] for a in np.linspace(0, np.pi, _CHORDS + 1)])
_SQUARE = np.array([[-2.0, 0.0], [-2.0, 2.0], [2.0, 2.0], [2.0, 0.0]])
AROUND: dict[str, Points] = {"annulus": _ROUND, "chebyshev-annulus": _SQUARE}


def worlds(*, caption: str = "") -> Picture:
    """Draw every known world: its region, two samples, the straight segment, a path around; and bubbles by level.

    It takes no rows: all numbers follow from the worlds' formulas (`mistrust.robustness.regions.WORLDS`).

    Examples
    --------
    Around the hole of a ring leads a path that a straight one misses:

    >>> made = worlds()
    >>> made.alt.partition("Annulus: ")[2].partition(". ")[0]
    'the straight path falls to margin -1, the widest to 1; the path drawn around the hole, in 6 pieces, to 0.93'
    """
    said = []
    with style():
        count = len(WORLDS) + 1
        lines = -(-count // 2)
        drawn = figure(2.45 * lines + 0.75)
        panels = drawn.subplots(lines, 2).ravel()
        for axes, (name, world) in zip(panels, WORLDS.items(), strict=False):
            _world(axes, world, AROUND.get(name))
            said.append(_told(world, AROUND.get(name)))
        said.append(_bubbles(panels[len(WORLDS)], WORLDS["disks"]))
        for axes in panels[count:]:
            axes.axis("off")
        handles = [
            Patch(fc=_INSIDE, ec=PALETTE[0], label="class region"),
            Line2D([], [], color="black", marker="o", lw=0, ms=7, label="sample"),
            Line2D([], [], color=PALETTE[2], lw=2.6, label="path inside"),
            Line2D([], [], color=PALETTE[1], lw=2.6, ls=(0, (2, 1)), label="path outside"),
        ]
        legend_beneath(drawn, handles=handles, ncols=2, columnspacing=1)
        alt = f"Panels of known regions in the plane, with samples and paths between them. {' '.join(said)}"
        return picture(drawn, alt, caption, "fig-worlds")


def _margin(world: World, points: Points) -> Points:
    return world.margin(torch.from_numpy(points.reshape(-1, 2))).numpy().reshape(points.shape[:-1])


def _ends(world: World) -> Points:
    return world.points().numpy()[:2]


def _world(axes: Axes, world: World, around: Points | None) -> None:
    reach = 3.4
    line = np.linspace(-reach, reach, _SIDE)
    x, y = np.meshgrid(line, line)
    g = _margin(world, np.stack((x, y), -1))
    axes.contourf(x, y, g, [0, 1e9], colors=[_INSIDE])
    axes.contour(x, y, g, [0.5, 1.0], colors="#9cc3de", linewidths=0.8)
    axes.contour(x, y, g, [0], colors=PALETTE[0], linewidths=1.6)
    _path(axes, world, _ends(world))
    if around is not None:
        _path(axes, world, around)
    axes.plot(*world.points().numpy().T, "o", color="black", ms=7, mec="white", mew=0.8, zorder=5)
    axes.set_title(world.title)
    axes.set_aspect("equal")
    axes.set_xlim(-reach, reach)
    axes.set_ylim(-reach, reach)
    axes.set_xticks([-2, 0, 2])
    axes.set_yticks([-2, 0, 2])
    axes.grid(visible=False)


def _path(axes: Axes, world: World, corners: Points) -> None:
    """Draw a path, what leaves the region in another colour and dashed."""
    steps = np.linspace(0, 1, 201)[:, None]
    for a, b in pairwise(corners):
        way = a + steps * (b - a)
        inside = _margin(world, way) >= 0
        for keep, colour, dashes in ((inside, PALETTE[2], "-"), (~inside, PALETTE[1], (0, (2, 1)))):
            axes.plot(*np.where(keep[:, None], way, np.nan).T, color=colour, lw=2.6, ls=dashes, zorder=4)


def _bubbles(axes: Axes, world: World) -> str:
    """Draw the number of bubbles of a world's samples by level."""
    points = world.points()
    births = world.margin(points)
    tree = merge_tree(births, world.bottlenecks())
    level = np.linspace(-1.6, 1.15, 1101)
    counts = tree.at_most(torch.from_numpy(level)).numpy()
    axes.step(level, counts, where="post", color=PALETTE[0], lw=2.4)
    axes.set_title(f"{world.title}: bubbles")
    axes.set_xlabel("level of the margin")
    axes.set_ylabel("bubbles")
    axes.set_yticks(range(int(counts.max()) + 1))
    axes.set_xlim(level[0], level[-1])
    axes.set_ylim(-0.15, counts.max() + 0.4)
    edges = and_so_on(f"{one:g}" for one in tree.levels.tolist())
    return (
        f"Last, the number of bubbles that hold the {len(points)} samples of {world.title} by level: born at "
        f"{and_so_on(f'{one:g}' for one in births.tolist())}, joined at {edges}."
    )


def _told(world: World, around: Points | None) -> str:
    ends = torch.from_numpy(_ends(world))
    straight = float(world.lowest(ends[:1], ends[1:])[0])
    widest = float(world.widest(ends[:1], ends[1:])[0])
    text = f"{world.title.capitalize()}: the straight path falls to margin {straight:g}, the widest to {widest:g}"
    if around is None:
        return f"{text}."
    corners = torch.from_numpy(around)
    lowest = float(world.lowest(corners[:-1], corners[1:]).min())
    return f"{text}; the path drawn around the hole, in {len(around) - 1} pieces, to {lowest:.2f}."
