"""What each piece of an image set tells: generators, sets, classifiers, judges; from material to rows."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from mistrust.ambiguity import ambiguous_mnist, judging
from mistrust.ambiguity.convergence import REPEATS, WIDTHS, Group, apart, learn
from mistrust.ambiguity.density import DensityModel
from mistrust.ambiguity.experiment.material import Material
from mistrust.ambiguity.experiment.wide import wide
from mistrust.ambiguity.making import prepare
from mistrust.ambiguity.pairs import title
from mistrust.ambiguity.performance import ceilings
from mistrust.ambiguity.plain_vae import PlainRecipe, plain_vae
from mistrust.ambiguity.planning import plan
from mistrust.ambiguity.stacked import Design
from mistrust.ambiguity.tables import Row
from mistrust.ambiguity.tables.composed import composed, wrapped
from mistrust.ambiguity.tables.converged import WHOLE, converged
from mistrust.ambiguity.tables.diverse import diverse
from mistrust.ambiguity.tables.judged import ON_PAIR, calibration, entropies, natural_images, oddness, samples
from mistrust.ambiguity.tables.made import (
    acceptance,
    autoencoders,
    cells,
    codes_between,
    codes_beyond,
    label_rules,
    left_out,
)
from mistrust.ambiguity.tables.performed import performed
from mistrust.ambiguity.tables.shown import OUT, interpolation, plane, vae_plane
from mistrust.ambiguity.tables.shown import reach as farther
from mistrust.data import ImageSet
from mistrust.networks import observe, one_hot


def prepared(one: Material, number: int) -> Iterable[Row]:
    """Train a part of the first autoencoders of every pair, which `generators` then finds; no page reads its row."""
    p = one.parameters
    wanted = plan(one.train, p.making, pairs=p.chosen_pairs(one.train), licence="not released")
    count = prepare(wanted, number)
    yield {"table": "prepared", "metric": "autoencoders", "at": f"part={number}", "value": count, "n": count}


def generators(one: Material) -> Iterable[Row]:
    """What training gave, what the label rules say, where points come from, and what the decoders show."""
    p = one.parameters
    yield from autoencoders(one.tried)
    yield from acceptance(one.tried, p.models)
    yield left_out(one.tried, one.pairs)
    yield from label_rules(one.one_a_pair, p.making.composition.scheme.grid, (p.delta_test, p.delta_train))
    yield from cells(one.shown, p.delta_test)
    yield from plane(one.shown)
    yield from interpolation(one.one_a_pair)


def codes(one: Material) -> Iterable[Row]:
    """How many training images every autoencoder encodes between its two clusters."""
    return codes_between(one.tried, one.train)


def convergence(one: Material) -> Iterable[Row]:
    """What plain autoencoders of two classes, and one of all, need: steps, and parameters.

    Pairs share no class, so that those taken hold each class once at most.
    """
    p, design = one.parameters, Design(one.train.images[0].numel(), len(one.train.classes))
    pixels, labels = one.train.floats().flatten(1), one.train.labels
    rows = {
        title(one.train.classes, pair): torch.isin(labels, torch.tensor(pair))
        for pair in apart(p.chosen_pairs(one.train))
    }
    rows[WHOLE] = torch.ones(len(labels), dtype=torch.bool)
    groups = [
        Group(name, torch.nonzero(own)[:, 0], p.seed + number)
        for number in range(REPEATS)
        for name, own in rows.items()
    ]
    found = {width: learn(pixels, groups, replace(design, hidden=width), p.convergence_steps) for width in WIDTHS}
    return converged(found, groups, design)


def diversity(one: Material) -> Iterable[Row]:
    """How different images are, by the way they are drawn; decoders evenly from all pairs, where not all are asked."""
    p = one.parameters
    count = min(p.diversity_decoders, len(one.one_a_pair))
    chosen = np.linspace(0, len(one.one_a_pair) - 1, count).round().astype(int).tolist()
    return diverse(one.one_a_pair.take(chosen), p.delta_test, p.diversity_points, p.label, p.seed)


def reach(one: Material) -> Iterable[Row]:
    """How images look far out, and how many training images lie there: what `z_bound` decides."""
    few = np.linspace(0, len(one.one_a_pair) - 1, min(4, len(one.one_a_pair))).round().astype(int).tolist()
    yield from farther(one.one_a_pair.take(few))
    flat, out = one.train.floats().flatten(1), list[Tensor]()
    with torch.no_grad():
        for place, pair in enumerate(one.one_a_pair.pairs):
            own = torch.isin(one.train.labels, torch.tensor(pair))
            out.append(one.one_a_pair.take([place]).encode(flat[own][None])[0, :, 1].abs())
    yield from codes_beyond(out, OUT[1:])


def sets(one: Material) -> Iterable[Row]:
    """Every way to make a set, and what the labels of AmbiguousMNIST allow where it is here."""
    for method, (train, test) in {**one.sets, "shared": one.shared}.items():
        yield from composed(method, train, test)
    if isinstance(one.as_published, str):
        common = {"table": "sets", "method": "as published", "condition": "test", "metric": "images"}
        yield {**common, "value": 0, "n": one.parameters.test, "note": one.as_published}
    else:
        yield from wrapped("as published", one.good, *one.as_published)
    released = theirs(one.data)
    if released is not None:
        common = {"table": "sets", "method": ambiguous_mnist.NAME, "condition": "test", "n": len(released.images)}
        for metric, value in {"images": len(released.images), **ceilings(released.soft)}.items():
            yield {**common, "metric": metric, "value": value}


def classifier(one: Material, architecture: str, training: str, number: int) -> Iterable[Row]:
    """One classifier on the nominal test images, every ambiguous test set, and AmbiguousMNIST where it is here."""
    network = one.classifier(architecture, training, number)
    seen = {"nominal": (one.test, one_hot(one.test).double())}
    seen |= {f"ambiguous/{way}": (test.image_set(), test.soft) for way, (_, test) in one.sets.items()}
    released = theirs(one.data)
    if released is not None:
        seen[f"ambiguous/{ambiguous_mnist.NAME}"] = (released.images, released.soft)
    for condition, (images, soft) in seen.items():
        logits = observe(network, images).logits
        for row in performed(training, condition, logits, soft, images.labels):
            yield {**row, "network": architecture, "seed": one.parameters.seed + number}


def known_decoders(one: Material) -> Iterable[Row]:
    """Every mixed classifier on its training images, on test images of their decoders, and of others; and by |z1|.

    The set whose parts share decoders has both kinds of decoders; no image of it is a training image.
    """
    p, shared, (train, own) = one.parameters, one.shared[1], one.ambiguess
    known = torch.isin(shared.decoder, train.decoder)
    parts = {"training images": (train, torch.ones(len(train), dtype=torch.bool))}
    parts |= {"decoders of training images": (shared, known), "other decoders": (shared, ~known)}
    parts |= {f"|z1| up to {bound}": (own, own.latent[:, 1].abs() <= bound) for bound in (1, 2, 3)}
    for architecture in p.architectures:
        for number in range(p.mixed):
            network = one.classifier(architecture, "mixed", number)
            logits = {id(part): observe(network, part.image_set()).logits for part in (train, shared, own)}
            for condition, (part, chosen) in parts.items():
                if not chosen.any():
                    continue
                labels = part.image_set().labels[chosen]
                for row in performed("mixed", condition, logits[id(part)][chosen], part.soft[chosen], labels):
                    more = {"table": "known-decoders", "network": architecture, "seed": p.seed + number}
                    yield {**row, **more}


def theirs(data: str) -> ambiguous_mnist.AmbiguousMnist | None:
    """AmbiguousMNIST, which is compared on MNIST's digits alone; None without a local copy."""
    return ambiguous_mnist.find() if data == "mnist" else None


def judged(one: Material) -> Iterable[Row]:
    """What classifiers and a density model say that have seen nominal images alone."""
    p = one.parameters
    nominal = one.judges(one.test)
    model = DensityModel.fit(one.train, seed=p.seed)
    usual = _oddness(model, one.test, nominal.mean(0))
    for way, (_, test) in one.sets.items():
        softmax = one.judges(test.image_set()).mean(0)
        own = _oddness(model, test.image_set(), softmax)
        scores = {f"auroc {name}": (usual[name], values) for name, values in own.items()}
        yield from oddness(way, scores, softmax, test.pairs, p.resamples, p.seed)
        if way == "ambiguess":
            yield from samples(test, softmax, p.seed)
    yield from natural_images(one.test, nominal)
    for some in wide(one.one_a_pair, one.test, one.vae, p.test, p.z_bound, p.seed):
        p_first, on_pair = judging.on_pair(one.judges(some.images).mean(0), some.pairs)
        # Where the judges see a third class, what they say of the two means little.
        seen = on_pair >= ON_PAIR
        for method, stated in some.stated.items():
            common = {"table": "calibration", "condition": "ensemble", "method": method, "n": len(seen)}
            yield {**common, "metric": "share seen", "value": float(seen.mean())}
            if seen.sum() >= 3:
                clusters = some.clusters[seen]
                yield from calibration("ensemble", method, stated[seen], p_first[seen], clusters, p.resamples, p.seed)


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


def plain_plane(one: Material) -> Iterable[Row]:
    """A plain autoencoder of all classes with two latent dimensions, as in the paper's Figure 3."""
    p, classes = one.parameters, one.train.classes
    vae = plain_vae(one.train, PlainRecipe(latent=2, epochs=p.vae_epochs), p.seed)

    def judge(images: Tensor) -> Tensor:
        ids = torch.arange(len(images))
        return one.judges(ImageSet("plane", images, ids * 0, ids, classes)).mean(0)

    return vae_plane(vae, one.train.images.shape[1:], classes, judge)
