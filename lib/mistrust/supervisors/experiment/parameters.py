"""Parameters of the supervisors' chapter, and the images that they choose."""

from dataclasses import dataclass

from mistrust.ambiguity import experiment as ambiguity
from mistrust.data import load
from mistrust.data.enough import enough
from mistrust.errors import MistrustError, check_known
from mistrust.networks import ARCHITECTURES
from mistrust.parameters import Checked, parameter
from mistrust.supervisors import SUPERVISORS
from mistrust.supervisors.experiment.variants import CANNOT, COMPARED, VARIANTS
from mistrust.supervisors.tables.detection import LEAST

CHAPTER = "supervisors"


@dataclass(frozen=True)
class Parameters(Checked):
    """Parameters of the supervisors' chapter; the defaults are the `quick` profile.

    Those from `pairs` to `test`, and `network_epochs`, are the AmbiGuess chapter's: where they agree, the two chapters
    share ambiguous images and classifiers.

    Examples
    --------
    >>> parameters = Parameters(data=("digits",), supervisors=("max_softmax", "mdsa"))
    >>> parameters.compared, len(Parameters().compared)
    (('max_softmax', 'mdsa'), 23)
    >>> parameters.ambiguity.pairs, parameters.ambiguity.train  # what the AmbiGuess chapter would be asked for
    (('4/9',), 1000)
    >>> Parameters(supervisors=("max_sofmax",))
    Traceback (most recent call last):
    mistrust.errors.UnknownName: There is no supervisor 'max_sofmax'. Did you mean 'max_softmax'? ...
    """

    data: tuple[str, ...] = parameter(("mnist5k",), "image sets with a train and a test part (mistrust list data)")
    pairs: tuple[str, ...] = parameter(("4/9",), "pairs of classes made ambiguous; none takes all pairs")
    models: int = parameter(2, "good autoencoders a pair", low=2, high=1000)
    tries: int = parameter(0, "autoencoders of a pair that are trained at most; 0: five times `models`", low=0)
    epochs: int = parameter(30, "passes of an autoencoder over a pair's images; 0 fits the number of images", low=0)
    train: int = parameter(1000, "ambiguous images to learn from", low=1)
    test: int = parameter(200, "ambiguous images to test with", low=20)
    architectures: tuple[str, ...] = parameter(
        ("ambiguess-conv", "ambiguess-fc"),
        "classifiers under test (mistrust list architectures)",
        source="section VI.A",
    )
    network_epochs: int = parameter(3, "passes of a classifier over its images; 0 takes its recipe's", low=0)
    runs: int = parameter(1, "classifiers of each kind", low=1, high=100, source="section VII.A")
    members: int = parameter(3, "networks of an ensemble, newly trained", low=2, high=100, source="section VII.B")
    samples: int = parameter(16, "passes with dropout on", low=2, high=1000)
    supervisors: tuple[str, ...] = parameter((), "which (mistrust list supervisors); none takes the 23 of this chapter")
    also_nominal: tuple[str, ...] = parameter(
        ("dsa", "lsa", "mdsa"),
        "those of the supervisors that are also fitted without the ambiguous training images; autoencoder and "
        "dissector for the first classifier of each kind alone",
    )
    variants: tuple[str, ...] = parameter((), "variants of supervisors, as in the chapter's table of them")
    vae_epochs: int = parameter(1, "passes of the autoencoder that supervises; the paper's code has 30", low=1)
    dissector_epochs: int = parameter(1, "passes of Dissector's sub-models at most; the paper's code has 30", low=1)
    attacked: int = parameter(40, "nominal test images that are attacked; 0 takes all", low=0)
    corrupted: int = parameter(0, "images of every corruption at every severity, 10 or more; 0 leaves these out", low=0)
    other_sets: bool = parameter(
        False, "also ambiguous images of known decoders, and attacks as the authors' code has it"
    )
    evaded: int = parameter(
        0, "nominal test images changed by someone who knows the supervisor; 0 leaves these attacks out", low=0,
        source="section VII.C",
    )  # fmt: skip
    shown: int = parameter(3, "pictures of the most mistaken inputs of a kind", low=1, high=12)
    resamples: int = parameter(50, "bootstrap resamples", low=20, high=10000)
    seed: int = parameter(0, "seed of all draws and networks", low=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in self.architectures:
            if not ARCHITECTURES[name].surprise:
                raise MistrustError(
                    f"Architecture '{name}' does not say which layer surprise adequacy reads, so this chapter cannot "
                    f"test it. Those that do: {', '.join(n for n, one in ARCHITECTURES.items() if one.surprise)}."
                )
        for name in (*self.supervisors, *self.also_nominal):
            SUPERVISORS[name]
        for name in self.also_nominal:
            if not SUPERVISORS[name].card.learns:
                raise MistrustError(
                    f"also_nominal has '{name}', which learns nothing of its images: fitted without the ambiguous "
                    "ones it gives the same scores. Leave it out there."
                )
        for architecture in self.architectures:
            if all((name, architecture) in CANNOT for name in self.compared):
                raise MistrustError(
                    f"Of architecture '{architecture}' nothing is left to compare: {', '.join(self.compared)} cannot "
                    "be had for it. Leave it out of architectures, or name further supervisors."
                )
        for name in self.variants:
            check_known("variant of a supervisor", name, VARIANTS)
            if name.partition("/")[0] not in self.compared:
                raise MistrustError(
                    f"variants has '{name}', and supervisors leaves out what it is a variant of: name "
                    f"'{name.partition('/')[0]}' there as well, or leave the variant out."
                )
        if 0 < self.corrupted < LEAST:
            raise MistrustError(
                f"corrupted is {self.corrupted}, expected 0 or at least {LEAST}: of fewer images there is no AUROC."
            )
        if 0 < self.attacked < self.evaded:
            raise MistrustError(
                f"evaded is {self.evaded}, and takes those of the {self.attacked} attacked images that are classified "
                "correctly. Raise attacked, or lower evaded."
            )
        if not self.data or not self.architectures:
            raise MistrustError("The chapter needs at least one image set (data) and one classifier (architectures).")

    @property
    def ambiguity(self) -> ambiguity.Parameters:
        """What the AmbiGuess chapter would be asked for: its ambiguous images and classifiers are used here."""
        return ambiguity.Parameters(
            data=self.data, pairs=self.pairs, models=self.models, tries=self.tries, epochs=self.epochs,
            train=self.train, test=self.test, architectures=self.architectures, network_epochs=self.network_epochs,
            mixed=self.runs, seed=self.seed,
        )  # fmt: skip

    @property
    def compared(self) -> tuple[str, ...]:
        """The supervisors by name."""
        return self.supervisors or COMPARED


def check(parameters: Parameters) -> None:
    """Refuse what only the data can tell: no such image set, a pair that it lacks, more images than it has.

    Examples
    --------
    >>> check(Parameters(data=("fmnst",)))
    Traceback (most recent call last):
    mistrust.errors.UnknownName: There is no image set 'fmnst'. Did you mean 'fmnist'? ...
    """
    ambiguity.check(parameters.ambiguity)
    for name in ("attacked", "corrupted", "evaded"):
        enough(parameters, name, parameters.data, "test")


def inputs(parameters: Parameters) -> dict[str, str]:
    """Give what the experiment reads: each image set's checksum.

    Examples
    --------
    >>> list(inputs(Parameters(data=("digits",))))
    ['digits/train', 'digits/test']
    """
    return {f"{n}/{s}": load(n, s).checksum for n in parameters.data for s in ("train", "test")}
