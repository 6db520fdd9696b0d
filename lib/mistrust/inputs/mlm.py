"""The twelve perturbations of the MLM paper, at the ten levels of the authors' table, in the paper's order.

The paper perturbs images scaled to [-1, 1]; a step there is half a step in [0, 1]. Levels written with a division by
two are the authors' numbers. What the functions compute equals the authors' code (OpenCV, numpy) carried over, before
it was rounded to grey levels.

The continuous forms serve calibration: whole sizes become real ones where the filter allows it (centred windows), and
otherwise a blend with the strongest level. Impulses or snow at every pixel would be mere brightness, which some
networks stand; beyond their strongest level it is the step that grows.
"""

import numpy as np

from mistrust.inputs import blurs, noise, pointwise, weather
from mistrust.inputs.perturbations import PERTURBATIONS, Continuous, Perturbation, levels

_SOURCE = "Sikar et al., section 3.2; levels from the authors' code"
GRID = 21


def _even(low: float, high: float, points: int = GRID) -> tuple[float, ...]:
    return tuple(float(v) for v in np.linspace(low, high, points).round(6))


PERTURBATIONS.add(
    "brightness",
    Perturbation(
        "Brightness", _SOURCE, pointwise.brightness,
        levels(shift=tuple(b / 2 for b in (0.1, 0.55, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0))),
        continuous=Continuous("shift", _even(0, 1), pointwise.brightness),
    ),
)  # fmt: skip
PERTURBATIONS.add(
    "contrast",
    Perturbation(
        "Contrast", _SOURCE, pointwise.contrast,
        levels(factor=tuple(1 + c for c in (3, 2.1, 1.7, 1.4, 1, 0.2, -0.2, -0.4, -0.5, -0.6))),
        continuous=Continuous("inverse", tuple(np.geomspace(0.15, 80, GRID).round(6).tolist()), pointwise.flattened),
    ),
)  # fmt: skip
PERTURBATIONS.add(
    "defocus_blur",
    Perturbation(
        "Defocus blur", _SOURCE, blurs.defocus_blur,
        levels(size=(3, 7, 7, 6, 6, 6, 6, 7, 7, 8), amount=(0.1, 0.6, 0.7, 0.8, 1.5, 0.9, 1, 1.2, 1, 1.2)),
        continuous=Continuous("length", _even(1, 13), blurs.centred_blur),
    ),
)  # fmt: skip
PERTURBATIONS.add(
    "fog",
    Perturbation(
        "Fog", _SOURCE, weather.fog,
        levels(density=(0.1, 0.43, 0.45, 0.48, 0.5, 0.52, 0.54, 0.56, 0.58, 0.6)),
        continuous=Continuous("density", _even(0, 1), weather.fog),
        random=True,
    ),
)  # fmt: skip
PERTURBATIONS.add(
    "frost",
    Perturbation(
        "Frost", _SOURCE, weather.frost,
        levels(strength=(6, 8, 10, 11, 12, 13, 14, 16, 17, 18)),
        continuous=Continuous("strength", _even(0, 40), weather.frost),
        random=True,
    ),
)  # fmt: skip
PERTURBATIONS.add(
    "gaussian_noise",
    Perturbation(
        "Gaussian noise", _SOURCE, noise.gaussian_noise,
        levels(
            mean=tuple(mu / 2 for mu in (0.05, 0.45, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.835, 0.87)),
            sigma=(0.125,) * 10,
        ),
        continuous=Continuous("mean", _even(0, 0.8), noise.gaussian_noise, {"sigma": 0.125}),
        random=True,
    ),
)  # fmt: skip
PERTURBATIONS.add(
    "impulse_noise",
    Perturbation(
        "Impulse noise", _SOURCE, noise.impulse_noise,
        levels(share=(0.25, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75)),
        continuous=Continuous("amount", _even(0, 1.25), noise.impulses, {"most": 0.75}),
        random=True,
    ),
)  # fmt: skip
PERTURBATIONS.add(
    "motion_blur",
    Perturbation(
        "Motion blur", _SOURCE, blurs.motion_blur,
        levels(size=tuple(range(1, 11))),
        continuous=Continuous("length", _even(1, 21), blurs.centred_motion),
    ),
)  # fmt: skip
PERTURBATIONS.add(
    "pixelation",
    Perturbation(
        "Pixelation", _SOURCE, blurs.pixelation,
        levels(factor=(0.7, 2, 2.5, 3, 3.5, 3.55, 3.75, 4.25, 4.7, 5.7)),
        continuous=Continuous("share", _even(0, 1), blurs.pixelation_share, {"factor": 5.7}),
    ),
)  # fmt: skip
PERTURBATIONS.add(
    "shot_noise",
    Perturbation(
        "Shot noise", _SOURCE, noise.shot_noise,
        levels(rate=(0.1, 0.2, 0.25, 0.3, 0.35, 0.4, 0.42, 0.46, 0.5, 0.57)),
        continuous=Continuous("rate", _even(0, 1.2), noise.shot_noise),
        random=True,
    ),
)  # fmt: skip
PERTURBATIONS.add(
    "snow",
    Perturbation(
        "Snow", _SOURCE, weather.snow,
        levels(share=(0.81, 0.84, 0.86, 0.88, 0.9, 0.91, 0.93, 0.94, 0.95, 0.99), size=(5,) + (3,) * 9),
        # A pixel stays with the ninth power of the share: below 0.6 hardly any.
        continuous=Continuous(
            "amount", (0.0, *_even(0.6, 0.99, 14), *_even(1.05, 1.49, 6)), weather.snowfall, {"most": 0.99, "size": 3}
        ),
        random=True,
    ),
)  # fmt: skip
PERTURBATIONS.add(
    "zoom_blur",
    Perturbation(
        "Zoom blur", _SOURCE, blurs.zoom_blur,
        levels(size=(1, 2, 3, 4, 5, 5, 6, 6, 7, 8)),
        continuous=Continuous("share", _even(0, 1), blurs.zoom_blur_share, {"size": 8}),
    ),
)  # fmt: skip
