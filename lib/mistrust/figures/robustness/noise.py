"""What the unsaid choices do: noise fixed or fresh, clipped or not."""

import pandas as pd

from mistrust.figures.dots import dot, estimate, name_lines
from mistrust.figures.parts import and_so_on, means, some, sorted_rows
from mistrust.figures.robustness.parts import ALL, grouped_lines, in_order, of, words
from mistrust.figures.style import MARKERS, PALETTE, Picture, figure, legend_beneath, picture, style
from mistrust.figures.written import plain
from mistrust.robustness.noise import VARIANTS
from mistrust.rows import select

_LINE = 0.5  # inches


def noise(rows: pd.DataFrame, *, metric: str = "capped mean", data: str | None = None, caption: str = "") -> Picture:
    """Draw breaking noise by all variants of noise, for every network that was tried with several.

    Parameters
    ----------
    rows : rows of the chapter, with the table "random".
    metric : "capped mean", "mean" (of those that broke) or "median".
    data : which image set; None for the first.

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [{"method": "fixed-clipped", "value": 80}, {"method": "fresh-clipped", "value": 60}]
    >>> common = {"table": "random", "metric": "capped mean", "data": "mnist", "network": "vgg9-w16"}
    >>> noise(rows.table(found, **common)).alt.partition("interval. ")[2]
    'VGG-9 w16: fixed noise, clipped 80 and fresh noise, clipped 60.'
    """
    held = of(rows, "random", "variants of noise", data=data, metric=metric)
    tried = held[held["method"].isin(VARIANTS)].groupby("network")["method"].nunique()
    names = in_order(tried[tried > 1].index)
    some(names, "variants of noise")
    labels, at = grouped_lines(names)
    there = [one for one in VARIANTS if one in set(held[held["network"].isin(names)]["method"])]
    said = []
    with style():
        drawn = figure(_LINE * len(names) + 0.27 * (len(labels) - len(names)) + 1.5)
        axes = drawn.subplots()
        # Heads are thin, networks are wide: four dots stand in a line.
        labels, at = _spaced(labels, dict(at))
        for index, variant in enumerate(there):
            shown = {"colour": PALETTE[0] if variant.startswith("fixed") else PALETTE[1],
                     "marker": MARKERS[0] if variant.endswith("-clipped") else MARKERS[3]}  # fmt: skip
            hollow = not variant.endswith("-clipped")
            for name in names:
                own = held[(held["network"] == name) & (held["method"] == variant)]
                dot(axes, own, at[name] + 0.2 * (index - (len(there) - 1) / 2), hollow=hollow, **shown)
            axes.plot([], [], shown["marker"], color=shown["colour"], mfc="white" if hollow else shown["colour"],
                      ms=7, mew=1.5, label=words(variant))  # fmt: skip
        for name in names:
            own = held[held["network"] == name]
            held_by = {v: own[own["method"] == v] for v in there}
            each = (f"{words(v)} {estimate(one, plain)}" for v, one in held_by.items() if len(one))
            said.append(f"{words(name)}: {and_so_on(each)}.")
        name_lines(axes, labels)
        axes.set_ylim(labels[-1][0] + 0.6, -0.35)
        axes.set_xlim(left=0)
        axes.set_xlabel(f"breaking σ, {metric} (grey levels)")
        legend_beneath(drawn, ncols=2, handletextpad=0.2, columnspacing=1)
        alt = (
            f"Dot plot of breaking noise by {len(there)} variants of noise on {words(held['data'].iloc[0])}, {metric} "
            f"in grey levels with interval. {' '.join(said)}"
        )
        return picture(drawn, alt, caption, "fig-noise", held[held["network"].isin(names)])


Labels = list[tuple[float, str, bool]]


def _spaced(labels: Labels, at: dict[str, float]) -> tuple[Labels, dict[str, float]]:
    """Give heads half a line."""
    where: dict[float, float] = {}
    y = 0.0
    for place, _, head in labels:
        where[place] = y if head else y + 0.2
        y += 0.55 if head else 1.0
    return [(where[place], text, head) for place, text, head in labels], {n: where[v] for n, v in at.items()}


def ratios(
    rows: pd.DataFrame, variant: str, other: str, *, metric: str = "capped mean", data: str = "fmnist"
) -> pd.DataFrame:
    """Give breaking noise by one variant of noise over that by another: one row per network, columns network and value.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [{"method": "fixed-clipped", "value": 80}, {"method": "fresh-clipped", "value": 60}]
    >>> common = {"table": "random", "metric": "capped mean", "data": "mnist", "network": "vgg9-w16"}
    >>> held = rows.table(found, condition="all", **common)
    >>> ratios(held, "fresh-clipped", "fixed-clipped", data="mnist").values.tolist()
    [['vgg9-w16', 0.75]]
    """
    held = select(rows, table="random", metric=metric, data=data, condition=ALL, method=[variant, other])
    wide = means(sorted_rows(held)).pivot(index="network", columns="method", values="value")
    wide = wide.reindex(columns=[variant, other]).dropna()
    return (wide[variant] / wide[other]).rename("value").reset_index()
