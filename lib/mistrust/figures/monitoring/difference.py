"""Do monitors differ over all benchmark sets? Critical difference diagrams, from our rows and from printed numbers.

Each monitor has a line, the best above, with its mean rank. The bar at the top is Nemenyi's critical difference; bars
at the right join monitors that differ by less.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd
from matplotlib.axes import Axes

from mistrust.evaluation import cliques
from mistrust.figures.monitoring.parts import THREE, of, short, words
from mistrust.figures.parts import and_so_on, some
from mistrust.figures.style import PALETTE, Picture, figure, picture, style
from mistrust.monitoring.experiment.parameters import PAPERS

CONDITIONS = ("three monitors", "three monitors as published")
_OURS = dict(zip(CONDITIONS, ("ours, right", "ours, as published"), strict=True))  # beside printed ones
_LINE = 0.25  # inches
_TIE = 0.055  # of the width, between bars at the right
EVERY = "all"  # the image set of ranks over the benchmark sets of all


@dataclass(frozen=True)
class Ranking:
    """Mean ranks of monitors over n sets, and Nemenyi's critical difference; p is Friedman's."""

    title: str
    ranks: Mapping[str, float]
    difference: float
    p: float
    n: int

    def tied(self) -> list[tuple[int, ...]]:
        """Groups that do not differ, as places from the best on."""
        return cliques(sorted(self.ranks.values()), self.difference)

    def lanes(self) -> list[int]:
        """Where each group's bar stands, from the left: in the first lane in which it comes near no other."""
        ends: list[int] = []
        places = []
        for group in self.tied():
            lane = next((k for k, end in enumerate(ends) if end + 1 < group[0]), len(ends))
            ends[lane : lane + 1] = [group[-1]]
            places.append(lane)
        return places


def difference(
    rows: pd.DataFrame,
    conditions: Sequence[str] = CONDITIONS,
    *,
    data: str | None = None,
    network: str | None = None,
    caption: str = "",
) -> Picture:
    """Draw which monitors differ, a diagram for each condition.

    Parameters
    ----------
    rows : rows of the chapter, with the table "ranks".
    conditions : "three monitors", "three monitors as published", "all monitors"; those without rows are left out.
    data : which image set, "all" for all together; None for "all" where it was run, else the first.
    network : which classifier; None for the first.

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> common = {"data": "gtsrb", "network": "farm-lenet", "condition": "three monitors", "n": 40}
    >>> ranks = [{"metric": "rank", "method": m, "value": v} for m, v in (("alooc", 2.7), ("oob", 2.1), ("odin", 1.2))]
    >>> found = rows.table([*ranks, {"metric": "critical difference", "value": 0.7}], table="ranks", **common)
    >>> difference(found).alt.partition("; ")[2]
    'critical difference 0.70; not distinguished: OOB and ALOOC.'
    """
    found, where = _ours(rows, conditions, data, network)
    return _drawn(found, where, caption, "fig-difference")


def reranked(frame: pd.DataFrame, rows: pd.DataFrame | None = None, *, data: str = "", caption: str = "") -> Picture:
    """Draw what the paper's printed numbers say, as they are labelled and mended, and ours beneath.

    Parameters
    ----------
    frame : by `mistrust.monitoring.rereading.ranking`.
    rows : rows of the chapter, whose three monitors are drawn beneath; left out where there are no such rows.
    data : "cifar10" or "gtsrb"; "" for both together.

    Raises
    ------
    MistrustError
        There are no such lines.

    Examples
    --------
    >>> mended = {"version": "mended", "data": "gtsrb", "alooc": 2.2, "oob": 1.4, "odin": 2.4, "p": 0.01, "n": 36}
    >>> reranked(pd.DataFrame([mended | {"difference": 0.55}]), data="gtsrb").alt.rpartition("; ")[2]
    'not distinguished: ALOOC and ODIN.'
    """
    lines = frame[frame["data"] == data]
    some(lines, "ranks of printed numbers")
    found = [
        Ranking(
            f"printed, {one['version']}", {name: float(one[name]) for name in THREE if name in frame.columns},
            float(one["difference"]), float(one["p"]), int(one["n"]),
        )
        for one in lines.to_dict("records")
    ]  # fmt: skip
    ranked = pd.DataFrame() if rows is None else rows[rows["table"] == "ranks"]
    own = [one for one in ranked.get("data", ()) if not data or PAPERS.get(one) == data]
    if rows is not None and own:
        ours, _ = _ours(rows, CONDITIONS, own[0] if data else None, None)
        found += [replace(one, title=_OURS[one.title]) for one in ours]
    return _drawn(found, words(data or "all"), caption, "fig-reranked")


def _ours(
    rows: pd.DataFrame, conditions: Sequence[str], data: str | None, network: str | None
) -> tuple[list[Ranking], str]:
    """Give rankings of our rows by condition, and over which sets they are."""
    together = ((rows["table"] == "ranks") & (rows["data"] == EVERY)).any()
    what = "mean ranks"
    held = of(rows, "ranks", what, data=EVERY if data is None and together else data, network=network)
    found = [_ranking(held[held["condition"] == one], one) for one in conditions if (held["condition"] == one).any()]
    some(found, what)
    return found, words(held["data"].iloc[0])


def _ranking(held: pd.DataFrame, condition: str) -> Ranking:
    ranks = held[held["metric"] == "rank"]
    single = held[held["metric"] != "rank"].drop_duplicates("metric").set_index("metric")["value"]
    return Ranking(
        condition, {str(name): float(value) for name, value in zip(ranks["method"], ranks["value"], strict=True)},
        float(single["critical difference"]), float(single.get("p", float("nan"))), int(ranks["n"].iloc[0]),
    )  # fmt: skip


def _drawn(found: list[Ranking], where: str, caption: str, name: str) -> Picture:
    heights = [len(one.ranks) + 2.2 for one in found]
    high = max(max(float(len(one.ranks)), 1 + one.difference) for one in found)
    lanes = 1 + max((lane for one in found for lane in one.lanes()), default=0)
    with style():
        drawn = figure(_LINE * sum(heights) + 0.62 * len(found) + 0.15)
        panels = drawn.subplots(len(found), 1, height_ratios=heights, squeeze=False)[:, 0]
        for axes, one in zip(panels, found, strict=True):
            _panel(axes, one, high, lanes)
        panels[-1].set_xlabel("mean rank, 1 is best")
        alt = f"Critical difference diagram{'s' if len(found) > 1 else ''} over {where}. " + " ".join(map(_told, found))
        return picture(drawn, alt, caption, name)


def _panel(axes: Axes, one: Ranking, high: float, lanes: int) -> None:
    order = sorted(one.ranks, key=lambda name: one.ranks[name])
    low = 1.0
    for y, name in enumerate(order):
        axes.plot([low, one.ranks[name]], [y, y], color="#bbbbbb", lw=1, zorder=1)
        axes.plot(one.ranks[name], y, "o", ms=8, color=PALETTE[0] if name.partition("/")[0] in THREE else "#555555")
        axes.annotate(f"{one.ranks[name]:.2f}", (one.ranks[name], y), xytext=(8, 0), textcoords="offset points",
                      va="center", fontsize=10.5)  # fmt: skip
    axes.plot([low, low + one.difference], [-1.15] * 2, color="black", lw=3, solid_capstyle="butt")
    axes.annotate(f"critical difference {one.difference:.2f}", (low + one.difference, -1.15), xytext=(8, 0),
                  textcoords="offset points", va="center", fontsize=10.5)  # fmt: skip
    span = high - low
    for group, lane in zip(one.tied(), one.lanes(), strict=True):
        x = high + span * (0.12 + _TIE * lane)
        axes.plot(
            [x, x], [group[0] - 0.3, group[-1] + 0.3], color="black", lw=3.5, solid_capstyle="butt", clip_on=False
        )
    axes.set_ylim(len(order) - 0.4, -1.8)
    axes.set_xlim(low - 0.03 * span, high + span * (0.12 + _TIE * lanes))
    axes.set_yticks(range(len(order)), [short(name).partition(", ")[0] for name in order])
    axes.set_xticks(_ticks(int(high)))
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.spines["left"].set_visible(False)
    axes.set_title(f"{one.title[:1].upper()}{one.title[1:]} (n = {one.n} sets)", loc="left", weight="bold")


def _ticks(last: int) -> list[int]:
    step = 1 if last <= 6 else 5
    return [1, *range(step if step > 1 else 2, last + 1, step)]


def _told(one: Ranking) -> str:
    order = sorted(one.ranks, key=lambda name: one.ranks[name])
    ranks = and_so_on(f"{words(name)} {one.ranks[name]:.2f}" for name in order)
    groups = [and_so_on(words(order[place]) for place in group) for group in one.tied()]
    tied = f"not distinguished: {'; '.join(groups)}" if groups else "all are distinguished"
    p = f", Friedman p {one.p:.3g}" if one.p == one.p else ""
    return (
        f"{one.title[:1].upper()}{one.title[1:]}, {one.n} sets: mean ranks {ranks}; critical difference "
        f"{one.difference:.2f}{p}; {tied}."
    )
