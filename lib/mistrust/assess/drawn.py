"""The pictures of a report, in the house's style."""

import numpy as np

from mistrust.figures.style import PALETTE, Picture, figure, picture, style
from mistrust.robustness.censored import Survival
from mistrust.search.reliability import Reliability


def reliability_picture(found: Reliability, n: int) -> Picture:
    """Accuracy against confidence in bins, with exact intervals, and how many images each bin holds."""
    held = found.n > 0
    mean, right = found.confidence[held], found.accuracy[held]
    bars = np.clip(np.stack([right - found.low[held], found.high[held] - right]), 0, None)
    with style():
        drawn = figure(4.6)
        above, beneath = drawn.subplots(2, 1, sharex=True, height_ratios=(3, 1))
        above.plot([0, 1], [0, 1], color="#555555", ls="--", label="as often correct as it is sure")
        above.errorbar(mean, right, yerr=bars, fmt="o", color=PALETTE[0], capsize=3, label="images, 95% interval")
        above.set(ylabel="accuracy", ylim=(-0.03, 1.05))
        drawn.legend(loc="outside upper left", frameon=False)
        width = np.diff(found.edges)
        beneath.bar(found.edges[:-1] + width / 2, found.n, 0.9 * width, color=PALETTE[0])
        beneath.set(xlabel="confidence", ylabel="images", xlim=(0, 1.02))
        last = held.nonzero()[0][-1]
        alt = (
            f"Reliability diagram of {n} images in {int(held.sum())} bins of confidence; in the surest bin, of mean "
            f"confidence {found.confidence[last]:.2f}, the accuracy is {found.accuracy[last]:.2f} of "
            f"{found.n[last]}."
        )
        return picture(drawn, alt, "Accuracy by confidence, and how many images each bin holds.", "reliability")


def survival_picture(found: Survival, cap: float, images: int) -> Picture:
    """Share of correct answers that survive noise, against its standard deviation."""
    sigma = np.concatenate([[0.0], found.sigma, [cap]])
    left = np.concatenate([[1.0], found.surviving, [found.surviving[-1] if len(found.surviving) else 1.0]])
    half = sigma[left <= 0.5]
    with style():
        drawn = figure(3.2)
        axes = drawn.add_subplot()
        axes.step(sigma, 100 * left, where="post", color=PALETTE[0], lw=2.5)
        axes.axhline(50, color="#555555", ls="--", lw=1)
        axes.set(xlabel="noise (standard deviation in grey levels)", ylabel="answers unchanged (%)")
        axes.set(
            xlim=(0, max(20.0, float(min(cap, 1.15 * (found.sigma.max() if len(found.sigma) else cap))))), ylim=(0, 104)
        )
        told = f"half have changed at {half[0]:.0f}" if len(half) else f"more than half hold at {cap:.0f}"
        alt = f"Falling curve: correct answers on {images} images that noise leaves unchanged; {told} grey levels."
        return picture(drawn, alt, "Answers that noise of this strength has not changed (Kaplan and Meier).", "noise")
