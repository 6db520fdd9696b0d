"""What the errors found look like: how bright they are (Figure 8), and what in them speaks for the wrong class."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from mistrust.figures.contact import Cell, Layout, contact
from mistrust.figures.dots import dot, marks, name_lines
from mistrust.figures.images import images_of
from mistrust.figures.parts import and_so_on, means, numbers, one_of, some, values_of
from mistrust.figures.search.held import of, wanted
from mistrust.figures.search.parts import (
    conditions_in,
    data_in,
    strongest,
    told,
    words,
)
from mistrust.figures.style import MARKERS, PALETTE, WIDTH, Picture, figure, picture, style
from mistrust.figures.written import Write, interval, two

BRIGHT, SPOKEN = "brightness", "superpixel brightness"
_TITLES = {BRIGHT: ("errors against\ntheir class", "SDs"), SPOKEN: ("superpixels\nagainst image", "from 0 to 1")}
_SAID = {BRIGHT: "brightness {} standard deviations", SPOKEN: "superpixels {}"}
_ALL = "all errors of the pool"
_LINE = 0.31  # inches
_BRIGHT, _SHOWN = "brightness of errors", "pictures of the errors found"
_ACROSS, _TOP, _BESIDE = 3, 0.06, 1.12  # images side by side; inches above, and for the words at the left


def explained(
    rows: pd.DataFrame,
    *,
    data: str | None = None,
    conditions: list[str] | None = None,
    at: str | None = None,
    caption: str = "",
) -> Picture:
    """Draw the brightness of errors under each condition, and of the superpixels that speak for the predicted class.

    Parameters
    ----------
    rows : rows of the chapter, with the table "explained" (level = number of the first errors found, none: all errors
        of the pool; metrics brightness, superpixel brightness).
    data : which image set; None for the first.
    conditions : which, in this order; None for all.
    at : the critical class; None for the paper's, else the first.

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    The first six errors found are brighter than their class:

    >>> from mistrust import rows
    >>> first = {"metric": "brightness", "value": 0.8, "low": 0.5, "high": 1.1}
    >>> held = rows.table([first], table="explained", data="cats_dogs-32", condition="biased/25", at="cat", level=6)
    >>> print(explained(held).alt.partition("deviations. ")[2])
    Biased training, 25% of cats missing: first 6 brightness 0.80 (0.50 to 1.10) standard deviations.
    """
    held = of(rows, "explained", _BRIGHT, data=data, at=at, metric=[BRIGHT, SPOKEN])
    held = held[held["data"] == data_in(held["data"])[0]]
    names = wanted(conditions, conditions_in(held["condition"]), _BRIGHT)
    some(names, _BRIGHT)
    held = held[held["condition"].isin(names)]
    metrics = [one for one in _TITLES if (held["metric"] == one).any()]
    labels: list[tuple[float, str, bool]] = []
    said: list[str] = []
    y = 0.0
    with style():
        levels = {name: sorted(values_of(held[held["condition"] == name]["level"]), key=_last) for name in names}
        drawn = figure(_LINE * sum(len(levels[name]) + 1 for name in names) + 1.25)
        panels = drawn.subplots(1, len(metrics), squeeze=False, sharey=True)[0]
        for index, name in enumerate(names):
            labels.append((y, words(name), True))
            each = []
            for level in levels[name]:
                y += 1
                labels.append((y, "all errors" if np.isnan(level) else f"first {level:.0f}", False))
                same = held["level"].isna() if np.isnan(level) else held["level"] == level
                own = held[(held["condition"] == name) & same]
                look = {"colour": PALETTE[index % len(PALETTE)], "marker": MARKERS[index % len(MARKERS)]}
                for axes, metric in zip(panels, metrics, strict=True):
                    dot(axes, own[own["metric"] == metric], y, **look)
                each.append(_bright(own, level))
            y += 1
            said.append(f"{told(name)}: {'; '.join(each)}.")
        name_lines(panels[0], labels)
        for axes, metric in zip(panels, metrics, strict=True):
            _finish(axes, metric)
        first = held.iloc[0]
        about = {
            BRIGHT: "their brightness above that of all images of their true class, in standard deviations",
            SPOKEN: f"the brightness of superpixels that speak most for {first['at']} above their image's own, 0 to 1",
        }
        alt = (
            f"Dot plots of how bright errors predicted as {first['at']} are on {words(first['data'])}, with intervals: "
            f"{and_so_on(about[one] for one in metrics)}. {' '.join(said)}"
        )
        return picture(drawn, alt, f"{caption} {marks(held)}".strip(), "fig-explained", held)


def shown(
    rows: pd.DataFrame,
    *,
    most: int = 6,
    data: str | None = None,
    condition: str | None = None,
    at: str | None = None,
    seed: int | None = None,
    caption: str = "",
) -> Picture:
    """Draw the first errors found, each with what speaks most for the predicted class beneath it.

    Parameters
    ----------
    rows : rows of the chapter, with the table "explained" (level = number of the error from 1; metrics shown, whose
        value is the confidence, and speaking, by how many logits the lead falls without these superpixels; their notes
        hold the pictures). An error without the second picture is left out.
    most : errors at most.
    data, at, seed : which image set, critical class and model; None for the first.
    condition : None for the strongest dose of the first mechanism.

    Raises
    ------
    MistrustError
        There are no such rows; a row without its picture.

    Examples
    --------
    >>> from mistrust import rows
    >>> from mistrust.pictures import pack
    >>> first = {"condition": "biased/25", "at": "cat", "level": 1}
    >>> first["note"] = pack(np.zeros((8, 8, 3), dtype=np.uint8))  # the image
    >>> both = [{"metric": "shown", "value": 0.97}, {"metric": "speaking", "value": 2.3}]
    >>> print(shown(rows.table(both, table="explained", **first)).alt.partition("without them. ")[2])
    error 1: confidence 0.97, lead falls by 2.3.
    """
    held = of(rows, "explained", _SHOWN, data=data, at=at, metric=["shown", "speaking"])
    held = held[held["data"] == data_in(held["data"])[0]]
    there = conditions_in(held["condition"])
    held = held[held["condition"] == one_of(condition or strongest(there), there, _SHOWN)]
    seeds = sorted(set(held["seed"].dropna()))
    if seeds:
        chosen = one_of(None if seed is None else f"{seed}", [f"{one:.0f}" for one in seeds], _SHOWN)
        held = held[held["seed"] == float(chosen)]
    whole, rest = (held[held["metric"] == one].sort_values("level", kind="stable") for one in ("shown", "speaking"))
    both = sorted(set(whole["level"]) & set(rest["level"]))[: max(0, most)]
    some(both, _SHOWN)
    whole, rest = (one[one["level"].isin(both)] for one in (whole, rest))
    above = _cells(whole, two)
    beneath = _cells(rest, lambda fall: f"{fall:.1f}".replace("-", "−"))
    plan = Layout(_ACROSS, (WIDTH - _BESIDE) / _ACROSS, 0)
    tall = plan.height(1, 1)
    blocks = range(0, len(both), _ACROSS)
    with style():
        drawn = figure(_TOP + (2 * tall + 0.12) * len(blocks))
        for number, start in enumerate(blocks):
            top = _TOP + (2 * tall + 0.12) * number
            contact(drawn, above[start : start + _ACROSS], plan, top, _BESIDE, ("confidence",))
            contact(drawn, beneath[start : start + _ACROSS], plan, top + tall, _BESIDE, ("lead falls",))
        each = (
            f"error {level:.0f}: confidence {up.beneath[0]}, lead falls by {down.beneath[0]}"
            for level, up, down in zip(both, above, beneath, strict=True)
        )
        first = held.iloc[0]
        alt = (
            f"The first {len(both)} errors that Adversarial Distance found on {words(first['data'])} "
            f"({told(first['condition'])}), all predicted as {first['at']}, with their confidence; beneath each the "
            f"same image, grey except for the superpixels that speak most for {first['at']}, and by "
            f"how many logits the lead of {first['at']} falls without them. {'; '.join(each)}."
        )
        return picture(drawn, alt, caption, "fig-shown", held)


def _cells(found: pd.DataFrame, write: Write) -> list[Cell]:
    return [Cell(image, "", (write(value),)) for image, value in zip(images_of(found), found["value"], strict=True)]


def _last(level: float) -> float:
    return np.inf if np.isnan(level) else level


def _bright(own: pd.DataFrame, level: float) -> str:
    parts = []
    for metric, text in _SAID.items():
        for one in numbers(means(own[own["metric"] == metric])[["value", "low", "high"]]):
            parts.append(text.format(interval(*one)))
    return f"{_ALL if np.isnan(level) else f'first {level:.0f}'} {', '.join(parts)}"


def _finish(axes: Axes, metric: str) -> None:
    axes.axvline(0, color="black", lw=1)
    axes.margins(x=0.12)
    title, unit = _TITLES[metric]
    axes.set_title(title)
    axes.set_xlabel(unit)
    axes.xaxis.set_major_locator(MaxNLocator(3, min_n_ticks=2, steps=[1, 2, 5, 10]))
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
