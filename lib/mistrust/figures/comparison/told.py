"""Sentences of the chapter, made from rows: none says what the rows do not.

Each gives a sentence for every image set that the rows hold, led by its name where there are several; "Not run." where
they lack what it needs.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd

from mistrust.comparison.advice import BAD, WRONG, Advice, advise
from mistrust.comparison.costs import measured
from mistrust.comparison.scorers import BOUNDARY, SCORERS
from mistrust.comparison.tables.cells import OWN, TRUTH
from mistrust.comparison.tables.wrong import TOGETHER
from mistrust.comparison.troubles import NOMINAL
from mistrust.errors import MistrustError, NoRows
from mistrust.figures.comparison.agreement import pairs
from mistrust.figures.comparison.cost import PEAK, SECONDS
from mistrust.figures.comparison.parts import data_in, number, of, share, words
from mistrust.figures.parts import and_so_on
from mistrust.figures.written import many, percent
from mistrust.rows import select
from mistrust.supervisors import SUPERVISORS

NOT_RUN = "Not run."
_OF_SOFTMAX = {name for name, one in SUPERVISORS.items() if one.card.family == "softmax" and len(one.card.needs) < 2}
Sentence = Callable[[pd.DataFrame, str], str]


def each(rows: pd.DataFrame, sentence: Sentence, lacking: str = NOT_RUN) -> str:
    """Give the sentence of each image set, led by its name; where none can be given, what is lacking."""
    held = rows[rows["table"] == "detection"]
    told = []
    sets = data_in(held)
    for name in sets:
        try:
            told.append((f"{words(name)}: " if len(sets) > 1 else "") + sentence(rows, name))
        except MistrustError:  # a table that a run of other parameters does not have
            continue
    return " ".join(told) or lacking


def best(rows: pd.DataFrame) -> str:
    """Say who is best at how many kinds of bad input, and whether anybody is best everywhere."""
    return each(rows, lambda rows, data: _won([a for a in advise(rows, data) if a.question == BAD], "kind"))


def _won(found: list[Advice], what: str) -> str:
    if not found:
        raise MistrustError("There is no advice to tell.")
    counted = pd.Series([one.best.scorer for one in found]).value_counts(sort=False)
    wins = [f"{words(str(name))} for {count}" for name, count in sorted(counted.items(), key=lambda x: (-x[1], x[0]))]
    lead = f"Of {many(len(found), what)}, the best scorer is {and_so_on(wins)}."
    if len(wins) == 1:
        every = "all" if len(found) > 1 else "the"
        lead = f"{words(found[0].best.scorer)} is best for {every} {many(len(found), what)}."
    nobody = [words(one.trouble).lower() for one in found if not one.told]
    return lead + (f" The best for {and_so_on(nobody)} is not shown to beat chance." if nobody else "")


def questions(rows: pd.DataFrame) -> str:
    """Say of how many kinds one scorer may do for both questions, and who is best at all together."""
    return each(rows, _questions)


def _questions(rows: pd.DataFrame, data: str) -> str:
    found = advise(rows, data)
    bad = {one.trouble: one for one in found if one.question == BAD}
    wrong = {one.trouble: one for one in found if one.question == WRONG}
    both = [name for name in bad if name in wrong]
    if not both:
        raise MistrustError("No kind of input was asked both questions.")
    two = sum(bad[name].best.scorer != wrong[name].best.scorer for name in both)
    behind = sum(bad[name].best.scorer in wrong[name].behind for name in both)
    shared = sum(bool({*bad[name].as_good} & {*wrong[name].as_good}) for name in both)
    text = (
        f"Both questions can be asked of {many(len(both), 'kind')}. The best scorer is not the same for both in "
        f"{two or 'none'} of them. The best for bad inputs is shown to be worse than the best for wrong predictions in "
        f"{behind or 'none'}. A scorer that is shown to be worse for neither question exists in {shared or 'none'}."
    )
    if TOGETHER in wrong:
        one = wrong[TOGETHER].best
        text += (
            f" Over all of them together, {words(one.scorer)} detects wrong predictions best, with an AUROC of "
            f"{number(one.value, one.low, one.high)}."
        )
    return text


def compared(rows: pd.DataFrame) -> str:
    """Say how many scorers are shown to be worse than the best of a line, alone and corrected for their number.

    Without two networks there are no differences to correct.
    """
    return each(rows, _compared, "With a single network there are no such differences.")


def _compared(rows: pd.DataFrame, data: str) -> str:
    found = advise(rows, data)
    pairs = sum(one.pairs for one in found)
    if not pairs:
        raise MistrustError("Differences are between networks.")
    behind = sum(len(one.behind) for one in found)
    return (
        f"Of {pairs:,} comparisons with the best of a line, {behind:,} show by themselves that a scorer is worse, and "
        f"{sum(one.surely for one in found):,} do after Holm's correction for the number of scorers in the line."
    )


def frugal(rows: pd.DataFrame, benchmark: pd.DataFrame | None = None) -> str:
    """Say how often something that takes about as long as Max Softmax is not shown to be worse than the best.

    Parameters
    ----------
    benchmark : rows of `benchmarks/comparison.py`; without times, what needs no further pass of the network is counted.
    """
    return each(rows, partial(_frugal, benchmark))


def _frugal(benchmark: pd.DataFrame | None, rows: pd.DataFrame, data: str) -> str:
    found = [one for one in advise(rows, data, benchmark) if one.told]
    if not found:
        raise MistrustError("There is no advice to tell.")
    if all(one.frugal.time == one.frugal.time for one in found):
        what, free = "takes less than 1.5 times as long as Max Softmax", sum(one.frugal.multiple == 1 for one in found)
    else:
        what = "needs no further pass of the network"
        free = sum(one.frugal.passes == 0 for one in found)
    searched = [one for one in found if SCORERS[one.best.scorer].family == BOUNDARY]
    needed = sum(SCORERS[one.frugal.scorer].family == BOUNDARY for one in found)
    return (
        f"In {free} of {len(found)} lines of the guide, a scorer that {what} is the best or is not shown to be worse; "
        "with so few networks, that is no proof of being as good. A scorer that searches around the image is best in "
        f"{len(searched)}, and the cheapest that is not shown to be worse in {needed}."
    )


def taken(benchmark: pd.DataFrame, data: str) -> str:
    """Say on what the times and peaks that stand beside an image set's rows were measured.

    Examples
    --------
    >>> from mistrust import rows
    >>> same = {"metric": "seconds an image", "network": "ambiguess-conv", "level": 15000, "value": 0.001}
    >>> found = [{**same, "method": "mdsa", "n": 500}, {**same, "method": "boundary_distance", "n": 40}]
    >>> print(taken(rows.table(found, table="comparison", data="fmnist"), "fmnist"))
    Times and peak memory (Fashion-MNIST): with 15,000 training images, times over 40 to 500 images.
    """
    found = measured(benchmark, SECONDS, data)
    if found.empty:
        return "Times and peak memory were not measured."
    whose, learnt = found["data"].iloc[0], found["level"].iloc[0]
    return (
        f"Times and peak memory ({words(whose)}): with {learnt:,.0f} training images, times over {either(found['n'])} "
        "images."
    )


def memory(benchmark: pd.DataFrame) -> str:
    """Say over how many images the peaks of memory were taken, whose are not shown since theirs were fewer, and how far
    those are apart that should be the same: of scorers that read one softmax and take a number of it.
    """
    found = select(benchmark, metric=PEAK)
    counts = found["n"]
    if counts.empty:
        return "Peak memory was not measured."
    fewer = counts[counts < counts.max()]
    told = (
        f"Peak memory was measured over {counts.max():,.0f} images for every scorer."
        if fewer.empty
        else f"A peak grows with the number of images that it is taken over, so only peaks over {counts.max():,.0f} "
        f"images are shown. Scorers that were measured over {either(fewer)} images have none."
    )
    alike = found[found["method"].isin(_OF_SOFTMAX) & found["n"].eq(counts.max())]
    if alike["method"].nunique() < 2:
        return told
    apart = alike.groupby("data")["value"].agg(np.ptp).max()
    return (
        f"{told} The {alike['method'].nunique()} scorers that read nothing but the softmax differ by up to {apart:.1f} "
        "MB: no peak is more exact than that. What else the process holds moves all peaks of an image set alike."
    )


def either(counts: "pd.Series[float]") -> str:
    """Say how many, where scorers may differ: "200", "40 to 200"."""
    low, high = counts.min(), counts.max()
    return f"{low:,.0f}" if low == high else f"{low:,.0f} to {high:,.0f}"


def alarms(rows: pd.DataFrame) -> str:
    """Say how many nominal images pass the thresholds in single networks, of scorers that see all and that search."""
    return each(rows, _alarms)


def _alarms(rows: pd.DataFrame, data: str) -> str:
    where = {"data": data, "table": "detection", "metric": "alarms", "condition": NOMINAL}
    found = select(rows[rows["seed"].notna()], **where)
    if found.empty:
        raise NoRows("There are no false alarms of single classifiers.")
    told = [
        f"{_spread(here['value'])} of {either(here['n'])} nominal images for scorers that "
        f"{'search' if sample else 'see all images'}"
        for here, sample in by_search(found)
    ]
    return f"False alarms, network by network: {and_so_on(told)}. None of these images set the threshold."


def mistaken(rows: pd.DataFrame) -> str:
    """Say how many right predictions alarm, of nominal images and of all kinds together, and how many wrong ones do."""
    return each(rows, _mistaken)


def _mistaken(rows: pd.DataFrame, data: str) -> str:
    false = of(rows, "wrong", "false alarms", data=data, metric="false alarms")
    caught = of(rows, "wrong", "alarms", data=data, metric="found")
    told = []
    for condition, what in ((NOMINAL, "on nominal images"), (TOGETHER, "on all kinds together")):
        right, wrong = (one[one["condition"] == condition].dropna(subset=["value"]) for one in (false, caught))
        if right.empty or wrong.empty:
            continue
        lines = wrong[["value", "method", "low", "high"]].itertuples(index=False, name=None)
        value, method, low, high = max(lines, key=lambda line: line[0])
        told.append(
            f"{what} {_spread(right['value'])} of the correct predictions alarm, and {_spread(wrong['value'])} of the "
            f"wrong ones, most with {words(method)}: {share(value, low, high)}"
        )
    if not told:
        raise NoRows("Neither nominal images nor all kinds together were asked whether the prediction is wrong.")
    return f"Depending on the scorer, {'; '.join(told)}."


def _spread(values: "pd.Series[float]") -> str:
    low, high = percent(values.min()), percent(values.max())
    return low if low == high else f"{low} to {high}"


def by_search(found: pd.DataFrame) -> list[tuple[pd.DataFrame, bool]]:
    """Give rows of scorers that see all images, and of those that search and see a sample, where there are any."""
    searched = np.array([SCORERS[name].searches for name in found["method"]], dtype=bool)
    return [(here, sample) for here, sample in ((found[~searched], False), (found[searched], True)) if len(here)]


def agreement(rows: pd.DataFrame) -> str:
    """Say how far boundary scores go with one another, and with the softmax."""
    return each(rows, _agreement, "The scorers that would be compared here were not run.")


def _agreement(rows: pd.DataFrame, data: str) -> str:
    names, good = pairs(rows, NOMINAL, data)
    near = [names.index(name) for name in ("boundary_distance", "targeted_distance", "breaking_noise") if name in names]
    if len(near) < 2 or "max_softmax" not in names:
        raise MistrustError("Boundary scores and Max Softmax are needed.")
    between = [good[a, b] for i, a in enumerate(near) for b in near[i + 1 :]]
    soft = [good[a, names.index("max_softmax")] for a in near]
    text = (
        "On nominal images, breaking noise and the distances have rank correlations of "
        f"{_range(between)} with one another and of {_range(soft)} with Max Softmax."
    )
    if "distance_residual" in names:
        two = {"distance_residual", "max_softmax"}
        found = of(rows, "agreement", "rank correlations of scorers", data=data, condition=NOMINAL)
        first, second = found["method"], found["at"].str.removeprefix("beside=")
        left = found[[{a, b} == two for a, b in zip(first, second, strict=True)]]
        for value, low, high in left[["value", "low", "high"]].itertuples(index=False):
            told = f"{value:.2f} ({low:.2f} to {high:.2f})" if low == low else f"{value:.2f}"
            text += (
                " The residual, from which the trend over confidence was subtracted, has one of "
                f"{told.replace('-', '−')} with Max Softmax."
            )
    return text


def _range(values: list[float]) -> str:
    low, high = (f"{end:.2f}".replace("-", "−") for end in (np.nanmin(values), np.nanmax(values)))
    return low if low == high else f"{low} to {high}"


def cells(rows: pd.DataFrame) -> str:
    """Say which reading of good images goes with the true confusion best, and how often it names the top mistake."""
    return each(rows, _cells)


def _cells(rows: pd.DataFrame, data: str) -> str:
    found = of(rows, "cells", "pairs of classes", data=data, at=f"beside={TRUTH}")
    beside = rows[(rows["table"] == "cells") & (rows["at"] == f"beside={OWN}") & (rows["data"] == data)]
    ranked = found[found["metric"] == "rank correlation"].sort_values("value", ascending=False)
    top = found[found["metric"] == "top"].set_index("method")
    if ranked.empty:
        raise MistrustError("No reading was compared with the truth.")
    told = [
        f"{words(name)} {number(value, low, high)}"
        for name, value, low, high in ranked[["method", "value", "low", "high"]].itertuples(index=False)
    ]
    first = str(ranked["method"].iloc[0])
    often = ""
    if first in top.index:
        value, low, high = (float(top[end][first]) for end in ("value", "low", "high"))
        often = f" The first of these finds the most frequent mistake of {share(value, low, high)} of the classes."
    same = beside[(beside["metric"] == "rank correlation") & beside["seed"].isna()]["value"].tolist()
    closer = f" With the confusion of the images read they are {_range(same)}." if same else ""
    return f"The rank correlations with the true confusion are: {and_so_on(told)}.{often}{closer}"
