"""Other scores in place of the distance: how strange an image is by a network's own account, at equal confidence.

Each is taken as the distance is: its trend on confidence is fitted on the pool and taken off, and what is most
suspicious for its confidence is asked about first.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mistrust.errors import MistrustError
from mistrust.networks import Record, layer_names, observe
from mistrust.networks.sampling import has_active_dropout
from mistrust.registry import Registry
from mistrust.search.calibration import softmax
from mistrust.search.experiment.subjects import Subject, images_of, panel_of, pool_of
from mistrust.search.residual import residual
from mistrust.search.tables.hunted import Hunted
from mistrust.supervisors import make_supervisor

Array = NDArray[np.float64]
# From a model and a pool of n to scores (n,), higher is more suspicious, NaN where an instance has none; or None where
# the model gives no such score.
Scored = Callable[[Subject, Hunted], Array | None]
SCORES = Registry[Scored]("score in place of the distance")
NEIGHBOURS = 5
PREFIX = "residual_"


def hidden_layer(subject: Subject) -> str:
    """The last layer before the logits: what follows the last hidden units, dropout being off."""
    return [name for name in layer_names(subject.panel.classifier) if "." not in name][-2]


def _fitted(subject: Subject, one: Hunted, name: str, **parameters: object) -> Array:
    learnt = make_supervisor(name, layer=hidden_layer(subject), **parameters)
    learnt.fit(_seen(subject, ""))
    return learnt.score(_seen(subject, one.at)).numpy()


@lru_cache(maxsize=3)  # of one model: two supervisors read what it learnt from, and each pool
def _seen(subject: Subject, at: str) -> Record:
    """What a model's hidden layer says of a pool's images, or of those that it was trained on."""
    one = pool_of(subject, at) if at else None
    images = subject.panel.parts.train if one is None else images_of(subject, one)
    return observe(subject.panel.classifier, images, layers=[hidden_layer(subject)])


def _knn(subject: Subject, one: Hunted) -> Array | None:
    return _fitted(subject, one, "knn", neighbours=NEIGHBOURS)


def _mahalanobis(subject: Subject, one: Hunted) -> Array | None:
    # Few training images have no covariance of full rank: a shrunk one sees every direction.
    return _fitted(subject, one, "mdsa", covariance="ledoit_wolf")


def _dropout(subject: Subject, one: Hunted) -> Array | None:
    classifier = subject.panel.classifier
    if not has_active_dropout(classifier.module):
        return None
    record = observe(
        classifier, images_of(subject, one), samples=subject.parameters.samples, seed=subject.seed
    )  # fmt: skip
    # It learns nothing: what it is fitted on only says which classes there are.
    return make_supervisor("mc_mutual_information").fit(record).score(record).numpy()


def _ensemble(subject: Subject, one: Hunted) -> Array | None:
    """Mean absolute difference of the other models' calibrated probabilities from this one's.

    Each model has training images of its own: an image that another was trained on is not shown to that one.
    """
    p, images = subject.parameters, images_of(subject, one)
    others = [panel_of(replace(subject, run=run)) for run in range(p.models) if run != subject.run]
    if not others:
        return None
    own = one.pool.confidence
    apart, seen = np.zeros(len(one)), np.zeros(len(one))
    for other in others:
        parts = other.parts
        trained = {*parts.train.ids.tolist(), *parts.validation.ids.tolist()}
        new = np.array([id not in trained for id in images.ids.tolist()])
        logits = observe(other.classifier, images).logits.numpy().astype(np.float64)
        chance = softmax(logits, other.temperature.value)[:, parts.classes.index(one.at)]
        apart += np.where(new, np.abs(chance - own), 0.0)
        seen += new
    return np.divide(apart, seen, out=np.full(len(one), np.nan), where=seen > 0)


SCORES.add("knn", _knn)
SCORES.add("mahalanobis", _mahalanobis)
SCORES.add("ensemble", _ensemble)
SCORES.add("dropout", _dropout)


@lru_cache(maxsize=2)  # two parts read them, of both classes of a model
def residuals(subject: Subject, at: str) -> tuple[tuple[str, Hunted, Array], ...]:
    """Name, pool, and scores to be sorted (lower first) of each score that the model gives in the pool of a class.

    The pool is that of the instances with a score; where its trend is not defined there is none.
    """
    return tuple(_residuals(subject, at))


def _residuals(subject: Subject, at: str) -> Iterator[tuple[str, Hunted, Array]]:
    one = pool_of(subject, at)
    if one is None:
        return
    for name in subject.parameters.scores:
        values = SCORES[name](subject, one)
        if values is None:
            continue
        known = np.isfinite(values)
        if not known.any():
            continue
        pool = one.take(known)
        kept = values[known]
        if not (kept > 0).any():
            continue
        # In logarithms, as the distance: else what scatters most comes first, whatever it is. None may be 0.
        above = np.maximum(kept, kept[kept > 0].min())
        try:
            left = residual(above, pool.pool.confidence, fraction=subject.parameters.fraction)
        except MistrustError:  # a pool too small for F
            continue
        yield f"{PREFIX}{name}", pool, -left
