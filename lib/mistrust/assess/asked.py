"""`Asked`: what a user asks of `mistrust assess`, checked as far as it can be before anything is read."""

from dataclasses import dataclass, fields

from mistrust.assess.models.scaling import Scaling
from mistrust.errors import MistrustError

LEAST_MINUTES = 1e-6  # every part then reads as few images as it can

# What is asked of a model or of images, by the options' names: of no use where what a model said is given.
OF_A_MODEL = {
    "scaling": "--mean and --std", "size": "--size", "channels": "--channels", "layer": "--layer", "limit": "--limit",
    "minutes": "--minutes", "trust": "--trust", "force": "--force",
}  # fmt: skip


@dataclass(frozen=True)
class Asked:
    """One assessment.

    Attributes
    ----------
    model : a file, MODULE:NAME or FILE.py:NAME; "" where outputs are given.
    images : folder of labelled images that the model was not trained on; "" for outputs alone.
    train : folder of training images; "" for none.
    outputs, train_outputs : files of what a model said, in its place.
    classes : file of class names in the order of the outputs; "": the folder's names, sorted.
    scaling : what the model sees of images in [0, 1]; None for the images themselves.
    size, channels : of the images, where they are to be converted.
    layer : the layer that supervisors read; "": found.
    limit : most images that are read.
    budget : images on the list to label.
    minutes : about how long it may take on this machine.
    seed : of all draws.
    trust : read torch.export files and pickled modules.
    force : go on where the input range looks wrong.

    Raises
    ------
    MistrustError
        Neither model nor outputs, or both; a model without images; outputs, and what only a model needs; a number out
        of range.

    Examples
    --------
    >>> Asked(model="model.onnx", images="photos", budget=20).minutes  # nothing is read yet
    5.0
    >>> Asked(model="model.onnx")
    Traceback (most recent call last):
    mistrust.errors.MistrustError: On which images? Name a folder of labelled images by --images FOLDER.
    """

    model: str = ""
    images: str = ""
    train: str = ""
    outputs: str = ""
    train_outputs: str = ""
    classes: str = ""
    scaling: Scaling | None = None
    size: tuple[int, int] | None = None
    channels: int = 0
    layer: str = ""
    limit: int = 2000
    budget: int = 50
    minutes: float = 5.0
    seed: int = 0
    trust: bool = False
    force: bool = False

    def __post_init__(self) -> None:
        if bool(self.model) == bool(self.outputs):
            raise MistrustError(
                "Nothing to assess: name a model by --model FILE_OR_MODULE:NAME, or what one said by --outputs FILE."
                if not self.model else "Name a model by --model or what one said by --outputs, not both."
            )  # fmt: skip
        if self.model and not self.images:
            raise MistrustError("On which images? Name a folder of labelled images by --images FOLDER.")
        if self.outputs and (self.images or self.train):
            raise MistrustError(
                "--outputs needs no images: leave --images and --train out (features of training images go into "
                "--train-outputs FILE)."
            )
        if self.outputs:
            idle = [
                one.name for one in fields(self) if one.name in OF_A_MODEL and getattr(self, one.name) != one.default
            ]
            if idle:
                told = ", ".join(OF_A_MODEL[name] for name in idle)
                raise MistrustError(f"{told}: of no use with --outputs, which holds what a model said. Leave it out.")
        if self.train_outputs and not self.outputs:
            raise MistrustError("--train-outputs goes with --outputs; with a model, name a folder by --train.")
        for name, value, low in (
            ("limit", self.limit, 20),
            ("budget", self.budget, 1),
            ("minutes", self.minutes, LEAST_MINUTES),
        ):
            if not value >= low:
                raise MistrustError(f"--{name} is {value:g}, expected at least {low:g}.")
        if self.channels not in (0, 1, 3):
            raise MistrustError(f"--channels is {self.channels}, expected 1 (grey) or 3 (colour).")
