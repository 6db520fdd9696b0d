"""Trials: images under a noise seed each, ready to be asked whether noise of some sigma changes the label."""

import torch
from jaxtyping import Bool, Float64, Int
from torch import Tensor

from mistrust.data import ImageSet
from mistrust.networks import Classifier
from mistrust.networks.checks import check_finite
from mistrust.robustness.checks import forward, pixels_of
from mistrust.robustness.noise import Variant, effective, noisy
from mistrust.robustness.searching import Look


class Trials:
    """Holds the pixels of t trials, and their noise where it is fixed.

    Parameters
    ----------
    classifier : in evaluation mode.
    images : all of them classified correctly by the classifier.
    rows : (t,) each trial's image; one occurs once for each of its seeds.
    seeds : (t,) of the noise.
    variant : how noise is drawn, and whether it is clipped.
    """

    def __init__(
        self,
        classifier: Classifier,
        images: ImageSet,
        rows: Int[Tensor, " t"],
        seeds: Int[Tensor, " t"],
        variant: Variant,
    ) -> None:
        self._classifier, self._variant, self._seeds = classifier, variant, seeds
        some, back = rows.unique(return_inverse=True)
        held = images.take(some)
        self._ids, self._labels = held.ids[back], held.labels[back]
        pixels = pixels_of(classifier, held)
        self._pixels = pixels[back.to(pixels.device)]
        everything = torch.arange(len(rows))
        self._z = None if variant.fresh else self._draw(everything, torch.zeros(len(rows), dtype=torch.float64))

    @torch.no_grad()
    def look(self, trials: Int[Tensor, " r"], sigmas: Float64[Tensor, " r"]) -> tuple[Bool[Tensor, " r"], Tensor]:
        """Whether noise of sigma grey levels changes the label, (r,), and the logits (r, k), on the CPU."""
        logits = forward(self._classifier, self._changed(trials, sigmas)).cpu()
        check_finite(logits, self._classifier)
        return logits.argmax(1) != self._labels[trials], logits

    def at(self, step: float) -> Look:
        """The same, asked with numbers of steps in place of sigmas."""
        return lambda trials, numbers: self.look(trials, numbers.double() * step)

    def effective(self, sigmas: Float64[Tensor, " t"]) -> Float64[Tensor, " t"]:
        """Standard deviation of what happens to the pixels of every trial at its sigma, in grey levels."""
        return effective(self._pixels.cpu(), self._changed(torch.arange(len(sigmas)), sigmas).cpu())

    def _changed(self, trials: Tensor, sigmas: Tensor) -> Tensor:
        there = trials.to(self._pixels.device)
        z = self._draw(trials, sigmas) if self._z is None else self._z[there]
        return noisy(self._pixels[there], z, sigmas, clipped=self._variant.clipped)

    def _draw(self, trials: Tensor, sigmas: Tensor) -> Tensor:
        z = self._variant.draw(self._seeds[trials], self._ids[trials], sigmas, tuple(self._pixels.shape[1:]))
        return z.to(self._pixels)
