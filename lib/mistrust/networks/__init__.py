"""Networks: architectures, training, classifiers, and the record of one forward pass."""

from mistrust.networks.architectures import (
    ARCHITECTURES,
    FAMILIES,
    INITIALS,
    Architecture,
    depth,
    initialise,
    parameter_count,
)
from mistrust.networks.classifier import Classifier, wrap
from mistrust.networks.devices import DEVICES, device
from mistrust.networks.ensembles import trained_members
from mistrust.networks.recipe import OPTIMISERS, SCHEDULES, VALIDATION_ROWS, Recipe
from mistrust.networks.record import Record, layer_names, observe
from mistrust.networks.sampling import DROPOUTS, Sampler
from mistrust.networks.targets import check_targets, one_hot, targets_checksum
from mistrust.networks.tensors import check_images, looks_like_probabilities
from mistrust.networks.training import NETWORK, network_spec, train, trained
from mistrust.networks.weights import Plan, load, save

__all__ = [
    "ARCHITECTURES",
    "DEVICES",
    "DROPOUTS",
    "FAMILIES",
    "INITIALS",
    "NETWORK",
    "OPTIMISERS",
    "SCHEDULES",
    "VALIDATION_ROWS",
    "Architecture",
    "Classifier",
    "Plan",
    "Recipe",
    "Record",
    "Sampler",
    "check_images",
    "check_targets",
    "depth",
    "device",
    "initialise",
    "layer_names",
    "load",
    "looks_like_probabilities",
    "network_spec",
    "observe",
    "one_hot",
    "parameter_count",
    "save",
    "targets_checksum",
    "train",
    "trained",
    "trained_members",
    "wrap",
]
