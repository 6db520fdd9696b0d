"""The convolutional variational autoencoder that AmbiGuess's autoencoder supervisor reads.

Kingma and Welling, Auto-encoding variational Bayes, 2014, in the form of Keras's code example "Variational
AutoEncoder" (Chollet, 2020), which AmbiGuess's authors' code follows layer by layer. Keras pads a strided convolution
on the right and below alone.
"""

from dataclasses import asdict, dataclass
from math import ceil

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from mistrust import random
from mistrust.data import ImageSet
from mistrust.inputs.limits import number, whole
from mistrust.networks import INITIALS, initialise
from mistrust.networks import device as find_device
from mistrust.networks.variational import Variational, VariationalRecipe, train_variational
from mistrust.store import Scratch, made, maker


@dataclass(frozen=True)
class VaeRecipe(VariationalRecipe):
    """Size and training; the defaults are those of AmbiGuess's authors (Adam's epsilon is Keras's 1e-7)."""

    latent: int = 2
    epochs: int = 30
    batch: int = 128
    rate: float = 1e-3

    def __post_init__(self) -> None:
        for name in ("latent", "epochs", "batch"):
            object.__setattr__(self, name, whole(f"Autoencoder: {name}", getattr(self, name), 1))
        number("Autoencoder: rate", self.rate)
        super().__post_init__()


class ConvVae(Variational):
    """Two strided convolutions and a layer of 16 to the code, and back; images (n, c, h, w) in [0, 1].

    For 28x28 grey images and two numbers of code the encoder has 69,076 parameters, the decoder 65,089. Images whose
    sides four does not divide are padded below and to the right with zeros, and what is rebuilt there is cut off.
    """

    def __init__(self, shape: tuple[int, int, int], latent: int = 2) -> None:
        super().__init__()
        channels, height, width = shape
        self.shape, self.small = shape, (64, ceil(height / 4), ceil(width / 4))
        flat = 64 * self.small[1] * self.small[2]
        self.encoder = nn.ModuleDict(
            {
                "conv1": nn.Conv2d(channels, 32, 3, 2), "conv2": nn.Conv2d(32, 64, 3, 2),
                "dense": nn.Linear(flat, 16), "mean": nn.Linear(16, latent), "log_variance": nn.Linear(16, latent),
            }
        )  # fmt: skip
        self.decoder = nn.ModuleDict(
            {
                "dense": nn.Linear(latent, flat),
                "up1": nn.ConvTranspose2d(64, 64, 3, 2), "up2": nn.ConvTranspose2d(64, 32, 3, 2),
                "pixels": nn.ConvTranspose2d(32, channels, 3, padding=1),
            }
        )  # fmt: skip

    def posterior(self, x: Float[Tensor, "n c h w"]) -> tuple[Float[Tensor, "n l"], Float[Tensor, "n l"]]:
        """Give mean and logarithm of the variance of q(z | x)."""
        below, right = (4 * side - had for side, had in zip(self.small[1:], self.shape[1:], strict=True))
        hidden = functional.relu(self.encoder["conv1"](functional.pad(x, (0, right + 1, 0, below + 1))))
        hidden = functional.relu(self.encoder["conv2"](functional.pad(hidden, (0, 1, 0, 1))))
        hidden = functional.relu(self.encoder["dense"](hidden.flatten(1)))
        return self.encoder["mean"](hidden), self.encoder["log_variance"](hidden)

    def logits(self, z: Float[Tensor, "n l"]) -> Float[Tensor, "n c h w"]:
        """Give the logits of the pixels at a latent point: the image is their logistic function."""
        hidden = functional.relu(self.decoder["dense"](z)).view(-1, *self.small)
        for name in ("up1", "up2"):
            hidden = functional.relu(self.decoder[name](hidden)[:, :, :-1, :-1])
        return self.decoder["pixels"](hidden)[:, :, : self.shape[1], : self.shape[2]]


def untrained(shape: tuple[int, int, int], recipe: VaeRecipe, seed: int) -> ConvVae:
    """Build one with first weights as Keras draws them: Glorot's uniform ones, biases zero."""
    network = _drawn_anew(shape, recipe.latent)
    initialise(network, seed, "keras")
    for name, layer in network.named_modules():
        if isinstance(layer, nn.ConvTranspose2d):  # weights (in, out, 3, 3): the width takes the sum of both fans
            width, _ = INITIALS["keras"](layer.weight)
            draw = random.generator(seed, f"init/{name}.weight").uniform(-width, width, tuple(layer.weight.shape))
            with torch.no_grad():
                layer.weight.copy_(torch.from_numpy(draw))
                if layer.bias is not None:
                    layer.bias.zero_()
    return network


def train(
    images: ImageSet, recipe: VaeRecipe, seed: int, *, device: str | None = None, scratch: Scratch | None = None
) -> dict[str, Tensor]:
    """Train one and give its weights, on the CPU; goes on from a checkpoint in `scratch`.

    Raises
    ------
    MistrustError
        The loss is no longer finite.
    """
    where = find_device(device)
    # Channels last: the same numbers up to rounding, and faster on a CPU.
    network = untrained(_shape(images), recipe, seed).to(where).to(memory_format=torch.channels_last)
    fused = where.type in ("cpu", "cuda")
    optimiser = torch.optim.Adam(network.parameters(), lr=recipe.rate, eps=1e-7, fused=fused, foreach=False)
    return train_variational(network, optimiser, images.images, recipe, seed, "conv vae", scratch)


def with_weights(shape: tuple[int, int, int], weights: dict[str, Tensor]) -> ConvVae:
    """Build one that has these weights, in evaluation mode, on the CPU."""
    network = _drawn_anew(shape, len(weights["encoder.mean.bias"]))
    network.load_state_dict(weights)
    return network.eval()


def _drawn_anew(shape: tuple[int, int, int], latent: int) -> ConvVae:
    """One whose weights are replaced afterwards: layers draw some, and here not from everyone's numbers."""
    with torch.random.fork_rng(devices=[]):
        return ConvVae(shape, latent)


def _shape(images: ImageSet) -> tuple[int, int, int]:
    channels, height, width = images.images.shape[1:]
    return channels, height, width


def _smoke() -> dict[str, Tensor]:
    """Train on a few tiny images; sums rounded, since machines differ in the last digits."""
    pixels = random.uniform(0, "smoke", torch.arange(8), (1, 4, 6))
    tiny = ImageSet("smoke", pixels, torch.arange(8) % 2, torch.arange(8), ("a", "b"))
    found = train(tiny, VaeRecipe(epochs=3, batch=4), 0, device="cpu")
    return {name: values.double().abs().sum().round(decimals=3) for name, values in found.items()}


CONV_VAE = maker("conv-vae", version=1, content="tensors", smoke=_smoke)


def conv_vae(images: ImageSet, recipe: VaeRecipe | None = None, seed: int = 0, *, device: str | None = None) -> ConvVae:
    """Give a trained one from the store, or train it (resumable after a kill); on the CPU, in evaluation mode."""
    recipe = recipe or VaeRecipe()
    spec = {
        "data": {"name": images.name, "checksum": images.checksum}, "recipe": asdict(recipe), "seed": seed,
    }  # fmt: skip
    weights = made(CONV_VAE, spec, lambda scratch: train(images, recipe, seed, device=device, scratch=scratch))
    return with_weights(_shape(images), weights)
