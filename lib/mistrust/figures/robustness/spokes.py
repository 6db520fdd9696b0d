"""One image's bubble to explore: each spoke shows the image that the search found, and what was changed."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mistrust.errors import MistrustError, NoRows
from mistrust.figures.images import images_of
from mistrust.figures.interactive import Interactive, Sprite, polar, sprite
from mistrust.figures.parts import and_so_on
from mistrust.figures.robustness.one_image import Bubble, bubbles_of, classes_of, rings, told_of
from mistrust.figures.robustness.story import story
from mistrust.figures.written import plain

LEAST = 3  # classes of a polar plot


def spokes(
    rows: pd.DataFrame,
    network: str | None = None,
    *,
    method: str | None = None,
    data: str | None = None,
    seed: int | None = None,
    caption: str = "",
) -> Interactive:
    """Let a reader point at a target class and see the image that reaches it, and what was changed.

    Parameters
    ----------
    rows : rows of the chapter, with the table "bubble" as for `story`. Images are shown where the note of the
        source holds one, at those targets whose notes do.
    network : which; None for the first.
    method : the search, "adam" or "tight"; None for the first.
    data, seed : which image set and training seed; None for the first.

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [
    ...     {"at": "3", "metric": "source", "value": 3},
    ...     {"at": "5", "metric": "linf", "value": 20},
    ...     {"at": "8", "metric": "linf", "value": 12},
    ... ]
    >>> made = spokes(rows.table(found, table="bubble", data="mnist", network="vgg9-w16", method="adam"))
    >>> made.title
    'One image of 3, VGG-9 w16: how far is every other class?'
    >>> made.alt.partition("to it. ")[2]
    'VGG-9 w16: 16 on average, nearest 8 at 12, farthest 5 at 20.'
    """
    held, bubbles = bubbles_of(rows, None if network is None else [network], method, data, seed)
    one = bubbles[0]
    classes = classes_of([one])
    if len(classes) < LEAST:
        raise NoRows(f"Of {len(classes)} classes there is one direction to go, and no outline: see the table.")
    values = [one.distance.get(name, float("nan")) for name in classes]
    texts = [_text(one, name) for name in classes]
    top, _ = rings([one])
    failed = f" Not reached: {and_so_on(sorted(one.failed))}." if one.failed else ""
    alt = (
        f"Polar plot of the bubble of {one.title} around one image of {one.source}: one spoke per class, as long as "
        f"the L-infinity distance, in grey levels, that changes the answer to it. {told_of(one, classes)}"
    )
    made = polar(
        classes, values, title=f"One image of {one.source}, {one.title}: how far is every other class?", alt=alt,
        name_title="class", value_title="L∞ distance", texts=texts, high=top, digits=0,
        static=story(rows, [one.network], method=method, data=data, seed=seed).svg,
        caption=f"{caption}{failed if caption else failed.strip()}".strip(),
    )  # fmt: skip
    own = held[held["network"].isin([one.network, ""]) & held["note"].str.startswith("png:")].drop_duplicates("at")
    pixels = dict(zip(own["at"], images_of(own), strict=True)) if len(own) else {}
    return _with_images(made, pixels, one, classes) if one.source in pixels and len(pixels) > 1 else made


def _text(one: Bubble, name: str) -> str:
    if name == one.source:
        return "none, the image's own class"
    return f"{plain(one.distance[name])} grey levels" if name in one.distance else "not known, not reached"


def _with_images(
    made: Interactive, pixels: dict[str, NDArray[np.uint8]], one: Bubble, classes: Sequence[str]
) -> Interactive:
    """Show at each spoke what the search found, and, on grey, how it differs from the original."""
    shown = [one.source, *(name for name in classes if name in pixels and name != one.source)]
    every = np.stack([pixels[name] for name in shown])
    away = every[1:].astype(np.int16) - every[0]
    most = max(1, int(np.abs(away).max(initial=0)))
    grey = np.clip(np.round(128 + 127 * away / most), 0, 255).astype(np.uint8)
    sheet = _fitting(np.concatenate((every, grey)))
    labels = [f"image of {one.source}", *(f"image of {one.source}, changed towards {name}" for name in shown[1:])]
    labels += [f"difference towards {n}; grey: no change, black and white: {most} grey levels" for n in shown[1:]]
    of = {name: [i, len(shown) + i - 1] for i, name in enumerate(shown)} | {one.source: [0]}
    cells = [{**cell, "images": of.get(name, [])} for cell, name in zip(made.data["cells"], classes, strict=True)]
    data = {**made.data, "cells": cells, "labels": labels, "columns": sheet.columns}
    note = f"Beside each changed image: what was changed, on a scale to {most} grey levels; grey is no change."
    return replace(made, data=data, sheet=sheet, caption=f"{made.caption} {note}".strip())


def _fitting(pixels: NDArray[np.uint8]) -> Sprite:
    """Pack images, every other pixel of them where they are more than a page carries."""
    try:
        return sprite(pixels)
    except MistrustError:
        return sprite(pixels[:, ::2, ::2])
