"""Sentences of the chapter on what was asked of whom: which inputs, classifiers and scorers its numbers rest on."""

import pandas as pd

from mistrust.comparison.advice import networks
from mistrust.comparison.scorers import SCORERS
from mistrust.comparison.tables.ranking import LEAST
from mistrust.comparison.tables.wrong import TOGETHER
from mistrust.comparison.troubles import NEW, NOMINAL
from mistrust.errors import MistrustError, NoRows
from mistrust.figures.comparison.parts import data_in, in_order, number, of, words
from mistrust.figures.comparison.told import by_search, each, either
from mistrust.figures.parts import and_so_on
from mistrust.figures.written import percent
from mistrust.rows import select
from mistrust.supervisors.experiment.invalid import OTHER, PATCHES

FGSM = "fgsm"  # one-step attacks, among the kinds of bad input
# What images are whose set no reader knows by its name.
FROM = {PATCHES[0]: "patches of two photographs"}


def kinds(rows: pd.DataFrame) -> str:
    """Say what the inputs are that belong to no class of an image set: their source decides how far off they are."""
    return each(rows, _kinds, "There are none of these here.")


def _kinds(rows: pd.DataFrame, data: str) -> str:
    there = {*select(rows, data=data, table="detection", metric="auroc")["condition"]}
    sources = {"invalid": OTHER.get(data, PATCHES)[0], "novelty": NEW.get(data, "")}
    told = [
        f"{kind} inputs are {FROM.get(source, f'images of {words(source)}')}"
        for kind, source in sources.items()
        if kind in there and source
    ]
    if not told:
        raise MistrustError("Neither kind was asked.")
    text = ", ".join(told)
    return f"{text[0].upper()}{text[1:]}."


def thin(rows: pd.DataFrame) -> str:
    """Say where scorers are not asked whether the prediction is wrong, since they saw too few right or wrong ones."""
    return each(rows, _thin, "")


def _thin(rows: pd.DataFrame, data: str) -> str:
    asked = {*select(rows, data=data, table="detection", metric="auroc")["method"]}
    wrong = select(rows, data=data, table="wrong", metric="auroc")
    told = []
    for kind in wrong["condition"].drop_duplicates():
        lacking = [words(name) for name in in_order(asked - {*wrong.loc[wrong["condition"] == kind, "method"]})]
        if lacking:
            told.append(f"{words(str(kind)).lower()} ({and_so_on(lacking)})")
    if not told:
        raise MistrustError("Every scorer was asked of every kind.")
    few = f"fewer than {LEAST} images that are answered correctly, or fewer than {LEAST} that are not"
    return f"Not asked, since they saw {few}: {'; '.join(told)}."


def left_out(rows: pd.DataFrame) -> str:
    """Say how many scorers of the table have rows, and name the others; an image set at a time only if they differ."""
    sets = data_in(select(rows, table="detection"))
    same = len({_left_out(rows, name) for name in sets}) == 1
    return _left_out(rows, sets[0]) if same else each(rows, _left_out)


def _left_out(rows: pd.DataFrame, data: str) -> str:
    shown = set(select(rows, data=data, table="detection", metric="auroc")["method"])
    lacking = [words(name) for name in in_order(SCORERS) if name not in shown]
    if not lacking:
        return f"All {len(SCORERS)} scorers are shown."
    return f"{len(SCORERS) - len(lacking)} of {len(SCORERS)} scorers are shown; left out: {and_so_on(lacking)}."


def limits(rows: pd.DataFrame) -> str:
    """Say how few images the rows rest on, and how few networks."""
    return each(rows, _limits)


def _limits(rows: pd.DataFrame, data: str) -> str:
    held = rows[(rows["data"] == data) & (rows["table"] == "detection") & rows["seed"].notna()]
    held = held[held["metric"] == "alarms"]
    if held.empty:
        raise NoRows("There are no rows of single classifiers.")
    network = ", ".join(sorted(set(held["network"])))
    count = held["seed"].nunique()
    parts = [f"{count} {'network' if count == 1 else 'networks'} ({network})"]
    parts += [
        f"{either(here['n'])} {'for scorers that search' if sample else 'images per kind'}"
        for here, sample in by_search(held)
    ]
    return f"{', '.join(parts)}."


def accuracy(rows: pd.DataFrame) -> str:
    """Say how many nominal images the classifiers answer correctly."""
    return each(rows, _accuracy)


def _accuracy(rows: pd.DataFrame, data: str) -> str:
    row = of(rows, "wrong", "accuracy of classifiers", data=data, metric="accuracy", condition=NOMINAL).iloc[0]
    return f"{number(row['value'], row['low'], row['high'])}."


def ensembles(rows: pd.DataFrame) -> str:
    """Say how many networks of an ensemble are the same in all runs, and what that does to intervals."""
    held = rows[(rows["table"] == "cost") & (rows["metric"] == "passes")]
    held = held[[SCORERS[name].family == "ensemble" for name in held["method"]]]
    if held.empty:
        return "No ensemble was run."
    further = int(held["value"].max())
    text = f"An ensemble has {further + 1} networks"
    if max(networks(rows, data) for data in data_in(held)) < 2:
        return f"{text}; there is one ensemble, and its intervals are over images."
    return (
        f"{text}, of which {further} {'is' if further == 1 else 'are'} the same in all runs. So ensembles differ less "
        "from run to run than they would if each run had networks of its own: their intervals between networks are too "
        "narrow, and so are the intervals of differences between them and other scorers."
    )


def attacked(rows: pd.DataFrame) -> str:
    """Say how far "all of these" asks whether an image was attacked: how many wrong answers are to one-step attacks."""
    return each(rows, _attacked, "Without them, or without the column, this need not be said.")


def _attacked(rows: pd.DataFrame, data: str) -> str:
    single = select(rows, data=data, table="wrong", metric="accuracy")
    single = single[single["seed"].notna()]
    counted = single.assign(wrong=single["n"] * (1 - single["value"])).groupby("condition")[["wrong", "n"]].sum()
    if not {FGSM, TOGETHER} <= set(counted.index):
        raise MistrustError("One-step attacks, and all kinds together, are needed.")
    wrong, n = counted["wrong"].to_dict(), counted["n"].to_dict()
    return (
        f"{percent(wrong[FGSM] / n[FGSM])} of the images of one-step attacks are misclassified, and they make up "
        f"{percent(wrong[FGSM] / wrong[TOGETHER])} of all wrong predictions. So the numbers for all of these show in "
        "part whether a scorer detects attacks."
    )
