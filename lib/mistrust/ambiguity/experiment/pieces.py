"""Pieces of the AmbiGuess experiment: of each image set its generators, sets, classifiers, and what judges say."""

from collections.abc import Callable, Iterable
from dataclasses import asdict
from functools import partial
from math import isfinite
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from mistrust import rows as tidy
from mistrust.ambiguity import judging
from mistrust.ambiguity.density import DensityModel
from mistrust.ambiguity.experiment.known import known_world
from mistrust.ambiguity.experiment.material import SETS, SETS_MAKER, TRAININGS, Material, material, smoke_decoders
from mistrust.ambiguity.experiment.parameters import CHAPTER, Parameters
from mistrust.ambiguity.experiment.wide import wide
from mistrust.ambiguity.grid import Grid
from mistrust.ambiguity.plain_vae import PLAIN_VAE, PlainRecipe, plain_vae
from mistrust.ambiguity.tables import Row
from mistrust.ambiguity.tables.composed import composed
from mistrust.ambiguity.tables.diverse import diverse
from mistrust.ambiguity.tables.judged import calibration, entropies, natural_images, oddness, samples
from mistrust.ambiguity.tables.made import acceptance, autoencoders, cells, label_rules
from mistrust.ambiguity.tables.performed import performed
from mistrust.ambiguity.tables.shown import interpolation, plane, vae_plane
from mistrust.ambiguity.training import AUTOENCODERS
from mistrust.data import ImageSet, load
from mistrust.networks import NETWORK, observe, one_hot
from mistrust.store import key, made, maker, why

WORLD = "known world"


def _generators(one: Material) -> Iterable[Row]:
    """What training gave, what the label rules say, where points come from, and what the decoders show."""
    p = one.parameters
    yield from autoencoders(one.tried)
    yield from acceptance(one.tried)
    yield from label_rules(one.good, p.making.composition.scheme.grid, (p.delta_test, p.delta_train))
    yield from cells(one.shown, p.delta_test)
    yield from plane(one.shown)
    yield from interpolation(one.one_a_pair)


def _diversity(one: Material) -> Iterable[Row]:
    """How different images are, by the way they are drawn; decoders evenly from all pairs, where not all are asked."""
    p = one.parameters
    count = min(p.diversity_decoders, len(one.one_a_pair))
    chosen = np.linspace(0, len(one.one_a_pair) - 1, count).round().astype(int).tolist()
    return diverse(one.one_a_pair.take(chosen), p.delta_test, p.diversity_points, p.label, p.seed)


def _sets(one: Material) -> Iterable[Row]:
    """Every way to make a set."""
    for method in SETS:
        yield from composed(method, *one.sets[method], one.parameters.resamples, one.parameters.seed)


def _classifier(one: Material, architecture: str, training: str, number: int) -> Iterable[Row]:
    """One classifier on the nominal test images and on every ambiguous test set."""
    classifier = one.classifier(architecture, training, number)
    seen = {"nominal": (one.test, one_hot(one.test).double())}
    seen |= {f"ambiguous/{way}": (one.sets[way][1].image_set(), one.sets[way][1].soft) for way in SETS}
    for condition, (images, soft) in seen.items():
        logits = observe(classifier, images).logits
        for row in performed(training, condition, logits, soft, images.labels):
            yield {**row, "network": architecture, "seed": one.parameters.seed + number}


def _judged(one: Material) -> Iterable[Row]:
    """What classifiers and a density model say that have seen nominal images alone."""
    p = one.parameters
    nominal = one.judges(one.test)
    model = DensityModel.fit(one.train, seed=p.seed)
    usual = _oddness(model, one.test, nominal.mean(0))
    for way in SETS:
        test = one.sets[way][1]
        softmax = one.judges(test.image_set()).mean(0)
        own = _oddness(model, test.image_set(), softmax)
        scores = {f"auroc {name}": (usual[name], values) for name, values in own.items()}
        yield from oddness(way, scores, softmax, test.pairs, p.resamples, p.seed)
        if way == SETS[0]:
            yield from samples(test, softmax, p.seed)
    yield from natural_images(one.test, nominal)
    for some in wide(one.one_a_pair, one.train, one.vae, p.test, p.z_bound, p.seed):
        judged, _ = judging.on_pair(one.judges(some.images).mean(0).numpy(), some.pairs.numpy())
        for method, stated in some.stated.items():
            yield from calibration("ensemble", method, stated, judged, some.clusters, p.resamples, p.seed)


def _oddness(model: DensityModel, images: ImageSet, softmax: Tensor) -> dict[str, np.ndarray]:
    """Scores of every image, higher is odder.

    What a decoder makes is smooth, and so is a mean of two images: a density of all pixels finds them more likely than
    any real image. The density within the principal components asks what is shown, not how sharply.
    """
    return {
        "density": -model.log_density(images, outside=False),
        "pixel density": -model.log_density(images),
        "entropy": entropies(softmax),
    }


def _vae_plane(one: Material) -> Iterable[Row]:
    """A plain autoencoder of all classes with two latent dimensions, as in the paper's Figure 3."""
    p, classes = one.parameters, one.train.classes
    vae = plain_vae(one.train, PlainRecipe(latent=2, epochs=p.vae_epochs), p.seed)

    def judge(images: Tensor) -> Tensor:
        ids = torch.arange(len(images))
        return one.judges(ImageSet("plane", images, ids * 0, ids, classes)).mean(0)

    return vae_plane(vae, one.train.images.shape[1:], classes, judge)


def _named(parameters: Parameters) -> dict[str, tuple[str, Callable[[Material], Iterable[Row]]]]:
    """Every piece: of which image set, and what gives its rows. Sets in turn, so that two are trained side by side."""
    kinds: dict[str, Callable[[Material], Iterable[Row]]] = {
        "generators": _generators, "sets": _sets, "diversity": _diversity,
    }  # fmt: skip
    for training, count in zip(TRAININGS, (parameters.mixed, parameters.clean), strict=True):
        for name in parameters.architectures:
            for number in range(count):
                kinds[f"{name} {training} {number}"] = partial(
                    _classifier, architecture=name, training=training, number=number
                )
    kinds |= {"judged": _judged, "plain plane": _vae_plane}
    return {f"{data}: {kind}": (data, give) for kind, give in kinds.items() for data in parameters.data}


def pieces(parameters: Parameters) -> list[str]:
    """Name the pieces."""
    return [*_named(parameters), WORLD]


def piece(parameters: Parameters, name: str) -> pd.DataFrame:
    """Give the rows of one piece, from the store where they are made."""
    spec = _spec(parameters, name)
    frame = made(ROWS, spec, lambda _: _rows(parameters, name))
    data = _named(parameters)[name][0] if name != WORLD else "fours-and-nines"
    return frame.assign(chapter=CHAPTER, data=data, made=key(ROWS, spec))


def missing(parameters: Parameters, name: str) -> list[str]:
    """Say why the store does not hold a piece yet; nothing when it does."""
    return why(ROWS, _spec(parameters, name))


def _rows(parameters: Parameters, name: str) -> pd.DataFrame:
    if name == WORLD:
        return _measured(known_world(parameters))
    data, give = _named(parameters)[name]
    return _measured(give(material(parameters, data)))


def _spec(parameters: Parameters, name: str) -> dict[str, Any]:
    """What a piece depends on: all parameters but those that only say which other pieces there are."""
    values = asdict(parameters)
    kept = values if name == WORLD else {**values, "data": _checksums(_named(parameters)[name][0])}
    dropped = {"mixed", "clean", "architectures", "shown_pair"}
    kind = name.partition(": ")[2]
    if kind in ("judged", "plain plane"):
        dropped -= {"clean", "architectures"}
    if kind == "generators":
        dropped -= {"shown_pair"}
    if name == WORLD:
        dropped |= {"data", "pairs"}
    return {
        "piece": kind or name,
        "versions": {one.kind: one.version for one in (AUTOENCODERS, PLAIN_VAE, SETS_MAKER, NETWORK)},
        "parameters": {field: value for field, value in kept.items() if field not in dropped},
    }


def _checksums(data: str) -> dict[str, str]:
    return {"name": data, **{split: load(data, split).checksum for split in ("train", "test")}}


def _measured(found: Iterable[Row]) -> pd.DataFrame:
    """Rows of what could be computed."""
    return tidy.table(row for row in found if isfinite(row["value"]))


def _smoke() -> pd.DataFrame:
    """Make tables of decoders and judges whose numbers are drawn; rounded, since machines differ in the last digits."""
    _, stack = smoke_decoders()
    found = [*label_rules(stack, Grid(cells=10), (0.5,)), *interpolation(stack.take([0]))]
    frame = _measured({**row, "note": ""} for row in found)
    return frame.round({"value": 3, "low": 3, "high": 3})


ROWS = maker("ambiguity-rows", version=1, content="table", smoke=_smoke)
MAKERS = (AUTOENCODERS, PLAIN_VAE, SETS_MAKER, NETWORK, ROWS)
