"""What a network says of clean and of perturbed images, kept in the store: the long part of every run."""

from collections.abc import Mapping

import torch
from torch import Tensor

from mistrust import random
from mistrust.data import ImageSet
from mistrust.inputs import PERTURBATIONS, perturb, perturbed
from mistrust.networks import Classifier, observe
from mistrust.store import made, maker


def smoke_images() -> ImageSet:
    """A few tiny images that the makers' smoke outputs are made from."""
    pixels = random.uniform(0, "smoke", torch.arange(240), (1, 4, 4))
    return ImageSet("smoke", pixels, torch.arange(240) % 3, torch.arange(240), ("a", "b", "c"))


def _smoke() -> dict[str, Tensor]:
    """Perturb as the chapter does; mean grey levels, since machines may differ by one level in a few pixels."""
    seen = {name: perturbed(smoke_images(), name, 4).images for name in PERTURBATIONS}
    return {name: images.to(torch.float64).mean().round() for name, images in seen.items()}


LOGITS = maker("logits", version=2, content="tensors", smoke=_smoke)


def setting(name: str, level: int) -> Mapping[str, float]:
    """Parameters of a perturbation at a level: what is kept under its name must change with them."""
    return PERTURBATIONS[name].levels[level - 1]


def outputs(
    classifier: Classifier, images: ImageSet, condition: str, level: int, seed: int, *, rounded: bool = True
) -> Tensor:
    """Logits (n, k) of a network for clean or perturbed images, from the store where they are made.

    Parameters
    ----------
    condition, level : "clean" and any level, or a perturbation and one of its levels.
    rounded : perturbed images are stored as grey levels, as in the paper's data set; else they stay floats, as where
        it measured accuracy.

    Examples
    --------
    A classifier whose logit of "bright" is the mean grey level, and a grey image, made brighter:

    >>> from mistrust.data import ImageSet
    >>> from mistrust.networks import wrap
    >>> network = wrap(lambda x: x.mean((1, 2, 3))[:, None] * torch.tensor([-1.0, 1.0]), ("dark", "bright"), key="grey")
    >>> pixels, one = torch.full((1, 1, 8, 8), 51, dtype=torch.uint8), torch.tensor([1])
    >>> grey = ImageSet("grey", pixels, labels=one, ids=one, classes=network.classes)
    >>> for condition, level in (("clean", 0), ("brightness", 1), ("brightness", 10)):
    ...     condition, level, round(outputs(network, grey, condition, level, seed=0)[0, 1].item(), 2)
    ('clean', 0, 0.2)
    ('brightness', 1, 0.25)
    ('brightness', 10, 0.7)
    """
    spec = {
        "network": classifier.key,
        "data": {"name": images.name, "checksum": images.checksum},
        "condition": condition,
        "setting": {} if condition == "clean" else dict(setting(condition, level)),
        "rounded": rounded,
        "seed": seed,
    }

    def make(_: object) -> dict[str, Tensor]:
        if condition == "clean":
            seen = images
        elif rounded:
            seen = perturbed(images, condition, level, seed=seed)
        else:
            seen = images.with_images(perturb(images.floats(), condition, level, ids=images.ids, seed=seed))
        return {"logits": observe(classifier, seen).logits}

    return made(LOGITS, spec, make)["logits"]
