"""The plane of a plain autoencoder of all classes: what lies between two of them is often a third (Figure 3)."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import NDArray
from scipy import ndimage

from mistrust.figures.ambiguity.parts import on_plane
from mistrust.figures.images import images_of, show
from mistrust.figures.parts import and_so_on, class_names, some
from mistrust.figures.style import PALETTE, WIDTH, Picture, figure, picture, style
from mistrust.rows import select

_LEAST = 0.02  # of the plane: smaller parts of a class get no second name
_SURE = 0.5  # the judges' largest probability, below which no class is theirs


def vae_plane(rows: pd.DataFrame, *, caption: str = "") -> Picture:
    """Draw the decoded images as one field, borders between the judges' classes on it, and the classes' names.

    Parameters
    ----------
    rows : rows of the chapter, with the table "vae-plane".

    Raises
    ------
    MistrustError
        There are no such rows; places that fill no rectangle.

    Examples
    --------
    >>> from mistrust import rows
    >>> from mistrust.pictures import pack
    >>> judged = ("4", "9", "7")  # what judges see at three places side by side
    >>> made = [{"at": f"z0={z0},z1=0", "condition": seen} for z0, seen in enumerate(judged)]
    >>> note = pack(np.zeros((8, 8), np.uint8))
    >>> made = rows.table(made, table="vae-plane", metric="largest", value=0.9, note=note)
    >>> vae_plane(made).alt.split("changes. ")[1].split(" In ")[0]
    'Shares of the plane: 4 33%, 7 33% and 9 33%. 2 of the 3 pairs of these classes have a border in common.'
    """
    found = select(rows, table="vae-plane", metric="largest")
    some(found, "plane of the plain autoencoder")
    here = on_plane(found)
    z0, z1 = here["z0"].unique(), here["z1"].unique()
    classes = np.asarray(here["condition"], dtype=object).reshape(len(z1), len(z0))
    images = images_of(here)
    height, width = images.shape[1:3]
    tall = (WIDTH - 0.7) * (len(z1) * height) / (len(z0) * width)
    with style():
        drawn = figure(tall + 0.6)
        axes: Axes = drawn.subplots()
        show(axes, _field(images, len(z1), len(z0)))
        _borders(axes, classes, height, width)
        _names(axes, classes, height, width)
        for axis, line, step in (("x", z0, width), ("y", z1, height)):
            chosen = sorted({0, len(line) // 2, len(line) - 1})
            places = [(place + 0.5) * step - 0.5 for place in chosen]
            axes.set(**{f"{axis}ticks": places, f"{axis}ticklabels": [f"{line[place]:g}" for place in chosen]})
        axes.set_xlabel("latent z0")
        axes.set_ylabel("latent z1")
        names, counts = np.unique(classes, return_counts=True)
        share = dict(zip(names, counts / classes.size, strict=True))
        told = and_so_on(f"{name} {share[name]:.0%}" for name in class_names(names))
        unsure = float((here["value"] < _SURE).mean())
        alt = (
            f"A field of {len(z1)} by {len(z0)} images decoded from the plane of a plain autoencoder of all classes, "
            f"with borders drawn where the judges' class changes. Shares of the plane: {told}. {_pairs(classes)}"
            f" In {unsure:.0%} of the places the largest probability is below {_SURE}."
        )
        return picture(drawn, alt, caption, "fig-vae-plane")


def _field(images: NDArray[np.uint8], down: int, across: int) -> NDArray[np.uint8]:
    """Put the images side by side: (down * h, across * w[, 3])."""
    _, height, width, *colours = images.shape
    tiles = images.reshape(down, across, height, width, *colours).swapaxes(1, 2)
    return tiles.reshape(down * height, across * width, *colours)


def _borders(axes: Axes, classes: NDArray[np.object_], height: int, width: int) -> None:
    """Draw a line along each edge between two places of different classes."""
    look = {"color": PALETTE[4], "lw": 2.2, "zorder": 2}
    for y, x in zip(*np.nonzero(classes[:, 1:] != classes[:, :-1]), strict=True):
        right = (x + 1) * width - 0.5
        axes.plot([right, right], [y * height - 0.5, (y + 1) * height - 0.5], **look)
    for y, x in zip(*np.nonzero(classes[1:] != classes[:-1]), strict=True):
        beneath = (y + 1) * height - 0.5
        axes.plot([x * width - 0.5, (x + 1) * width - 0.5], [beneath, beneath], **look)
    axes.set_xlim(-0.5, classes.shape[1] * width - 0.5)
    axes.set_ylim(classes.shape[0] * height - 0.5, -0.5)


def _names(axes: Axes, classes: NDArray[np.object_], height: int, width: int) -> None:
    """Write each class's name in the middle of its largest part, and of other parts that are not small."""
    box = {"facecolor": PALETTE[4], "edgecolor": "none", "pad": 2.0, "alpha": 0.9}
    for name in class_names(set(classes.ravel())):
        parts, count = ndimage.label(classes == name)
        sizes = ndimage.sum_labels(np.ones(classes.shape), parts, range(1, count + 1))
        for index, size in enumerate(sizes, 1):
            if size < sizes.max() and size < _LEAST * classes.size:
                continue
            inside = np.asarray(ndimage.distance_transform_edt(np.pad(parts == index, 1)))[1:-1, 1:-1]
            y, x = (int(place) for place in np.unravel_index(int(inside.argmax()), inside.shape))
            # At the edge a long name grows inward.
            side = "left" if x < 0.15 * classes.shape[1] else "right" if x > 0.85 * classes.shape[1] else "center"
            place = {"left": x * width + 2, "right": (x + 1) * width - 3, "center": (x + 0.5) * width - 0.5}[side]
            axes.text(place, (y + 0.5) * height - 0.5, name, ha=side, va="center", weight="bold", bbox=box, zorder=3)


def _pairs(classes: NDArray[np.object_]) -> str:
    """Tell how many of the pairs of classes have a border in common."""
    beside = [
        *zip(classes[:, 1:].ravel(), classes[:, :-1].ravel(), strict=True),
        *zip(classes[1:].ravel(), classes[:-1].ravel(), strict=True),
    ]
    touching = {frozenset(two) for two in beside if two[0] != two[1]}
    there = len(set(classes.ravel()))
    return f"{len(touching)} of the {there * (there - 1) // 2} pairs of these classes have a border in common."
