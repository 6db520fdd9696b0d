"""Parameters of the MLM chapter, and the images that they choose."""

from dataclasses import dataclass

from mistrust import random
from mistrust.data import ImageSet, load
from mistrust.data.enough import enough
from mistrust.errors import MistrustError
from mistrust.inputs import PERTURBATIONS
from mistrust.misclassification.matrix import Statistic
from mistrust.networks import ARCHITECTURES, SCHEDULES, Recipe
from mistrust.parameters import Checked, parameter

CHAPTER = "misclassification"


@dataclass(frozen=True)
class Parameters(Checked):
    """Parameters of the MLM chapter; the defaults are the `quick` profile.

    Examples
    --------
    >>> few = Parameters(data="digits", perturbations=("brightness", "contrast"), levels=(10, 1))
    >>> few.settings  # levels are put in order
    [('brightness', 1), ('brightness', 10), ('contrast', 1), ('contrast', 10)]
    >>> [statistic.name for statistic in few.statistics]
    ['minimum', 'quantile=0.001', 'quantile=0.01', 'quantile=0.05', 'mean']
    >>> Parameters(networks=0)
    Traceback (most recent call last):
    mistrust.errors.MistrustError: Parameter 'networks' is 0, expected 1 to 100: networks, trained from different seeds
    """

    data: str = parameter("mnist5k", "image set with a train and a test part (mistrust list data)")
    train_images: int = parameter(0, "training images, chosen at random; 0 takes all", low=0)
    test_images: int = parameter(500, "test images, chosen at random; 0 takes all", low=0)
    architecture: str = parameter("mlm-cnn", "network (mistrust list architectures)", source="section 3.1")
    networks: int = parameter(3, "networks, trained from different seeds", low=1, high=100)
    epochs: int = parameter(10, "passes over the training images", low=1, high=1000, source="section 3.1")
    batch: int = parameter(64, "images a step", low=1, source="section 3.1")
    rate: float = parameter(0.01, "learning rate", low=1e-6, high=10.0, source="section 3.1")
    momentum: float = parameter(0.9, "momentum; the paper has 0, too slow for a small set", low=0.0, high=0.999)
    schedule: str = parameter(
        "falling", "learning rate: falling, as the paper says, or constant, as in its authors' code",
        choices=tuple(SCHEDULES), source="section 3.1",
    )  # fmt: skip
    both_schedules: bool = parameter(False, "train with the other schedule as well, to compare accuracies")
    perturbations: tuple[str, ...] = parameter(
        tuple(PERTURBATIONS), "perturbations (mistrust list perturbations)", source="section 3.2"
    )
    levels: tuple[int, ...] = parameter(
        (1, 2, 3, 4, 5, 6, 7, 8, 9, 10), "levels of each perturbation", low=1, high=10, source="section 3.2"
    )
    quantiles: tuple[float, ...] = parameter(
        (0.001, 0.01, 0.05), "quantiles that stand beside the paper's minimum", low=0.0, high=1.0
    )
    resamples: int = parameter(200, "bootstrap resamples of base images", low=20, high=10000)
    calibrated: int = parameter(1, "networks for which the levels are calibrated as well, the first ones", low=0)
    calibration_images: int = parameter(150, "test images to calibrate on; twice as many others check it", low=10)
    example: int = parameter(5, "class whose average softmax is shown, counted from 0", low=0, source="Figure 6")
    seed: int = parameter(0, "seed of networks, noise and resampling", low=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        ARCHITECTURES[self.architecture]
        for name in self.perturbations:
            PERTURBATIONS[name]
        object.__setattr__(self, "levels", tuple(sorted(self.levels)))  # their order means nothing
        if not self.perturbations or not self.levels:
            raise MistrustError("The chapter needs at least one perturbation and one level.")

    @property
    def recipe(self) -> Recipe:
        """How the networks are trained."""
        return Recipe(self.epochs, self.batch, self.rate, self.momentum, schedule=self.schedule)

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        """The paper's minimum, and what stands beside it."""
        return Statistic(), *(Statistic("quantile", q) for q in self.quantiles), Statistic("mean")

    @property
    def settings(self) -> list[tuple[str, int]]:
        """Every perturbation at every level."""
        return [(name, level) for name in self.perturbations for level in self.levels]


def image_sets(parameters: Parameters) -> tuple[ImageSet, ImageSet]:
    """Give the training and the test images.

    Examples
    --------
    >>> train, test = image_sets(Parameters(data="digits", train_images=300, test_images=100))
    >>> len(train), len(test), tuple(test.images.shape[1:])
    (300, 100, (1, 8, 8))
    >>> torch.isin(test.ids, train.ids).any()  # none of them is in both
    tensor(False)
    """
    chosen = []
    for split, count in (("train", parameters.train_images), ("test", parameters.test_images)):
        enough(parameters, f"{split}_images", [parameters.data], split)
        whole = load(parameters.data, split)
        order = random.permutation(parameters.seed, f"choose/{split}", len(whole))[:count]
        chosen.append(whole if count in (0, len(whole)) else whole.take(order.sort().values))
    return chosen[0], chosen[1]


def check(parameters: Parameters) -> None:
    """Refuse what only the data can tell: no such image set, more images or another class than it has.

    Raises
    ------
    MistrustError
        As told; what is wrong and the values that are possible.

    Examples
    --------
    >>> check(Parameters(data="digits"))  # it has what they ask for
    >>> check(Parameters(data="digits", test_images=5000))
    Traceback (most recent call last):
    mistrust.errors.MistrustError: Parameter 'test_images' is 5000, but 'digits' has 500 test images. Ask for fewer, ...
    """
    _, test = image_sets(parameters)
    if parameters.example >= len(test.classes) or not bool((test.labels == parameters.example).any()):
        raise MistrustError(
            f"Parameter 'example' is {parameters.example}, but '{parameters.data}' has classes 0 to "
            f"{len(test.classes) - 1} ({', '.join(test.classes)}), and the {len(test)} test images must hold it."
        )
    if parameters.calibrated and parameters.calibration_images >= len(test):
        raise MistrustError(
            f"Parameter 'calibration_images' is {parameters.calibration_images}, but there are {len(test)} test images "
            "and some must be left to check on. Ask for fewer, or set calibrated to 0."
        )


def inputs(parameters: Parameters) -> dict[str, str]:
    """Give what the experiment reads: each image set's checksum.

    Examples
    --------
    >>> from mistrust.data import load
    >>> found = inputs(Parameters(data="digits"))
    >>> list(found)
    ['digits/train', 'digits/test']
    >>> found["digits/test"] == load("digits", "test").checksum
    True
    """
    return {f"{parameters.data}/{split}": load(parameters.data, split).checksum for split in ("train", "test")}
