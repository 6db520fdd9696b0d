"""`Recipe`: how a network is trained, and which of the images it is trained on."""

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from math import inf

import torch
from jaxtyping import Int
from torch import Tensor, nn

from mistrust import random
from mistrust.errors import MistrustError, check_known
from mistrust.evaluation.given import real
from mistrust.networks.checks import is_whole

# Share of the learning rate that an epoch has, the first of `epochs` being 0. The MLM paper says that its rate
# decreases, by 1/T² - s/2T³ in epoch s of T in its authors' code, where it is switched off: the rate is constant.
SCHEDULES: dict[str, Callable[[int, int], float]] = {
    "constant": lambda epoch, epochs: 1.0,
    "falling": lambda epoch, epochs: 1 - epoch / (2 * epochs),
}
OPTIMISERS = ("sgd", "adam")
VALIDATION_ROWS = ("shuffled", "last")


def _above_0(number: float) -> bool:
    return 0 < number < inf


def _from_0(number: float) -> bool:
    return 0 <= number < inf


def _below_1(number: float) -> bool:
    return 0 <= number < 1


@dataclass(frozen=True)
class Recipe:
    """How a network is trained: gradient descent on the cross-entropy, shuffled batches.

    The defaults are the MLM paper's (Sikar et al., section 3.1).

    Attributes
    ----------
    epochs, batch : passes over the images, and images a step; at least 1.
    rate, momentum, decay : of the first epoch's rate, above 0, of SGD's momentum, in [0, 1), and of its weight decay,
        from 0 on.
    schedule : an entry of `SCHEDULES`: "constant", or "falling" to 0.55 of the rate in the last of ten epochs.
    optimiser : "sgd" or "adam" (Kingma and Ba 2015, betas 0.9 and 0.999).
    epsilon : what Adam adds to its root, above 0; Keras has 1e-7 and torch 1e-8.
    validation : share of the images, in [0, 1), that no step sees.
    validation_rows : which ones: "shuffled", drawn from the seed, or "last", as Keras's `validation_split` takes them
        from images that nobody shuffled.
    penalty : times the sum of the squared weights of all convolutions' kernels, added to the loss of every batch, as
        Keras's `kernel_regularizer=l2(penalty)` does: no half, no biases, no linear layers; from 0 on. `decay` is on
        everything.

    Raises
    ------
    MistrustError
        A name in no table, epochs or a batch that are no such numbers, a rate, momentum, decay, epsilon, share or
        penalty that is no number or out of range, momentum for Adam.

    Examples
    --------
    >>> recipe = Recipe(epochs=10, rate=0.01, schedule="falling", validation=0.25)
    >>> round(recipe.rate_in(0), 4), round(recipe.rate_in(9), 4)
    (0.01, 0.0055)
    >>> used, held_out = recipe.split(8, seed=0)
    >>> len(used), len(held_out)
    (6, 2)
    >>> Recipe(optimiser="adm")
    Traceback (most recent call last):
    mistrust.errors.UnknownName: There is no optimiser 'adm'. Did you mean 'adam'? Known: adam, sgd.
    """

    epochs: int = 10
    batch: int = 64
    rate: float = 0.01
    momentum: float = 0.0
    decay: float = 0.0
    schedule: str = "constant"
    optimiser: str = "sgd"
    epsilon: float = 1e-7
    validation: float = 0.0
    validation_rows: str = "shuffled"
    penalty: float = 0.0

    def __post_init__(self) -> None:
        check_known("schedule of the learning rate", self.schedule, SCHEDULES)
        check_known("optimiser", self.optimiser, OPTIMISERS)
        check_known("choice of validation rows", self.validation_rows, VALIDATION_ROWS)
        for what, count in (("passes over the images, epochs,", self.epochs), ("images a step, batch,", self.batch)):
            if not is_whole(count, 1):
                raise MistrustError(f"The number of {what} is {count!r}, expected a whole number of at least 1.")
        for what, value, fits, expected in (
            ("The learning rate", self.rate, _above_0, "a positive number such as 0.01"),
            ("The momentum", self.momentum, _below_1, "[0, 1): 0.9, or 0 for none"),
            ("The weight decay", self.decay, _from_0, "0 (none) or more, such as 1e-4"),
            ("Adam's epsilon", self.epsilon, _above_0, "a positive number such as 1e-7"),
            ("The share of validation rows", self.validation, _below_1, "[0, 1): 0.1, or 0"),
            ("The penalty on kernels", self.penalty, _from_0, "0 (none) or more, such as 0.01"),
        ):
            if not (real(value) and fits(value)):
                raise MistrustError(f"{what} is {value!r}, expected {expected}.")
        if self.optimiser == "adam" and self.momentum != 0:
            raise MistrustError(
                f"Momentum {self.momentum} belongs to 'sgd'; 'adam' averages gradients itself. Leave it at 0, or take "
                "optimiser='sgd'."
            )

    def rate_in(self, epoch: int) -> float:
        """Learning rate in an epoch, the first being 0."""
        return self.rate * SCHEDULES[self.schedule](epoch, self.epochs)

    def split(self, n: int, seed: int) -> tuple[Int[Tensor, " m"], Int[Tensor, " v"]]:
        """Positions of the images that are trained on, and of those held out, each in rising order.

        As in Keras, floor(n (1 - validation)) are trained on.

        Parameters
        ----------
        n : how many images there are.
        seed : of the draw, where rows are "shuffled".

        Raises
        ------
        MistrustError
            No whole number of images; none is left to train on.
        """
        if not is_whole(n, 0):
            raise MistrustError(f"n is {n!r}, expected how many images there are, a whole number.")
        count = int(n * (1.0 - self.validation))
        if count < 1 and n:
            raise MistrustError(
                f"Of {n:,} images, a validation share of {self.validation} leaves none to train on: lower it."
            )
        shuffled = self.validation > 0 and self.validation_rows == "shuffled"
        order = random.permutation(seed, "validation", n) if shuffled else torch.arange(n)
        return order[:count].sort().values, order[count:].sort().values

    def build(self, parameters: Iterable[torch.nn.Parameter], device: torch.device) -> torch.optim.Optimizer:
        """Make the optimiser of a network's parameters, which are on `device`."""
        if self.optimiser == "sgd":
            return torch.optim.SGD(parameters, lr=self.rate, momentum=self.momentum, weight_decay=self.decay)
        # One pass over the weights in place of eight or more.
        fused = device.type in ("cpu", "cuda")
        return torch.optim.Adam(
            parameters, lr=self.rate, eps=self.epsilon, weight_decay=self.decay, fused=fused, foreach=False
        )

    def penalised(self, loss: Tensor, network: nn.Module) -> Tensor:
        """Add the penalty on the kernels of a network's convolutions to a batch's loss."""
        if self.penalty == 0:
            return loss
        kernels = [m.weight for m in network.modules() if isinstance(m, (nn.Conv1d, nn.Conv2d, nn.Conv3d))]
        return loss + self.penalty * sum((kernel.square().sum() for kernel in kernels), torch.zeros_like(loss))

    def described(self) -> dict[str, object]:
        """The recipe in the spec of what is made by it, without the fields that say nothing.

        Networks that were kept before a field existed are found as before, and recipes that differ only in what is
        not used (epsilon under SGD) name the same network.
        """
        said: dict[str, object] = asdict(self)
        if self.optimiser == "sgd":
            del said["optimiser"], said["epsilon"]
        if self.validation == 0:
            del said["validation"], said["validation_rows"]
        if self.penalty == 0:
            del said["penalty"]
        return said


def check_recipe(recipe: object) -> None:
    """Refuse what is no `Recipe`."""
    if not isinstance(recipe, Recipe):
        raise MistrustError(f"The recipe is {recipe!r}, expected a Recipe, such as Recipe(epochs=5, rate=0.01).")
