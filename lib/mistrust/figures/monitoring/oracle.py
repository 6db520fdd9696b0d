"""The oracle's ten cases: what an alarm, or its absence, was worth, by two standards (the paper's section III.C)."""

from typing import Any, NamedTuple

import torch
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from mistrust.figures.style import Picture, figure, picture, style
from mistrust.monitoring.oracle import Outcome, judged

# Blue is right, orange a false alarm, vermilion a miss; white letters have a contrast of 4.5 and more on the dark ones.
COLOURS = {"TP": "#005a8f", "TN": "#cfe3f2", "FP": "#f3b73e", "FN": "#b84a00"}
LETTERS = {"TP": "white", "TN": "black", "FP": "black", "FN": "white"}
SAID = {"TP": "correctly rejected", "TN": "correctly accepted", "FP": "false alarm", "FN": "miss"}
_WIDTHS = (1.15, 0.85, 1.2, 0.85, 0.85)  # inches of columns
_HEADS = ("image", "alarm", "class", "specific", "overall")
_LINE = 0.31


class Case(NamedTuple):
    """One of the oracle's cases, in words, and its two outcomes ("TP")."""

    image: str
    alarm: str
    answer: str
    specific: str
    overall: str


def ten_cases() -> list[Case]:
    """Give the oracle's cases in the paper's order, judged by `mistrust.monitoring.oracle.judged`."""
    lines = [
        (kind, alarm, right) for kind in ("nominal", "faulty") for alarm in (True, False) for right in (True, False)
    ]
    # The class of a novel image is not read: it has none that were right.
    lines += [("novel", True, False), ("novel", False, False)]
    kinds, alarms, rights = zip(*lines, strict=True)
    ood = torch.tensor([one != "nominal" for one in kinds])
    kind = ["novelty" if one == "novel" else "" for one in kinds]
    found = judged(ood, torch.tensor(alarms), torch.tensor(rights), kind)
    codes = zip(found.specific.tolist(), found.overall.tolist(), strict=True)
    return [
        Case(one, "yes" if alarm else "no", "any" if one == "novel" else "correct" if right else "wrong",
             Outcome(specific).name, Outcome(overall).name)
        for (one, alarm, right), (specific, overall) in zip(lines, codes, strict=True)
    ]  # fmt: skip


def oracle(*, caption: str = "") -> Picture:
    """Draw the ten cases as a table, each outcome in its colour. It takes no rows.

    Examples
    --------
    >>> oracle().name
    'fig-oracle'
    >>> oracle().alt.partition(". ")[0].rpartition(", ")[2]
    'which differ in 4'
    """
    cases = ten_cases()
    told = "; ".join(
        f"{c.image}, {'alarm' if c.alarm == 'yes' else 'no alarm'}, class {c.answer}: {c.specific}, {c.overall}"
        for c in cases
    )
    differ = sum(one.specific != one.overall for one in cases)
    alt = (
        f"Table of the oracle's {len(cases)} cases with the outcome by the specific standard (is the image out of "
        f"distribution?) and by the overall one (is the class wrong?), which differ in {differ}. {told}."
    )
    high = _LINE * (len(cases) + 1) + 0.95
    with style():
        drawn = figure(high)
        drawn.set_layout_engine("none")
        axes = drawn.add_axes((0, 0, 1, 1))
        axes.set_xlim(0, 5)
        axes.set_ylim(high, 0)
        axes.axis("off")
        _line(axes, 0.05, _HEADS, weight="bold")
        for number, case in enumerate(cases):
            top = 0.05 + _LINE * (number + 1)
            if number and case.image != cases[number - 1].image:
                axes.plot([0.05, 4.95], [top, top], color="black", lw=1)
            _line(axes, top, case)
        axes.plot([0.05, 4.95], [0.05 + _LINE] * 2, color="black", lw=1.4)
        for number, (name, text) in enumerate(SAID.items()):
            left, top = 0.1 + 2.5 * (number % 2), high - 0.72 + 0.35 * (number // 2)
            _outcome(axes, (left, top, 0.5, _LINE - 0.05), name)
            axes.text(left + 0.6, top + _LINE / 2 - 0.02, text, va="center")
        return picture(drawn, alt, caption, "fig-oracle")


def _line(axes: Axes, top: float, cells: tuple[str, ...], **look: Any) -> None:
    left = 0.05
    for number, (text, wide) in enumerate(zip(cells, _WIDTHS, strict=True)):
        if text in COLOURS:
            _outcome(axes, (left + 0.06, top + 0.02, wide - 0.12, _LINE - 0.04), text)
        else:
            at = left + (0.05 if number == 0 else wide / 2)
            axes.text(at, top + _LINE / 2, text, ha="left" if number == 0 else "center", va="center", **look)
        left += wide


def _outcome(axes: Axes, at: tuple[float, float, float, float], name: str) -> None:
    left, top, wide, high = at
    axes.add_patch(Rectangle((left, top), wide, high, facecolor=COLOURS[name], edgecolor="none"))
    axes.text(left + wide / 2, top + high / 2, name, ha="center", va="center", color=LETTERS[name], weight="bold")
