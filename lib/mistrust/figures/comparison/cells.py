"""Which class is taken for which: readings of good images beside the true confusion, and beside one another."""

import pandas as pd

from mistrust.comparison.tables.cells import BREAKING, MLM, MLM_MEAN, OWN, SOFTMAX, TARGETED, TRUTH
from mistrust.figures.comparison.parts import of, words
from mistrust.figures.dots import dot, name_lines, value_of
from mistrust.figures.parts import GREY
from mistrust.figures.style import PALETTE, Picture, figure, picture, style
from mistrust.figures.written import two

READINGS = (MLM, MLM_MEAN, SOFTMAX, TARGETED, BREAKING)
_LINE = 0.3  # inches


def cells(rows: pd.DataFrame, *, data: str | None = None, caption: str = "") -> Picture:
    """Draw rank correlations over pairs of classes, one line per pair of readings; first those with the two truths.

    Parameters
    ----------
    rows : rows of the chapter, with the table "cells".
    data : which image set; None for the first.

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> both = [{"method": "mlm", "value": 0.2}, {"method": "mean softmax", "value": 0.5}]
    >>> made = rows.table(both, table="cells", metric="rank correlation", data="mnist", at="beside=true confusion")
    >>> cells(made).alt.split("MNIST: ")[1]
    'MLM, smallest distance (paper) with true confusion 0.20; Mean softmax with true confusion 0.50.'
    """
    held = of(rows, "cells", "pairs of classes", data=data, metric="rank correlation")
    second = held["at"].str.removeprefix("beside=")
    labels: list[tuple[float, str, bool]] = []
    said = []
    told = second.isin([TRUTH, OWN])
    groups = {
        TRUTH: held[second == TRUTH], OWN: held[second == OWN],
        TARGETED: held[(second == TARGETED) | ((held["method"] == TARGETED) & ~told)],
    }  # fmt: skip
    with style():
        drawn = figure(_LINE * (sum(map(len, groups.values())) + len(groups)) + 0.9)
        axes = drawn.subplots()
        y = 0.0
        for group, colour in zip(groups, PALETTE, strict=False):
            labels.append((y, f"With {words(group)[:1].lower()}{words(group)[1:]}", True))
            for name in READINGS:
                here = groups[group]
                partner = here["at"].str.removeprefix("beside=")
                line = here[(here["method"] == name) | (partner == name)] if name != group else here[:0]
                if line.empty:
                    continue
                y += 1
                labels.append((y, words(name), False))
                dot(axes, line, y, colour=colour)
                said.append(f"{words(name)} with {words(group)} {two(value_of(line))}")
            y += 1
        axes.axvline(0, color=GREY, lw=1)
        axes.set_xlim(-1.05, 1.05)
        axes.set_xticks([-1, -0.5, 0, 0.5, 1], ["−1", "−.5", "0", ".5", "1"])
        axes.set_xlabel("rank correlation ρ")
        name_lines(axes, labels)
        alt = (
            f"Dot plot of rank correlations over pairs of classes of {words(str(held['data'].iloc[0]))}: "
            f"{'; '.join(said)}."
        )
        return picture(drawn, alt, caption, "fig-cells")
