"""What the system gains and loses by its monitor: predictions correct or wrong, accepted or rejected."""

import pandas as pd
from matplotlib.patches import Patch

from mistrust.figures.monitoring.parts import CATEGORIES, EVERY, THREE, in_order, name_lines, of, pooled, words
from mistrust.figures.parts import and_so_on, some
from mistrust.figures.style import Picture, figure, legend_beneath, picture, style

# What happens to a prediction, from good to bad, with its colour: blue is what one wants, yellow and red what not.
FATES = {
    "correct, accepted": "#a9d0ea",
    "wrong, rejected": "#00558a",
    "correct, rejected": "#f0c05a",
    "wrong, accepted": "#c04a00",
}
ALONE = "alone"
_BAR = 0.24  # inches


def impact(rows: pd.DataFrame, *, data: str | None = None, network: str | None = None, caption: str = "") -> Picture:
    """Draw what happens to all predictions, category by category, without a monitor and with each of the three.

    Parameters
    ----------
    rows : rows of the chapter, with the table "summary" (at "failures": safety-gain, residual-hazard and
        availability-cost).
    data, network : which image set and classifier; None for the first.

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> common = {"table": "summary", "data": "mnist5k", "network": "farm-lenet", "method": "odin", "at": "failures"}
    >>> shares = {"safety-gain": 0.2, "residual-hazard": 0.1, "availability-cost": 0.05}
    >>> found = [{"condition": "shift/mean", "metric": name, "value": share} for name, share in shares.items()]
    >>> impact(rows.table(found, **common)).alt.rpartition("; ")[2]
    'ODIN correct and accepted 65%, wrong and rejected 20%, correct and rejected 5%, wrong and accepted 10%.'
    """
    what = "gains and losses by monitors"
    held = of(rows, "summary", what, data=data, network=network)
    where = words(held["data"].iloc[0])
    found = pooled(held[(held["at"] == "failures") & held["method"].isin(THREE)])
    shares = _shares(found)
    some(shares, what)
    kinds = [one for one in (*CATEGORIES, EVERY) if any(kind == one for kind, _ in shares)]
    with style():
        bars = sum(sum(kind == one for kind, _ in shares) + 1 for one in kinds)
        drawn = figure(_BAR * (bars + len(kinds)) * 0.97 + 1.25)
        axes = drawn.subplots()
        y = 0.0
        ticks: list[tuple[float, str, bool]] = []
        for one in kinds:
            ticks.append((y, words(one), True))
            y += 1
            names = in_order(name for kind, name in shares if kind == one)
            alone = _alone(shares[one, names[0]])
            for label, bar in ((ALONE, alone), *((words(name), shares[one, name]) for name in names)):
                left = 0.0
                for fate, colour in FATES.items():
                    axes.barh(y, 100 * bar[fate], left=left, height=0.84, color=colour, ec="white", lw=0.6)
                    left += 100 * bar[fate]
                axes.text(101, y, f"{100 * bar['wrong, accepted']:.0f}", va="center", fontsize=10.5)
                ticks.append((y, label, False))
                y += 1
            y += 0.35
        axes.set_ylim(y - 0.6, -0.6)
        axes.set_xlim(0, 100)
        name_lines(axes, ticks)
        axes.grid(visible=False)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel("% of predictions; at the right: wrong, accepted")
        handles = [Patch(facecolor=colour, label=fate) for fate, colour in FATES.items()]
        legend_beneath(drawn, handles=handles, ncols=2, columnspacing=1)
        last = kinds[-1]
        wrong = _alone(next(bar for (kind, _), bar in shares.items() if kind == last))["wrong, accepted"]
        said = and_so_on(
            f"{words(name)} {_told(shares[last, name])}"
            for name in in_order(name for kind, name in shares if kind == last)
        )
        alt = (
            f"Stacked bars: what happens to predictions on {where}, a group of bars for each of {len(kinds)} groups of "
            f"benchmark sets, the classifier alone first. {words(last)}: alone {wrong:.0%} wrong and accepted; {said}."
        )
        return picture(drawn, alt, caption, "fig-impact")


def _told(bar: dict[str, float]) -> str:
    """Say each fate and its share: "wrong and rejected 20%"."""
    return ", ".join(f"{fate.replace(', ', ' and ')} {share:.0%}" for fate, share in bar.items())


def _alone(bar: dict[str, float]) -> dict[str, float]:
    """Give what the classifier does without a monitor, from what it does with any: all is accepted."""
    wrong = bar["wrong, rejected"] + bar["wrong, accepted"]
    return dict.fromkeys(FATES, 0.0) | {"correct, accepted": 1 - wrong, "wrong, accepted": wrong}


def _shares(found: pd.DataFrame) -> dict[tuple[str, str], dict[str, float]]:
    """Give (category, monitor) -> share of each fate; what is left over is correct and accepted."""
    wide = found.pivot_table(index=["condition", "method"], columns="metric", values="value")
    needed = ["safety-gain", "residual-hazard", "availability-cost"]
    if not set(needed) <= set(wide.columns):
        return {}
    shares = {}
    for (condition, method), (gain, hazard, cost) in zip(wide.index, wide[needed].to_numpy(), strict=True):
        fates = (1 - gain - hazard - cost, gain, cost, hazard)
        shares[condition.partition("/")[0], method] = dict(zip(FATES, map(float, fates), strict=True))
    return shares
