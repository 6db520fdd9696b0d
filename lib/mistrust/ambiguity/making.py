"""From the name of an image set to a released ambiguous one: train, choose, draw, write (paper, section V)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from mistrust.ambiguity import gates
from mistrust.ambiguity.ambiguous_set import AmbiguousSet
from mistrust.ambiguity.autoencoder import Autoencoders
from mistrust.ambiguity.composition import compose
from mistrust.ambiguity.formats import FORMATS
from mistrust.ambiguity.members import Member
from mistrust.ambiguity.pairs import Pair, title
from mistrust.ambiguity.planning import Making, Plan, plan
from mistrust.ambiguity.release import release
from mistrust.ambiguity.sampling import admissible, cell_gaps
from mistrust.ambiguity.stacked import Design
from mistrust.ambiguity.training import GROUP, trained
from mistrust.data import ImageSet
from mistrust.errors import MistrustError

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Made:
    """A made set.

    Attributes
    ----------
    train, test : its parts.
    acceptance : one row per pair: columns of `gates.by_pair`.
    folder : where it was written, or None.

    Examples
    --------
    What `make_set` gives; here put together by hand, of mixed images:

    >>> from mistrust.data import load
    >>> digits = load("digits", "train")
    >>> parts = [mixed(digits, ["4/9"], 6, role="train"), mixed(digits, ["4/9"], 4, role="test")]
    >>> counted = pd.DataFrame({"first": [4], "second": [9], "members": [3], "survivors": [2]})
    >>> made = Made(*parts, acceptance=counted, folder=None)
    >>> len(made.train), len(made.test), made.acceptance["survivors"].tolist()
    (6, 4, [2])
    """

    train: AmbiguousSet
    test: AmbiguousSet
    acceptance: "pd.DataFrame"
    folder: Path | None


def make_set(
    data: str | ImageSet,
    making: Making | None = None,
    *,
    pairs: Sequence[str | Sequence[str | int]] | None = None,
    out: Path | str | None = None,
    licence: str | None = None,
    formats: Sequence[str] = tuple(FORMATS),
    device: str | None = None,
) -> Made:
    """Train autoencoders, draw labelled ambiguous images from them, and write both parts where a folder is named.

    Autoencoders come from the store where they are there: stopped, the same call goes on. The parameters are those of
    `plan`; `device` is where networks compute.

    Raises
    ------
    MistrustError
        What `plan` raises; a pair none of whose autoencoders passed the gates; all that `composition.compose` and
        `release.release` raise.

    Examples
    --------
    >>> made = make_set("mnist", Making(train=2000, test=1000), pairs=["3/8", "4/9"])  # doctest: +SKIP

    That trains for long. One pass over the images is too little, and the gates let none of its autoencoders through:

    >>> make_set("digits", Making(epochs=1, tries=2), pairs=["8/9"])
    Traceback (most recent call last):
    mistrust.errors.MistrustError: No autoencoder passed the gates for 1 of 1 pairs: 8/9 (2 tried, ...
    >>> make_set("digits", Making(models=1), pairs=["8/9"])
    Traceback (most recent call last):
    mistrust.errors.MistrustError: models is 1, but train and test share no autoencoder: take at least 2 a pair, ...
    """
    wanted = plan(data, making, pairs=pairs, out=out, licence=licence, formats=formats)
    how = wanted.making
    tried, survivors = decoders(wanted, device, every_pair=not how.leave_out)
    acceptance = gates.by_pair(tried, as_published=how.gates_as_coded)
    name = f"ambiguous-{wanted.images.name}"
    train, test = compose(
        survivors, torch.ones(len(survivors), dtype=torch.bool), how.train, how.test, how.composition,
        name=name, seed=how.seed,
    )  # fmt: skip
    about = {
        "data": {"name": wanted.images.name, "split": "train", "checksum": wanted.images.checksum},
        "design": asdict(survivors.design),
        "training": asdict(wanted.training),
        "gates": "as coded" if how.gates_as_coded else "as the paper defines them",
        "left_out": [title(wanted.images.classes, pair) for pair in wanted.pairs if pair not in survivors.pairs],
        "accepted": {
            title(wanted.images.classes, (first, second)): f"{survivors} of {members}"
            for first, second, members, survivors in zip(
                *(acceptance[name].tolist() for name in ("first", "second", "members", "survivors")), strict=True
            )
        },
    }
    train, test = (replace(one, made_by={**one.made_by, **about}) for one in (train, test))
    folder = None
    if wanted.folder is not None:
        folder = release(train, test, wanted.folder, wanted.origin, wanted.formats)
    return Made(train, test, acceptance, folder)


def decoders(wanted: Plan, device: str | None = None, *, every_pair: bool = True) -> tuple[Autoencoders, Autoencoders]:
    """Give all autoencoders that were tried, and the good ones: past the gates, with ambiguous cells.

    Pairs that lack good ones are tried again with further seeds, all such pairs at once.

    Parameters
    ----------
    wanted : the plan.
    every_pair : False leaves out pairs that have not enough good ones in the end, as the published sets must have done,
        but for the last one.

    Raises
    ------
    MistrustError
        A pair none of whose autoencoders passed the gates, or with fewer good ones than the two parts need.
    """
    tried, good = _autoencoders(wanted, device)
    if not every_pair:
        pairs, needed = tried.take(good).pairs, _needed(wanted)
        enough = torch.tensor([pairs.count(pair) >= needed for pair in tried.pairs])
        if bool(enough.any()):
            return tried, tried.take(good & enough)
    gates.require(tried, as_published=wanted.making.gates_as_coded)
    survivors = tried.take(good)
    _enough(wanted, tried, survivors)
    return tried, survivors


def prepare(wanted: Plan, number: int, device: str | None = None) -> int:
    """Train a part of the first tries, so that `decoders` finds them in the store; give how many there are of it.

    Parameters
    ----------
    number : from 0 to `models` - 1: the groups that begin with this repetition of the pairs. With 45 pairs these are
        its three groups; with few pairs most parts are empty.

    Examples
    --------
    >>> from mistrust.ambiguity.planning import plan
    >>> wanted = plan("digits", Making(models=20, epochs=1), pairs=["4/9", "3/8"])  # 40: groups of 15, 15 and 10
    >>> prepare(wanted, 15), prepare(wanted, 16)
    (10, 0)
    """
    tries = _tries(wanted, dict.fromkeys(wanted.pairs, wanted.making.models), dict.fromkeys(wanted.pairs, 0))
    starts = [start for start in range(0, len(tries), GROUP) if start // len(wanted.pairs) == number]
    groups = [tries[start : start + GROUP] for start in starts]
    return sum(len(trained(wanted.images, g, _design(wanted), wanted.training, device=device)) for g in groups)


def _tries(wanted: Plan, lacking: Mapping[Pair, int], used: Mapping[Pair, int]) -> list[Member]:
    """Members for pairs that lack so many, after so many were tried; no more than are tried at most."""
    how = wanted.making
    members = [
        Member(*pair, how.seed + used[pair] + k)
        for pair, count in lacking.items()
        for k in range(min(count, how.most - used[pair]))
    ]
    return sorted(members, key=lambda member: member.seed)  # groups in the store are then those of `members_of`


def _design(wanted: Plan) -> Design:
    return Design(wanted.images.images[0].numel(), len(wanted.images.classes), wanted.making.latent)


def _autoencoders(wanted: Plan, device: str | None) -> tuple[Autoencoders, Tensor]:
    """Give all that were tried, and which of them are good."""
    how, images, design = wanted.making, wanted.images, _design(wanted)
    lacking, used = dict.fromkeys(wanted.pairs, how.models), dict.fromkeys(wanted.pairs, 0)
    rounds: list[tuple[Autoencoders, Tensor]] = []
    while lacking:
        some = trained(images, _tries(wanted, lacking, used), design, wanted.training, device=device)
        good = _good(wanted, some)
        rounds.append((some, good))
        for pair, fine in zip(some.pairs, good.tolist(), strict=True):
            used[pair] += 1
            lacking[pair] = lacking.get(pair, 0) - fine
        lacking = {p: count for p, count in lacking.items() if count > 0 and used[p] < how.most}
    return _joined([some for some, _ in rounds]), torch.cat([good for _, good in rounds])


def _good(wanted: Plan, some: Autoencoders) -> Tensor:
    """Which of them pass the gates and hold cells that are ambiguous enough."""
    how = wanted.making
    good = gates.accepted(some, as_published=how.gates_as_coded)
    if bool(good.any()):
        strictest = min(how.delta_train, how.delta_test)
        good[good.clone()] = admissible(some.take(good), strictest, how.composition.scheme).any(dim=1).cpu()
    return good


def _joined(parts: list[Autoencoders]) -> Autoencoders:
    import pandas as pd

    return replace(
        parts[0],
        members=tuple(member for part in parts for member in part.members),
        weights={name: torch.cat([part.weights[name] for part in parts]) for name in parts[0].weights},
        report=pd.concat([part.report for part in parts], ignore_index=True),
    )


def _needed(wanted: Plan) -> int:
    """How many good autoencoders a pair needs: one for each part, unless both parts share them."""
    return 1 if wanted.making.shared else 2


def _cells(wanted: Plan, tried: Autoencoders, short: Iterable[Pair]) -> None:
    """Refuse pairs whose autoencoders pass the gates, enough of them, but hold no cell that is ambiguous enough."""
    passed = tried.take(gates.accepted(tried, as_published=wanted.making.gates_as_coded))
    named = [title(wanted.images.classes, pair) for pair in short if passed.pairs.count(pair) >= _needed(wanted)]
    if named:
        how = wanted.making
        delta = min(how.delta_train, how.delta_test)
        gaps = cell_gaps(passed, how.composition.scheme).nan_to_num(nan=1.0).amin(dim=1)
        lacking = [pair in short for pair in passed.pairs] & (gaps > delta).numpy()
        least = float(gaps[torch.from_numpy(lacking)].min())
        raise MistrustError(
            f"Autoencoders of {', '.join(named)} pass the gates, but too few hold a cell whose two probabilities "
            f"differ by at most {delta:g} (--delta-max); of those that hold none, the least difference is "
            f"{least:.2g}. Allow more (the paper's are 0.4,0.25), or take a finer grid (--cells {2 * how.cells})."
        )


def _enough(wanted: Plan, tried: Autoencoders, good: Autoencoders) -> None:
    """Refuse pairs with fewer good autoencoders than the two parts need."""
    needed = _needed(wanted)
    short = {pair: good.pairs.count(pair) for pair in wanted.pairs if good.pairs.count(pair) < needed}
    if short:
        _cells(wanted, tried, short)
        classes, tries = wanted.images.classes, wanted.making.most
        said = ", ".join(f"{title(classes, pair)} ({count})" for pair, count in short.items())
        kept = [title(classes, pair) for pair in wanted.pairs if pair not in short]
        rest = f"name the others (pairs {','.join(kept)}), " if 0 < len(kept) <= 20 else ""
        raise MistrustError(
            f"After {tries} tries these pairs have fewer than {needed} autoencoders that pass the gates and hold "
            f"ambiguous cells: {said}. Leave such pairs out, {rest}train longer, try more, or begin at another "
            f"seed. {gates.WAYS}"
        )
