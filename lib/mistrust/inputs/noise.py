"""Perturbations of the sensor: normal, impulse and shot noise."""

from math import exp

from torch import Tensor

from mistrust.inputs.draws import Draws
from mistrust.inputs.limits import within

# The paper's noise adds one step of its scale of [-1, 1] to a pixel: black becomes mid-grey, mid-grey white.
_STEP = 0.5


def gaussian_noise(images: Tensor, draws: Draws, *, mean: float, sigma: float) -> Tensor:
    """Add normal noise of this mean and standard deviation to every pixel of every channel, clipped."""
    about = within("gaussian_noise: mean", mean, -1, 1)
    deviation = within("gaussian_noise: sigma", sigma, 0)
    noise = draws.normal(tuple(images.shape[1:])).to(images)
    return noise.mul_(deviation).add_(about).add_(images).clamp_(0, 1)


def impulse_noise(images: Tensor, draws: Draws, *, share: float, step: float = _STEP) -> Tensor:
    """Add `step` at exactly int(pixels * share) pixels, all channels of each, clipped: salt, no pepper."""
    height, width = images.shape[2:]
    count = int(height * width * within("impulse_noise: share", share, 0, 1))
    if count == 0:
        return images
    here = draws.chosen(count, (1, height, width)).to(images)
    return here.mul_(within("impulse_noise: step", step, 0, 1)).add(images).clamp_(0, 1)


def impulses(images: Tensor, draws: Draws, *, amount: float, most: float) -> Tensor:
    """Impulse noise that anything gives way to: `amount` is the share of pixels up to `most`; what is above goes into
    their step. With all pixels salted the paper's noise would be mere brightness, which many networks stand.
    """
    total = within("impulse_noise: amount", amount, 0, most + 1 - _STEP)
    return impulse_noise(images, draws, share=min(total, most), step=_STEP + max(total - most, 0))


def shot_noise(images: Tensor, draws: Draws, *, rate: float) -> Tensor:
    """Add half of the scale times a Poisson count of this rate to every pixel of every channel, clipped.

    The counts do not depend on the image. Two already make any pixel white, so one uniform number against the
    probabilities of 0 and of at most 1 draws all that can be seen.
    """
    rate = within("shot_noise: rate", rate, 0)
    if rate == 0:
        return images
    chance = draws.uniform(tuple(images.shape[1:])).to(images)
    none, one = exp(-rate), exp(-rate) * (1 + rate)  # P(count <= 0), P(count <= 1)
    counts = (chance >= none).to(images).add_((chance >= one).to(images))
    return counts.mul_(_STEP).add_(images).clamp_(0, 1)
