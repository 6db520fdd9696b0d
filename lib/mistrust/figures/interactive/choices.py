"""One of several, chosen by name: each option has words, and a drawing or strips of images."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from numpy.typing import ArrayLike

from mistrust.errors import MistrustError
from mistrust.figures.interactive.frame import Interactive
from mistrust.figures.interactive.sprites import Sprite, sprite, thumb


@dataclass(frozen=True)
class Strip:
    """Images side by side: what they are, their indices, and a few letters beneath each.

    Examples
    --------
    >>> strip = Strip("Least suspicious", images=(0, 2), beneath=("0.01", "0.02"))  # the first and third of the images
    >>> options = [Option("Max Softmax", "What it lets pass.", strips=[strip]), Option("DSA", "Nothing passes.")]
    >>> shown = choice(options, title="What passes", alt="Two images pass Max Softmax.",
    ...                images=np.zeros((3, 8, 8), np.uint8), labels=["a 4", "a 9", "a 7"])
    >>> [label in shown.body for label in ("a 4", "a 9", "a 7")]
    [True, False, True]
    """

    title: str
    images: Sequence[int]
    beneath: Sequence[str]


@dataclass(frozen=True)
class Option:
    """What may be chosen.

    Attributes
    ----------
    title : its name in the list.
    text : what it shows, in words; it stands above the drawing and is announced.
    group : options of one group stand together in the list, under its name; "" for none.
    drawing : HTML or SVG text, taken as it is.
    strips : images.

    Examples
    --------
    >>> Option("Max Softmax", "One minus the largest probability.", group="softmax")
    Option(title='Max Softmax', text='One minus the largest probability.', group='softmax', drawing='', strips=())
    """

    title: str
    text: str
    group: str = ""
    drawing: str = ""
    strips: Sequence[Strip] = field(default_factory=tuple)


def choice(
    options: Sequence[Option],
    *,
    title: str,
    alt: str,
    label: str = "Show",
    note: str = "",
    images: ArrayLike | Sprite | None = None,
    labels: Sequence[str] = (),
    static: str | bytes | None = None,
    caption: str = "",
    links: Mapping[str, str] | None = None,
) -> Interactive:
    """Options of which a list shows one; without JavaScript each unfolds by itself, and the first is open.

    Parameters
    ----------
    options : at least one, with different titles; those of one group side by side.
    label : what is chosen ("Supervisor").
    note : how a drawing is read; it stands beneath all of them.
    images : what the strips show: uint8 (n, height, width[, 3]), or a `Sprite`.
    labels : one text alternative an image.
    static, caption, links : as in `Interactive`.

    Raises
    ------
    MistrustError
        No option, an option without title or text, a title twice, a group in several pieces, an index
        outside the images, images without labels, a strip without as many texts as images.

    Examples
    --------
    >>> options = [Option("Max Softmax", "Reads the answer."), Option("DSA", "Reads a hidden layer.")]
    >>> shown = choice(options, title="Two supervisors", alt="What each of two supervisors reads.", label="Supervisor")
    >>> shown.body.count("<details"), shown.data["label"]
    (2, 'Supervisor')
    >>> choice([], title="No supervisor", alt="What no supervisor reads.")
    Traceback (most recent call last):
    mistrust.errors.MistrustError: A choice needs at least one option.
    """
    _check(options, label)
    sheet = sprite(images) if images is not None and not isinstance(images, Sprite) else images
    if sheet is not None and (len(labels) != sheet.count or not all(one.strip() for one in labels)):
        raise MistrustError(
            f"{sheet.count} images need {sheet.count} labels that say what they show, got {len(labels)}."
        )
    parts = []
    for number, one in enumerate(options):
        strips = "".join(_strip(strip, sheet, labels) for strip in one.strips)
        shown = one.drawing + (f'<div class="mt-strips">{strips}</div>' if strips else "")
        words = f'<summary>{escape(one.title)}</summary><p class="mt-words">{escape(one.text)}</p>'
        parts.append(f'<details class="mt-option"{" open" if number == 0 else ""}>{words}{shown}</details>')
    below = f'<p class="mt-axes">{escape(note)}</p>' if note else ""
    body = f'<div class="mt-options">{"".join(parts)}</div>{below}'
    data = {"label": label, "groups": [one.group for one in options]}
    return Interactive("choice", title, alt, body, data, sheet, static, caption, links or {})


def _check(options: Sequence[Option], label: str) -> None:
    if not options:
        raise MistrustError("A choice needs at least one option.")
    if not label.strip():
        raise MistrustError("A choice needs a label: say what is chosen ('Supervisor').")
    seen = set[str]()
    for number, one in enumerate(options, 1):
        if not one.title.strip() or not one.text.strip():
            raise MistrustError(f"Option {number} of a choice has no {'text' if one.title.strip() else 'title'}.")
        if one.title in seen:
            raise MistrustError(f"Two options of a choice are called '{one.title}'.")
        seen.add(one.title)
    starts = [one.group for k, one in enumerate(options) if k == 0 or options[k - 1].group != one.group]
    for group in starts:
        if starts.count(group) > 1:
            raise MistrustError(f"The options of group '{group}' do not stand side by side.")


def _strip(strip: Strip, sheet: Sprite | None, labels: Sequence[str]) -> str:
    if sheet is None:
        raise MistrustError(f"Strip '{strip.title}' names images by index: give the images too.")
    if len(strip.images) != len(strip.beneath):
        raise MistrustError(f"Strip '{strip.title}' has {len(strip.images)} images and {len(strip.beneath)} texts.")
    cells = "".join(
        f'<span class="mt-noted">{thumb(sheet, index, labels)}<span>{escape(text)}</span></span>'
        for index, text in zip(strip.images, strip.beneath, strict=True)
    )
    return f'<div class="mt-strip"><p>{escape(strip.title)}</p><div class="mt-images">{cells}</div></div>'
