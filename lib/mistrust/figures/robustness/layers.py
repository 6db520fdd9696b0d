"""Noise at single layers: how much changes the answer, how sure the new one is, how many never change (Figure 7)."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from mistrust.figures.dots import ends
from mistrust.figures.parts import means, numbers, one_of, singles, some
from mistrust.figures.robustness.parts import ALL, in_order, of, words
from mistrust.figures.style import MARKERS, PALETTE, Picture, figure, legend_beneath, picture, style
from mistrust.figures.written import percent, two

METHODS = ("elementwise", "channel")
TITLES = {"median": "median σ", "new probability": "probability of\nthe new label", "censored": "never\nbroken, %"}
_LINE = 0.29  # inches


def layers(
    rows: pd.DataFrame, network: str | None = None, *, data: str | None = None, condition: str = ALL, caption: str = ""
) -> Picture:
    """Draw a network from its input, above, to its logits: at each layer the noise that breaks and what follows.

    Parameters
    ----------
    rows : rows of the chapter, with the table "layers" (at = layer, level = its place; method elementwise or channel;
        metrics median, broken and new probability). A median that is not reached has no row; where it is not in every
        network, the mean of the others would be too low: an open triangle at the edge stands in its place.
    network : which; None for the first.
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
    ...     {"at": "input", "level": 0, "metric": "median", "value": 0.4},
    ...     {"at": "logits", "level": 1, "metric": "broken", "value": 0.3},
    ... ]
    >>> common = {"table": "layers", "data": "mnist", "network": "vgg9-w16", "method": "channel", "seed": 0}
    >>> layers(rows.table(found, **common)).alt.partition("noise. ")[2]
    'Noise channel by channel: input median 0.40, 10% never broken; logits median not reached, 70% never broken.'
    """
    what = "noise at single layers"
    held = of(rows, "layers", what, data=data, condition=condition)
    there = in_order(held["network"])
    held = held[held["network"] == one_of(network, there, what)]
    places = held[["at", "level"]].drop_duplicates("at").sort_values("level", kind="stable")
    names, every = list(places["at"]), held
    held = told_layers(held)
    some(held, what)
    kinds = [one for one in METHODS if (held["method"] == one).any()]
    tried = (held["metric"] == "censored").any()
    metrics = [one for one in TITLES if (held["metric"] == one).any() or (one == "median" and tried)]
    with style():
        drawn = figure(_LINE * len(names) + 1.55)
        panels = drawn.subplots(1, len(metrics), squeeze=False, sharey=True)[0]
        for axes, metric in zip(panels, metrics, strict=True):
            here = held[held["metric"] == metric]
            for index, kind in enumerate(kinds):
                _line(axes, here[here["method"] == kind], names, index, 100 if metric == "censored" else 1)
            axes.set_title(TITLES[metric])
            if metric == "new probability":
                axes.set_xlim(0, 1)
                axes.set_xticks([0, 0.5, 1], ["0", ".5", "1"])
            elif metric == "censored":
                axes.set_xlim(-4, 104)
                axes.set_xticks([0, 50, 100])
            else:
                axes.set_xlim(left=0)
                axes.xaxis.set_major_locator(MaxNLocator(3, min_n_ticks=2))
                _open(axes, held, names, kinds)
        panels[0].set_yticks(range(len(names)), names, fontsize=11 if max(map(len, names)) < 12 else 10)
        panels[0].set_ylim(len(names) - 0.4, -0.6)
        for axes in panels:
            axes.tick_params(axis="y", length=0)
        for index, kind in enumerate(kinds):
            panels[0].plot([], [], marker=MARKERS[index], color=PALETTE[index], lw=2, ms=6, label=words(kind))
        if any(_unreached(held, names, kind) for kind in kinds):
            panels[0].plot([], [], ">", mfc="white", mec="#444444", mew=1.5, ms=7, ls="", label="median not reached")
        handles, texts = panels[0].get_legend_handles_labels()
        legend_beneath(drawn, handles, texts, ncols=2, columnspacing=1)
        name = words(held["network"].iloc[0])
        alt = (
            f"{len(names)} layers of {name} on {words(held['data'].iloc[0])} from input to output, each with "
            f"multiplicative noise. {' '.join(_told(held, names, kind) for kind in kinds)}"
        )
        return picture(drawn, alt, caption, "fig-layers", every)


def told_layers(held: pd.DataFrame) -> pd.DataFrame:
    """Give the rows of one network as they are drawn: medians that every training seed reached, and shares censored."""
    broken = held[held["metric"] == "broken"]
    return pd.concat([_reached(held[held["metric"] != "broken"], broken), _turned(broken)])


def _reached(held: pd.DataFrame, broken: pd.DataFrame) -> pd.DataFrame:
    """Leave out medians of layers where some network has none."""
    keys = ["method", "at"]
    tried, reached = (singles(one).groupby(keys).size() for one in (broken, held[held["metric"] == "median"]))
    lack = set(tried.index[reached.reindex(tried.index, fill_value=0) < tried])
    lacks = [key in lack for key in held[keys].itertuples(index=False, name=None)]
    return held[~((held["metric"] == "median") & np.array(lacks, dtype=bool))]


def _turned(broken: pd.DataFrame) -> pd.DataFrame:
    """Give shares that never broke, from those that broke."""
    return broken.assign(value=1 - broken["value"], low=1 - broken["high"], high=1 - broken["low"], metric="censored")


def _line(axes: Axes, found: pd.DataFrame, names: list[str], index: int, scale: float) -> None:
    """Draw one curve down the layers, with intervals; where a layer has no number it is open."""
    shift, colour = (index - 0.5) * 0.16, PALETTE[index]
    single = singles(found)
    for at, value in zip(single["at"], single["value"], strict=True):
        axes.plot(scale * value, names.index(at) + shift, ".", color=colour, ms=3, alpha=0.5, zorder=2)
    mean = means(found).drop_duplicates("at").set_index("at").reindex(names)
    y = np.arange(len(names)) + shift
    for place, one in zip(y, scale * numbers(mean[["value", "low", "high"]]), strict=True):
        axes.plot(ends(*one), [place, place], color=colour, lw=1.6, alpha=0.7, zorder=2)
    axes.plot(
        scale * numbers(mean["value"]), y, marker=MARKERS[index], color=colour, lw=1.8, ms=6, mec="white", mew=0.5
    )


def _unreached(held: pd.DataFrame, names: list[str], kind: str) -> list[str]:
    own = held[held["method"] == kind]
    reached = set(own[own["metric"] == "median"]["at"])
    return [name for name in names if name in set(own["at"]) and name not in reached]


def _open(axes: Axes, held: pd.DataFrame, names: list[str], kinds: list[str]) -> None:
    """Mark, at the edge, the layers whose median is not reached."""
    edge = axes.get_xlim()[1]
    for index, kind in enumerate(kinds):
        for name in _unreached(held, names, kind):
            axes.plot(edge, names.index(name) + (index - 0.5) * 0.16, ">", mfc="white", mec=PALETTE[index], mew=1.5,
                      ms=7, zorder=5, clip_on=False)  # fmt: skip
    axes.set_xlim(right=edge)


def _told(held: pd.DataFrame, names: list[str], kind: str) -> str:
    own = means(held[held["method"] == kind])
    values = {metric: own[own["metric"] == metric].set_index("at")["value"] for metric in TITLES}
    said = []
    for name in names:
        if name not in set(own["at"]):
            continue
        median = values["median"].get(name)
        one = "median not reached" if median is None else f"median {two(float(median))}"
        sure, never = values["new probability"].get(name), values["censored"].get(name)
        one += "" if sure is None else f", new label {two(float(sure))}"
        one += "" if never is None else f", {percent(float(never))} never broken"
        said.append(f"{name} {one}")
    return f"Noise {words(kind)}: {'; '.join(said)}."
