"""Parameters of the AmbiGuess chapter, and the images that they choose."""

from dataclasses import dataclass, replace

from mistrust.ambiguity.jacobian import WEIGHTS
from mistrust.ambiguity.labels import LABELS
from mistrust.ambiguity.pairs import pairs_of
from mistrust.ambiguity.planning import Making
from mistrust.data import ImageSet, load
from mistrust.errors import MistrustError, UnknownName
from mistrust.networks import ARCHITECTURES, Recipe
from mistrust.parameters import Checked, parameter

CHAPTER = "ambiguity"
# What the paper's tables are means of; ours are means over those of them that were run.
PAPERS = ("ambiguess-conv", "ambiguess-fc", "resnet50-v1", "densenet-se")


@dataclass(frozen=True)
class Parameters(Checked):
    """Parameters of the AmbiGuess chapter; the defaults are the `quick` profile.

    Examples
    --------
    >>> parameters = Parameters(data=("digits",), pairs=("4/9",), delta_test=0.1)
    >>> parameters.making.composition.delta_test, parameters.making.most  # autoencoders per pair, at most
    (0.1, 10)
    >>> parameters.recipe("ambiguess-conv").epochs
    4
    >>> Parameters(models=1)
    Traceback (most recent call last):
    mistrust.errors.MistrustError: Parameter 'models' is 1, expected 2 to 1000: good autoencoders a pair; ...
    """

    data: tuple[str, ...] = parameter(("mnist5k",), "image sets with a train and a test part (mistrust list data)")
    pairs: tuple[str, ...] = parameter(("3/8", "4/9"), "pairs of classes; none takes all pairs", source="section V.B.1")
    models: int = parameter(2, "good autoencoders a pair; train and test share none", low=2, high=1000)
    tries: int = parameter(0, "autoencoders of a pair that are trained at most; 0: five times `models`", low=0)
    epochs: int = parameter(60, "passes of an autoencoder over a pair's images; 0 fits the number of images", low=0)
    train: int = parameter(1000, "ambiguous images to learn from", low=1, source="section V.C")
    test: int = parameter(500, "ambiguous images to test with", low=1, source="section V.C")
    delta_train: float = parameter(0.4, "largest |p1 - p2| of a train image", low=0.001, high=1.0, source="section V.C")
    delta_test: float = parameter(0.25, "the same of a test image", low=0.001, high=1.0, source="section V.C")
    z_bound: float = parameter(3.0, "how far the grid reaches where classes do not differ, in σ", low=0.1, high=10.0)
    label: str = parameter("normalised", "rule for p(c|z)", source="section V.B.2")
    weight: str = parameter("jacobian", "rule for the weight of a cell", source="section V.B.3")
    architectures: tuple[str, ...] = parameter(
        ("ambiguess-conv", "ambiguess-fc"), "classifiers (mistrust list architectures)", source="section VI.A"
    )
    judges: tuple[str, ...] = parameter(
        ("ambiguess-conv", "ambiguess-fc-relu"), "classifiers that judge images, trained on nominal ones alone"
    )
    targets: str = parameter(
        "drawn", "what mixed training learns of an ambiguous image: its drawn label, or soft: both probabilities",
        choices=("drawn", "soft"),
    )  # fmt: skip
    network_epochs: int = parameter(4, "passes of a classifier over its images; 0 takes its recipe's", low=0)
    mixed: int = parameter(1, "classifiers of each kind trained on nominal and ambiguous images", low=1, high=100)
    clean: int = parameter(1, "classifiers of each kind trained on nominal images alone", low=1, high=100)
    diversity_points: int = parameter(200, "images by which the diversity of a way to draw is measured", low=20)
    diversity_decoders: int = parameter(4, "autoencoders, of different pairs, whose diversity is measured", low=1)
    world_images: int = parameter(600, "images of the world whose true P(c|x) is known, to learn from", low=100)
    longer: int = parameter(
        0, "how many times longer autoencoders of pairs left out are trained anew; 0: they are not", low=0
    )
    bounds: tuple[float, ...] = parameter(
        (), "further values of z_bound, for each of which Table I is made anew", low=0.1, high=10.0
    )
    more_decoders: int = parameter(
        0, "pairs of whose decoders one, three and five make images to learn from, another those to test with; 0: none",
        low=0,
    )  # fmt: skip
    convergence_steps: int = parameter(
        0, "steps of plain autoencoders, of two classes and of all, whose convergence is compared; 0: it is not", low=0
    )
    shown_pair: str = parameter("4/9", "pair whose latent plane is shown; the first pair where a set lacks it")
    trial: str = parameter("", "a further image set, of which only pictures are shown; none leaves it out")
    trial_pairs: tuple[str, ...] = parameter((), "its pairs; none takes all: name a few")
    vae_epochs: int = parameter(3, "passes of the plain autoencoder of all classes, a rival", low=1)
    resamples: int = parameter(100, "bootstrap resamples", low=20, high=10000)
    seed: int = parameter(0, "seed of all draws and networks", low=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in (*self.architectures, *self.judges):
            ARCHITECTURES[name]
        for table, name in ((LABELS, self.label), (WEIGHTS, self.weight)):
            table[name]  # refuses a rule that it does not have, before anything is trained
        if self.trial_pairs and not self.trial:
            raise MistrustError(
                f"trial_pairs names {', '.join(self.trial_pairs)}, and trial no image set that they are of: name it "
                "there, or leave its pairs out."
            )
        if not self.data or not self.architectures or not self.judges:
            raise MistrustError(
                "The chapter needs at least one image set (data), classifier (architectures) and judge (judges)."
            )

    @property
    def making(self) -> Making:
        """How the ambiguous sets are made."""
        return Making(
            train=self.train, test=self.test, models=self.models, tries=self.tries, delta_train=self.delta_train,
            delta_test=self.delta_test, z_bound=self.z_bound, epochs=self.epochs, label=self.label, weight=self.weight,
            seed=self.seed,
        )  # fmt: skip

    def recipe(self, architecture: str) -> Recipe:
        """How a classifier is trained."""
        own = ARCHITECTURES[architecture].recipe
        return replace(own, epochs=self.network_epochs) if self.network_epochs else own

    def chosen_pairs(self, images: ImageSet) -> tuple[tuple[int, int], ...]:
        """Positions of the classes of every pair."""
        return _chosen("pairs", self.pairs, images)


def check(parameters: Parameters) -> None:
    """Refuse what only the data can tell: no such image set, a pair that it lacks.

    Raises
    ------
    MistrustError
        As told; what is wrong and the values that are possible.

    Examples
    --------
    >>> check(Parameters(data=("digits",), pairs=("4/9",)))  # it has them
    >>> check(Parameters(data=("digits",), pairs=("4/x",)))
    Traceback (most recent call last):
    mistrust.errors.MistrustError: pairs has 4/x. There is no class 'x'. Known: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9. Name ...
    """
    for name in parameters.data:
        parameters.chosen_pairs(load(name, "train"))
    if parameters.trial:
        _chosen("trial_pairs", parameters.trial_pairs, load(parameters.trial, "train"))


def _chosen(name: str, pairs: tuple[str, ...], images: ImageSet) -> tuple[tuple[int, int], ...]:
    """Positions of the classes of a parameter's pairs; a class that the images lack is refused with the parameter."""
    try:
        return pairs_of(images, pairs or None)
    except UnknownName as error:
        first, second, *_ = images.classes
        raise MistrustError(
            f"{name} has {', '.join(pairs)}. {error} Name two classes of '{images.name}' ({name}={first}/{second}), or "
            f"take all pairs ({name}=[])."
        ) from error


def inputs(parameters: Parameters) -> dict[str, str]:
    """Give what the experiment reads: each image set's checksum.

    Examples
    --------
    >>> list(inputs(Parameters(data=("digits",))))
    ['digits/train', 'digits/test']
    >>> list(inputs(Parameters(data=("digits",), trial="photos")))  # of which only pictures are shown
    ['digits/train', 'digits/test', 'photos/train']
    """
    read = [(name, split) for name in parameters.data for split in ("train", "test")]
    read += [(parameters.trial, "train")] if parameters.trial else []
    return {f"{name}/{split}": load(name, split).checksum for name, split in read}
