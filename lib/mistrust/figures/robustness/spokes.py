"""One image's bubble to explore: each spoke shows the image that the search found, and what was changed."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mistrust.errors import MistrustError
from mistrust.figures.images import images_of
from mistrust.figures.interactive import Interactive, Sprite, polar, sprite
from mistrust.figures.parts import and_so_on
from mistrust.figures.robustness.one_image import Bubble, bubbles_of, classes_of, rings, told_of
from mistrust.figures.robustness.parts import plain
from mistrust.figures.robustness.story import story


def spokes(
    rows: pd.DataFrame,
    network: str | None = None,
    *,
    data: str | None = None,
    seed: int | None = None,
    caption: str = "",
) -> Interactive:
    """Let a reader point at a target class and see the image that reaches it, and what was changed.

    Parameters
    ----------
    rows : rows of the chapter, with the table "bubble" as for `story`. Images are shown where the notes of the source
        and of every target (metric linf, or success of those not reached) hold them.
    network : which; None for the first.
    data, seed : which image set and training seed; None for the first.

    Raises
    ------
    MistrustError
        There are no such rows.
    """
    held, bubbles = bubbles_of(rows, None if network is None else [network], data, seed)
    one = bubbles[0]
    classes = classes_of([one])
    values = [one.distance.get(name, float("nan")) for name in classes]
    texts = [_text(one, name) for name in classes]
    top, _ = rings([one])
    failed = f" Not reached: {and_so_on(sorted(one.failed))}." if one.failed else ""
    alt = (
        f"Polar plot of the bubble of {one.title} around one image of {one.source}: a spoke a class, as long as the "
        f"L-infinity distance in grey levels that changes the answer to it. {told_of(one, classes)}"
    )
    made = polar(
        classes, values, title=f"One image of {one.source}, {one.title}: how far is each other class?", alt=alt,
        name_title="class", value_title="L∞ distance", texts=texts, high=top, digits=0,
        static=story(rows, [one.network], data=data, seed=seed).svg,
        caption=f"{caption}{failed if caption else failed.strip()}".strip(),
    )  # fmt: skip
    found = _images(held[held["network"].isin([one.network, ""])], one, classes)
    return made if found is None else _with_images(made, *found, one, classes)


def _text(one: Bubble, name: str) -> str:
    if name == one.source:
        return "none, the image's own class"
    return f"{plain(one.distance[name])} grey levels" if name in one.distance else "not known, not reached"


def _images(
    own: pd.DataFrame, one: Bubble, classes: Sequence[str]
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]] | None:
    """Give the source's image and those of all classes in order, the source's in its own place; None without."""
    there = own[own["note"].str.startswith("png:")].drop_duplicates("at").set_index("at", drop=False)
    if not set(classes) <= set(there.index):
        return None
    every = images_of(there.loc[list(classes)])
    return every[classes.index(one.source)], every


def _with_images(
    made: Interactive, original: NDArray[np.uint8], every: NDArray[np.uint8], one: Bubble, classes: Sequence[str]
) -> Interactive:
    """Show at each spoke what the search found, and, on grey, how it differs from the original."""
    away = every.astype(np.int16) - original
    most = max(1, int(np.abs(away).max()))
    grey = np.clip(np.round(128 + 127 * away / most), 0, 255).astype(np.uint8)
    sheet = _fitting(np.concatenate((every, grey)))
    k = len(classes)
    labels = [f"image of {one.source}" + ("" if n == one.source else f", changed towards {n}") for n in classes]
    labels += [f"difference towards {n}; grey is none, black and white are {most} grey levels" for n in classes]
    cells = [
        {**cell, "images": [i] if classes[i] == one.source else [i, k + i]} for i, cell in enumerate(made.data["cells"])
    ]
    data = {**made.data, "cells": cells, "labels": labels, "columns": sheet.columns}
    note = f"Beside a changed image: what was changed, on a scale to {most} grey levels; grey is nothing."
    return replace(made, data=data, sheet=sheet, caption=f"{made.caption} {note}".strip())


def _fitting(pixels: NDArray[np.uint8]) -> Sprite:
    """Pack images, every other pixel of them where they are more than a page carries."""
    try:
        return sprite(pixels)
    except MistrustError:
        return sprite(pixels[:, ::2, ::2])
