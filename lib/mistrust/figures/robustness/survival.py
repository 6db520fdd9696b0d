"""How many labels survive noise of rising strength, family by family."""

import numpy as np
import pandas as pd

from mistrust.figures.parts import GREY, and_so_on, means, network_lines, numbers, singles, some
from mistrust.figures.robustness.parts import (
    ALL,
    FAMILIES,
    OTHER,
    RIGHT,
    family,
    family_title,
    in_order,
    layers_of,
    of,
    words,
)
from mistrust.figures.style import PALETTE, Picture, figure, picture, style
from mistrust.figures.written import many, plain

_COLOURS = (PALETTE[5], PALETTE[0], PALETTE[4], PALETTE[1], PALETTE[6], PALETTE[3])
_DASHES = ("-", "-", "--", "--", ":", ":")


def survival(
    rows: pd.DataFrame, *, method: str = RIGHT, data: str | None = None, condition: str = ALL, caption: str = ""
) -> Picture:
    """Draw the share of labels that survive noise: one panel per family, its networks in colour, others in grey.

    Parameters
    ----------
    rows : rows of the chapter, with the table "survival" (level = sigma in grey levels). Bands are the rows' intervals
        of the mean over seeds.
    method : the variant of noise.
    data, condition : which image set (None for the first) and training variant.

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [{"level": 0, "value": 1}, {"level": 64, "value": 0.8}, {"level": 128, "value": 0.3}]
    >>> common = {"table": "survival", "metric": "surviving", "method": "fixed-clipped"}
    >>> made = survival(rows.table(found, data="mnist", network="vgg9-w16", **common))
    >>> made.alt.partition("family. ")[2]
    'Half of the labels are changed at: VGG-9 w16 128.'
    """
    held = of(rows, "survival", "survival of labels", data=data, condition=condition, method=method)
    held = held[held["level"].notna()]
    some(held, "survival of labels")
    names = in_order(held["network"])
    families = [one for one in (*FAMILIES, OTHER) if one in set(map(family, names))]
    mean = {name: means(held[held["network"] == name]).sort_values("level") for name in names}
    columns = min(2, len(families))
    lines = -(-len(families) // columns)
    most = max(sum(family(n) == f for n in names) for f in families)
    with style():
        drawn = figure(lines * (1.9 + 0.2 * most) + 0.5)
        panels = drawn.subplots(lines, columns, squeeze=False, sharex=True, sharey=True).ravel()
        for axes, one in zip(panels, families, strict=False):
            own = [name for name in names if family(name) == one]
            for name in (n for n in names if n not in own):
                axes.plot(mean[name]["level"], 100 * mean[name]["value"], color="#cccccc", lw=0.9, zorder=1)
            for index, name in enumerate(own):
                found = pd.concat([mean[name], singles(held[held["network"] == name])])
                shown = {"colour": _COLOURS[index % 6], "dashes": _DASHES[index % 6]}
                network_lines(axes, found, "level", label=layers_of(name), **shown)
            axes.axhline(50, color=GREY, lw=0.9, ls=(0, (2, 2)), zorder=1)
            axes.set_title(family_title(one), weight="bold")
            axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.02 if _above(panels, axes, columns, len(families))
                        else -0.17), ncols=1, frameon=False, fontsize=10.5, handlelength=1.8, labelspacing=0.2,
                        borderaxespad=0.3)  # fmt: skip
            axes.set_ylim(0, 102)
            axes.set_xlim(left=0)
        for axes in panels[len(families) :]:
            axes.axis("off")
        drawn.supylabel("labels unchanged, %", fontsize=12)
        drawn.supxlabel("σ of the noise (grey levels of 255)", fontsize=12)
        said = and_so_on(f"{words(name)} {_half(mean[name])}" for name in names)
        alt = (
            f"Curves of the share of labels that noise leaves unchanged, against its standard deviation in grey "
            f"levels ({words(method)}; {words(held['data'].iloc[0])}), a panel for each of "
            f"{many(len(families), 'family', 'families')}. "
            f"Half of the labels are changed at: {said}."
        )
        return picture(drawn, alt, caption, "fig-survival")


def _above(panels: np.ndarray, axes: object, columns: int, used: int) -> bool:
    """Whether another panel stands beneath, so that this one has no numbers at its foot."""
    return list(panels).index(axes) + columns < used


def _half(line: pd.DataFrame) -> str:
    sigma, share = numbers(line["level"]), numbers(line["value"])
    below = np.flatnonzero(share <= 0.5)
    return plain(sigma[below[0]]) if len(below) else f"more than {plain(sigma[-1])}"
