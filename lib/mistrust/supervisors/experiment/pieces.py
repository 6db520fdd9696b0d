"""Pieces of the experiment: scores of one classifier after the other, their rows, and those of single corruptions."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import pandas as pd
import torch
from torch import Tensor

from mistrust import random
from mistrust.ambiguity.experiment.kept_sets import SETS_MAKER
from mistrust.ambiguity.training import AUTOENCODERS
from mistrust.data import load
from mistrust.networks import NETWORK
from mistrust.parts import measured
from mistrust.pieces import Kept, known, lacking
from mistrust.store import key, made, maker
from mistrust.supervisors.conv_vae import CONV_VAE
from mistrust.supervisors.dissector import DISSECTOR
from mistrust.supervisors.experiment import further, other_sets, published_ensembles, rebuilding, toy
from mistrust.supervisors.experiment.asides import ASIDES, MADE
from mistrust.supervisors.experiment.classified import classified
from mistrust.supervisors.experiment.methods import TRAINING, Method
from mistrust.supervisors.experiment.parameters import CHAPTER, Parameters
from mistrust.supervisors.experiment.tested import (
    ATTACKED,
    UnderTest,
    all_scores,
    joined,
    set_scores,
)
from mistrust.supervisors.softmax import entropy, max_softmax
from mistrust.supervisors.tables import NOMINAL, Row, Scores
from mistrust.supervisors.tables.detection import detection
from mistrust.supervisors.tables.together import together
from mistrust.supervisors.tables.trust import trust

# What a score depends on, and what rows of scores depend on beyond it.
SCORED = (
    *MADE, "runs", "members", "samples", "supervisors", "also_nominal", "variants", "vae_epochs", "dissector_epochs",
    "attacked",
)  # fmt: skip
ROWED = (*SCORED, "shown", "resamples")


def _under_test(parameters: Parameters) -> Iterator[UnderTest]:
    p = parameters
    for run in range(p.runs):
        for architecture in p.architectures:
            for data in p.data:  # image sets take turns, so that two are trained side by side
                yield UnderTest(p, data, architecture, run)


@dataclass(frozen=True)
class Piece:
    """One piece.

    Attributes
    ----------
    data : the image set that its rows are about.
    give : gives them.
    spec : tells what they depend on; images are hashed for it, so only the piece that is asked for should.
    common : what all of them share beside the image set.
    prepares : whether it only makes what others find in the store.
    """

    data: str
    give: Callable[[], Iterable[Row]]
    spec: Callable[[], Mapping[str, Any]]
    common: Mapping[str, Any]
    prepares: bool = False


def _table(parameters: Parameters) -> dict[str, Piece]:
    """Every piece by its name, in the order that keeps two processes busy: what others wait for comes early."""
    found = dict[str, Piece]()
    clusters = {"piece": "seen", "seed": parameters.seed, "versions": _versions()}
    found["three clusters: seen"] = Piece(toy.NAME, partial(toy.seen, parameters.seed), lambda: clusters, {})
    for data in parameters.data if "autoencoder" in parameters.compared else ():
        one = UnderTest(parameters, data, parameters.architectures[0], 0)
        found[f"{data}: autoencoder"] = _autoencoder(one)
        found[f"{data}: rebuilt"] = Piece(data, partial(rebuilding.rebuilt, one), partial(_rebuilt_spec, one), {})
    tested = list(_under_test(parameters))
    for what, give in GIVE.items():  # what reads the scores of another piece comes after all that make scores
        for one in tested:
            if not _asked(one, what):
                continue
            number = f"{one.architecture} {one.run}"
            name = number if what == "rows" else f"{what}, {number}"
            common = {"network": one.architecture, "seed": float(parameters.seed + one.run)}
            if what == "rows" and one.run and "autoencoder" in parameters.compared:  # once, ahead of all that read it
                own = replace(one, architecture=parameters.architectures[0])
                found.setdefault(f"{one.data}: autoencoder {one.run}", _autoencoder(own))
            first = what == "rows" and one.run == 0 and further.ensembles(one)
            apart = first and further.apart(one)
            if apart:  # ahead of the classifier, which would train them all
                found.update(_networks(one))
            if what == "rows" and further.deep(one):
                found.update(_scored(one, number, common))
            found[f"{one.data}: {name}"] = Piece(one.data, partial(give, one), partial(_spec, one, what), common)
            if first and not apart:  # trained beside the first that wants them
                spec, where = partial(_spec, one, "members"), {"network": one.architecture}
                kind = Piece(one.data, partial(further.members, one), spec, where, prepares=True)
                found[f"{one.data}: members, {one.architecture}"] = kind
    return found


def _autoencoder(one: UnderTest) -> Piece:
    """A run's own autoencoder. The first tells how well they rebuild: a run is whole without the others' rows."""
    spec, seed = partial(_spec, one, "autoencoder"), {"seed": float(one.parameters.seed + one.run)}
    return Piece(one.data, partial(rebuilding.autoencoder, one), spec, seed, prepares=one.run > 0)


def _networks(one: UnderTest) -> Iterator[tuple[str, Piece]]:
    """Every network of an architecture as a piece."""
    for number in further.every(one):
        each, own = replace(one, run=number), {"network": one.architecture}
        kind = Piece(one.data, partial(further.network, each), partial(_network_spec, each), own, prepares=True)
        yield f"{one.data}: network {number}, {one.architecture}", kind


def _scored(one: UnderTest, number: str, common: Mapping[str, Any]) -> Iterator[tuple[str, Piece]]:
    """Every set of inputs of a deep classifier as a piece, adversarial images being made in theirs."""
    for name in one.scored_sets:
        kind, spec = name.partition("/")[0], partial(_set_spec, one, name)
        yield (
            f"{one.data}: {kind} scores, {number}",
            Piece(one.data, partial(_scored_rows, one, name), spec, common, True),
        )


def _asked(one: UnderTest, what: str) -> bool:
    if what == OTHER_SETS:
        return one.parameters.other_sets and one.run == 0
    if what in ASIDES:
        return ASIDES[what].of(one)
    return what == "rows" or published_ensembles.affected(one.parameters, one.data)


def pieces(parameters: Parameters) -> list[str]:
    """Name the pieces.

    Examples
    --------
    >>> pieces(Parameters(data=("digits",), architectures=("ambiguess-fc",)))[:3]
    ['three clusters: seen', 'digits: autoencoder', 'digits: rebuilt']
    >>> pieces(Parameters(data=("digits",), architectures=("ambiguess-fc",), supervisors=("mdsa",), runs=2))
    ['three clusters: seen', 'digits: ambiguess-fc 0', 'digits: ambiguess-fc 1']
    """
    return list(_table(parameters))


def preparing(parameters: Parameters) -> list[str]:
    """Name the pieces that only train what others find in the store.

    Examples
    --------
    >>> preparing(Parameters(data=("digits",), architectures=("ambiguess-fc",)))
    ['digits: members, ambiguess-fc']
    >>> deep = Parameters(data=("digits",), architectures=("resnet50-v1",), members=20)
    >>> preparing(deep)[19:21], len(preparing(deep))
    (['digits: network 19, resnet50-v1', 'digits: nominal scores, resnet50-v1 0'], 25)
    """
    return [name for name, one in _table(parameters).items() if one.prepares]


def piece(parameters: Parameters, name: str) -> pd.DataFrame:
    """Give the rows of one piece, from the store where they are made.

    Examples
    --------
    All but the first begin with ambiguous images, which autoencoders trained for one pass cannot give:

    >>> hasty = Parameters(data=("digits",), epochs=1, tries=2)
    >>> piece(hasty, "digits: autoencoder")
    Traceback (most recent call last):
    mistrust.errors.MistrustError: No autoencoder passed the gates for 1 of 1 pairs: 4/9 (2 tried, ...
    >>> missing(hasty, "digits: autoencoder")  # what failed is not kept
    ['not made yet']
    """
    one = known(_table(parameters), name)
    spec = one.spec()
    frame = made(ROWS, spec, lambda _: measured(one.give()))
    return frame.assign(chapter=CHAPTER, data=one.data, made=key(ROWS, spec), **one.common)


def missing(parameters: Parameters, name: str) -> list[str]:
    """Say why the store does not hold a piece yet; nothing when it does.

    Examples
    --------
    >>> parameters = Parameters(data=("digits",))
    >>> missing(parameters, "digits: ambiguess-fc 0")
    ['not made yet']
    """
    return lacking(made_from(parameters, name))


def made_from(parameters: Parameters, name: str) -> list[Kept]:
    """Give what the store keeps a piece's rows by.

    Examples
    --------
    >>> [(maker, spec)] = made_from(Parameters(data=("digits",)), "digits: ambiguess-fc 0")
    >>> maker.kind, spec["piece"]
    ('supervisor-rows', 'rows')
    """
    return [(ROWS, known(_table(parameters), name).spec())]


def _spec(one: UnderTest, what: str) -> dict[str, Any]:
    reads = (*(ROWED if what == "rows" else SCORED), *(("corrupted",) if one.severities else ()))
    if what in ASIDES:
        aside = ASIDES[what]
        return {"piece": what, **_network_of(one, aside.reads), "compared": list(aside.asked(one.parameters))}
    more = {"taken": _spec(one.taking(*published_ensembles.TAKEN), "scores")} if what == SLIP else {}
    return {**more, "piece": what, **_network_of(one, reads), "compared": list(one.parameters.compared)}


def _network_spec(one: UnderTest) -> dict[str, Any]:
    return {"piece": "network", **_network_of(one, MADE)}


def _network_of(one: UnderTest, reads: Iterable[str]) -> dict[str, Any]:
    p = one.parameters
    return {
        "architecture": one.architecture,
        "run": one.run,
        "data": {"name": one.data, **{split: load(one.data, split).checksum for split in ("train", "test")}},
        "parameters": {name: _apart(p) if name == "also_nominal" else getattr(p, name) for name in reads},
        "recipe": p.ambiguity.recipe(one.architecture).described(),
        "versions": _versions(),
    }


def _apart(p: Parameters) -> tuple[str, ...]:
    """What is fitted without ambiguous images beside all others: the rest is a piece of its own."""
    return tuple(name for name in p.also_nominal if name not in TRAINING)


def _rebuilt_spec(one: UnderTest) -> dict[str, Any]:
    p, parts = one.parameters, ("train", "test")
    images = {"name": one.data, **{part: load(one.data, part).checksum for part in parts}}
    return {"piece": "rebuilt", "data": images, "epochs": p.vae_epochs, "seed": p.seed, "versions": _versions()}


def _versions() -> dict[str, int]:
    return {other.kind: other.version for other in MAKERS if other is not ROWS}


def _set_spec(one: UnderTest, name: str) -> dict[str, Any]:
    return {**_spec(one, "scores"), "set": name}


def _scores(one: UnderTest) -> dict[str, Tensor]:
    if not further.deep(one):
        return made(SCORES, _spec(one, "scores"), lambda _: all_scores(one))
    fitted = cache(one.fitted)  # once, for all sets that are in no store
    return joined({name: _set_scores(one, name, fitted) for name in one.scored_sets})


def _set_scores(one: UnderTest, name: str, fitted: Callable[[], Sequence[Method]]) -> dict[str, Tensor]:
    return made(SCORES, _set_spec(one, name), lambda _: set_scores(one, name, fitted()))


def _scored_rows(one: UnderTest, name: str) -> Iterator[Row]:
    count = len(_set_scores(one, name, one.fitted)["ids"])
    yield {"table": "prepared", "condition": name, "metric": "images scored", "value": count, "n": count}


def _rows(one: UnderTest) -> Iterable[Row]:
    return classified(one, _scores(one))


def _published_ensembles(one: UnderTest) -> Iterable[Row]:
    """What a slip of the published ensembles changes on every kind of bad input."""
    return published_ensembles.as_published(one, _scores(one))


def _other_sets(one: UnderTest) -> Iterable[Row]:
    """What numbers owe to how our test sets were made."""
    return other_sets.other_sets(one, _scores(one))


OTHER_SETS, SLIP = "other sets", "published ensembles"
GIVE = {
    "rows": _rows, SLIP: _published_ensembles, OTHER_SETS: _other_sets,
    **{what: aside.give for what, aside in ASIDES.items()},
}  # fmt: skip


def _smoke_scores() -> dict[str, Tensor]:
    """Score a few drawn logits; rounded, since machines differ in the last digits."""
    p = (4 * random.normal(0, "smoke", torch.arange(6), (3,))).double().softmax(1)
    return {"nominal|max_softmax": max_softmax(p).round(decimals=4), "nominal|entropy": entropy(p).round(decimals=4)}


def _smoke_rows() -> pd.DataFrame:
    """Make rows of drawn scores."""
    draw = random.generator(0, "smoke")

    def drawn(name: str, shift: float) -> Scores:
        ids = torch.arange(20).numpy()
        return Scores(name, ids, draw.random(20) < 0.7, {"a": draw.normal(shift, 1, 20), "b": draw.random(20)})

    nominal, bad = drawn(NOMINAL, 0), drawn("invalid/other", 1)
    found = [*detection(nominal, bad, 20, 0), *trust(NOMINAL, [nominal]), *together(nominal, [bad], ["a", "b"])]
    return measured(found).round({"value": 4, "low": 4, "high": 4})


SCORES = maker("supervisor-scores", version=2, content="tensors", smoke=_smoke_scores)
ROWS = maker("supervisor-rows", version=1, content="table", smoke=_smoke_rows)
MAKERS = (AUTOENCODERS, SETS_MAKER, NETWORK, CONV_VAE, DISSECTOR, ATTACKED, SCORES, ROWS)
