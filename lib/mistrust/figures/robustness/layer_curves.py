"""Noise at single layers of several networks side by side, from input to logits (the paper's Figure 7)."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from mistrust.figures.parts import means, numbers, some
from mistrust.figures.robustness.layers import METHODS, TITLES, told_layers
from mistrust.figures.robustness.parts import ALL, of, wanted, words
from mistrust.figures.style import MARKERS, PALETTE, Picture, figure, legend_beneath, picture, style
from mistrust.figures.written import many, percent, two

_LINE = 1.55  # inches


def layer_curves(
    rows: pd.DataFrame,
    networks: Sequence[str] | None = None,
    *,
    data: str | None = None,
    condition: str = ALL,
    caption: str = "",
) -> Picture:
    """Draw one column per network: the median sigma, how sure the new answer is, and the share censored.

    Across goes a layer's place, 0 for the input and 1 for the logits: depths of several networks on one scale, without
    the names that `layers` gives of one. A median that some training seed does not reach leaves a gap in its curve.

    Parameters
    ----------
    rows : as for `layers`.
    networks : which; None for the first of each family.
    data, condition : which image set (None for the first) and training variant.

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [
    ...     {"at": "input", "level": 0, "metric": "broken", "value": 0.9},
    ...     {"at": "logits", "level": 1, "metric": "broken", "value": 0.3},
    ...     {"at": "input", "level": 0, "metric": "new probability", "value": 0.45},
    ... ]
    >>> common = {"table": "layers", "data": "mnist", "network": "vgg9-w16", "method": "elementwise", "seed": 0}
    >>> layer_curves(rows.table(found, **common)).alt.partition("logits. ")[2]
    "VGG-9 w16, element by element: new label's probability 0.45 to 0.45, never broken 10% to 70%."
    """
    what = "noise at single layers"
    held = of(rows, "layers", what, data=data, condition=condition)
    names = wanted(networks, held["network"], what)
    here = words(held["data"].iloc[0])
    found = {name: told_layers(held[held["network"] == name]) for name in names}
    some(pd.concat(found.values()), what)
    said = []
    with style():
        drawn = figure(_LINE * len(TITLES) + 1.1)
        panels = drawn.subplots(len(TITLES), len(names), squeeze=False, sharex=True, sharey="row")
        for line, (metric, title) in zip(panels, TITLES.items(), strict=True):
            for axes, name in zip(line, names, strict=True):
                own = found[name][found[name]["metric"] == metric]
                for index, kind in enumerate(METHODS):
                    _curve(axes, own[own["method"] == kind], found[name], index, 100 if metric == "censored" else 1)
            line[0].set_ylabel(title, fontsize=11)
            _scale(line[0], metric)
        for axes, name in zip(panels[0], names, strict=True):
            axes.set_title("\n".join(words(name).rsplit(" ", 1)), fontsize=11)
        for axes in panels[-1]:
            axes.set_xticks([0, 1], ["input", "logits"], fontsize=9)
            for tick, side in zip(axes.get_xticklabels(), ("left", "right"), strict=True):
                tick.set_horizontalalignment(side)
            axes.set_xlim(-0.12, 1.12)
        for name in names:
            said += [told for kind in METHODS if (told := _told(name, found[name], kind))]
        handles, texts = panels[-1][0].get_legend_handles_labels()
        legend_beneath(drawn, handles, texts, ncols=2, columnspacing=1)
        alt = (
            f"Curves over the layers of {many(len(names), 'network')} on {here}, with multiplicative noise at "
            "one layer at a "
            f"time, from input to logits. {' '.join(said)}"
        )
        return picture(drawn, alt, caption, "fig-layer-curves")


def _curve(axes: Axes, own: pd.DataFrame, all_of: pd.DataFrame, index: int, scale: float) -> None:
    """Draw one kind of noise, open where a layer has no number."""
    places = np.unique(numbers(all_of["level"]))
    mean = means(own).drop_duplicates("level").set_index("level").reindex(places)
    low, high = scale * numbers(mean["low"]), scale * numbers(mean["high"])
    axes.fill_between(places, low, high, color=PALETTE[index], alpha=0.15, lw=0)
    axes.plot(places, scale * numbers(mean["value"]), marker=MARKERS[index], color=PALETTE[index], lw=1.5, ms=4,
              mec="white", mew=0.4, label=words(METHODS[index]))  # fmt: skip


def _scale(axes: Axes, metric: str) -> None:
    if metric == "censored":
        axes.set_ylim(-4, 104)
    elif metric == "new probability":
        axes.set_ylim(0, 1)
    else:
        axes.set_ylim(bottom=0)


def _told(name: str, found: pd.DataFrame, kind: str) -> str:
    """Say from where to where each curve goes; nothing of a kind without rows."""
    own = means(found[found["method"] == kind])
    spans = []
    for metric, title, write in (
        ("median", "median σ", two), ("new probability", "new label's probability", two),
        ("censored", "never broken", percent),
    ):  # fmt: skip
        values = numbers(own[own["metric"] == metric]["value"])
        if len(values):
            spans.append(f"{title} {write(float(values.min()))} to {write(float(values.max()))}")
    return f"{words(name)}, {words(kind)}: {', '.join(spans)}." if spans else ""
