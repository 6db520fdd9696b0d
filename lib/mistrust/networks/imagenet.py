"""torchvision's networks for ImageNet as classifiers, at their own sizes, with weights from a file.

The four networks of the paper on robustness (UREM, section 3.2). Their weights are published with torchvision and are
not part of this project: they are read from a file, or from where torchvision keeps what it downloaded.
`mistrust.networks` does not import this module, since importing torchvision takes longer than all the rest.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from pickle import UnpicklingError

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional
from torchvision import models

from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.networks.architectures import initialise
from mistrust.networks.classifier import Classifier, wrap
from mistrust.networks.weights_files import WEIGHTS_FILES, weights_file
from mistrust.registry import Registry

CLASSES = 1000
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
RANDOM = "random"


@dataclass(frozen=True)
class ImageNetNetwork:
    """One network of torchvision.

    Attributes
    ----------
    title, source : what a reader calls it, and the paper that describes it.
    published : torchvision's entry for its weights, which says how images are prepared for them.
    build : makes it without weights.
    """

    title: str
    source: str
    published: models.WeightsEnum
    build: Callable[[], nn.Module]

    @property
    def size(self) -> int:
        """Pixels a side of its images."""
        return int(self.published.transforms().crop_size[0])

    @property
    def resized(self) -> int:
        """Pixels of the shorter side of an image before its centre is cut out."""
        return int(self.published.transforms().resize_size[0])


def _inception() -> nn.Module:
    # Its weights want images in [-1, 1], which it then makes itself of images that are scaled as for the others.
    return models.inception_v3(weights=None, transform_input=True, init_weights=False)


IMAGENET = Registry[ImageNetNetwork]("network for ImageNet")
IMAGENET.add(
    "alexnet",
    ImageNetNetwork(
        "AlexNet", "Krizhevsky (2014), arXiv 1404.5997", models.AlexNet_Weights.IMAGENET1K_V1, models.alexnet
    ),
)
IMAGENET.add(
    "vgg16",
    ImageNetNetwork(
        "VGG16", "Simonyan and Zisserman (2015), table 1, D", models.VGG16_Weights.IMAGENET1K_V1, models.vgg16
    ),
)
IMAGENET.add(
    "resnet152",
    ImageNetNetwork(
        "ResNet-152", "He et al. (2016), table 1", models.ResNet152_Weights.IMAGENET1K_V1, models.resnet152
    ),
)
IMAGENET.add(
    "inception_v3",
    ImageNetNetwork(
        "Inception v3", "Szegedy et al. (2016), table 1", models.Inception_V3_Weights.IMAGENET1K_V1, _inception
    ),
)


def imagenet_network(name: str) -> nn.Module:
    """Build a network without numbers (device "meta"), which costs nothing: to count its parameters and layers.

    Inception v3 comes without its second output, which only training uses.
    """
    with torch.device("meta"):
        network = IMAGENET[name].build()
    return _first_output(network)


def imagenet_classifier(
    name: str,
    classes: Sequence[str],
    *,
    weights: Path | str | None = None,
    seed: int = 0,
    device: str = "cpu",
) -> Classifier:
    """Make a classifier of images of the network's own size (`imagenet_images`), in evaluation mode.

    Parameters
    ----------
    name : an entry of `IMAGENET`.
    classes : the 1,000 class names in ImageNet's order: those of `load("imagenet_sample", "test")`.
    weights : a file of torchvision's weights (a state dict); None looks where torchvision keeps what it downloaded;
        "random" fills the network with random draws, for tests.
    seed : of random weights.

    Raises
    ------
    MistrustError
        An unknown name; not 1,000 classes; weights that are not there, cannot be read, or belong to another network.
    """
    entry = IMAGENET[name]
    if len(classes) != CLASSES:
        raise MistrustError(
            f"'{name}' tells {CLASSES:,} classes apart, got {len(classes):,} names: give those of the ImageNet images, "
            'load("imagenet_sample", "test").classes.'
        )
    if weights == RANDOM:
        return _around(name, _random(name, seed), classes, f"{name}-{RANDOM}-{seed}", device)
    file = weights_file(name) if weights is None else Path(weights).expanduser()
    if not file.is_file():
        raise MistrustError(_missing(name, file, asked=weights is not None))
    with torch.device("meta"):
        network = entry.build()
    try:
        network.load_state_dict(torch.load(file, map_location="cpu", weights_only=True), assign=True)
    except (OSError, RuntimeError, UnpicklingError, TypeError, AttributeError, EOFError) as error:
        reason = " ".join(str(error).split())[:300]
        raise MistrustError(f"{file} cannot be read as weights of '{name}': {reason}. {_way(name)}") from error
    return _around(name, _first_output(network), classes, None, device)


def imagenet_images(images: ImageSet, name: str) -> ImageSet:
    """Images as a network takes them: the shorter side resized, then the centre; uint8, labels and ids stay.

    As torchvision's own transforms: 256 and 224 pixels, 342 and 299 for Inception v3, bilinear with antialiasing.
    Images whose shorter side is right already keep their pixels.

    Raises
    ------
    MistrustError
        Images that are not in colour.
    """
    entry = IMAGENET[name]
    n, channels, height, width = images.images.shape
    if channels != 3:
        raise MistrustError(f"'{name}' takes images of 3 channels, those of '{images.name}' have {channels}.")
    # torchvision's rounding: down for the longer side, to the even number for the margins.
    size = (entry.resized * height // min(height, width), entry.resized * width // min(height, width))
    top, left = (round((side - entry.size) / 2) for side in size)
    cut = (slice(None), slice(None), slice(top, top + entry.size), slice(left, left + entry.size))
    found = torch.empty((n, 3, entry.size, entry.size), dtype=torch.uint8)
    for start in range(0, n, 64):
        some = images.take(slice(start, start + 64))
        found[start : start + 64] = _bytes(_resized(some.floats(), size)[cut])
    return replace(images, images=found)


def _resized(pixels: Float[Tensor, "n c h w"], size: tuple[int, int]) -> Tensor:
    if tuple(pixels.shape[2:]) == size:
        return pixels
    return functional.interpolate(pixels, size, mode="bilinear", antialias=True, align_corners=False)


def _bytes(pixels: Tensor) -> Tensor:
    return pixels.mul(255).round_().clamp_(0, 255).to(torch.uint8)


def _around(name: str, network: nn.Module, classes: Sequence[str], key: str | None, device: str) -> Classifier:
    return wrap(network, tuple(classes), name=name, mean=MEAN, std=STD, key=key, device=device)


def _first_output(network: nn.Module) -> nn.Module:
    """The network without an output that only training uses."""
    if isinstance(network, models.Inception3):
        network.AuxLogits, network.aux_logits = None, False
    return network


def _random(name: str, seed: int) -> nn.Module:
    network = imagenet_network(name).to_empty(device="cpu")
    for layer in network.modules():
        if isinstance(layer, nn.BatchNorm2d):
            layer.reset_parameters()
    initialise(network, seed)
    return network


def _missing(name: str, file: Path, *, asked: bool) -> str:
    where = f"{file} is no file" if asked else "torchvision has downloaded none"
    return f"There are no weights for '{name}': {where}. {_way(name)}"


def _way(name: str) -> str:
    call = f"models.{name}(weights='IMAGENET1K_V1')"
    return (
        f'With internet access, `python -c "from torchvision import models; {call}"` downloads them once; or give the '
        f"file {WEIGHTS_FILES[name]} as weights=..."
    )
