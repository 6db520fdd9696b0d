"""Training one network, step by step repeatable: a seed gives bit-equal weights on one machine and thread count.

Initial weights, the order of images and dropout each have draws of their own, keyed by seed and epoch, so that a run
that was killed goes on after its last whole epoch and ends where an unbroken one ends.
"""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from mistrust import random
from mistrust.data import ImageSet
from mistrust.errors import MistrustError, UnknownName
from mistrust.networks.architectures import ARCHITECTURES, initialise
from mistrust.networks.classifier import Classifier
from mistrust.networks.devices import device as find_device
from mistrust.networks.weights import Plan
from mistrust.progress import Progress, bar
from mistrust.store import Scratch, key, made, maker

# Share of the learning rate that an epoch has, the first of `epochs` being 0. The MLM paper says that its rate
# decreases, by 1/T² - s/2T³ in epoch s of T in its authors' code, where it is switched off: the rate is constant.
SCHEDULES: dict[str, Callable[[int, int], float]] = {
    "constant": lambda epoch, epochs: 1.0,
    "falling": lambda epoch, epochs: 1 - epoch / (2 * epochs),
}


@dataclass(frozen=True)
class Recipe:
    """How a network is trained: stochastic gradient descent on the cross-entropy, shuffled batches.

    The defaults are the MLM paper's (Sikar et al., section 3.1).

    Attributes
    ----------
    epochs, batch : passes over the images, and images a step.
    rate, momentum, decay : of the first epoch's rate, of SGD's momentum, and of its weight decay.
    schedule : an entry of `SCHEDULES`: "constant", or "falling" to 0.55 of the rate in the last of ten epochs.
    """

    epochs: int = 10
    batch: int = 64
    rate: float = 0.01
    momentum: float = 0.0
    decay: float = 0.0
    schedule: str = "constant"

    def __post_init__(self) -> None:
        if self.schedule not in SCHEDULES:
            raise UnknownName("schedule of the learning rate", self.schedule, tuple(SCHEDULES))

    def rate_in(self, epoch: int) -> float:
        """Learning rate in an epoch, the first being 0."""
        return self.rate * SCHEDULES[self.schedule](epoch, self.epochs)


def train(
    plan: Plan,
    images: ImageSet,
    recipe: Recipe,
    seed: int,
    *,
    device: str | None = None,
    scratch: Scratch | None = None,
) -> dict[str, Tensor]:
    """Train a network and give its weights, on the CPU.

    Parameters
    ----------
    plan : architecture, image shape and classes.
    images : the training set.
    recipe, seed : how, and which draws.
    device : "auto", "cpu", "cuda" or "mps".
    scratch : keeps a checkpoint after each epoch; a checkpoint found there is gone on from.

    Raises
    ------
    MistrustError
        The loss is no longer a finite number: says the epoch, and to lower the rate.
    """
    where = find_device(device)
    network = plan.build()
    initialise(network, seed)
    network.to(where)
    optimiser = torch.optim.SGD(
        network.parameters(), lr=recipe.rate, momentum=recipe.momentum, weight_decay=recipe.decay
    )
    first = _restore(network, optimiser, scratch)
    pixels, labels = images.images.to(where), images.labels.to(where)
    entry = ARCHITECTURES[plan.architecture]
    total = recipe.epochs * -(-len(images) // recipe.batch)
    with bar(total, f"training {plan.architecture} seed {seed}", "batch") as progress:
        progress.update(total * first // recipe.epochs)
        for epoch in range(first, recipe.epochs):
            _epoch(network, optimiser, pixels, labels, entry.mean, entry.std, recipe, seed, epoch, progress)
            if scratch is not None and epoch + 1 < recipe.epochs:
                scratch.save(_checkpoint(network, optimiser, epoch + 1))
    return {name: values.detach().cpu().clone() for name, values in network.state_dict().items()}


def _epoch(
    network: nn.Module,
    optimiser: torch.optim.SGD,
    pixels: Tensor,
    labels: Tensor,
    mean: float,
    std: float,
    recipe: Recipe,
    seed: int,
    epoch: int,
    progress: Progress,
) -> None:
    network.train()
    for group in optimiser.param_groups:
        group["lr"] = recipe.rate_in(epoch)
    loss_sum = torch.zeros((), device=pixels.device)
    correct = torch.zeros((), device=pixels.device)
    seen = 0
    # Dropout can only draw from torch's own generator: lend it one of this epoch's own, and give the old one back.
    with torch.random.fork_rng(devices=[pixels.device] if pixels.device.type == "cuda" else []):
        torch.manual_seed(int(random.generator(seed, "dropout", epoch).integers(2**31)))
        for batch in _batches(len(labels), recipe.batch, seed, epoch):
            chosen = batch.to(pixels.device)
            scaled = (_floats(pixels[chosen]) - mean) / std
            logits = network(scaled)
            loss = functional.cross_entropy(logits, labels[chosen])
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()
            loss_sum += loss.detach() * len(chosen)
            correct += (logits.detach().argmax(1) == labels[chosen]).sum()
            seen += len(chosen)
            progress.update()
            if seen % (50 * recipe.batch) == 0 or seen == len(labels):
                _report(loss_sum, correct, seen, epoch, recipe, progress)


def _report(loss_sum: Tensor, correct: Tensor, seen: int, epoch: int, recipe: Recipe, progress: Progress) -> None:
    loss = float(loss_sum) / seen
    if not torch.isfinite(loss_sum):
        raise MistrustError(
            f"Training stopped in epoch {epoch + 1} of {recipe.epochs}: the loss is {loss}. "
            f"The learning rate {recipe.rate} is the usual cause: try {recipe.rate / 10:g}."
        )
    progress.say(epoch=f"{epoch + 1}/{recipe.epochs}", loss=f"{loss:.3f}", accuracy=f"{float(correct) / seen:.3f}")


def _batches(n: int, size: int, seed: int, epoch: int) -> Iterator[Tensor]:
    yield from random.permutation(seed, f"order/{epoch}", n).split(size)


def _floats(pixels: Tensor) -> Tensor:
    return pixels.to(torch.float32) / 255 if pixels.dtype == torch.uint8 else pixels


def _checkpoint(network: nn.Module, optimiser: torch.optim.SGD, epoch: int) -> dict[str, Tensor]:
    kept = {f"network/{name}": v.detach().cpu().clone() for name, v in network.state_dict().items()}
    for index, state in optimiser.state_dict()["state"].items():
        if state.get("momentum_buffer") is not None:
            kept[f"momentum/{index}"] = state["momentum_buffer"].detach().cpu().clone()
    kept["epoch"] = torch.tensor(epoch)
    return kept


def _restore(network: nn.Module, optimiser: torch.optim.SGD, scratch: Scratch | None) -> int:
    """Put back the last checkpoint; gives the number of epochs that are done."""
    kept = scratch.load() if scratch is not None else None
    if kept is None:
        return 0
    network.load_state_dict({n.removeprefix("network/"): v for n, v in kept.items() if n.startswith("network/")})
    state = optimiser.state_dict()
    state["state"] = {
        int(n.removeprefix("momentum/")): {"momentum_buffer": v} for n, v in kept.items() if n.startswith("momentum/")
    }
    optimiser.load_state_dict(state)
    return int(kept["epoch"])


def _smoke() -> dict[str, Tensor]:
    """Train on four images; sums of weights, rounded, since machines differ in the last digits."""
    pixels = random.uniform(0, "smoke", torch.arange(4), (1, 4, 4))
    tiny = ImageSet("smoke", pixels, torch.tensor([0, 1, 0, 1]), torch.arange(4), ("a", "b"))
    weights = train(
        Plan("mlm-cnn", (1, 4, 4), tiny.classes),
        tiny,
        Recipe(epochs=3, batch=2, rate=0.1, schedule="falling"),
        0,
        device="cpu",
    )
    return {name: values.to(torch.float64).abs().sum().round(decimals=3) for name, values in weights.items()}


NETWORK = maker("network", version=3, content="tensors", smoke=_smoke)


def network_spec(architecture: str, images: ImageSet, recipe: Recipe, seed: int) -> dict[str, object]:
    """What a trained network is made from: part of the spec of everything that is computed with it."""
    return {
        "architecture": architecture,
        "data": {"name": images.name, "checksum": images.checksum},
        "recipe": asdict(recipe),
        "seed": seed,
    }


def trained(architecture: str, images: ImageSet, recipe: Recipe, seed: int, *, device: str | None = None) -> Classifier:
    """Give a trained network from the store, or train it (resumable after a kill).

    Examples
    --------
    >>> from mistrust.data import load
    >>> classifier = trained("mlm-cnn", load("mnist5k", "train"), Recipe(momentum=0.9), seed=0)  # doctest: +SKIP
    """
    channels, height, width = images.images.shape[1:]
    plan = Plan(architecture, (channels, height, width), images.classes)
    ARCHITECTURES[architecture]  # an unknown name fails here, before anything is loaded
    spec = network_spec(architecture, images, recipe, seed)
    weights = made(NETWORK, spec, lambda scratch: train(plan, images, recipe, seed, device=device, scratch=scratch))
    return plan.classifier(weights, key(NETWORK, spec), str(find_device(device)))
