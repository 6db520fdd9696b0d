"""How well the rules predict the confusion of other images, and what becomes of them as images are added."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from mistrust.figures.misclassification.parts import ALL, method_title, methods_in_order
from mistrust.figures.parts import GREY, and_so_on, by_network, network_lines, numbers_at, some
from mistrust.figures.style import MARKERS, PALETTE, Picture, figure, legend_beneath, picture, style
from mistrust.rows import select


@dataclass(frozen=True)
class _Measure:
    """One panel: its head, whether it is a share shown in per cent, and whether more is better."""

    head: str
    percent: bool
    more: bool

    def write(self, value: float) -> str:
        return f"{value:.0%}" if self.percent else f"{value:.2f}"


_MEASURES = {
    "top-1 share": _Measure("top-1\nshare (%)", percent=True, more=True),
    "spearman": _Measure("Spearman's\ncorrelation", percent=False, more=True),
    "total variation": _Measure("total\nvariation", percent=False, more=False),
}


def agreement(rows: pd.DataFrame, *, condition: str = ALL, caption: str = "") -> Picture:
    """Draw how well each rule predicts the confusion of other images: one line per rule, one panel per measure.

    Parameters
    ----------
    rows : rows of the chapter, with the table "agreement". Whiskers are the rows' intervals of the mean over networks.
    condition : "perturbed/all", or "perturbed/pooled" for one matrix over all levels.

    Raises
    ------
    MistrustError
        None of the three measures has rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> common = {"table": "agreement", "condition": "perturbed/all", "metric": "top-1 share", "seed": 0}
    >>> found = rows.table([{"method": "minimum", "value": 0.7}, {"method": "marginal", "value": 0.4}], **common)
    >>> agreement(found).alt.rpartition("small dots. ")[2]
    'Top-1 share, more is better: minimum (paper) 70% and marginal (null) 40%.'
    """
    found = select(rows, table="agreement", condition=condition, metric=list(_MEASURES))
    some(found, "agreement with the confusion of other images")
    methods = methods_in_order(found)
    measures = [metric for metric in _MEASURES if (found["metric"] == metric).any()]
    said = []
    with style():
        drawn = figure(0.42 * len(methods) + 1.4)
        panels = drawn.subplots(1, len(measures), squeeze=False, sharey=True)[0]
        for axes, metric in zip(panels, measures, strict=True):
            mean, single = by_network(found[found["metric"] == metric])
            _dots(axes, mean, single, methods, _MEASURES[metric])
            said.append(_ranking(mean, methods, metric, _MEASURES[metric]))
        panels[0].set_yticks(range(len(methods)), [method_title(m) for m in methods])
        panels[0].set_ylim(len(methods) - 0.4, -0.6)
        alt = (
            "Dot plots of how well each rule predicts the confusion of other images, mean over networks with "
            f"interval, single networks as small dots. {' '.join(said)}"
        )
        return picture(drawn, alt, caption, "fig-agreement")


def growth(rows: pd.DataFrame, *, caption: str = "") -> Picture:
    """Draw what more images do: the median distance of the matrix's cells, and the share of top confusions found.

    Parameters
    ----------
    rows : rows of the chapter, with the table "growth". Bands are the rows' intervals of the mean over networks.

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> common = {"table": "growth", "method": "minimum", "metric": "median distance", "seed": 0}
    >>> found = rows.table([{"at": "n=100", "value": 0.4}, {"at": "n=5000", "value": 0.1}], **common)
    >>> growth(found).alt.partition("logarithmic. ")[2]
    'Median distance by minimum (paper): 0.4 with 100 images, 0.1 with 5,000.'
    """
    found = numbers_at(select(rows, table="growth"), "n")
    titles = {"median distance": "median distance D", "top-1 share": "top-1 share (%)"}
    measures = [metric for metric in titles if (found["metric"] == metric).any()]
    some(measures, "growth with the number of images")
    methods = methods_in_order(found)
    said = []
    with style():
        drawn = figure(2.3 * len(measures) + 0.9)
        panels = drawn.subplots(len(measures), 1, squeeze=False, sharex=True)[:, 0]
        for axes, metric in zip(panels, measures, strict=True):
            here, share = found[found["metric"] == metric], metric == "top-1 share"
            for index, method in enumerate(methods):
                look = {"colour": PALETTE[index % len(PALETTE)], "marker": MARKERS[index % len(MARKERS)]}
                label = method_title(method)
                line = here[here["method"] == method]
                mean = network_lines(axes, line, "n", percent=share, label=label, **look)
                said.append(_change(metric, label, mean, share)) if len(mean) else None
            axes.set_ylabel(titles[metric])
            axes.set_xscale("log")
            if share:
                axes.set_ylim(0, 104)
            else:
                axes.set_yscale("log")
                # Over many decades fewer ticks between, so that their numbers stay apart.
                wide = here["value"].max() > 50 * here["value"].min()
                axes.yaxis.set_major_locator(LogLocator(subs=(1, 3) if wide else (1, 2, 5)))
                axes.yaxis.set_major_formatter("{x:g}")
                axes.yaxis.set_minor_formatter(NullFormatter())
        counts = sorted(set(found["n"]))
        panels[-1].set_xticks(counts, [f"{count:,.0f}" for count in counts], rotation=45)
        panels[-1].set_xticks([], minor=True)
        panels[-1].set_xlabel("number of base images n")
        handles, labels = panels[0].get_legend_handles_labels()
        legend_beneath(drawn, handles, labels, ncols=2)
        alt = f"Line plots against the number of base images; {_scales(measures)}. {' '.join(said)}"
        return picture(drawn, alt, caption, "fig-growth")


def _dots(axes: Axes, mean: pd.DataFrame, single: pd.DataFrame, methods: list[str], measure: _Measure) -> None:
    scale = 100 if measure.percent else 1
    for y, method in enumerate(methods):
        small, large = single[single["method"] == method], mean[mean["method"] == method]
        axes.plot(scale * small["value"], np.full(len(small), y + 0.22), ".", color=GREY, ms=4)
        colour = PALETTE[1] if method == "marginal" else PALETTE[0]
        for value, low, high in scale * large[["value", "low", "high"]].to_numpy(dtype=float):
            axes.plot([low, high], [y, y], color=colour, lw=2)
            axes.plot(value, y, "D" if method == "marginal" else "o", color=colour, ms=7)
    axes.set_title(measure.head)
    axes.set_xlabel("better →" if measure.more else "← better")
    axes.xaxis.set_major_locator(MaxNLocator(3, min_n_ticks=2))
    axes.margins(x=0.12)
    axes.tick_params(axis="y", length=0)


def _ranking(mean: pd.DataFrame, methods: list[str], metric: str, measure: _Measure) -> str:
    words = []
    for method in methods:
        for _, row in mean[mean["method"] == method].iterrows():
            interval = "" if pd.isna(row["low"]) else f" ({measure.write(row['low'])} to {measure.write(row['high'])})"
            words.append(f"{method_title(method)} {measure.write(row['value'])}{interval}")
    return f"{metric.capitalize()}, {'more' if measure.more else 'less'} is better: {and_so_on(words)}."


def _scales(measures: list[str]) -> str:
    if len(measures) == 2:
        return "both axes of the upper panel are logarithmic, in the lower one only the number of images"
    return "the number of images alone is logarithmic" if "top-1 share" in measures else "both axes are logarithmic"


def _change(metric: str, label: str, mean: pd.DataFrame, share: bool) -> str:
    first, last = mean.iloc[0], mean.iloc[-1]
    low, high = (f"{row['value']:.0%}" if share else f"{row['value']:.3g}" for row in (first, last))
    return f"{metric.capitalize()} by {label}: {low} with {first['n']:,.0f} images, {high} with {last['n']:,.0f}."
