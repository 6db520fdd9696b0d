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
from mistrust.networks import device as find_device
from mistrust.networks import initialise
from mistrust.networks.variational import Variational, VariationalRecipe, train_variational
from mistrust.store import Scratch, made, maker


@dataclass(frozen=True)
class PlainRecipe(VariationalRecipe):
    """Sizes and training; the defaults are those of PyTorch's own example of this network.

    Attributes
    ----------
    hidden : units of the hidden layers.

    Examples
    --------
    >>> recipe = PlainRecipe(latent=2)
    >>> recipe.latent, recipe.hidden, recipe.epochs
    (2, 400, 10)
    >>> PlainRecipe(latent=0)
    Traceback (most recent call last):
    mistrust.errors.MistrustError: ... every size and number of passes is a whole number, at least 1, ...
    """

    latent: int = 20
    epochs: int = 10
    batch: int = 128
    rate: float = 1e-3
    hidden: int = 400


class PlainVae(Variational):
    """The network, on flat images of `pixels` numbers in [0, 1].

    Examples
    --------
    >>> network = PlainVae(64, PlainRecipe(latent=2, hidden=16))
    >>> z = network.encode(torch.rand(5, 64))
    >>> z.shape, network.decode(z).shape
    (torch.Size([5, 2]), torch.Size([5, 64]))
    """

    def __init__(self, pixels: int, recipe: PlainRecipe) -> None:
        super().__init__()
        self.encoder = nn.Linear(pixels, recipe.hidden)
        self.mean = nn.Linear(recipe.hidden, recipe.latent)
        self.log_variance = nn.Linear(recipe.hidden, recipe.latent)
        self.decoder = nn.Linear(recipe.latent, recipe.hidden)
        self.pixels = nn.Linear(recipe.hidden, pixels)

    def posterior(self, x: Float[Tensor, "n d"]) -> tuple[Float[Tensor, "n l"], Float[Tensor, "n l"]]:
        """Give mean and logarithm of the variance of q(z | x)."""
        hidden = functional.relu(self.encoder(x))
        return self.mean(hidden), self.log_variance(hidden)

    def logits(self, z: Float[Tensor, "n l"]) -> Float[Tensor, "n d"]:
        """Give the logits of the pixels at a latent point."""
        return self.pixels(functional.relu(self.decoder(z)))

    def encode(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "n l"]:
        """Give the mean of q(z | x)."""
        return self.posterior(x)[0]

    def decode(self, z: Float[Tensor, "n l"]) -> Float[Tensor, "n d"]:
        """Give the image at a latent point, in [0, 1]."""
        return self.logits(z).sigmoid()


def train(
    images: ImageSet, recipe: PlainRecipe, seed: int, *, device: str | None = None, scratch: Scratch | None = None
) -> dict[str, Tensor]:
    """Train one and give its weights, on the CPU; goes on from a checkpoint in `scratch`.

    Raises
    ------
    MistrustError
        The loss is no longer finite.
    """
    network = PlainVae(images.images[0].numel(), recipe)
    initialise(network, seed)
    network.to(find_device(device))
    optimiser = torch.optim.Adam(network.parameters(), lr=recipe.rate)
    return train_variational(network, optimiser, images.images.flatten(1), recipe, seed, "plain vae", scratch)


def _smoke() -> dict[str, Tensor]:
    """Train on a few tiny images; sums rounded, since machines differ in the last digits."""
    pixels = random.uniform(0, "smoke", torch.arange(8), (1, 4, 4))
    tiny = ImageSet("smoke", pixels, torch.arange(8) % 2, torch.arange(8), ("a", "b"))
    found = train(tiny, PlainRecipe(hidden=6, latent=2, epochs=3, batch=4), 0, device="cpu")
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
