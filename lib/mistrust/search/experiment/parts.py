"""What is measured of a model: one entry a part, each kept on its own, so that a killed run loses one at most."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from mistrust.data import ImageSet
from mistrust.parts import Part
from mistrust.registry import Registry
from mistrust.search.attack import DISTANCES
from mistrust.search.experiment.conditions import control
from mistrust.search.experiment.foolbox_runs import foolbox_run
from mistrust.search.experiment.parameters import present
from mistrust.search.experiment.scores import residuals
from mistrust.search.experiment.subjects import Subject, drawn, images_of, nearest, pool_of
from mistrust.search.replicates import RANDOM
from mistrust.search.tables import Row
from mistrust.search.tables.attack import PEER_STEPS, attack, noise_starts
from mistrust.search.tables.by_query import by_query, further, score_curves
from mistrust.search.tables.controls import lowered, null
from mistrust.search.tables.explained import explained, shown
from mistrust.search.tables.focus import focus
from mistrust.search.tables.insight import insight
from mistrust.search.tables.jumps import jumps
from mistrust.search.tables.orders import AD, order
from mistrust.search.tables.panels import network, pool
from mistrust.search.tables.peer import peer
from mistrust.search.tables.rank import rank
from mistrust.search.tables.refit import refit
from mistrust.search.tables.searches import by_chance, scored, searches
from mistrust.search.tables.steps import steps

# The paper's critical class of cats and dogs.
CRITICAL = "cat"


PARTS = Registry[Part[Subject]]("part of the search experiment")
# Of single models, as pieces of their own.
ASIDE = Registry[Part[Subject]]("part of the search experiment that stands alone")
# What only lays distances into the store that others ask for.
AHEAD = Registry[Part[Subject]]("part of the search experiment that prepares others")


def _all(one: Subject) -> bool:
    return True


def _first(one: Subject) -> bool:
    return one.run == 0


def critical(one: Subject) -> str:
    """The critical class where only one is looked at: the paper's, else the first."""
    return CRITICAL if CRITICAL in one.panel.classes else one.panel.classes[0]


def _network_rows(one: Subject) -> Iterator[Row]:
    yield from network(one.panel)


def _distance_rows(which: int, one: Subject) -> Iterator[Row]:
    at = one.panel.classes[which]
    found = pool_of(one, at)
    if found is not None:
        yield {"table": "distances", "metric": "attacked", "at": at, "value": found.attacked, "n": len(found)}


def _pool_rows(one: Subject) -> Iterator[Row]:
    p = one.parameters
    for found in one.pools():
        yield from pool(one.panel, found, not DISTANCES[p.distance].random, p.resamples, p.seed)


def _search_rows(one: Subject) -> Iterator[Row]:
    for found in one.pools():
        yield from searches(found, one.setting)


def _chance_rows(one: Subject) -> Iterator[Row]:
    for found in one.pools():
        yield from by_chance(found, one.setting, one.parameters.methods, one.parameters.oracles)


def _score_rows(one: Subject) -> Iterator[Row]:
    for found in one.pools():
        for name, kept, keys in residuals(one, found.at):
            yield from scored(kept, {name: keys}, one.setting)


def _further_rows(one: Subject) -> Iterator[Row]:
    """Searches that join an accepted run: with parts of their own, what was made of the others stays."""
    setting = replace(one.setting, methods=one.parameters.also)
    for found in one.pools():
        rows = chain(
            searches(found, setting), by_chance(found, setting, setting.methods, one.parameters.oracles),
            further(found, setting),
        )  # fmt: skip
        yield from (row for row in rows if row["method"] != RANDOM)


def _by_query_rows(one: Subject) -> Iterator[Row]:
    for found in one.pools():
        yield from by_query(found, one.setting)


def _score_curve_rows(one: Subject) -> Iterator[Row]:
    for found in one.pools():
        for name, kept, keys in residuals(one, found.at):
            yield from score_curves(kept, {name: keys}, one.setting)


def _refit_rows(one: Subject) -> Iterator[Row]:
    for found in one.pools():
        yield from refit(found, one.setting, one.parameters.refits)


def _rank_rows(one: Subject) -> Iterator[Row]:
    for found in one.pools():
        yield from rank(found)


def _step_rows(one: Subject) -> Iterator[Row]:
    p, found = one.parameters, pool_of(one, critical(one))
    if found is not None:
        methods = (AD, "low_confidence", RANDOM) if found.trend is not None else ("low_confidence", RANDOM)
        for method in methods:
            rows = order(found.pool, method, min(p.shown, len(found)), p.fraction, one.seed)
            yield from steps(found, one.panel.parts.test, rows.tolist(), method)


def _explained_rows(one: Subject) -> Iterator[Row]:
    p, found = one.parameters, pool_of(one, critical(one))
    if found is None or found.trend is None:
        return
    rows = order(found.pool, AD, len(found), p.fraction, one.seed)
    yield from explained(one.panel, found, rows.tolist(), p.resamples, p.seed)


def _shown_rows(one: Subject) -> Iterator[Row]:
    found = pool_of(one, critical(one))
    if found is not None and found.trend is not None:
        rows = order(found.pool, AD, len(found), one.parameters.fraction, one.seed)
        yield from shown(one.panel, found, rows.tolist())


def _insight_rows(one: Subject) -> Iterator[Row]:
    found = pool_of(one, critical(one))
    if found is not None and found.trend is not None:
        rows = order(found.pool, AD, len(found), one.parameters.fraction, one.seed)
        yield from insight(one.panel, found, rows.tolist(), partial(nearest, one))


def _focus_rows(one: Subject) -> Iterator[Row]:
    found = pool_of(one, critical(one))
    if found is not None and found.trend is not None:
        rows = order(found.pool, AD, len(found), one.parameters.fraction, one.seed)
        yield from focus(one.panel, found, rows.tolist(), partial(nearest, one))


def _attacked(one: Subject, at: str) -> tuple[ImageSet, NDArray[np.float64]] | None:
    """Images of a class's pool that attacks by labels alone are tried on, and their confidences."""
    found = pool_of(one, at)
    if found is None:
        return None
    rows = drawn(len(found), one.parameters.attack_images, one.seed, f"attack/{at}")
    return images_of(one, found).take(rows), np.asarray(found.pool.confidence)[rows]


def _attack_rows(one: Subject) -> Iterator[Row]:
    p, donors, classifier = one.parameters, one.panel.parts.test, one.panel.classifier
    for at in one.panel.classes:
        found = _attacked(one, at)
        if found is None:
            continue
        if at == critical(one):
            beside = foolbox_run(one, found[0], PEER_STEPS * max(p.attack_steps), 1)
            yield from attack(classifier, *found, donors, at, p.attack_steps, p.fraction, one.seed, beside)
        else:
            yield from noise_starts(classifier, found[0], donors, at, max(p.attack_steps), one.seed)


def _jump_rows(one: Subject) -> Iterator[Row]:
    p, at = one.parameters, critical(one)
    found = _attacked(one, at)
    if found is not None:
        yield from jumps(one.panel.classifier, *found, one.panel.parts.test, at, p.attack_jumps, p.fraction, one.seed)


def _peer_rows(one: Subject) -> Iterator[Row]:
    p, at = one.parameters, critical(one)
    found = _attacked(one, at)
    if found is not None:
        runs = [foolbox_run(one, found[0], p.foolbox_steps, run) for run in (0, 1)]
        yield from peer(one.panel.classifier, *found, at, p.foolbox_steps, p.fraction, *runs)


def _control_rows(one: Subject) -> Iterator[Row]:
    p, found = one.parameters, pool_of(one, critical(one))
    if found is not None:
        yield from null(found, one.setting, p.methods, p.control_oracles)
        yield from lowered(found, p.budget, p.control_oracles, p.fraction, one.seed)


def _biased(one: Subject) -> bool:
    return one.mechanism == "biased_training" and one.condition != control(one.mechanism)


def strongest(one: Subject) -> bool:
    """Whether it is of the strongest dose that is run, the last but those that stand beside the mechanism."""
    given = one.parameters.doses_of(one.mechanism)
    able = [dose for dose in given if dose != "channel0"] or given
    return one.dose == able[-1]


def _elsewhere(one: Subject) -> bool:
    """Whether it errs most by another mechanism than the one that the paper explains errors of."""
    return one.mechanism != "biased_training" and strongest(one)


def _pictured(one: Subject) -> bool:
    """Whether its rows have pictures, which are large."""
    return _first(one) and strongest(one) and one.parameters.shown > 0


def _is_attacked(one: Subject) -> bool:
    """Whether attacks by labels alone are tried on it: of the strongest dose, as many models as are asked for."""
    p = one.parameters
    return p.attack_images > 0 and one.run < p.attack_models and strongest(one)


def weakest(one: Subject) -> bool:
    """Whether it is of the first dose that is run, the control where it is among them."""
    return one.dose == one.parameters.doses_of(one.mechanism)[0]


def _by_labels(one: Subject) -> bool:
    """Whether its pools' distances are found by labels alone, which takes a GPU minutes for each class."""
    return not DISTANCES[one.parameters.distance].gradients


# The order in which they are measured.
POOL = ("distance", "distance_steps", "pool_cap", "fraction")
SETTING = ("methods", "replicates", "few", "budget", "variance", "refit", "reclustered")
for _which, _name in enumerate(("first", "second")):
    AHEAD.add(f"{_name} class's distances", Part(POOL, _by_labels, partial(_distance_rows, _which)))
PARTS.add("network", Part((), _all, _network_rows))
PARTS.add("pools", Part((*POOL, "resamples", "seed"), _all, _pool_rows, version=2))
PARTS.add("searches", Part((*POOL, *SETTING), _all, _search_rows, version=2))
PARTS.add("chance", Part((*POOL, "methods", "budget", "variance", "oracles"), _all, _chance_rows))
PARTS.add(
    "scores",
    Part(
        (*POOL, *SETTING, "scores", "samples", "models", "seed"),
        lambda one: bool(one.parameters.scores),
        _score_rows,
        version=2,
    ),
)
PARTS.add("rank", Part(POOL, _first, _rank_rows))
PARTS.add("steps", Part((*POOL, "shown"), _pictured, _step_rows, version=2))
PARTS.add("explained", Part((*POOL, "resamples", "seed"), _biased, _explained_rows))
PARTS.add(
    "shown",
    Part((*POOL, "shown"), _pictured, _shown_rows),
)
PARTS.add(
    "further searches",
    Part((*POOL, *SETTING[1:], "also", "oracles"), lambda one: bool(one.parameters.also), _further_rows),
)
PARTS.add("by query", Part((*POOL, *SETTING), _all, _by_query_rows))
PARTS.add(
    "score curves",
    Part(
        (*POOL, *SETTING[1:], "scores", "samples", "models", "seed"),
        lambda one: bool(one.parameters.scores),
        _score_curve_rows,
    ),
)
PARTS.add("explained elsewhere", Part((*POOL, "resamples", "seed"), _elsewhere, _explained_rows))
PARTS.add("focus", Part(POOL, strongest, _focus_rows))
ASIDE.add("attack", Part((*POOL, "attack_images", "attack_steps"), _is_attacked, _attack_rows, version=2))
ASIDE.add(
    "jumps",
    Part(
        (*POOL, "attack_images", "attack_jumps"),
        lambda one: bool(one.parameters.attack_jumps) and _is_attacked(one),
        _jump_rows,
    ),
)
ASIDE.add(
    "peer",
    Part(
        (*POOL, "attack_images", "foolbox_steps"),
        lambda one: one.parameters.foolbox_steps > 0 and _is_attacked(one),
        _peer_rows,
    ),
)
ASIDE.add(
    "controls",
    Part(
        (*POOL, *SETTING, "control_oracles"),
        lambda one: (
            one.run < one.parameters.controls and weakest(one) and one.mechanism == present(one.parameters)[0]
        ),
        _control_rows,
    ),
)  # fmt: skip
ASIDE.add(
    "refit",
    Part((*POOL, "budget", "refits"), lambda one: one.parameters.refits > 0 and strongest(one), _refit_rows),
)
ASIDE.add("insight", Part((*POOL, "shown"), _pictured, _insight_rows))
