"""How far accuracy falls: one small panel per perturbation, and all of it as one heat map (Figures 5 and 7)."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from mistrust.figures.misclassification.heat import heat
from mistrust.figures.misclassification.parts import ALL, condition_title, perturbations_in
from mistrust.figures.parts import by_network, network_lines, of_network, some
from mistrust.figures.style import PALETTE, Picture, figure, picture, style
from mistrust.rows import select


def accuracy_by_level(rows: pd.DataFrame, beside: pd.DataFrame | None = None, *, caption: str = "") -> Picture:
    """Draw accuracy against level, one small panel per perturbation: the mean over networks bold, each network thin.

    Parameters
    ----------
    rows : rows of the chapter, with the table "accuracy".
    beside : rows of another run, whose mean is drawn dashed; what only it has gets a panel as well.

    Raises
    ------
    MistrustError
        There is no accuracy under a perturbation.

    Examples
    --------
    >>> from mistrust import rows
    >>> fog = {"table": "accuracy", "metric": "accuracy", "condition": "perturbed/fog", "seed": 0}
    >>> found = rows.table([{"level": 1, "value": 0.9}, {"level": 2, "value": 0.4}], **fog)
    >>> accuracy_by_level(found).alt.partition("one panel per perturbation. ")[2]
    'Fog: 90.0% at level 1, 40.0% at level 2.'
    """
    found = select(rows, table="accuracy", metric="accuracy")
    other = found.iloc[:0] if beside is None else select(beside, table="accuracy", metric="accuracy")
    both = pd.concat([found, other])
    conditions = perturbations_in(both)
    some(conditions, "accuracy under perturbations")
    wide = [ALL] if (both["condition"] == ALL).any() else []
    levels = sorted({int(level) for level in both["level"].dropna()})
    columns = min(2, len(conditions))
    lines = -(-len(conditions) // columns)
    said: list[str] = []
    with style():
        drawn = figure((1.5 if columns == 2 else 2.6) * lines + 1.6 * len(wide) + 0.8)
        cells = drawn.add_gridspec(lines + len(wide), columns)
        for index, condition in enumerate([*conditions, *wide]):
            line, column = divmod(index, columns)
            mean_of_all = condition == ALL
            axes: Axes = drawn.add_subplot(cells[-1, :] if mean_of_all else cells[line, column])
            said.append(_panel(axes, found, other, condition))
            _scales(axes, levels)
            lowest = mean_of_all or index + columns >= len(conditions)
            axes.tick_params(labelleft=mean_of_all or column == 0, labelbottom=lowest)
        drawn.supylabel("accuracy (%)", fontsize=12)
        drawn.supxlabel("level of the perturbation", fontsize=12)
        drawn.legend(handles=_key(beside is not None), loc="outside upper center", ncols=3, frameon=False)
        dashed = "" if beside is None else " A dashed line is the mean of this run."
        alt = f"Line plots of accuracy in per cent by level, one panel per perturbation. {' '.join(said)}{dashed}"
        return picture(drawn, alt, caption, "fig-accuracy")


def accuracy_heat_map(rows: pd.DataFrame, *, seed: int | None = None, caption: str = "") -> Picture:
    """Draw accuracy in per cent, one row per perturbation, one column per level: the paper's Figure 7.

    Parameters
    ----------
    rows : rows of the chapter, with the table "accuracy".
    seed : the network's seed; None for the mean over networks.

    Raises
    ------
    MistrustError
        There is no accuracy under a perturbation.

    Examples
    --------
    >>> from mistrust import rows
    >>> last = [{"condition": "perturbed/fog", "value": 0.4}, {"condition": "perturbed/snow", "value": 0.7}]
    >>> found = rows.table(last, table="accuracy", metric="accuracy", level=2, seed=0)
    >>> accuracy_heat_map(found, seed=0).alt.rpartition("last level ")[2]
    'Fog is lowest with 40.0%, Snow highest with 70.0%.'
    """
    found = of_network(select(rows, table="accuracy", metric="accuracy"), seed)
    conditions = perturbations_in(found)
    some(conditions, "accuracy under perturbations")
    here = found[found["condition"].isin([*conditions, ALL])]
    table = here.pivot(index="condition", columns="level", values="value")
    shown = table.reindex([*conditions, *([ALL] if ALL in table.index else [])])
    titles = [condition_title(str(condition)) for condition in shown.index]
    said = [f"{title} {_ends(row.dropna())}" for title, (_, row) in zip(titles, shown.iterrows(), strict=True)]
    ordered = shown.loc[conditions].iloc[:, -1].dropna().sort_values()
    alt = (
        f"Heat map of accuracy in per cent, one row per perturbation, one column per level. {'; '.join(said)}. At the "
        f"last level {condition_title(str(ordered.index[0]))} is lowest with {ordered.iloc[0]:.1%}, "
        f"{condition_title(str(ordered.index[-1]))} highest with {ordered.iloc[-1]:.1%}."
    )
    with style():
        drawn = figure(0.31 * len(titles) + 0.9)
        axes: Axes = drawn.subplots()
        values = 100 * np.asarray(shown, dtype=np.float64)
        heat(axes, values, titles, [f"{level:.0f}" for level in shown.columns], 100, size=11)
        axes.set_aspect("auto")
        axes.set_xlabel("level of the perturbation")
        if len(titles) > len(conditions):  # the mean is no perturbation: a line keeps it apart
            axes.axhline(len(conditions) - 0.5, color="white", lw=4)
        return picture(drawn, alt, caption, "fig-accuracy-map")


def _panel(axes: Axes, found: pd.DataFrame, other: pd.DataFrame, condition: str) -> str:
    """Draw one perturbation and tell what it shows."""
    lines, dashed = (f[f["condition"] == condition].sort_values("level") for f in (found, other))
    title = condition_title(condition)
    mean = network_lines(axes, lines.assign(low=float("nan")), "level", colour=PALETTE[0])
    mean_beside = by_network(dashed)[0]
    point = "o" if len(mean_beside) == 1 else None
    axes.plot(mean_beside["level"], 100 * mean_beside["value"], color="black", lw=1.5, ls="--", marker=point)
    ground = {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 1}
    axes.text(0.03, 0.05, title, transform=axes.transAxes, bbox=ground)
    return _fall(title, mean, lines) if len(mean) else _fall(f"{title}, this run", mean_beside, dashed)


def _scales(axes: Axes, levels: list[int]) -> None:
    axes.set_ylim(0, 104)
    axes.set_yticks([0, 50, 100])
    axes.set_xlim(levels[0] - 0.4, levels[-1] + 0.4)
    # Panels are narrow: first, middle and last level are enough to read the others off.
    axes.set_xticks(sorted({levels[0], levels[(len(levels) - 1) // 2], levels[-1]}))
    axes.set_xticks(levels, minor=True)


def _key(beside: bool) -> list[Line2D]:
    key = [Line2D([], [], color=PALETTE[0], lw=2.5, label="mean"), Line2D([], [], color=PALETTE[0], lw=0.8)]
    key[1].set_label("one network")
    return [*key, Line2D([], [], color="black", lw=1.5, ls="--", label="this run")] if beside else key


def _fall(title: str, mean: pd.DataFrame, lines: pd.DataFrame) -> str:
    """Say where a line begins and ends, and how far the networks lie apart at its end."""
    first, last = mean.iloc[0], mean.iloc[-1]
    end = lines[(lines["level"] == last["level"]) & lines["seed"].notna()]["value"]
    spread = f", where single networks range from {end.min():.1%} to {end.max():.1%}" if len(end) > 1 else ""
    if len(mean) == 1:
        return f"{title}: {last['value']:.1%} at level {last['level']:.0f}{spread}."
    return (
        f"{title}: {first['value']:.1%} at level {first['level']:.0f}, {last['value']:.1%} at level "
        f"{last['level']:.0f}{spread}."
    )


def _ends(line: pd.Series) -> str:
    if len(line) == 1:
        return f"{line.iloc[0]:.1%} at level {line.index[0]:.0f}"
    return f"{line.iloc[0]:.1%} at level {line.index[0]:.0f} to {line.iloc[-1]:.1%} at level {line.index[-1]:.0f}"
