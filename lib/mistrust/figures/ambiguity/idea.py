"""The idea in a picture: two clusters of latent points, a cleared space between them, and three networks."""

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch, Rectangle
from numpy.typing import NDArray

from mistrust import random
from mistrust.figures.style import PALETTE, Picture, figure, for_words, picture, style

_POINTS = 160  # a class
_MEANS = (-3.0, 3.0)
_CLEARED = 1.0  # two standard deviations from either mean
_COLOURS = (PALETTE[0], PALETTE[1])
_BAND = PALETTE[4]


def idea(*, caption: str = "") -> Picture:
    """Draw the networks of a 2-class regularized adversarial autoencoder, and its latent plane.

    It takes no rows: points of the two clusters are drawn once for all (keyed).

    Examples
    --------
    >>> drawn = idea(caption="The idea.")
    >>> drawn.name, drawn.alt.split(", a decoder")[0]
    ('fig-idea', 'Above, boxes: an encoder turns an image into a latent point')
    """
    noise = [random.normal(0, f"idea/{c}", torch.arange(_POINTS), (2,)).numpy().astype(np.float64) for c in (0, 1)]
    clouds = [cloud + np.array([mean, 0.0]) for cloud, mean in zip(noise, _MEANS, strict=True)]
    between = sum(int((np.abs(cloud[:, 0]) < _CLEARED).sum()) for cloud in clouds)
    alt = (
        "Above, boxes: an encoder turns an image into a latent point, a decoder turns the point back into an image, "
        "and a discriminator is asked whether a point of a class was drawn from the prior or encoded from an image. "
        "Below, the latent plane: the first class fills a cluster around z0 = -3, the second one around z0 = 3, each "
        f"of standard deviation 1. Of {2 * _POINTS} dots, {between} lie between z0 = -1 and 1: training clears this "
        "space, and images decoded from it are ambiguous."
    )
    with style():
        drawn = figure(5.0)
        above, below = drawn.subplots(2, 1, height_ratios=[0.72, 1.3])
        _networks(above)
        _plane(below, clouds)
        return picture(drawn, alt, caption, "fig-idea")


def _networks(axes: Axes) -> None:
    axes.set_xlim(0, 10)
    axes.set_ylim(0.1, 3.35)
    axes.axis("off")
    top, bottom = 2.75, 0.75
    for x, text, wide in ((2.85, "encoder", 1.8), (7.15, "decoder", 1.8)):
        _box(axes, (x, top), text, wide, "white")
    _box(axes, (5.0, bottom), "discriminator", 2.7, "white")
    for x, text in ((0.55, "image"), (9.4, "image")):
        axes.text(x, top, text, ha="center", va="center", style="italic")
    axes.add_patch(Circle((5.0, top), 0.36, facecolor="#eeeeee", edgecolor="black", lw=1.2))
    axes.text(5.0, top, "z", ha="center", va="center", weight="bold")
    for start, end in (((1.2, top), (1.93, top)), ((3.77, top), (4.62, top)), ((5.38, top), (6.23, top)),
                       ((8.07, top), (8.75, top)), ((5.0, 2.36), (5.0, 1.2)), ((2.6, bottom), (3.62, bottom)),
                       ((6.38, bottom), (7.4, bottom))):  # fmt: skip
        _arrow(axes, start, end)
    axes.text(1.5, bottom, "prior and\nclass", ha="center", va="center")
    axes.text(8.5, bottom, "prior or\nencoded?", ha="center", va="center")


def _plane(axes: Axes, clouds: list[NDArray[np.float64]]) -> None:
    axes.add_patch(Rectangle((-_CLEARED, -4.4), 2 * _CLEARED, 8.8, facecolor=_BAND, alpha=0.3, edgecolor="none"))
    for cloud, mean, colour, name in zip(clouds, _MEANS, _COLOURS, ("first class", "second class"), strict=True):
        for radius in (1, 2):
            axes.add_patch(Circle((mean, 0), radius, fill=False, edgecolor=colour, lw=1.3, ls="--"))
        axes.plot(*cloud.T, "o", ms=4.5, color=colour, mec="white", mew=0.5, alpha=0.8)
        axes.text(1.35 * mean, 3.45, name, ha="center", va="center", color=for_words(colour), weight="bold")
    axes.text(0, 3.45, "ambiguous", ha="center", va="center", weight="bold")
    for x, mark in ((-0.55, "s"), (0.05, "s"), (0.6, "s")):
        axes.plot(x, 0.0, mark, ms=8, color=_BAND, mec="black", mew=1.2)
    axes.set_xlim(-6.6, 6.6)
    axes.set_ylim(-3.6, 4.2)
    axes.set_aspect("equal")
    axes.grid(visible=False)
    axes.set_xticks([-3, -1, 1, 3])
    axes.set_yticks([-2, 0, 2])
    axes.set_xlabel("latent z0")
    axes.set_ylabel("latent z1")


def _box(axes: Axes, middle: tuple[float, float], text: str, wide: float, face: str) -> None:
    x, y = middle
    corner = (x - wide / 2, y - 0.42)
    style_ = "round,pad=0.02,rounding_size=0.15"
    axes.add_patch(FancyBboxPatch(corner, wide, 0.84, boxstyle=style_, facecolor=face, edgecolor="black", lw=1.4))
    axes.text(x, y, text, ha="center", va="center")


def _arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    look = {"arrowstyle": "-|>", "mutation_scale": 13, "lw": 1.4, "color": "black", "shrinkA": 0, "shrinkB": 0}
    axes.add_patch(FancyArrowPatch(start, end, **look))
