"""Records that lack a part, or hold a NaN or an extreme in it: what a supervisor must compute, ask for or refuse."""

from dataclasses import replace

import torch
from torch import Tensor

from mistrust.networks import Record


def with_nan(record: Record, part: str) -> Record:
    """The record with one NaN in a part that is read."""

    def broken(values: Tensor) -> Tensor:
        values = values.clone()
        values.view(-1)[values.numel() // 2] = torch.nan
        return values

    if part in ("layer", "layers"):
        return replace(record, activations={name: broken(values) for name, values in record.activations.items()})
    if part == "logits":
        return replace(record, logits=broken(record.logits))
    held = broken(record.need(part))
    return replace(record, samples=held) if part == "samples" else replace(record, members=held)


def without(record: Record, part: str) -> Record:
    """The record as a pass would have given it that did not ask for a part."""
    if part in ("layer", "layers"):
        return replace(record, activations={})
    if part == "network":
        module = record.classifier.module
        return replace(record, classifier=replace(record.classifier, network=lambda images: module(images)))
    return replace(record, samples=None) if part == "samples" else replace(record, members=None)


def ends(record: Record) -> dict[str, Record]:
    """The record's first rows with numbers that networks may give, but rarely do: by what they are."""
    k = record.logits.shape[1]
    logits = torch.zeros(4, k)  # all equal; one certain; all low; all high
    logits[1, 0], logits[1, 1:], logits[2], logits[3] = 1000, -1000, -1000, 1000
    few = record.take(torch.arange(len(logits)))
    samples, members = (
        None if held is None else logits.expand(len(held), *logits.shape).clone() for held in (few.samples, few.members)
    )
    dark = {name: torch.zeros_like(values) for name, values in few.activations.items()}
    found = {"logits of 0, 1000 and -1000": replace(few, logits=logits, samples=samples, members=members)}
    return found | ({"layers of zeros": replace(few, activations=dark)} if dark else {})


def relabelled(record: Record) -> Record:
    """The same images with other true labels."""
    other = (record.labels + 1) % len(record.classifier.classes)
    return replace(record, images=replace(record.images, labels=other))
