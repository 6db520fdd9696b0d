"""Pieces of the MLM experiment: all rows of one network are one piece."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd
import torch
from torch import Tensor

from mistrust import rows as tidy
from mistrust.data import ImageSet
from mistrust.misclassification import tables
from mistrust.misclassification.clusters import kmeans
from mistrust.misclassification.confusion import confusion
from mistrust.misclassification.experiment.calibration import CALIBRATION, calibrated_rows, severities
from mistrust.misclassification.experiment.logits import LOGITS, outputs, setting, smoke_images
from mistrust.misclassification.experiment.parameters import CHAPTER, Parameters, image_sets
from mistrust.misclassification.matrix import Statistic, centroids, distances
from mistrust.misclassification.retention import thresholds
from mistrust.networks import NETWORK, SCHEDULES, Classifier, network_spec, trained
from mistrust.networks.recipe import Recipe
from mistrust.parts import measured
from mistrust.pieces import known
from mistrust.store import key, made, maker, why


def _smoke() -> pd.DataFrame:
    """Make every table from softmax rows that are drawn; rounded, since machines differ in the last digits."""
    images = smoke_images()
    p = images.floats().flatten(1)[:, :3].to(torch.float64)
    p = p / p.sum(1, keepdim=True)
    one = _Network({"train": images, "test": images}, {"train": p, "test": p})
    sweep = one.seen(p.repeat(2, 1).roll(7, 0), images, (1, 2))
    parameters = Parameters(resamples=20, example=2)
    frame = measured([*one.rows(), *_swept(parameters, sweep, one), *tables.nearest(sweep, [("fog", 1), ("fog", 2)])])
    return frame.round({"value": 4, "low": 4, "high": 4})


ROWS = maker("misclassification-rows", version=6, content="table", smoke=_smoke)
MAKERS = (NETWORK, LOGITS, CALIBRATION, ROWS)


def pieces(parameters: Parameters) -> list[str]:
    """Name the pieces: one per network.

    Examples
    --------
    >>> pieces(Parameters(networks=3))
    ['network 0', 'network 1', 'network 2']
    >>> pieces(Parameters(networks=20))[-1]
    'network 19'
    """
    return [f"network {i}" for i in range(parameters.networks)]


def piece(parameters: Parameters, name: str) -> pd.DataFrame:
    """Give the rows of one network, from the store where they are made.

    Examples
    --------
    A network that learnt next to nothing tells nothing (for rows that come out, see `rows`):

    >>> hasty = Parameters(data="digits", train_images=20, epochs=1)
    >>> piece(hasty, "network 0")
    Traceback (most recent call last):
    mistrust.errors.MistrustError: No input of class 0, 1, ... is classified correctly, so it has no centroid. ...
    >>> missing(hasty, "network 0")  # what failed is not kept
    ['not made yet']
    """
    index = _index(parameters, name)
    train, test = image_sets(parameters)
    spec = _spec(parameters, train, test, index)
    frame = made(ROWS, spec, lambda _: _network_rows(parameters, train, test, index))
    return frame.assign(chapter=CHAPTER, data=parameters.data, network=parameters.architecture, made=key(ROWS, spec))


def missing(parameters: Parameters, name: str) -> list[str]:
    """Say why the store does not hold a piece yet; nothing when it does.

    Examples
    --------
    >>> tiny = Parameters(data="digits", networks=2, epochs=1)
    >>> missing(tiny, "network 1")
    ['not made yet']
    """
    train, test = image_sets(parameters)
    return why(ROWS, _spec(parameters, train, test, _index(parameters, name)))


def _index(parameters: Parameters, name: str) -> int:
    return known({one: index for index, one in enumerate(pieces(parameters))}, name)


def _spec(parameters: Parameters, train: ImageSet, test: ImageSet, index: int) -> dict[str, Any]:
    """What the rows of a network depend on; calibration only for the networks that have one."""
    calibrated = index < parameters.calibrated
    return {
        "network": network_spec(parameters.architecture, train, parameters.recipe, parameters.seed + index),
        "versions": {one.kind: one.version for one in (NETWORK, LOGITS, CALIBRATION)},
        "test": {"name": test.name, "checksum": test.checksum},
        "both schedules": parameters.both_schedules,
        "perturbations": {
            name: [dict(setting(name, level)) for level in parameters.levels] for name in parameters.perturbations
        },
        "levels": list(parameters.levels),
        "quantiles": list(parameters.quantiles),
        "resamples": parameters.resamples,
        "calibration": [severities(name) for name in parameters.perturbations] if calibrated else [],
        "calibration images": parameters.calibration_images if calibrated else 0,
        "example": parameters.example,
        "seed": parameters.seed,
    }


class _Network:
    """What one network says of the clean images, by split, and what follows from its training images."""

    def __init__(self, images: Mapping[str, ImageSet], softmax: Mapping[str, Tensor]) -> None:
        train, p = images["train"], softmax["train"]
        self.centres = centroids(p, train.labels, train.classes)
        self.clusters = kmeans(p, train.labels, train.classes)
        self.clean = {split: self.seen(softmax[split], one) for split, one in images.items()}
        self.thresholds = thresholds(self.clean["train"].distance, train.labels, self.clean["train"].predicted)

    def seen(self, p: Tensor, images: ImageSet, levels: tuple[int, ...] = (0,)) -> tables.Sweep:
        """Versions of the images, one set after the other, each of its level; softmax (sets * n, k)."""
        count = len(levels)
        level = torch.tensor(levels).repeat_interleave(len(images))
        distance = distances(p, self.centres)
        return tables.Sweep(p, distance, images.labels.repeat(count), images.ids.repeat(count), level, images.classes)

    def rows(self) -> list[tables.Row]:
        """Rows of the clean images."""
        train, test = self.clean["train"], self.clean["test"]
        found = tables.misses(confusion(test.labels, test.predicted, len(test.classes)), test.classes)
        found += tables.clusters(self.clusters, train.probabilities, train.base, train.classes)
        found += tables.thresholds_by_class(self.thresholds, train)
        for split, one in self.clean.items():
            found += tables.retained(self.thresholds, one, f"clean/{split}")
        return found


def _network_rows(parameters: Parameters, train: ImageSet, test: ImageSet, index: int) -> pd.DataFrame:
    """All rows of one network, without chapter, data and network."""
    seed = parameters.seed + index
    classifier = trained(parameters.architecture, train, parameters.recipe, seed)
    clean = {s: outputs(classifier, x, "clean", 0, parameters.seed) for s, x in (("train", train), ("test", test))}
    softmax = {split: logits.to(torch.float64).softmax(1) for split, logits in clean.items()}
    one = _Network({"train": train, "test": test}, softmax)
    logits = [outputs(classifier, test, name, level, parameters.seed) for name, level in parameters.settings]

    found = [
        tables.accuracy(clean[s].argmax(1) == x.labels, "clean", at=s) for s, x in (("train", train), ("test", test))
    ]
    for (name, level), out in zip(parameters.settings, logits, strict=True):
        found.append(tables.accuracy(out.argmax(1) == test.labels, f"perturbed/{name}", level=level))
    if parameters.both_schedules:
        found += _by_schedule(parameters, train, test, seed)
    found += _unrounded(parameters, classifier, test, logits)
    found += one.rows()
    levels = tuple(level for _, level in parameters.settings)
    sweep = one.seen(torch.cat(logits).to(torch.float64).softmax(1), test, levels)
    found += _swept(parameters, sweep, one)
    found += tables.nearest(sweep, parameters.settings)
    frames = [measured(found)]
    if index < parameters.calibrated:
        frames += [
            calibrated_rows(classifier, test, name, parameters.levels, parameters.calibration_images, parameters.seed)
            for name in parameters.perturbations
        ]
    return tidy.check(pd.concat(frames, ignore_index=True).assign(seed=seed))


def _swept(parameters: Parameters, sweep: tables.Sweep, one: _Network) -> list[tables.Row]:
    """Rows of all perturbed images together."""
    statistics, resamples, seed = parameters.statistics, parameters.resamples, parameters.seed
    stacks = tables.estimated(sweep, statistics)
    found = tables.matrices(sweep, stacks, statistics, resamples, seed)
    found += tables.deviations(sweep, stacks, seed)
    found += tables.variants(sweep, one.clusters.centres)
    found += tables.agreements(sweep, one.clean["test"], statistics, seed)
    widest = [Statistic("quantile", max(parameters.quantiles))] if parameters.quantiles else []
    found += tables.growth(sweep, [Statistic(), *widest], seed)
    found += tables.profiles(sweep, parameters.example)
    found += tables.abstention(sweep, resamples, seed)
    return found + tables.retained(one.thresholds, sweep, tables.ALL)


def _by_schedule(parameters: Parameters, train: ImageSet, test: ImageSet, seed: int) -> list[tables.Row]:
    """Clean accuracy of a network trained by each schedule, all else equal."""
    found: list[tables.Row] = []
    for schedule in SCHEDULES:
        recipe: Recipe = replace(parameters.recipe, schedule=schedule)
        classifier = trained(parameters.architecture, train, recipe, seed)
        for split, images in (("train", train), ("test", test)):
            hits = outputs(classifier, images, "clean", 0, parameters.seed).argmax(1) == images.labels
            found.append({**tables.accuracy(hits, "clean", at=split), "table": "recipe", "method": schedule})
    return found


def _unrounded(
    parameters: Parameters, classifier: Classifier, test: ImageSet, logits: list[Tensor]
) -> list[tables.Row]:
    """How much more accurate the network is where perturbed images stay floats, at the first and the last level."""
    rounded = dict(zip(parameters.settings, logits, strict=True))
    found: list[tables.Row] = []
    for level in dict.fromkeys((min(parameters.levels), max(parameters.levels))):
        gains = []
        for name in parameters.perturbations:
            floats = outputs(classifier, test, name, level, parameters.seed, rounded=False)
            hits = [one.argmax(1) == test.labels for one in (floats, rounded[name, level])]
            gains.append(float(hits[0].double().mean() - hits[1].double().mean()))
        common = {"table": "storage", "condition": tables.ALL, "method": "unrounded", "level": level, "n": len(test)}
        found += [
            {**common, "metric": "accuracy difference", "value": sum(gains) / len(gains)},
            {**common, "metric": "largest difference", "value": max(map(abs, gains))},
        ]
    return found
