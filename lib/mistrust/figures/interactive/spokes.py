"""A polar plot: one value per direction, each with its image."""

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mistrust.errors import MistrustError
from mistrust.figures.interactive.frame import Interactive
from mistrust.figures.interactive.sprites import Sprite, sprite

# The drawing is 400 units wide and shown at 340 pixels or more: 15 units are 12.7 pixels, above 9 points.
SIZE, RADIUS, FONT = 400, 140, 15


def polar(
    names: Sequence[str],
    values: ArrayLike,
    *,
    title: str,
    alt: str,
    name_title: str = "direction",
    value_title: str = "value",
    texts: Sequence[str] | None = None,
    digits: int = 1,
    images: ArrayLike | Sprite | None = None,
    labels: Sequence[str] = (),
    high: float | None = None,
    missing: str = "no value",
    static: str | bytes | None = None,
    caption: str = "",
    links: Mapping[str, str] | None = None,
) -> Interactive:
    """One spoke a name, as long as its value; a spoke tells its value and shows its image.

    Parameters
    ----------
    names : the spokes' names, clockwise from the top; at least three.
    values : (spokes,), at least 0; NaN leaves a spoke empty (the class that one starts from).
    texts : what a spoke says in place of its value ("12.0, not reached").
    images : one a spoke, uint8 (spokes, height, width[, 3]), or a `Sprite`.
    labels : one text alternative an image.
    high : the value of the outer ring; None for the largest value.
    missing : what an empty spoke says.
    static, caption, links : as in `Interactive`.

    Raises
    ------
    MistrustError
        Fewer than three names, shapes that do not fit, negative or infinite values.

    Examples
    --------
    >>> shown = polar(["4", "7", "9"], [np.nan, 3.1, 1.2], title="How far from a 4 to other classes",
    ...               alt="From this 4 it is farther to 7 than to 9.", name_title="class", value_title="distance",
    ...               missing="none, here one starts")
    >>> [cell["say"] for cell in shown.data["cells"]]
    ['Class 4: distance none, here one starts.', 'Class 7: distance 3.1.', 'Class 9: distance 1.2.']
    """
    lengths = np.asarray(values, dtype=np.float64)
    count = len(names)
    if count < 3 or lengths.shape != (count,):
        raise MistrustError(
            f"A polar plot needs at least three names and one value each, got {count} and {lengths.shape}."
        )
    found = lengths[~np.isnan(lengths)]
    if np.isinf(found).any() or (found < 0).any():
        raise MistrustError("A polar plot shows values of 0 and more, none infinite; an empty spoke is NaN.")
    if texts is not None and len(texts) != count:
        raise MistrustError(f"`texts` has {len(texts)} entries, expected {count}: one a spoke.")
    sheet = sprite(images) if images is not None and not isinstance(images, Sprite) else images
    if sheet is not None and (sheet.count != count or len(labels) != count):
        raise MistrustError(f"{count} spokes need {count} images and labels, got {sheet.count} and {len(labels)}.")
    outer = float(found.max()) if high is None and found.size else (high or 1.0)
    if outer <= 0:
        outer = 1.0

    data: list[dict[str, Any]] = []
    spokes: list[str] = []
    for i, name in enumerate(names):
        value = lengths[i]
        plain = missing if math.isnan(value) else f"{value:.{digits}f}"
        words = texts[i] if texts is not None else plain
        say = f"{name_title} {name}: {value_title} {words}."
        data.append({"say": say[:1].upper() + say[1:], "images": [i] if sheet else []})
        spokes.append(_spoke(i, count, name, None if math.isnan(value) else min(1.0, value / outer)))
    # Rings are labelled between the first two spokes, where no line and no name stands.
    middle = math.pi / count
    tick = (math.sin(middle) * RADIUS, -math.cos(middle) * RADIUS)
    rings = "".join(
        f'<circle class="mt-ring" cx="0" cy="0" r="{RADIUS * part:g}"/>'
        f'<text class="mt-tick" x="{tick[0] * part:.1f}" y="{tick[1] * part:.1f}">{outer * part:.{digits}f}</text>'
        for part in (0.5, 1.0)
    )
    half = SIZE / 2
    body = (
        f'<svg class="mt-main mt-polar" viewBox="{-half:g} {-half:g} {SIZE} {SIZE}" font-size="{FONT}"'
        f' role="img" aria-label="{escape(alt)}">{rings}{"".join(spokes)}</svg>'
    )
    content = {"cells": data, "labels": list(labels), **({"columns": sheet.columns} if sheet else {})}
    return Interactive("polar", title, alt, body, content, sheet, static, caption, links or {})


def _spoke(index: int, count: int, name: str, share: float | None) -> str:
    angle = 2 * math.pi * index / count
    x, y = math.sin(angle), -math.cos(angle)

    def at(length: float) -> tuple[str, str]:
        return f"{x * length:.1f}", f"{y * length:.1f}"

    (ox, oy), (lx, ly) = at(RADIUS), at(RADIUS + 24)
    line = f'<line class="mt-axis" x1="0" y1="0" x2="{ox}" y2="{oy}"/>'
    bar = ""
    if share is not None:
        bx, by = at(RADIUS * share)
        bar = (
            f'<line class="mt-bar" x1="0" y1="0" x2="{bx}" y2="{by}"/>'
            f'<circle class="mt-dot" cx="{bx}" cy="{by}" r="6"/>'
        )
    # A wide invisible line, so that a finger meets the spoke.
    touch = f'<line class="mt-touch" x1="0" y1="0" x2="{at(RADIUS + 36)[0]}" y2="{at(RADIUS + 36)[1]}"/>'
    anchor = 'text-anchor="middle" dominant-baseline="central"'
    word = f'<text class="mt-name" x="{lx}" y="{ly}" {anchor}>{escape(name)}</text>'
    empty = ' data-empty="true"' if share is None else ""
    return f'<g class="mt-spoke"{empty}>{line}{bar}{touch}{word}</g>'
