"""Linear classifiers of hidden layers, all trained in one loop: the sub-models of Dissector.

Each is a softmax of one linear layer on frozen activations. They share the order of images and nothing else: what one
learns depends neither on which others are trained beside it nor on how many images are read at once.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from mistrust import random
from mistrust.errors import MistrustError
from mistrust.inputs.limits import number, whole
from mistrust.networks import INITIALS
from mistrust.networks.checkpoints import checkpoint, restore
from mistrust.progress import bar
from mistrust.store import Scratch
from mistrust.supervisors.streaming import BLOCK

# Gives some rows of some layers, by name.
Rows = Callable[[Int[Tensor, " m"], Sequence[str]], Mapping[str, Float[Tensor, "m d"]]]


@dataclass(frozen=True)
class SubRecipe:
    """How sub-models are trained; the defaults are those of AmbiGuess's authors, but for `held_out`.

    Attributes
    ----------
    epochs, batch, rate : passes over the images at most, images a step, Adam's rate (its epsilon is Keras's 1e-7).
    patience : epochs in a row without a smaller training loss after which a sub-model is left as it is then.
    held_out : share of the images, in [0, 1), that no step sees: the last ones, as Keras takes them. Nothing is
        decided by them, so none are held out; the authors' code has 0.1.
    """

    epochs: int = 30
    batch: int = 32
    rate: float = 1e-3
    patience: int = 2
    held_out: float = 0.0

    def __post_init__(self) -> None:
        for name in ("epochs", "batch", "patience"):
            object.__setattr__(self, name, whole(f"Dissector: {name}", getattr(self, name), 1))
        if not number("Dissector: rate", self.rate) > 0:
            raise MistrustError(f"Dissector: rate is {self.rate}, expected a number above 0 such as 0.001.")
        if not 0 <= number("The share of images held out", self.held_out) < 1:
            raise MistrustError(f"The share of images held out is {self.held_out}, expected [0, 1): 0.1, or 0.")


class SubModels(nn.Module):
    """A linear layer for each layer, and how long each has been without a smaller loss."""

    best: Tensor
    waited: Tensor

    def __init__(self, sizes: Mapping[str, int], classes: int, seed: int) -> None:
        super().__init__()
        self.models = nn.ModuleList(nn.utils.skip_init(nn.Linear, size, classes) for size in sizes.values())
        self.register_buffer("best", torch.full((len(sizes),), float("inf")))
        self.register_buffer("waited", torch.zeros(len(sizes), dtype=torch.int64))
        for name, model in zip(sizes, self.linear, strict=True):
            # Glorot's, as Keras fills a dense layer; keyed by the layer's name and not by its place.
            width, _ = INITIALS["keras"](model.weight)
            draw = random.generator(seed, f"dissector/init/{name}").uniform(-width, width, tuple(model.weight.shape))
            with torch.no_grad():
                model.weight.copy_(torch.from_numpy(draw))
                model.bias.zero_()

    @property
    def linear(self) -> list[nn.Linear]:
        """The layers themselves."""
        return [model for model in self.models if isinstance(model, nn.Linear)]

    def tensors(self) -> dict[str, Tensor]:
        """Weights (k, d) and biases (k,) of each, named "0/weight", "0/bias", "1/weight", ..."""
        kept = {}
        for index, model in enumerate(self.linear):
            kept[f"{index}/weight"] = model.weight.detach().cpu().clone()
            kept[f"{index}/bias"] = model.bias.detach().cpu().clone()
        return kept


@torch.no_grad()
def train_submodels(
    rows: Rows,
    sizes: Mapping[str, int],
    labels: Int[Tensor, " n"],
    classes: int,
    recipe: SubRecipe,
    seed: int = 0,
    *,
    device: torch.device | None = None,
    scratch: Scratch | None = None,
    block: int = BLOCK,
) -> dict[str, Tensor]:
    """Train one sub-model for each layer and give their weights on the CPU, as `SubModels.tensors` names them.

    Parameters
    ----------
    rows : gives (m, d) float32 activations of asked rows and layers, on `device`.
    sizes : d by layer, first to last.
    labels : (n,) true labels, 0 to `classes` - 1.
    recipe, seed : how, and which draws.
    scratch : keeps a checkpoint after each epoch; a checkpoint found there is gone on from.
    block : images that `rows` is asked for at once, rounded up to whole batches; changes nothing but the memory.

    Raises
    ------
    MistrustError
        No image is left to train on; a loss that is no longer finite (names the layer).

    Examples
    --------
    >>> x = torch.tensor([[0.0, 1.0], [1.0, 0.0]])
    >>> recipe = SubRecipe(epochs=200, batch=2, rate=0.1)
    >>> found = train_submodels(lambda r, names: {"x": x[r]}, {"x": 2}, torch.tensor([0, 1]), 2, recipe)
    >>> (x @ found["0/weight"].T + found["0/bias"]).argmax(1)
    tensor([0, 1])
    """
    where = device or torch.device("cpu")
    count = int(len(labels) * (1.0 - recipe.held_out))
    if count < 1:
        raise MistrustError(
            f"Of {len(labels)} images, holding out {recipe.held_out} leaves none to train on: lower it."
        )
    names, network = tuple(sizes), SubModels(sizes, classes, seed).to(where)
    optimiser = torch.optim.Adam(
        network.parameters(), lr=recipe.rate, eps=1e-7, fused=where.type in ("cpu", "cuda"), foreach=False
    )
    first = restore(network, optimiser, scratch)
    chunk = ceil(block / recipe.batch) * recipe.batch
    with bar(recipe.epochs * ceil(count / chunk), "dissector's sub-models", "block") as progress:
        progress.update(first * ceil(count / chunk))
        for epoch in range(first, recipe.epochs):
            going = [i for i in range(len(names)) if int(network.waited[i]) < recipe.patience]
            if not going:
                break
            total = torch.zeros(len(names), dtype=torch.float64)
            for here in random.permutation(seed, f"dissector/order/{epoch}", count).split(chunk):
                found = rows(here, [names[i] for i in going])
                truth, losses = labels[here].to(where), torch.zeros(len(names), device=where)
                for start in range(0, len(here), recipe.batch):
                    some = slice(start, start + recipe.batch)
                    optimiser.zero_grad(set_to_none=True)  # those that are done have no gradient: Adam leaves them out
                    for i in going:
                        losses[i] += _descend(network.linear[i], found[names[i]][some], truth[some])
                    optimiser.step()
                total += losses.cpu()
                progress.update()
            _judge(network, (total / count).to(where, torch.float32), going, names, epoch, recipe)
            progress.say(epoch=epoch + 1, left=len(going))
            if scratch is not None and epoch + 1 < recipe.epochs and scratch.due():
                scratch.save(checkpoint(network, optimiser, epoch + 1))
    return network.tensors()


def _descend(model: nn.Linear, x: Float[Tensor, "m d"], labels: Int[Tensor, " m"]) -> Float[Tensor, ""]:
    """Set the gradient of the mean cross-entropy, which has a closed form; gives the sum of the losses."""
    logits = functional.linear(x, model.weight, model.bias)
    slope = logits.softmax(1)
    slope[torch.arange(len(x), device=x.device), labels] -= 1
    slope /= len(x)
    model.weight.grad, model.bias.grad = slope.T @ x, slope.sum(0)
    return functional.cross_entropy(logits, labels, reduction="sum")


def _judge(
    network: SubModels,
    losses: Float[Tensor, " l"],
    going: Sequence[int],
    names: Sequence[str],
    epoch: int,
    recipe: SubRecipe,
) -> None:
    """Note which sub-models have a smaller loss than ever before."""
    for i in going:
        if not bool(torch.isfinite(losses[i])):
            raise MistrustError(
                f"Dissector: the sub-model of layer '{names[i]}' stopped in epoch {epoch + 1}: its loss is "
                f"{float(losses[i])}. Lower the rate {recipe.rate:g}."
            )
        better = bool(losses[i] < network.best[i])
        network.best[i] = torch.minimum(losses[i], network.best[i])
        network.waited[i] = 0 if better else network.waited[i] + 1
