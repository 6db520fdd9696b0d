"""How well each supervisor tells each kind of bad input from nominal ones: the paper's Table II as a heat map."""

from collections.abc import Mapping

import pandas as pd

from mistrust.errors import MistrustError
from mistrust.figures.interactive import Interactive, table
from mistrust.figures.parts import and_so_on, by_network, some
from mistrust.figures.supervisors.parts import LETTERS, cell, conditions_in, data_in, family, in_order, kind, of, words
from mistrust.figures.written import many
from mistrust.rows import select

SHADES = (0.5, 1.0)  # from chance to perfect; what is worse than chance is as light as chance
_ADDED = "†"
_NOTE = (
    f"{_ADDED} Not in the paper, whose table is empty here: the examples were made against the classifier, which is "
    "one member of the ensemble, so they are only partly transferred to the others."
)


def detection(
    rows: pd.DataFrame,
    *,
    network: str = "all",
    own: Mapping[str, Mapping[str, float]] | None = None,
    caption: str = "",
) -> Interactive:
    """Show the AUROC of every supervisor on every kind of bad input, the mean over runs, as a table that sorts.

    Parameters
    ----------
    rows : rows of the chapter, with the table "detection", of one image set or more.
    network : which architecture; "all" is the mean over them, or the only one that there is. A supervisor that one of
        them cannot have has no mean: its cells stay empty.
    own : lines beneath those of the rows: a supervisor's name, and its AUROC by kind of bad input ("invalid"), the same
        for each image set.

    Raises
    ------
    MistrustError
        There are no such rows; an own line that is no AUROC by kind.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [
    ...     {"method": "max_softmax", "condition": "ambiguous/ambiguess", "value": 0.92},
    ...     {"method": "dsa", "condition": "ambiguous/ambiguess", "value": 0.7},
    ...     {"method": "max_softmax", "condition": "invalid/other", "value": 0.81},
    ...     {"method": "dsa", "condition": "invalid/other", "value": 0.96},
    ... ]
    >>> made = detection(rows.table(found, table="detection", metric="auroc", data="mnist", network="all"))
    >>> made.alt.partition("chance. ")[2]
    'Best: Max Softmax 0.92 (Ambiguous) and DSA 0.96 (Invalid).'
    """
    held = select(rows, table="detection", metric="auroc")
    some(held, "detection of bad inputs")
    sets = data_in(held)
    names, yours = in_order(held["method"]), own or {}
    for name, each in yours.items():
        if not isinstance(each, (Mapping, pd.Series)):
            raise MistrustError(
                f"own has a {type(each).__name__} of '{name}', expected its AUROC by kind of bad input: of a table of "
                "`beside`, table.set_index('supervisor').loc['yours']."
            )
    columns: dict[str, list[float]] = {}
    texts: dict[str, list[str]] = {}
    said = []
    for data in sets:
        mean = by_network(of(held, "detection", "detection of bad inputs", data=data, network=network))[0]
        for condition in conditions_in(mean):
            values = mean[mean["condition"] == condition].set_index("method")["value"]
            head = words(condition) if len(sets) == 1 else f"{words(data)} {words(condition).lower()}"
            columns[head] = [float(values.get(name, float("nan"))) for name in names]
            columns[head] += [float(each.get(kind(condition), float("nan"))) for each in yours.values()]
            if kind(condition) == "adversarial" and any(map(_added, set(values.index))):
                lines = [*names, *("" for _ in yours)]
                texts[head] = [_marked(name, value) for name, value in zip(lines, columns[head], strict=True)]
            said.append(f"{words(str(values.idxmax()))} {values.max():.2f} ({head})")
    kinds = len(conditions_in(held))
    alt = (
        f"Table of {many(len(names), 'supervisor')} by family and the AUROC with which each separates {kinds} "
        f"kind{'s' * (kinds > 1)} of bad inputs from nominal ones, 0.5 by chance. Best: {and_so_on(said)}."
    )
    return table(
        {
            "supervisor": [*(cell(name) for name in names), *yours],
            **columns,
            "family": [*(family(name) for name in names), *("yours" for _ in yours)],
        },
        title=f"AUROC of every supervisor on every kind of bad input{_of(sets)}",
        alt=alt,
        texts=texts,
        shades=dict.fromkeys(columns, SHADES),
        digits=2,
        missing="–",
        caption=" ".join(filter(None, (caption, _NOTE if texts else "", LETTERS))),
    )


def _added(name: str) -> bool:
    return family(name) == "ensemble"


def _marked(name: str, value: float) -> str:
    """A cell of the adversarial column: what the paper leaves out is marked."""
    if pd.isna(value):
        return "–"
    return f"{value:.2f}{_ADDED if name and _added(name) else ''}"


def _of(sets: list[str]) -> str:
    return f", {words(sets[0])}" if len(sets) == 1 else ""
