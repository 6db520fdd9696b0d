"""Refiners from the store, or trained: in groups, resumable, memory bounded by the group."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from math import ceil

import numpy as np
import torch
from torch import Tensor

from mistrust import random
from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.networks import device as find_device
from mistrust.progress import bar
from mistrust.side_by_side import go_on, side_by_side
from mistrust.store import Scratch, made, maker
from mistrust.supervisors.alooc.adversarial import Stack
from mistrust.supervisors.alooc.feed import Feed
from mistrust.supervisors.alooc.networks import Design
from mistrust.supervisors.alooc.recipe import AloocRecipe

# Epochs between two checkpoints.
CHECKPOINT = 5


def train(
    images: ImageSet,
    classes: Sequence[int],
    recipe: AloocRecipe,
    seed: int,
    *,
    device: str | None = None,
    dtype: torch.dtype = torch.float32,
    scratch: Scratch | None = None,
) -> dict[str, Tensor]:
    """Train one group of classes and give its refiners, (G, ...), on the CPU, in the order of `classes`.

    Parameters
    ----------
    images : the training set; a class takes the images of its label.
    classes : positions of classes, each with an image.
    recipe, seed : how, and which draws.
    device, dtype : where and in which numbers.
    scratch : keeps a checkpoint every five epochs; one found there is gone on from.

    Returns
    -------
    dict
        Parameters of the refiners by name, `encoder.N.mean` and `encoder.N.variance` that they normalise by, and
        `error` (G,), the mean binary cross-entropy of a pixel in the last epoch. The discriminators, of which no score
        is made, are not kept.

    Raises
    ------
    MistrustError
        Numbers that are no longer finite; names the classes.

    Examples
    --------
    Refiners of zeros and of ones, stacked, after one step each:

    >>> from mistrust.data import load
    >>> few = load("digits", "train").take(torch.arange(60))
    >>> found = train(few, [0, 1], AloocRecipe(epochs=1, batch=32), seed=0, device="cpu")
    >>> found["encoder.0.kernel"].shape, found["error"].shape
    (torch.Size([2, 32, 1, 5, 5]), torch.Size([2]))
    >>> bool((found["error"] > 0).all())
    True
    """
    where = find_device(device)
    design = design_of(images)
    feed = Feed(images, classes, recipe, seed, dtype, where)
    stack, first = Stack.new(design, recipe, seed, feed.names, dtype, where), 0
    if scratch is not None and (kept := scratch.load()) is not None:
        first = int(kept.pop("epoch"))
        stack = Stack({name: values.to(where) for name, values in kept.items()}, design, recipe)
    counts = torch.tensor(feed.counts, dtype=torch.float64)
    error, names = torch.zeros_like(counts), [images.classes[c] for c in feed.classes]
    with bar(recipe.epochs * feed.steps, "refiners", "batch") as progress:
        progress.update(first * feed.steps)
        for epoch in range(first, recipe.epochs):
            sums = torch.zeros(len(counts), dtype=torch.float64, device=where)
            for step, batch in enumerate(feed.epoch(epoch)):
                left = (counts[: batch.count] - step * recipe.batch).clamp_max(recipe.batch)
                sums[: batch.count] += stack.step(batch).double() * left.to(where)
                progress.update()
                go_on()
            error = sums.cpu() / counts
            _check(error, names, epoch, recipe)
            progress.say(epoch=epoch + 1, error=f"{float(error.mean()):.3f}")
            if scratch is not None and (epoch + 1) % CHECKPOINT == 0 and epoch + 1 < recipe.epochs:
                scratch.save({**stack.tensors, "epoch": torch.tensor(epoch + 1)})
    found = {name: stack.tensors[name] for name in stack.names["refiner"]} | stack.statistics(feed)
    sound = torch.stack([values.double().flatten(1).sum(1).cpu() for values in found.values()]).sum(0)
    _check(sound, names, recipe.epochs - 1, recipe)
    found["error"] = error.to(dtype)
    back = torch.tensor([feed.classes.index(c) for c in classes])
    return {name: values.cpu()[back].contiguous() for name, values in found.items()}


def design_of(images: ImageSet) -> Design:
    """The sizes that fit a set's images."""
    channels, height, width = images.images.shape[1:]
    return Design(channels, height, width)


def _check(numbers: Tensor, classes: Sequence[str], epoch: int, recipe: AloocRecipe) -> None:
    broken = [name for name, good in zip(classes, numbers.isfinite().tolist(), strict=True) if not good]
    if broken:
        raise MistrustError(
            f"ALOOC: the refiners of {len(broken)} classes ({', '.join(broken[:3])}{', ...' if broken[3:] else ''}) "
            f"became NaN or infinite in epoch {epoch + 1}. Lower the rate {recipe.rate:g}."
        )


def _smoke() -> dict[str, Tensor]:
    """Two classes of unequal size on tiny images; sums rounded, since machines differ in the last digits."""
    pixels = random.uniform(0, "smoke", torch.arange(7), (1, 8, 8))
    tiny = ImageSet("smoke", pixels, torch.tensor([0, 1, 0, 1, 0, 0, 0]), torch.arange(7), ("a", "b"))
    found = train(tiny, (0, 1), AloocRecipe(epochs=2, batch=3), 0, device="cpu", dtype=torch.float64)
    return {name: values.abs().sum().round(decimals=3) for name, values in found.items()}


ALOOC = maker("alooc", version=1, content="tensors", smoke=_smoke)


def trained_refiners(
    images: ImageSet,
    recipe: AloocRecipe | None = None,
    seed: int = 0,
    *,
    group: int = 15,
    device: str | None = None,
) -> dict[str, Tensor]:
    """Give the refiners of all classes from the store, or train them; a killed run goes on where it was.

    Parameters
    ----------
    group : classes that are trained and kept together, at most. It bounds memory, and decides what is found in the
        store; it changes no result but for rounding. On a CPU groups learn side by side, one on each of torch's
        threads: such a thread waits for no other in the middle of a step.
    device : "auto", "cpu", "cuda" or "mps".

    Returns
    -------
    dict
        What `train` gives, for the classes that have images, and `classes` (G,), their positions in rising order.

    Raises
    ------
    MistrustError
        No class has an image; a group below 1; numbers that are no longer finite.

    Examples
    --------
    >>> from mistrust.data import load
    >>> digits = load("digits", "train")
    >>> few = digits.take((digits.labels >= 8).nonzero()[:10, 0])
    >>> found = trained_refiners(few, AloocRecipe(epochs=1, batch=8), device="cpu")
    >>> found["classes"], found["error"].shape  # only eights and nines have a refiner
    (tensor([8, 9]), torch.Size([2]))
    >>> again = trained_refiners(few, AloocRecipe(epochs=1, batch=8), device="cpu")  # from the store
    >>> torch.equal(again["error"], found["error"])
    True
    """
    recipe = recipe or AloocRecipe()
    if group < 1:
        raise MistrustError(f"ALOOC: group is {group}, expected at least one class.")
    classes = images.labels.unique().tolist()
    if not classes:
        raise MistrustError("ALOOC: there is no image to train a refiner on.")
    calls = [partial(_group, images, some, recipe, seed, device) for some in groups(classes, group)]
    found = side_by_side(calls) if find_device(device).type == "cpu" else [call() for call in calls]
    every = {name: torch.cat([one[name] for one in found]) for name in found[0]}
    return {**every, "classes": torch.tensor(classes)}


def groups(classes: Sequence[int], most: int) -> list[list[int]]:
    """Even parts of at most so many classes; an even number of them, so that two cores have equally much to do."""
    count = min(len(classes), 2 * ceil(len(classes) / (2 * most)))
    return [part.tolist() for part in np.array_split(classes, count)]


def _group(
    images: ImageSet, classes: Sequence[int], recipe: AloocRecipe, seed: int, device: str | None
) -> dict[str, Tensor]:
    spec = {
        "data": {"name": images.name, "checksum": images.checksum},
        "classes": [images.classes[c] for c in classes],
        "recipe": asdict(recipe),
        "seed": seed,
    }
    return made(ALOOC, spec, lambda scratch: train(images, classes, recipe, seed, device=device, scratch=scratch))
