"""A measure of searches query by query (Figures 3 to 6): one panel per condition, one line per method."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator

from mistrust import rows as tidy
from mistrust.errors import check_known
from mistrust.figures.dots import estimate
from mistrust.figures.parts import GREY, and_so_on, numbers, some
from mistrust.figures.search.held import of, wanted
from mistrust.figures.search.parts import (
    AD,
    DASHES,
    FARTHEST,
    LOW,
    META,
    METHODS,
    RANDOM,
    RAW,
    colour,
    conditions_in,
    in_order,
    mechanism,
    outermost,
    short,
    told,
    words,
)
from mistrust.figures.style import MARKERS, PALETTE, Picture, figure, legend_beneath, picture, style
from mistrust.figures.written import two
from mistrust.over_models import means
from mistrust.search.experiment.over_models import BY, SCALE
from mistrust.search.experiment.scores import PREFIX

# A dozen lines in a panel cannot be told apart: what the paper compares, as coded; Adversarial Distance with one thing
# changed; its rivals in all their forms. The last two have Adversarial Distance as their mark.
PAPERS = (AD, "lakkaraju_coded", "bansal_weld_coded", LOW, RANDOM)
GROUPS = {
    "paper": PAPERS,
    "distances": (
        AD, RAW, "adversarial_distance_quadratic", META, FARTHEST, "lowest_distance",
    ),
    "scores": (
        AD, f"{PREFIX}knn", f"{PREFIX}mahalanobis", f"{PREFIX}ensemble", f"{PREFIX}dropout",
    ),
    "rivals": (
        AD, "lakkaraju_coded", "lakkaraju_first", "lakkaraju", "bansal_weld_coded", "bansal_weld_gain", "facility",
        "facility_learned",
    ),
}  # fmt: skip
# How a measure is named at the side, and whether a pool has it, too.
_MEASURES = {
    "sdr": ("SDR", True), "mean of ratios": ("mean of ratios", True),
    "spread": ("spread", False), "errors": ("errors found", False), "utility": ("utility", False),
}  # fmt: skip
# From this query on a panel shows all of every line: of the first few queries one error more is a jump.
_SETTLED = 5
# Lines so many times apart want a logarithmic axis, with ticks that a reader knows.
_FAR, _TICKS = 10, (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50)
AT = (20.0, 50.0)
_ALIKE = "Adv. Distance, expected at equal confidence"


def curves(
    rows: pd.DataFrame, metric: str = "sdr", *, data: str | None = None, conditions: Sequence[str] | None = None,
    at: str | None = None, group: str = "paper", methods: Sequence[str] | None = None, caption: str = "",
) -> Picture:  # fmt: skip
    """Draw a measure by query for each method: the mean over models, one panel per condition.

    The interval between models is a band about the first method alone. Where a line of SDR lies at ten times another,
    the axis is logarithmic.

    Parameters
    ----------
    rows : rows of the chapter, with the table "curves" (level = queries, of single models; means and intervals are
        taken here where the rows have none), and "panel" (pool sdr) for the dashed line.
    metric : "sdr", "mean of ratios", "spread", "errors" or "utility".
    data : which image set; None for all.
    conditions : which; None for each mechanism's control and strongest dose.
    at : the critical class; None takes of each image set the paper's, else its first.
    group : which searches: "paper", those that it compares and those of a reader's own (all, where rows have none of
        them); "distances", Adversarial Distance and what differs from it in one thing; "scores", other scores in place
        of the distance; "rivals", all forms of the others that read answers.
    methods : which; None for those of the group that have rows.

    Raises
    ------
    MistrustError
        An unknown metric or group; there are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> models = [{"level": at, "seed": seed, "value": 2 + seed / 10} for at in (1, 20, 50) for seed in range(5)]
    >>> held = rows.table(models, table="curves", metric="sdr", method="random", condition="gray/gray", at="cat")
    >>> print(curves(held).alt.partition("all. ")[2])
    Shift to grey, grey images, critical class cat: Random 2.20 at 20 queries and 2.20 (2.01 to 2.40) at 50.
    """
    what = "searches query by query"
    check_known("measure by query", metric, _MEASURES)
    check_known("group of searches", group, GROUPS)
    title, pooled = _MEASURES[metric]
    held = of(rows, "curves", what, data=data, at=at, metric=metric)
    there = conditions_in(held["condition"])
    shown = wanted(conditions, there, what) if conditions is not None else outermost(there)
    held = held[held["condition"].isin(shown)]
    names = _methods(methods, held, group, what)
    held = _over_models(_as_far_as_all(held[held["method"].isin(names)]))
    pool = _pool(rows, held) if pooled else held[:0]
    alike = _alike(rows, held) if metric == "sdr" and AD in names else {}
    looks = _looks(names)
    columns = min(2, len(shown))
    lines = -(-len(shown) // columns)
    with style():
        drawn = figure(lines * (2.5 if columns == 2 else 3.1) + 0.6 + 0.24 * -(-(len(names) + 2 * pooled) // columns))
        panels = drawn.subplots(lines, columns, squeeze=False, sharex=True)
        said = []
        for axes, name in zip(panels.ravel(), shown, strict=False):
            own = held[held["condition"] == name]
            _panel(axes, own, looks, f"{words(mechanism(name))}\n{words(name)}\ncritical class {own['at'].iloc[0]}")
            beside = pool[pool["condition"] == name]
            for value in numbers(beside["value"]):
                # On top: random search runs along it and would hide it.
                axes.axhline(value, color="#aaaaaa", lw=1.6, ls=(0, (4, 2)), zorder=4, label="the whole pool")
            for level, value in alike.get(name, {}).items():
                axes.plot(level, value, "D", color=colour(AD), mfc="white", ms=6, zorder=5, label=_ALIKE)
            said.append(_told(own, beside, names, name) + _equal(alike.get(name, {})))
        if pooled:
            for axes in panels.ravel()[: len(shown)]:
                axes.axhline(1, color="black", lw=0.7, zorder=1, label="1: calibrated")
        log = pooled and _far_apart(held)
        for line in panels:
            _level([axes for axes in line if axes.lines], log=log)
        for axes in panels.ravel()[len(shown) :]:
            axes.axis("off")
        for axes in panels.ravel()[: len(shown)][-columns:]:
            axes.tick_params(labelbottom=True)
            axes.set_xlabel("queries")
        title += " (logarithmic)" * log
        drawn.supylabel(title, fontsize=12)
        _name(drawn, panels.ravel(), names, columns)
        alt = (
            f"Curves of {title} against the number of queries, 1 to {held['level'].max():g}, one panel per condition, "
            f"{len(shown)} in all. {_highest(held, shown)}{' '.join(said)}"
        )
        return picture(drawn, alt, caption, f"fig-curves-{metric.replace(' ', '-')}", held)


def _highest(held: pd.DataFrame, shown: Sequence[str]) -> str:
    """Say which methods are highest at the end of how many panels; "" for one method."""
    if held["method"].nunique() < 2:
        return ""
    ends = held[held["level"] == held["level"].max()].reset_index(drop=True)
    best = ends.loc[ends.groupby("condition")["value"].idxmax(), "method"].value_counts(sort=False)
    best = best.sort_index().sort_values(ascending=False, kind="stable")
    each = and_so_on(f"{words(str(name))} in {count}" for name, count in best.items())
    return f"Highest at {held['level'].max():g}: {each} of {len(shown)} panels. "


def _name(drawn: Figure, panels: Iterable[Axes], names: Sequence[str], columns: int) -> None:
    """Write a legend beneath: methods in their order, then the lines that are no method."""
    held = [axes.get_legend_handles_labels() for axes in panels]
    known = {text: line for lines, texts in held for line, text in zip(lines, texts, strict=True)}
    order = [short(name) for name in names if short(name) in known]
    order += [text for text in known if text not in order]
    legend_beneath(
        drawn,
        [known[text] for text in order],
        order,
        ncols=columns,
        columnspacing=0.9,
        handlelength=2,
        fontsize=11,
        labelspacing=0.35,
    )


def _as_far_as_all(held: pd.DataFrame) -> pd.DataFrame:
    """Leave out what lies beyond the last of `AT` where some models have it and others do not: the mean would jump."""
    panel, single = ["data", "network", "condition", "at"], held["seed"].notna()
    models = held[single].groupby(panel)["seed"].transform("nunique")
    there = held[single].groupby([*panel, "method", "metric", "level"])["seed"].transform("nunique")
    few = (there < models).reindex(held.index, fill_value=False)
    return held[~(few & (held["level"] > AT[-1]))]


def _over_models(held: pd.DataFrame) -> pd.DataFrame:
    """Give one row per method and number of queries: the mean over models with its interval, the rows' own first."""
    there, single = held[held["seed"].isna()], held[held["seed"].notna()]
    taken = tidy.table(means(single, BY, lambda row: SCALE.get(row["metric"], "identity"))) if len(single) else single
    return pd.concat([one for one in (there, taken) if len(one)]).drop_duplicates(BY).sort_values("level")


def _methods(methods: Sequence[str] | None, held: pd.DataFrame, group: str, what: str) -> list[str]:
    there = in_order(held["method"])
    if methods is not None:
        return wanted(methods, there, what)
    # Searches that the book does not know stand beside the paper's, scores that it does not know beside its scores.
    added = [name for name in there if name not in METHODS and name.startswith(PREFIX) == (group == "scores")]
    added = added if group in ("paper", "scores") else []
    found = [name for name in there if name in (*GROUPS[group], *added)]
    if group == "paper":
        return found or there
    # Adversarial Distance alone is the mark without what it is a mark for.
    some([name for name in found if name != AD], f"{what}, {group}")
    return found


def _pool(rows: pd.DataFrame, held: pd.DataFrame) -> pd.DataFrame:
    """Rows of the SDR of the pools that are searched; none where the rows have none."""
    found = rows[(rows["table"] == "panel") & (rows["metric"] == "pool sdr")]
    keys = ["data", "network", "condition", "at"]
    there = set(held[keys].itertuples(index=False, name=None))
    kept = [key in there for key in found[keys].itertuples(index=False, name=None)]
    found = found[np.array(kept, dtype=bool)]
    return _over_models(found) if len(found) else found


def _alike(rows: pd.DataFrame, held: pd.DataFrame) -> dict[str, dict[float, float]]:
    """SDR that pool members of equal confidence would give Adversarial Distance, by condition and number of queries.

    The mean over models of each model's ratio, as the line beside it is.
    """
    found = rows[(rows["table"] == "searches") & (rows["method"] == AD) & rows["seed"].notna()]
    found = found[found["metric"].isin(["expected", "expected alike"])]
    keys = ["data", "network", "condition", "at"]
    there = set(held[keys].itertuples(index=False, name=None))
    kept = [key in there for key in found[keys].itertuples(index=False, name=None)]
    found = found[np.array(kept, dtype=bool)]
    of_model = found.pivot(index=[*keys, "seed", "level"], columns="metric", values="value")
    if not {"expected", "expected alike"} <= set(of_model.columns):
        return {}
    given: dict[str, dict[float, float]] = {}
    ratios = (of_model["expected alike"] / of_model["expected"]).dropna().groupby(level=["condition", "level"]).mean()
    for name, level, ratio in ratios.reset_index(name="ratio").itertuples(index=False, name=None):
        given.setdefault(str(name), {})[float(level)] = float(ratio)
    return given


def _equal(alike: Mapping[float, float]) -> str:
    each = [f"{two(value)} at {level:g}" for level, value in sorted(alike.items())]
    return f" Pool members with the confidences of Adversarial Distance's queries: {and_so_on(each)}." if each else ""


def _looks(names: Sequence[str]) -> dict[str, str]:
    """Give each method its colour; where two are of one family, whose colour would be one, each one of its own."""
    found = {name: colour(name) for name in names}
    several = (*PALETTE, GREY)
    alike = len(set(found.values())) < len(names) <= len(several)
    return dict(zip(names, several, strict=False)) if alike else found


def _panel(axes: Axes, own: pd.DataFrame, looks: Mapping[str, str], title: str) -> None:
    for place, (name, hue) in enumerate(reversed(list(looks.items()))):  # the first lies above the others
        line = own[own["method"] == name]
        if line.empty:
            continue
        # Hue alone tells nothing on grey paper, nor to many readers.
        at = list(looks).index(name)
        if at == 0:  # bands of all would lie above each other and hide what they are of
            axes.fill_between(line["level"], line["low"], line["high"], color=hue, alpha=0.15, lw=0, zorder=1)
        look = {"color": hue, "ls": DASHES[at % len(DASHES)], "marker": MARKERS[at % len(MARKERS)]}
        axes.plot(line["level"], line["value"], **look, lw=2.2, ms=5.5, mec="none", label=short(name),
                  zorder=2 + 0.01 * place)  # fmt: skip
    axes.set_title(title, fontsize=11.5)
    axes.set_xlim(0, own["level"].max() + 1)
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))


def _far_apart(held: pd.DataFrame) -> bool:
    """Whether in any panel a line lies at ten times another once both have settled: on one scale the lower is flat."""
    settled = held[(held["level"] >= _SETTLED) & (held["value"] > 0)]
    ends = settled.groupby(["condition", "level"])["value"].agg(["min", "max"])
    return bool((ends["max"] >= _FAR * ends["min"]).any())


def _level(line: Sequence[Axes], *, log: bool = False) -> None:
    """Give the panels beside each other one height: what all lines reach once they have settled, and a third more."""
    ends = []
    for one in [one for axes in line for one in axes.lines]:
        across, up = numbers(np.asarray(one.get_xdata())), numbers(np.asarray(one.get_ydata()))
        # A level line goes from 0 to 1 of the panel's width.
        ends.append(up[across >= _SETTLED] if across.max() >= _SETTLED else up)
    reached = np.concatenate(ends)
    for axes in line:
        if log:
            least, most = float(reached[reached > 0].min()) / 1.3, 1.3 * float(reached.max())
            axes.set_yscale("log")
            axes.set_ylim(least, most)
            axes.yaxis.set(
                major_locator=FixedLocator([one for one in _TICKS if least <= one <= most]),
                minor_locator=NullLocator(), major_formatter="{x:g}",
            )  # fmt: skip
        else:
            axes.set_ylim(0, 1.3 * float(reached.max()))


def _told(own: pd.DataFrame, pool: pd.DataFrame, names: Sequence[str], condition: str) -> str:
    """Write a panel: each method at 20 queries and at the last, with the interval there."""
    last = float(own["level"].max())
    each = []
    for name in names:
        line = own[own["method"] == name]
        early = [f"{two(value)} at {level:g} queries" for level in AT if level < last
                 for value in numbers(line[line["level"] == level]["value"])]  # fmt: skip
        end = line[line["level"] == line["level"].max()]
        if len(line):
            late = f"{estimate(end, two)} at {line['level'].max():g}"
            each.append(f"{words(name)} {and_so_on([*early, late])}")
    some(each, "searches query by query")
    beside = f"; the whole pool {estimate(pool, two)}" if len(pool) else ""
    return f"{told(condition)}, critical class {own['at'].iloc[0]}: {'; '.join(each)}{beside}."
