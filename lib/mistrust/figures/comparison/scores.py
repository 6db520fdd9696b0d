"""Every scorer against every kind of trouble, as tables that sort: AUROC of either question, alarms at a threshold."""

from typing import NamedTuple

import pandas as pd

from mistrust.comparison.advice import BAD, QUESTIONS, WRONG
from mistrust.comparison.scorers import SCORERS
from mistrust.comparison.troubles import NOMINAL
from mistrust.figures.comparison.parts import in_order, number, of, share, short, troubles_in, words
from mistrust.figures.interactive import Interactive, table
from mistrust.figures.written import many, percent

_SHADES = (0.5, 1.0)  # from chance to perfect


class _Asked(NamedTuple):
    metric: str
    title: str
    told: str


# Question, and whether what a threshold finds is asked, not what it alarms for in vain.
_ASKED = {
    (BAD, False): _Asked(
        "alarms", "Alarms at one threshold",
        "each kind of input that alarms, nominal inputs first, whose alarms are false: {} to {}.",
    ),
    (WRONG, False): _Asked(
        "false alarms", "Correct predictions that alarm",
        "the correct predictions that alarm, for each kind of input.",
    ),
    (WRONG, True): _Asked(
        "found", "Wrong predictions that alarm", "the wrong predictions that alarm, for each kind of input.",
    ),
}  # fmt: skip


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
    ('Is the input bad? AUROC, MNIST', 'Best: noise: DSA 0.95.')
    >>> scores(made, WRONG)
    Traceback (most recent call last):
    mistrust.errors.NoRows: There are no rows for the question 'is the prediction wrong?': ...
    """
    found = of(rows, QUESTIONS[question], f"question '{question}'", data=data, metric="auroc")
    columns, texts, said, names = _columns(found, number)
    alt = (
        f"Table of {many(len(names), 'scorer')} and the AUROC with which each answers '{question}' for "
        f"{many(len(columns), 'kind')} of "
        f"input, 0.5 by chance. Best: {'; '.join(said)}."
    )
    return table(
        {"scorer": [short(name) for name in names], **columns, "family": [SCORERS[name].family for name in names]},
        title=f"{_capital(question)} AUROC, {words(str(found['data'].iloc[0]))}",
        alt=alt, texts=texts, shades=dict.fromkeys(columns, _SHADES), digits=2, missing="–", caption=caption,
    )  # fmt: skip


def alarms(
    rows: pd.DataFrame, question: str = BAD, *, found: bool = False, data: str | None = None, caption: str = ""
) -> Interactive:
    """Show the share of each kind of input that passes a threshold set on nominal images that were held back.

    Parameters
    ----------
    rows : rows of the chapter, with the table "detection", metric "alarms", or "wrong", metrics "false alarms" and
        "found".
    question : `BAD`: alarms of all images of a kind; those of nominal ones are false. `WRONG`: alarms of those that are
        answered correctly, all of which are false.
    found : for `WRONG` alone: alarms of those that are answered wrongly instead, which the threshold finds.
    data : which image set; None for the first.

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> made = [{"condition": "nominal", "value": 0.04}, {"condition": "noise", "value": 0.7}]
    >>> shown = alarms(rows.table(made, table="detection", metric="alarms", data="mnist", method="max_softmax"))
    >>> shown.title, shown.alt.split("Most: ")[1]
    ('Alarms at one threshold, MNIST', 'noise: Max Softmax 0.70.')
    >>> shown = alarms(rows.table(made, table="wrong", metric="false alarms", data="mnist", method="dsa"), WRONG)
    >>> shown.title, shown.alt.split("that alarm, ")[1]
    ('Correct predictions that alarm, MNIST', 'for each kind of input. Most: nominal: DSA 0.04; noise: DSA 0.70.')
    """
    asked = _ASKED[question, found and question == WRONG]
    held = of(rows, QUESTIONS[question], asked.title.lower(), data=data, metric=asked.metric)
    columns, texts, said, names = _columns(held, share)
    told = f"Table of {many(len(names), 'scorer')} and the share of {asked.told}"
    if question == BAD:
        false = held[held["condition"] == NOMINAL]["value"]
        told, said = told.format(percent(false.min()), percent(false.max())), said[1:]
    return table(
        {"scorer": [short(name) for name in names], **columns, "family": [SCORERS[name].family for name in names]},
        title=f"{asked.title}, {words(str(held['data'].iloc[0]))}", alt=f"{told} Most: {'; '.join(said)}.",
        texts=texts, shades=dict.fromkeys(columns, (0.0, 1.0)), digits=2, missing="–", caption=caption,
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
        said.append(f"{head.lower()}: {words(best)} {here.loc[best, 'value']:.2f}")
    return columns, texts, said, names


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
