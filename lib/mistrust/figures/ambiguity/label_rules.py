"""What the rule of the labels does to the probability of a class, across the plane."""

import pandas as pd
from matplotlib.axes import Axes

from mistrust.figures.ambiguity.parts import RULES, in_order, words
from mistrust.figures.parts import network_lines, numbers_at, some
from mistrust.figures.style import PALETTE, Picture, figure, legend_beneath, picture, style
from mistrust.rows import select

_GAP = 0.25  # a test image's two probabilities differ by at most that
_DASHES = ("-", "--", ":")


def label_rules(rows: pd.DataFrame, *, caption: str = "") -> Picture:
    """Draw the probability of the first class along z1 = 0, one line per rule; labels in the grey band are ambiguous.

    Parameters
    ----------
    rows : rows of the chapter, with the table "labels"; its "share of cells", where there is one, is told too.

    Raises
    ------
    MistrustError
        There is no probability along the line.

    Examples
    --------
    >>> from mistrust import rows
    >>> made = [{"at": f"z0={z0}", "value": p} for z0, p in ((-1, 0.9), (0, 0.5), (1, 0.1))]
    >>> drawn = label_rules(rows.table(made, table="labels", metric="p first", method="softmax"))
    >>> drawn.alt.split("0.25. ")[1]
    'softmax (as coded): 0.90 at z0 = -1.00, 0.10 at z0 = 1.00, ambiguous from z0 = 0.00 to 0.00.'
    """
    held = select(rows, table="labels")
    found = numbers_at(held[held["metric"] == "p first"], "z0")
    some(found, "labels along the latent plane")
    said = []
    with style():
        drawn = figure(3.9)
        axes: Axes = drawn.subplots()
        axes.axhspan((1 - _GAP) / 2, (1 + _GAP) / 2, color="#dddddd", zorder=0, label="ambiguous")
        for index, rule in enumerate(in_order(found["method"], RULES)):
            line = found[found["method"] == rule]
            look = {"colour": PALETTE[index % len(PALETTE)], "dashes": _DASHES[index % len(_DASHES)]}
            mean = network_lines(axes, line, "z0", percent=False, label=words(rule), **look)
            said.append(_told(words(rule), mean, held[(held["method"] == rule) & (held["metric"] == "share of cells")]))
        axes.set_ylim(-0.02, 1.02)
        axes.set_xlabel("latent z0, at z1 = 0")
        axes.set_ylabel("probability, first class")
        legend_beneath(drawn, *axes.get_legend_handles_labels(), ncols=2)
        alt = (
            "Line plot of the probability of the first class between the two clusters, one line per label rule; a band "
            f"marks where the two probabilities differ by at most {_GAP}. {' '.join(said)}"
        )
        return picture(drawn, alt, caption, "fig-label-rules")


def _told(name: str, mean: pd.DataFrame, shares: pd.DataFrame) -> str:
    inside = mean.loc[(2 * mean["value"] - 1).abs() <= _GAP + 1e-9, "z0"]
    band = f"ambiguous from z0 = {inside.min():.2f} to {inside.max():.2f}" if len(inside) else "ambiguous nowhere"
    first, last = mean.iloc[0], mean.iloc[-1]
    ends = f"{first['value']:.2f} at z0 = {first['z0']:.2f}, {last['value']:.2f} at z0 = {last['z0']:.2f}"
    cells = "".join(
        f"; in {row['value']:.0%} of the plane's cells the two differ by at most {row['level']:g}"
        for _, row in shares[shares["seed"].isna()].sort_values("level").iterrows()
    )
    return f"{name}: {ends}, {band}{cells}."
