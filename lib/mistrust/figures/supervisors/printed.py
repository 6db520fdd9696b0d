"""Each number that the paper prints beside ours."""

import pandas as pd
from matplotlib.lines import Line2D

from mistrust.figures.dots import dot, name_lines
from mistrust.figures.parts import GREY, and_so_on, means, some
from mistrust.figures.style import MARKERS, PALETTE, Picture, figure, legend_beneath, picture, style
from mistrust.figures.supervisors.parts import BAD, data_in, in_order, kind, short, words
from mistrust.figures.written import many
from mistrust.over_models import EVERY
from mistrust.rows import select

NEAR, FAR = 0.05, 0.1  # AUROC
FARTHEST = 0.25  # from here on a difference is told by name
_LETTERS = "MS: mean softmax, VR: variation ratio, of many passes or networks."
SAME = ["data", "condition", "method"]


def printed(rows: pd.DataFrame, paper: pd.DataFrame, *, caption: str = "") -> Picture:
    """Draw the paper's AUROC and ours on one line a supervisor, by kind of bad input; a column an image set.

    Parameters
    ----------
    rows : rows of the chapter, with the table "detection".
    paper : the paper's numbers, with the same table.

    Raises
    ------
    MistrustError
        We have none of the numbers that the paper prints.

    Examples
    --------
    >>> from mistrust import rows
    >>> about = {"table": "detection", "data": "mnist", "network": "all", "metric": "auroc", "method": "dsa"}
    >>> ours, theirs = (rows.table([{"condition": "invalid/other", "value": value}], **about) for value in (0.9, 0.8))
    >>> printed(ours, theirs).alt.partition("and ours. ")[2]
    'MNIST, invalid: DSA 0.80 and 0.90.'
    """
    both = beside(rows, paper)
    sets, lines = data_in(both), _lines(both)
    ours, theirs = (select(one, table="detection", network=EVERY, metric="auroc") for one in (rows, paper))
    with style():
        drawn = figure(0.235 * len(lines) + 1.5)
        panels = drawn.subplots(1, len(sets), sharex=True, sharey=True, squeeze=False)[0]
        for axes, data in zip(panels, sets, strict=True):
            for y, (condition, name) in enumerate(lines):
                here = {"data": data, "condition": condition, "method": name}
                dot(axes, select(theirs, **here), y, colour=PALETTE[1], marker=MARKERS[1], hollow=True)
                dot(axes, select(ours, **here), y, colour=PALETTE[0], marker=MARKERS[0])
            axes.axvline(0.5, color=GREY, lw=1, ls=":", zorder=1)
            axes.set_title(words(data))
            axes.set_xlabel("AUROC")
            axes.tick_params(axis="y", length=0)
            axes.spines["left"].set_visible(False)
        panels[0].set_xlim(0, 1.05)
        panels[0].set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
        heads = [(float(y), short(name) if name else words(one), not name) for y, (one, name) in enumerate(lines)]
        name_lines(panels[0], heads)
        legend_beneath(drawn, handles=_key(), ncols=2, handletextpad=0.4, columnspacing=1)
        alt = (
            "Dots on a line a supervisor, by kind of bad input: the AUROC that the paper prints, and ours. "
            f"{' '.join(_each(both, data) for data in sets)}"
        )
        return picture(drawn, alt, f"{caption} {_LETTERS}".strip(), "fig-printed")


def _key() -> list[Line2D]:
    return [
        Line2D([], [], color=PALETTE[1], marker=MARKERS[1], mfc="white", mew=1.5, lw=0, ms=7, label="the paper"),
        Line2D([], [], color=PALETTE[0], marker=MARKERS[0], lw=2.2, ms=7, label="ours, with its interval"),
    ]


def beside(rows: pd.DataFrame, paper: pd.DataFrame) -> pd.DataFrame:
    """Give our row of each number that the paper prints, with it in the column "printed".

    Raises
    ------
    MistrustError
        There is none.
    """
    wanted = {"table": "detection", "network": EVERY, "metric": "auroc"}
    ours, theirs = means(select(rows, **wanted)), select(paper, **wanted)
    some(theirs, "numbers that the paper prints")
    both = ours.merge(theirs[[*SAME, "value"]].rename(columns={"value": "printed"}), on=SAME)
    some(both, "numbers that the paper prints")
    return both


def printed_told(rows: pd.DataFrame, paper: pd.DataFrame) -> str:
    """Say how near ours come to the paper's numbers, and which lie far away; "Not run." where there are none.

    Examples
    --------
    >>> from mistrust import rows
    >>> about = {"table": "detection", "data": "mnist", "network": "all", "metric": "auroc"}
    >>> def of(dsa, lsa):
    ...     found = [{"method": "dsa", "value": dsa}, {"method": "lsa", "value": lsa}]
    ...     return rows.table(found, condition="invalid/other", **about)
    >>> told = printed_told(of(0.9, 0.55), of(0.87, 0.9))
    >>> told.partition(" apart: ")[2]
    'LSA on invalid MNIST (0.90 in the paper, 0.55 ours).'
    >>> told.partition(". The")[0]
    'Of 2 numbers that the paper prints, ours come within 0.05 of 1 and within 0.1 of 1'
    >>> printed_told(rows.empty(), of(0.87, 0.9))
    'Not run.'
    """
    if select(rows, table="detection", network=EVERY, metric="auroc", data=list(set(paper["data"]))).empty:
        return "Not run."
    both = beside(rows, paper)
    apart = (both["value"] - both["printed"]).abs().round(10)
    told = (
        f"Of {many(len(both), 'number')} that the paper prints, ours come within {NEAR:g} of {(apart <= NEAR).sum()} "
        f"and within {FAR:g} of {(apart <= FAR).sum()}."
    )
    far = both.assign(apart=apart)[apart >= FARTHEST].sort_values("apart", ascending=False, kind="stable")
    named = [
        f"{short(row['method'])} on {kind(row['condition'])} {words(row['data'])} ({row['printed']:.2f} in the paper, "
        f"{row['value']:.2f} ours)"
        for row in far.to_dict("records")
    ]
    return f"{told} The farthest, {FARTHEST:g} or more apart: {and_so_on(named)}." if named else told


def _lines(both: pd.DataFrame) -> list[tuple[str, str]]:
    """Give the figure's lines: a condition with no supervisor as a head, then with each of its own."""
    found: list[tuple[str, str]] = []
    for bad in BAD:
        own = both[both["condition"].map(kind) == bad]
        for condition in sorted(set(own["condition"])):
            names = in_order(own[own["condition"] == condition]["method"])
            found += [(condition, ""), *((condition, name) for name in names)]
    return found


def _each(both: pd.DataFrame, data: str) -> str:
    """Tell every pair of numbers of an image set, kind by kind."""
    own = {(row["condition"], row["method"]): row for row in both[both["data"] == data].to_dict("records")}
    told: dict[str, list[str]] = {}
    for condition, name in _lines(both):
        if (condition, name) in own:
            row = own[condition, name]
            told.setdefault(condition, []).append(f"{short(name)} {row['printed']:.2f} and {row['value']:.2f}")
    return " ".join(f"{words(data)}, {words(one).lower()}: {', '.join(pairs)}." for one, pairs in told.items())
