"""The three steps of a regularized adversarial autoencoder, for a stack of members at once.

Order in each batch, as in the authors' code (the paper says epoch): the autoencoder learns to reconstruct; the
discriminator learns to tell samples of the prior from encoded images, given their class; the encoder learns to fool
it. Each has an Adam of its own, so the encoder has two. Every loss is a sum over members of losses that share no
parameter: one backward pass gives each member the gradient that it would have alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional
from torch.optim.adam import adam

from mistrust.ambiguity.batches import Batch
from mistrust.ambiguity.members import Member
from mistrust.ambiguity.stacked import (
    PARTS,
    Design,
    Weights,
    affine,
    after_first,
    initial,
    network,
    two_class,
)
from mistrust.errors import MistrustError

Masks = Sequence[Tensor] | None

# What each optimiser changes.
STEPS = {"reconstruction": ("encoder", "decoder"), "discrimination": ("discriminator",), "generation": ("encoder",)}


@dataclass(frozen=True)
class Training:
    """How autoencoders are trained; the defaults are the authors'.

    Attributes
    ----------
    epochs, batch : passes over a pair's images, and images a step.
    rate, epsilon : of Adam, in torch's form; the authors' Keras adds its epsilon before the bias correction, which
        makes no visible difference.

    Examples
    --------
    >>> training = Training(epochs=10)
    >>> training.batch, training.rate
    (1000, 0.001)
    """

    epochs: int = 80
    batch: int = 1000
    rate: float = 1e-3
    epsilon: float = 1e-7

    def __post_init__(self) -> None:
        if self.epochs < 1 or self.batch < 2 or not self.rate > 0 or not self.epsilon > 0:
            raise MistrustError(
                f"{self}: expected at least one epoch, batches of two images or more, positive numbers."
            )


class State:
    """Parameters of G members and all that their optimisers know, as few flat tensors.

    A stack of members trains on a `slice` of it, which shares the memory.
    """

    def __init__(self, tensors: dict[str, Tensor]) -> None:
        self.tensors = tensors

    @classmethod
    def new(cls, design: Design, members: tuple[Member, ...], dtype: torch.dtype, device: torch.device) -> "State":
        """Give the state before the first step."""
        tensors = {
            part: torch.stack([initial(design, member, part) for member in members]).to(device, dtype) for part in PARTS
        }
        for step, parts in STEPS.items():
            for part in parts:
                for moment in ("first", "second"):
                    tensors[f"{step}/{part}/{moment}"] = torch.zeros_like(tensors[part])
                tensors[f"{step}/{part}/steps"] = torch.zeros(len(members), device=device)
        # Of gate 1 as coded: right decisions since the start, and the sum of their running share in the last epoch.
        for name in ("told", "judged", "running"):
            tensors[name] = torch.zeros(len(members), dtype=torch.float64, device=device)
        return cls(tensors)

    def __getitem__(self, name: str) -> Tensor:
        return self.tensors[name]

    def slice(self, start: int, stop: int) -> "State":
        """Some members' state, in the same memory."""
        return State({name: values[start:stop] for name, values in self.tensors.items()})

    def weights(self, design: Design) -> Weights:
        """All weights by name, in the same memory."""
        return {name: v for part in PARTS for name, v in design.views(part, self[part]).items()}


class Stack:
    """Trains the members of a state, step by step; the first k of them where the others have no images left.

    Parameters
    ----------
    state : theirs, changed in place.
    pairs : (G, 2) their classes.
    design, training : sizes and recipe.
    """

    def __init__(self, state: State, pairs: Int[Tensor, "g 2"], design: Design, training: Training) -> None:
        self.state, self.pairs, self.design, self.training = state, pairs, design, training
        # One row per member, made once: Adam takes them all in one call, each with its own number of steps.
        self._rows = {name: list(values) for name, values in state.tensors.items()}

    def step(self, batch: Batch) -> None:
        """One batch of images: reconstruct, discriminate, generate."""
        k, slope = len(batch.x), self.design.slope
        self._reconstruct(batch, k)
        # Nothing changes the encoder between the next two steps: its first layer, most of its arithmetic, serves both.
        encoder = self._leaf("encoder", k)
        weights = self.design.views("encoder", encoder)
        first = affine(weights, "encoder.0", batch.x)
        with torch.no_grad():
            z = after_first(weights, "encoder", first, slope, _masks(batch, 4, 5))
        self._discriminate(batch, k, z)
        z = after_first(weights, "encoder", first, slope, _masks(batch, 10, 11))
        logits = self._judge(self.state["discriminator"][:k], z, batch.second, _masks(batch, 12, 13))
        loss = (functional.softplus(-logits) * (batch.weight / batch.count[:, None])).sum()
        self._learn("generation", k, torch.autograd.grad(loss, [encoder]))

    def _reconstruct(self, batch: Batch, k: int) -> None:
        """Step 1: mean squared error over pixels and images."""
        encoder, decoder = self._leaf("encoder", k), self._leaf("decoder", k)
        slope = self.design.slope
        z = network(self.design.views("encoder", encoder), "encoder", batch.x, slope, _masks(batch, 0, 1))
        logits = network(self.design.views("decoder", decoder), "decoder", z, slope, _masks(batch, 2, 3))
        # The gradient where it enters, 2 w (y - x) y (1 - y): half the passes over what is largest here.
        with torch.no_grad():
            made = logits.sigmoid()
            apart = (made - batch.x).mul_((2 / self.design.pixels) * batch.weight.unsqueeze(2))
            entering = torch.ops.aten.sigmoid_backward(apart, made)
        self._learn("reconstruction", k, torch.autograd.grad(logits, [encoder, decoder], entering))

    def _discriminate(self, batch: Batch, k: int, z: Float[Tensor, "k b l"]) -> None:
        """Step 2: prior samples against encoded images; binary cross-entropy, divided by both numbers as coded."""
        leaf = self._leaf("discriminator", k)
        masks = None
        if batch.masks is not None:
            masks = [batch.masks[:, place : place + 2].flatten(1, 2) for place in (6, 8)]
        second = torch.cat([batch.real_second, batch.second], 1)
        logits = self._judge(leaf, torch.cat([batch.real, z], 1), second, masks)
        real, fake = logits.chunk(2, 1)
        loss = functional.softplus(-real) + functional.softplus(fake)
        loss = (loss * (batch.weight / (2 * batch.count[:, None]))).sum()
        self._learn("discrimination", k, torch.autograd.grad(loss, [leaf]))
        # Gate 1 as coded: a running share, of logits above 0.5.
        right = ((real.detach() > 0.5).double() + (fake.detach() <= 0.5).double()).mul_(batch.weight > 0).sum(1)
        self.state["told"][:k] += right
        self.state["judged"][:k] += 2 * batch.count
        self.state["running"][:k] += self.state["told"][:k] / self.state["judged"][:k]

    def _judge(
        self, flat: Float[Tensor, "k p"], z: Float[Tensor, "k n l"], second: Int[Tensor, "k n"], masks: Masks
    ) -> Float[Tensor, "k n"]:
        weights = self.design.views("discriminator", flat)
        ours = two_class(weights, self.pairs[: len(flat)], self.design.latent)
        given = torch.cat([z, torch.stack([1 - second, second], 2).to(z.dtype)], 2)
        return network(ours, "discriminator", given, self.design.slope, masks).squeeze(2)

    def _leaf(self, part: str, k: int) -> Float[Tensor, "k p"]:
        return self.state[part][:k].detach().requires_grad_()

    def _learn(self, step: str, k: int, gradients: Sequence[Tensor]) -> None:
        """One step of an Adam, for the first k members."""
        lists: dict[str, list[Tensor]] = {"first": [], "second": [], "steps": []}
        parameters: list[Tensor] = []
        for part in STEPS[step]:
            parameters += self._rows[part][:k]
            for name, rows in lists.items():
                rows += self._rows[f"{step}/{part}/{name}"][:k]
        adam(
            parameters, [row for gradient in gradients for row in gradient], lists["first"], lists["second"], [],
            lists["steps"], fused=True, amsgrad=False, beta1=0.9, beta2=0.999, lr=self.training.rate, weight_decay=0.0,
            eps=self.training.epsilon, maximize=False,
        )  # fmt: skip


def _masks(batch: Batch, *places: int) -> Masks:
    return None if batch.masks is None else [batch.masks[:, place] for place in places]
