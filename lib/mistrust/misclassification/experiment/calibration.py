"""Levels calibrated for one network, kept in the store: one thing a perturbation."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import torch
from torch import Tensor

from mistrust import rows as tidy
from mistrust.data import ImageSet
from mistrust.inputs import continuous
from mistrust.inputs.calibration import calibrate, check, split, targets
from mistrust.misclassification import tables
from mistrust.misclassification.experiment.logits import smoke_images
from mistrust.networks import Classifier, wrap
from mistrust.store import made, maker


def _smoke() -> pd.DataFrame:
    """Calibrate a classifier that looks at one pixel; rounded, since machines differ in the last digits."""

    def logits(images: Tensor) -> Tensor:
        return torch.stack([images[:, 0, 0, 0], 1 - images[:, 0, 0, 0], images[:, 0, 1, 1] / 2], 1)

    classifier = wrap(logits, ("a", "b", "c"), key="smoke")
    return _rows(classifier, smoke_images(), "brightness", [1, 10], 80, 0).round({"value": 3, "low": 3, "high": 3})


CALIBRATION = maker("calibration", version=2, content="table", smoke=_smoke)


def severities(name: str) -> dict[str, Any]:
    """Continuous form of a perturbation, in words and numbers: what is kept must change with it."""
    form = continuous(name)
    return {"parameter": form.parameter, "grid": list(form.grid), "fixed": dict(form.fixed)}


def calibrated_rows(
    classifier: Classifier, images: ImageSet, name: str, levels: Sequence[int], count: int, seed: int
) -> pd.DataFrame:
    """Rows of one perturbation, from the store where they are made (`tables.calibrated`).

    Parameters
    ----------
    images : of which `count`, drawn at random, are calibrated on, and up to twice as many others checked on.
    levels : out of ten, each with the target accuracy of the paper's even fall.
    """
    spec: dict[str, Any] = {
        "network": classifier.key,
        "data": {"name": images.name, "checksum": images.checksum},
        "perturbation": name,
        "severities": severities(name),
        "levels": list(levels),
        "images": count,
        "seed": seed,
    }
    return made(CALIBRATION, spec, lambda _: _rows(classifier, images, name, levels, count, seed))


def _rows(
    classifier: Classifier, images: ImageSet, name: str, levels: Sequence[int], count: int, seed: int
) -> pd.DataFrame:
    first, others = split(images, count, seed)
    kept = split(others, 2 * count, seed)[0] if 2 * count < len(others) else others
    found = calibrate(classifier, first, name, targets()[[level - 1 for level in levels]], seed)
    return tidy.table(tables.calibrated(found, check(found, classifier, kept), len(kept), levels))
