"""The supervisor: the rebuilding error of the predicted class's refiner."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Float, Float64
from torch import Tensor
from torch.nn import functional

from mistrust.errors import MistrustError
from mistrust.inputs.limits import whole
from mistrust.networks import Record
from mistrust.supervisors.alooc.networks import ENCODER, Design, refined
from mistrust.supervisors.alooc.recipe import AloocRecipe
from mistrust.supervisors.alooc.training import trained_refiners
from mistrust.supervisors.card import Card
from mistrust.supervisors.contract import Fitted, Supervisor, supervisor

# Images that are rebuilt at once.
BLOCK = 128
# Keras's: pixels are taken into [CLIP, 1 - CLIP] before their logarithm.
CLIP = 1e-7


def rebuilding_entropy(logits: Float[Tensor, "n c h w"], pixels: Float[Tensor, "n c h w"]) -> Float64[Tensor, " n"]:
    """Mean over pixels of the binary cross-entropy in nats of the image by what was rebuilt, from 0 on.

    Parameters
    ----------
    logits : of the rebuilt pixels.
    pixels : of the image, in [0, 1]: the target, as in training.

    Examples
    --------
    A pixel of 1, rebuilt as grey (logit 0) costs ln 2, rebuilt as almost white next to nothing:

    >>> rebuilding_entropy(torch.tensor([0.0, 9.0]).view(2, 1, 1, 1), torch.ones(2, 1, 1, 1)).round(decimals=3)
    tensor([0.6930, 0.0000], dtype=torch.float64)
    """
    errors = functional.binary_cross_entropy_with_logits(logits.double(), pixels.double(), reduction="none")
    return errors.flatten(1).mean(1)


def swapped_entropy(logits: Float[Tensor, "n c h w"], pixels: Float[Tensor, "n c h w"]) -> Float64[Tensor, " n"]:
    """The same with its arguments exchanged, as the PRDC code has it: what was rebuilt is the target.

    A pixel that is exactly 0 or 1 costs up to 16.1 nats, however well it was rebuilt.

    Examples
    --------
    Rebuilt as almost white, a white pixel costs little; rebuilt as grey it costs half of 16.1 nats, not ln 2:

    >>> swapped_entropy(torch.tensor([9.0, 0.0]).view(2, 1, 1, 1), torch.ones(2, 1, 1, 1)).round(decimals=2)
    tensor([0.0000, 8.0600], dtype=torch.float64)
    """
    given, target = pixels.double().clamp(CLIP, 1 - CLIP), logits.double().sigmoid()
    return -(target * given.log() + (1 - target) * (-given).log1p()).flatten(1).mean(1)


@supervisor("alooc")
@dataclass(eq=False)
class Alooc(Supervisor):
    """How badly the refiner of the predicted class rebuilds the image: mean binary cross-entropy of a pixel, in nats.

    Each class has a refiner of its own, trained on the images of its label against a discriminator. What is predicted
    as a class without training images scores +inf. The natural threshold is one per class (`ClassMean`, as published,
    raises about half of all nominal images; `Quantile` with `by_class=True` does not).

    Refiners are kept in the store, and training that was killed goes on where it was.

    Attributes
    ----------
    as_published : the error with its arguments exchanged, see `swapped_entropy`.
    epochs, batch, rate, optimiser, noise, weight : see `AloocRecipe`.
    seed : of first weights, order of images and noise.
    group : classes that are trained at once, at most: memory grows with it. On a CPU so many learn on each thread.
    device : that training runs on: "auto", "cpu", "cuda", "mps"; None asks the environment.

    Raises
    ------
    MistrustError
        A parameter out of its range or in no table.

    Examples
    --------
    No training image is labelled "dazzling", and what is predicted as that is as suspicious as can be:

    >>> from mistrust.data import ImageSet
    >>> from mistrust.networks import observe, wrap
    >>> pixels, ids = torch.linspace(0, 1, 8).view(8, 1, 1, 1).repeat(1, 1, 8, 8), torch.arange(8)
    >>> images = ImageSet("grey", pixels, ids // 4, ids, ("dark", "bright", "dazzling"))
    >>> nearest = wrap(lambda x: -(x.mean((1, 2, 3))[:, None] - torch.tensor([0.0, 0.5, 1.0])).abs(), images.classes)
    >>> record = observe(nearest, images)
    >>> Alooc(epochs=1, batch=4, device="cpu").fit(record).score(record).isinf().tolist()
    [False, False, False, False, False, False, True, True]
    """

    card = Card(
        "ALOOC", "reconstruction",
        "Sabokrou, Khalooei, Fathy and Adeli, Adversarially learned one-class classifier for novelty detection, CVPR "
        "2018; Ferreira, Guiochet, Arlat and Waeselynck, Benchmarking safety monitors for image classifiers with "
        "machine learning, PRDC 2021",
        "section 3", "https://arxiv.org/abs/1802.09088", ("logits", "pixels"),
        "Fitting trains two networks a class, hours on a CPU for some ten thousand images and 200 epochs; scoring "
        "takes about a millisecond an image. Memory: some 324,000 weights a class.",
        fits=("labels", "pixels"),
        limits="What is simpler than the training images is rebuilt well, and grey pixels cost more than black ones.",
    )  # fmt: skip
    as_published: bool = False
    epochs: int = 200
    batch: int = 128
    rate: float = 0.002
    optimiser: str = "adam"
    noise: float = 0.155
    weight: float = 0.2
    seed: int = 0
    group: int = 15
    device: str | None = None

    def __post_init__(self) -> None:
        _ = self.recipe
        self.group = whole("ALOOC: group", self.group, 1)

    @property
    def recipe(self) -> AloocRecipe:
        """How the networks are trained."""
        return AloocRecipe(self.epochs, self.batch, self.rate, self.optimiser, self.noise, self.weight)

    def _fit(self, record: Record, layers: tuple[str, ...]) -> Mapping[str, Tensor]:
        found = trained_refiners(record.images, self.recipe, self.seed, group=self.group, device=self.device)
        return {**found, "shape": torch.tensor(record.images.images.shape[1:])}

    @torch.no_grad()
    def _score(self, record: Record, learnt: Fitted) -> Tensor:
        state, known = learnt.state, tuple(learnt.state["shape"].tolist())
        found = tuple(record.images.images.shape[1:])
        if found != known:
            raise MistrustError(
                f"ALOOC: these images have shape {found} (channels, height, width), and it was fitted on {known}. "
                "Resize them, or fit it again on images like these."
            )
        design = Design(*known)
        error = swapped_entropy if self.as_published else rebuilding_entropy
        scores, predicted = torch.full((len(record),), torch.inf, dtype=torch.float64), record.predicted
        for place, c in enumerate(state["classes"].tolist()):
            weights = {n: values[place : place + 1] for n, values in state.items() if n.startswith(("enc", "dec"))}
            given = [(weights[f"encoder.{i}.mean"], weights[f"encoder.{i}.variance"]) for i in range(len(ENCODER))]
            for rows in (predicted == c).nonzero()[:, 0].split(BLOCK):
                if len(rows):  # of no rows torch makes one part
                    pixels = record.images.take(rows).floats()
                    scores[rows] = error(refined(weights, design, pixels, given), pixels)
        return scores
