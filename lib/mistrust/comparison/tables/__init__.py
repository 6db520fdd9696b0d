"""Rows of the chapter across papers, table by table: pure functions of scores.

========== ===================================================================================
detection  is the input bad? Each scorer against each kind of bad input, AUROC and at one limit
wrong      is the prediction wrong? The same, of inputs that have a right answer
agreement  do two scorers put images in the same order?
cells      do two readings of the network put pairs of classes in the same order?
cost       passes beyond the answer, and what must be kept
========== ===================================================================================
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from mistrust.errors import MistrustError

Row = Mapping[str, Any]
COLUMNS = ("ids", "labels", "predicted")
PASSES, BYTES = "passes", "bytes"


@dataclass(frozen=True)
class Said:
    """What the network and every scorer said of one set of images.

    Attributes
    ----------
    name : of the set.
    ids, labels, predicted : (n,) of the images; inputs of one id were made from one image.
    by : scorer -> (m,) scores of the first m images, higher is more suspicious; m is n but for those that search.
    """

    name: str
    ids: NDArray[np.int64]
    labels: NDArray[np.int64]
    predicted: NDArray[np.int64]
    by: Mapping[str, NDArray[np.float64]]

    def __post_init__(self) -> None:
        for name, values in self.by.items():
            if values.ndim != 1 or not 0 < len(values) <= len(self.ids) or np.isnan(values).any():
                raise MistrustError(
                    f"Scores of {name} on {self.name} have shape {values.shape}, expected at most {len(self.ids)} "
                    "numbers, none of them NaN."
                )

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """Whether the network's answer is not the label, (n,)."""
        return self.predicted != self.labels


def said(tensors: Mapping[str, Tensor], name: str) -> Said:
    """Read one set out of what `experiment.readouts` gave.

    Raises
    ------
    MistrustError
        There is no such set.
    """
    part = {key.removeprefix(f"{name}|"): v.numpy() for key, v in tensors.items() if key.startswith(f"{name}|")}
    if not part:
        there = ", ".join(dict.fromkeys(key.partition("|")[0] for key in tensors))
        raise MistrustError(f"There are no scores of the set '{name}'; there are {there}.")
    ids, labels, predicted = (part.pop(column).astype(np.int64) for column in COLUMNS)
    by = {key: values.astype(np.float64) for key, values in part.items() if "|" not in key}
    return Said(name, ids, labels, predicted, by)
