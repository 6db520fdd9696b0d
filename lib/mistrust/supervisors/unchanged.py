"""What a supervisor must leave as it was: copies of all that it is given, and whether what is there now equals them.

Numbers, text, sequences, mappings, tensors and arrays are copied and compared all the way down. No saved supervisor
has other parameters; an object of any other kind need have no copy and no `==`, and is told by identity alone.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from mistrust.networks import Record

FEW = 8  # images that the network answers: enough to see that it answers otherwise
PLAIN = (bool, int, float, complex, str, bytes, np.generic)


def copies(record: Record) -> dict[str, Any]:
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
    return copied(found)


def changes(record: Record, before: Mapping[str, Any]) -> list[str]:
    """Names of what is no longer as `copies` found it, or was not there, or is gone."""
    after = copies(record)
    return [name for name in {**before, **after} if not alike(before.get(name), after.get(name))]


def copied(one: Any) -> Any:
    """A copy that a change in place of what is copied does not reach; any other object is itself."""
    if isinstance(one, Tensor):
        return one.detach().clone()
    if _array(one):
        return one.copy()
    if isinstance(one, (list, tuple)):
        return (list if isinstance(one, list) else tuple)(map(copied, one))
    return {key: copied(value) for key, value in one.items()} if isinstance(one, Mapping) else one


def alike(before: Any, now: Any) -> bool:
    """Whether what `copied` gave still equals what was copied; NaN is NaN."""
    if isinstance(before, Tensor):
        return isinstance(now, Tensor) and _alike_tensors(before, now)
    if _array(before):
        return _array(now) and (before.shape, before.dtype) == (now.shape, now.dtype) and _same(before, now)
    if isinstance(before, (list, tuple)):
        return isinstance(now, type(before)) and len(before) == len(now) and all(map(alike, before, now))
    if isinstance(before, Mapping):
        return (
            isinstance(now, Mapping) and before.keys() == now.keys() and all(alike(before[k], now[k]) for k in before)
        )
    return before is now or (isinstance(before, PLAIN) and isinstance(now, PLAIN) and _same(before, now))


def _array(one: Any) -> bool:
    return isinstance(one, np.ndarray) and not one.dtype.hasobject  # objects within have no copy, and any `==`


def _alike_tensors(one: Tensor, other: Tensor) -> bool:
    kinds = [(each.shape, each.dtype, each.layout, each.device) for each in (one, other)]
    return kinds[0] == kinds[1] and _same(one.to_dense(), other.to_dense())  # sparse ones have no `==`


def _same(one: Any, other: Any) -> bool:
    same = (one == other) | ((one != one) & (other != other))
    return same if isinstance(same, bool) else bool(same.all())
