"""What the functions of this folder ask of a classifier and its images, and how they say what was wrong."""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import index
from typing import SupportsFloat

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.inputs.limits import number, within
from mistrust.networks import Classifier
from mistrust.networks.checks import check_block, check_evaluated, check_finite, check_pair
from mistrust.networks.classifier import failures_named


@dataclass(frozen=True, eq=False)
class Start:
    """Where a search starts: the images that the classifier gets right, and which ones it does not.

    Attributes
    ----------
    classifier : whose predictions are to be changed.
    images : the m correctly classified ones, in the order given.
    logits : (m, k) of them, on the CPU, in the numbers of the network.
    misclassified : (n - m,) ids of the images that were kept apart.
    """

    classifier: Classifier
    images: ImageSet
    logits: Float[Tensor, "m k"]
    misclassified: Int[Tensor, " o"]

    @property
    def pixels(self) -> Float[Tensor, "m c h w"]:
        """All m images as the network takes them: see `pixels_of`, which a search calls for some at a time."""
        return pixels_of(self.classifier, self.images)


@torch.no_grad()
def starting_points(classifier: Classifier, images: ImageSet, block: int = 512) -> Start:
    """Check classifier and images, and keep apart the images that are misclassified before anything is done to them.

    "Each input data of the validation set that was correctly classified" (UREM, section 3.1).

    Raises
    ------
    MistrustError
        Images that are no `ImageSet` (which refuses pixels outside [0, 1]) or have other classes; a network with
        dropout left on, or one whose answers differ from pass to pass; probabilities in place of logits; logits that
        are not finite; no image that is classified correctly.
    """
    check_block(block)
    check_pair(classifier, images)
    check_repeatable(classifier, images.take(slice(0, block)))
    parts = [images.take(slice(i, i + block)) for i in range(0, len(images), block)]
    # By the classifier's own call, which knows probabilities when it sees them.
    logits = [classifier(pixels_of(classifier, part)).cpu() for part in parts]
    for one in logits:
        check_finite(one, classifier)
    if not parts:
        raise MistrustError(f"'{images.name}' holds no image: there is no prediction to change.")
    right = torch.cat([one.argmax(1) for one in logits]) == images.labels
    if not bool(right.any()):
        raise MistrustError(
            f"Of {len(images)} images of '{images.name}', '{classifier.name}' classifies none correctly: there is no "
            "prediction to change. Train it longer, or check mean and std in wrap(...) and the order of the classes."
        )
    return Start(classifier, images.take(right), torch.cat(logits)[right], images.ids[~right])


def check_repeatable(classifier: Classifier, images: ImageSet) -> None:
    """Refuse a network that is in training mode, in part or whole, or whose answers differ from pass to pass.

    Raises
    ------
    MistrustError
        Names the part in training mode, or how far two passes over these images are apart; NaN or infinite logits.
    """
    check_evaluated(classifier)
    if not len(images):
        return
    pixels = pixels_of(classifier, images)
    first, second = forward(classifier, pixels), forward(classifier, pixels)
    check_finite(first, classifier)
    apart = float((first - second).abs().amax())
    # Dropout moves logits by far more, a GPU's order of summation by far less.
    if not apart <= 1e-3 * float(first.abs().amax()):
        raise MistrustError(
            f"Classifier '{classifier.name}' gives logits that differ by {apart:.3g} in two passes over the same "
            "images: what changes its label cannot be told from chance. Is dropout left on? Call module.eval(). "
            "Functional dropout needs training=self.training in the network's code."
        )


def forward(
    classifier: Classifier, pixels: Float[Tensor, "n c h w"], network: nn.Module | None = None
) -> Float[Tensor, "n k"]:
    """Logits of pixels that may lie outside [0, 1], as noise that is not clipped leaves them.

    A classifier's own call refuses such pixels, and takes a single row that happens to sum to 1 for probabilities.
    What `starting_points` has let through is passed on here without these two checks.

    Parameters
    ----------
    network : a copy of the classifier's own, in other numbers; None for its own.
    """
    with failures_named(classifier, pixels):
        outputs = (network or classifier.network)(classifier.scaled(pixels))
    if classifier.outputs == "probabilities":
        return outputs.clamp_min(torch.finfo(outputs.dtype).tiny).log()
    return outputs


def pixels_of(classifier: Classifier, images: ImageSet) -> Float[Tensor, "n c h w"]:
    """Images in [0, 1], in the numbers and on the device of a network."""
    return images.floats().to(classifier.device, numbers_of(classifier))


def numbers_of(classifier: Classifier) -> torch.dtype:
    """The floating-point type of a network's weights; float32 where there are none."""
    if isinstance(classifier.network, nn.Module):
        return next((p.dtype for p in classifier.network.parameters() if p.is_floating_point()), torch.float32)
    return torch.float32


def check_seeds(seeds: Sequence[int]) -> tuple[int, ...]:
    """Give the seeds as whole numbers; refuse none, and two alike."""
    try:
        found = tuple(index(seed) for seed in seeds)
    except TypeError:  # a single number, or one that is not whole
        raise MistrustError(f"seeds are {seeds!r}, expected whole numbers such as (0, 1, 2, 3).") from None
    if not found or len(set(found)) < len(found):
        raise MistrustError(
            f"seeds are {found}, expected at least one, and no two alike: the same noise would count twice. Try "
            "seeds=(0, 1, 2, 3)."
        )
    return found


def probability_of(what: str, value: SupportsFloat, low: float = 0.0) -> float:
    """Give a probability that lies below 1, which no finite logits reach, and from `low` on, or above 0.

    Raises
    ------
    MistrustError
        It lies elsewhere, or is no number.
    """
    found = number(what, value)
    if not low <= found < 1 or found == 0:
        raise MistrustError(f"{what} is {found:g}, expected a number in {f'[{low:g}' if low else '(0'}, 1).")
    return found


def steps(step: float, cap: float) -> Int[Tensor, " steps"]:
    """Numbers 1 to cap / step of the steps to be tried.

    Raises
    ------
    MistrustError
        A step that is not positive, or of which the cap is no whole multiple: what is censored is censored there.
    """
    size, last = within("step", step, 1e-6), within("cap", cap, 1e-6)
    count = round(last / size)
    if count < 1 or abs(count * size - last) > 1e-9 * last:
        near = max(1, count) * size
        raise MistrustError(f"cap is {last:g}, expected a whole multiple of step {size:g}, such as {near:g}.")
    return torch.arange(1, count + 1)
