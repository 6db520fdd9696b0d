"""An explanation in steps, each with words and, where wanted, images; of several series of steps one is chosen."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import groupby
from typing import Any

from numpy.typing import ArrayLike

from mistrust.errors import MistrustError
from mistrust.figures.interactive.frame import Interactive
from mistrust.figures.interactive.sprites import Sprite, sprite, thumb


@dataclass(frozen=True)
class Step:
    """One step: a head, a plain text, the indices of its images, and names with shares in [0, 1] drawn as bars.

    Steps with the same `series` follow each other; where there are several, a list chooses one.

    Examples
    --------
    >>> steps = [Step("Query 1", "An easy image.", series=name) for name in ("At random", "By entropy")]
    >>> stepper(steps, title="Two searches", alt="The first query of two searches.", label="Search").data
    {'series': ['At random', 'By entropy'], 'label': 'Search'}
    """

    title: str
    text: str
    images: Sequence[int] = field(default_factory=tuple)
    bars: Sequence[tuple[str, float]] = field(default_factory=tuple)
    series: str = ""


def stepper(
    steps: Sequence[Step],
    *,
    title: str,
    alt: str,
    label: str = "Show",
    name: str = "Step",
    images: ArrayLike | Sprite | None = None,
    labels: Sequence[str] = (),
    static: str | bytes | None = None,
    caption: str = "",
    links: Mapping[str, str] | None = None,
) -> Interactive:
    """Steps shown one at a time; without JavaScript all of them, as a numbered list, or one a series.

    Parameters
    ----------
    steps : at least two; those of one series side by side. To change the series keeps the number of the step.
    label : what is chosen where there are several series ("Search").
    name : what a step is called ("Query 3 of 20").
    images : what the steps show: uint8 (n, height, width[, 3]), or a `Sprite`.
    labels : one text alternative an image.
    static, caption, links : as in `Interactive`.

    Raises
    ------
    MistrustError
        Fewer than two steps, a step without title, a series in several pieces or without a name beside others, no
        label or name, an index outside the images, images without labels, a bar outside [0, 1].

    Examples
    --------
    >>> steps = [Step("The image", "A 4."), Step("The nearest other class", "A 9.", bars=[("4", 0.45), ("9", 0.55)])]
    >>> shown = stepper(steps, title="From a 4 to a 9", alt="A 4 turns into a 9 in one step.")
    >>> shown.kind, shown.body.count("<li"), 'aria-label="4 0.45, 9 0.55"' in shown.body
    ('stepper', 2, True)
    """
    if len(steps) < 2:
        raise MistrustError(f"A stepper needs at least two steps, got {len(steps)}.")
    if not label.strip() or not name.strip():
        raise MistrustError("A stepper needs a label and a name: what is chosen ('Search'), what a step is ('Query').")
    series = _series(steps)
    sheet = sprite(images) if images is not None and not isinstance(images, Sprite) else images
    if sheet is not None and (len(labels) != sheet.count or not all(label.strip() for label in labels)):
        raise MistrustError(
            f"{sheet.count} images need {sheet.count} labels that say what they show, got {len(labels)}."
        )
    lists = []
    number = 0
    for head, members in groupby(steps, key=lambda step: step.series):
        items = []
        for place, step in enumerate(members, 1):
            number += 1
            items.append(_item(step, number, place, sheet, labels))
        above = f'<p class="mt-words"><strong>{escape(head)}</strong></p>' if head else ""
        lists.append(f'{above}<ol class="mt-steps">{"".join(items)}</ol>')
    data: dict[str, Any] = {"series": series, "label": label} if len(series) > 1 else {}
    if name != "Step":
        data["name"] = name
    return Interactive("stepper", title, alt, "".join(lists), data, sheet, static, caption, links or {})


def _series(steps: Sequence[Step]) -> list[str]:
    """Names of the series, in order."""
    found = [head for head, _ in groupby(steps, key=lambda step: step.series)]
    for head in found:
        if found.count(head) > 1:
            raise MistrustError(f"The steps of series '{head}' do not stand side by side.")
    if len(found) > 1 and not all(head.strip() for head in found):
        raise MistrustError("A stepper has several series, one of them without a name: name each.")
    return found


def _item(step: Step, number: int, place: int, sheet: Sprite | None, labels: Sequence[str]) -> str:
    """HTML of one step: `number` among all, for messages, `place` in its series."""
    if not step.title.strip():
        raise MistrustError(f"Step {number} has no title.")
    if step.images and sheet is None:
        raise MistrustError(f"Step {number} names images by index: give the images too.")
    shown = "".join(thumb(sheet, k, labels) for k in step.images) if sheet else ""
    shown += _bars(step)
    # Beside bars, an image may be as large as they are high.
    size = ' style="--size:112px"' if step.bars else ""
    pictures = f'<div class="mt-images"{size}>{shown}</div>' if shown else ""
    words = f'<strong class="mt-step">{escape(step.title)}</strong> {escape(step.text)}'
    return f'<li value="{place}">{words}{pictures}</li>'


def _bars(step: Step) -> str:
    """HTML of a step's bars: one picture to a screen reader, which hears every name with its share."""
    if not step.bars:
        return ""
    lines = []
    for name, share in step.bars:
        if not 0 <= share <= 1:
            raise MistrustError(f"Step '{step.title}' has a bar of {share} for '{name}': bars are shares in [0, 1].")
        bar = f'<span class="mt-share" style="--v:{share:.4f}"></span>'
        lines.append(f"<span>{escape(name)}</span>{bar}<span>{_written(share)}</span>")
    said = escape(", ".join(f"{name} {_written(share)}" for name, share in step.bars))
    return f'<div class="mt-bars" role="img" aria-label="{said}">{"".join(lines)}</div>'


def _written(share: float) -> str:
    """Two decimals, three where two would make a whole of what is none."""
    return f"{share:.2f}" if share < 0.995 or share == 1 else f"{math.floor(1000 * share) / 1000:.3f}"
