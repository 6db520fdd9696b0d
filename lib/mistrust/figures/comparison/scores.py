"""Every scorer against every kind of trouble, as tables that sort: AUROC of either question, alarms at a threshold."""

import pandas as pd

from mistrust.comparison.advice import BAD, QUESTIONS
from mistrust.comparison.scorers import SCORERS
from mistrust.comparison.troubles import NOMINAL
from mistrust.figures.comparison.parts import in_order, number, of, short, troubles_in, words
from mistrust.figures.interactive import Interactive, table
from mistrust.figures.parts import and_so_on
from mistrust.figures.written import percent

_SHADES = (0.5, 1.0)  # from chance to perfect


def scores(rows: pd.DataFrame, question: str = BAD, *, data: str | None = None, caption: str = "") -> Interactive:
    """Show the AUROC of every scorer on every kind of trouble, with intervals.

    Parameters
    ----------
    rows : rows of the chapter, with the tables "detection" and "wrong".
    question : `BAD` or `WRONG` of `mistrust.comparison.advice`.
    data : which image set; None for the first.

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [{"method": "max_softmax", "value": 0.93}, {"method": "dsa", "value": 0.95}]
    >>> made = rows.table(found, table="detection", metric="auroc", data="mnist", condition="noise")
    >>> scores(made, BAD).title, scores(made, BAD).alt.split("chance. ")[1]
    ('Is the input bad? AUROC, MNIST', 'Best: noise DSA 0.95.')
    >>> scores(made, WRONG)
    Traceback (most recent call last):
    mistrust.errors.NoRows: There are no rows for the question 'is the prediction wrong?': ...
    """
    found = of(rows, QUESTIONS[question], f"question '{question}'", data=data, metric="auroc")
    columns, texts, said, names = _columns(found, number)
    alt = (
        f"Table of {len(names)} scorers and the AUROC with which each answers '{question}' for {len(columns)} kinds of "
        f"input, 0.5 by chance. Best: {and_so_on(said)}."
    )
    return table(
        {"scorer": [short(name) for name in names], **columns, "family": [SCORERS[name].family for name in names]},
        title=f"{_capital(question)} AUROC, {words(str(found['data'].iloc[0]))}",
        alt=alt, texts=texts, shades=dict.fromkeys(columns, _SHADES), digits=2, missing="–", caption=caption,
    )  # fmt: skip


def alarms(rows: pd.DataFrame, *, data: str | None = None, caption: str = "") -> Interactive:
    """Show the share of each kind of input that passes a threshold set on nominal images that were held back.

    Parameters
    ----------
    rows : rows of the chapter, with the table "detection", metric "alarms".
    data : which image set; None for the first.

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [{"condition": "nominal", "value": 0.04}, {"condition": "noise", "value": 0.7}]
    >>> shown = alarms(rows.table(found, table="detection", metric="alarms", data="mnist", method="max_softmax"))
    >>> shown.title, shown.alt.split("Most: ")[1]
    ('Alarms at one threshold, MNIST', 'noise Max Softmax 0.70.')
    """
    found = of(rows, "detection", "alarms at one threshold", data=data, metric="alarms")
    columns, texts, said, names = _columns(found, _share)
    false = found[found["condition"] == NOMINAL]["value"]
    alt = (
        f"Table of {len(names)} scorers and the share of each kind of input that alarms, nominal ones first: there "
        f"alarms are false, {percent(false.min())} to {percent(false.max())}. Most: {and_so_on(said[1:])}."
    )
    return table(
        {"scorer": [short(name) for name in names], **columns, "family": [SCORERS[name].family for name in names]},
        title=f"Alarms at one threshold, {words(str(found['data'].iloc[0]))}",
        alt=alt, texts=texts, shades=dict.fromkeys(columns, (0.0, 1.0)), digits=2, missing="–", caption=caption,
    )  # fmt: skip


def _columns(found: pd.DataFrame, write) -> tuple[dict[str, list[float]], dict[str, list[str]], list[str], list[str]]:  # type: ignore[no-untyped-def]
    names, said = in_order(found["method"]), list[str]()
    columns, texts = dict[str, list[float]](), dict[str, list[str]]()
    for trouble in troubles_in(found):
        here = found[found["condition"] == trouble].set_index("method")[["value", "low", "high"]]
        head, lines = words(trouble), here.to_dict("index")
        columns[head] = [float(lines[name]["value"]) if name in lines else float("nan") for name in names]
        texts[head] = [write(**lines[name]) if name in lines else "–" for name in names]
        best = str(here["value"].idxmax())
        said.append(f"{head.lower()} {words(best)} {here.loc[best, 'value']:.2f}")
    return columns, texts, said, names


def _share(value: float, low: float, high: float) -> str:
    if pd.isna(low) or pd.isna(high):
        return percent(value)
    # U+2060 joins: a line ends before the bracket, never within an interval.
    return f"{percent(value)} ({100 * low:.0f}–\u2060{100 * high:.0f})"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
