"""Bubbles around one image, read out of the rows: how far each network is from answering every other class."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from mistrust.errors import MistrustError
from mistrust.figures.parts import and_so_on, class_names, one_of, some
from mistrust.figures.robustness.parts import in_order, of, words
from mistrust.figures.written import plain

_WHAT = "bubbles of one image"
_NICE = (1, 2, 5, 10, 15, 20, 25, 30, 40, 50, 60, 75)  # between rings
MOST = 4  # bubbles that can be told apart over each other


@dataclass(frozen=True)
class Bubble:
    """One network's bubble around one image.

    Attributes
    ----------
    network, title : its name in the rows, and for readers.
    source : the image's class.
    distance : target class -> L-infinity distance in grey levels, of those that were reached.
    failed : targets that were not.
    """

    network: str
    title: str
    source: str
    distance: dict[str, float]
    failed: frozenset[str]


def bubbles_of(
    rows: pd.DataFrame, networks: Sequence[str] | None, method: str | None, data: str | None, seed: int | None
) -> tuple[pd.DataFrame, list[Bubble]]:
    """Give the rows of one image set and training seed, and the bubbles that they hold, of the networks asked for.

    Parameters
    ----------
    networks : which; None for the first four, family by family.
    method : the search; None for the first by the alphabet, which is the paper's ("adam", before "tight").
    data, seed : which image set and training seed; None for the first.

    Raises
    ------
    MistrustError
        There are no such rows; a bubble without its source.
    """
    held = of(rows, "bubble", _WHAT, data=data, condition=None)
    held = held[held["method"] == one_of(method, sorted(set(held["method"])), _WHAT)]
    seeds = sorted(set(held["seed"].dropna()))
    if seeds:
        chosen = float(one_of(None if seed is None else f"{seed}", [f"{s:.0f}" for s in seeds], _WHAT))
        held = held[(held["seed"] == chosen) | (held["metric"] == "source")]
    there = in_order(held[held["metric"] != "source"]["network"])
    some(there, _WHAT)
    names = there[:MOST] if networks is None else [one_of(name, there, _WHAT) for name in networks]
    return held, [_bubble(held, name) for name in names]


def _bubble(held: pd.DataFrame, network: str) -> Bubble:
    own = held[held["network"] == network]
    sources = held[(held["metric"] == "source") & held["network"].isin([network, ""])]["at"]
    if sources.empty:
        raise MistrustError(
            f"The bubble of '{network}' does not say its source: expected a row of table 'bubble' with metric 'source' "
            "and the class in `at`."
        )
    reached = own[own["metric"] == "success"].set_index("at")["value"]
    failed = frozenset(str(name) for name, yes in reached.items() if yes < 1)
    linf = own[own["metric"] == "linf"]
    distance = {at: float(v) for at, v in zip(linf["at"], linf["value"], strict=True) if at not in failed}
    return Bubble(network, words(network), str(sources.iloc[0]), distance, failed)


def classes_of(bubbles: Sequence[Bubble]) -> list[str]:
    """All classes in order, the source among them."""
    return class_names({one.source for one in bubbles}.union(*({*one.distance, *one.failed} for one in bubbles)))


def rings(bubbles: Sequence[Bubble]) -> tuple[float, float]:
    """Give the value of the outer ring, and how far rings are apart: three or four of them."""
    most = max((v for one in bubbles for v in one.distance.values()), default=1.0)
    step = float(next((one for one in _NICE if one * 4 >= most), most / 4))
    return step * math.ceil(most / step), step


def told_of(one: Bubble, classes: Sequence[str]) -> str:
    """Say a bubble: its mean, its nearest and farthest class, and what was not reached."""
    if not one.distance:
        return f"{one.title}: no target reached."
    near, far = (of_(one.distance, key=one.distance.__getitem__) for of_ in (min, max))
    mean = float(np.mean(list(one.distance.values())))
    lost = f", not reached {and_so_on(n for n in classes if n in one.failed)}" if one.failed else ""
    return (
        f"{one.title}: {plain(mean)} on average, nearest {near} at {plain(one.distance[near])}, farthest {far} at "
        f"{plain(one.distance[far])}{lost}."
    )
