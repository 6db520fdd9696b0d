"""The sets of novelty with signs as JPEG and with all fitted anew on such, beside the sets as they are."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from mistrust.figures.monitoring.parts import data_in, words
from mistrust.figures.parts import and_so_on, some
from mistrust.figures.style import MARKERS, PALETTE, Picture, figure, picture, style
from mistrust.monitoring.experiment.compressed import ANEW, LOSSLESS, TABLE, TESTED
from mistrust.rows import select

_WHAT = "sets of novelty with compressed signs"
BY = ["data", "condition", "network", "method"]
STATES = {TESTED: "signs as JPEG", ANEW: "all fitted anew on JPEG"}
METRICS = ("auroc", "fpr95")


def repeat(rows: pd.DataFrame, *, caption: str = "") -> Picture:
    """Draw how AUROC of every monitor changes where signs are JPEG, a panel for each way of that.

    Parameters
    ----------
    rows : rows of the chapter, with the table "compressed": one row per run.

    Returns
    -------
    Picture
        AUROC of the sets as they are across, the change up; a dot is a monitor on a classifier, in the mean over runs.

    Raises
    ------
    NoRows
        There are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> common = {"table": "compressed", "data": "gtsrb-thin", "network": "farm-lenet", "metric": "auroc", "seed": 0.0}
    >>> found = [{"at": "signs as they are", "value": 0.8}, {"at": "signs as JPEG", "value": 0.7}]
    >>> given = rows.table(found, method="odin", condition="novelty/CIFAR-10", **common)
    >>> repeat(given).alt.partition("median change: ")[2]
    '-0.100 (CIFAR-10 as novelty for GTSRB, thinned).'
    """
    found = changes(rows)
    found = found[found["metric"].eq("auroc")]
    some(found, _WHAT)
    states = [one for one in STATES if one in set(found["at"])]
    sets = list(dict.fromkeys(zip(found["data"], found["condition"], strict=True)))
    with style():
        drawn = figure(2.1 * len(states) + 0.9 + 0.25 * len(sets))
        panels = drawn.subplots(len(states), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
        for axes, state in zip(panels, states, strict=True):
            _panel(axes, found[found["at"] == state], sets)
            axes.set_title(_start(STATES[state]), loc="left")
            axes.set_ylabel("change")
        panels[-1].set_xlabel("AUROC with signs as they are")
        handles, labels = panels[0].get_legend_handles_labels()
        drawn.legend(handles, labels, loc="outside lower left", frameon=False)
        told = ". ".join(f"{_start(STATES[one])}, median change: {_told(found[found['at'] == one])}" for one in states)
        alt = (
            "Scatter plot of the change in AUROC of novelty sets against AUROC with signs as they are, one dot per "
            f"monitor and classifier, means over runs. {told}."
        )
        return picture(drawn, alt, caption, "fig-repeat")


def changes(rows: pd.DataFrame) -> pd.DataFrame:
    """Give AUROC and FPR at 95% TPR of the novelty sets with compressed signs, beside those of the sets as they are.

    Parameters
    ----------
    rows : rows of the chapter, with the table "compressed".

    Returns
    -------
    One line per monitor, classifier, set, metric and state of the signs (`at`), in the mean over runs that have both:
    "data", "condition", "network", "method", "at", "metric", "runs", "before", "after", "change", and "scatter": the
    standard deviation of "before" over runs, NaN of one alone. None where nothing was run.

    Examples
    --------
    >>> from mistrust import rows
    >>> common = {"table": "compressed", "data": "gtsrb-thin", "network": "farm-lenet", "metric": "auroc", "seed": 0.0}
    >>> found = [{"at": "signs as they are", "value": 0.8}, {"at": "fitted on JPEG", "value": 0.75}]
    >>> given = rows.table(found, method="odin", condition="novelty/CIFAR-10", **common)
    >>> changes(given)[["at", "runs", "before", "after"]].to_dict("records")
    [{'at': 'fitted on JPEG', 'runs': 1, 'before': 0.8, 'after': 0.75}]
    """
    held = select(rows, table=TABLE, metric=METRICS)
    held = held[held["seed"].notna()]
    keys = [*BY, "metric", "seed"]
    before = held[held["at"] == LOSSLESS][[*keys, "value"]]
    after = held[held["at"].isin(list(STATES))][[*keys, "at", "value"]]
    both = after.merge(before, on=keys, suffixes=(" after", " before"))
    found = both.groupby([*BY, "at", "metric"], sort=False).agg(
        runs=("seed", "nunique"),
        before=("value before", "mean"),
        after=("value after", "mean"),
        scatter=("value before", "std"),
    )
    return _in_order(found.reset_index().assign(change=lambda one: one["after"] - one["before"]))


def repeat_summary(rows: pd.DataFrame) -> pd.DataFrame:
    """Sum the changes up: one line per set of novelty and state of the signs, over all monitors and classifiers.

    Parameters
    ----------
    rows : rows of the chapter, with the table "compressed".

    Returns
    -------
    In words: "nominal", "novelty", "signs", "cases", and of AUROC and FPR at 95% TPR the median change with the least
    and the greatest, and in how many it rises. None where nothing was run.

    Examples
    --------
    >>> from mistrust import rows
    >>> common = {"table": "compressed", "data": "gtsrb-thin", "network": "farm-lenet", "metric": "auroc", "seed": 0.0}
    >>> found = [{"at": "signs as they are", "value": 0.8}, {"at": "fitted on JPEG", "value": 0.75}]
    >>> given = rows.table(found, method="odin", condition="novelty/CIFAR-10", **common)
    >>> repeat_summary(given).iloc[0, 1:].tolist()
    ['CIFAR-10', 'all fitted anew on JPEG', '1', '-0.050 (-0.050 to -0.050)', '0', 'not run', 'not run']
    """
    lines = []
    for (data, condition, at), own in changes(rows).groupby(["data", "condition", "at"], sort=False):
        line = {"nominal": words(str(data)), "novelty": words(str(condition)), "signs": STATES[str(at)]}
        line["cases"] = str(own.groupby(["network", "method"]).ngroups)
        for metric, title in zip(METRICS, ("AUROC", "FPR at 95% TPR"), strict=True):
            change = own.loc[own["metric"] == metric, "change"]
            line[f"change in {title}"] = _spread(change) if len(change) else "not run"
            line[f"{title} rises in"] = str(int((change > 0).sum())) if len(change) else "not run"
        lines.append(line)
    return pd.DataFrame(lines)


def repeat_table(rows: pd.DataFrame, methods: Sequence[str]) -> pd.DataFrame:
    """Lay AUROC and FPR at 95% TPR of some monitors side by side, "AUROC / FPR", a column for each state of the signs.

    Parameters
    ----------
    rows : rows of the chapter, with the table "compressed".
    methods : whose.

    Returns
    -------
    One line per monitor, classifier and set, in words; "–" where a state does not arise. None where nothing was run.

    Examples
    --------
    >>> from mistrust import rows
    >>> common = {"table": "compressed", "data": "gtsrb-thin", "network": "farm-lenet", "seed": 0.0}
    >>> states = {"signs as they are": (0.8, 0.6), "signs as JPEG": (0.7, 0.65)}
    >>> found = [{"at": at, "metric": metric, "value": value} for at, both in states.items()
    ...          for metric, value in zip(("auroc", "fpr95"), both)]
    >>> given = rows.table(found, method="odin", condition="novelty/CIFAR-10", **common)
    >>> repeat_table(given, ["odin"]).iloc[0, 4:].tolist()
    ['0.800 / 0.600', '0.700 / 0.650', '–']
    """
    found = changes(rows)
    lines = []
    for key, own in found[found["method"].isin(methods)].groupby(BY, sort=False):
        line = dict(zip(("nominal", "novelty", "classifier", "monitor"), map(words, key), strict=True))
        line |= {"signs as they are": _both(own.drop_duplicates("metric"), "before")}
        lines.append(line | {title: _both(own[own["at"] == at], "after") for at, title in STATES.items()})
    return pd.DataFrame(lines)


def repeat_words(rows: pd.DataFrame) -> str:
    """Say how AUROC of the novelty sets changes in each state, and how far networks differ by themselves.

    Parameters
    ----------
    rows : rows of the chapter, with the table "compressed"; where there are none, that is what is said.

    Examples
    --------
    >>> from mistrust import rows
    >>> common = {"table": "compressed", "data": "gtsrb-thin", "network": "farm-lenet", "metric": "auroc", "seed": 0.0}
    >>> found = [{"at": "signs as they are", "value": 0.8}, {"at": "signs as JPEG", "value": 0.7}]
    >>> given = rows.table(found, method="odin", condition="novelty/CIFAR-10", **common)
    >>> repeat_words(given).partition(" as novelty")[0]
    'With signs as JPEG, AUROC changes by -0.100 (CIFAR-10'
    """
    found = changes(rows)
    found = found[found["metric"].eq("auroc")]
    if found.empty:
        return "The repeat was not run."
    said = [
        f"With {title}, AUROC changes by {_told(found[found['at'] == at])}."
        for at, title in STATES.items()
        if at in set(found["at"])
    ]
    runs = found["runs"].astype(int)
    networks = and_so_on(map(words, dict.fromkeys(found["network"])))
    many = str(runs.max()) if runs.min() == runs.max() else f"{runs.min()} to {runs.max()}"
    said.append(f"These are medians over monitors of {networks}, with {many} run{'s' * (many != '1')} each.")
    apart = found.drop_duplicates(BY)["scatter"].dropna()
    if apart.empty:
        said.append("One run does not show how far networks differ by themselves.")
    else:
        said.append(
            f"Between networks, AUROC with signs as they are has a standard deviation of {apart.median():.3f} (median "
            f"over {len(apart)} combinations of monitor and set)."
        )
    return " ".join(said)


def _told(found: pd.DataFrame) -> str:
    """How AUROC changes in one state, set by set."""
    return and_so_on(
        f"{_signed(own['change'].median())} ({words(str(condition))} as novelty for {words(str(data))})"
        for (data, condition), own in found.groupby(["data", "condition"], sort=False)
    )


def _spread(change: "pd.Series[float]") -> str:
    """The median, and the least and the greatest."""
    median, least, most = (float(one) for one in (change.median(), change.min(), change.max()))
    return f"{_signed(median)} ({_signed(least)} to {_signed(most)})"


def _signed(value: float) -> str:
    return f"{round(value, 3) + 0.0:+.3f}"  # no -0.000


def _both(own: pd.DataFrame, column: str) -> str:
    values = own.set_index("metric")[column]
    return " / ".join(f"{values[one]:.3f}" if one in values else "not run" for one in METRICS) if len(values) else "–"


def _start(title: str) -> str:
    return title[0].upper() + title[1:]


def _in_order(found: pd.DataFrame) -> pd.DataFrame:
    """The paper's image sets first, then what rows call things, so that it is no matter in which order they come."""
    place = found["data"].map(data_in(found).index)
    state = found["at"].map(list(STATES).index)
    order = ["place", *BY, "state", "metric"]
    return found.assign(place=place, state=state).sort_values(order).drop(columns=["place", "state"])


def _panel(axes: Axes, found: pd.DataFrame, sets: Sequence[tuple[Any, Any]]) -> None:
    """Draw the dots of one state; the legend names every set, those of other panels, too."""
    axes.axhline(0, color="black", lw=1)
    for place, (data, condition) in enumerate(sets):
        own = found[(found["data"] == data) & (found["condition"] == condition)]
        label = f"{words(str(data))}: {words(str(condition))} as novelty"
        axes.plot(own["before"], own["change"], MARKERS[place], color=PALETTE[place], ms=5, alpha=0.75, label=label)
