"""Answering only where one is sure: risk against coverage."""

import pandas as pd
from matplotlib.axes import Axes

from mistrust.figures.misclassification.parts import ALL, method_title, methods_in_order
from mistrust.figures.parts import by_network, network_lines, numbers_at, some
from mistrust.figures.style import PALETTE, Picture, figure, picture, style
from mistrust.rows import select

_DASHES = ("-", "--", ":", "-.")
_TOLD = (0.25, 0.5, 0.75, 1.0)  # coverages that the alt text names


def abstention(rows: pd.DataFrame, *, caption: str = "") -> Picture:
    """Draw the share of wrong answers against the share of images that are answered at all, a line a score.

    Parameters
    ----------
    rows : rows of the chapter, with the table "abstention"; its metric "auroc", where there is one, is told too.

    Raises
    ------
    MistrustError
        There is no risk at any coverage.

    Examples
    --------
    >>> from mistrust import rows
    >>> risk = {"table": "abstention", "condition": "perturbed/all", "method": "distance", "metric": "risk", "seed": 0}
    >>> found = rows.table([risk | {"at": "coverage=0.5", "value": 0.02}, risk | {"at": "coverage=1", "value": 0.1}])
    >>> abstention(found).alt.partition("bold. ")[2]
    'By distance: wrong 2.0% at 50%, 10.0% at 100% answered.'
    """
    held = select(rows, table="abstention", condition=ALL)
    found = numbers_at(held[held["metric"] == "risk"], "coverage")
    some(found, "risk by coverage")
    said = []
    with style():
        drawn = figure(3.6)
        axes: Axes = drawn.subplots()
        for index, method in enumerate(methods_in_order(found)):
            lines = found[found["method"] == method].assign(across=lambda f: 100 * f["coverage"])
            look = {"colour": PALETTE[index % len(PALETTE)], "dashes": _DASHES[index % len(_DASHES)]}
            mean = network_lines(axes, lines, "across", label=method_title(method), **look)
            said.append(_told(method, mean, by_network(held[held["method"] == method])[0]))
        axes.set_xlim(0, 102)
        axes.set_ylim(bottom=0)
        axes.set_xlabel("answered, the surest first (%)")
        axes.set_ylabel("wrong among the answered (%)")
        axes.legend(loc="upper left", title="sorted by", title_fontsize=12, alignment="left")
        alt = (
            "Line plot of the share of wrong answers against the share of images answered, surest first, mean over "
            f"networks bold. {' '.join(said)}"
        )
        return picture(drawn, alt, caption, "fig-abstention")


def _told(method: str, mean: pd.DataFrame, held: pd.DataFrame) -> str:
    """Say the risk at a few coverages, those of the rows that are nearest to them."""
    chosen = mean.iloc[[int((mean["coverage"] - c).abs().to_numpy().argmin()) for c in _TOLD]]
    points = [
        f"{value:.1%} at {coverage:.0%}"
        for coverage, value in dict(zip(chosen["coverage"], chosen["value"], strict=True)).items()
    ]
    auroc = held.loc[held["metric"] == "auroc", "value"]
    area = f"; AUROC {auroc.iloc[0]:.3f}" if len(auroc) else ""
    return f"By {method_title(method)}: wrong {', '.join(points)} answered{area}."
