"""What a supervisor must leave as it was: copies of all that it is given, and whether what is there now equals them."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numpy as np
import torch
from torch import Tensor

from mistrust.networks import Record

FEW = 8  # images that the network answers: enough to see that it answers otherwise
NUMBERS = (Tensor, np.ndarray)  # `==` of these is no truth value
NEVER_COPIED = (type, FunctionType, BuiltinFunctionType)  # `deepcopy` gives the thing itself


def copies(record: Record) -> dict[str, Tensor]:
    """Copies of all that a record holds or refers to, by name, and what the network answers to a few images.

    A hook or a replaced `forward` stands in no `state_dict`: only the answers tell.
    """
    module = record.classifier.module
    found = {"images": record.images.images, "labels": record.images.labels, "ids": record.images.ids}
    found |= {"logits": record.logits, **{f"layer '{name}'": v for name, v in record.activations.items()}}
    found |= {name: v for name, v in (("samples", record.samples), ("members", record.members)) if v is not None}
    found |= {f"network's {name}": v for name, v in module.state_dict().items()}
    found["network's mode"] = torch.tensor(module.training)
    with torch.no_grad():
        found["network's answers"] = record.classifier(record.images.images[:FEW])
    return {name: values.clone() for name, values in found.items()}


def changes(record: Record, before: Mapping[str, Tensor]) -> list[str]:
    """Names of what is no longer as `copies` found it, or was not there, or is gone."""
    after = copies(record)
    return [name for name in {**before, **after} if not alike(before.get(name), after.get(name))]


def alike(one: Any, other: Any) -> bool:
    """Whether a value equals its copy all the way down: NaN is NaN, and an object is what it holds."""
    if one is other or isinstance(one, NEVER_COPIED):
        return one is other
    if isinstance(one, NUMBERS) or isinstance(other, NUMBERS):
        return type(one) is type(other) and _alike_numbers(one, other)
    if isinstance(one, (list, tuple)):
        return type(one) is type(other) and len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, Mapping):
        return isinstance(other, Mapping) and one.keys() == other.keys() and all(alike(one[k], other[k]) for k in one)
    if is_dataclass(one) or type(one).__eq__ is object.__eq__:  # identity, which no copy has
        return type(one) is type(other) and alike(_held(one), _held(other))
    return bool(one == other or (one != one and other != other))


def _alike_numbers(one: Any, other: Any) -> bool:
    if one.shape != other.shape or one.dtype != other.dtype or one.device != other.device:
        return False
    return bool(((one == other) | ((one != one) & (other != other))).all())


def _held(one: Any) -> dict[str, Any]:
    """What an object consists of; of a dataclass its fields, not what it has worked out from them since, and kept."""
    if is_dataclass(one):
        return {each.name: getattr(one, each.name) for each in fields(one)}
    return getattr(one, "__dict__", {})
