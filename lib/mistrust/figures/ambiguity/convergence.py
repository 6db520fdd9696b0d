"""How fast and how small plain autoencoders of two classes are, beside those of all."""

import pandas as pd
from matplotlib.ticker import NullLocator

from mistrust.figures.parts import network_lines, some
from mistrust.figures.style import PALETTE, Picture, figure, legend_beneath, picture, style
from mistrust.rows import select

_PANELS = {"rebuilt by step": "steps of 128 images", "rebuilt by size": "parameters"}
_LINES = {"two classes": "-", "all classes": "--"}


def convergence(rows: pd.DataFrame, *, caption: str = "") -> Picture:
    """Draw the share of variance that is rebuilt, by steps and by the number of parameters.

    Parameters
    ----------
    rows : rows of the chapter, with the table "convergence".

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> step = [{"metric": "rebuilt by step", "level": k, "value": v} for k, v in ((0, 0.0), (10, 0.3), (20, 0.4))]
    >>> size = [{"metric": "rebuilt by size", "level": k, "value": v} for k, v in ((9000, 0.3), (99000, 0.4))]
    >>> made = rows.table([*step, *size], table="convergence", condition="two classes")
    >>> convergence(made).alt.split("classes. ")[1]
    'Rebuilt share, two classes: 40% after 20 steps; 30% with 9,000 parameters, 40% with 99,000.'
    """
    held = select(rows, table="convergence", metric=list(_PANELS))
    some(held, "how autoencoders of two classes and of all learn")
    with style():
        drawn = figure(3.3)
        panels = drawn.subplots(1, 2, sharey=True)
        for axes, (metric, label) in zip(panels, _PANELS.items(), strict=True):
            for (name, dashes), colour in zip(_LINES.items(), PALETTE, strict=False):
                line = held[(held["metric"] == metric) & (held["condition"] == name)].sort_values("level")
                if len(line):
                    network_lines(axes, line, "level", percent=True, label=name, colour=colour, dashes=dashes)
            axes.set_xlabel(label)
        sizes = sorted(held.loc[held["metric"] == "rebuilt by size", "level"].unique())[::2]
        panels[1].set_xscale("log")
        panels[1].set_xticks(sizes, [f"{size / 1000:,.0f}k" for size in sizes])
        panels[1].xaxis.set_minor_locator(NullLocator())
        panels[0].set_ylim(bottom=0)
        panels[0].set_ylabel("variance rebuilt (%)")
        legend_beneath(drawn, *panels[0].get_legend_handles_labels(), ncols=2)
        alt = (
            "Line plots of the share of the images' variance that plain autoencoders rebuild, by steps and by "
            f"parameters, of two classes and of all classes. Rebuilt share, {'; '.join(_told(held))}."
        )
        return picture(drawn, alt, caption, "fig-convergence")


def _told(held: pd.DataFrame) -> list[str]:
    said = []
    for name in _LINES:
        own = held[held["condition"] == name].sort_values("level")
        steps, sizes = (own[own["metric"] == metric] for metric in _PANELS)
        if len(steps) and len(sizes):
            last, (small, large) = steps.iloc[-1], (sizes.iloc[place] for place in (0, -1))
            said.append(
                f"{name}: {last['value']:.0%} after {last['level']:,.0f} steps; {small['value']:.0%} with "
                f"{small['level']:,.0f} parameters, {large['value']:.0%} with {large['level']:,.0f}"
            )
    return said
