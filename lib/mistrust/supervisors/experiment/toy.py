"""A world of two pixels, in which one can see the whole input space: how each family of supervisors sees an input."""

from collections.abc import Iterator

import torch
from torch import Tensor

from mistrust import random
from mistrust.data import ImageSet
from mistrust.networks import Recipe, observe, trained
from mistrust.networks.ensembles import trained_members
from mistrust.pictures import pack
from mistrust.supervisors import make_supervisor
from mistrust.supervisors.tables import Row
from mistrust.supervisors.tables.together import place

NAME = "three clusters"
CLASSES = ("left", "right", "top")
# Left and right overlap, so that points between them are truly ambiguous; top stands apart.
CENTRES, SPREAD = ((0.32, 0.34), (0.58, 0.34), (0.45, 0.76)), 0.08
TRAIN, TEST, CELLS, SHOWN = 600, 300, 48, 120
ARCHITECTURE, LAYER, LAYERS = "ambiguess-fc-relu", "relu2", ("relu1", "relu2")
# One or two of every family that reads what such a network gives.
METHODS = ("max_softmax", "mc_mutual_information", "ensemble_mutual_information", "dissector", "dsa", "lsa", "mdsa")
MEMBERS, SAMPLES, EPOCHS = 4, 64, 30
ALARM = 0.95


def points(count: int, seed: int, part: str) -> ImageSet:
    """Draw points of the three clusters, as images of one row and two pixels: across, and up."""
    ids = torch.arange(count) + (TRAIN if part == "test" else 0)
    labels = ids % len(CLASSES)
    spots = torch.tensor(CENTRES)[labels] + SPREAD * random.normal(seed, "toy", ids, (2,))
    return ImageSet(f"{NAME}/{part}", spots.clamp(0, 1).view(-1, 1, 1, 2), labels, ids, CLASSES)


def plane(cells: int = CELLS) -> ImageSet:
    """Every point of a grid over the unit square, row by row from the top."""
    axis = (torch.arange(cells) + 0.5) / cells
    up, across = torch.meshgrid(axis.flip(0), axis, indexing="ij")
    spots = torch.stack([across, up], -1).view(-1, 1, 1, 2)
    ids = torch.arange(len(spots)) + TRAIN + TEST
    return ImageSet(f"{NAME}/plane", spots, torch.zeros_like(ids), ids, CLASSES)


def seen(seed: int) -> Iterator[Row]:
    """Rows of the table "seen": for each supervisor a map of its scores over the plane, and some training points.

    A map's grey level, 0 to 255, is the score's place among those of held-out nominal points; `value` is the share of
    the plane that would alarm where 5 % of nominal points do.
    """
    train, test, grid = points(TRAIN, seed, "train"), points(TEST, seed, "test"), plane()
    recipe = Recipe(epochs=EPOCHS, batch=64, rate=1e-3, optimiser="adam")
    network = trained(ARCHITECTURE, train, recipe, seed)
    members = trained_members(ARCHITECTURE, train, recipe, [seed + i for i in range(1, MEMBERS)])
    more = {"layers": list(LAYERS), "samples": SAMPLES, "members": members, "seed": seed}
    learnt, usual, everywhere = (observe(network, one, **more) for one in (train, test, grid))
    for name in METHODS:
        known = {"dissector": {"layers": LAYERS, "epochs": 10}}.get(name, {"layer": LAYER})
        own = make_supervisor(name).parameters()
        one = make_supervisor(name, **{key: value for key, value in known.items() if key in own}).fit(learnt)
        places = place(one.score(everywhere).numpy(), one.score(usual).numpy())
        pixels = torch.from_numpy(places * 255).round().to(torch.uint8).view(CELLS, CELLS)
        yield {
            "table": "seen", "method": name, "metric": "share of the plane", "value": float((places > ALARM).mean()),
            "n": len(places), "note": pack(pixels),
        }  # fmt: skip
    yield from _points(train.take(slice(0, SHOWN)))


def _points(some: ImageSet) -> Iterator[Row]:
    spots: Tensor = some.images.view(-1, 2)
    for (across, up), label in zip(spots.tolist(), some.labels.tolist(), strict=True):
        where = f"x={across:.3f},y={up:.3f}"
        yield {"table": "seen", "condition": f"class/{CLASSES[label]}", "at": where, "metric": "point", "value": label}
