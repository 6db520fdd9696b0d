"""How often the classifier is right under each fault."""

from typing import Any

import pandas as pd

from mistrust.figures.monitoring.parts import kind, name_lines, of, places_in, severities, words
from mistrust.figures.parts import and_so_on, by_network, numbers, some
from mistrust.figures.style import PALETTE, Picture, figure, legend_beneath, picture, style
from mistrust.figures.written import many

_LINE = 0.25  # inches
# From the weakest severity to the strongest; what has none is drawn as the strongest.
_LOOKS: tuple[dict[str, Any], ...] = (
    {"marker": "o", "mfc": "white"},
    {"marker": "D", "mfc": PALETTE[4]},
    {"marker": "o", "mfc": PALETTE[0]},
)


def accuracy(rows: pd.DataFrame, *, data: str | None = None, network: str | None = None, caption: str = "") -> Picture:
    """Draw the accuracy under each fault, severities in one line, beside that on nominal images.

    Parameters
    ----------
    rows : rows of the chapter, with the tables "accuracy" and "nominal".
    data, network : which image set and classifier; None for the first.

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> common = {"data": "mnist5k", "network": "farm-lenet", "method": "network", "metric": "accuracy"}
    >>> fog = common | {"table": "accuracy", "condition": "shift/fog"}
    >>> clean = common | {"table": "nominal", "condition": "nominal", "value": 0.95}
    >>> found = rows.table([clean, fog | {"level": 2, "value": 0.9}, fog | {"level": 5, "value": 0.6}])
    >>> accuracy(found).alt.partition("severity first. ")[2]
    'On nominal images 95%. Fog 90%, 60%.'
    """
    what = "accuracy under faults"
    some(rows[rows["table"] == "accuracy"], what)
    both = of(rows, ("accuracy", "nominal"), what, data=data, network=network)
    both = by_network(both[(both["method"] == "network") & (both["metric"] == "accuracy")])[0]
    held, nominal = both[both["table"] == "accuracy"], both[both["table"] == "nominal"]["value"]
    held = held[held["condition"].map(kind) != "novelty"]  # another camera's signs are no fault
    some(held, what)
    places = places_in(held)
    labels: list[tuple[float, str, bool]] = []
    said: list[str] = []
    with style():
        heads = len({kind(one) for one in places})
        drawn = figure(_LINE * (len(places) + heads) + 1.2)
        axes = drawn.subplots()
        y = 0
        for number, name in enumerate(places):
            if number == 0 or kind(name) != kind(places[number - 1]):
                labels.append((y, words(kind(name)), True))
                y += 1
            found = held[held["condition"] == name].sort_values("level")
            values = 100 * numbers(found["value"])
            axes.plot(values, [y] * len(values), color="#999999", lw=1.2, zorder=1)
            looks = _LOOKS[-1:] if len(values) == 1 else _LOOKS[:: 2 if len(values) == 2 else 1]
            for value, low, high, look in zip(values, found["low"], found["high"], looks, strict=False):
                axes.plot([100 * low, 100 * high], [y, y], color=PALETTE[0], lw=2.6, alpha=0.35, zorder=2)
                axes.plot(value, y, ls="", ms=7.5, mec=PALETTE[0], mew=1.5, zorder=3, **look)
            labels.append((y, words(name), False))
            said.append(f"{words(name)} {', '.join(f'{one:.0f}%' for one in values)}")
            y += 1
        clean = ""
        if len(nominal):
            value = 100 * float(nominal.iloc[0])
            axes.axvline(value, color="black", lw=1.4, ls="--", zorder=1)
            axes.annotate(f"nominal images: {value:.0f}", (value, -0.6), xytext=(-5, 0), textcoords="offset points",
                          ha="right" if value > 50 else "left", va="center")  # fmt: skip
            clean = f" On nominal images {value:.0f}%."
        axes.set_ylim(y - 0.4, -1.1)
        axes.set_xlim(0, 102)
        name_lines(axes, labels)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel("accuracy, %")
        if any(len(severities(held[held["condition"] == one])) > 1 for one in places):
            for look, text in ((_LOOKS[0], "weaker"), (_LOOKS[-1], "stronger")):
                axes.plot([], [], ls="", ms=7.5, mec=PALETTE[0], mew=1.5, label=text, **look)
            legend_beneath(drawn, ncols=2, handletextpad=0.2)
        alt = (
            f"Dot plot of accuracy on {words(held['data'].iloc[0])} under {many(len(places), 'fault')}, the "
            "weaker severity "
            f"first.{clean} {and_so_on(said)}."
        )
        return picture(drawn, alt, caption, "fig-accuracy")
