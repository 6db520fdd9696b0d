"""Architectures as table entries: a name, a source, a builder, and how its paper scaled, filled and trained it."""

# Importing a module of entries puts them into the table.
from mistrust.networks.architectures import ambiguess, densenet, families, lenet, mlm, residual, resnet, sdr
from mistrust.networks.architectures.depth import depth
from mistrust.networks.architectures.families import FAMILIES
from mistrust.networks.architectures.initial import INITIALS, initialise
from mistrust.networks.architectures.table import ARCHITECTURES, Architecture, parameter_count

__all__ = [
    "ARCHITECTURES",
    "FAMILIES",
    "INITIALS",
    "Architecture",
    "ambiguess",
    "densenet",
    "depth",
    "families",
    "initialise",
    "lenet",
    "mlm",
    "parameter_count",
    "residual",
    "resnet",
    "sdr",
]
