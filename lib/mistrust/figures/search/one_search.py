"""Searches of one pool, query by query, read out of the rows: what was asked, in order, and what came of it."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from mistrust.errors import MistrustError
from mistrust.figures.called import subjects
from mistrust.figures.parts import numbers, one_of, some
from mistrust.figures.search.parts import classes_in, conditions_in, data_in, in_order, strongest, told, words
from mistrust.rows import select

_WHAT = "search query by query"


@dataclass(frozen=True)
class Query:
    """One query.

    Attributes
    ----------
    number : from 1 on.
    note : the image, packed (`mistrust.pictures`).
    wrong : whether the prediction is an error.
    confidence : in (0, 1].
    errors, expected : found so far, and what the confidences so far lead to expect (the sum of 1 - confidence).
    sdr : errors over expected; NaN where none is expected.
    """

    number: int
    note: str
    wrong: bool
    confidence: float
    errors: int
    expected: float
    sdr: float


@dataclass(frozen=True)
class Asked:
    """Searches of one pool: that of images predicted as `at`, under one condition, of one model.

    `shown` is what a caption calls them: image set and number of networks.
    """

    data: str
    condition: str
    at: str
    searches: dict[str, tuple[Query, ...]]
    shown: str

    @property
    def where(self) -> str:
        """Say which pool it is."""
        return f"{words(self.data)}, {told(self.condition)}, images predicted as {self.at}"


def panel(
    rows: pd.DataFrame, table: str, what: str, *, data: str | None, condition: str | None, seed: int | None
) -> pd.DataFrame:
    """Give the rows of one condition of one image set and one model.

    For None that is the first image set and model, and the strongest dose of the first mechanism.

    Raises
    ------
    MistrustError
        There are no such rows; what was asked for is said with what there is.
    """
    held = select(rows, table=table)
    some(held, what)
    if data is not None or condition is None:
        held = held[held["data"] == one_of(data, data_in(held["data"]), what)]
    there = conditions_in(held["condition"])
    held = held[held["condition"] == one_of(condition or strongest(there), there, what)]
    held = held[held["data"] == data_in(held["data"])[0]]
    seeds = sorted(set(held["seed"].dropna()))
    if seed is not None or seeds:
        chosen = one_of(None if seed is None else f"{seed}", [f"{one:.0f}" for one in seeds] or ["none"], what)
        held = held[held["seed"] == float(chosen)]
    held = held[held["network"] == min(held["network"])]
    return held.sort_values(["method", "at", "metric", "level"], kind="stable")


def asked_of(
    rows: pd.DataFrame,
    methods: Sequence[str] | None = None,
    data: str | None = None,
    condition: str | None = None,
    at: str | None = None,
    seed: int | None = None,
) -> Asked:
    """Give the searches of one pool, those asked for in the order asked; all that are there for None.

    Raises
    ------
    MistrustError
        There are no such rows; a query without its confidence.
    """
    held = panel(rows, "steps", _WHAT, data=data, condition=condition, seed=seed)
    at = one_of(at, classes_in(held["at"]), _WHAT)
    held = held[held["at"] == at]
    there = in_order(held["method"])
    names = there if methods is None else [one_of(name, there, _WHAT) for name in methods]
    some(names, _WHAT)
    return Asked(
        held["data"].iloc[0],
        held["condition"].iloc[0],
        at,
        {name: _queries(held[held["method"] == name], name) for name in names},
        subjects(held),
    )


def _queries(own: pd.DataFrame, method: str) -> tuple[Query, ...]:
    table = own.pivot(index="level", columns="metric", values="value").reindex(columns=["answer", "confidence", "sdr"])
    if table[["answer", "confidence"]].isna().any(axis=None):
        raise MistrustError(
            f"A query of '{words(method)}' lacks its answer or its confidence: expected a row of table 'steps' for "
            "each of the metrics answer and confidence at every level. Run the chapter again."
        )
    notes = own[own["metric"] == "answer"].set_index("level")["note"]
    found: list[Query] = []
    errors, expected = 0, 0.0
    for level, (answer, confidence, sdr) in zip(table.index, numbers(table), strict=True):
        errors += int(answer)
        expected += 1 - confidence
        query = Query(int(level), str(notes[level]), answer == 1, float(confidence), errors, expected, float(sdr))
        found.append(query)
    return tuple(found)


def sure(confidence: float) -> str:
    """Write a confidence with three decimals; one just below 1 is not rounded to it."""
    return "above 0.999" if 0.9995 <= confidence < 1 else f"{confidence:.3f}"


def ratio(value: float) -> str:
    """Write an SDR; "not defined" where no error is expected."""
    return f"{value:.2f}" if value == value else "not defined"
