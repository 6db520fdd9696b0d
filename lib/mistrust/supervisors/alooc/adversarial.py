"""The steps of ALOOC's training, for a stack of classes at once.

In every batch the discriminator learns once to tell images from what the refiner makes of noisy ones, and the refiner
learns twice to fool it and to rebuild the clean image. Every loss is a sum over classes of losses that share no
parameter: one backward pass gives each class the gradient that it would have alone.
"""

from collections.abc import Mapping, Sequence

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

from mistrust.supervisors.alooc.feed import Batch, Feed
from mistrust.supervisors.alooc.layers import moments, strided
from mistrust.supervisors.alooc.layout import as_it_lies, laid_out
from mistrust.supervisors.alooc.networks import ENCODER, PARTS, Design, encoded, judged, refined
from mistrust.supervisors.alooc.recipe import OPTIMISERS, AloocRecipe

REFINED = 2  # the refiner's steps in a batch
KEPT = ("first", "second", "steps")  # what optimisers know of a parameter


class Stack:
    """Parameters of G classes and all that their optimisers know, (G, ...), and the steps that change them in place.

    Parameters
    ----------
    tensors : what `new` makes or a checkpoint kept.
    design, recipe : sizes, and how.
    """

    def __init__(self, tensors: dict[str, Tensor], design: Design, recipe: AloocRecipe) -> None:
        self.tensors = {name: laid_out(values) for name, values in tensors.items()}
        self.design, self.recipe = design, recipe
        self.names = {part: list(design.shapes(part)) for part in PARTS}

    @classmethod
    def new(
        cls,
        design: Design,
        recipe: AloocRecipe,
        seed: int,
        members: Sequence[str],
        dtype: torch.dtype = torch.float32,
        device: torch.device | None = None,
    ) -> "Stack":
        """Give the stack before its first step, its classes by the names of their draws."""
        tensors: dict[str, Tensor] = {}
        for part in PARTS:
            each = [design.initial(part, seed, name) for name in members]
            for key in each[0]:
                values = torch.stack([one[key] for one in each]).to(device, dtype)
                tensors |= {key: values, f"first/{key}": torch.zeros_like(values)}
                tensors[f"second/{key}"] = torch.zeros_like(values)
                tensors[f"steps/{key}"] = torch.zeros(len(members), device=device)
        return cls(tensors, design, recipe)

    def step(self, batch: Batch) -> Float[Tensor, " k"]:
        """One batch of the first k classes; gives the rebuilding error of each before it, the mean over pixels."""
        share = None if batch.whole else batch.share
        refiner, judge = self._leaves("refiner", batch.count), self._leaves("discriminator", batch.count)
        logits = refined(refiner, self.design, batch.noisy, share=share)
        # In one pass: the kernels are read, and their gradients made, once.
        both = torch.cat((batch.clean, logits.detach().sigmoid()))
        real, fake = judged(judge, both, share, batches=2).chunk(2)
        self._learn(judge, ((functional.softplus(-real) + functional.softplus(fake)) * batch.share).sum())
        fixed = {name: self.tensors[name][: batch.count] for name in self.names["discriminator"]}
        first: Tensor | None = None
        for again in range(REFINED):
            if again:  # nothing has changed the refiner before its first step: that one reads what was refined above
                refiner = self._leaves("refiner", batch.count)
                logits = refined(refiner, self.design, batch.noisy, share=share)
            fooling = (functional.softplus(-judged(fixed, logits.sigmoid(), share)) * batch.share).sum()
            errors = functional.binary_cross_entropy_with_logits(logits, batch.clean, reduction="none")
            each = (errors.unflatten(1, (batch.count, -1)).mean((2, 3, 4)) * batch.share).sum(0)
            self._learn(refiner, fooling + self.recipe.weight * each.sum())
            first = each.detach() if first is None else first
        assert first is not None
        return first

    @torch.no_grad()
    def statistics(self, feed: Feed) -> dict[str, Tensor]:
        """Mean and variance by which each layer of the encoder normalises, (G, c), over all noisy images of a class.

        Keras keeps a moving average over batches, which needs hundreds of steps; this is what it estimates.
        """
        done: list[tuple[Tensor, Tensor]] = []
        counts = torch.tensor(feed.counts, dtype=torch.float64)
        for layer, width in enumerate(ENCODER):
            # Sums over images of each channel's mean and mean square, about the first batch's mean: no digits are lost.
            sums = torch.zeros(2, len(counts), width, dtype=torch.float64)
            origin: Tensor | None = None
            for batch in feed.blocks():
                k = batch.count
                weights = {name: self.tensors[name][:k] for name in self.names["refiner"]}
                x = encoded(weights, batch.noisy, [(mean[:k], variance[:k]) for mean, variance in done], layers=layer)
                x = strided(x, weights[f"encoder.{layer}.kernel"], weights[f"encoder.{layer}.bias"])
                origin = moments(x, batch.share)[0].view(k, width) if origin is None else origin
                off, there = x.unflatten(1, (k, width)) - origin[:k, :, None, None], batch.share > 0
                for place, values in enumerate((off, off.square())):
                    each = values.mean((3, 4)).double() * there[:, :, None]
                    sums[place, :k] += each.sum(0).cpu()
            assert origin is not None
            mean, square = sums / counts[:, None]
            variance = (square - mean.square()).clamp_min(0)
            done.append(((origin.double().cpu() + mean).to(origin), variance.to(origin)))
        return {
            f"encoder.{layer}.{name}": values
            for layer, both in enumerate(done)
            for name, values in zip(("mean", "variance"), both, strict=True)
        }

    def _leaves(self, part: str, k: int) -> dict[str, Tensor]:
        return {name: self.tensors[name][:k].detach().requires_grad_() for name in self.names[part]}

    def _learn(self, leaves: Mapping[str, Tensor], loss: Tensor) -> None:
        step = OPTIMISERS[self.recipe.optimiser]
        gradients = torch.autograd.grad(loss, list(leaves.values()))
        with torch.no_grad():
            for (name, values), gradient in zip(leaves.items(), gradients, strict=True):
                first, second, steps = (self.tensors[f"{one}/{name}"][: len(values)] for one in KEPT)
                # All with the axes that the parameter has in memory: a fused step walks through them side by side.
                own, slope, first, second = (as_it_lies(x, like=values) for x in (values, gradient, first, second))
                step(own.detach(), slope.contiguous(), first, second, steps, self.recipe.rate)
