"""The inputs that a supervisor gets most wrong: bad ones that it does not suspect, nominal ones that it does."""

from dataclasses import replace

import pandas as pd

from mistrust.errors import MistrustError
from mistrust.figures.images import images_of
from mistrust.figures.interactive import Interactive, Option, Sprite, Strip, choice, sprite
from mistrust.figures.supervisors.parts import conditions_in, family, in_order, kind, of, of_network, words
from mistrust.figures.written import many

_NOTE = (
    "Beneath each image: the place of its score among the nominal scores, from 0, least suspicious, to 1, most; above "
    "0.95 it alarms."
)


def mistaken(rows: pd.DataFrame, *, data: str | None = None, most: int = 6, caption: str = "") -> Interactive:
    """Let a reader choose a supervisor and see what it gets most wrong.

    Parameters
    ----------
    rows : rows of the chapter, with the table "mistaken".
    data : which image set; None for the first.
    most : images of a kind at most; fewer where the images would be more than a page carries.

    Raises
    ------
    MistrustError
        There are no such rows; a row without an image.

    Examples
    --------
    >>> from mistrust import rows
    >>> from mistrust.pictures import pack
    >>> image = {"at": "0", "metric": "place", "note": pack(np.zeros((4, 4), np.uint8))}
    >>> places = {"max_softmax": (0.99, 0.1), "dsa": (0.97, 0.2)}
    >>> found = [
    ...     {**image, "method": method, "condition": condition, "value": place}
    ...     for method, both in places.items()
    ...     for condition, place in zip(("nominal", "invalid/other"), both)
    ... ]
    >>> mistaken(rows.table(found, table="mistaken", data="mnist")).alt.partition("bad kind. ")[2]
    'Max Softmax: Worst mistake on each kind: nominal at 0.99, invalid at 0.10.'
    """
    held = of(rows, "mistaken", "most mistaken inputs", data=data)
    held = held.assign(at=held["at"].astype(int)).sort_values(["condition", "method", "at"])
    shown, sheet, labels, index = _fitting(held, most)
    kinds = conditions_in(shown)
    options = []
    for name in in_order(shown["method"]):
        own = shown[shown["method"] == name]
        strips: list[Strip] = []
        said: list[str] = []
        for condition in kinds:
            found = own[own["condition"] == condition]
            if found.empty:
                continue
            usual = kind(condition) == "nominal"
            places = [index[key] for key in zip(found["condition"], found["note"], strict=True)]
            beneath = [f"{value:.2f}" for value in found["value"]]
            strips.append(Strip(f"{words(condition)}, {'most' if usual else 'least'} suspicious", places, beneath))
            said.append(f"{words(condition).lower()} at {beneath[0]}")
        text = f"Worst mistake on each kind: {', '.join(said)}."
        options.append(Option(words(name), text, family(name), strips=strips))
    alt = (
        f"For {many(len(options), 'supervisor')} the nominal images that they find most suspicious, and the "
        "least suspicious "
        f"images of each bad kind. {options[0].title}: {options[0].text}"
    )
    title = f"What each supervisor gets most wrong, {words(held['data'].iloc[0])}"
    made = choice(
        options, title=title, alt=alt, label="Supervisor", note=_NOTE, images=sheet, labels=labels, caption=caption
    )
    return replace(made, shown=of_network(held))


Sheet = tuple[pd.DataFrame, Sprite, list[str], dict[tuple[str, str], int]]


def _fitting(held: pd.DataFrame, most: int) -> Sheet:
    """Give the rows shown, a sprite in which each image stands once, labels, and the index of (condition, image)."""
    count = min(most, int(held["at"].max()) + 1)
    while True:
        found = held[held["at"] < count]
        once = found.drop_duplicates(["condition", "note"])
        pixels = images_of(once)
        try:
            sheet = sprite(pixels)
            break
        except MistrustError:  # more than a page carries
            if count <= 1:
                raise
            count -= 1
    keys = list(zip(once["condition"], once["note"], strict=True))
    labels = [f"{words(condition).lower()} image" for condition, _ in keys]
    return found, sheet, labels, {key: number for number, key in enumerate(keys)}
