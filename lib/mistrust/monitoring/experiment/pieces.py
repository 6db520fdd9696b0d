"""Pieces of the experiment: one per classifier with all its monitors, from readouts to rows; trials and a repeat."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd
import torch
from torch import Tensor

from mistrust import random
from mistrust.monitoring.assembly import assemble
from mistrust.monitoring.benchmark_sets import BenchmarkSet
from mistrust.monitoring.experiment import compressed, further, kept
from mistrust.monitoring.experiment.kept import READ, readouts
from mistrust.monitoring.experiment.methods import THREE, Line, lines
from mistrust.monitoring.experiment.parameters import CHAPTER, Parameters
from mistrust.monitoring.experiment.system import (
    AS_JPEG,
    CALIBRATE,
    LEARNT,
    NOMINAL,
    TRAIN,
    System,
    without_nominal,
)
from mistrust.monitoring.experiment.tried import TRIALS, asked, spec, tried
from mistrust.monitoring.readouts import Readout, alarms, fitted, readout
from mistrust.monitoring.tables import Row
from mistrust.monitoring.tables.detection import Watcher, detection
from mistrust.monitoring.tables.nominal import accuracy, cases, control, memory, nominal, table_five
from mistrust.monitoring.tables.shown import shown
from mistrust.monitoring.tables.summary import summary
from mistrust.parts import measured
from mistrust.pieces import known
from mistrust.store import key, made, maker, why

# What rows of readouts depend on.
ROWED = (*READ, "false_alarms", "shown", "resamples")


def _systems(parameters: Parameters) -> Iterator[System]:
    p = parameters
    for architecture in p.architectures:
        for run in range(p.runs_of(architecture)):
            for data in p.data:  # image sets take turns, so that two are worked on side by side
                yield System(p, data, architecture, run)


@dataclass(frozen=True)
class Piece:
    """One piece: the classifier, what its rows depend on, what gives them, and whether it only prepares others."""

    one: System
    spec: Callable[[], dict[str, Any]]
    give: Callable[[], Iterable[Row]]
    prepares: bool = False


def _table(parameters: Parameters) -> dict[str, Piece]:
    """Every piece by its name: what others read first; trials and the repeat, which few wait for, last."""
    found = dict[str, Piece](_prepared(parameters))
    systems = {f"{one.data}: {{}}{one.architecture} {one.run}": one for one in _systems(parameters)}
    found |= {name.format(""): Piece(one, partial(_rowed, one), partial(_rows, one)) for name, one in systems.items()}
    for what in TRIALS:
        for name, one in systems.items():
            if asked(one):
                found[name.format(f"{what}, ")] = Piece(one, partial(spec, one, what), partial(tried, one, what))
    for name, one in systems.items():
        if compressed.asked(one):
            again = partial(compressed.spec, one), partial(compressed.repeated, one)
            found[name.format(f"{compressed.TABLE}, ")] = Piece(one, *again)
    return found


def _prepared(parameters: Parameters) -> Iterator[tuple[str, Piece]]:
    for one in further.refined(parameters):
        spec, give = partial(further.refiners_spec, one), partial(further.refiners, one)
        yield f"{one.data}: alooc {one.run}", Piece(one, spec, give, prepares=True)
    for one in further.networks(parameters):
        spec, give = partial(further.network_spec, one), partial(further.network, one)
        yield f"{one.data}: network {one.run}, {one.architecture}", Piece(one, spec, give, prepares=True)


def pieces(parameters: Parameters) -> list[str]:
    """Name the pieces.

    Examples
    --------
    >>> pieces(Parameters(data=("digits",), architectures=("farm-lenet", "resnet20")))
    ['digits: farm-lenet 0', 'digits: resnet20 0']
    >>> pieces(Parameters(data=("digits", "mnist5k"), runs=2))  # image sets take turns
    ['digits: farm-lenet 0', 'mnist5k: farm-lenet 0', 'digits: farm-lenet 1', 'mnist5k: farm-lenet 1']
    >>> pieces(Parameters(data=("gtsrb",)))  # of the paper's image sets what it tried as well
    ['gtsrb: farm-lenet 0', 'gtsrb: boxes, farm-lenet 0', 'gtsrb: optimisers, farm-lenet 0']
    >>> pieces(Parameters(data=("gtsrb-thin",)))[3:]  # and, where photographs at hand are JPEG, novelty once more
    ['gtsrb-thin: compressed, farm-lenet 0']
    """
    return list(_table(parameters))


def preparing(parameters: Parameters) -> list[str]:
    """Name the pieces that only train what others find in the store: none where that is short.

    Examples
    --------
    >>> preparing(Parameters()), preparing(Parameters(data=("digits",), alooc_epochs=200))
    ([], ['digits: alooc 0'])
    """
    return [name for name, one in _table(parameters).items() if one.prepares]


def piece(parameters: Parameters, name: str) -> pd.DataFrame:
    """Give the rows of one piece, from the store where they are made.

    Examples
    --------
    A piece trains a classifier and its monitors, which takes seconds and more. Its name says which classifier, and
    `missing` whether `piece` would have to make it or only read it:

    >>> parameters = Parameters(data=("digits",), runs=2)
    >>> pieces(parameters)
    ['digits: farm-lenet 0', 'digits: farm-lenet 1']
    >>> [bool(missing(parameters, name)) for name in pieces(parameters)]  # in a store that is still empty
    [True, True]
    """
    found = known(_table(parameters), name)
    one, depends = found.one, found.spec()
    frame = made(ROWS, depends, lambda _: measured(found.give()))
    common = {"network": one.architecture, "seed": float(parameters.seed + one.run)}
    return frame.assign(chapter=CHAPTER, data=one.data, made=key(ROWS, depends), **common)


def missing(parameters: Parameters, name: str) -> list[str]:
    """Say why the store does not hold a piece yet; nothing when it does.

    Examples
    --------
    >>> parameters = Parameters(data=("digits",))
    >>> missing(parameters, "digits: farm-lenet 0")  # in a store that is still empty
    ['not made yet']
    """
    return why(ROWS, known(_table(parameters), name).spec())


def _rowed(one: System) -> dict[str, Any]:
    return {**kept.spec(one, ROWED), "first": _first(one)}


def _first(one: System) -> bool:
    """Whether it is the classifier of its image set that has the rows of which one classifier is enough."""
    return one.run == 0 and one.architecture == one.parameters.architectures[0]


def _rows(one: System) -> Iterable[Row]:
    """All tables of one classifier; pictures and the oracle's cases of the first alone."""
    p, tensors = one.parameters, readouts(one)
    base, calibrate, train = (readout(tensors, name) for name in (NOMINAL, CALIBRATE, TRAIN))
    chosen = list(lines(p, one.data, base.scores))
    for line in chosen:
        fitted(line.threshold, line.scores, train if line.on_training else calibrate)
    classes, first = len(one.material.train.classes), _first(one)
    yield from nominal(base, _watchers(chosen, base), classes)
    found: list[Row] = []
    for entry in one.material.entries:
        bad, common = readout(tensors, entry.name), described(entry)
        whole = base.beside(bad)
        watchers = _watchers(chosen, whole)
        found += detection(whole, watchers, common, p.resamples, p.seed)
        yield from accuracy(bad, common)
        if entry.novel:
            yield from table_five(whole, watchers, classes, common)
        if bool(bad.shared.any()):
            some = bad.of(bad.shared)
            yield from control("shared classes", some, _watchers(chosen, some))
        if first:
            own = [watcher for watcher in watchers if watcher.own]
            yield from cases(whole, own, common)
    yield from found
    yield from summary(found)
    if any(name.startswith(f"{AS_JPEG}|") for name in tensors):
        some = readout(tensors, AS_JPEG)
        yield from control(AS_JPEG, some, _watchers(chosen, some))
    learnt = {name.partition("|")[2]: int(n) for name, n in tensors.items() if name.startswith(f"{LEARNT}|")}
    yield from memory(learnt)
    if first:
        yield from _pictures(one)


def described(entry: BenchmarkSet) -> dict[str, Any]:
    """Give the columns by which rows know a benchmark set."""
    return {"condition": entry.condition, **({} if entry.severity is None else {"level": entry.severity})}


def _watchers(chosen: list[Line], one: Readout) -> list[Watcher]:
    return [
        Watcher(
            line.name, line.scores, alarms(one, line.scores, line.threshold),
            own=line.name in THREE, paper=line.name.partition("/")[0] in THREE,
        )
        for line in chosen
    ]  # fmt: skip


def _pictures(one: System) -> Iterator[Row]:
    """The first nominal images, the same under every fault, and as many of every novelty."""
    p = one.parameters
    few = one.material.test(one.run).take(slice(0, p.shown))
    yield from shown(few, few.labels, {"condition": "nominal"})
    for entry in one.material.entries:
        novel = one.material.examples(entry, p.shown, one.run)
        stream = assemble(entry, few, novel=novel, classifier=one.classifier, seed=p.seed + one.run)
        (block,) = without_nominal(stream).blocks(p.shown, shuffled=False)
        yield from shown(block.images, block.labels, described(entry))


def _drawn(n: int, name: str, kind: int) -> dict[str, Tensor]:
    ids = torch.arange(n)
    labels, predicted = ids % 3, (random.uniform(0, f"smoke/{name}", ids, (1,))[:, 0] * 3).long()
    none = torch.zeros(n, dtype=torch.uint8)
    columns = {"predicted": predicted, "labels": labels, "kind": torch.full((n,), kind), "shared": none, "ids": ids}
    score = random.normal(0, f"smoke/{name}/score", ids, (1,))[:, 0].double().round(decimals=3) + kind
    return {f"{name}|{column}": values for column, values in {**columns, "alooc": score}.items()}


def _smoke_rows() -> pd.DataFrame:
    """Rows of drawn readouts."""
    tensors = {**_drawn(40, "nominal", 0), **_drawn(40, "noise", 1)}
    base, bad = readout(tensors, "nominal"), readout(tensors, "noise")
    (line, *_) = lines(Parameters(), "smoke", ["alooc"])
    fitted(line.threshold, line.scores, base)
    whole = base.beside(bad)
    watchers, common = _watchers([line], whole), {"condition": "noise/drawn", "level": 2}
    found = [*detection(whole, watchers, common, 20, 0), *cases(whole, watchers, common), *accuracy(bad, common)]
    found += nominal(base, _watchers([line], base), 3)
    return measured([*found, *summary(found)]).round({"value": 4, "low": 4, "high": 4})


ROWS = maker("monitor-rows", version=1, content="table", smoke=_smoke_rows)
MAKERS = (*kept.MAKERS, ROWS)
