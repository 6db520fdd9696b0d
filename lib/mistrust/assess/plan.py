"""How much of everything fits into the time given: measured once for a model, then kept, so that a run can go on."""

import time
import warnings
from dataclasses import dataclass

import torch

from mistrust.assess.bad_inputs import numbered
from mistrust.assess.kept import Kept
from mistrust.data import ImageSet
from mistrust.errors import MistrustWarning
from mistrust.inputs import PERTURBATIONS, perturbed
from mistrust.networks import Classifier

MEASURED, SPOILT = 64, 8  # images of the passes that are timed, and of the perturbations
LEVELS = (1, 4, 7, 10)  # of the perturbations' ten
STEP, CAP, SEEDS = 5.0, 255.0, (0, 1)  # of the breaking noise, in grey levels
# What a whole report costs an image, in forward passes and in uses of one perturbation: estimates, which decide nothing
# but how many images are taken.
SHARES = {"perturbed": 12 * len(LEVELS), "scored": 24, "noisy": len(SEEDS) * 30, "targeted": 9 * 40 * 3, "near": 120}
MADE = {"perturbed": 12 * len(LEVELS), "scored": 4}
WHOLE = {"perturbed": 400, "scored": 400, "noisy": 100, "targeted": 24, "near": 1000}
LEAST = {"perturbed": 40, "scored": 60, "noisy": 10, "targeted": 4, "near": 60}


@dataclass(frozen=True)
class Sizes:
    """How many images each part reads, at most.

    Attributes
    ----------
    perturbed : under each level of each perturbation.
    scored : of each kind of bad input.
    noisy : to which noise is added.
    targeted : that are taken to other classes.
    near : whose distance to another class orders the list to label.
    """

    perturbed: int
    scored: int
    noisy: int
    targeted: int
    near: int


def sizes(classifier: Classifier, images: ImageSet, minutes: float, kept: Kept) -> Sizes:
    """Choose sizes for about so many minutes on this machine.

    The time of the model, and of spoiling an image, is measured once and kept with the parts: a run that was stopped
    goes on with the same sizes. `minutes` is a plan and no promise: supervisors cost time of their own.

    Warns
    -----
    MistrustWarning
        The smallest sizes that still tell something take more than twice as long; says about how long.
    """

    def measure() -> dict[str, torch.Tensor]:
        some = images.take(slice(0, MEASURED))
        with torch.inference_mode():
            classifier(some.images)  # warm
            begun = time.perf_counter()
            classifier(some.images)
        passing = (time.perf_counter() - begun) / len(some)
        few = numbered(some.take(slice(0, SPOILT)))
        begun = time.perf_counter()
        for name in PERTURBATIONS:
            perturbed(few, name, LEVELS[-2], seed=0)
        making = (time.perf_counter() - begun) / len(few) / len(PERTURBATIONS)
        return {"passing": torch.tensor(passing), "making": torch.tensor(making)}

    measured = kept("plan", "seconds an image", measure)
    passing, making = float(measured["passing"]), float(measured["making"])
    chosen = planned(passing, minutes, making)
    expected = sum(getattr(chosen, name) * cost for name, cost in costs(passing, making).items()) / 60
    if expected > max(1, 2 * minutes):
        warnings.warn(
            f"This takes about {expected:.0f} minutes, not {minutes:g}: {passing:.2g} s a forward pass and image, "
            f"{making:.2g} s to spoil one, and fewer images than the smallest parts read would tell nothing. "
            "Stopped and called again, the run goes on.",
            MistrustWarning,
            stacklevel=2,
        )
    return chosen


def costs(passing: float, making: float) -> dict[str, float]:
    """Seconds an image that each part reads.

    Examples
    --------
    >>> costs(0.01, 0.0)["near"]
    1.2
    """
    return {name: passing * share + making * MADE.get(name, 0) for name, share in SHARES.items()}


def planned(passing: float, minutes: float, making: float = 0.0) -> Sizes:
    """Sizes for a model that takes so many seconds an image, where to spoil one takes so many.

    Examples
    --------
    >>> planned(1e-5, 5).perturbed
    400
    >>> planned(1e-5, 5, making=0.05).perturbed  # large pictures
    80
    """
    whole = sum(WHOLE[name] * cost for name, cost in costs(passing, making).items())
    share = min(1.0, 0.7 * 60 * minutes / whole)
    return Sizes(**{name: max(LEAST[name], int(share * WHOLE[name])) for name in WHOLE})
