"""Pieces of the AmbiGuess experiment: which there are, what each depends on, and their rows from the store."""

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from functools import partial
from math import isfinite
from typing import Any

import pandas as pd

from mistrust import rows as tidy
from mistrust.ambiguity.adversarial import Training
from mistrust.ambiguity.ambiguous_mnist import NAME
from mistrust.ambiguity.experiment import contents, remedies
from mistrust.ambiguity.experiment.kept_sets import SETS_MAKER, smoke_decoders
from mistrust.ambiguity.experiment.known import known_world
from mistrust.ambiguity.experiment.material import Material, material
from mistrust.ambiguity.experiment.parameters import CHAPTER, Parameters
from mistrust.ambiguity.experiment.trial import trial
from mistrust.ambiguity.grid import Grid
from mistrust.ambiguity.plain_vae import PLAIN_VAE, PlainRecipe
from mistrust.ambiguity.tables import Row
from mistrust.ambiguity.tables.made import label_rules
from mistrust.ambiguity.tables.shown import interpolation
from mistrust.ambiguity.training import AUTOENCODERS
from mistrust.data import load
from mistrust.networks import NETWORK
from mistrust.pieces import Kept, known, lacking
from mistrust.store import key, made, maker

# The parameters that each kind of piece reads: what is kept under its name must change with them and with no others.
# An autoencoder is good where the strictest delta leaves it ambiguous cells, by the scheme in use.
GOOD = ("pairs", "models", "tries", "epochs", "seed", "delta_train", "delta_test", "z_bound", "label", "weight")
DRAWN = (*GOOD, "train", "test", "vae_epochs")
FIRST = ("pairs", "models", "tries", "epochs", "seed")
JUDGED = ("judges", "clean", "network_epochs", "seed")

# Autoencoders a pair that one piece trains; where there are more, one of each pair is a piece of its own.
FEW = 4


@dataclass(frozen=True)
class Piece:
    """One piece.

    Attributes
    ----------
    data : the image set that its rows are about.
    give : gives them.
    reads : names of the parameters that they depend on; `NAME` where they compare with AmbiguousMNIST, if it is here.
    splits : parts of the image set that are read; none where it is not loaded.
    networks : classifiers whose recipes they depend on.
    prepares : whether it only makes what others find in the store.
    """

    data: str
    give: Callable[[], Iterable[Row]]
    reads: tuple[str, ...]
    splits: tuple[str, ...] = ("train", "test")
    networks: tuple[str, ...] = ()
    prepares: bool = False


def _table(parameters: Parameters) -> dict[str, Piece]:
    """Every piece by its name. Image sets take turns, so that two are trained side by side.

    What trains without the decoders of the first piece comes next, so that nobody waits for them in vain.
    """
    p, found = parameters, dict[str, Piece]()

    def add(kind: str, give: Callable[[Material], Iterable[Row]], reads: tuple[str, ...], *networks: str) -> None:
        for data in p.data:
            found[f"{data}: {kind}"] = Piece(data, partial(_of, p, data, give), reads, networks=networks)

    for number in range(p.models) if p.models > FEW else ():
        for data in p.data:
            give = partial(_of, p, data, partial(contents.prepared, number=number))
            found[f"{data}: autoencoders {number}"] = Piece(data, give, FIRST, ("train",), prepares=True)
    add("generators", contents.generators, (*GOOD, "shown_pair"))
    world = ("epochs", "seed", "test", "z_bound", "vae_epochs", "world_images")
    found["known world"] = Piece("fours-and-nines", partial(known_world, p), world, ())
    for training, count in (("clean", p.clean), ("mixed", p.mixed)):
        for name in p.architectures:
            for number in range(count):
                give = partial(contents.classifier, architecture=name, training=training, number=number)
                more = ("targets",) if training == "mixed" else ()
                add(f"{name} {training} {number}", give, (*DRAWN, *more, "network_epochs", NAME), name)
    add("sets", contents.sets, (*DRAWN, NAME))
    taught = (*DRAWN, "targets", "mixed", "architectures", "network_epochs")
    add("known-decoders", contents.known_decoders, taught, *p.architectures)
    add("codes", contents.codes, GOOD)
    add("reach", contents.reach, GOOD)
    add("diversity by scheme", contents.diversity, (*GOOD, "diversity_points", "diversity_decoders"))
    add("judged", contents.judged, (*DRAWN, *JUDGED, "resamples"), *p.judges)
    add("plain plane", contents.plain_plane, ("vae_epochs", *JUDGED), *p.judges)
    if p.convergence_steps:
        add("convergence", contents.convergence, ("pairs", "seed", "convergence_steps"))
    if p.longer:
        add("longer", remedies.longer, (*GOOD, "longer"))
    if p.bounds:
        reads = (*DRAWN, "targets", "architectures", "network_epochs", "bounds")
        add("bounds", remedies.bounds, reads, *p.architectures)
    if p.more_decoders:
        # It trains autoencoders of its own: how many the chapter trains and tries is nothing to it.
        own = tuple(name for name in GOOD if name not in ("models", "tries"))
        reads = (*own, "train", "test", "targets", "judges", "network_epochs", "more_decoders")
        add("more decoders", remedies.more_decoders, reads, *p.judges)
    if p.trial:
        found["trial"] = Piece(p.trial, partial(trial, p), ("models", "epochs", "seed", "trial_pairs"), ("train",))
    return found


def _of(parameters: Parameters, data: str, give: Callable[[Material], Iterable[Row]]) -> Iterable[Row]:
    return give(material(parameters, data))


def pieces(parameters: Parameters) -> list[str]:
    """Name the pieces.

    Examples
    --------
    >>> parameters = Parameters(data=("digits",), architectures=("ambiguess-conv",))
    >>> pieces(parameters)[:4]
    ['digits: generators', 'known world', 'digits: ambiguess-conv clean 0', 'digits: ambiguess-conv mixed 0']
    >>> len(pieces(parameters))
    11
    """
    return list(_table(parameters))


def preparing(parameters: Parameters) -> list[str]:
    """Name the pieces that only train what others find in the store.

    Examples
    --------
    >>> preparing(Parameters(data=("digits",)))
    []
    >>> preparing(Parameters(data=("digits",), models=20))[-1]
    'digits: autoencoders 19'
    """
    return [name for name, one in _table(parameters).items() if one.prepares]


def piece(parameters: Parameters, name: str) -> pd.DataFrame:
    """Give the rows of one piece, from the store where they are made.

    Examples
    --------
    The plane of a plain autoencoder, trained for one pass: a picture for each of 15 by 15 latent points:

    >>> tiny = Parameters(data=("digits",), vae_epochs=1, network_epochs=1, judges=("ambiguess-fc-relu",))
    >>> found = piece(tiny, "digits: plain plane")
    >>> len(found), found["table"].unique().tolist(), bool(found["note"].str.startswith("png:").all())
    (225, ['vae-plane'], True)
    >>> missing(tiny, "digits: plain plane")  # now it is in the store
    []
    """
    one = known(_table(parameters), name)
    spec = _spec(parameters, name)
    frame = made(ROWS, spec, lambda _: _measured(one.give()))
    return frame.assign(chapter=CHAPTER, data=one.data, made=key(ROWS, spec))


def missing(parameters: Parameters, name: str) -> list[str]:
    """Say why the store does not hold a piece yet; nothing when it does.

    Examples
    --------
    >>> parameters = Parameters(data=("digits",), pairs=("4/9",))
    >>> missing(parameters, "digits: generators")
    ['not made yet']
    """
    return lacking(made_from(parameters, name))


def made_from(parameters: Parameters, name: str) -> list[Kept]:
    """Give what the store keeps a piece's rows by; files of accepted rows hold all of them.

    Examples
    --------
    >>> [(maker, spec)] = made_from(Parameters(data=("digits",), pairs=("4/9",)), "digits: generators")
    >>> maker.kind, spec["piece"]
    ('ambiguity-rows', 'generators')
    """
    return [(ROWS, _spec(parameters, name))]


def _spec(parameters: Parameters, name: str) -> dict[str, Any]:
    one = known(_table(parameters), name)
    data: dict[str, Any] = {"name": one.data, **{split: load(one.data, split).checksum for split in one.splits}}
    released = contents.theirs(one.data) if NAME in one.reads else None
    if released is not None:  # without a copy, keys are what they are without this comparison
        data[NAME] = released.checksum
    return {
        "piece": name.removeprefix(f"{one.data}: "),
        "data": data,
        "parameters": {field: getattr(parameters, field) for field in sorted(set(one.reads)) if field != NAME},
        "recipes": {
            **{name: parameters.recipe(name).described() for name in one.networks},
            "autoencoders": asdict(Training()),
            "plain": asdict(PlainRecipe()),
        },
        "versions": {other.kind: other.version for other in MAKERS if other is not ROWS},
    }


def _measured(found: Iterable[Row]) -> pd.DataFrame:
    """Rows of what could be computed."""
    return tidy.table(row for row in found if isfinite(row["value"]))


def _smoke() -> pd.DataFrame:
    """Make tables of decoders whose numbers are drawn; rounded, since machines differ in the last digits."""
    _, stack = smoke_decoders()
    found = [*label_rules(stack, Grid(cells=10), (0.5,)), *interpolation(stack.take([0]))]
    frame = _measured({**row, "note": ""} for row in found)
    return frame.round({"value": 3, "low": 3, "high": 3})


ROWS = maker("ambiguity-rows", version=3, content="table", smoke=_smoke)
MAKERS = (AUTOENCODERS, PLAIN_VAE, SETS_MAKER, NETWORK, ROWS)
