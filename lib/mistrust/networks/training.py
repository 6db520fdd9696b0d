"""Training one network, step by step repeatable: a seed gives bit-equal weights on one machine and thread count.

Initial weights, the order of images and dropout each have draws of their own, keyed by seed and epoch, so that a run
that was killed goes on after its last whole epoch and ends where an unbroken one ends.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite, nan

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from mistrust import random
from mistrust.data import ImageSet
from mistrust.engine.memory import keep_freed_memory
from mistrust.errors import MistrustError
from mistrust.networks.architectures import ARCHITECTURES, initialise
from mistrust.networks.checkpoints import checkpoint, restore
from mistrust.networks.checks import check_set
from mistrust.networks.classifier import Classifier
from mistrust.networks.devices import device as find_device
from mistrust.networks.recipe import Recipe, check_recipe
from mistrust.networks.targets import check_targets, targets_checksum
from mistrust.networks.weights import Plan
from mistrust.progress import Progress, bar
from mistrust.store import Scratch, key, made, maker


@dataclass(frozen=True)
class Material:
    """What is trained on, on the device: pixels, hard labels (for the accuracy), soft labels where there are any."""

    pixels: Tensor
    labels: Tensor
    targets: Tensor | None
    mean: float
    std: float
    dtype: torch.dtype

    def batch(self, chosen: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Scaled images, labels, and what the loss compares with."""
        scaled = ((_floats(self.pixels[chosen]) - self.mean) / self.std).to(self.dtype)
        labels = self.labels[chosen]
        return scaled, labels, labels if self.targets is None else self.targets[chosen]


def train(
    plan: Plan,
    images: ImageSet,
    recipe: Recipe,
    seed: int,
    *,
    targets: Float[Tensor, "n k"] | None = None,
    device: str | None = None,
    dtype: torch.dtype = torch.float32,
    scratch: Scratch | None = None,
) -> dict[str, Tensor]:
    """Train a network and give its weights, on the CPU.

    On Linux the process keeps what tensors free from now on, 1 GiB at most, unless `MALLOC_TRIM_THRESHOLD_` says else.

    Parameters
    ----------
    plan : architecture, image shape and classes.
    images : the training set; the recipe may hold some of them out (`Recipe.split`).
    recipe, seed : how, and which draws.
    targets : (n, k) soft labels, one row per image; the images' own labels then count for the shown accuracy alone.
    device, dtype : "auto", "cpu", "cuda" or "mps", and in which numbers.
    scratch : keeps a checkpoint after each epoch; a checkpoint found there is gone on from.

    Raises
    ------
    MistrustError
        Images that are no `ImageSet`, none of them, or of another shape or other classes than the plan; a recipe that
        is none; soft labels that are no probabilities; one image
        alone in a batch where the network has batch normalisation; a loss, the one after the last step included, or
        weights that are no longer finite numbers: says the epoch, and to lower the rate.

    Examples
    --------
    >>> from mistrust.data import load
    >>> digits = load("digits", "train").take(slice(0, 32))
    >>> plan = Plan("mlm-cnn", (1, 8, 8), digits.classes)
    >>> weights = train(plan, digits, Recipe(epochs=8, batch=8, rate=0.003, optimiser="adam"), seed=0)
    >>> record = observe(plan.classifier(weights, key="mine"), digits)
    >>> bool(record.correct.float().mean() > 0.5)  # of ten classes, chance is a tenth
    True
    """
    plan.check(images)
    check_recipe(recipe)
    where = find_device(device)
    keep_freed_memory()
    entry = ARCHITECTURES[plan.architecture]
    soft = None if targets is None else check_targets(images, targets)
    network = plan.build()
    initialise(network, seed, entry.initial)
    network.to(where, dtype)
    optimiser = recipe.build(network.parameters(), where)
    first = restore(network, optimiser, scratch)
    kept = images
    if recipe.validation:
        rows, _ = recipe.split(len(images), seed)
        kept, soft = images.take(rows), None if soft is None else soft[rows]
    pixels, labels = kept.images.to(where), kept.labels.to(where)
    soft = None if soft is None else soft.to(where, dtype)
    material = Material(pixels, labels, soft, entry.mean, entry.std, dtype)
    pairs = any(isinstance(m, nn.BatchNorm2d) for m in network.modules())
    if pairs and min(len(kept), recipe.batch) < 2:
        raise MistrustError(
            f"Architecture '{plan.architecture}' has batch normalisation, which needs two images in a batch; here are "
            f"{len(kept)} images in batches of {recipe.batch}."
        )
    total = recipe.epochs * len(_sizes(len(kept), recipe.batch, pairs))
    with bar(total, f"training {plan.architecture} seed {seed}", "batch") as progress:
        progress.update(total * first // recipe.epochs)
        for epoch in range(first, recipe.epochs):
            batches = _batches(len(kept), _sizes(len(kept), recipe.batch, pairs), seed, epoch)
            _epoch(network, optimiser, material, batches, recipe, seed, epoch, progress)
            if scratch is not None and epoch + 1 < recipe.epochs and scratch.due():
                scratch.save(checkpoint(network, optimiser, epoch + 1))
    lost = astray(network, material, torch.arange(min(recipe.batch, len(kept))), recipe)
    if lost is not None:
        raise lost
    return {name: values.detach().cpu().clone() for name, values in network.state_dict().items()}


def _epoch(
    network: nn.Module,
    optimiser: torch.optim.Optimizer,
    material: Material,
    batches: Iterator[Tensor],
    recipe: Recipe,
    seed: int,
    epoch: int,
    progress: Progress,
) -> None:
    network.train()
    for group in optimiser.param_groups:
        group["lr"] = recipe.rate_in(epoch)
    device, n = material.pixels.device, len(material.labels)
    loss_sum = torch.zeros((), device=device)
    correct = torch.zeros((), device=device)
    seen = 0
    # Dropout can only draw from torch's own generator: lend it one of this epoch's own, and give the old one back.
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(dropout_seed(seed, epoch))
        for batch in batches:
            scaled, labels, wanted = material.batch(batch.to(device))
            logits = network(scaled)
            loss = functional.cross_entropy(logits, wanted)
            optimiser.zero_grad(set_to_none=True)
            recipe.penalised(loss, network).backward()
            optimiser.step()
            loss_sum += loss.detach() * len(batch)
            correct += (logits.detach().argmax(1) == labels).sum()
            seen += len(batch)
            progress.update()
            if seen % (50 * recipe.batch) == 0 or seen == n:
                _report(loss_sum, correct, seen, epoch, recipe, progress)


def _report(loss_sum: Tensor, correct: Tensor, seen: int, epoch: int, recipe: Recipe, progress: Progress) -> None:
    loss = float(loss_sum) / seen
    if not torch.isfinite(loss_sum):
        raise diverged(loss, epoch, recipe)
    progress.say(epoch=f"{epoch + 1}/{recipe.epochs}", loss=f"{loss:.3f}", accuracy=f"{float(correct) / seen:.3f}")


def astray(network: nn.Module, material: Material, rows: Int[Tensor, " b"], recipe: Recipe) -> MistrustError | None:
    """The error of a trained network whose last step, behind which no loss was computed, went too far; None if not."""
    scaled, _, wanted = material.batch(rows.to(material.pixels.device))
    with torch.no_grad():
        loss = float(functional.cross_entropy(network.eval()(scaled), wanted))
    whole = all(bool(values.isfinite().all()) for values in network.state_dict().values())
    return None if isfinite(loss) and whole else diverged(loss if whole else nan, recipe.epochs - 1, recipe)


def diverged(loss: float, epoch: int, recipe: Recipe) -> MistrustError:
    """The error of a network whose loss is no longer a finite number."""
    return MistrustError(
        f"Training stopped in epoch {epoch + 1} of {recipe.epochs}: the loss is {loss}. "
        f"The learning rate {recipe.rate} is the usual cause: try {recipe.rate / 10:g}."
    )


def dropout_seed(seed: int, epoch: int) -> int:
    """What torch's generator is seeded with for the dropout of one epoch."""
    return int(random.generator(seed, "dropout", epoch).integers(2**31))


def order(seed: int, epoch: int, n: int) -> Int[Tensor, " n"]:
    """The order in which one epoch goes through n images."""
    return random.permutation(seed, f"order/{epoch}", n)


def _sizes(n: int, size: int, pairs: bool) -> list[int]:
    """Images in each batch of an epoch; `pairs` puts a last one that would be alone into the batch before."""
    sizes = [min(size, n - start) for start in range(0, n, size)]
    return [*sizes[:-2], size + 1] if pairs and len(sizes) > 1 and sizes[-1] == 1 else sizes


def _batches(n: int, sizes: list[int], seed: int, epoch: int) -> Iterator[Tensor]:
    yield from order(seed, epoch, n).split(sizes)


def _floats(pixels: Tensor) -> Tensor:
    return pixels.to(torch.float32) / 255 if pixels.dtype == torch.uint8 else pixels


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
    # A network without dropout: torch's own generator draws other masks on other processors.
    soft = train(
        Plan("mlm-cnn", (1, 4, 4), tiny.classes),
        tiny,
        Recipe(epochs=3, batch=2, rate=0.001, optimiser="adam", validation=0.25),
        0,
        targets=torch.tensor([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.0, 1.0]]),
        device="cpu",
    )
    both = weights | {f"soft/{name}": values for name, values in soft.items()}
    return {name: values.to(torch.float64).abs().sum().round(decimals=3) for name, values in both.items()}


NETWORK = maker("network", version=3, content="tensors", smoke=_smoke)


def network_spec(
    architecture: str, images: ImageSet, recipe: Recipe, seed: int, targets: Float[Tensor, "n k"] | None = None
) -> dict[str, object]:
    """What a trained network is made from: part of the spec of everything that is computed with it.

    Examples
    --------
    >>> from mistrust.data import load
    >>> spec = network_spec("mlm-cnn", load("digits", "test"), Recipe(epochs=3), seed=0)
    >>> spec["architecture"], spec["data"]["name"], spec["recipe"]["epochs"]
    ('mlm-cnn', 'digits', 3)
    """
    check_set(images)
    check_recipe(recipe)
    spec: dict[str, object] = {
        "architecture": architecture,
        "data": {"name": images.name, "checksum": images.checksum},
        "recipe": recipe.described(),
        "seed": seed,
    }
    # Left out where there are none, so that networks with hard labels keep the keys they had.
    return spec if targets is None else spec | {"targets": targets_checksum(check_targets(images, targets))}


def trained(
    architecture: str,
    images: ImageSet,
    recipe: Recipe,
    seed: int,
    *,
    targets: Float[Tensor, "n k"] | None = None,
    device: str | None = None,
) -> Classifier:
    """Give a trained network from the store, or train it (resumable after a kill).

    `targets` are soft labels (n, k), one row per image, in place of the images' hard ones.

    Raises
    ------
    MistrustError
        An architecture that is in no table; a device that is not there; what `train` refuses.

    Examples
    --------
    >>> from mistrust.data import load
    >>> classifier = trained("mlm-cnn", load("mnist5k", "train"), Recipe(momentum=0.9), seed=0)  # doctest: +SKIP
    """
    check_set(images)
    channels, height, width = images.images.shape[1:]
    plan = Plan(architecture, (channels, height, width), images.classes)
    spec = network_spec(architecture, images, recipe, seed, targets)
    weights = made(
        NETWORK,
        spec,
        lambda scratch: train(plan, images, recipe, seed, targets=targets, device=device, scratch=scratch),
    )
    return plan.classifier(weights, key(NETWORK, spec), str(find_device(device)))
