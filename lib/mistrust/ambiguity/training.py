"""Autoencoders from the store, or trained: group by group, resumable, memory bounded by the group."""

import warnings
from collections.abc import Sequence
from dataclasses import asdict

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from torch import Tensor

from mistrust import random
from mistrust.ambiguity.adversarial import Stack, State, Training
from mistrust.ambiguity.autoencoder import Autoencoders
from mistrust.ambiguity.batches import Feed
from mistrust.ambiguity.gates import MEASURES, measure
from mistrust.ambiguity.members import Member, check_members, order_by_size, rows_of
from mistrust.ambiguity.stacked import PARTS, Design
from mistrust.data import ImageSet
from mistrust.errors import MistrustError, MistrustWarning
from mistrust.networks import device as find_device
from mistrust.progress import Progress, bar
from mistrust.store import Scratch, made, maker

# Epochs between two checkpoints, which are also when the bar's values are measured.
CHECKPOINT = 10
# Rows (members times images a step) that a CPU takes at once: with more, what a step leaves for the next no longer
# fits its caches, and stacking costs more than it saves.
CPU_ROWS = 2000
# Who rebuilds images hardly better than their mean does has collapsed: this share of their spread around it, or more.
COLLAPSED = 0.95
# Members that are trained and kept together, where nobody says otherwise.
GROUP = 15


def train(
    images: ImageSet,
    members: Sequence[Member],
    design: Design,
    training: Training,
    *,
    device: str | None = None,
    dtype: torch.dtype = torch.float32,
    scratch: Scratch | None = None,
    rows_at_once: int | None = None,
) -> dict[str, Tensor]:
    """Train one group and give its weights, (G, ...), and its report's columns, (G,), on the CPU.

    Parameters
    ----------
    images : the training set; members take their pair's images.
    members, design, training : whom, what and how.
    device, dtype : where and in which numbers.
    scratch : keeps a checkpoint every ten epochs; one found there is gone on from.
    rows_at_once : members times images that are computed at once; None: 2,000 on a CPU, a whole group elsewhere.
    """
    where = find_device(device)
    order = order_by_size(images, members)
    sorted_members = tuple(members[i] for i in order)
    state, first = _begin(design, sorted_members, dtype, where, scratch)
    pixels = images.images.flatten(1).to(where)
    width = width_of(where, training.batch, len(members), rows_at_once)
    stacks = []
    for start in range(0, len(members), width):
        some = sorted_members[start : start + width]
        part = state.slice(start, start + len(some))
        pairs = torch.tensor([(member.first, member.second) for member in some], device=where)
        feed = Feed(images, some, design, training.batch, dtype, pixels)
        stacks.append((Stack(part, pairs, design, training), feed))
    with bar(training.epochs * len(members), "autoencoders", "epoch") as progress:
        progress.update(first * len(members))
        for epoch in range(first, training.epochs):
            state["running"].zero_()
            for stack, feed in stacks:
                for batch in feed.epoch(epoch):
                    stack.step(batch)
                progress.update(len(feed.members))
            if (epoch + 1) % CHECKPOINT == 0 and epoch + 1 < training.epochs:
                _say(progress, _measured(stacks, design))
                if scratch is not None:
                    scratch.save({**state.tensors, "epoch": torch.tensor(epoch + 1)})
        report = _measured(stacks, design)
        _say(progress, report)
    counts = torch.tensor([count for _, feed in stacks for count in feed.counts])
    report["discrimination_published"] = state["running"] / (counts / training.batch).ceil().to(where)
    report["images"] = counts
    parts = torch.cat([state[part] for part in PARTS], 1)
    report["finite"] = parts.isfinite().all(1) & report["error"].isfinite()
    back = torch.tensor(order).argsort()
    found = {f"weight/{name}": values for name, values in state.weights(design).items()}
    found |= {f"report/{name}": values for name, values in report.items()}
    return {name: values.cpu()[back] for name, values in found.items()}


def width_of(where: torch.device, batch: int, members: int, rows_at_once: int | None = None) -> int:
    """How many members are computed at once: on a CPU few enough for its caches, elsewhere all."""
    if rows_at_once is None and where.type != "cpu":
        return members
    return min(members, max(1, (rows_at_once or CPU_ROWS) // batch))


def _begin(
    design: Design, members: tuple[Member, ...], dtype: torch.dtype, where: torch.device, scratch: Scratch | None
) -> tuple[State, int]:
    """The last checkpoint, or a new state; and the number of epochs that are done."""
    kept = scratch.load() if scratch is not None else None
    if kept is None:
        return State.new(design, members, dtype, where), 0
    epoch = int(kept.pop("epoch"))
    return State({name: values.to(where) for name, values in kept.items()}), epoch


def _measured(stacks: list[tuple[Stack, Feed]], design: Design) -> dict[str, Tensor]:
    parts = [measure(stack.state.weights(design), design, feed) for stack, feed in stacks]
    return {name: torch.cat([part[name] for part in parts]) for name in MEASURES}


def _say(progress: Progress, report: dict[str, Tensor]) -> None:
    progress.say(**{name: f"{float(report[name].nanmean()):.3f}" for name in MEASURES[:3]})


def _smoke() -> dict[str, Tensor]:
    """Two members of two pairs on tiny images; sums rounded, since machines differ in the last digits."""
    pixels = random.uniform(0, "smoke", torch.arange(20), (1, 4, 4))
    tiny = ImageSet("smoke", pixels, torch.arange(20) % 3, torch.arange(20), ("a", "b", "c"))
    members = (Member(0, 1, 0), Member(1, 2, 1))
    found = train(tiny, members, Design(16, 3, hidden=8), Training(epochs=3, batch=8), device="cpu", dtype=torch.double)
    return {name: values.double().abs().sum().round(decimals=3) for name, values in found.items()}


AUTOENCODERS = maker("autoencoders", version=1, content="tensors", smoke=_smoke)


def trained(
    images: ImageSet,
    members: Sequence[Member],
    design: Design | None = None,
    training: Training | None = None,
    *,
    group: int = GROUP,
    device: str | None = None,
) -> Autoencoders:
    """Give trained autoencoders from the store, or train them; a killed run goes on where it was.

    Parameters
    ----------
    images : the training set.
    members : pair and seed of each; see `members_of`.
    design : sizes; None fits the images with the paper's other sizes.
    training : recipe; None is the paper's.
    group : members that are trained and kept together. It bounds memory, and decides what is found in the store; it
        changes no result.
    device : "auto", "cpu", "cuda" or "mps".

    Raises
    ------
    MistrustError
        No member, one that occurs twice, a class that is not there or has no image, a design for other images.

    Warns
    -----
    MistrustWarning
        Members whose numbers became NaN or infinite: they are in the report, pass no gate, and touch no other. So do
        members that collapsed, whose images are all about the same (column collapsed): without a warning, since too few
        epochs leave all of them so.

    Examples
    --------
    >>> from mistrust.data import load
    >>> trained(load("mnist5k", "train"), [Member(3, 8), Member(4, 9)])  # doctest: +SKIP
    """
    training = training or Training()
    design = design or Design(images.images[0].numel(), len(images.classes))
    check_members(images, members)
    if design.pixels != images.images[0].numel() or design.classes != len(images.classes):
        raise MistrustError(
            f"The design is for {design.pixels} pixels and {design.classes} classes, {images.name} has "
            f"{images.images[0].numel()} and {len(images.classes)}: Design({images.images[0].numel()}, "
            f"{len(images.classes)})."
        )
    if group < 1:
        raise MistrustError(f"group is {group}, expected at least one member.")
    found: list[dict[str, Tensor]] = []
    for start in range(0, len(members), group):
        some = members[start : start + group]
        spec = {
            "data": {"name": images.name, "checksum": images.checksum},
            "members": [asdict(member) for member in some],
            "design": asdict(design),
            "training": asdict(training),
        }
        found.append(
            made(
                AUTOENCODERS,
                spec,
                lambda scratch, some=some: train(images, some, design, training, device=device, scratch=scratch),
            )
        )
    columns = {name: torch.cat([one[name] for one in found]) for name in found[0]}
    report = pd.DataFrame([asdict(member) for member in members])
    for name in ("images", *MEASURES, "discrimination_published", "finite"):
        report[name] = columns[f"report/{name}"].numpy()
    report["collapsed"] = report["finite"] & (report["error"] >= COLLAPSED * _spreads(images, members))
    weights = {n.removeprefix("weight/"): v for n, v in columns.items() if n.startswith("weight/")}
    channels, height, width = images.images.shape[1:]
    result = Autoencoders(design, tuple(members), (channels, height, width), images.classes, weights, report)
    broken = [str(member) for member, fine in zip(members, report["finite"], strict=True) if not fine]
    if broken:
        warnings.warn(
            f"{len(broken)} of {len(members)} autoencoders became NaN or infinite, and pass no gate: "
            f"{', '.join(broken[:5])}{' ...' if len(broken) > 5 else ''}. A lower rate than {training.rate:g} is the "
            "usual remedy.",
            MistrustWarning,
            stacklevel=2,
        )
    return result


def _spreads(images: ImageSet, members: Sequence[Member]) -> NDArray[np.float64]:
    """Mean squared distance of a pixel from its mean over each member's own images: the error of their mean."""
    found: dict[tuple[int, int], float] = {}
    for member in members:
        pair = member.first, member.second
        if pair not in found:
            own = images.take(rows_of(images, member)).floats()
            found[pair] = float(own.var(0, correction=0).double().mean())
    return np.array([found[member.first, member.second] for member in members])
