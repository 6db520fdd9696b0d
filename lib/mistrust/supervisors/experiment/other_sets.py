"""Test sets made otherwise: what does a number of Table II owe to how ours were made?

Our ambiguous test images come from decoders that made no training image; in the paper both come from one pool. Our
adversarial images are the nearest that fool; the authors' grid of epsilons has a gap of a factor of ten, and their set
holds images that no attack changed.
"""

from collections.abc import Iterator, Mapping

import numpy as np
import torch
from torch import Tensor

from mistrust.data import ImageSet
from mistrust.inputs.adversarial import AdversarialSet, adversarial
from mistrust.inputs.epsilons import FOOLED
from mistrust.store import made
from mistrust.supervisors.experiment.methods import methods
from mistrust.supervisors.experiment.some_of import some_of
from mistrust.supervisors.experiment.tested import ATTACKED, UnderTest, scores
from mistrust.supervisors.tables import NOMINAL, Row, Scores
from mistrust.supervisors.tables.detection import detection

# One of each way to look; and how many nominal images are attacked at most: a tenth of them gets into the set.
LOOKED, TRIED = ("max_softmax", "softmax_entropy", "dsa", "lsa", "mdsa", "autoencoder"), 2500


def other_sets(one: UnderTest, tensors: Mapping[str, Tensor]) -> Iterator[Row]:
    """Rows of the table "other-sets".

    Parameters
    ----------
    tensors : what `all_scores` gave: the nominal scores are there.
    """
    every = methods(one.parameters, one.architecture, one.features, one.run)
    chosen = [line for line in every if line.name in LOOKED]
    (nominal,) = scores(tensors, [NOMINAL])
    fitted = one.fitted(chosen)
    for name, images in _sets(one).items():
        if not len(images):
            continue
        found = one.scored(images, fitted)
        by = {line.name: found[line.name].numpy().astype(np.float64) for line in chosen}
        bad = Scores(name, images.ids.numpy(), np.zeros(len(images), bool), by)
        yield from detection(nominal.of(by), bad, 0, one.parameters.seed, table="other-sets")


def _sets(one: UnderTest) -> dict[str, ImageSet]:
    train, shared = one.material.ambiguess[0], one.material.shared[1]
    known = torch.isin(shared.decoder, train.decoder)
    ambiguous, published = shared.image_set(), _as_published(one)
    fooled = published.outcome[published.kept] == FOOLED
    return {
        "ambiguous/known decoders": ambiguous.take(known.nonzero()[:, 0]),
        "ambiguous/other decoders": ambiguous.take((~known).nonzero()[:, 0]),
        "adversarial/as published": published.images,
        "adversarial/as published, fooled": published.images.take(fooled.nonzero()[:, 0]),
    }


def _as_published(one: UnderTest) -> AdversarialSet:
    p = one.parameters
    some, seed = some_of(one.material.test, min(p.attacked or TRIED, TRIED)), p.seed + one.run
    spec = {"classifier": one.classifier.key, "data": some.checksum, "seed": seed, "as_published": True}
    return AdversarialSet.of(
        made(ATTACKED, spec, lambda _: adversarial(one.classifier, some, seed, as_published=True).tensors()), some
    )
