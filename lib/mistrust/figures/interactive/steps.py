"""An explanation in steps, each with words and, where wanted, images."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from numpy.typing import ArrayLike

from mistrust.errors import MistrustError
from mistrust.figures.interactive.frame import Interactive
from mistrust.figures.interactive.sprites import Sprite, sprite, thumb


@dataclass(frozen=True)
class Step:
    """One step: a head, a plain text, the indices of its images, and names with shares in [0, 1] drawn as bars."""

    title: str
    text: str
    images: Sequence[int] = field(default_factory=tuple)
    bars: Sequence[tuple[str, float]] = field(default_factory=tuple)


def stepper(
    steps: Sequence[Step],
    *,
    title: str,
    alt: str,
    images: ArrayLike | Sprite | None = None,
    labels: Sequence[str] = (),
    static: str | bytes | None = None,
    caption: str = "",
    links: Mapping[str, str] | None = None,
) -> Interactive:
    """Steps shown one at a time; without JavaScript all of them, as a numbered list.

    Parameters
    ----------
    steps : at least two.
    images : what the steps show: uint8 (n, height, width[, 3]), or a `Sprite`.
    labels : one text alternative an image.
    static, caption, links : as in `Interactive`.

    Raises
    ------
    MistrustError
        Fewer than two steps, a step without title, an index outside the images, images without labels, a bar outside
        [0, 1].
    """
    if len(steps) < 2:
        raise MistrustError(f"A stepper needs at least two steps, got {len(steps)}.")
    sheet = sprite(images) if images is not None and not isinstance(images, Sprite) else images
    if sheet is not None and (len(labels) != sheet.count or not all(label.strip() for label in labels)):
        raise MistrustError(
            f"{sheet.count} images need {sheet.count} labels that say what they show, got {len(labels)}."
        )
    items = []
    for number, step in enumerate(steps, 1):
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
        items.append(f'<li value="{number}">{words}{pictures}</li>')
    body = f'<ol class="mt-steps">{"".join(items)}</ol>'
    return Interactive("stepper", title, alt, body, {}, sheet, static, caption, links or {})


def _bars(step: Step) -> str:
    """HTML of a step's bars: one picture to a screen reader, which hears every name with its share."""
    if not step.bars:
        return ""
    lines = []
    for name, share in step.bars:
        if not 0 <= share <= 1:
            raise MistrustError(f"Step '{step.title}' has a bar of {share} for '{name}': bars are shares in [0, 1].")
        bar = f'<span class="mt-share" style="--v:{share:.4f}"></span>'
        lines.append(f"<span>{escape(name)}</span>{bar}<span>{share:.2f}</span>")
    said = escape(", ".join(f"{name} {share:.2f}" for name, share in step.bars))
    return f'<div class="mt-bars" role="img" aria-label="{said}">{"".join(lines)}</div>'
