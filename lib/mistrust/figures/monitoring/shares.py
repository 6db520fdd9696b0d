"""What share of its images does a printed row call positive? It tells which answer is, and which set a row is of."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from mistrust.figures.monitoring.parts import THREE, words
from mistrust.figures.parts import some
from mistrust.figures.style import Picture, figure, legend_beneath, picture, style
from mistrust.monitoring.rereading.polarity import KNOWN, known_share

_LINE = 0.56  # inches of a table's line
_APART = 0.053  # of names above lines, as a share of the axis
# How a row's share stands to the known ones, with its look and its words.
KINDS: dict[str, tuple[dict[str, Any], str]] = {
    "own": ({"color": "#0072B2", "marker": "o", "ms": 5}, "share of its own set"),
    "other": ({"color": "#E69F00", "marker": "D", "ms": 6.5}, "share of another set"),
    "none": ({"color": "#B84A00", "marker": "X", "ms": 9}, "no known share"),
}


def shares(frame: pd.DataFrame, *, caption: str = "") -> Picture:
    """Draw the share of positives that each printed row implies, beside the sets' known shares of nominal images.

    Parameters
    ----------
    frame : by `mistrust.monitoring.rereading.reread` or `readings`.

    Raises
    ------
    MistrustError
        There are no rows.

    Examples
    --------
    >>> from mistrust.monitoring.rereading import readings
    >>> row = {"place": "Table IV", "data": "cifar10", "kind": "noise", "label": "spatter (2)", "method": "oob"}
    >>> numbers = {"mcc": 0.53, "fpr": 0.2, "fnr": 0.1, "precision": 0.43, "recall": 0.9, "f1": 0.84}
    >>> found = readings(pd.DataFrame([row | numbers, row | numbers | {"kind": "shift", "label": "fog (2)"}]))
    >>> shares(found).alt.partition("complements. ")[2].partition("; 0 of these")[0]
    '2 rows fit the nominal share of their own set, 0 that of another, and 0 fit none'
    """
    some(frame, "shares of printed rows")
    found = frame.assign(kind_of_share=_kinds(frame), line=_lines(frame))
    lines = list(dict.fromkeys(found["line"]))
    counts = found["kind_of_share"].value_counts()
    unplaced = (found["share"].isna() & (found["kind_of_share"] != "none")).sum()
    without = (found["share"].isna() & (found["kind_of_share"] == "none")).sum()
    with style():
        drawn = figure(max(_LINE * len(lines), 1.0) + 2.75)
        axes = drawn.subplots()
        _known(axes, len(lines))
        for kind, (look, text) in KINDS.items():
            here = found[found["kind_of_share"] == kind]
            x, y = _x(here), [lines.index(a) + _within(b) for a, b in zip(here["line"], here["method"], strict=True)]
            more = "; at 100: none faulty" if kind == "none" and without else ""
            axes.hlines(y, here["share_low"].where(here["share"].notna()), here["share_high"], color=look["color"],
                        lw=0.8, alpha=0.4, zorder=2)  # fmt: skip
            axes.plot(
                x, y, ls="", mec="white", mew=0.5, zorder=3, label=f"{text} ({counts.get(kind, 0)} rows{more})", **look
            )
        axes.set_ylim(len(lines) - 0.5, -0.5)
        axes.set_xlim(-0.02, 1.04)
        axes.set_yticks(range(len(lines)), lines)
        axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100"])
        axes.tick_params(axis="y", length=0)
        axes.grid(visible=False)
        axes.set_xlabel("positive images, % of a row's set")
        legend_beneath(drawn, handletextpad=0.3)
        told = ", ".join(f"{words_of(name)} {known_share(name):.1%}" for name in KNOWN)
        alt = (
            f"Dots by table: the share of images that each of {len(found)} printed rows calls positive, implied by its "
            f"numbers, with lines at the known shares of nominal images ({told}) and dashed lines at their "
            f"complements. {counts.get('own', 0)} rows fit the nominal share of their own set, "
            f"{counts.get('other', 0)} that of another, and {counts.get('none', 0)} fit none; {without} of these print "
            f"a precision of 1 and no miss: no image was out of distribution. {unplaced} rows that fit have no dot: "
            "their numbers leave the share open."
        )
        return picture(drawn, alt, caption, "fig-shares")


def words_of(name: str) -> str:
    """Give what a reader calls a known set: "GTSRB with BTSC"."""
    own, slash, other = name.partition("/")
    return f"{words(own)} with {other}" if slash else words(own)


def _kinds(frame: pd.DataFrame) -> list[str]:
    return [
        "none" if polarity in ("none", "ood") else "own" if own else "other"
        for polarity, own in zip(frame["polarity"], frame["own"], strict=True)
    ]


def _lines(frame: pd.DataFrame) -> list[str]:
    """Name each row's line: the last word of its table, the kind of fault, the image set where a table has one."""
    tables = frame["place"].str.split().str[-1]
    several = frame.groupby(tables)["data"].nunique() > 1
    return [
        f"{table} {words(kind)}" + ("" if several[table] else f"\n{words(data)}")
        for table, kind, data in zip(tables, frame["kind"], frame["data"], strict=True)
    ]


def _x(here: pd.DataFrame) -> pd.Series:
    """Give where a row stands: one without an OOD image has positives alone; another without a share has no place."""
    return here["share"].where(here["share"].notna() | (here["polarity"] != "none"), 1.0)


def _within(method: str) -> float:
    """Give a monitor's place within its table's line."""
    return 0.25 * (list(THREE).index(method) - 1)


def _known(axes: Axes, lines: int) -> None:
    """Draw the known shares, named above, and their complements: where dots would be, were OOD images positive."""
    names = sorted(KNOWN, key=known_share)
    at = {name: known_share(name) for name in names}
    axes.vlines(list(at.values()), -0.5, lines - 0.5, color="black", lw=0.9, zorder=1)
    axes.vlines([1 - one for one in at.values()], -0.5, lines - 0.5, color="#888888", lw=0.9, ls=(0, (2, 2)), zorder=1)
    for name, x in zip(names, _spread(list(at.values())), strict=True):
        line = {"arrowstyle": "-", "lw": 0.7, "shrinkA": 0, "shrinkB": 0, "relpos": (0.5, 0)}
        axes.annotate(words_of(name), (at[name], -0.5), xytext=(x, -0.85), rotation=90, ha="center", va="bottom",
                      arrowprops=line, annotation_clip=False, fontsize=10.5)  # fmt: skip
    axes.annotate("dashed: if\nfaulty images\nwere positive", (0.75, -0.5), xytext=(0.61, -0.95), ha="center",
                  va="bottom", annotation_clip=False, fontsize=10.5, color="#555555")  # fmt: skip


def _spread(places: list[float]) -> list[float]:
    """Move names apart, those that are close together around their middle; places are sorted."""
    groups: list[list[float]] = []
    for one in places:
        groups.append([one])
        while len(groups) > 1 and _start(groups[-1]) < _start(groups[-2]) + _APART * len(groups[-2]):
            groups[-2:] = [groups[-2] + groups[-1]]
    return [_start(group) + _APART * number for group in groups for number in range(len(group))]


def _start(group: list[float]) -> float:
    return sum(group) / len(group) - _APART * (len(group) - 1) / 2
