"""All monitors on one page: how well each detects each category of faults."""

import pandas as pd

from mistrust.errors import UnknownName
from mistrust.figures.interactive import Interactive, table
from mistrust.figures.monitoring.parts import CATEGORIES, EVERY, family, in_order, of, short, words
from mistrust.figures.parts import and_so_on, by_network, some
from mistrust.figures.supervisors.parts import LETTERS

# Of the lightest and the darkest cell; whether the greatest value is the best.
_METRICS = {"auroc": ((0.5, 1.0), True), "fnr": ((1.0, 0.0), False), "mcc": ((0.0, 1.0), True)}
_SAID = {
    "auroc": "AUROC (0.5 by chance)",
    "fnr": "misses (the share of images that should alarm and do not)",
    "mcc": "Matthews' correlation (0 by chance)",
}


def everyone(
    rows: pd.DataFrame,
    metric: str = "auroc",
    *,
    at: str = "ood",
    data: str | None = None,
    network: str | None = None,
    caption: str = "",
) -> Interactive:
    """Show every monitor's mean over the benchmark sets of each category, as a table that sorts.

    Parameters
    ----------
    rows : rows of the chapter, with the tables "summary" and, for false alarms, "nominal".
    metric : "auroc", "fnr" or "mcc".
    at : what should alarm: "ood", what is out of distribution, or "failures", wrong predictions.
    data, network : which image set and classifier; None for the first.

    Raises
    ------
    MistrustError
        There are no such rows, or another metric.

    Examples
    --------
    >>> from mistrust import rows
    >>> common = {"table": "summary", "data": "mnist5k", "network": "farm-lenet", "condition": "shift/mean"}
    >>> found = [{"method": "odin", "value": 0.7}, {"method": "max_softmax", "value": 0.9}]
    >>> everyone(rows.table(found, metric="auroc", at="ood", **common)).alt.rpartition(". ")[2]
    'Best: Shift Max Softmax 0.90.'
    """
    if metric not in _METRICS:
        raise UnknownName("metric of this figure", metric, _METRICS)
    what = f"{metric} of all monitors by category"
    found = of(rows, ("summary", "nominal"), what, data=data, network=network)
    held = by_network(found[(found["table"] == "summary") & (found["metric"] == metric) & (found["at"] == at)])[0]
    some(held, what)
    shades, largest = _METRICS[metric]
    kinds = {one.partition("/")[0] for one in held["condition"]}
    shown = [one for one in (*CATEGORIES, EVERY) if one in kinds]
    wide = held.assign(kind=held["condition"].str.partition("/")[0]).pivot(
        index="method", columns="kind", values="value"
    )
    names = in_order(wide.index)
    columns = {words(one): [float(v) for v in wide.loc[names, one]] for one in shown}
    alarms = by_network(found[(found["table"] == "nominal") & (found["metric"] == "fpr")])[0]
    false = alarms[alarms["condition"] == "nominal"].set_index("method")["value"]
    best = []
    for one in shown:
        column = wide[one].dropna()
        top = str(column.idxmax() if largest else column.idxmin())
        best.append(f"{words(one)} {words(top)} {column[top]:.2f}")
    where = words(held["data"].iloc[0])
    alt = (
        f"Table of {len(names)} monitors and variants by {_SAID[metric]}: means over the benchmark sets of each of "
        f"{len(shown) - (EVERY in shown)} categories, {where}. Best: {and_so_on(best)}."
    )
    return table(
        {
            "monitor": [_cell(name) for name in names],
            **columns,
            "false alarms": [float(false.get(name, float("nan"))) for name in names],
            "family": [family(name) for name in names],
        },
        title=f"All monitors by category, {where}: {_SAID[metric]}",
        alt=alt,
        texts={"false alarms": [f"{false[n]:.1%}" if n in false else "–" for n in names]},
        shades=dict.fromkeys(columns, shades),
        digits=2,
        missing="–",
        caption=f"{caption} {LETTERS}".strip(),
    )


def _cell(name: str) -> str:
    """Give a short name; the words of a variant stay together."""
    own, comma, variant = short(name).partition(", ")
    return f"{own}{comma}" + variant.replace(" ", "\u00a0")
