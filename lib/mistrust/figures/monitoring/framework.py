"""The benchmark in a picture: faults and activities in, measures out (the paper's section III)."""

from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from mistrust.figures.style import PALETTE, Picture, figure, picture, style

_LINE = 0.24  # inches of a line of words
_TINTS = ("#e3eff8", "#f7e6dc", "#e0f2ec", "#f5eaf1")  # of F, A, R, M


def framework(*, caption: str = "") -> Picture:
    """Draw how a monitor is benchmarked. It takes no rows.

    Examples
    --------
    >>> framework().name
    'fig-framework'
    >>> framework().alt.partition(". ")[2].partition(" and ")[0]
    'Faults F (novelty, adversarial, anomalies, shift, noise)'
    """
    alt = (
        "Boxes from top to bottom, joined by arrows. Faults F (novelty, adversarial, anomalies, shift, noise) and "
        "Activities A (nominal images with their labels) make a benchmark set, half nominal, half faulty or novel, "
        "shuffled. The system reads it image by image: a classifier predicts a class; a monitor watches it, and its "
        "alarm rejects the class, its silence accepts it. Readouts R: true class, predicted class, alarm, time, "
        "memory. The oracle asks twice: specific, is the image out of distribution; overall, is the class wrong. "
        "Measures M: false alarms, misses, MCC."
    )
    with style():
        drawn = figure(6.3)
        drawn.set_layout_engine("none")
        axes = drawn.add_axes((0, 0, 1, 1))
        axes.set_xlim(0, 5)
        axes.set_ylim(6.3, 0)
        axes.axis("off")
        _box(
            axes, (0.08, 0.08, 2.35, 1.2), "Faults (F)", "novelty, adversarial,\nanomalies, shift,\nnoise", _TINTS[0], 0
        )
        _box(axes, (2.57, 0.08, 2.35, 1.2), "Activities (A)", "nominal images\nand their labels", _TINTS[1], 1)
        _box(axes, (0.6, 1.65, 3.8, 0.78), "Benchmark set", "nominal and faulty, shuffled")
        _box(axes, (0.3, 2.8, 1.9, 0.78), "Classifier", "predicts a class")
        _box(axes, (2.8, 2.8, 1.9, 0.78), "Monitor", "alarm or silence")
        _box(axes, (0.25, 3.95, 4.5, 0.78), "Readouts (R)", "true class, predicted class, alarm, time", _TINTS[2], 2)
        _box(axes, (0.25, 5.1, 2.3, 1.1), "Oracle", "specific: not nominal?\noverall: class wrong?")
        _box(axes, (2.95, 5.1, 1.8, 1.1), "Measures (M)", "false alarms,\nmisses, MCC", _TINTS[3], 3)
        arrows = [
            ((1.3, 1.28), (1.3, 1.65)), ((3.75, 1.28), (3.75, 1.65)), ((1.25, 2.43), (1.25, 2.8)),
            ((3.75, 2.43), (3.75, 2.8)), ((2.2, 3.19), (2.8, 3.19)), ((1.25, 3.58), (1.25, 3.95)),
            ((3.75, 3.58), (3.75, 3.95)), ((1.4, 4.73), (1.4, 5.1)), ((2.55, 5.65), (2.95, 5.65)),
        ]  # fmt: skip
        for start, end in arrows:
            look = {"arrowstyle": "-|>", "mutation_scale": 14, "lw": 1.4, "color": "black", "shrinkA": 0, "shrinkB": 0}
            axes.add_patch(FancyArrowPatch(start, end, **look))
        return picture(drawn, alt, caption, "fig-framework")


def _box(
    axes: Axes,
    at: tuple[float, float, float, float],
    head: str,
    text: str,
    tint: str = "white",
    letter: int | None = None,
) -> None:
    """Draw a box at (left, top, width, height) in inches; `letter` is its place among F, A, R, M."""
    left, top, wide, high = at
    shape = "round,pad=0,rounding_size=0.09"
    colour = "#555555" if letter is None else PALETTE[letter]
    axes.add_patch(FancyBboxPatch((left, top), wide, high, boxstyle=shape, facecolor=tint, edgecolor=colour, lw=1.5))
    lines = 1 + text.count("\n") + 1
    first = top + high / 2 - _LINE * (lines - 1) / 2
    middle = left + wide / 2
    axes.text(middle, first, head, ha="center", va="center", weight="bold")
    for number, line in enumerate(text.split("\n"), 1):
        axes.text(middle, first + number * _LINE, line, ha="center", va="center")
