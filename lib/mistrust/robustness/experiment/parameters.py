"""Parameters of the chapter on robustness estimation, and which images they choose."""

from dataclasses import dataclass

from mistrust.data import load
from mistrust.errors import MistrustError
from mistrust.networks import ARCHITECTURES
from mistrust.networks.architectures.families.family import family_of
from mistrust.networks.weights_files import weights_file
from mistrust.parameters import Checked, parameter
from mistrust.robustness.noise import VARIANTS

CHAPTER = "robustness"
# Training variants (section 3.2): everything, "Subsample", "Subclass".
ALL, HALF, FRACTION = "all", "half", "fraction"


@dataclass(frozen=True)
class Parameters(Checked):
    """Parameters of the chapter on robustness estimation; the defaults are the `quick` profile.

    Examples
    --------
    >>> Parameters(networks=("vgg6-w16", "vgg9-w16", "resnet8-w8")).representatives  # one of each family
    ('vgg6-w16', 'resnet8-w8')
    >>> Parameters(networks=("vgg16",))
    Traceback (most recent call last):
    mistrust.errors.UnknownName: There is no architecture 'vgg16'. Did you mean 'vgg9-w16'? ...
    """

    data: str = parameter("mnist5k", "image set on which all networks are compared", source="3.2")
    also: tuple[str, ...] = parameter((), "further image sets, for the first network of each family")
    networks: tuple[str, ...] = parameter(
        ("alexnet6-w16", "resnet8-w8"),
        "networks (mistrust list architectures); of each family the first is shown as its representative",
        source="3.2",
    )
    runs: int = parameter(1, "training seeds of each network", low=1, high=100)
    parts: tuple[str, ...] = parameter(
        (), "training variants of the representatives: half of the samples, a fraction of the classes",
        choices=(HALF, FRACTION), source="4",
    )  # fmt: skip
    class_share: float = parameter(
        0.5, "share of the classes in the variant with a fraction of them; the paper's tenth would be one of ten",
        low=0.1, high=0.9, source="4",
    )  # fmt: skip
    train_images: int = parameter(1500, "training images; 0 takes all", low=0)
    also_images: int = parameter(0, "training images of further sets; 0 takes all", low=0)
    epochs: int = parameter(4, "passes of a network over its images; 0 takes its recipe's", low=0)
    images: int = parameter(14, "test images for random noise", low=4, source="3.1")
    noise_seeds: int = parameter(4, "noise fields of each image", low=1, high=100)
    variants: tuple[str, ...] = parameter(
        tuple(VARIANTS), "variants of noise (of the representatives; the first one of all networks)", source="3.1"
    )
    fields: int = parameter(4, "noise fields for sigma_50, of the representatives; 0 leaves it out", low=0)
    audit: float = parameter(0.1, "share of the images that are searched step by step as well", low=0, high=1)
    per_class: int = parameter(
        1, "images of each class that are taken to every other class; one where there are more than 20 classes", low=1
    )
    sources: int = parameter(
        2, "classes of the images for other learning rates and the tight search, the first ones; 0 takes all", low=0
    )
    steps: int = parameter(256, "steps of the targeted search at most; who has not arrived by then has failed", low=1)
    rate: float = parameter(2.0, "learning rate of the targeted search, in grey levels", low=0.01, high=255)
    rates: tuple[float, ...] = parameter(
        (5.0, 25.0), "further learning rates, for the representatives", low=0.01, high=255, source="3.1"
    )
    tight: int = parameter(1, "images of each class for the tight search, of the representatives", low=0)
    layer_images: int = parameter(10, "test images for noise at single layers, of the representatives", low=0)
    layer_seeds: int = parameter(2, "noise fields of each image and layer", low=1, high=100)
    region_networks: tuple[str, ...] = parameter(
        ("alexnet6-w16",), "networks of which regions are traced (piecewise linear, small ones)", source="3"
    )
    region_classes: int = parameter(1, "classes whose regions are traced, the first ones; 0 takes all", low=0)
    region_samples: int = parameter(4, "training samples of each class that are to be connected", low=2)
    region_searches: int = parameter(2, "rounds of the search for paths; 0 tests straight segments alone", low=0)
    imagenet: tuple[str, ...] = parameter(
        (), "torchvision's networks, measured where their weights are at hand", source="Table 1"
    )
    imagenet_weights: str = parameter("", "empty: what torchvision downloaded; random: random weights, to try the code")
    imagenet_images: int = parameter(50, "test images of ImageNet", low=1)
    imagenet_targets: int = parameter(5, "targets of each image of ImageNet", low=1, high=999)
    resamples: int = parameter(100, "bootstrap resamples", low=20, high=10000)
    seed: int = parameter(0, "seed of all draws and networks", low=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in (*self.networks, *self.region_networks):
            ARCHITECTURES[name]
        if not self.networks or not self.variants:
            raise MistrustError(
                "The chapter needs at least one network (networks) and one variant of noise (variants)."
            )
        if self.data in self.also:
            raise MistrustError(f"'{self.data}' is the image set (data) and a further one (also): name it once.")
        for name in self.variants:
            VARIANTS[name]
        if VARIANTS[self.variants[0]].fresh:
            raise MistrustError(
                f"The first variant of noise, '{self.variants[0]}', is searched by bisection, which fresh noise does "
                "not allow: name one with fixed noise first, such as fixed-clipped."
            )
        for name in self.imagenet:
            weights_file(name)  # refuses an unknown name
        if self.imagenet_weights not in ("", "random") and len(self.imagenet) > 1:
            raise MistrustError(
                f"imagenet_weights names one file, '{self.imagenet_weights}', for {len(self.imagenet)} networks "
                f"({', '.join(self.imagenet)}): name one network, or leave it empty for what torchvision downloaded."
            )

    @property
    def representatives(self) -> tuple[str, ...]:
        """The first network of each family, and those of no family."""
        seen: dict[str, str] = {}
        for name in self.networks:
            seen.setdefault(family_of(name), name)
        return tuple(seen.values())


def inputs(parameters: Parameters) -> dict[str, str]:
    """Give what the experiment reads: each image set's checksum.

    Examples
    --------
    >>> checksums = inputs(Parameters(data="digits"))
    >>> list(checksums), len(checksums["digits/test"])
    (['digits/train', 'digits/test'], 20)
    """
    return {
        f"{name}/{split}": load(name, split).checksum
        for name in (parameters.data, *parameters.also)
        for split in ("train", "test")
    }
