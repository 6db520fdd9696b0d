"""Would it help to train longer, to draw points no farther out than training images lie, to learn from more decoders?

Measured, not in use.
"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import torch

from mistrust import random
from mistrust.ambiguity.ambiguous_set import AmbiguousSet
from mistrust.ambiguity.autoencoder import Autoencoders
from mistrust.ambiguity.composition import compose
from mistrust.ambiguity.experiment.material import Material, joined
from mistrust.ambiguity.lots import by_pair
from mistrust.ambiguity.making import decoders
from mistrust.ambiguity.members import Member
from mistrust.ambiguity.pairs import title
from mistrust.ambiguity.planning import plan
from mistrust.ambiguity.stacked import Design
from mistrust.ambiguity.tables import Row
from mistrust.ambiguity.tables.made import acceptance, autoencoders
from mistrust.ambiguity.tables.performed import performed
from mistrust.ambiguity.training import trained
from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.networks import observe, one_hot

# Decoders of a pair to learn from; one more makes the test images. So many autoencoders of it are tried at most: of
# ten pairs sixty to ninety, 35 to 50 minutes of a processor core.
LEARNT_FROM, TRIES = (1, 3, 5), 9
# Nominal images to learn from, for each ambiguous one: as in the paper, 60,000 for 20,000.
NOMINAL = 3


def longer(one: Material) -> Iterable[Row]:
    """Train the first autoencoders of each pair that is left out anew, and longer: what the gates read, how many pass.

    `level` counts passes.
    """
    p, before = one.parameters, one.training
    left = sorted(set(one.tried.pairs) - set(one.pairs))
    training = replace(before, epochs=p.longer * before.epochs)
    common = {"table": "longer", "level": training.epochs}
    yield {**common, "metric": "pairs", "value": len(left), "n": len(set(one.tried.pairs))}
    if not left:
        return
    members = [Member(*pair, p.seed + k) for k in range(p.models) for pair in left]
    design = Design(one.train.images[0].numel(), len(one.train.classes))
    tried = trained(one.train, members, design, training)
    yield from ({**row, **common} for row in autoencoders(tried))
    for row in acceptance(tried, p.models):
        if row["method"] == "default":
            yield {**row, **common, "method": ""}


def bounds(one: Material) -> Iterable[Row]:
    """Table I of one classifier of each kind, trained and tested on sets whose grid reaches less or more far.

    `level` is the bound; that in use is among them. A bound at which a decoder has no ambiguous point has one row that
    says so.
    """
    p = one.parameters
    for bound in sorted({*p.bounds, p.z_bound}):
        common = {"table": "bounds", "level": bound}
        try:
            train, test = one.reaching(bound)
        except MistrustError as error:
            yield {**common, "method": "mixed", "metric": "images", "value": 0, "n": p.test, "note": str(error)}
            continue
        parts = {"nominal": (one.test, one_hot(one.test).double()), "ambiguous": (test.image_set(), test.soft)}
        mixed = one.beside(train)
        for architecture in p.architectures:
            network = one.taught(mixed, train.soft, architecture, 0)
            for condition, (images, soft) in parts.items():
                for row in performed("mixed", condition, observe(network, images).logits, soft, images.labels):
                    yield {**row, **common, "network": architecture, "seed": p.seed}


def more_decoders(one: Material) -> Iterable[Row]:
    """Table I of held-out decoders after learning from one, three and five others, of some pairs and few images.

    `level` counts the decoders of a pair that made the images to learn from; there are equally many of these, as many a
    pair as in the chapter's sets. The last good autoencoder makes the test images; the first, which all learnt from,
    makes others for comparison. Nominal images are of the same classes.
    """
    p, needed = one.parameters, LEARNT_FROM[-1] + 1
    pairs = p.chosen_pairs(one.train)
    places = np.linspace(0, len(pairs) - 1, min(p.more_decoders, len(pairs))).round().astype(int)
    chosen = [pairs[place] for place in dict.fromkeys(places.tolist())]
    how = replace(p.making, models=needed, tries=TRIES, epochs=one.training.epochs, batch=one.training.batch)
    try:
        tried, good = decoders(plan(one.train, how, pairs=chosen, licence="not released"), every_pair=False)
    except MistrustError as error:
        yield {"table": "more-decoders", "metric": "pairs", "value": 0, "n": len(chosen), "note": str(error)}
        return
    of = {pair: group[:needed] for pair, group in by_pair(good, range(len(good))).items() if len(group) >= needed}
    left = [title(one.train.classes, pair) for pair in chosen if pair not in of]
    common = {"table": "more-decoders"}
    yield {**common, "metric": "pairs", "value": len(of), "n": len(chosen), "note": ", ".join(left)}
    yield {**common, "metric": "autoencoders", "value": len(good), "n": len(tried)}
    if not of:
        return
    train, test = (max(len(of), round(count * len(of) / len(pairs))) for count in (p.train, p.test))
    tests = {
        "other decoders": _drawn(one, good.take([group[-1] for group in of.values()]), test)[1],
        "decoders of training images": _drawn(one, good.take([group[0] for group in of.values()]), test)[1],
    }
    nominal = _nominal(one, sorted({c for pair in of for c in pair}), NOMINAL * train)
    for count in LEARNT_FROM:
        lesson = _drawn(one, good.take([place for group in of.values() for place in group[:count]]), train)[0]
        images = joined(f"{count} decoders {one.data}", [nominal, lesson.image_set()])
        for architecture in p.judges:
            network = one.taught(images, lesson.soft, architecture, 0, nominal)
            for condition, shown in tests.items():
                seen = shown.image_set()
                for row in performed("mixed", condition, observe(network, seen).logits, shown.soft, seen.labels):
                    yield {**row, **common, "level": count, "network": architecture, "seed": p.seed}


def _drawn(one: Material, decoders: Autoencoders, count: int) -> tuple[AmbiguousSet, AmbiguousSet]:
    """A train and a test set of these decoders, both of all of them."""
    how, every = replace(one.parameters.making.composition, shared=True), torch.ones(len(decoders), dtype=torch.bool)
    return compose(decoders, every, count, count, how, seed=one.parameters.seed)


def _nominal(one: Material, classes: list[int], count: int) -> ImageSet:
    """Nominal training images of these classes, drawn; all, where there are no more."""
    own = torch.nonzero(torch.isin(one.train.labels, torch.tensor(classes)))[:, 0]
    return one.train.take(own[random.permutation(one.parameters.seed, "ambiguity/more decoders", len(own))[:count]])
