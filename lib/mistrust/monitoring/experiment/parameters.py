"""Parameters of the chapter on safety monitors."""

from dataclasses import dataclass

from mistrust.errors import MistrustError
from mistrust.inputs.faults import FAULTS
from mistrust.networks import ARCHITECTURES
from mistrust.parameters import Checked, parameter
from mistrust.supervisors import SUPERVISORS

CHAPTER = "monitoring"
# The paper's name for a set, by the names of its copies: complete, or those at hand.
PAPERS = {"gtsrb": "gtsrb", "gtsrb-thin": "gtsrb", "cifar10": "cifar10", "cifar10-jpeg": "cifar10"}


@dataclass(frozen=True)
class Parameters(Checked):
    """Parameters of the chapter on safety monitors; the defaults are the `quick` profile.

    Examples
    --------
    >>> Parameters().faults[:2], Parameters().false_alarms
    (('gaussian_noise', 'fog'), 0.05)
    >>> Parameters(runs=3).runs_of("farm-lenet"), Parameters(runs=3).runs_of("resnet20")  # the first, another
    (3, 1)
    >>> Parameters(false_alarms=0.9)
    Traceback (most recent call last):
    mistrust.errors.MistrustError: Parameter 'false_alarms' is 0.9, expected 0.001 to 0.5: ...
    """

    data: tuple[str, ...] = parameter(("mnist5k",), "nominal image sets with a train and a test part", source="IV.A")
    left_out: tuple[str, ...] = parameter(
        ("8", "9"), "classes that no network learns: their images are novelties; not of the paper's own sets"
    )
    novel: tuple[str, ...] = parameter(("photos",), "image sets that are novelties; the paper's sets have their own")
    faults: tuple[str, ...] = parameter(
        ("gaussian_noise", "fog", "contrast", "pixel_trap", "shifted_pixel", "rotated", "fgsm"),
        "fault templates (mistrust list faults); none takes all that the images allow",
    )
    architectures: tuple[str, ...] = parameter(
        ("farm-lenet",), "classifiers (mistrust list architectures)", source="IV.B"
    )
    network_epochs: int = parameter(3, "passes of a classifier over its images; 0 takes its recipe's", low=0)
    runs: int = parameter(1, "networks of the first architecture", low=1, high=100)
    further_runs: int = parameter(1, "networks of each other architecture", low=1, high=100)
    members: int = parameter(2, "networks of an ensemble", low=2, high=100)
    samples: int = parameter(16, "passes with dropout on", low=2, high=1000)
    supervisors: tuple[str, ...] = parameter(
        ("max_softmax", "energy", "knn", "mdsa"), "further monitors (mistrust list supervisors); none takes all"
    )
    alooc_epochs: int = parameter(
        1, "passes of ALOOC over a class's images; the paper has 200", low=1, source="Table I"
    )
    vae_epochs: int = parameter(1, "passes of the autoencoder supervisor", low=1)
    dissector_epochs: int = parameter(1, "passes of Dissector's sub-models at most", low=1)
    trained_on: int = parameter(1200, "nominal training images; 0 takes all", low=0)
    images: int = parameter(400, "nominal test images; 0 takes all", low=0)
    calibration: float = parameter(
        0.4, "share of the test images that sets thresholds and is used for nothing else", low=0.05, high=0.9
    )
    false_alarms: float = parameter(0.05, "share of nominal images that may alarm", low=0.001, high=0.5)
    shown: int = parameter(4, "pictures of each benchmark set", low=1, high=12)
    resamples: int = parameter(50, "bootstrap resamples", low=20, high=10000)
    seed: int = parameter(0, "seed of all draws and networks", low=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.data or not self.architectures:
            raise MistrustError("The chapter needs at least one image set (data) and one classifier (architectures).")
        for name in self.architectures:
            if not ARCHITECTURES[name].surprise:
                known = ", ".join(n for n, one in ARCHITECTURES.items() if one.surprise)
                raise MistrustError(
                    f"Architecture '{name}' does not say which layer is its last hidden one, so monitors of hidden "
                    f"layers cannot watch it. Those that do: {known}."
                )
        for name in self.faults:
            FAULTS[name]
        for name in self.supervisors:
            SUPERVISORS[name]

    def runs_of(self, architecture: str) -> int:
        """How many networks of an architecture are watched."""
        return self.runs if architecture == self.architectures[0] else self.further_runs
