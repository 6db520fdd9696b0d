"""A plain variational autoencoder of all classes: the rival whose latent midpoints AmbiGuess is compared with.

Kingma and Welling, Auto-encoding variational Bayes, 2014: one hidden layer each way, Bernoulli pixels, a standard
normal prior. It knows nothing of classes, and nothing clears the space between them.
"""

from dataclasses import asdict, dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from mistrust import random
from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.networks import device as find_device
from mistrust.networks.architectures import initialise
from mistrust.progress import bar
from mistrust.store import Scratch, made, maker


@dataclass(frozen=True)
class PlainRecipe:
    """Sizes and training; the defaults are those of PyTorch's own example of this network.

    Attributes
    ----------
    hidden, latent : units of the hidden layers, and of the latent space.
    epochs, batch, rate : passes over the images, images a step, Adam's rate.
    """

    hidden: int = 400
    latent: int = 20
    epochs: int = 10
    batch: int = 128
    rate: float = 1e-3

    def __post_init__(self) -> None:
        if min(self.hidden, self.latent, self.epochs, self.batch) < 1 or not self.rate > 0:
            raise MistrustError(f"{self}: every size is at least 1, and the rate is above 0.")


class PlainVae(nn.Module):
    """The network, on flat images of `pixels` numbers in [0, 1]."""

    def __init__(self, pixels: int, recipe: PlainRecipe) -> None:
        super().__init__()
        self.encoder = nn.Linear(pixels, recipe.hidden)
        self.mean = nn.Linear(recipe.hidden, recipe.latent)
        self.log_variance = nn.Linear(recipe.hidden, recipe.latent)
        self.decoder = nn.Linear(recipe.latent, recipe.hidden)
        self.pixels = nn.Linear(recipe.hidden, pixels)

    def encode(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "n l"]:
        """Give the mean of q(z | x)."""
        return self.mean(functional.relu(self.encoder(x)))

    def decode(self, z: Float[Tensor, "n l"]) -> Float[Tensor, "n d"]:
        """Give the image at a latent point, in [0, 1]."""
        return self.pixels(functional.relu(self.decoder(z))).sigmoid()

    def loss(self, x: Float[Tensor, "n d"], noise: Float[Tensor, "n l"]) -> Float[Tensor, ""]:
        """Give minus the evidence bound in nats, the mean over images; `noise` is standard normal."""
        hidden = functional.relu(self.encoder(x))
        mean, log_variance = self.mean(hidden), self.log_variance(hidden)
        logits = self.pixels(functional.relu(self.decoder(mean + noise * (log_variance / 2).exp())))
        error = functional.binary_cross_entropy_with_logits(logits, x, reduction="sum")
        divergence = (mean.square() + log_variance.exp() - 1 - log_variance).sum() / 2
        return (error + divergence) / len(x)


def train(
    images: ImageSet, recipe: PlainRecipe, seed: int, *, device: str | None = None, scratch: Scratch | None = None
) -> dict[str, Tensor]:
    """Train one and give its weights, on the CPU; goes on from a checkpoint in `scratch`.

    Raises
    ------
    MistrustError
        The loss is no longer finite.
    """
    where = find_device(device)
    network = PlainVae(images.images[0].numel(), recipe)
    initialise(network, seed)
    network.to(where)
    optimiser = torch.optim.Adam(network.parameters(), lr=recipe.rate)
    first = _restore(network, optimiser, scratch)
    pixels = images.images.flatten(1).to(where)
    with bar(recipe.epochs, "plain autoencoder", "epoch") as progress:
        progress.update(first)
        for epoch in range(first, recipe.epochs):
            total = torch.zeros((), device=where)
            # All of an epoch's noise at once: drawn batch by batch, every block of draws would be made many times.
            noise = random.normal(seed, f"plain vae/noise/{epoch}", torch.arange(len(pixels)), (recipe.latent,))
            for here in random.permutation(seed, f"plain vae/order/{epoch}", len(pixels)).split(recipe.batch):
                x = pixels[here.to(where)]
                loss = network.loss(x.to(torch.float32) / 255 if x.dtype == torch.uint8 else x, noise[here].to(where))
                optimiser.zero_grad(set_to_none=True)
                loss.backward()
                optimiser.step()
                total += loss.detach() * len(here)
            if not torch.isfinite(total):
                raise MistrustError(
                    f"The plain autoencoder stopped in epoch {epoch + 1}: its loss is {float(total)}. Lower the rate "
                    f"{recipe.rate:g}."
                )
            progress.say(loss=f"{float(total) / len(pixels):.1f}")
            progress.update()
            if scratch is not None and epoch + 1 < recipe.epochs:
                scratch.save(_checkpoint(network, optimiser, epoch + 1))
    return {name: values.detach().cpu().clone() for name, values in network.state_dict().items()}


def _checkpoint(network: nn.Module, optimiser: torch.optim.Adam, epoch: int) -> dict[str, Tensor]:
    kept = {f"network/{name}": values.detach().cpu().clone() for name, values in network.state_dict().items()}
    for index, state in optimiser.state_dict()["state"].items():
        kept |= {f"adam/{index}/{name}": values.detach().cpu().clone() for name, values in state.items()}
    return {**kept, "epoch": torch.tensor(epoch)}


def _restore(network: nn.Module, optimiser: torch.optim.Adam, scratch: Scratch | None) -> int:
    """Put back the last checkpoint; gives the number of epochs that are done."""
    kept = scratch.load() if scratch is not None else None
    if kept is None:
        return 0
    network.load_state_dict({n.removeprefix("network/"): v for n, v in kept.items() if n.startswith("network/")})
    state = optimiser.state_dict()
    for name, values in kept.items():
        if name.startswith("adam/"):
            _, index, what = name.split("/")
            state["state"].setdefault(int(index), {})[what] = values
    optimiser.load_state_dict(state)
    return int(kept["epoch"])


def _smoke() -> dict[str, Tensor]:
    """Train on a few tiny images; sums rounded, since machines differ in the last digits."""
    pixels = random.uniform(0, "smoke", torch.arange(8), (1, 4, 4))
    tiny = ImageSet("smoke", pixels, torch.arange(8) % 2, torch.arange(8), ("a", "b"))
    found = train(tiny, PlainRecipe(6, 2, epochs=3, batch=4), 0, device="cpu")
    return {name: values.double().abs().sum().round(decimals=3) for name, values in found.items()}


PLAIN_VAE = maker("plain-vae", version=1, content="tensors", smoke=_smoke)


def plain_vae(
    images: ImageSet, recipe: PlainRecipe | None = None, seed: int = 0, *, device: str | None = None
) -> PlainVae:
    """Give a trained one from the store, or train it (resumable after a kill); on the CPU, in evaluation mode."""
    recipe = recipe or PlainRecipe()
    spec = {
        "data": {"name": images.name, "checksum": images.checksum}, "recipe": asdict(recipe), "seed": seed,
    }  # fmt: skip
    weights = made(PLAIN_VAE, spec, lambda scratch: train(images, recipe, seed, device=device, scratch=scratch))
    network = PlainVae(images.images[0].numel(), recipe)
    network.load_state_dict(weights)
    return network.eval()
