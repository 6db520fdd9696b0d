"""Whether errors lie nearer to the boundary than right predictions of their confidence: AUROC of a small residual."""

import pandas as pd

from mistrust.figures.dots import dot, estimate, name_lines
from mistrust.figures.parts import GREY, means, singles, some
from mistrust.figures.search.lifts import LEGEND
from mistrust.figures.search.parts import (
    classes_in,
    conditions_in,
    critical,
    dose,
    head,
    mechanism,
    told,
)
from mistrust.figures.search.said import NOT_RUN
from mistrust.figures.style import MARKERS, PALETTE, Picture, figure, legend_beneath, picture, style
from mistrust.figures.written import two
from mistrust.rows import select

METRIC, USELESS = "residual auc", 0.5
_LINE = 0.27  # inches
_WHAT = "AUROC of the residual"


def nearness(rows: pd.DataFrame, *, caption: str = "") -> Picture:
    """Draw the AUROC of a small residual for error in every pool: mean over networks, interval, networks as ticks.

    Parameters
    ----------
    rows : rows of the chapter, with the table "panel" (metric residual auc).

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> one = {"table": "panel", "metric": "residual auc", "condition": "gray/gray", "over": "models"}
    >>> found = {"animal": (0.45, 0.41, 0.49), "vehicle": (0.6, 0.55, 0.65)}
    >>> pools = [{**one, "at": at, "value": v, "low": low, "high": high} for at, (v, low, high) in found.items()]
    >>> print(nearness(rows.table(pools)).alt.partition("farther. ")[2])
    Shift to grey, grey images: animal 0.45 (0.41 to 0.49); vehicle 0.60 (0.55 to 0.65).
    """
    held = select(rows, table="panel", metric=METRIC)
    some(held, _WHAT)
    labels: list[tuple[float, str, bool]] = []
    said: list[str] = []
    alike: dict[int, dict[str, None]] = {}
    y, last = 0.0, ""
    with style():
        conditions = conditions_in(held["condition"])
        lines = held.drop_duplicates(["condition", "at"])
        drawn = figure(_LINE * (len(lines) + len({mechanism(one) for one in conditions})) + 1.5)
        axes = drawn.subplots()
        for name in conditions:
            if mechanism(name) != last:
                last = mechanism(name)
                labels.append((y, head(last), True))
                y += 1
            own = held[held["condition"] == name]
            each = []
            for number, at in enumerate(classes_in(own["at"])):
                one = own[own["at"] == at]
                hue, shape = _look(number)
                dot(axes, one, y, colour=hue, marker=shape)
                alike.setdefault(number, {})[critical(at)] = None
                labels.append((y, f"{dose(name)}, {critical(at)}", False))
                each.append(f"{critical(at)} {estimate(one, two)}")
                y += 1
            said.append(f"{told(name)}: {'; '.join(each)}.")
        for number, classes in alike.items():
            hue, shape = _look(number)
            axes.plot([], [], color=hue, marker=shape, ms=7, lw=2.2, label=", ".join(classes))
        axes.axvline(USELESS, color="black", lw=1, zorder=1, label=f"{USELESS}: no use")
        if len(singles(held)):
            axes.plot([], [], "|", ls="", color=GREY, ms=6, mew=1.1, label="one network")
        name_lines(axes, labels)
        axes.set_xlabel("AUROC of a small residual")
        legend_beneath(drawn, ncols=2, **LEGEND)
        alt = (
            "Dot plot of how well a small residual tells errors, as AUROC, by mechanism, dose and critical class, with "
            "networks as ticks and intervals between them; the two classes differ in colour; 0.5 means no use, below "
            "it errors lie farther. "
        )
        return picture(drawn, f"{alt}{' '.join(said)}", caption, "fig-nearness", held)


def _look(number: int) -> tuple[str, str]:
    """Give colour and marker of a mechanism's first class, 0, or of a further one."""
    return PALETTE[number % len(PALETTE)], MARKERS[number % len(MARKERS)]


def turned(rows: pd.DataFrame) -> str:
    """Name the conditions in which a small residual points to errors in one class and away from them in the other.

    The whole interval is above 0.5 in the one and below it in the other.

    Parameters
    ----------
    rows : as for `nearness`.

    Returns
    -------
    The conditions with their classes; "none"; "not run" where there are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> about = {"table": "panel", "metric": "residual auc", "condition": "gray/gray", "over": "models"}
    >>> below = {"at": "animal", "value": 0.45, "low": 0.41, "high": 0.49}
    >>> above = {"at": "vehicle", "value": 0.6, "low": 0.55, "high": 0.65}
    >>> turned(rows.table([below, above], **about)), turned(rows.table([below], **about)), turned(rows.empty())
    ('Shift to grey, grey images (above in vehicle, below in animal)', 'none', 'not run')
    """
    held = select(rows, table="panel", metric=METRIC)
    if held.empty:
        return NOT_RUN
    found = []
    for name in conditions_in(held["condition"]):
        mean = means(held[held["condition"] == name])
        above, below = (
            [critical(at) for at in classes_in(mean[side]["at"])]
            for side in (mean["low"] > USELESS, mean["high"] < USELESS)
        )
        if above and below:
            found.append(f"{told(name)} (above in {', '.join(above)}, below in {', '.join(below)})")
    return "; ".join(found) or "none"
