"""The fault templates of the benchmark: fifteen corruptions of CIFAR-10-C, three anomalies, rotation, and FGSM.

Names in `CORRUPTIONS` begin with "cifar10c/" or "farm/" (the paper's method: faults, activities, readouts, measures).
"""

from mistrust.inputs.corruptions import noise as mnist_noise
from mistrust.inputs.corruptions import pointwise
from mistrust.inputs.faults import adversarial, anomalies, blurs, colour, noise, spatter, warps, weather
from mistrust.inputs.faults.fault import FAULTS, Fault
from mistrust.inputs.perturbations import CORRUPTIONS, Corruption, levels

_CIFAR_10_C = "Hendrycks and Dietterich, ICLR 2019, CIFAR-10-C; constants from the authors' code"
_FARM = "Ferreira and others, PRDC 2021, section II-B; constants from the authors' code"


# Their `severity`, that of a published set made at one level, is the strongest: CIFAR-10-C holds all five.
_CORRUPTIONS = {
    "cifar10c/gaussian_noise": Corruption(
        "Gaussian noise", _CIFAR_10_C, noise.gaussian_noise, levels(sigma=(0.04, 0.06, 0.08, 0.09, 0.1)),
        random=True, severity=5,
    ),
    "cifar10c/shot_noise": Corruption(
        "Shot noise", _CIFAR_10_C, noise.shot_noise, levels(photons=(500, 250, 100, 75, 50)), random=True, severity=5
    ),
    "cifar10c/impulse_noise": Corruption(
        "Impulse noise", _CIFAR_10_C, mnist_noise.impulse_noise, levels(share=(0.01, 0.02, 0.03, 0.05, 0.07)),
        random=True, uint8=True, severity=5,
    ),
    "cifar10c/speckle_noise": Corruption(
        "Speckle noise", _CIFAR_10_C, noise.speckle_noise, levels(sigma=(0.06, 0.1, 0.12, 0.16, 0.2)),
        random=True, severity=5,
    ),
    "cifar10c/gaussian_blur": Corruption(
        "Gaussian blur", _CIFAR_10_C, blurs.gaussian_blur, levels(sigma=(0.4, 0.6, 0.7, 0.8, 1)), severity=5
    ),
    "cifar10c/defocus_blur": Corruption(
        "Defocus blur", _CIFAR_10_C, blurs.defocus_blur,
        levels(radius=(0.3, 0.4, 0.5, 1, 1.5), alias=(0.4, 0.5, 0.6, 0.2, 0.1)), severity=5,
    ),
    "cifar10c/glass_blur": Corruption(
        "Glass blur", _CIFAR_10_C, blurs.glass_blur,
        levels(sigma=(0.05, 0.25, 0.4, 0.25, 0.4), reach=(1,) * 5, rounds=(1, 1, 1, 2, 2), copies=(1,) * 5),
        random=True, severity=5,
    ),
    "cifar10c/zoom_blur": Corruption(
        "Zoom blur", _CIFAR_10_C, blurs.zoom_blur, levels(end=(1.06, 1.11, 1.16, 1.21, 1.26)), severity=5
    ),
    "cifar10c/elastic_transform": Corruption(
        "Elastic transform", _CIFAR_10_C, warps.elastic_transform,
        levels(
            alpha=(0, 0.05, 0.08, 0.1, 0.1), sigma=(0, 0.2, 0.06, 0.04, 0.03), affine=(0.08, 0.07, 0.06, 0.05, 0.03)
        ),
        random=True, severity=5,
    ),
    "cifar10c/spatter": Corruption(
        "Spatter", _CIFAR_10_C, spatter.spatter,
        levels(
            mean=(0.62, 0.65, 0.65, 0.65, 0.65), deviation=(0.1, 0.1, 0.3, 0.1, 0.1), blur=(0.7, 0.8, 1, 0.7, 0.5),
            threshold=(0.7, 0.7, 0.69, 0.69, 0.68), mix=(0.5, 0.5, 0.5, 0.6, 0.6), mud=(0, 0, 0, 1, 1), scale=(1,) * 5,
        ),
        random=True, severity=5,
    ),
    "cifar10c/snow": Corruption(
        "Snow", _CIFAR_10_C, weather.snow,
        levels(
            mean=(0.1, 0.1, 0.15, 0.25, 0.3), deviation=(0.2, 0.2, 0.3, 0.3, 0.3), zoom=(1, 1, 1.75, 2.25, 1.25),
            threshold=(0.6, 0.5, 0.55, 0.6, 0.65), radius=(8, 10, 10, 12, 14), sigma=(3, 4, 4, 6, 12),
            keep=(0.95, 0.9, 0.9, 0.85, 0.8), scale=(1,) * 5,
        ),
        random=True, severity=5,
    ),
    "cifar10c/fog": Corruption(
        "Fog", _CIFAR_10_C, weather.fog, levels(amount=(0.2, 0.5, 0.75, 1, 1.5), decay=(3, 3, 2.5, 2, 1.75)),
        random=True, severity=5,
    ),
    "cifar10c/brightness": Corruption(
        "Brightness", _CIFAR_10_C, colour.brightness, levels(shift=(0.05, 0.1, 0.15, 0.2, 0.3)), severity=5
    ),
    "cifar10c/contrast": Corruption(
        "Contrast", _CIFAR_10_C, pointwise.contrast, levels(factor=(0.75, 0.5, 0.4, 0.3, 0.15)), severity=5
    ),
    "cifar10c/saturate": Corruption(
        "Saturation", _CIFAR_10_C, colour.saturate, levels(factor=(0.3, 0.1, 1.5, 2, 2.5), shift=(0, 0, 0, 0.1, 0.2)),
        severity=5,
    ),
    "farm/pixel_trap": Corruption(
        "Pixel trap", _FARM, anomalies.pixel_trap, levels(rows=(3, 5, 10)), random=True, uint8=True, severity=3
    ),
    "farm/row_add_logic": Corruption(
        "Row add logic", _FARM, anomalies.row_add_logic, levels(rows=(3, 5, 10)), uint8=True, severity=3
    ),
    "farm/shifted_pixel": Corruption(
        "Shifted pixel", _FARM, anomalies.shifted_pixel, levels(below=(3, 5, 10)), random=True, uint8=True, severity=3
    ),
    "farm/rotated": Corruption(
        "Rotation", _FARM, warps.rotated, levels(angle=(-45, -22.5, 22.5, 45), background=(0,) * 4), severity=4
    ),
}  # fmt: skip

for _name, _entry in _CORRUPTIONS.items():
    CORRUPTIONS.add(_name, _entry)

# Those of the benchmark in the order of the paper's tables.
for _name in ("snow", "fog", "brightness", "contrast", "saturate"):
    _published = {"scale": 255} if _name == "snow" else {}
    FAULTS.add(
        _name, Fault("shift", f"cifar10c/{_name}", (2, 5), published=_published, colour=_name == "saturate")
    )  # fmt: skip
FAULTS.add("rotated", Fault("shift", "farm/rotated", copies=True, published={"background": -0.5}))
for _name in (
    "gaussian_noise", "impulse_noise", "shot_noise", "spatter", "speckle_noise", "defocus_blur", "elastic_transform",
    "glass_blur", "zoom_blur", "gaussian_blur",
):  # fmt: skip
    FAULTS.add(
        _name, Fault("noise", f"cifar10c/{_name}", (2, 5), published={"scale": 255} if _name == "spatter" else {})
    )  # fmt: skip
for _name in ("pixel_trap", "row_add_logic", "shifted_pixel"):
    FAULTS.add(_name, Fault("anomaly", f"farm/{_name}", (1, 3)))
FAULTS.add(
    "fgsm",
    Fault(
        "adversarial",
        attack=adversarial.fast_gradient_sign,
        attack_as_published=adversarial.fast_gradient_sign_as_coded,
        title="FGSM",
        source="Goodfellow and others, ICLR 2015 (arXiv 1412.6572), section 4; epsilon 0.05 from the authors' code",
    ),
)
