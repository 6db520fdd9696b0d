"""Accuracy on spoilt images: the twelve perturbations of the MLM paper at four of their ten levels."""

from collections.abc import Mapping
from functools import partial
from statistics import NormalDist

import numpy as np
import torch
from numpy.typing import NDArray

from mistrust.assess.bad_inputs import numbered
from mistrust.assess.blocks import Block, Gallery, Heat, Shot, Text
from mistrust.assess.kept import Tensors
from mistrust.assess.parts.part import PARTS, Part, Piece, Told
from mistrust.assess.plan import LEVELS
from mistrust.assess.subject import Subject
from mistrust.data import ImageSet
from mistrust.evaluation import share
from mistrust.figures.written import percent
from mistrust.inputs import PERTURBATIONS, perturbed

PART = "perturbations"
WORST = -NormalDist().inv_cdf(0.025 / len(PERTURBATIONS))  # standard errors, after Bonferroni


def spoilt(subject: Subject) -> ImageSet:
    """The images that are perturbed, numbered."""
    return numbered(subject.images.take(subject.some(subject.sizes.perturbed, PART)))


def pieces_of(subject: Subject) -> list[Piece]:
    """One piece per perturbation: its logits by level."""

    def make(name: str) -> Tensors:
        images = spoilt(subject)
        return {
            f"level {level}": subject.passed(perturbed(images, name, level, seed=subject.seed)) for level in LEVELS
        }  # fmt: skip

    spec = {"images": subject.sizes.perturbed, "levels": LEVELS}
    return [Piece(name, partial(make, name), spec, PART) for name in PERTURBATIONS]


def _tell(subject: Subject, pieces: Mapping[str, Tensors]) -> Told:
    rows_of = subject.some(subject.sizes.perturbed, PART)
    labels, n = subject.images.labels[rows_of], len(rows_of)
    clean = share(int(subject.correct[rows_of].sum()), n)
    rows = [_row("clean", float("nan"), clean.value, clean.low, clean.high, n)]
    values = list[list[float | None]]()
    lost = dict[str, torch.Tensor]()  # of each image: right as it is, less the share of levels at which it is right
    for name in pieces:
        line: list[float | None] = []
        for level in LEVELS:
            right = pieces[name][f"level {level}"].argmax(1) == labels
            found = share(int(right.sum()), n)
            rows.append(_row(f"perturbed/{name}", level, found.value, found.low, found.high, n))
            line.append(found.value)
            lost[name] = lost.get(name, 0) + (subject.correct[rows_of].double() - right.double()) / len(LEVELS)
        values.append(line)
    titles = [PERTURBATIONS[name].title for name in pieces]
    low = max(0.0, min(1 / len(subject.classes), clean.value - 0.1))
    order = sorted(range(len(values)), key=lambda i: -sum(v or 0 for v in values[i]))
    blocks: list[Block] = [
        Text(
            f"Accuracy, in per cent, on {n:,} images under twelve perturbations at four of their ten levels; as they "
            f"are, {percent(clean.value)} of these are correct. Guessing gives {percent(1 / len(subject.classes))}."
        ),
        Heat(
            "Accuracy in per cent by perturbation, the least harmful first", "perturbation", [titles[i] for i in order],
            [f"level {level}" for level in LEVELS], [values[i] for i in order], low, max(clean.value, low + 0.1),
            decimals=0, percent=True,
        ),
        _looks(subject, [list(pieces)[i] for i in order]),
    ]  # fmt: skip
    worst = list(pieces)[order[-1]]  # the last line of the table
    return Told(_harm(PERTURBATIONS[worst].title, lost[worst], clean.value), rows, blocks, read=n)


def _harm(title: str, lost: torch.Tensor, clean: float) -> str:
    """Which perturbation does most harm, if it does any: (n,) what each image loses by it, on average over levels.

    Harm is shown if a mean loss of nothing lies below its interval over images, by the normal law: one for all
    perturbations at once, since the worst of them was looked for.
    """
    loss = float(lost.mean())
    told = f"{percent(clean - loss)} correct on average over its levels, {percent(clean)} without it"
    if loss > WORST * float(lost.std(correction=0)) / len(lost) ** 0.5 and loss > 0:
        return f"{title} does most harm: {told}."
    return f"No perturbation does harm that these images show. The worst is {title.lower()}: {told}."


def _looks(subject: Subject, names: list[str]) -> Gallery:
    """One image that is right as it is, under each perturbation at its strongest level."""
    good = subject.correct.nonzero()[:, 0]
    one = numbered(subject.images.take([int(good[0]) if len(good) else 0]))
    label, level = subject.classes[int(one.labels[0])], LEVELS[-1]
    shots = [Shot(_pixels(one), f"An image of class {label} as it is.", ("as it is",))]
    for name in names:
        made, title = perturbed(one, name, level, seed=subject.seed), PERTURBATIONS[name].title
        shots.append(Shot(_pixels(made), f"The same image of class {label} under {title.lower()}.", (title,)))
    return Gallery(f"One image under each perturbation at level {level}", shots)


def _pixels(images: ImageSet) -> NDArray[np.uint8]:
    return (images.floats()[0] * 255).round().to(torch.uint8).numpy()


def _row(condition: str, level: float, value: float, low: float, high: float, n: int) -> dict[str, object]:
    return {
        "table": "perturbations", "condition": condition, "level": level, "metric": "accuracy", "value": value,
        "low": low, "high": high, "over": "images", "n": n,
    }  # fmt: skip


PARTS.add(PART, Part("How it copes with spoilt images", ("model",), pieces_of, _tell))
