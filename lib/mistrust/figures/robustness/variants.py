"""Networks trained on all, on half of the samples, on a fraction of the classes (the paper's Tables 2 and 3)."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from mistrust.figures.dots import dot, estimate, name_lines
from mistrust.figures.parts import and_so_on, some, sorted_rows
from mistrust.figures.robustness.parts import ALL, RIGHT, TRAINED, in_order, of, words
from mistrust.figures.robustness.printed import printed_of
from mistrust.figures.style import MARKERS, PALETTE, Picture, figure, legend_beneath, picture, style
from mistrust.figures.written import plain
from mistrust.rows import select

_LINE = 0.46  # inches
# Trained on all, and seen on the images of those classes alone that the variant with a fraction knows.
KNOWN = "known"
_KINDS = (ALL, "half", KNOWN, "fraction")
# Panel -> where it stands in the rows, in the paper's tables, and how it is written.
_PANELS = {
    "accuracy, %": ({"table": "networks", "metric": "accuracy"}, ("table2", "accuracy"), 100.0, "{:.1%}".format),
    "breaking σ\n(grey levels)": (
        {"table": "random", "metric": "capped mean", "method": RIGHT}, ("table3", "mean"), 1.0, plain
    ),
}  # fmt: skip


def variants(
    rows: pd.DataFrame, *, data: str | None = None, printed: pd.DataFrame | None = None, caption: str = ""
) -> Picture:
    """Draw accuracy and breaking noise by what networks were trained on; the paper's numbers beneath, with empty dots.

    Parameters
    ----------
    rows : rows of the chapter, with the tables "networks" (accuracy) and "random" (capped mean); condition = all, half
        or fraction; table "known", of all on images of the fraction's classes. Networks that were trained in one way
        alone are left out.
    data : which image set; None for the first.
    printed : the paper's published rows, tables 2 and 3; None leaves them out.

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [{"condition": "all", "value": 80}, {"condition": "half", "value": 60, "low": 50, "high": 70}]
    >>> common = {"table": "random", "metric": "capped mean", "method": "fixed-clipped"}
    >>> made = variants(rows.table(found, data="mnist", network="vgg9-w16", **common))
    >>> made.alt.partition("Breaking σ: ")[2]
    'VGG-9 w16 all 80 and half of the samples 60 (50 to 70).'
    """
    what = "variants of training"
    found = {}
    for title, (where, *_) in _PANELS.items():
        own, known = (sorted_rows(select(rows, **one)) for one in (where, {**where, "table": "known"}))
        found[title] = pd.concat([own[own["condition"].isin(TRAINED)], known.assign(condition=KNOWN)])
    every = pd.concat(found.values())
    trained = every[every["condition"] != KNOWN]
    several = trained.groupby(["data", "network"])["condition"].nunique()
    every = every.set_index(["data", "network"]).loc[several[several > 1].index].reset_index()
    some(every, what)
    here = of(every.assign(table=what), what, what, data=data, condition=None)["data"].iloc[0]
    names = in_order(every[every["data"] == here]["network"])
    kinds = [one for one in _KINDS if one in set(every["condition"])]
    labels = [(float(y), words(name), False) for y, name in enumerate(names)]
    paper = list(printed_of(printed, "table2", "accuracy", condition=ALL))
    start = len(names) + 0.35
    if paper:
        labels.append((start - 0.35, "The paper, ImageNet", True))
        labels += [(start + 0.35 + i, words(name), False) for i, name in enumerate(paper)]
    said: list[str] = []
    with style():
        drawn = figure(_LINE * (labels[-1][0] + 1) + 1.75)
        panels = drawn.subplots(1, len(_PANELS), sharey=True)
        for axes, (title, (_, (table, metric), scale, write)) in zip(panels, _PANELS.items(), strict=True):
            held = found[title][found[title]["data"] == here]
            for index, kind in enumerate(kinds):
                shift = 0.24 * (index - (len(kinds) - 1) / 2)
                for y, name in enumerate(names):
                    own = held[(held["network"] == name) & (held["condition"] == kind)]
                    dot(axes, own, y + shift, colour=PALETTE[index], marker=MARKERS[index], scale=scale)
                for y, value in enumerate(printed_of(printed, table, metric, condition=kind).values()):
                    axes.plot(scale * value, start + 0.35 + y + shift, MARKERS[index], mfc="white", mec=PALETTE[index],
                              ms=7, mew=1.6, zorder=3)  # fmt: skip
            said += [f"{title.splitlines()[0].removesuffix(', %').capitalize()}: {_told(held, names, kinds, write)}."]
            _finish(axes, title)
        name_lines(panels[0], labels)
        panels[1].spines["left"].set_visible(False)
        panels[1].tick_params(axis="y", length=0)
        for index, kind in enumerate(kinds):
            panels[0].plot([], [], MARKERS[index], color=PALETTE[index], ms=7, label=f"{words(kind)}")
        handles, texts = panels[0].get_legend_handles_labels()
        legend_beneath(drawn, handles, texts, ncols=1, handletextpad=0.2, columnspacing=1)
        alt = (
            f"Dot plots of accuracy and breaking noise on {words(here)} by what the networks were trained on: "
            f"{and_so_on(words(kind) for kind in kinds)}. {' '.join(said)}"
        )
        return picture(drawn, alt, caption, "fig-variants", every[every["data"] == here])


def _finish(axes: Axes, title: str) -> None:
    axes.set_xlabel(title)
    axes.set_xlim(left=0)
    if title.startswith("accuracy"):
        axes.set_xlim(0, 103)
    axes.xaxis.set_major_locator(MaxNLocator(4, min_n_ticks=2))


def _told(held: pd.DataFrame, names: list[str], kinds: list[str], write: object) -> str:
    return "; ".join(
        f"{words(name)} "
        + and_so_on(
            f"{words(kind)} {estimate(held[(held['network'] == name) & (held['condition'] == kind)], write)}"  # type: ignore[arg-type]
            for kind in kinds
        )
        for name in names
    )
