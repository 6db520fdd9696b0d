"""Which autoencoders pass the two gates."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from mistrust.ambiguity.gates import DISCRIMINATION, LABELLING
from mistrust.figures.parts import GREY, some
from mistrust.figures.style import PALETTE, Picture, figure, legend_beneath, picture, style
from mistrust.rows import select

_GATES = {"": ("at the end (default)", "default"), " as published": ("as coded", "as published")}


def acceptance(rows: pd.DataFrame, *, caption: str = "") -> Picture:
    """Draw both measures of each autoencoder, and the box in which it passes; open dots are measured as coded.

    Parameters
    ----------
    rows : rows of the chapter, with the table "autoencoders"; the shares come from the table "acceptance", if it is
        there, which leaves further tries of failing pairs out, and are counted otherwise.

    Raises
    ------
    MistrustError
        There is no autoencoder with both measures.

    Examples
    --------
    >>> from mistrust import rows
    >>> measured = {"discrimination": (0.52, 0.7), "labelling": (0.97, 0.96)}  # of two autoencoders
    >>> made = [{"metric": m, "seed": s, "value": v} for m, both in measured.items() for s, v in enumerate(both)]
    >>> acceptance(rows.table(made, table="autoencoders", at="4/9")).alt.split("gates. ")[1].split(";")[0]
    'at the end (default): 50% of 2 autoencoders pass'
    """
    found = select(rows, table="autoencoders")
    table = found.pivot_table(index=["at", "seed"], columns="metric", values="value")
    some(table, "autoencoders")
    stated = select(rows, table="acceptance", at="all", metric="share accepted")
    shares = {name: (value, n) for name, value, n in stated[["method", "value", "n"]].to_numpy().tolist()}
    said = []
    with style():
        drawn = figure(4.2)
        axes: Axes = drawn.subplots()
        for ending, (name, gates) in _GATES.items():
            both = [f"{measure}{ending}" for measure in ("discrimination", "labelling")]
            if not set(both) <= set(table.columns):
                continue
            here = table[both].dropna()
            x, y = (100 * here[measure] for measure in both)
            look: dict[str, Any] = {"mfc": "none", "mec": PALETTE[1]} if ending else {"mfc": PALETTE[0], "mec": "white"}
            axes.plot(x, y, "o", ms=6 if ending else 7, mew=1.4 if ending else 0.7, label=name, zorder=3, **look)
            passed = (x >= 100 * DISCRIMINATION[0]) & (x <= 100 * DISCRIMINATION[1]) & (y >= 100 * LABELLING)
            share, tried = shares.get(gates, (passed.mean(), len(here)))
            passing = (
                f"{share:.0%} of the {tried:.0f} autoencoders that were tried first pass; of all {len(here)}, "
                if tried < len(here)
                else f"{share:.0%} of {len(here)} autoencoders pass; "
            )
            said.append(
                f"{name}: {passing}discrimination from {x.min():.1f} to {x.max():.1f}, labels correct from "
                f"{y.min():.1f} to {y.max():.1f} per cent."
            )
        some(said, "gates of the autoencoders")
        left, right = axes.get_xlim()
        bottom, _ = axes.get_ylim()
        axes.set_xlim(min(left, 37), max(right, 63))
        axes.set_ylim(min(bottom, 88), 100.5)
        low, high = (100 * end for end in DISCRIMINATION)
        box = {"facecolor": "#eeeeee", "edgecolor": GREY, "lw": 1.5, "zorder": 0.5, "label": "passes both gates"}
        axes.add_patch(Rectangle((low, 100 * LABELLING), high - low, 100.5 - 100 * LABELLING, **box))
        axes.set_xlabel("prior or encoded? correct (%), 50 = chance")
        axes.set_ylabel("images labelled correctly (%)")
        legend_beneath(drawn, *axes.get_legend_handles_labels(), ncols=2, handletextpad=0.4, columnspacing=1)
        alt = (
            "Scatter plot of autoencoders: how well the discriminator separates draws of the prior from encoded "
            "images, and how often it gives an image's own class the higher probability; a box marks both gates. "
            f"{' '.join(said)}"
        )
        shown = f"{', '.join(found['data'].unique())}, {len(table)} autoencoders"
        return picture(drawn, alt, caption, "fig-acceptance", shown)
