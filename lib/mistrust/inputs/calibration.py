"""Calibration: how strong must a perturbation be for this classifier's accuracy to fall to a target?

The paper's levels were set by hand for one network, so that accuracy falls in even steps; for another network they
give other steps. Here accuracy is measured at the severities of the perturbation's grid, with the same noise at all of
them; a non-increasing (isotonic) curve is fitted, and inverted by linear interpolation.

Images to calibrate on and images to check on must come from one random split: parts of a test set differ.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from sklearn.isotonic import IsotonicRegression
from torch import Tensor

from mistrust import random
from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.inputs.limits import within
from mistrust.inputs.perturbations import continuous, perturbed
from mistrust.networks import Classifier, observe

# The paper's accuracies fall from 0.9761 at level 1 to 0.4883 at level 10; these are the even steps between.
FIRST, LAST = 0.975, 0.49


@dataclass(frozen=True, eq=False)
class Calibration:
    """Severities at which a classifier's accuracy under one perturbation is expected to meet its targets.

    Attributes
    ----------
    perturbation, classifier : their names.
    seed : of the noise.
    clean : accuracy on the unperturbed images.
    grid, measured, fitted : (g,) severities, the accuracy at each, and the non-increasing curve through them up to
        the lowest accuracy; NaN beyond.
    targets : (l,) accuracies asked for, none above `clean`.
    severities : (l,) for {"severity": ...}; the end of the curve where a target cannot be reached.
    expected : (l,) the curve's accuracy there, equal to the target where it can be reached.
    ids : (n,) the images that it was calibrated on.
    """

    perturbation: str
    classifier: str
    seed: int
    clean: float
    grid: Float[np.ndarray, " g"]
    measured: Float[np.ndarray, " g"]
    fitted: Float[np.ndarray, " g"]
    targets: Float[np.ndarray, " l"]
    severities: Float[np.ndarray, " l"]
    expected: Float[np.ndarray, " l"]
    ids: Int[Tensor, " n"]

    @property
    def reached(self) -> NDArray[np.bool_]:
        """(l,) whether the curve meets each target."""
        return np.isclose(self.expected, self.targets, rtol=0, atol=1e-9)

    @property
    def said(self) -> str:
        """Name the targets that cannot be reached, and how near the curve comes; nothing when all can."""
        found = [
            f"{target:.3f} (at severity {severity:g} it is {expected:.3f})"
            for target, severity, expected in zip(
                self.targets[~self.reached], self.severities[~self.reached], self.expected[~self.reached], strict=True
            )
        ]
        if not found:
            return ""
        return f"{self.perturbation} cannot bring the accuracy of '{self.classifier}' to {', '.join(found)}."


def targets(levels: int = 10) -> Float[np.ndarray, " levels"]:
    """Accuracies in even steps from 0.975 at level 1 to 0.49 at the last level: .975 - (l - 1)/(levels - 1) .485."""
    if levels < 2:
        raise MistrustError(f"There are {levels} levels, expected at least 2: steps lie between a first and a last.")
    return FIRST - np.arange(levels) / (levels - 1) * (FIRST - LAST)


def split(images: ImageSet, count: int, seed: int = 0) -> tuple[ImageSet, ImageSet]:
    """Split at random: `count` images to calibrate on, and all others to check on; each part keeps its order.

    Never take the first images and check on later ones: in MNIST the later test images are easier, and a calibration
    is then off by 0.06 to 0.08.
    """
    if not 0 < count < len(images):
        raise MistrustError(f"{count} of {len(images)} images to calibrate on: expected 1 to {len(images) - 1}.")
    order = random.permutation(seed, "calibration/split", len(images))
    return images.take(order[:count].sort().values), images.take(order[count:].sort().values)


def calibrate(
    classifier: Classifier,
    images: ImageSet,
    name: str,
    wanted: Sequence[float] | NDArray[np.float64] | None = None,
    seed: int = 0,
    *,
    grid: Sequence[float] | None = None,
) -> Calibration:
    """Find the severities at which the classifier's accuracy under a perturbation meets targets.

    Parameters
    ----------
    classifier : any classifier; its accuracy is measured on perturbed images stored as uint8.
    images : (n, ...) with true labels; keep others to `check` on.
    name : a perturbation with a continuous form.
    wanted : (l,) accuracies; `targets()` when not given. Where the clean accuracy is lower, it is the target.
    seed : of the perturbation's noise, the same at every severity.
    grid : ascending severities to measure at, at least two; the perturbation's own 21 when not given.

    Returns
    -------
    Calibration. Where the curve stays flat at a target, the severity is the largest that still meets it. Targets
    that no severity reaches are marked in `reached` and told in `said`; theirs is the end of the curve.

    Raises
    ------
    MistrustError
        An unknown perturbation or one without a continuous form, a grid that does not ascend or leaves its range, a
        target outside [0, 1], no images.
    """
    if len(images) == 0:
        raise MistrustError(f"There are no images to calibrate {name} on.")
    own = continuous(name).grid
    points = np.asarray(own if grid is None else grid, dtype=np.float64)
    if points.ndim != 1 or len(points) < 2 or not (np.diff(points) > 0).all():
        raise MistrustError(f"Severities to measure at are {points.tolist()}, expected two or more, ascending.")
    asked = targets() if wanted is None else np.asarray(wanted, dtype=np.float64).reshape(-1)
    for one in asked:
        within("A target accuracy", one, 0, 1)

    clean = accuracy(classifier, images)
    measured = np.array([accuracy(classifier, images, name, s, seed) for s in points])
    # Where the accuracy rises again (some blends do that), what is beyond its lowest point says nothing below it.
    used = len(points) - int(np.argmin(measured[::-1]))
    fitted = np.full_like(points, np.nan)
    fitted[:used] = IsotonicRegression(increasing=False).fit_transform(points[:used], measured[:used])
    goals = np.minimum(asked, clean)
    severities, expected = inverted(points[:used], fitted[:used], goals)
    return Calibration(
        name, classifier.name, seed, clean, points, measured, fitted, goals, severities, expected, images.ids
    )


def inverted(
    grid: Float[np.ndarray, " g"], fitted: Float[np.ndarray, " g"], goals: Float[np.ndarray, " l"]
) -> tuple[Float[np.ndarray, " l"], Float[np.ndarray, " l"]]:
    """Where a non-increasing curve through (grid, fitted), linear between its points, takes the values `goals`.

    Returns the largest such place for each and the curve's value there; a value above or below all of the curve has
    its first or last place.
    """
    if len(grid) == 1:
        return np.full_like(goals, grid[0]), np.full_like(goals, fitted[0])
    # The last point that is not below the goal; between it and the next the curve passes the goal.
    last = (fitted[None, :] >= goals[:, None] - 1e-12).sum(1) - 1
    left = last.clip(0, len(grid) - 2)
    drop = fitted[left] - fitted[left + 1]
    share = np.divide(fitted[left] - goals, drop, out=np.zeros_like(goals), where=drop > 0).clip(0, 1)
    share = np.where(last == len(grid) - 1, 1.0, np.where(last < 0, 0.0, share))
    places = grid[left] + share * (grid[left + 1] - grid[left])
    return places, np.interp(places, grid, fitted)


def check(calibration: Calibration, classifier: Classifier, images: ImageSet) -> Float[np.ndarray, " l"]:
    """Measure the accuracy at each calibrated severity on other images: (l,), to be compared with the targets.

    Raises
    ------
    MistrustError
        Another classifier, or images that were calibrated on.
    """
    if classifier.name != calibration.classifier:
        raise MistrustError(
            f"The calibration is of '{calibration.classifier}', the classifier is '{classifier.name}': calibrate it."
        )
    known = int(torch.isin(images.ids, calibration.ids).sum())
    if known:
        raise MistrustError(
            f"{known} of the {len(images)} images to check on were calibrated on, expected others: use split(...)."
        )
    return np.array([
        accuracy(classifier, images, calibration.perturbation, s, calibration.seed) for s in calibration.severities
    ])  # fmt: skip


def accuracy(
    classifier: Classifier, images: ImageSet, name: str | None = None, severity: float = 0.0, seed: int = 0
) -> float:
    """Share of images that the classifier gets right, clean or under a perturbation at this severity."""
    seen = images if name is None else perturbed(images, name, {"severity": severity}, seed=seed)
    return float(observe(classifier, seen).correct.double().mean())
