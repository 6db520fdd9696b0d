"""How much of everything fits into the time given: measured once for a model, then kept, so that a run can go on."""

import time
from dataclasses import dataclass

import torch

from mistrust.assess.kept import Kept
from mistrust.data import ImageSet
from mistrust.networks import Classifier

MEASURED = 64  # images of the passes that are timed
LEVELS = (1, 4, 7, 10)  # of the perturbations' ten
STEP, CAP, SEEDS = 5.0, 255.0, (0, 1)  # of the breaking noise, in grey levels
# What a whole report costs in forward passes an image: estimates, which decide nothing but how many images are taken.
SHARES = {"perturbed": 12 * len(LEVELS), "scored": 24, "noisy": len(SEEDS) * 30, "targeted": 9 * 40 * 3, "near": 120}
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

    The model's time for an image is measured once and kept with the parts: a run that was stopped goes on with the same
    sizes. `minutes` is a plan and no promise: supervisors cost time of their own.
    """

    def measure() -> dict[str, torch.Tensor]:
        some = images.take(slice(0, MEASURED)).images
        with torch.inference_mode():
            classifier(some)  # warm
            begun = time.perf_counter()
            classifier(some)
        return {"seconds": torch.tensor((time.perf_counter() - begun) / len(some), dtype=torch.float64)}

    seconds = float(kept("plan", "seconds an image", measure)["seconds"])
    return planned(seconds, minutes)


def planned(seconds: float, minutes: float) -> Sizes:
    """Sizes for a model that takes so many seconds an image.

    Examples
    --------
    >>> planned(1e-5, 5).perturbed
    400
    """
    whole = seconds * sum(SHARES[name] * WHOLE[name] for name in SHARES)
    share = min(1.0, 0.7 * 60 * minutes / whole)
    return Sizes(**{name: max(LEAST[name], int(share * WHOLE[name])) for name in WHOLE})
