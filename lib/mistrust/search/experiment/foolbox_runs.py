"""Runs of foolbox 3's boundary attack, each made once: the tables "attack" and "peer" look at the same ones."""

from functools import partial

import torch
from torch import Tensor

from mistrust import random
from mistrust.data import ImageSet
from mistrust.networks import NETWORK
from mistrust.search.attack import foolbox
from mistrust.search.attack.found import Distances
from mistrust.search.experiment.subjects import Subject
from mistrust.store import made, maker

BLENDS = 50  # of its starts: foolbox's own number


def foolbox_run(one: Subject, images: ImageSet, steps: int, run: int) -> Distances:
    """Its distances of images of a model's pool, after so many steps.

    Parameters
    ----------
    run : 0 or 1; each has starts and a seed of its own: after few steps two runs from one start agree by that alone.
    """
    seed = 2 * one.seed + run
    spec = {
        "subject": dict(one.spec()), "images": images.checksum, "steps": steps, "blends": BLENDS, "seed": seed,
        "versions": {NETWORK.kind: NETWORK.version},
    }  # fmt: skip
    find = partial(foolbox, one.panel.classifier, images, seed=seed, steps=steps, blends=BLENDS)
    return Distances.of(made(RUNS, spec, lambda _: find(donors=one.panel.parts.test).tensors()), "foolbox")


def _smoke() -> dict[str, Tensor]:
    """A line through the middle of small images; rounded, since machines differ."""
    pixels = random.uniform(0, "smoke/foolbox-distances", torch.arange(6), (1, 4, 4))
    weights = torch.linspace(-1, 1, 16)
    found = foolbox(lambda images: ((images.flatten(1) - 0.5) @ weights > 0).long(), pixels.float(), steps=20)
    return {"mae": found.mae.round(decimals=2)}


RUNS = maker("foolbox-distances", version=1, content="tensors", smoke=_smoke)
