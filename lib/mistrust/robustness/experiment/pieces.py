"""Pieces of the experiment: a network, from its training to its rows; a class's region; one image's bubbles."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pandas as pd
import torch

from mistrust import random
from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.networks import NETWORK
from mistrust.parts import measured, part_spec
from mistrust.pieces import known
from mistrust.robustness.experiment.parameters import ALL, CHAPTER, Parameters
from mistrust.robustness.experiment.parts import ADAM, PARTS, REGION, TIGHT
from mistrust.robustness.experiment.subjects import (
    Downloaded,
    Subject,
    Traced,
    Trained,
    classes_of,
    correct,
    imagenet_set,
)
from mistrust.robustness.tables import Row
from mistrust.robustness.tables.bubble import bubble_rows
from mistrust.robustness.tables.noise import noise
from mistrust.robustness.targeted import targeted
from mistrust.robustness.tight import tight
from mistrust.store import key, made, maker, why

BUBBLES = "bubbles of one image"
Work = tuple[dict[str, Any], Callable[[], Iterator[Row]]]  # the spec of a part's rows, and what measures them


def _subjects(parameters: Parameters) -> Iterator[Subject]:
    p = parameters
    for run in range(p.runs):
        for network in (*p.networks, *(one for one in p.region_networks if one not in p.networks)):
            if network in p.networks or run == 0:
                yield Trained(p, p.data, network, ALL, run)
        for part in p.parts:
            for network in p.representatives:
                yield Trained(p, p.data, network, part, run)
    for data in p.also:
        for network in p.representatives:
            yield Trained(p, data, network, ALL, 0)
    for network in p.imagenet:
        one = Downloaded(p, network, imagenet_set())
        if one.at_hand:
            yield one


def _networks(parameters: Parameters) -> dict[str, Subject]:
    return {f"{one.data}: {one.network} {one.condition} {one.run}": one for one in _subjects(parameters)}


def _regions(parameters: Parameters) -> dict[str, Traced]:
    """Classes whose regions are traced, each a piece: in a network that is deep an exact segment takes its time."""
    p = parameters
    names = classes_of(p.data) if p.region_networks else ()
    return {
        f"{p.data}: region of {name} in {network}": Traced(Trained(p, p.data, network, ALL, 0), label)
        for network in p.region_networks
        for label, name in enumerate(names[: p.region_classes or len(names)])
    }


def pieces(parameters: Parameters) -> list[str]:
    """Name the pieces; networks for ImageNet of which no weights are at hand are none.

    Examples
    --------
    >>> small = Parameters(data="digits", networks=("vgg6-w16",), region_networks=("vgg6-w16",), region_classes=2)
    >>> for name in pieces(small):
    ...     print(name)
    digits: vgg6-w16 all 0
    digits: region of 0 in vgg6-w16
    digits: region of 1 in vgg6-w16
    bubbles of one image
    """
    return [*_networks(parameters), *_regions(parameters), BUBBLES]


def left_out(parameters: Parameters) -> list[str]:
    """Say which networks for ImageNet are not measured, for their weights are not here; nothing when all are.

    Examples
    --------
    >>> left_out(Parameters(imagenet=("vgg16",), imagenet_weights="nowhere.pth"))
    ['networks for ImageNet without weights on this machine: vgg16']
    """
    found = imagenet_set() if parameters.imagenet else ""
    absent = [name for name in parameters.imagenet if not Downloaded(parameters, name, found).at_hand]
    return [f"networks for ImageNet without weights on this machine: {', '.join(absent)}"] if absent else []


def piece(parameters: Parameters, name: str) -> pd.DataFrame:
    """Give the rows of one piece, from the store where they are made.

    Examples
    --------
    One image, a network that is trained for a moment, two steps towards each of nine other classes:

    >>> training = {"data": "digits", "networks": ("resnet8-w8",), "train_images": 100, "epochs": 1}
    >>> tiny = Parameters(steps=2, tight=0, **training)
    >>> found = piece(tiny, "bubbles of one image")
    >>> int((found["metric"] == "success").sum()), int((found["metric"] == "source").sum())
    (9, 1)
    >>> missing(tiny, "bubbles of one image")  # it lies in the store now
    []
    """
    work, common = _work(parameters, name)
    frames = [
        made(ROWS, spec, lambda _, rows=rows: measured(rows())).assign(made=key(ROWS, spec)) for spec, rows in work
    ]
    return pd.concat(frames, ignore_index=True).assign(chapter=CHAPTER, **common)


def missing(parameters: Parameters, name: str) -> list[str]:
    """Say why the store does not hold a piece yet; nothing when it does.

    Examples
    --------
    >>> tiny = Parameters(data="digits", networks=("resnet8-w8",), region_networks=())
    >>> missing(tiny, "bubbles of one image")  # of a store that is empty
    ['not made yet']
    """
    work, _ = _work(parameters, name)
    return [reason for spec, _ in work for reason in why(ROWS, spec)]


def _work(parameters: Parameters, name: str) -> tuple[list[Work], dict[str, Any]]:
    """What a piece makes, part by part, and the columns that its rows share."""
    if name == BUBBLES:
        common = {"data": parameters.data, "seed": float(parameters.seed)}
        return [(_bubble_spec(parameters), partial(_bubble_rows, parameters))], common
    regions = _regions(parameters)
    if name in regions:
        traced = regions[name]
        one: Subject = traced.subject
        work = [
            (part_spec(part_name, part, traced.spec(), parameters, [NETWORK]), partial(part.rows, traced))
            for part_name, part in REGION.items()
        ]
    else:
        one = known(_networks(parameters), name, pieces(parameters))
        work = [
            (part_spec(part_name, part, one.spec(), parameters, [NETWORK]), partial(part.rows, one))
            for part_name, part in PARTS.items()
            if part.of(one)
        ]
    return work, {
        "data": one.data, "network": one.network, "condition": one.condition, "seed": float(parameters.seed + one.run),
    }  # fmt: skip


def _bubble_spec(parameters: Parameters) -> dict[str, Any]:
    subjects = [Trained(parameters, parameters.data, name, ALL, 0) for name in parameters.representatives]
    return {
        "part": BUBBLES,
        "subjects": [dict(one.spec()) for one in subjects],
        "parameters": {name: getattr(parameters, name) for name in ("rate", "steps", "tight", "seed")},
        "versions": {NETWORK.kind: NETWORK.version},
    }


def _bubble_rows(parameters: Parameters) -> Iterator[Row]:
    """One image, each representative, both searches."""
    subjects = [Trained(parameters, parameters.data, name, ALL, 0) for name in parameters.representatives]
    image = _shared(subjects)
    for one in subjects:
        found = {ADAM: targeted(one.classifier, image, rate=parameters.rate, steps=parameters.steps, keep=True)}
        if parameters.tight:
            found[TIGHT] = tight(one.classifier, image, keep=True)
        for method, pairs in found.items():
            for row in bubble_rows(pairs, image, method):
                yield {**row, "network": one.network}


def _shared(subjects: list[Trained]) -> ImageSet:
    """The first test image that all of them get right."""
    sets = [correct(one, len(one.test)) for one in subjects]
    kept = sets[0].ids
    for other in sets[1:]:
        kept = kept[torch.isin(kept, other.ids)]
    if not len(kept):
        raise MistrustError(
            f"No test image of '{subjects[0].data}' is classified correctly by all of "
            f"{', '.join(one.network for one in subjects)}: train them longer (epochs), or on more images "
            "(train_images)."
        )
    return sets[0].take(sets[0].ids == kept[0])


def _smoke() -> pd.DataFrame:
    """Rows of breaking noise that was drawn, by what has no version of its own; rounded, since machines differ."""
    from mistrust.robustness.breaking import Breaking

    ids = torch.arange(20)
    sigma = (random.uniform(0, "smoke/robustness", ids, (2,)) * 510).round()
    broken, none = sigma < 400, torch.zeros(20, 2, dtype=torch.int64)
    one = Breaking(
        "fixed-clipped", 1.0, 510.0, (0, 1), ids, ids % 3, ids[:0], sigma.double().clamp(max=510), broken, none,
        sigma.double() / 510, sigma.double() / 2, none, 0,
    )  # fmt: skip
    return measured(noise(one, 20, 0)).round({"value": 4, "low": 4, "high": 4})


ROWS = maker("robustness-rows", version=2, content="table", smoke=_smoke)
MAKERS = (NETWORK, ROWS)
