"""How diverse images are by the way that points are drawn."""

import textwrap
from collections.abc import Sequence

import pandas as pd

from mistrust.figures.ambiguity.dots import dots, told
from mistrust.figures.ambiguity.parts import in_order, words
from mistrust.figures.parts import and_so_on, by_network, some
from mistrust.figures.style import Picture, figure, legend_beneath, picture, style
from mistrust.figures.told import extremes
from mistrust.figures.written import two
from mistrust.rows import select

METRICS = ("pair distance", "pair distance, 10% quantile", "nearest neighbour", "coverage")
_METHODS = (
    "jacobian",
    "differences",
    "uniform",
    "energy",
    "jacobian transposed",
    "differences transposed",
    "uniform transposed",
    "energy transposed",
    "as published",
)


def diversity(rows: pd.DataFrame, metrics: Sequence[str] = METRICS, *, caption: str = "") -> Picture:
    """Draw measures of diversity, one panel per measure, one line per way to draw, one dot per bound of z1.

    Parameters
    ----------
    rows : rows of the chapter, with the table "diversity"; differences of two ways are left out.
    metrics : which measures, two panels side by side.

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> made = [{"method": "jacobian", "value": 0.8}, {"method": "uniform", "value": 0.5}]
    >>> drawn = diversity(rows.table(made, table="diversity", metric="coverage", level=3))
    >>> drawn.name, drawn.alt.split("(0.50). ")[1]
    ('fig-diversity', 'Coverage: Jacobian (default) 0.80 and even draw 0.50.')
    """
    held = select(rows, table="diversity", metric=list(metrics))
    held = held[~held["method"].str.contains(" minus ")]
    some(held, "diversity")
    methods = in_order(held["method"], _METHODS)
    bounds = {level: f"|z1| up to {level:g}" for level in sorted(held["level"].dropna().unique())}
    measures = [metric for metric in metrics if (held["metric"] == metric).any()]
    lines = -(-len(measures) // 2)
    said: list[str] = []
    first = ""
    with style():
        drawn = figure(lines * (0.46 * len(methods) + 0.75) + 0.4)
        panels = drawn.subplots(lines, 2 if len(measures) > 1 else 1, squeeze=False, sharey=True)
        for axes in panels.ravel()[len(measures) :]:
            axes.axis("off")
        for axes, metric in zip(panels.ravel(), measures, strict=False):
            here = held[held["metric"] == metric]
            dots(axes, here, methods, "method", bounds, "level")
            axes.set_title("\n".join(textwrap.wrap(words(metric), 19)))
            if not said:
                first = _extreme(here, methods, max(bounds, default=None), words(metric).capitalize())
            said.append(f"{words(metric).capitalize()}: {_by_method(here, methods, max(bounds, default=None))}.")
        names = ["\n".join(textwrap.wrap(words(method).removesuffix(" (as coded)"), 19)) for method in methods]
        panels[0, 0].set_yticks(range(len(methods)), names)
        handles = panels[0, 0].get_legend_handles_labels()
        legend_beneath(drawn, *handles, ncols=3, handletextpad=0, columnspacing=1)
        alt = f"Dot plots of how diverse the images are, by the way to draw{_at(bounds)}. {first}{' '.join(said)}"
        return picture(drawn, alt, caption, "fig-diversity")


def _by_method(here: pd.DataFrame, methods: list[str], bound: float | None) -> str:
    values = {method: told(here, "method", method, "level", bound) for method in methods}
    return and_so_on(f"{words(method)} {value}" for method, value in values.items() if value)


def _extreme(here: pd.DataFrame, methods: list[str], bound: float | None, title: str) -> str:
    mean = by_network(here)[0]
    mean = mean if bound is None else mean[mean["level"] == bound]
    values = {words(method): mean[mean["method"] == method]["value"].mean() for method in methods}
    return extremes(values, two, title)


def _at(bounds: dict[float, str]) -> str:
    return f"; numbers for the widest bound, |z1| up to {max(bounds):g}" if bounds else ""
