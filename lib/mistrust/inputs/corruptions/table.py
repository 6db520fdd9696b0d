"""The fifteen corruptions of MNIST-C and the fifteen of Fashion-MNIST-C, in the order of their code.

`severity` is the level with which the published sets were made: the default of the code, whatever the README says.
"""

from dataclasses import replace

from mistrust.inputs import pointwise as shifts
from mistrust.inputs.corruptions import blurs, edges, noise, pointwise, strokes, warps, weather
from mistrust.inputs.perturbations import CORRUPTIONS, Corruption, levels

_MNIST_C = "Mu and Gilmer, MNIST-C; constants from the authors' code"
_FASHION = "Weiss and Tonella, Fashion-MNIST-C; constants from the authors' code"


_TENTHS = (0.2, 0.4, 0.6, 0.8, 1.0)
_ALL = {
    "shot_noise": Corruption(
        "Shot noise", "", noise.shot_noise, levels(photons=(60, 25, 12, 5, 3)), random=True, severity=5
    ),
    "impulse_noise": Corruption(
        "Impulse noise", "", noise.impulse_noise, levels(share=(0.03, 0.06, 0.09, 0.17, 0.27)),
        random=True, severity=4, uint8=True,
    ),
    "glass_blur": Corruption(
        "Glass blur", "", blurs.glass_blur,
        levels(sigma=(0.7, 0.9, 1, 1.1, 1.5), reach=(1, 2, 2, 3, 4), rounds=(2, 1, 3, 2, 2), isotropic=(0,) * 5),
        random=True, severity=1,
    ),
    "motion_blur": Corruption(
        "Motion blur", "", blurs.motion_blur, levels(radius=(10, 15, 15, 15, 20), sigma=(3, 5, 8, 12, 15)),
        random=True, severity=1,
    ),
    "shear": Corruption("Shear", "", warps.shear, levels(amount=_TENTHS), random=True, severity=2),
    "scale": Corruption("Scale", "", warps.scale, levels(factor=(0.9, 0.8, 0.7, 0.6, 0.5)), severity=3),
    "rotate": Corruption("Rotation", "", warps.rotate, levels(angle=_TENTHS), random=True, severity=2),
    "brightness": Corruption(
        "Brightness", "", shifts.brightness, levels(shift=(0.1, 0.2, 0.3, 0.4, 0.5)), severity=5
    ),
    "translate": Corruption(
        "Translation", "", warps.translate, levels(pixels=(1, 2, 3, 4, 5)), random=True, severity=3, uint8=True
    ),
    "stripe": Corruption("Stripe", "", pointwise.stripe, ({},), uint8=True),
    "fog": Corruption(
        "Fog", "", weather.fog, levels(amount=(1.5, 2, 2.5, 2.5, 3), decay=(2, 2, 1.7, 1.5, 1.4)),
        random=True, severity=5,
    ),
    "spatter": Corruption(
        "Spatter", "", weather.spatter,
        levels(
            mean=(0.65, 0.65, 0.65, 0.65, 0.67), deviation=(0.3, 0.3, 0.3, 0.3, 0.4), blur=(4, 3, 2, 1, 1),
            threshold=(0.69, 0.68, 0.68, 0.65, 0.65), edge=(0.6, 0.6, 0.5, 1.5, 1.5),
        ),
        random=True, severity=4,
    ),
    "dotted_line": Corruption("Dotted line", "", strokes.dotted_line, ({},), random=True),
    "zigzag": Corruption("Zigzag", "", strokes.zigzag, ({},), random=True),
    "canny_edges": Corruption("Canny edges", "", edges.canny_edges, ({},)),
    "contrast": Corruption(
        "Contrast", "", pointwise.contrast, levels(factor=(0.4, 0.3, 0.2, 0.1, 0.05)), severity=4
    ),
    "saturate": Corruption(
        "Saturation", "", pointwise.saturate, levels(factor=(0.3, 0.1, 2, 5, 20), shift=(0, 0, 0, 0.1, 0.2)),
        severity=5,
    ),
    "inverse": Corruption("Inverse", "", pointwise.inverse, ({},), uint8=True),
    "flip_left_right": Corruption("Mirrored left to right", "", pointwise.flip_left_right, ({},), uint8=True),
    "flip_up_down": Corruption("Upside down", "", pointwise.flip_up_down, ({},), uint8=True),
    "turn_right": Corruption("Turned right", "", pointwise.turn_right, ({},), uint8=True),
    "turn_left": Corruption("Turned left", "", pointwise.turn_left, ({},), uint8=True),
}  # fmt: skip

_BOTH = ("shot_noise", "impulse_noise", "glass_blur", "motion_blur", "shear", "scale", "rotate", "brightness")


def _family(prefix: str, source: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Enter the corruptions of one set, and give their names in its order."""
    for name in names:
        CORRUPTIONS.add(f"{prefix}/{name}", replace(_ALL[name], source=source))
    return tuple(f"{prefix}/{name}" for name in names)


MNIST_C = _family(
    "mnistc", _MNIST_C,
    (*_BOTH, "translate", "stripe", "fog", "spatter", "dotted_line", "zigzag", "canny_edges"),
)  # fmt: skip
FASHION_MNIST_C = _family(
    "fmnistc", _FASHION,
    (*_BOTH, "contrast", "saturate", "inverse", "flip_left_right", "flip_up_down", "turn_right", "turn_left"),
)  # fmt: skip
