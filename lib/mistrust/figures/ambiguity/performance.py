"""What classifiers make of the sets: the paper's Table I as a picture, with each set's own ceiling."""

import textwrap

import pandas as pd

from mistrust.errors import MistrustError
from mistrust.figures.ambiguity.dots import dots, told
from mistrust.figures.ambiguity.parts import SETS, in_order, words
from mistrust.figures.parts import and_so_on, by_network, some
from mistrust.figures.style import Picture, figure, legend_beneath, picture, style
from mistrust.figures.told import extremes
from mistrust.rows import select

_METRICS = {"top-1": "top-1 (%)", "top-2": "top-2 (%)", "top-pair": "top-pair (%)"}
_CONDITIONS = ("nominal", *(f"ambiguous/{one}" for one in SETS))


def performance(rows: pd.DataFrame, *, network: str = "all", caption: str = "") -> Picture:
    """Draw top-1, top-2 and top-pair by test set and training; a dashed mark is the best top-1 that the labels allow.

    Parameters
    ----------
    rows : rows of the chapter, with the table "performance"; the ceilings come from the table "sets" and may be
        missing.
    network : which architecture; "all" is the mean over them, or the only one that there is.

    Raises
    ------
    MistrustError
        There are no such rows; none of that architecture.

    Examples
    --------
    >>> from mistrust import rows
    >>> made = [{"condition": "nominal", "value": 0.985}, {"condition": "ambiguous/ambiguess", "value": 0.53}]
    >>> made = rows.table(made, table="performance", metric="top-1", method="mixed", network="all")
    >>> performance(made).alt.split("(53.0). ")[1]
    'top-1: nominal after mixed training 98.5 and AmbiGuess after mixed training 53.0.'
    >>> performance(made, network="lenet")
    Traceback (most recent call last):
    mistrust.errors.MistrustError: There is no performance of network 'lenet'; there are all.
    """
    held = select(rows, table="performance", metric=list(_METRICS))
    some(held, "performance")
    there = list(dict.fromkeys(held["network"]))
    chosen = there[0] if network == "all" and len(there) == 1 else network
    if chosen not in there:
        raise MistrustError(f"There is no performance of network '{network}'; there are {', '.join(there)}.")
    found = held[held["network"] == chosen]
    found = found.assign(**{column: 100 * found[column] for column in ("value", "low", "high")})
    ceilings = select(rows, table="sets", condition="test", metric="largest probability")
    best = {f"ambiguous/{m}": 100 * v for m, v in ceilings.groupby("method")["value"].mean().items()}
    conditions = in_order(found["condition"], _CONDITIONS)
    series: dict[object, str] = {m: words(m) for m in in_order(found["method"], ("mixed", "clean"))}
    measures = [metric for metric in _METRICS if (found["metric"] == metric).any()]
    said = []
    with style():
        drawn = figure(0.62 * len(conditions) + 1.3)
        panels = drawn.subplots(1, len(measures), squeeze=False, sharey=True)[0]
        for axes, metric in zip(panels, measures, strict=True):
            here = found[found["metric"] == metric]
            dots(axes, here, conditions, "condition", series, "method")
            if metric == "top-1":
                marked = {condition: best[condition] for condition in conditions if condition in best}
                for y, condition in enumerate(conditions):
                    if condition in marked:
                        axes.plot([marked[condition]] * 2, [y - 0.42, y + 0.42], "k--", lw=1.6, zorder=2.2)
                if marked:
                    axes.plot([], [], "k--", lw=1.6, label="best possible")
                    each = and_so_on(f"{words(c)} {value:.1f}" for c, value in marked.items())
                    said.append(f"Best possible top-1: {each}.")
            axes.set_title(_METRICS[metric])
            axes.set_xlim(-4, 104)
            axes.set_xticks([0, 50, 100])
            for tick, side in zip(axes.get_xticklabels(), ("left", "center", "right"), strict=True):
                tick.set_horizontalalignment(side)
            said.append(f"{metric}: {_by_condition(here, conditions, series)}.")
        names = ["\n".join(textwrap.wrap(words(one), 13)) for one in conditions]
        panels[0].set_yticks(range(len(conditions)), names)
        handles = panels[0].get_legend_handles_labels()
        legend_beneath(drawn, *handles, ncols=3, handletextpad=0.3, columnspacing=1)
        first = _extreme(found[found["metric"] == measures[0]], measures[0], series)
        alt = f"Dot plots of how often classifiers are correct, in per cent, {words(chosen)}. {first}{' '.join(said)}"
        return picture(drawn, alt, caption, "fig-performance")


def _extreme(here: pd.DataFrame, metric: str, series: dict[object, str]) -> str:
    mean = by_network(here)[0]
    values = {
        f"{words(str(one['condition']))} after {series[one['method']]}": float(one["value"])
        for one in mean.to_dict("records")
    }
    return extremes(values, "{:.1f}".format, metric.capitalize())


def _by_condition(here: pd.DataFrame, conditions: list[str], series: dict[object, str]) -> str:
    parts: list[str] = []
    for condition in conditions:
        for method, name in series.items():
            value = told(here, "condition", condition, "method", method, 1)
            parts += [f"{words(condition)} after {name} {value}"] if value else []
    return and_so_on(parts)
