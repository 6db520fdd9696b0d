"""What is asked of a classifier, its images and the numbers that go with them, and how that is said."""

from operator import index
from typing import Any

import torch
from torch import Tensor, nn

from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.networks.classifier import Classifier


def check_classifier(classifier: Classifier) -> None:
    """Refuse what is no `Classifier`, such as a network that was not wrapped."""
    if not isinstance(classifier, Classifier):
        raise MistrustError(
            f"The classifier is a {type(classifier).__name__}, expected a Classifier: mistrust.networks.wrap(module, "
            "classes=...) makes one."
        )


def check_module(network: object) -> None:
    """Refuse what is no torch module, such as a classifier around one."""
    if not isinstance(network, nn.Module):
        way_out = " Take what it wraps: classifier.module." * isinstance(network, Classifier)
        raise MistrustError(f"The network is a {type(network).__name__}, expected a torch module.{way_out}")


def check_set(images: object) -> None:
    """Refuse images that are no `ImageSet`."""
    if not isinstance(images, ImageSet):
        plain = " Of a tensor alone classifier(images) gives the logits." * isinstance(images, Tensor)
        raise MistrustError(
            f"Images are a {type(images).__name__}, expected an ImageSet, whose ids key all that is drawn: "
            f"mistrust.data.load, or ImageSet(name, images, labels, torch.arange(n), classes).{plain}"
        )


def check_pair(classifier: Classifier, images: ImageSet) -> None:
    """Refuse what is no `Classifier`, images that are no `ImageSet`, or one of other classes."""
    check_classifier(classifier)
    check_set(images)
    if classifier.classes != images.classes:
        raise MistrustError(
            f"Classifier '{classifier.name}' knows the classes {classifier.classes}, the images of '{images.name}' "
            f"have {images.classes}. Map labels first, or wrap the classifier with the images' class names."
        )


def check_evaluated(classifier: Classifier) -> None:
    """Refuse a network that is in training mode, in part or whole, and name that part; a plain callable has no mode."""
    if not isinstance(classifier.network, nn.Module):
        return
    training = [name or "the whole network" for name, m in classifier.network.named_modules() if m.training]
    if training:
        told = ", ".join(training[:3]) + (f" and {len(training) - 3} more" if len(training) > 3 else "")
        raise MistrustError(
            f"Classifier '{classifier.name}' is in training mode ({told}), so that dropout and batch statistics "
            "change its answers. Call classifier.module.eval() before."
        )


def check_finite(logits: Tensor, classifier: Classifier) -> None:
    """Refuse NaN and infinite logits."""
    if not bool(torch.isfinite(logits).all()):
        raise MistrustError(
            f"Classifier '{classifier.name}' gave NaN or infinite outputs. Check its weights and its mean and std."
        )


def check_rows(output: object, layer: str, classifier: Classifier, images: int) -> None:
    """Refuse what a layer gives where it is no tensor with one row per image."""
    if not isinstance(output, Tensor) or output.ndim < 1 or len(output) != images:
        given = f"shape {tuple(output.shape)}" if isinstance(output, Tensor) else f"a {type(output).__name__}"
        raise MistrustError(
            f"Layer '{layer}' of '{classifier.name}' gives {given} for {images} images, expected a tensor with one row "
            "per image. Take a layer around it."
        )


def check_block(block: int) -> None:
    """Refuse a block of no images, or of no whole number of them."""
    if not is_whole(block, 1):
        raise MistrustError(f"block is {block!r}, expected the number of images in one forward pass, at least 1.")


def is_whole(value: Any, low: int) -> bool:
    """Tell whether this is a whole number of at least `low`."""
    try:
        return not isinstance(value, bool) and index(value) >= low
    except TypeError:  # of a class or several numbers, too, which only look as if they had an index
        return False
