"""The stronger a corruption, the easier it is detected, and the less the classifier is right."""

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from mistrust.figures.parts import and_so_on, some
from mistrust.figures.style import MARKERS, PALETTE, Picture, figure, legend_beneath, picture, style
from mistrust.figures.supervisors.parts import in_order, of, of_network, reach, short, words
from mistrust.figures.written import many

# One of every family.
METHODS = ("max_softmax", "mc_mean_softmax", "ensemble_mean_softmax", "dissector", "dsa", "autoencoder")


def severity(
    rows: pd.DataFrame, methods: Sequence[str] = METHODS, *, data: str | None = None, caption: str = ""
) -> Picture:
    """Draw the mean AUROC over corruptions against their severity, and the classifier's accuracy.

    Corruptions of fewer severities than others have are left out: else a mean would be of other corruptions at one
    severity than at the next.

    Parameters
    ----------
    rows : rows of the chapter, with the table "severity".
    methods : which supervisors; those without rows are left out.
    data : which image set; None for the first.

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [
    ...     {"method": "dsa", "metric": "auroc", "level": 1, "value": 0.6},
    ...     {"method": "dsa", "metric": "auroc", "level": 5, "value": 0.9},
    ...     {"metric": "accuracy", "level": 1, "value": 0.95},
    ...     {"metric": "accuracy", "level": 5, "value": 0.5},
    ... ]
    >>> made = severity(rows.table(found, table="severity", condition="corrupted/fog", data="mnist"))
    >>> made.alt.partition("MNIST. ")[2]
    "AUROC from the least to the greatest severity: DSA 0.60 to 0.90. The classifier's accuracy goes from 0.95 to 0.50."
    """
    every = of(rows, "severity", "severities of corruptions", data=data)
    reached = every.groupby("condition")["level"].transform("nunique")
    held = every[reached == reached.max()]
    means = held.groupby(["metric", "method", "level"])["value"].mean()
    there = in_order(set(methods) & set(held[held["metric"] == "auroc"]["method"]))
    some(there, "severities of corruptions")
    said = []
    with style():
        drawn = figure(4.6)
        axes = drawn.subplots()
        for index, name in enumerate(there):
            line = means["auroc", name]
            look = {"color": PALETTE[index % len(PALETTE)], "marker": MARKERS[index % len(MARKERS)]}
            axes.plot(line.index, line, lw=2, ms=6, label=short(name), **look)
            said.append(f"{words(name)} {line.iloc[0]:.2f} to {line.iloc[-1]:.2f}")
        accuracy = ""
        if "accuracy" in means.index.get_level_values("metric"):
            line = means["accuracy", ""]
            axes.plot(line.index, line, "--", color="black", lw=2, label="accuracy")
            accuracy = f" The classifier's accuracy goes from {line.iloc[0]:.2f} to {line.iloc[-1]:.2f}."
        levels = sorted(set(held["level"]))
        axes.set_xticks(levels)
        axes.set_xlabel("severity")
        axes.set_ylabel("AUROC; accuracy")
        axes.set_ylim(top=1.01)
        legend_beneath(drawn, ncols=2, columnspacing=1)
        count, others = (frame["condition"].nunique() for frame in (held, every[reached < reached.max()]))
        left = f" that have all of them, leaving out {others} with fewer" if others else ""
        alt = (
            f"Line plot over severities {levels[0]:.0f} to {levels[-1]:.0f}, mean of {many(count, 'corruption')} of "
            f"{words(held['data'].iloc[0])}{left}. AUROC from the least to the greatest severity: {and_so_on(said)}."
            f"{accuracy}"
        )
        made = picture(drawn, alt, f"{caption} {_behind(held, there)}".strip(), "fig-severity")
        return replace(made, shown=of_network(held))


def _behind(held: pd.DataFrame, methods: Sequence[str]) -> str:
    """How many images the lines rest on, and how sure each corruption of a line is, where rows say it."""
    if held["n"].isna().all():
        return ""
    told = f"{int(held['n'].max()):,} images; the means have no interval."
    scored = held[(held["metric"] == "auroc") & held["method"].isin(methods)]
    if scored["low"].isna().all():
        return told
    to = reach(scored)
    return f"{told} The interval of one corruption's AUROC reaches up to {to} from it (a bound, so rather too wide)."
