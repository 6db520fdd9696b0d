"""What each scorer costs: passes beyond the answer, what it keeps, and time, where a benchmark measured it."""

import pandas as pd

from mistrust.comparison.costs import measured
from mistrust.comparison.scorers import SCORERS
from mistrust.comparison.troubles import NOMINAL
from mistrust.figures.comparison.parts import in_order, of, share, short, tidy_bytes, words
from mistrust.figures.interactive import Interactive, table
from mistrust.figures.parts import and_so_on
from mistrust.figures.written import many

SECONDS, PEAK = "seconds an image", "peak megabytes"


def cost(rows: pd.DataFrame, benchmark: pd.DataFrame, *, data: str | None = None, caption: str = "") -> Interactive:
    """Show one line per scorer, with its mean AUROC over kinds of bad input beside what it costs.

    Parameters
    ----------
    rows : rows of the chapter, with the tables "cost" and "detection".
    benchmark : rows of `benchmarks/comparison.py` (metrics "seconds an image" and "peak megabytes"); none leaves their
        columns out. Those of this image set count, else of what stands in for it (`mistrust.comparison.costs`). Peaks
        of fewer images than others' are left out: they are lower for that alone.
    data : which image set; None for the first.

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> costs = [{"table": "cost", "metric": "passes", "value": 80}, {"table": "cost", "metric": "bytes", "value": 0}]
    >>> found = [{"table": "detection", "metric": "auroc", "value": 0.97, "condition": "noise"},
    ...          {"table": "detection", "metric": "alarms", "value": 0.04, "condition": "nominal"}]
    >>> made = rows.table(costs + found, data="mnist", method="boundary_distance")
    >>> shown = cost(made, rows.empty())  # no benchmark was run: no columns of time and memory
    >>> shown.title, shown.alt.split("kept. ")[1]
    ('What scorers cost, MNIST', 'No further pass: no scorer. Most passes: Distance to the boundary (DeepFool), 80.')
    """
    held = of(rows, "cost", "cost of scorers", data=data)
    name = str(held["data"].iloc[0])
    passes = held[held["metric"] == "passes"].set_index("method")["value"]
    kept = held[held["metric"] == "bytes"].set_index("method")["value"]
    found = of(rows, "detection", "cost of scorers", data=name, metric="auroc")
    mean = found.groupby("method")["value"].mean()
    false = of(rows, "detection", "cost of scorers", data=name, metric="alarms", condition=NOMINAL)
    false = false.set_index("method")[["value", "low", "high"]]
    names = in_order(passes.index)
    columns: dict[str, list[float]] = {
        "mean AUROC": [float(mean.get(one, float("nan"))) for one in names],
        "false alarms": [float(value) for value in false["value"].reindex(names)],
        "passes": [float(passes[one]) for one in names],
        "keeps": [float(kept[one]) for one in names],
    }
    texts = {
        "false alarms": [share(*line) for line in false.reindex(names).itertuples(index=False, name=None)],
        "passes": [f"{value:.0f}" for value in columns["passes"]],
        "keeps": [tidy_bytes(value) for value in columns["keeps"]],
    }
    for metric, head, write in ((SECONDS, "time", seconds), (PEAK, "peak memory", _megabytes)):
        last = measured(benchmark, metric, name)
        if metric == PEAK:
            last = last[last["n"] == last["n"].max()]
        if len(last):
            columns[head] = [float(last["value"].get(one, float("nan"))) for one in names]
            texts[head] = [write(value) for value in columns[head]]
    dear = max(names, key=lambda one: passes[one])
    free = [words(one) for one in names if passes[one] == 0]
    alt = (
        f"Table of {many(len(names), 'scorer')}: mean AUROC over kinds of bad input, false alarms, passes of "
        "the network "
        "beyond the one that gives the prediction, and what is kept. No further pass: "
        f"{and_so_on(free) if free else 'no scorer'}. Most passes: {words(dear)}, {passes[dear]:.0f}."
    )
    return table(
        {"scorer": [short(one) for one in names], **columns, "family": [SCORERS[one].family for one in names]},
        title=f"What scorers cost, {words(name)}",
        alt=alt, texts=texts, shades={"mean AUROC": (0.5, 1.0)}, digits=2, missing="–", caption=caption,
    )  # fmt: skip


def seconds(value: float) -> str:
    """Write a time: "12 µs", "3.4 ms", "1.2 s"; "not run" where there is none."""
    if pd.isna(value):
        return "not run"
    for size, unit in ((1.0, "s"), (1e-3, "ms")):
        if value >= size:
            return f"{value / size:.1f} {unit}"
    return f"{value * 1e6:.0f} µs"


def _megabytes(value: float) -> str:
    return "–" if pd.isna(value) else f"{value:.1f} MB"
