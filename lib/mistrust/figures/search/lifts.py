"""The lift of a search by mechanism, dose and critical class: a forest plot, and the verdict on each line."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, NullLocator
from numpy.typing import NDArray

from mistrust.figures.dots import name_lines
from mistrust.figures.parts import GREY, and_so_on, numbers, one_of, some
from mistrust.figures.search.judged import verdict_in_words
from mistrust.figures.search.parts import AD, conditions_in, critical, dose, head, mechanism, short, told, words
from mistrust.figures.style import MARKERS, PALETTE, Picture, figure, legend_beneath, picture, style
from mistrust.figures.written import interval, many, two
from mistrust.search.lift import LIFT, NO_LIFT, NONE, UNDECIDED
from mistrust.search.verdicts import NO_VERDICT, verdicts

_LINE = 0.36  # inches
_LIFT = ["lift", "low", "high"]
_TICKS, _FINE = (0.1, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0), (0.5, 0.8, 1.0, NO_LIFT, 2.0, 3.0)
# Lifts beyond are told and not drawn: intervals of two or three models reach anywhere.
_WIDEST = (0.2, 8.0)
_BAND = "#e8e8e8"
LEGEND = {"columnspacing": 1, "fontsize": 11, "handlelength": 1.6}
# What `shade` marks, in words.
GUIDES = f"Grey is from 1, which adds nothing, to {NO_LIFT}, below which is no lift."


def lifts(
    rows: pd.DataFrame, method: str = AD, levels: Sequence[float] | None = None, *, metric: str = "lift",
    data: str | None = None, caption: str = "",
) -> Picture:  # fmt: skip
    """Draw the lift of a search with its interval between models for each mechanism, dose and critical class.

    Parameters
    ----------
    rows : rows of the chapter, as `mistrust.search.verdicts.verdicts` reads them.
    method : the search.
    levels : numbers of queries, one mark each; None takes those of 20 and 50 that the search has rows of.
    metric : "lift" or "matched lift" (against pool members of equal confidence).
    data : which image set; None for all.

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    Five models, where pools of an SDR of 2 let one expect six errors, and seven to eleven are found:

    >>> from mistrust import rows
    >>> made, searched = [], {"table": "searches", "method": "adversarial_distance", "level": 50}
    >>> for s in range(5):
    ...     made += [{**searched, "seed": s, "metric": m, "value": v} for m, v in (("errors", 7 + s), ("expected", 3))]
    ...     made += [{"table": "panel", "seed": s, "metric": m, "value": v} for m, v in (("pool sdr", 2), ("gates", 1))]
    >>> held = rows.table(made, condition="biased/25", at="cat")
    >>> print(lifts(held, levels=[50]).alt.partition("5 models: ")[2])
    1.48 (1.19 to 1.85) at 50 queries, lift; the smallest lift that could have been shown: 1.25.
    """
    what = "lift by mechanism"
    some(rows[rows["table"] == "searches"], what)
    found = verdicts(rows, method, levels, metric=metric)
    if data is not None:
        found = found[found["data"] == one_of(data, list(dict.fromkeys(found["data"])), what)]
    some(found, what)
    levels = sorted(set(found["level"]))
    labels, at = _lines(found)
    hollow = found["verdict"] == NO_VERDICT
    with style():
        legend = -(-(len(levels) + bool(hollow.any()) + 2) // 2)  # lines
        drawn = figure(_LINE * (labels[-1][0] + 1) + 1.35 + 0.24 * legend)
        axes = drawn.subplots()
        least, most = limits(numbers(found[_LIFT]))
        for number, level in enumerate(levels):
            look = {"color": PALETTE[number], "marker": MARKERS[number]}
            shift = 0.24 * (number - (len(levels) - 1) / 2)
            own = found[found["level"] == level]
            for where, lift, verdict in zip(_panels(own), numbers(own[_LIFT]), own["verdict"], strict=True):
                mark(axes, lift, at[where] + shift, (least, most), hollow=verdict == NO_VERDICT, **look)
            axes.plot([], [], ls="-", ms=7, lw=2, label=f"{level:g} queries", **look)
        if hollow.any():
            axes.plot([], [], "o", ls="", mfc="white", mec=GREY, mew=1.5, ms=7, label="gates missed")
        shade(axes)
        name_lines(axes, labels)
        log_axis(axes, least, most)
        axes.set_xlabel(title(metric, method if metric == "lift" else ""))  # a longer name leaves the picture
        legend_beneath(drawn, ncols=2, **LEGEND)
        alt = (
            f"Forest plot of the lift of {words(method)} ({_against(metric)}), with its interval between models, by "
            f"mechanism, dose and critical class. {_counted(found, levels)} {GUIDES} "
            f"{' '.join(_told(group, name) for name, group in _groups(found))}"
        )
        return picture(drawn, alt, caption, f"fig-lifts{'-matched' if metric != 'lift' else ''}")


def _against(metric: str) -> str:
    """Say what a lift is against."""
    return "errors over those of pool members of equal confidence" if metric != "lift" else "SDR over the pool's own"


def _counted(found: pd.DataFrame, levels: Sequence[float]) -> str:
    """Say how many lines have which verdict after the most queries."""
    own = found[found["level"] == max(levels)]
    count = own["verdict"].value_counts()
    each = (f"{count[one]} {one.partition(':')[0]}" for one in (LIFT, NONE, UNDECIDED, NO_VERDICT) if one in count)
    return f"At {max(levels):g} queries, of {many(len(own), 'line')}: {and_so_on(each)}."


def title(metric: str, method: str = "") -> str:
    """Give the name of the axis of lifts."""
    what = "lift" if metric == "lift" else "lift at equal confidence"
    return f"{what} of {short(method)}" if method else what


def _groups(found: pd.DataFrame) -> list[tuple[tuple[str, str], pd.DataFrame]]:
    """Give what is found by condition and class, in order."""
    order = conditions_in(found["condition"])
    groups = found.groupby(["condition", "at"], sort=True)
    keyed = [((str(condition), str(at)), group) for (condition, at), group in groups]
    return sorted(keyed, key=lambda one: (order.index(one[0][0]), one[0][1]))


def _panels(found: pd.DataFrame) -> list[tuple[str, ...]]:
    """Give (data, network, condition, critical class) of each row."""
    return list(found[["data", "network", "condition", "at"]].itertuples(index=False, name=None))


def _lines(found: pd.DataFrame) -> tuple[list[tuple[float, str, bool]], dict[tuple[str, ...], float]]:
    """Give lines under the heads of their mechanisms, (where, name, whether a head), and the line of each panel."""
    labels: list[tuple[float, str, bool]] = []
    at: dict[tuple[str, ...], float] = {}
    y, last = 0.0, ""
    panels = list(dict.fromkeys(_panels(found)))
    several = len({(condition, name) for _, _, condition, name in panels}) < len(panels)
    for data, network, condition, name in panels:
        if mechanism(condition) != last:
            last = mechanism(condition)
            labels.append((y, head(last), True))
            y += 1
        beside = f", {words(data)}" if several else ""
        labels.append((y, f"{dose(condition)}, {critical(name)}{beside}", False))
        at[data, network, condition, name] = y
        y += 1
    return labels, at


def limits(values: NDArray[np.float64]) -> tuple[float, float]:
    """Give the ends of a logarithmic axis that holds all lifts, and their intervals as far as is sensible.

    Parameters
    ----------
    values : (k, 3) lift, low and high; NaN where there is no interval.
    """
    shown = np.concatenate([values[:, 0], np.clip(values[:, 1:].ravel(), *_WIDEST)])
    shown = shown[np.isfinite(shown) & (shown > 0)]
    return float(min(shown.min(), 0.7) / 1.08), float(max(shown.max(), 1.8) * 1.08)


def shade(axes: Axes) -> None:
    """Mark where verdicts change, and name it for a legend: an interval above 1 is a lift, one below 1.25 is none."""
    edge = {"lw": 1, "ls": (0, (4, 2))}
    axes.axvspan(1, NO_LIFT, color=_BAND, lw=0, zorder=0)
    axes.axvline(1, color="black", lw=1, zorder=1, label="1: adds nothing")
    axes.axvline(NO_LIFT, color=GREY, zorder=1, **edge)
    axes.fill([], [], fc=_BAND, ec=GREY, label=f"all below {NO_LIFT}: no lift", **edge)


def mark(
    axes: Axes, lift: NDArray[np.float64], y: float, ends: tuple[float, float], *, color: str, marker: str,
    hollow: bool = False,
) -> None:  # fmt: skip
    """Draw a lift (value, low, high) with its interval; an interval that leaves the axis ends in an arrow."""
    value, low, high = lift
    if np.isfinite(low) and np.isfinite(high):
        axes.plot([max(low, ends[0]), min(high, ends[1])], [y, y], color=color, lw=2, solid_capstyle="butt", zorder=2)
        for beyond, x, arrow in ((low < ends[0], ends[0], "<"), (high > ends[1], ends[1], ">")):
            if beyond:
                axes.plot(x, y, arrow, color=color, ms=6, mec="none", clip_on=False, zorder=2)
    axes.plot(value, y, marker, mfc="white" if hollow else color, mec=color if hollow else "white",
              mew=1.5 if hollow else 0.6, ms=7.5, zorder=3)  # fmt: skip


def log_axis(axes: Axes, least: float, most: float) -> None:
    """Make the axis across a logarithmic one with ticks that a reader knows."""
    axes.set_xscale("log")
    axes.set_xlim(least, most)
    ticks = _FINE if most / least < 3.5 else _TICKS
    axes.xaxis.set(
        major_locator=FixedLocator([one for one in ticks if least <= one <= most]),
        minor_locator=NullLocator(),
        major_formatter="{x:g}",
    )


def _told(group: pd.DataFrame, name: tuple[str, str]) -> str:
    condition, at = name
    said = [
        f"{interval(*lift)} at {level:g} queries, {verdict_in_words(verdict, lift[2])}"
        for lift, level, verdict in zip(numbers(group[_LIFT]), group["level"], group["verdict"], strict=True)
    ]
    least, missed = numbers(group["smallest"])[-1], str(group["missed"].iloc[0])
    count, *others = group["models"].astype(int)
    models = f"{count} models" if count > 1 else "one model"
    if set(others) - {count}:  # a pool may be too small for so many queries
        later = zip(others, group["level"][1:], strict=True)
        models += f" ({and_so_on([f'{n} at {level:g} queries' for n, level in later])})"
    shown = f"; the smallest lift that could have been shown: {two(least)}" if np.isfinite(least) else ""
    lacking = f"; gates missed: {missed.replace('; ', ', ')}" if missed else ""
    return f"{told(condition)}, {critical(at)}, {models}: {'; '.join(said)}{shown}{lacking}."
