"""The autoencoders that supervise, one per run, by themselves: how well each rebuilds, and what one makes of inputs."""

from collections.abc import Iterable

import torch

from mistrust.data import load
from mistrust.supervisors.autoencoder import cross_entropy
from mistrust.supervisors.conv_vae import VaeRecipe, conv_vae
from mistrust.supervisors.experiment.invalid import invalid
from mistrust.supervisors.experiment.tested import CORRUPTED, INVALID, UnderTest
from mistrust.supervisors.tables import NOMINAL, Row
from mistrust.supervisors.tables.rebuilt import rebuilt as compared

REBUILT = 1000  # test images that tell how well it rebuilds
BESIDE = 4  # inputs of each kind that are shown beside what it makes of them


def autoencoder(one: UnderTest) -> Iterable[Row]:
    """How well a run's autoencoder rebuilds; no classifier is needed, so that one can be trained meanwhile."""
    p = one.parameters
    network = conv_vae(one.material.mixed, VaeRecipe(epochs=p.vae_epochs), p.seed + one.run)
    some = one.material.test.take(slice(0, REBUILT)).floats()
    with torch.no_grad():
        errors = cross_entropy(network.logits(network.posterior(some)[0]), some)
    found = {"table": "autoencoder", "condition": NOMINAL, "metric": "reconstruction error"}
    yield {**found, "value": float(errors.mean()), "n": len(errors), "note": "nats an image"}


def rebuilt(one: UnderTest) -> Iterable[Row]:
    """What an autoencoder makes of a few inputs; it learns nominal images alone, so that nothing need be made first."""
    p, test = one.parameters, load(one.data, "test")
    network = conv_vae(load(one.data, "train"), VaeRecipe(epochs=p.vae_epochs), p.seed)
    return compared({NOMINAL: test, CORRUPTED: one.corrupted(test), INVALID: invalid(one.data, test)}, network, BESIDE)
