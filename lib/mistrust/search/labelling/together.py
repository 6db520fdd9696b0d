"""Answers of several people about one list: how far they agree, what they say together, and where they contradict."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import isclose, nan

import numpy as np
import pandas as pd

from mistrust.errors import MistrustError
from mistrust.search.labelling.answers import RIGHT, UNSURE, WRONG, Answers


@dataclass(frozen=True)
class Together:
    r"""What several people say together.

    Attributes
    ----------
    answers : of all: what those who said right or wrong agree on; "unsure" where they contradict each other, or where
        nobody knew. In the first file's order, then what only later files hold.
    labellers : what each is called: the name of the file, without its suffix where these differ.
    agreement : a row a pair: first, second, both (images that both called right or wrong), alike (called the same),
        kappa.
    conflicts : images that one called right and another wrong: id, predicted, confidence, and each one's answer.

    Examples
    --------
    >>> from pathlib import Path
    >>> from mistrust.search.labelling import read_answers
    >>> for name, said in {"anna": ("wrong", "right", ""), "ben": ("wrong", "wrong", "right")}.items():
    ...     lines = [f"{image},{c},{one}" for image, c, one in zip("abc", (0.9, 0.8, 0.7), said)]
    ...     _ = Path(f"{name}.csv").write_text("\n".join(["id,confidence,answer", *lines]))
    >>> both = together([read_answers("anna.csv"), read_answers("ben.csv")])
    >>> both.answers.answers, both.conflicts["id"].tolist()
    (('wrong', 'unsure', 'right'), ['b'])
    """

    answers: Answers
    labellers: tuple[str, ...]
    agreement: pd.DataFrame
    conflicts: pd.DataFrame


def together(several: Sequence[Answers]) -> Together:
    r"""Put the answers of two people and more together.

    Raises
    ------
    MistrustError
        Fewer than two files, or one of them twice; answers to two searches; an image with two confidences or two
        predicted classes.

    Examples
    --------
    Of the three images that both called right or wrong, they called two the same:

    >>> from pathlib import Path
    >>> from mistrust.search.labelling import read_answers
    >>> for name, words in {"anna": "wrong right right", "ben": "wrong wrong right"}.items():
    ...     lines = [f"{image},0.9,{said}" for image, said in zip("abc", words.split())]
    ...     _ = Path(f"{name}.csv").write_text("\n".join(["id,confidence,answer", *lines]))
    >>> both = together([read_answers("anna.csv"), read_answers("ben.csv")])
    >>> both.agreement[["both", "alike", "kappa"]].round(2).to_dict("records")
    [{'both': 3, 'alike': 2, 'kappa': 0.4}]
    """
    paths = [one.path.resolve() for one in several]
    if len(set(paths)) < max(2, len(paths)):
        named = ", ".join(str(one.path) for one in several) or "none"
        raise MistrustError(f"Answers of several people stand in a file each, got {named}: name each file once.")
    methods = sorted({one.method for one in several} - {""})
    if len(methods) > 1:
        raise MistrustError(
            f"These answers are to {len(methods)} searches ({', '.join(methods)}), and SDR is of one: look at each "
            "file by itself, or make one list for all who label."
        )
    labellers = _labellers(several)
    first: dict[str, tuple[float, str, str]] = {}
    said: dict[str, list[str]] = {}
    for place, (name, one) in enumerate(zip(labellers, several, strict=True)):
        for image, c, predicted, answer in zip(one.names, one.confidence, one.predicted, one.answers, strict=True):
            before = first.setdefault(image, (float(c), predicted, name))
            _refuse_differing(image, before, (float(c), predicted, name))
            said.setdefault(image, [""] * len(several))[place] = answer
    names = tuple(first)
    ranks = {image: rank for one in reversed(several) for image, rank in zip(one.names, one.ranks, strict=False)}
    answers = replace(
        several[0], names=names, predicted=tuple(first[image][1] for image in names), method="".join(methods),
        confidence=np.array([first[image][0] for image in names]), answers=tuple(map(_joint, said.values())),
        ranks=tuple(ranks[image] for image in names) if ranks.keys() == first.keys() else (),
    )  # fmt: skip
    conflicts = [(image, first[image][1], first[image][0], *said[image]) for image in names if _conflict(said[image])]
    pairs = [
        (labellers[a], labellers[b], *_pair([(of[a], of[b]) for of in said.values()]))
        for a, b in combinations(range(len(several)), 2)
    ]
    return Together(
        answers, labellers, pd.DataFrame(pairs, columns=["first", "second", "both", "alike", "kappa"]),
        pd.DataFrame(conflicts, columns=["id", "predicted", "confidence", *labellers]),
    )  # fmt: skip


def _pair(said: Sequence[tuple[str, str]]) -> tuple[int, int, float]:
    """Images that both called right or wrong, those called the same, and Cohen's kappa.

    J. Cohen, "A coefficient of agreement for nominal scales", 1960: 1 for full agreement, 0 for that of chance; NaN
    where both said one word throughout, or nothing of the same image.
    """
    from sklearn.metrics import cohen_kappa_score  # a second to load, which one labeller need not wait for

    both = [pair for pair in said if {RIGHT, WRONG}.issuperset(pair)]
    words = {word for pair in both for word in pair}
    kappa = float(cohen_kappa_score(*zip(*both, strict=True))) if len(words) > 1 else nan
    return len(both), sum(one == other for one, other in both), kappa


def _joint(said: Sequence[str]) -> str:
    known = {RIGHT, WRONG} & set(said)
    return known.pop() if len(known) == 1 else UNSURE if known or UNSURE in said else ""


def _conflict(said: Sequence[str]) -> bool:
    return {RIGHT, WRONG} <= set(said)


def _labellers(several: Sequence[Answers]) -> tuple[str, ...]:
    for called in ((one.path.stem for one in several), (one.path.name for one in several)):
        names = tuple(called)
        if len(set(names)) == len(names):
            return names
    return tuple(str(one.path) for one in several)


def _refuse_differing(image: str, before: tuple[float, str, str], now: tuple[float, str, str]) -> None:
    """Refuse an image of which two files tell two confidences, or two predicted classes."""
    (c, predicted, first), (other_c, other, second) = before, now
    told = ""
    if not isclose(c, other_c, rel_tol=1e-6):
        told = f"confidence {c:g} in {first} and {other_c:g} in {second}"
    elif predicted and other and predicted != other:
        told = f"prediction '{predicted}' in {first} and '{other}' in {second}"
    if told:
        raise MistrustError(
            f"Image '{image}' has {told}: these answers are to lists of two classifiers, or of two runs."
        )
