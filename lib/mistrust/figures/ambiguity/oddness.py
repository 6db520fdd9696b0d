"""Ambiguous, or only odd: each set as judges see it that never met an ambiguous image."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from mistrust.figures.ambiguity.parts import SETS, in_order, with_interval, words
from mistrust.figures.parts import by_network, numbers, some
from mistrust.figures.style import MARKERS, PALETTE, Picture, figure, legend_beneath, picture, style
from mistrust.rows import select


def oddness(rows: pd.DataFrame, *, across: str = "auroc density", caption: str = "") -> Picture:
    """Draw the share of ambiguous images against how odd they look, one point per set, with both intervals.

    Parameters
    ----------
    rows : rows of the chapter, with the table "oddness".
    across : the measure of oddness, an AUROC against nominal test images: "auroc density" or "auroc entropy".

    Raises
    ------
    MistrustError
        No set has both measures.

    Examples
    --------
    >>> from mistrust import rows
    >>> made = [{"metric": "auroc density", "value": 0.55}, {"metric": "ambiguous", "value": 0.6}]
    >>> oddness(rows.table(made, table="oddness", method="ambiguess")).alt.split("ambiguous. ")[1]
    'AmbiGuess: AUROC 0.55, ambiguous 60 per cent.'
    """
    found, _ = by_network(select(rows, table="oddness", metric=[across, "ambiguous"]))
    table = {metric: part.drop_duplicates("method").set_index("method") for metric, part in found.groupby("metric")}
    both = (across, "ambiguous")
    sets = [one for one in in_order(found["method"], SETS) if all(m in table and one in table[m].index for m in both)]
    some(sets, "oddness of the sets")
    said = []
    with style():
        drawn = figure(4.3)
        axes: Axes = drawn.subplots()
        for index, one in enumerate(sets):
            x, y = (numbers(table[m].loc[[one], ["value", "low", "high"]])[0] for m in both)
            look: dict[str, Any] = {"color": PALETTE[index % len(PALETTE)], "lw": 2}
            axes.plot(x[1:], 100 * y[[0, 0]], **look)
            axes.plot(x[[0, 0]], 100 * y[1:], **look)
            marker = MARKERS[index % len(MARKERS)]
            axes.plot(
                x[0], 100 * y[0], marker, color=look["color"], ms=11, mec="white", mew=0.6, label=words(one), zorder=3
            )
            share = with_interval(*(100 * y), digits=0)
            said.append(f"{words(one)}: AUROC {with_interval(*x)}, ambiguous {share} per cent.")
        axes.axvline(0.5, color="black", lw=1.2, ls="--")
        axes.set_xlim(min(0.45, *axes.get_xlim()), 1.02)
        axes.set_ylim(-2, max(50, 5 + axes.get_ylim()[1]))
        axes.set_xlabel(f"looks nominal ←  {words(across)}  → looks odd")
        axes.set_ylabel("ambiguous images (%)")
        legend_beneath(drawn, *axes.get_legend_handles_labels(), ncols=2, handletextpad=0.2, columnspacing=1)
        alt = (
            f"Scatter plot: across, {words(across)} against nominal test images, 0.5 where a set looks like them and 1 "
            f"where it is odd; up, the share of images that the judges find ambiguous. {' '.join(said)}"
        )
        return picture(drawn, alt, caption, "fig-oddness")
