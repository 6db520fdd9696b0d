"""Parameters of the chapter across papers, and the images that they choose."""

from dataclasses import dataclass, replace

from mistrust.ambiguity import experiment as ambiguity
from mistrust.comparison.scorers import SCORERS
from mistrust.comparison.troubles import TROUBLES
from mistrust.data import load
from mistrust.data.enough import enough
from mistrust.errors import MistrustError
from mistrust.networks import ARCHITECTURES, Recipe
from mistrust.parameters import Checked, parameter
from mistrust.supervisors import Quantile

CHAPTER = "comparison"


@dataclass(frozen=True)
class Parameters(Checked):
    """Parameters of the chapter across papers; the defaults are the `quick` profile.

    Those from `pairs` to `test` are the AmbiGuess chapter's: where they agree, the two chapters share ambiguous images,
    and, where all training images are taken, classifiers.

    Examples
    --------
    >>> chosen = Parameters(data=("mnist5k", "digits"), architectures=("ambiguess-conv", "ambiguess-fc-relu"))
    >>> chosen.architecture("digits"), chosen.recipe("digits").epochs
    ('ambiguess-fc-relu', 5)
    >>> Parameters(scorers=("max_softmx",))
    Traceback (most recent call last):
    mistrust.errors.UnknownName: There is no scorer 'max_softmx'. Did you mean 'max_softmax'? Known: ...
    """

    data: tuple[str, ...] = parameter(("mnist5k",), "image sets with a train and a test part (mistrust list data)")
    architectures: tuple[str, ...] = parameter(
        ("ambiguess-conv",),
        "classifier of each image set, or one for all (mistrust list architectures)",
    )
    trained_on: int = parameter(1500, "nominal training images of classifiers and scorers; 0 takes all", low=0)
    network_epochs: int = parameter(5, "passes of a classifier over its images; 0 takes its recipe's", low=0)
    runs: int = parameter(1, "classifiers of each image set", low=1, high=100)
    members: int = parameter(2, "networks of an ensemble", low=2, high=100)
    samples: int = parameter(16, "passes with dropout on", low=2, high=1000)
    scorers: tuple[str, ...] = parameter(
        (
            "max_softmax", "energy", "mc_mutual_information", "ensemble_mean_softmax", "outside_the_box", "knn", "dsa",
            "mdsa", "autoencoder", "odin", "mlm_distance", "breaking_noise", "boundary_distance",
            "targeted_distance", "distance_residual",
        ),
        "what is compared (the table SCORERS: every supervisor, and five more); none takes all",
    )  # fmt: skip
    troubles: tuple[str, ...] = parameter((), "kinds of bad input (the table TROUBLES); none takes all that a set has")
    pairs: tuple[str, ...] = parameter(("4/9",), "pairs of classes made ambiguous; none takes all pairs")
    models: int = parameter(2, "good autoencoders a pair", low=2, high=1000)
    tries: int = parameter(0, "autoencoders of a pair that are trained at most; 0: five times `models`", low=0)
    epochs: int = parameter(30, "passes of an autoencoder over a pair's images; 0 fits the number of images", low=0)
    train: int = parameter(1000, "ambiguous images that are made to learn from; the chapter learns from none", low=1)
    test: int = parameter(200, "ambiguous images to test with", low=20)
    attacked: int = parameter(60, "nominal test images that are attacked; 0 takes all", low=0)
    images: int = parameter(200, "images of each kind; 0 takes all", low=0)
    searched: int = parameter(40, "images of each kind whose surroundings are searched", low=20, high=100000)
    noise_seeds: int = parameter(2, "noises by which each image is broken", low=1, high=32)
    per_class: int = parameter(2, "images a class of which every reading says what is taken for what", low=1, high=1000)
    calibration: float = parameter(
        0.4, "share of the test images that sets limits, trends and centroids, and nothing else", low=0.05, high=0.9
    )
    false_alarms: float = parameter(0.05, "share of nominal images that may alarm", low=0.001, high=0.5)
    alooc_epochs: int = parameter(1, "passes of ALOOC over a class's images", low=1)
    vae_epochs: int = parameter(1, "passes of the autoencoder supervisor", low=1)
    dissector_epochs: int = parameter(1, "passes of Dissector's sub-models at most", low=1)
    resamples: int = parameter(50, "bootstrap resamples", low=20, high=10000)
    seed: int = parameter(0, "seed of all draws and networks", low=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.data or len(self.architectures) not in (1, len(self.data)):
            raise MistrustError(
                f"There are {len(self.architectures)} architectures for {len(self.data)} image sets: name one set or "
                "more, and one architecture for all of them or one for each."
            )
        for name in self.architectures:
            if not ARCHITECTURES[name].surprise:
                known = ", ".join(n for n, one in ARCHITECTURES.items() if one.surprise)
                raise MistrustError(
                    f"Architecture '{name}' does not say which layer is its last hidden one, so scorers of hidden "
                    f"layers cannot watch it. Those that do: {known}."
                )
        for name in self.scorers:
            SCORERS[name]
        for name in self.troubles:
            TROUBLES[name]

    def architecture(self, data: str) -> str:
        """The classifier of an image set."""
        return self.architectures[self.data.index(data) if len(self.architectures) > 1 else 0]

    def recipe(self, data: str) -> Recipe:
        """How it is trained."""
        own = ARCHITECTURES[self.architecture(data)].recipe
        return replace(own, epochs=self.network_epochs) if self.network_epochs else own

    @property
    def ambiguity(self) -> ambiguity.Parameters:
        """What the AmbiGuess chapter would be asked for: its ambiguous images are used here."""
        return ambiguity.Parameters(
            data=self.data, pairs=self.pairs, models=self.models, tries=self.tries, epochs=self.epochs,
            train=self.train, test=self.test, network_epochs=self.network_epochs, seed=self.seed,
        )  # fmt: skip


def check(parameters: Parameters) -> None:
    """Refuse what only the data can tell: no such image set, a pair that a set lacks, too few images to set a limit.

    More images than any of the sets has are refused as well.

    Raises
    ------
    MistrustError
        As told; what is wrong and the values that are possible.

    Examples
    --------
    >>> check(Parameters(data=("digits",), pairs=("4/9",)))  # digits have both classes
    >>> check(Parameters(data=("digits",), pairs=("4/x",)))
    Traceback (most recent call last):
    mistrust.errors.MistrustError: pairs has 4/x. There is no class 'x'. Known: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9. Name ...
    """
    enough(parameters, "trained_on", parameters.data, "train")
    for name in ("images", "attacked"):
        enough(parameters, name, parameters.data, "test")
    enough(parameters, "searched", parameters.data, "test", "or take a larger set")
    for name in parameters.data:
        images = load(name, "train")
        if images.images.shape[1] == 1:
            parameters.ambiguity.chosen_pairs(images)
    searching = [one for one in parameters.scorers or SCORERS if SCORERS[one].searches]
    least = Quantile(parameters.false_alarms).least()
    if searching and parameters.searched < least:
        raise MistrustError(
            f"searched is {parameters.searched}: to let {parameters.false_alarms:g} of nominal images alarm, scorers "
            f"that search ({', '.join(searching)}) need {least} of them. Set searched={least}, raise false_alarms, or "
            "leave these scorers out."
        )


def inputs(parameters: Parameters) -> dict[str, str]:
    """Give what the experiment reads: each image set's checksum.

    Examples
    --------
    >>> list(inputs(Parameters(data=("digits",))))
    ['digits/train', 'digits/test']
    """
    return {f"{n}/{s}": load(n, s).checksum for n in parameters.data for s in ("train", "test")}
