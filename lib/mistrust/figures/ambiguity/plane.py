"""The latent plane of a pair, image by image: a reader walks over it."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mistrust.errors import MistrustError
from mistrust.figures.ambiguity.parts import of_pair, on_plane, two_classes
from mistrust.figures.images import images_of
from mistrust.figures.interactive import Interactive
from mistrust.figures.interactive import plane as field
from mistrust.figures.parts import numbers, values_of
from mistrust.figures.written import many
from mistrust.rows import select

LIMIT = 300_000  # characters of the whole figure
_GAP = 0.25  # a test image's two probabilities differ by at most that


def plane(
    rows: pd.DataFrame,
    pair: str | None = None,
    classes: tuple[str, str] | None = None,
    *,
    network: str = "",
    caption: str = "",
) -> Interactive:
    """Let a reader walk over the latent plane of a pair: each place shows its decoded image and both probabilities.

    Parameters
    ----------
    rows : rows of the chapter, with the table "plane".
    pair : which pair of classes; None for the first.
    classes : names of the pair's two classes; needed only where a name has a "/" itself.
    network : only rows of this network; "" for all.

    Raises
    ------
    MistrustError
        There are no such rows; places that fill no rectangle; images too large for a page in every form.

    Examples
    --------
    >>> from mistrust import rows
    >>> from mistrust.pictures import pack
    >>> places = [{"at": f"z0={z0},z1=0", "value": p} for z0, p in ((-1, 0.9), (0, 0.5), (1, 0.2))]
    >>> note = pack(np.zeros((8, 8), np.uint8))
    >>> walk = plane(rows.table(places, table="plane", condition="4/9", metric="p first", note=note))
    >>> [place["say"] for place in walk.data["cells"][:2]]
    ['Z1 0, z0 -1: 4 with 0.90, 9 with 0.10.', 'Z1 0, z0 0: 4 with 0.50, 9 with 0.50.']
    >>> walk.alt.split(". ")[-1]
    '1 image is ambiguous: the two probabilities differ by at most 0.25.'
    """
    held = select(rows, table="plane", metric="p first", **({"network": network} if network else {}))
    here = on_plane(of_pair(held, pair, "latent plane"))
    title = str(here["condition"].iloc[0])
    names = two_classes(title, classes)
    z0, z1, first = values_of(here["z0"]), values_of(here["z1"]), numbers(here["value"])
    torn = np.abs(2 * first - 1) <= _GAP
    inside = numbers(here["z0"])[torn]
    where = f"; their z0 is from {inside.min():g} to {inside.max():g}" if len(inside) > 1 else ""
    left, right = (first[here["z0"] == edge].mean() for edge in (z0[0], z0[-1]))
    alt = (
        f"The latent plane of pair {title}: {len(here)} decoded images, z0 from {z0[0]:g} to {z0[-1]:g} across, z1 "
        f"from {z1[0]:g} to {z1[-1]:g} down. At the left edge {names[0]} has {left:.0%} on average, at the right edge "
        f"{right:.0%}. {many(int(torn.sum()), 'image is', 'images are')} ambiguous: the two probabilities differ by "
        f"at most {_GAP}{where}."
    )
    images = images_of(here)
    for pixels in _forms(images):
        try:
            made = field(
                pixels,
                np.stack([first, 1 - first], axis=1),
                names,
                columns=len(z0),
                title=f"From {names[0]} to {names[1]}: the latent plane",
                alt=alt,
                row_title="z1",
                column_title="z0",
                row_values=[f"{value:g}" for value in z1],
                column_values=[f"{value:g}" for value in z0],
                caption=caption,
            )
        except MistrustError as error:
            if "sprite" not in str(error):
                raise
            continue
        if len(made.html()) <= LIMIT:
            return made
    raise MistrustError(
        f"{len(here)} images of {images.shape[1]} x {images.shape[2]} are too many for a page of {LIMIT:,} characters: "
        "give fewer places of the plane."
    )


def _forms(images: NDArray[np.uint8]) -> list[NDArray[np.uint8]]:
    """Give the images as they are, and in forms that need less room: fewer grey levels, then fewer pixels as well."""
    coarse = [(images // step * step + step // 2).astype(np.uint8) for step in (8, 16)]
    return [images, *coarse, coarse[1][:, ::2, ::2]]
