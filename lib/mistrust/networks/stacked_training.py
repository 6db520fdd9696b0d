"""Training several networks of one architecture as one stack, each as `train` trains it alone.

Every member has its own first weights, held-out rows, order of images and dropout, drawn from its seed as `train`
draws them, and its part of the loss is its own mean: no number of one member reaches another. On one device a member
therefore takes the steps that it takes alone, up to rounding, which depends on how many stand beside it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite
from time import monotonic

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.networks.architectures import ARCHITECTURES, initialise
from mistrust.networks.checkpoints import checkpoint, restore
from mistrust.networks.devices import device as find_device
from mistrust.networks.recipe import Recipe
from mistrust.networks.stacked import Draws, forward, stack
from mistrust.networks.targets import check_targets
from mistrust.networks.training import Material, astray, diverged, order
from mistrust.networks.weights import Plan
from mistrust.progress import Progress, bar
from mistrust.store import Scratch

# Seconds between two checkpoints: one holds all members, and an epoch of a stack may take less than to write it.
PAUSE = 30.0


Result = dict[str, Tensor] | MistrustError


@dataclass(frozen=True)
class _Member:
    """A seed, the images that it is trained on, and the checkpoint that it goes on from."""

    seed: int
    rows: Int[Tensor, " n"]
    scratch: Scratch
    kept: dict[str, Tensor]


def train_stacked(
    plan: Plan,
    images: ImageSet,
    recipe: Recipe,
    seeds: Sequence[int],
    *,
    targets: Float[Tensor, "n k"] | None = None,
    device: str | None = None,
    dtype: torch.dtype = torch.float32,
    scratches: Sequence[Scratch] | None = None,
    pause: float = PAUSE,
) -> list[Result]:
    """Train a network of each seed and give their weights, on the CPU, or the error that `train` would raise.

    Parameters
    ----------
    plan, images, recipe, targets, device, dtype : as for `train`; of the plan's network, `unstackable` names no layer.
    seeds : of the members.
    scratches : one per member, with checkpoints as `train` writes and reads them: either goes on from the other's.
    pause : seconds between two checkpoints, which are written after whole epochs.

    Raises
    ------
    MistrustError
        What `train` refuses of images and soft labels. A member's loss or weights that are no longer finite numbers are
        no error here: the others go on, and the error stands in that member's place.
    """
    plan.check(images)
    where = find_device(device)
    entry = ARCHITECTURES[plan.architecture]
    soft = None if targets is None else check_targets(images, targets).to(where, dtype)
    material = Material(images.images.to(where), images.labels.to(where), soft, entry.mean, entry.std, dtype)
    members = []
    for seed, scratch in zip(seeds, scratches or [Scratch(None) for _ in seeds], strict=True):
        network = plan.build()
        initialise(network, seed, entry.initial)
        begun = checkpoint(network.to(dtype), recipe.build(network.parameters(), torch.device("cpu")), 0)
        members.append(_Member(seed, recipe.split(len(images), seed)[0], scratch, scratch.load() or begun))
    found: dict[int, Result] = {}
    with bar(recipe.epochs * len(seeds), f"training {len(seeds)} stacked {plan.architecture}", "epoch") as progress:
        # A run that was killed between two members' checkpoints left them apart: those side by side go on together.
        for done in sorted({int(member.kept["epoch"]) for member in members}):
            some = [member for member in members if int(member.kept["epoch"]) == done]
            progress.update(done * len(some))
            stacked = stack(plan.build().to(where, dtype), len(some))
            found |= _train(stacked, some, material, recipe, inf if scratches is None else pause, progress)
    return [_looked_at(found[one.seed], plan, one, material, recipe) for one in members]


def _looked_at(found: Result, plan: Plan, member: _Member, material: Material, recipe: Recipe) -> Result:
    """A member's weights, or the error of the last step that led to them."""
    if isinstance(found, MistrustError):
        return found
    network = plan.build()
    network.load_state_dict(found)
    network.to(material.pixels.device, material.dtype)
    return astray(network, material, member.rows[: recipe.batch], recipe) or found


def _train(
    stacked: nn.Module, members: list[_Member], material: Material, recipe: Recipe, pause: float, progress: Progress
) -> dict[int, Result]:
    """Train members of which equally many epochs are done."""
    optimiser = recipe.build(stacked.parameters(), material.pixels.device)
    together = Scratch(None)
    together.save({name: _joined([member.kept[name] for member in members]) for name in members[0].kept})
    found: dict[int, Result] = {}
    written = monotonic()
    for epoch in range(restore(stacked, optimiser, together), recipe.epochs):
        losses = _epoch(stacked, optimiser, members, material, recipe, epoch).tolist()
        for member, loss in zip(members, losses, strict=True):
            if not isfinite(loss):
                found.setdefault(member.seed, diverged(loss, epoch, recipe))
        if len(found) == len(members):
            return found
        progress.update(len(members))
        progress.say(loss=f"{sum(loss for loss in losses if isfinite(loss)) / (len(losses) - len(found)):.3f}")
        if epoch + 1 < recipe.epochs and monotonic() - written >= pause:
            whole = checkpoint(stacked, optimiser, epoch + 1)
            for index, member in enumerate(members):
                if member.seed not in found:
                    member.scratch.save(_part(whole, index))
            written = monotonic()
    weights = {name: values.detach().cpu() for name, values in stacked.state_dict().items()}
    return {member.seed: _part(weights, index) for index, member in enumerate(members)} | found


def _joined(values: list[Tensor]) -> Tensor:
    """One tensor of all members'; a single number is a count of steps or epochs, the same in all."""
    return torch.stack(values) if values[0].ndim else values[0]


def _part(whole: dict[str, Tensor], index: int) -> dict[str, Tensor]:
    """One member's tensors of all members'."""
    return {name: values[index].clone() if values.ndim else values for name, values in whole.items()}


def _epoch(
    stacked: nn.Module,
    optimiser: torch.optim.Optimizer,
    members: list[_Member],
    material: Material,
    recipe: Recipe,
    epoch: int,
) -> Float[Tensor, " m"]:
    """Go through the images once; gives each member's mean loss."""
    for group in optimiser.param_groups:
        group["lr"] = recipe.rate_in(epoch)
    device = material.pixels.device
    orders = torch.stack([member.rows[order(member.seed, epoch, len(member.rows))] for member in members]).to(device)
    loss_sum = torch.zeros(len(members), device=device)
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        draws = Draws([member.seed for member in members], epoch, device)
        for chosen in orders.split(recipe.batch, 1):
            scaled, _, wanted = material.batch(chosen)
            logits = forward(stacked, scaled, draws).flatten(0, 1)
            each = functional.cross_entropy(logits, wanted.flatten(0, 1), reduction="none")
            losses = each.view(chosen.shape).mean(1)
            optimiser.zero_grad(set_to_none=True)
            losses.sum().backward()  # a sum: each member has the gradient that it has alone
            optimiser.step()
            loss_sum += losses.detach() * chosen.shape[1]
    return loss_sum / orders.shape[1]
