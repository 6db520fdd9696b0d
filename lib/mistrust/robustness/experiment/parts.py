"""What is measured of a network: one entry a part, each kept on its own, so that a killed run loses one at most."""

from collections.abc import Iterator
from functools import lru_cache
from math import ceil

import torch

from mistrust import random
from mistrust.data import ImageSet
from mistrust.parts import Part
from mistrust.registry import Registry
from mistrust.robustness.bracket import Bracketed
from mistrust.robustness.breaking import Breaking
from mistrust.robustness.experiment.parameters import ALL, FRACTION, Parameters
from mistrust.robustness.experiment.subjects import (
    Downloaded,
    Subject,
    Traced,
    Trained,
    correct,
    correct_by_class,
    known_classes,
)
from mistrust.robustness.tables import Row
from mistrust.robustness.tables.known import known, other_classes
from mistrust.robustness.tables.layers import layers
from mistrust.robustness.tables.looks import Seen, beside_ddn, looks, nearest, seen, sights
from mistrust.robustness.tables.networks import networks, top_five
from mistrust.robustness.tables.noise import found_by, noise, sigma_50
from mistrust.robustness.tables.pair import pair
from mistrust.robustness.tables.regions import beside, edges, regions, straight, traced
from mistrust.robustness.tables.targets import MOST_CLASSES, distances, matrix, variance
from mistrust.robustness.target_pairs import Targeted
from mistrust.robustness.targeted import targeted
from mistrust.robustness.tight import tight

ADAM, TIGHT = "adam", "tight"
ADAM_BESIDE, ADAM_BORDER = "adam beside tight", "adam to the border"
BORDER = 0.5  # a class with half of the probability is the likeliest
DDN_STEPS = 50
# In grey levels: the paper prints 1.6 to 3.6 for ImageNet's networks, which steps of 2 cannot tell; as many of these
# steps as of the others get far enough (512 of them 128 grey levels).
IMAGENET_RATE = 0.25

PARTS = Registry[Part[Subject]]("part of the robustness experiment")


def _ours(one: Subject) -> bool:
    return not isinstance(one, Downloaded)


def _closely(one: Subject) -> bool:
    """Representatives of the families on the chapter's own images, trained on all of them."""
    return one.representative and one.condition == ALL and one.data == one.parameters.data


@lru_cache(maxsize=2)
def _noise(one: Subject) -> Bracketed | Breaking:
    p = one.parameters
    count = p.images if _ours(one) else p.imagenet_images
    images = correct(one, count)
    return found_by(one.classifier, images, p.variants[0], p.noise_seeds, p.audit, one.blocks.passes)


def _sources(one: Subject) -> ImageSet:
    """Images that are taken to every other class; one per class where there are many: pairs grow as their square."""
    return correct_by_class(one, 1 if len(one.test.classes) > MOST_CLASSES else one.parameters.per_class)


@lru_cache(maxsize=2)
def _targeted(one: Subject) -> Targeted:
    p = one.parameters
    if _ours(one):
        return targeted(one.classifier, _sources(one), rate=p.rate, steps=p.steps)
    some = correct(one, p.imagenet_images)
    drawn, block = _drawn(one, some.labels, some.ids), one.blocks.gradients
    return targeted(one.classifier, some, drawn, rate=IMAGENET_RATE, steps=p.steps, block=block)


def _drawn(one: Subject, labels: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
    """Targets drawn for each image, none of them its own class."""
    p, k = one.parameters, len(one.test.classes)
    draws = random.uniform(p.seed, "robustness/targets", ids, (k - 1,)).argsort(1)[:, : p.imagenet_targets]
    return draws + (draws >= labels[:, None])


def _network_rows(one: Subject) -> Iterator[Row]:
    yield from networks(one.classifier, one.test)


def _noise_rows(one: Subject) -> Iterator[Row]:
    yield from noise(_noise(one), one.parameters.resamples, one.parameters.seed)


def _variant_rows(one: Subject) -> Iterator[Row]:
    p, images = one.parameters, correct(one, one.parameters.images)
    for variant in p.variants[1:]:
        yield from noise(found_by(one.classifier, images, variant, p.noise_seeds, p.audit), p.resamples, p.seed)
    if p.fields:
        yield from sigma_50(one.classifier, images, p.variants[0], p.fields)


def _target_rows(one: Subject) -> Iterator[Row]:
    p, found = one.parameters, _targeted(one)
    yield from distances(found, ADAM, p.resamples, p.seed)
    if one.condition == ALL and _ours(one):
        yield from matrix(found, one.test.classes)
        yield from variance(found)


def _variant_matrix_rows(one: Subject) -> Iterator[Row]:
    yield from matrix(_targeted(one), one.test.classes)


def _top_five_rows(one: Subject) -> Iterator[Row]:
    yield from top_five(one.classifier, one.test)


def _steps(p: Parameters, rate: float) -> int:
    """As far as the chapter's own rate gets, in steps of another."""
    return max(p.steps, ceil(p.steps * p.rate / rate))


def _rate_rows(one: Subject) -> Iterator[Row]:
    p = one.parameters
    images = correct_by_class(one, 1, p.sources)
    for rate in sorted({p.rate, *p.rates}):
        found = targeted(one.classifier, images, rate=rate, steps=_steps(p, rate))
        yield from distances(found, ADAM, p.resamples, p.seed, level=rate)


def _tight_rows(one: Subject) -> Iterator[Row]:
    p = one.parameters
    images = correct_by_class(one, p.tight, p.sources)
    yield from distances(tight(one.classifier, images), TIGHT, p.resamples, p.seed)


def _beside_tight_rows(one: Subject) -> Iterator[Row]:
    """The chapter's own search on the images of the tight one, which are fewer."""
    p = one.parameters
    images = correct_by_class(one, p.tight, p.sources)
    found = targeted(one.classifier, images, rate=p.rate, steps=p.steps)
    yield from distances(found, ADAM_BESIDE, p.resamples, p.seed)


def _known_rows(one: Subject) -> Iterator[Row]:
    """The same images and targets as of the variant that knows a fraction of the classes."""
    assert isinstance(one, Trained)
    p, images = one.parameters, one.test_of_fraction
    yield from known(networks(one.classifier, images))
    broken = found_by(one.classifier, correct(one, p.images, images), p.variants[0], p.noise_seeds, 0.0)
    yield from known(noise(broken, p.resamples, p.seed))
    some = correct_by_class(one, p.per_class, images=images)
    targets = other_classes(some, known_classes(images.classes, p.class_share))
    yield from known(
        distances(targeted(one.classifier, some, targets, rate=p.rate, steps=p.steps), ADAM, p.resamples, p.seed)
    )


def _layer_rows(one: Subject) -> Iterator[Row]:
    p = one.parameters
    yield from layers(one.classifier, correct(one, p.layer_images), p.layer_seeds, p.resamples, p.seed)


def _samples(one: Traced) -> ImageSet:
    images = one.subject.train
    return images.take((images.labels == one.label).nonzero()[:, 0][: one.subject.parameters.region_samples])


def _region_rows(one: Traced) -> Iterator[Row]:
    p, samples = one.subject.parameters, _samples(one)
    found = traced(one.subject.classifier, samples, one.label, p.region_searches, p.seed)
    yield from regions(found.tree, samples.classes[one.label])
    yield from edges(found, samples.classes[one.label])


def _straight_rows(one: Traced) -> Iterator[Row]:
    yield from straight(one.subject.classifier, _samples(one), one.label)


def _beside_rows(one: Traced) -> Iterator[Row]:
    p, of = one.subject.parameters, one.subject
    seeds = range(p.noise_seeds)
    yield from beside(of.classifier, of.test, one.label, p.region_samples, p.variants[0], seeds, p.resamples, p.seed)


@lru_cache(maxsize=4)
def _seen(one: Subject, *, sources: bool) -> Seen:
    """A look at the images of breaking noise, or at those that are taken to every other class."""
    return seen(one.classifier, _sources(one) if sources else correct(one, one.parameters.images), DDN_STEPS)


def _broken(one: Subject) -> Breaking:
    found = _noise(one)
    return found.breaking if isinstance(found, Bracketed) else found


def _look_rows(one: Subject) -> Iterator[Row]:
    yield from looks(_seen(one, sources=False), _broken(one).sigma.mean(1), "random")
    yield from looks(_seen(one, sources=True), nearest(_targeted(one), _sources(one)), "targeted")


def _sight_rows(one: Subject) -> Iterator[Row]:
    yield from sights(_seen(one, sources=False))


def _ddn_rows(one: Subject) -> Iterator[Row]:
    """Beside DDN, which stops at the border: Adam to the paper's probability, and no farther than to the border."""
    p, images = one.parameters, _sources(one)
    border = targeted(one.classifier, images, rate=p.rate, steps=p.steps, probability=BORDER, eight_bit=False)
    by_adam = {ADAM: _targeted(one), ADAM_BORDER: border}
    l2 = {name: nearest(found, images, "l2") for name, found in by_adam.items()}
    yield from beside_ddn(_seen(one, sources=True), l2)


def _pair_rows(one: Subject) -> Iterator[Row]:
    yield from pair(_broken(one), one.test, one.parameters.variants[0])


def _compared(one: Subject) -> bool:
    """Networks whose numbers are set beside each other, on the chapter's own images."""
    p = one.parameters
    return _ours(one) and one.condition == ALL and one.data == p.data and one.network in p.networks


# The order in which they are measured; parts beside each other share what they search.
PARTS.add("network", Part((), lambda one: True, _network_rows))
PARTS.add("top five", Part(("imagenet_images",), lambda one: not _ours(one), _top_five_rows))
NOISE = ("images", "noise_seeds", "audit", "variants", "resamples", "seed", "imagenet_images")
PARTS.add("noise", Part(NOISE, lambda one: True, _noise_rows, version=4))
TARGETS = ("per_class", "steps", "rate", "resamples", "seed", "imagenet_images", "imagenet_targets")
PAIRS = ("per_class", "steps", "rate")
PARTS.add("targets", Part(TARGETS, lambda one: True, _target_rows))
PARTS.add("variant matrices", Part(PAIRS, lambda one: _ours(one) and one.condition != ALL, _variant_matrix_rows))
PARTS.add("looks", Part((*NOISE, *TARGETS), _closely, _look_rows, version=4))
PARTS.add("sights", Part(("images",), _compared, _sight_rows))
PARTS.add("ddn", Part(PAIRS, _closely, _ddn_rows, version=2))
PARTS.add(
    "pair",
    Part(
        ("images", "noise_seeds", "variants"), lambda one: _closely(one) and one.run == 0, _pair_rows, version=4
    ),
)  # fmt: skip
PARTS.add("variants", Part((*NOISE, "fields"), _closely, _variant_rows, version=4))
PARTS.add("rates", Part(("sources", "steps", "rate", "rates", "resamples", "seed"), _closely, _rate_rows))
PARTS.add(
    "tight",
    Part(
        ("tight", "sources", "resamples", "seed"), lambda one: _closely(one) and one.parameters.tight > 0, _tight_rows
    ),
)
PARTS.add(
    "beside tight",
    Part(
        ("tight", "sources", "rate", "steps", "resamples", "seed"),
        lambda one: _closely(one) and one.parameters.tight > 0, _beside_tight_rows,
    ),
)  # fmt: skip
PARTS.add(
    "known classes",
    Part(
        ("class_share", "images", "noise_seeds", "variants", "per_class", "steps", "rate", "resamples", "seed"),
        lambda one: _closely(one) and FRACTION in one.parameters.parts, _known_rows, version=4,
    ),
)  # fmt: skip
PARTS.add(
    "layers",
    Part(
        ("layer_images", "layer_seeds", "resamples", "seed"),
        lambda one: _closely(one) and one.parameters.layer_images > 0, _layer_rows,
    ),
)  # fmt: skip
# Of one class: beside each other, classes can be traced on several cores or machines.
REGION = Registry[Part[Traced]]("part of a class's region")
REGION.add("regions", Part(("region_samples", "region_searches", "seed"), lambda one: True, _region_rows, 2))
REGION.add("straight lines", Part(("region_samples",), lambda one: True, _straight_rows))
REGION.add(
    "beside regions",
    Part(("region_samples", "noise_seeds", "variants", "resamples", "seed"), lambda one: True, _beside_rows, version=4),
)
