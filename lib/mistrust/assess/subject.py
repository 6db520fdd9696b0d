"""`Subject`: a model under assessment, its images, and what can be asked of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from mistrust import random
from mistrust.assess.abilities import Abilities
from mistrust.assess.kept import Kept, Tensors
from mistrust.assess.plan import Sizes
from mistrust.assess.shares import in_shares
from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.networks import Classifier, Record, observe
from mistrust.robustness.checks import forward

BLOCK = 64  # images in one pass: somebody's model may be large


@dataclass(frozen=True, eq=False)
class Subject:
    """What all parts of a report read.

    Attributes
    ----------
    classifier : wrapped.
    images : labelled ones it was not trained on.
    names : what each image is called.
    train : training images; None where there are none.
    abilities : what can be asked of the model.
    sizes : how many images each part reads.
    seed : of all draws.
    budget : images on the list to label.
    kept : gives pieces from the store.
    given : records by name ("images", "train"), where outputs were handed over in place of a model.
    """

    classifier: Classifier
    images: ImageSet
    names: tuple[str, ...]
    train: ImageSet | None
    abilities: Abilities
    sizes: Sizes
    seed: int
    budget: int
    kept: Kept
    given: Mapping[str, Record]

    @property
    def classes(self) -> tuple[str, ...]:
        """Class names in the order of the outputs."""
        return self.classifier.classes

    @property
    def shown(self) -> bool:
        """Whether there are pixels to show."""
        return not self.given

    @cached_property
    def logits(self) -> Tensor:
        """Logits of all images (n, k), from the store."""
        return self.logits_of("accuracy", "clean", self.images)["logits"]

    @property
    def predicted(self) -> Tensor:
        """Predicted classes (n,)."""
        return self.logits.argmax(1)

    @property
    def correct(self) -> Tensor:
        """Whether each prediction is the label (n,)."""
        return self.predicted == self.images.labels

    @property
    def probabilities(self) -> Tensor:
        """Softmax of the logits, float64 (n, k)."""
        return self.logits.double().softmax(1)

    def logits_of(self, part: str, piece: str, images: ImageSet, **more: Any) -> Tensors:
        """Logits of a set, made once."""
        if self.given:
            return {"logits": self.given["images"].logits}
        return self.kept(part, piece, lambda: {"logits": self.passed(images)}, **more)

    @torch.inference_mode()
    def passed(self, images: ImageSet) -> Tensor:
        """Logits (n, k) float32 of one forward pass.

        Raises
        ------
        MistrustError
            NaN or infinite outputs.
        """
        parts = []
        for some in images.images.split(BLOCK):
            floats = some.float().div(255) if some.dtype == torch.uint8 else some
            parts.append(forward(self.classifier, floats.to(self.classifier.device)).cpu().float())
        logits = torch.cat(parts)
        if not bool(torch.isfinite(logits).all()):
            broken = int((~torch.isfinite(logits)).any(1).sum())
            raise MistrustError(f"The model gives NaN or infinite outputs for {broken} of {len(images)} images.")
        return logits

    def observed(self, images: ImageSet, layers: Sequence[str] = (), samples: int = 0) -> Record:
        """A record of these images."""
        return observe(self.classifier, images, layers=layers, samples=samples, seed=self.seed, block=BLOCK)

    def some(self, count: int, name: str, among: Tensor | None = None) -> Tensor:
        """Positions of up to so many images, ascending, in the shares of their classes, but a few of each.

        Parameters
        ----------
        name : of the draw.
        among : (n,) which images may be drawn; None for all.
        """
        allowed = torch.arange(len(self.images)) if among is None else among.nonzero()[:, 0]
        order = random.permutation(self.seed, f"assess/{name}", len(allowed))
        return allowed[torch.from_numpy(in_shares(self.images.labels[allowed].numpy(), order.numpy(), count))]
