"""How ALOOC's networks are trained, and the optimisers that change many members at once."""

from collections.abc import Callable
from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor
from torch.optim.adam import adam

from mistrust.errors import MistrustError, check_known
from mistrust.inputs.limits import number, whole

# Added to the roots of mean squares, Keras's; the share that RMSProp keeps of them; where it cuts gradients off.
EPSILON, KEPT, CLIP = 1e-7, 0.9, 1.0
# (values, gradients, first moments, second moments, steps done (k,), rate): all (k, ...), changed in place.
Optimiser = Callable[[Tensor, Tensor, Tensor, Tensor, Tensor, float], None]


def adam_step(
    values: Float[Tensor, "k ..."],
    gradients: Float[Tensor, "k ..."],
    first: Float[Tensor, "k ..."],
    second: Float[Tensor, "k ..."],
    steps: Float[Tensor, " k"],
    rate: float,
) -> None:
    """Adam (Kingma and Ba 2015) with a first moment of 0.5, as generative adversarial networks have it."""
    # One row per member: each has its own number of steps.
    rows = [list(one) for one in (values, gradients, first, second, steps)]
    adam(
        rows[0], rows[1], rows[2], rows[3], [], rows[4], fused=True, amsgrad=False, beta1=0.5, beta2=0.999, lr=rate,
        weight_decay=0.0, eps=EPSILON, maximize=False,
    )  # fmt: skip


def rmsprop_step(
    values: Float[Tensor, "k ..."],
    gradients: Float[Tensor, "k ..."],
    first: Float[Tensor, "k ..."],
    second: Float[Tensor, "k ..."],
    steps: Float[Tensor, " k"],
    rate: float,
) -> None:
    """RMSProp (Tieleman and Hinton 2012) on gradients cut off at 1; it needs no first moment."""
    cut = gradients.clamp(-CLIP, CLIP)
    second.mul_(KEPT).addcmul_(cut, cut, value=1 - KEPT)
    values.addcdiv_(cut, second.sqrt().add_(EPSILON), value=-rate)


OPTIMISERS: dict[str, Optimiser] = {"adam": adam_step, "rmsprop": rmsprop_step}


@dataclass(frozen=True)
class AloocRecipe:
    """How a refiner and its discriminator are trained.

    The paper tells epochs and optimisers, and that Adam did better (Ferreira and others, PRDC 2021, table I and section
    V). The rest is of the common Keras port of Sabokrou and others' code, which the published file sizes fit.

    Attributes
    ----------
    epochs, batch : passes over a class's images, and images a step; the last step of an epoch takes what is left.
    rate, optimiser : an entry of `OPTIMISERS`.
    noise : standard deviation of what is added to an image, in [0, 1], before it is clipped to [0, 1]; drawn once.
    weight : of the rebuilding error against being taken for real.

    Examples
    --------
    >>> AloocRecipe(epochs=50).optimiser
    'adam'
    >>> AloocRecipe(optimiser="adm")
    Traceback (most recent call last):
    mistrust.errors.UnknownName: There is no optimiser of ALOOC 'adm'. Did you mean 'adam'? Known: adam, rmsprop.
    """

    epochs: int = 200
    batch: int = 128
    rate: float = 0.002
    optimiser: str = "adam"
    noise: float = 0.155
    weight: float = 0.2

    def __post_init__(self) -> None:
        for name in ("epochs", "batch"):
            object.__setattr__(self, name, whole(f"ALOOC: {name}", getattr(self, name), 1))
        rate, noise, weight = (number(f"ALOOC: {name}", getattr(self, name)) for name in ("rate", "noise", "weight"))
        if not rate > 0 or not noise >= 0 or not weight > 0:
            raise MistrustError(f"{self}: rate and weight are above 0, and noise from 0 on.")
        check_known("optimiser of ALOOC", self.optimiser, OPTIMISERS)
