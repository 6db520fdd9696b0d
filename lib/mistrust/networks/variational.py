"""Training a variational autoencoder, whatever its layers.

Kingma and Welling, Auto-encoding variational Bayes, 2014.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from math import ceil

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from mistrust import random
from mistrust.errors import MistrustError
from mistrust.networks.checkpoints import checkpoint, restore
from mistrust.progress import bar
from mistrust.store import Scratch


@dataclass(frozen=True)
class VariationalRecipe:
    """Size of the code, and training.

    Attributes
    ----------
    latent : numbers of the code, at least 1.
    epochs, batch, rate : passes over the images, images a step, Adam's rate.
    """

    latent: int
    epochs: int
    batch: int
    rate: float

    def __post_init__(self) -> None:
        sizes = [getattr(self, one.name) for one in fields(self) if one.name != "rate"]
        if min(sizes) < 1 or any(size % 1 for size in sizes) or not self.rate > 0:
            raise MistrustError(
                f"{self}: every size and number of passes is a whole number, at least 1, and the rate is above 0."
            )


class Variational(nn.Module, ABC):
    """An encoder to a normal law over codes, and a decoder to the logits of independent pixels."""

    @abstractmethod
    def posterior(self, x: Tensor) -> tuple[Float[Tensor, "n l"], Float[Tensor, "n l"]]:
        """Give mean and logarithm of the variance of q(z | x)."""

    @abstractmethod
    def logits(self, z: Float[Tensor, "n l"]) -> Tensor:
        """Give the logits of the pixels at a code: the image is their logistic function."""

    def loss(self, x: Tensor, noise: Float[Tensor, "n l"]) -> Float[Tensor, ""]:
        """Give minus the evidence bound in nats, the mean over images; `noise` is standard normal."""
        mean, log_variance = self.posterior(x)
        logits = self.logits(mean + noise * (log_variance / 2).exp())
        error = functional.binary_cross_entropy_with_logits(logits, x, reduction="sum")
        divergence = (mean.square() + log_variance.exp() - 1 - log_variance).sum() / 2
        return (error + divergence) / len(x)


def train_variational(
    network: Variational,
    optimiser: torch.optim.Optimizer,
    pixels: Tensor,
    recipe: VariationalRecipe,
    seed: int,
    name: str,
    scratch: Scratch | None = None,
) -> dict[str, Tensor]:
    """Train, and give the weights, on the CPU; goes on from a checkpoint in `scratch`.

    Parameters
    ----------
    network, optimiser : with its first weights, on the device where it is trained; and its steps.
    pixels : (n, ...) images as the network reads them: uint8, or floats in [0, 1].
    seed, name : order and noise are drawn from both; the name stands at the progress bar and in messages.

    Raises
    ------
    MistrustError
        The loss is no longer finite.
    """
    where = next(network.parameters()).device
    first, pixels = restore(network, optimiser, scratch), pixels.to(where)
    steps = ceil(len(pixels) / recipe.batch)
    with bar(recipe.epochs * steps, name, "batch") as progress:
        progress.update(first * steps)
        for epoch in range(first, recipe.epochs):
            total = torch.zeros((), device=where)
            # All of an epoch's noise at once: drawn batch by batch, every block of draws would be made many times.
            noise = random.normal(seed, f"{name}/noise/{epoch}", torch.arange(len(pixels)), (recipe.latent,))
            for here in random.permutation(seed, f"{name}/order/{epoch}", len(pixels)).split(recipe.batch):
                x = pixels[here.to(where)]
                loss = network.loss(x.to(torch.float32) / 255 if x.dtype == torch.uint8 else x, noise[here].to(where))
                optimiser.zero_grad(set_to_none=True)
                loss.backward()
                optimiser.step()
                total += loss.detach() * len(here)
                progress.update()
            if not torch.isfinite(total):
                raise MistrustError(
                    f"The autoencoder ({name}) stopped in epoch {epoch + 1}: its loss is {float(total)}. Lower the "
                    f"rate {recipe.rate:g}."
                )
            progress.say(epoch=epoch + 1, loss=f"{float(total) / len(pixels):.1f}")
            if scratch is not None and epoch + 1 < recipe.epochs and scratch.due():
                scratch.save(checkpoint(network, optimiser, epoch + 1))
    return {key: values.detach().cpu().contiguous().clone() for key, values in network.state_dict().items()}
