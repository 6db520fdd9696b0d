"""One image under every fault, severities side by side."""

import pandas as pd

from mistrust.figures.images import images_of, place, show
from mistrust.figures.monitoring.parts import of, places_in, severities, words
from mistrust.figures.parts import some
from mistrust.figures.style import WIDTH, Picture, figure, picture, style

_ACROSS = 6  # images in a line
_SHORT = {"nominal": "As it is", "novelty/left out": "Left out"}  # over a single image
_SIDE, _HEAD, _GAP = WIDTH / _ACROSS, 0.24, 0.08  # inches


def faulty(
    rows: pd.DataFrame, *, image: int = 0, data: str | None = None, network: str | None = None, caption: str = ""
) -> Picture:
    """Draw an image as it is and in every benchmark set; of a set of novelty one of its own images.

    Parameters
    ----------
    rows : rows of the chapter, with the table "shown".
    image : which of the images shown, from 0 on.
    data, network : which image set and classifier; None for the first.

    Raises
    ------
    MistrustError
        There are no such rows; a row without an image.

    Examples
    --------
    >>> from mistrust import rows
    >>> from mistrust.pictures import pack
    >>> black = pack(np.zeros((8, 8, 3), np.uint8))
    >>> shown = {"table": "shown", "data": "gtsrb", "metric": "label", "value": 3, "at": "0", "note": black}
    >>> sets = [("nominal", None), ("shift/fog", 2), ("shift/fog", 5)]
    >>> found = rows.table([{"condition": name, "level": level} for name, level in sets], network="farm-lenet", **shown)
    >>> faulty(found).alt
    'One image of GTSRB as it is, and in 2 benchmark sets: Fog at severities 2 and 5.'
    """
    what = "pictures of benchmark sets"
    held = of(rows, "shown", what, data=data, network=network)
    where = words(held["data"].iloc[0])
    held = held[held["at"] == str(image)]
    some(held, f"{what}, image {image}")
    blocks = _blocks(held)
    lines = _lines([len(found) for _, found in blocks])
    high = _SIDE + _HEAD + _GAP
    with style():
        drawn = figure(high * (max(line for line, _ in lines) + 1))
        for (condition, found), (line, column) in zip(blocks, lines, strict=True):
            left, top = column * _SIDE, line * high
            title = _SHORT.get(condition) or words(condition)
            at = (left + len(found) * _SIDE / 2) / WIDTH
            drawn.text(at, 1 - (top + 0.03) / drawn.get_figheight(), title, ha="center", va="top", fontsize=11)
            for step, (pixels, level) in enumerate(zip(images_of(found), found["level"], strict=True)):
                axes = place(drawn, left + step * _SIDE + 0.02, top + _HEAD, _SIDE - 0.04, _SIDE - 0.04)
                show(axes, pixels)
                if level == level:
                    box = {"facecolor": "black", "pad": 1.5, "edgecolor": "none"}
                    axes.text(0.03, 0.03, f"{level:.0f}", transform=axes.transAxes, color="white", fontsize=10,
                              va="bottom", bbox=box)  # fmt: skip
        told = ", ".join(f"{words(condition)}{_of(found)}" for condition, found in blocks if condition != "nominal")
        own = "; sets of novelty show an image of their own" if any("novelty" in name for name, _ in blocks) else ""
        alt = f"One image of {where} as it is, and in {len(held) - 1} benchmark sets: {told}{own}."
        return picture(drawn, alt, caption, "fig-faulty")


def _blocks(held: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """Give the rows of each condition, the image as it is first, then what has no severity, then faults."""
    names = [*(["nominal"] if (held["condition"] == "nominal").any() else []), *places_in(held)]
    parts = [(name, held[held["condition"] == name].sort_values("level")) for name in names]
    return sorted(parts, key=lambda part: len(part[1]) > 1)


def _lines(sizes: list[int]) -> list[tuple[int, int]]:
    """Give each block's line and first column: a block is not broken, and what has severities starts a line."""
    places: list[tuple[int, int]] = []
    line, column = 0, 0
    for number, size in enumerate(sizes):
        first = number > 0 and size > 1 and sizes[number - 1] == 1
        if column and (first or column + size > _ACROSS):
            line, column = line + 1, 0
        places.append((line, column))
        column += size
    return places


def _of(found: pd.DataFrame) -> str:
    levels = [one for one in severities(found) if one == one]
    several = "severities" if len(levels) > 1 else "severity"
    return f" at {several} {' and '.join(f'{one:.0f}' for one in levels)}" if levels else ""
