"""Pieces of the experiment: a model of one dose each; the attack, controls and the authors' rows on their own.

Where a pool's distances are found by labels alone, each part of a model is a piece, since parts are kept apart in any
case, and those distances are pieces before them, one per class.
"""

import hashlib
from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from mistrust.errors import MistrustError
from mistrust.networks import NETWORK
from mistrust.parts import Part, measured, part_spec
from mistrust.pieces import Kept, known, lacking
from mistrust.random import generator
from mistrust.registry import Registry
from mistrust.search.experiment.parameters import CHAPTER, Parameters, authors_file
from mistrust.search.experiment.parts import AHEAD, ASIDE, PARTS
from mistrust.search.experiment.subjects import DISTANCES, Subject, subjects
from mistrust.search.pool import Pool
from mistrust.search.residual import fitted
from mistrust.search.tables import Row
from mistrust.search.tables.hunted import Hunted
from mistrust.search.tables.recalibrated import recalibrated
from mistrust.search.tables.searches import Setting, searches
from mistrust.search.tables.theirs import theirs
from mistrust.store import key, made, maker

AUTHORS = "authors' rows"
Work = tuple[Subject, str, Part[Subject]]


def _table(parameters: Parameters) -> dict[str, list[Work]]:
    """What each piece measures."""
    found: dict[str, list[Work]] = {}
    for one in subjects(parameters):
        whole, ahead = f"{one.condition} {one.run}", _works(one, AHEAD)
        works = _works(one, PARTS)
        # By labels alone a distance asks thousands of times an image; with fits of F on every subset beside it a model
        # would take longer than a GPU machine's turn.
        found |= _alone(one, [*works[:1], *ahead, *works[1:]]) if ahead else {whole: works}
    # Part by part: two processes at one model would wait for each other, where both look at the same attacks.
    for name, part in ASIDE.items():
        for one in subjects(parameters):
            found |= _alone(one, [(one, name, part)] if part.of(one) else [])
    return found


def _works(one: Subject, parts: Registry[Part[Subject]]) -> list[Work]:
    return [(one, name, part) for name, part in parts.items() if part.of(one)]


def _alone(one: Subject, works: list[Work]) -> dict[str, list[Work]]:
    return {f"{name}: {one.condition} {one.run}": [(one, name, part)] for _, name, part in works}


def pieces(parameters: Parameters) -> list[str]:
    """Name the pieces; that of the authors' rows where they are at hand.

    Examples
    --------
    >>> pieces(Parameters(models=1, authors="none", attack_images=0, refits=0))
    ['digits/100 0', 'digits/20 0', 'controls: digits/100 0', 'insight: digits/20 0']

    With a distance by labels alone, such as the paper's attack, each part is one, lest a piece takes too long:

    >>> attacked = Parameters(models=1, authors="none", attack_images=0, refits=0, distance="boundary", doses=("20",))
    >>> pieces(attacked)[:3]
    ['network: digits/20 0', "first class's distances: digits/20 0", "second class's distances: digits/20 0"]
    """
    return [*_table(parameters), *([] if authors_file(parameters) is None else [AUTHORS])]


def preparing(parameters: Parameters) -> list[str]:
    """Name the pieces that only find distances, by labels alone, which others look up in the store.

    Examples
    --------
    >>> preparing(Parameters()), preparing(Parameters(models=1, distance="boundary", doses=("20",)))
    ([], ["first class's distances: digits/20 0", "second class's distances: digits/20 0"])
    """
    return [name for name, works in _table(parameters).items() if works[0][1] in AHEAD]


def piece(parameters: Parameters, name: str) -> pd.DataFrame:
    """Give the rows of one piece, from the store where they are made.

    Examples
    --------
    A piece trains a network; that of the authors' rows reads their file alone:

    >>> asked = Parameters(models=1, authors="nowhere.csv")
    >>> pieces(asked)[0], pieces(asked)[-1]
    ('digits/100 0', "authors' rows")
    >>> piece(asked, "authors' rows")
    Traceback (most recent call last):
    mistrust.errors.MistrustError: The authors' rows are not at nowhere.csv: name their file ...
    """
    if name == AUTHORS:
        return _theirs(parameters)
    frames = []
    for one, part_name, part in known(_table(parameters), name, pieces(parameters)):
        spec = _spec(one, part_name, part)
        common = {"data": one.data, "network": one.network, "seed": float(one.seed)}
        frame = made(ROWS, spec, lambda _, one=one, part=part, common=common: measured(part.rows(one), **common))
        condition = frame["condition"].where(frame["condition"] != "", one.condition)
        frames.append(frame.assign(condition=condition, made=key(ROWS, spec)))
    return pd.concat(frames, ignore_index=True).assign(chapter=CHAPTER)


def missing(parameters: Parameters, name: str) -> list[str]:
    """Say why the store does not hold a piece yet; nothing when it does.

    Examples
    --------
    >>> missing(Parameters(), "controls: digits/100 0")  # of a store that is empty
    ['not made yet']
    """
    return lacking(made_from(parameters, name))


def made_from(parameters: Parameters, name: str) -> list[Kept]:
    """Give what the store keeps a piece's rows by, part by part; files of accepted rows hold all rows of each.

    Examples
    --------
    >>> [(maker, spec)] = made_from(Parameters(), "controls: digits/100 0")
    >>> maker.kind, spec["part"]
    ('search-rows', 'controls')
    """
    if name == AUTHORS:
        return [(ROWS, _their_spec(parameters))]
    return [(ROWS, _spec(*work)) for work in known(_table(parameters), name, pieces(parameters))]


def _spec(one: Subject, name: str, part: Part[Subject]) -> dict[str, Any]:
    return part_spec(name, part, one.spec(), one.parameters, [other for other in MAKERS if other is not ROWS])


def _their_spec(parameters: Parameters) -> dict[str, Any]:
    path = authors_file(parameters)
    if path is None or not path.is_file():
        raise MistrustError(f"The authors' rows are not at {path}: name their file (authors), or leave it empty.")
    reads = ("methods", "replicates", "few", "budget", "variance", "fraction", "refit", "reclustered", "seed")
    return {
        "part": AUTHORS,
        "version": 6,
        "file": hashlib.sha256(path.read_bytes()).hexdigest(),
        "parameters": {name: getattr(parameters, name) for name in reads},
    }


def _theirs(parameters: Parameters) -> pd.DataFrame:
    spec, path = _their_spec(parameters), authors_file(parameters)
    p = parameters
    setting = Setting(p.methods, p.replicates, p.few, p.budget, p.variance, p.fraction, p.refit, p.reclustered, p.seed)
    assert path is not None  # _their_spec refuses it
    both = (theirs(path, setting), recalibrated(path, p.fraction, p.budget, p.seed))
    frame = made(ROWS, spec, lambda _: measured(chain(*both)))
    return frame.assign(chapter=CHAPTER, data="kaggle13", made=key(ROWS, spec))


def _smoke() -> pd.DataFrame:
    """Rows of searches of a pool that was drawn, by what has no version of its own; rounded, since machines differ."""
    return measured(_smoke_rows()).round({"value": 4, "low": 4, "high": 4})


def _smoke_rows() -> Iterator[Row]:
    draw, n = generator(0, "smoke/search"), 150
    c = 0.66 + 0.33 * draw.random(n)
    distance = np.exp(3 * c + 0.3 * draw.standard_normal(n))
    pool = Pool(np.arange(n), c, draw.standard_normal((n, 3)), distance)
    trend = fitted(distance, c)
    one = Hunted(
        "a", pool.with_(residual=trend.residual(distance, c)), draw.random(n) < 2 * (1 - c), pool.need("features", ""),
        trend, n, 1.0,
    )  # fmt: skip
    methods = ("adversarial_distance", "highest_distance", "low_confidence")
    yield from searches(one, Setting(methods, 4, 2, 20, 0.01, 0.2, False, False, 0))


ROWS = maker("search-rows", version=1, content="table", smoke=_smoke)
MAKERS = (NETWORK, DISTANCES, ROWS)
