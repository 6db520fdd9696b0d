"""What plain autoencoders need in order to learn few classes or all: steps, and parameters (paper, section V-B1).

Encoder and decoder of `Design` alone, without dropout, prior or discriminator: they only rebuild their images.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from mistrust import random
from mistrust.ambiguity.adversarial import Training
from mistrust.ambiguity.stacked import Design, initial, network
from mistrust.errors import MistrustError
from mistrust.networks import device as find_device
from mistrust.progress import bar

# Who has reached this share of the most that it ever reaches has converged, or is wide enough.
ENOUGH = 0.95
# Steps between two looks, images of each group that are looked at, and widths of the hidden layers.
LOOK, SEEN = 10, 1000
WIDTHS = (8, 16, 32, 64, 128, 256)
# Autoencoders of each group, with seeds of their own.
REPEATS = 3


@dataclass(frozen=True, eq=False)
class Group:
    """Images that one autoencoder is to learn.

    Attributes
    ----------
    name : of the group; its autoencoder's first weights and batches are drawn by name and seed.
    rows : (m,) places of its images in the set.
    seed : of the autoencoder.
    """

    name: str
    rows: Int64[Tensor, " m"]
    seed: int


def learn(
    pixels: Float[Tensor, "n d"],
    groups: Sequence[Group],
    design: Design,
    steps: int,
    training: Training | None = None,
    *,
    device: str | None = None,
) -> Float[Tensor, "g looks"]:
    """Train an autoencoder of each group, all at once, and tell how much of its images it rebuilds every ten steps.

    Parameters
    ----------
    pixels : all images, flat, in [0, 1].
    groups : g of them; each autoencoder reads its own group alone.
    design : sizes of every autoencoder; of it encoder and decoder are used.
    steps : batches that each learns from, drawn from its images with replacement.
    training : images a step, and rate and epsilon of Adam; None: the paper's, but for 128 images a step.
    device : where; None: as elsewhere, see `mistrust.networks.device`. What is drawn is drawn on the CPU.

    Returns
    -------
    (g, 1 + steps / 10) share of the variance of the pixels, in at most 1,000 of the group's images, that is rebuilt,
    from before the first step on: 1 - squared error / squared distance from the mean image. Below 0: worse than that.

    Raises
    ------
    MistrustError
        No group, a group of fewer than two images or of equal ones, fewer steps than one look takes.

    Examples
    --------
    >>> from mistrust.data import load
    >>> digits = load("digits", "train")
    >>> groups = [Group("all", torch.arange(len(digits)), 0)]
    >>> shares = learn(digits.floats().flatten(1), groups, Design(64), 300)
    >>> shares.shape, bool(shares[0, -1] > 0.25)
    (torch.Size([1, 31]), True)
    """
    training = training or Training(batch=128)
    if not groups or min(len(group.rows) for group in groups) < 2 or steps < LOOK:
        raise MistrustError(f"Expected a group or more, of two images or more each, and {LOOK} steps or more.")
    where = find_device(device)
    pixels = pixels.to(where)
    weights: dict[str, Tensor] = {}
    for part in ("encoder", "decoder"):
        flat = torch.stack([initial(design, group, part) for group in groups]).float()
        weights |= {name: one.clone().requires_grad_() for name, one in design.views(part, flat.to(where)).items()}
    optimiser = torch.optim.Adam(weights.values(), lr=training.rate, eps=training.epsilon, fused=True)
    draws = [random.generator(group.seed, f"ambiguity/convergence/{group.name}/batches") for group in groups]
    seen = [
        pixels[group.rows[random.permutation(group.seed, group.name, len(group.rows))[:SEEN]].to(where)]
        for group in groups
    ]
    spread = [float(images.var(0, correction=0).mean()) for images in seen]
    if min(spread) == 0:
        raise MistrustError("The images of a group are all equal: there is nothing to learn.")

    def rebuilt() -> Tensor:
        found = []
        with torch.no_grad():
            for place, images in enumerate(seen):
                own = {name: one[place : place + 1] for name, one in weights.items()}
                error = float((_rebuilt(own, images[None], design) - images).square().mean())
                found.append(1 - error / spread[place])
        return torch.tensor(found, dtype=torch.float64)

    found = [rebuilt()]
    with bar(steps, f"plain autoencoders, {design.hidden} wide", "step") as progress:
        for step in range(1, steps + 1):
            rows = [
                group.rows[torch.from_numpy(draw.integers(len(group.rows), size=training.batch))]
                for group, draw in zip(groups, draws, strict=True)
            ]
            x = pixels[torch.stack(rows).to(where)]
            loss = (_rebuilt(weights, x, design) - x).square().mean((1, 2)).sum()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            progress.update(1)
            if step % LOOK == 0:
                found.append(rebuilt())
    return torch.stack(found, 1)


def steps_to_converge(shares: Float[Tensor, "g looks"]) -> list[int]:
    """Steps until `ENOUGH` of the largest share is reached, a multiple of ten.

    Examples
    --------
    >>> steps_to_converge(torch.tensor([[0.0, 0.5, 0.96, 1.0], [-1.0, 0.4, 0.4, 0.4]]))
    [20, 10]
    """
    enough = shares >= ENOUGH * shares.amax(1, keepdim=True)
    return (enough.int().argmax(1) * LOOK).tolist()


def parameters_needed(shares: Float[Tensor, "g w"], design: Design, widths: Sequence[int] = WIDTHS) -> list[int]:
    """Parameters of the narrowest encoder and decoder that reach `ENOUGH` of the largest share over all widths.

    Parameters
    ----------
    shares : what each group's autoencoder of each width rebuilds after training.
    design : its other sizes.
    widths : units of every hidden layer, ascending.

    Examples
    --------
    >>> parameters_needed(torch.tensor([[0.1, 0.5, 0.5], [0.1, 0.2, 0.8]]), Design(64), (4, 8, 16))
    [1282, 2754]
    """
    enough = shares >= ENOUGH * shares.amax(1, keepdim=True)
    sizes = [parameters(replace(design, hidden=width)) for width in widths]
    return [sizes[place] for place in enough.int().argmax(1).tolist()]


def parameters(design: Design) -> int:
    """Count the parameters of encoder and decoder.

    Examples
    --------
    >>> parameters(Design(784, hidden=128))
    235282
    """
    return design.size("encoder") + design.size("decoder")


def apart(pairs: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Give pairs that share no class, taken in order.

    Examples
    --------
    >>> list(apart([(0, 1), (0, 2), (1, 2), (2, 3)]))
    [(0, 1), (2, 3)]
    """
    taken = set[int]()
    for pair in pairs:
        if not taken & set(pair):
            taken |= set(pair)
            yield pair


def _rebuilt(weights: dict[str, Tensor], x: Float[Tensor, "g n d"], design: Design) -> Float[Tensor, "g n d"]:
    z = network(weights, "encoder", x, design.slope)
    return network(weights, "decoder", z, design.slope).sigmoid()
