"""Networks: architectures, training, classifiers, and the record of one forward pass."""

from mistrust.networks.architectures import ARCHITECTURES, Architecture, initialise, parameter_count
from mistrust.networks.classifier import Classifier, check_images, looks_like_probabilities, wrap
from mistrust.networks.devices import DEVICES, device
from mistrust.networks.record import Record, layer_names, observe
from mistrust.networks.training import NETWORK, SCHEDULES, Recipe, network_spec, train, trained
from mistrust.networks.weights import Plan, load, save

__all__ = [
    "ARCHITECTURES",
    "DEVICES",
    "NETWORK",
    "SCHEDULES",
    "Architecture",
    "Classifier",
    "Plan",
    "Recipe",
    "Record",
    "check_images",
    "device",
    "initialise",
    "layer_names",
    "load",
    "looks_like_probabilities",
    "network_spec",
    "observe",
    "parameter_count",
    "save",
    "train",
    "trained",
    "wrap",
]
