"""Parameters of the chapter on the search for high-confidence errors."""

from dataclasses import dataclass
from pathlib import Path

from mistrust.data import places
from mistrust.errors import MistrustError
from mistrust.networks import ARCHITECTURES
from mistrust.parameters import Checked, parameter
from mistrust.search.attack import DISTANCES
from mistrust.search.experiment.conditions import check_doses, condition, doses, further_models
from mistrust.search.mechanisms import MECHANISMS
from mistrust.search.tables.orders import known

CHAPTER = "search"
REFUSED, LEFT_OUT = "refused", "left out"
# Where the authors' rows are looked for: MISTRUST_DATA/sdr_rows/rows.csv.
FOLDER, FILE, NONE = "sdr_rows", "rows.csv", "none"


@dataclass(frozen=True)
class Parameters(Checked):
    """Parameters of the chapter on the search for high-confidence errors; the defaults are the `quick` profile.

    Examples
    --------
    >>> Parameters().doses_of("few_digits"), Parameters(budget=20).budget
    (('100', '20'), 20)
    >>> Parameters(distance="bounary")
    Traceback (most recent call last):
    mistrust.errors.UnknownName: There is no distance 'bounary'. Did you mean 'boundary'? ...
    """

    mechanisms: tuple[str, ...] = parameter(
        ("few_digits",), "ways in which errors of high confidence arise (mistrust list mechanisms)", source="V"
    )
    absent: str = parameter(
        REFUSED, "mechanisms whose images are not on this machine: refused, or left out and named",
        choices=(REFUSED, LEFT_OUT),
    )  # fmt: skip
    doses: tuple[str, ...] = parameter(
        ("100", "20"), "doses of the mechanisms, by name; empty: all. Of each the first is the control", source="V"
    )
    models: int = parameter(2, "trained models of each dose; a conclusion needs 5", low=1, high=100)
    architecture: str = parameter(
        "", "network (mistrust list architectures), trained by its own recipe; empty: each mechanism's own"
    )
    epochs: int = parameter(0, "passes over as many images as the control has; 0 takes the recipe's", low=0)
    train_images: int = parameter(0, "training images at most; 0 takes the mechanism's number", low=0)
    validation_images: int = parameter(0, "images that the temperature is fitted on; 0: the mechanism's", low=0)
    test_images: int = parameter(0, "images that are searched; 0 takes the mechanism's number", low=0)
    distance: str = parameter("deepfool", "distance of whole pools (mistrust list distances)", source="IV.A")
    distance_steps: int = parameter(0, "steps of that distance; 0 takes its own number", low=0)
    pool_cap: int = parameter(
        5000, "instances of a pool at most; of a larger one so many are drawn", low=50, source="V.B"
    )
    fraction: float = parameter(0.1, "share of the pool in each window of the fit of F", low=0.01, high=1, source="IV")
    methods: tuple[str, ...] = parameter(
        ("adversarial_distance", "low_confidence", "highest_distance", "bansal_weld_coded", "lakkaraju_coded"),
        "searches (mistrust list searches), and highest_distance; random search always comes along", source="V",
    )  # fmt: skip
    also: tuple[str, ...] = parameter(
        ("lakkaraju", "facility_learned"), "further searches, made beside the others as a part of their own", source="V"
    )
    scores: tuple[str, ...] = parameter(
        ("knn", "mahalanobis", "ensemble", "dropout"), "other scores in place of the distance, as residuals",
        choices=("knn", "mahalanobis", "ensemble", "dropout"), source="VII",
    )  # fmt: skip
    samples: int = parameter(16, "passes with dropout, where a network has it", low=2)
    replicates: int = parameter(100, "subsets of each pool, for searches that are a sort", low=2, source="V.B")
    few: int = parameter(
        5, "subsets for searches that read answers, for utility and for the published spread", low=1, source="V.B"
    )
    budget: int = parameter(
        50,
        "queries of a search, fewer where a pool's subset is smaller; tables tell what 20 and 50 found, curves all",
        low=1,
        source="V.B",
    )
    refit: bool = parameter(False, "whether F is fitted on every subset, as published, or once on the pool")
    refits: int = parameter(
        20, "subsets in which it is fitted both ways, of the strongest doses, to see what that changes; 0: none", low=0
    )
    reclustered: bool = parameter(False, "whether rivals cluster every subset anew, as published")
    variance: float = parameter(0.001, "variance of the kernel of rivals and of utility", low=1e-9, source="code")
    oracles: int = parameter(10, "simulated oracles a search that reads answers; 0 leaves its p out", low=0)
    attack_images: int = parameter(
        20, "images for the boundary attack and HopSkipJump, of one pool; 0 leaves both out", low=0
    )
    attack_steps: tuple[int, ...] = parameter(
        (20, 60), "steps after which the boundary attack is looked at; the paper makes 1,000", low=1, source="IV"
    )
    attack_jumps: tuple[int, ...] = parameter(
        (2, 5), "jumps after which HopSkipJump is looked at, on the same images; none leaves it out", low=1
    )
    foolbox_steps: int = parameter(
        0, "steps of foolbox 3's boundary attack, twice on the same images; 0 leaves it out", low=0
    )
    attack_models: int = parameter(1, "models that these attacks are tried on", low=1)
    controls: int = parameter(1, "models whose pools serve for controls; 0 leaves them out", low=0)
    control_oracles: int = parameter(40, "simulated oracles of the controls", low=2)
    shown: int = parameter(20, "queries that are shown one by one, with their pictures; 0: none", low=0)
    authors: str = parameter(
        "", f"file of the authors' rows; empty: {FOLDER}/{FILE} below MISTRUST_DATA, where it is; {NONE}: left out"
    )
    resamples: int = parameter(100, "bootstrap resamples", low=20, high=10000)
    further: tuple[str, ...] = parameter(
        (), 'models beyond `models`, by condition, such as "biased/12:3": for doses where too few pass the gates'
    )
    seed: int = parameter(0, "seed of the first model and of all draws", low=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.mechanisms or not self.attack_steps:
            raise MistrustError("The chapter needs at least one mechanism and one number of attack_steps.")
        for name in self.mechanisms:
            MECHANISMS[name]
        check_doses(self.mechanisms, self.doses)
        if self.architecture:
            ARCHITECTURES[self.architecture]
        DISTANCES[self.distance]
        for name in (*self.methods, *self.also):
            known(name)
        if {"random", "score"} & {*self.methods, *self.also}:
            raise MistrustError(
                "Leave 'random' and 'score' out of methods: the first always comes, the other needs one."
            )
        if twice := sorted({*self.methods} & {*self.also}):
            raise MistrustError(f"{', '.join(twice)} stands in methods and in also: leave it out of one of them.")
        further_models(self.mechanisms, self.doses, self.further)

    def doses_of(self, mechanism: str) -> tuple[str, ...]:
        """Doses of a mechanism that are run."""
        return doses(mechanism, self.doses)

    def models_of(self, mechanism: str, dose: str) -> int:
        """How many models of a dose are run.

        Examples
        --------
        >>> Parameters(further=("digits/20:3",)).models_of("few_digits", "20")
        5
        """
        named = further_models(self.mechanisms, self.doses, self.further)
        return self.models + named.get(condition(mechanism, dose), 0)


def present(parameters: Parameters) -> tuple[str, ...]:
    """Mechanisms that are run: those asked for, without those that are left out since their images are not here.

    Where the images of none are here, all are: making them says what is missing, and how to get it.

    Examples
    --------
    >>> present(Parameters(mechanisms=("celeba", "few_digits"), doses=(), absent="left out"))
    ('few_digits',)
    """
    without = _lacking(parameters)
    return tuple(name for name in parameters.mechanisms if name not in without)


def left_out(parameters: Parameters) -> list[str]:
    """Say what is not run of what was asked for, a text each: mechanisms whose images are not here.

    Examples
    --------
    >>> left_out(Parameters(mechanisms=("celeba", "few_digits"), doses=(), absent="left out"))
    ["celeba, which reads a folder of one's own"]
    """
    return [f"{name}, which reads {' and '.join(sets)}" for name, sets in _lacking(parameters).items()]


def _lacking(parameters: Parameters) -> dict[str, tuple[str, ...]]:
    """What the mechanisms that are left out would read."""
    if parameters.absent == REFUSED:
        return {}
    found = {name: MECHANISMS[name].lacking() for name in parameters.mechanisms}
    return {name: sets for name, sets in found.items() if sets} if not all(found.values()) else {}


def authors_file(parameters: Parameters) -> Path | None:
    """The file of the authors' rows as it is named, there or not; else where it is found, or None."""
    if parameters.authors == NONE:
        return None
    if parameters.authors:
        return Path(parameters.authors).expanduser()
    found = (folder / FILE for folder in places.named(FOLDER))
    return next((path for path in found if path.is_file()), None)


def inputs(parameters: Parameters) -> dict[str, str]:
    """Give what the experiment reads: each image set's checksum.

    Examples
    --------
    >>> list(inputs(Parameters()))  # each with its checksum
    ['mnist5k/train', 'mnist5k/test']
    """
    found: dict[str, str] = {}
    for name in present(parameters):
        found |= MECHANISMS[name].inputs()
    return found
