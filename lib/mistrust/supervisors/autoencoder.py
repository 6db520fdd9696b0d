"""The autoencoder supervisor: how badly is an image rebuilt from two numbers?

Stocco, Weiss, Calzana and Tonella, "Misbehaviour prediction for autonomous driving systems", ICSE 2020, with the
variational autoencoder of AmbiGuess (Weiss and others, section VII B; `conv_vae` has its layers).
"""

from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from hashlib import sha256
from math import log

import torch
from jaxtyping import Float, Float64
from torch import Tensor
from torch.nn import functional
from torch.utils.weak import WeakIdKeyDictionary

from mistrust.data import ImageSet
from mistrust.errors import MistrustError, check_known
from mistrust.inputs.limits import number
from mistrust.networks import Record
from mistrust.store import digest
from mistrust.supervisors.card import Card
from mistrust.supervisors.contract import Fitted, Supervisor, supervisor
from mistrust.supervisors.conv_vae import VaeRecipe, conv_vae, with_weights

# Images that are rebuilt at once: float64 layers of more leave the cache.
BLOCK = 32
# Bytes of rebuilt images that are kept at most: 64 MiB, 10,000 grey images of 28x28.
KEPT = 2**26


@dataclass
class Kept:
    """What the latest network rebuilt, which supervisors that differ in the error share.

    Attributes
    ----------
    network : hash of its weights.
    blocks : of images, as long as these live: a hash of the pixels and the logits, by the first row and the number of
        rows. The pixels of a tensor may change in place.
    """

    network: str = ""
    blocks: MutableMapping[Tensor, dict[tuple[int, int], tuple[bytes, Tensor]]] = field(
        default_factory=WeakIdKeyDictionary
    )

    def logits(self, network: str, images: ImageSet, rows: Tensor, make: Callable[[Tensor], Tensor]) -> Tensor:
        """Give the logits of some rows, float64: those that are kept, or new ones of their pixels in [0, 1]."""
        some, size = images.take(rows), 8 * images.images.numel()
        pixels = some.floats().double()
        if size > KEPT:
            return make(pixels)
        others = 8 * sum(one.numel() for one in self.blocks if one is not images.images)
        if network != self.network or others + size > KEPT:
            self.blocks.clear()
            self.network = network
        known, here = self.blocks.setdefault(images.images, {}), (int(rows[0]), len(rows))
        shown = sha256(some.images.detach().cpu().contiguous().view(-1).numpy().data).digest()
        if here not in known or known[here][0] != shown:
            known[here] = shown, make(pixels)
        return known[here][1]


_KEPT = Kept()


def cross_entropy(
    logits: Float[Tensor, "n c h w"], pixels: Float[Tensor, "n c h w"], clip: float = 1e-7
) -> Float64[Tensor, " n"]:
    """Sum over pixels of the binary cross-entropy in nats, from 0 on; at most 16.1 a pixel with `clip` 1e-7.

    Parameters
    ----------
    logits : of the rebuilt pixels; their logistic function is the rebuilt image.
    pixels : in [0, 1].
    clip : rebuilt pixels are taken into [clip, 1 - clip] first, as Keras does; 0 leaves them.
    """
    sure = log(1 / clip - 1) if clip > 0 else float("inf")
    bounded, truth = logits.double().clamp(-sure, sure), pixels.double()
    errors = functional.binary_cross_entropy_with_logits(bounded, truth, reduction="none")
    return errors.flatten(1).sum(1)


def excess(
    logits: Float[Tensor, "n c h w"], pixels: Float[Tensor, "n c h w"], clip: float = 1e-7
) -> Float64[Tensor, " n"]:
    """The cross-entropy without its floor, the pixels' own entropy: what better rebuilding could save, in nats.

    The floor is zero for pixels that are 0 or 1, and 0.69 for each that is 0.5: of two images that are rebuilt
    equally well, the cross-entropy calls the greyer one worse.
    """
    truth = pixels.double()
    floor = -(torch.special.xlogy(truth, truth) + torch.special.xlogy(1 - truth, 1 - truth))
    return cross_entropy(logits, pixels, clip) - floor.flatten(1).sum(1)


def squared(
    logits: Float[Tensor, "n c h w"], pixels: Float[Tensor, "n c h w"], clip: float = 1e-7
) -> Float64[Tensor, " n"]:
    """Mean squared error of the pixels, in [0, 1]; `clip` is not used."""
    return (logits.double().sigmoid() - pixels.double()).square().flatten(1).mean(1)


ERRORS: dict[str, Callable[[Tensor, Tensor, float], Tensor]] = {
    "bce": cross_entropy,
    "excess": excess,
    "mse": squared,
}


@supervisor("autoencoder")
@dataclass(eq=False)
class Autoencoder(Supervisor):
    """The reconstruction error of a variational autoencoder of the training images; the classifier is not asked.

    An image is rebuilt from the mean of its code, nothing is drawn. The autoencoder is kept in the store: supervisors
    that differ in `error` share one, and training that was killed goes on after its last whole epoch.

    Attributes
    ----------
    error : an entry of `ERRORS`: "bce", the sum of the pixels' binary cross-entropies as AmbiGuess has it, "excess",
        the same above the pixels' own entropy, or "mse".
    clip : see `cross_entropy`; Keras's 1e-7.
    latent, epochs, batch, rate : see `VaeRecipe`.
    seed : of first weights, order of images and noise.
    device : that training runs on: "auto", "cpu", "cuda", "mps"; None asks the environment.

    Raises
    ------
    MistrustError
        A parameter out of its range or in no table.
    """

    card = Card(
        "Autoencoder", "reconstruction",
        "Stocco, Weiss, Calzana and Tonella, Misbehaviour prediction for autonomous driving systems, ICSE 2020; "
        "Kingma and Welling, Auto-encoding variational Bayes, 2014",
        "AmbiGuess, section VII B", "https://arxiv.org/abs/1910.04443", ("pixels",),
        "Fitting trains an autoencoder, up to an hour for 80,000 images of 28x28 on one core; scoring takes about a "
        "millisecond an image. Memory: 134,165 weights.",
        fits=("pixels",),
        limits="With cross-entropy greyness counts: an image of pure black and white has a low error, however badly "
        "it is rebuilt.",
    )  # fmt: skip

    error: str = "bce"
    clip: float = 1e-7
    latent: int = 2
    epochs: int = 30
    batch: int = 128
    rate: float = 1e-3
    seed: int = 0
    device: str | None = None

    def __post_init__(self) -> None:
        _ = self.recipe
        check_known("error of a rebuilt image", self.error, ERRORS)
        if not 0 <= number("clip", self.clip) < 0.5:
            raise MistrustError(f"clip is {self.clip}, expected [0, 0.5): 1e-7, or 0 to leave rebuilt pixels alone.")

    @property
    def recipe(self) -> VaeRecipe:
        """How the autoencoder is trained."""
        return VaeRecipe(self.latent, self.epochs, self.batch, self.rate)

    def _fit(self, record: Record, layers: tuple[str, ...]) -> Mapping[str, Tensor]:
        network = conv_vae(record.images, self.recipe, self.seed, device=self.device)
        weights = {f"network/{name}": values for name, values in network.state_dict().items()}
        return {**weights, "shape": torch.tensor(network.shape)}

    @torch.no_grad()
    def _score(self, record: Record, learnt: Fitted) -> Tensor:
        channels, height, width = learnt.state["shape"].tolist()
        found = tuple(record.images.images.shape[1:])
        if found != (channels, height, width):
            raise MistrustError(
                f"Autoencoder: these images have shape {found} (channels, height, width), and it was fitted on "
                f"{(channels, height, width)}. Resize them, or fit it again on images like these."
            )
        weights = {n.removeprefix("network/"): v for n, v in learnt.state.items() if n.startswith("network/")}
        # float64: an image's error does not depend on how many are rebuilt at once.
        network = with_weights((channels, height, width), weights).double()
        scores = torch.empty(len(record), dtype=torch.float64)
        name = digest(weights)
        for rows in torch.arange(len(record)).split(BLOCK) if len(record) else ():  # of no rows torch makes one part
            logits = _KEPT.logits(name, record.images, rows, lambda x: network.logits(network.posterior(x)[0]))
            scores[rows] = ERRORS[self.error](logits, record.images.take(rows).floats(), self.clip)
        return scores
