"""Ambiguous sets in the store, both parts of one as one thing: what is trained on a set must find the same again."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from mistrust import random
from mistrust.ambiguity.adversarial import State
from mistrust.ambiguity.ambiguous_set import AmbiguousSet
from mistrust.ambiguity.autoencoder import Autoencoders
from mistrust.ambiguity.composition import Composition, compose
from mistrust.ambiguity.grid import Grid
from mistrust.ambiguity.members import members_of
from mistrust.ambiguity.plain_vae import PLAIN_VAE
from mistrust.ambiguity.rivals import mixed
from mistrust.ambiguity.sampling import Scheme
from mistrust.ambiguity.stacked import Design
from mistrust.ambiguity.training import AUTOENCODERS
from mistrust.data import ImageSet
from mistrust.store import made, maker


def _tensors(parts: Sequence[AmbiguousSet]) -> dict[str, Tensor]:
    columns = ("images", "pairs", "probabilities", "labels", "ids", "decoder", "latent")
    return {
        f"{role}/{name}": getattr(one, name).contiguous()
        for role, one in zip(("train", "test"), parts, strict=True)
        for name in columns
    }


def smoke_decoders() -> tuple[ImageSet, Autoencoders]:
    """Tiny images and untrained autoencoders of their pairs, which smoke outputs are made from."""
    import pandas as pd

    pixels = random.uniform(0, "smoke", torch.arange(60), (1, 4, 4))
    tiny = ImageSet("smoke", pixels, torch.arange(60) % 3, torch.arange(60), ("a", "b", "c"))
    design, members = Design(16, 3, hidden=8), tuple(members_of(tiny, None, 2))
    weights = State.new(design, members, torch.float64, torch.device("cpu")).weights(design)
    report = pd.DataFrame(index=range(len(members)))
    return tiny, Autoencoders(design, members, (1, 4, 4), tiny.classes, weights, report)


def _smoke() -> dict[str, Tensor]:
    """Compose sets, and mix; means rounded, since machines differ in the last digits."""
    tiny, stack = smoke_decoders()
    how = Composition(Scheme(Grid(cells=10)), delta_train=1.0, delta_test=1.0)
    found = compose(stack, torch.ones(len(stack), dtype=torch.bool), 30, 20, how)
    found = (*found, mixed(tiny, None, 30, role="train"), mixed(tiny, None, 30))
    return {
        f"{place} {name}": values.double().mean().round(decimals=2)
        for place in (0, 2)
        for name, values in _tensors(found[place : place + 2]).items()
    }


SETS_MAKER = maker("ambiguous-sets", version=1, content="tensors", smoke=_smoke)


def kept(
    way: str,
    train: ImageSet,
    test: ImageSet,
    seed: int,
    more: Mapping[str, Any],
    make: Callable[[], Sequence[AmbiguousSet]],
) -> tuple[AmbiguousSet, AmbiguousSet]:
    """Give both parts of a set, train and test, from the store or made.

    Another number of threads gives other last digits, and here and there another grey level, so that a set that was
    made anew would not be the one that classifiers have learnt from.

    Parameters
    ----------
    way : how it is made, in a word; with the nominal set's, its name.
    train, test : the nominal images that it was made from.
    seed : of all draws.
    more : what else the set depends on, as a spec of the store.
    make : gives the two parts.
    """
    spec = {
        "data": {"train": train.checksum, "test": test.checksum},
        "way": way,
        "seed": seed,
        "versions": {AUTOENCODERS.kind: AUTOENCODERS.version, PLAIN_VAE.kind: PLAIN_VAE.version},
        **more,
    }
    tensors = made(SETS_MAKER, spec, lambda _: _tensors(make()))
    parts = []
    for role in ("train", "test"):
        own = {n.removeprefix(f"{role}/"): v for n, v in tensors.items() if n.startswith(f"{role}/")}
        parts.append(AmbiguousSet(f"{way} {train.name}", **own, classes=train.classes, seed=seed, made_by={}))
    return parts[0], parts[1]
