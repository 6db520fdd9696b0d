"""The idea in a picture: distances in softmax space, with made-up numbers."""

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, Polygon
from numpy.typing import NDArray

from mistrust import random
from mistrust.figures.misclassification.heat import heat
from mistrust.figures.style import PALETTE, Picture, figure, picture, style

_NAMES = ("A", "B", "C")
# A triangle of side 1: the plane in which three shares that sum to one lie, drawn true to its distances.
_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
_CENTROIDS = np.full((3, 3), 0.03) + 0.91 * np.eye(3)
_COLOURS = (PALETTE[0], PALETTE[1], PALETTE[2])
_REGION_NAMES = ((-0.02, 0.25), (1.02, 0.25), (0.84, 0.62))  # outside the triangle, where no dot lies
_POINTS = 45


def idea(*, caption: str = "") -> Picture:
    """Draw the triangle of three classes' shares, spoilt images of class A in it, and their way to the centroids.

    It takes no rows: points are drawn once for all (keyed), distances and likelihoods follow from them by the chapter's
    formulas.

    Examples
    --------
    >>> idea().name
    'fig-idea'
    >>> idea().alt.rpartition("Beneath is ")[2]
    "A's row of the matrix: 62% for B, 38% for C."
    """
    noise = random.normal(0, "idea", torch.arange(_POINTS), (3,)).numpy().astype(np.float64)
    logits = np.array([2.2, 1.1, 0.1]) + 0.9 * noise
    shares = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    away = np.linalg.norm(shares[:, None] - _CENTROIDS, axis=2)  # (points, 3)
    nearest, smallest = away.argmin(0), away.min(0)
    inside = np.bincount(shares.argmax(1), minlength=3)
    row = np.array([np.nan, *(1 / smallest[1:] / (1 / smallest[1:]).sum())])
    alt = (
        "A triangle whose corners are certainty of class A, B and C, divided into the three regions where each class "
        f"would be the answer. Stars near the corners are the classes' centroids. {_POINTS} dots are spoilt images of "
        f"class A: {inside[0]} lie in A's region, {inside[1]} in that of B, {inside[2]} in that of C. An arrow leads "
        f"from the dot nearest to the centroid of B to that centroid, distance D = {smallest[1]:.2f}; another from the "
        f"dot nearest to the centroid of C, distance {smallest[2]:.2f}. Beneath is A's row of the matrix: "
        f"{row[1]:.0%} for B, {row[2]:.0%} for C."
    )
    with style():
        drawn = figure(5.9)
        above, below = drawn.subplots(2, 1, height_ratios=[5, 0.75])
        _triangle(above)
        _cloud(above, shares)
        for c, beside in ((1, (4, -27)), (2, (-12, 6))):
            _arrow(above, shares[nearest[c]], c, f"D = {smallest[c]:.2f}", beside)
        heat(below, 100 * row[None], ["A"], list(_NAMES), 100.0)
        below.tick_params(length=0)
        below.set_xlabel("taken for")
        below.set_title("A's row of the matrix (%): 1/D, divided by the row's sum")
        return picture(drawn, alt, caption, "fig-idea")


def _flat(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Place shares (..., 3) on the page (..., 2)."""
    return shares @ _CORNERS


def _triangle(axes: Axes) -> None:
    middle = _flat(np.full(3, 1 / 3))
    for c, name in enumerate(_NAMES):
        left, right = (_flat((np.eye(3)[c] + np.eye(3)[other]) / 2) for other in ((c + 1) % 3, (c + 2) % 3))
        axes.add_patch(Polygon([_CORNERS[c], left, middle, right], facecolor=_COLOURS[c], alpha=0.13, edgecolor="none"))
        axes.plot(*zip(middle, left, strict=True), color="white", lw=2)
        outward = _CORNERS[c] - middle
        axes.text(*_REGION_NAMES[c], f"answer {name}", ha="center", va="center")
        x, y = _CORNERS[c] + 0.15 * outward
        axes.text(x, y, f"surely {name}", ha="center", va="center")
        axes.plot(*_flat(_CENTROIDS[c]), "*", ms=19, color=_COLOURS[c], mec="black", zorder=4)
    axes.add_patch(Polygon(_CORNERS, fill=False, edgecolor="black", lw=1.2))
    axes.set_title("How near do spoilt images of A come to B and C?")
    axes.set_aspect("equal")
    axes.set_xlim(-0.18, 1.18)
    axes.set_ylim(-0.17, 1.02)
    axes.axis("off")


def _cloud(axes: Axes, shares: NDArray[np.float64]) -> None:
    axes.plot(*_flat(shares).T, "o", ms=6, color=_COLOURS[0], mec="white", mew=0.8, alpha=0.85)
    axes.plot([], [], "o", ms=6, color=_COLOURS[0], label="spoilt image of A")
    axes.plot([], [], "*", ms=14, color="white", mec="black", label="centroid")
    axes.legend(loc="upper left", bbox_to_anchor=(-0.04, 0.98), frameon=False, handletextpad=0.2)


def _arrow(axes: Axes, point: NDArray[np.float64], c: int, text: str, beside: tuple[int, int]) -> None:
    (x, y), (to_x, to_y) = _flat(point), _flat(_CENTROIDS[c])
    arrow = FancyArrowPatch(
        (x, y), (to_x, to_y), arrowstyle="-|>", mutation_scale=16, lw=2.2, color="black", shrinkB=9, zorder=5
    )
    axes.add_patch(arrow)
    axes.plot(x, y, "o", ms=9, mfc=_COLOURS[0], mec="black", mew=1.8, zorder=6)
    middle = ((x + to_x) / 2, (y + to_y) / 2)
    axes.annotate(text, middle, xytext=beside, textcoords="offset points", ha="right", weight="bold")
