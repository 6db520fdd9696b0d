"""Adversarial test sets after the design of the AmbiGuess paper: four attacks share one test set.

Weiss et al., "Generating and Detecting True Ambiguity" (arXiv 2207.10495), section VII, and the authors' code. The
images are shuffled and dealt to the attacks; what counts is the smallest epsilon that fools the classifier. By
default the set holds what fools and nothing else. `as_published` does what the authors' code does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
import torch
from jaxtyping import Bool, Float64, Int64
from sklearn.utils import shuffle
from torch import Tensor

from mistrust import random
from mistrust.data import ImageSet
from mistrust.errors import MistrustError, check_known
from mistrust.inputs.attacks import ATTACKS
from mistrust.inputs.epsilons import FAILURE, FOOLED, GRID, NATURAL_ERROR, OUTCOMES, PUBLISHED, Attacked, attacked
from mistrust.networks import Classifier

FOUR = ("fgsm", "pgd", "bim", "deepfool")
BATCHES = 10  # of each attack's share, in the authors' code

_COLUMNS = ("ids", "attack", "outcome", "epsilon", "distance")


@dataclass(frozen=True, eq=False)
class AdversarialSet:
    """Images made to fool one classifier, and what became of all that were tried.

    Attributes
    ----------
    images : the m images of the test set, float32: rounded to grey levels, some would fool no more. They keep the ids
        and the true labels of what they were made from.
    attacks : names of the attacks.
    ids, attack, outcome, epsilon, distance : (n,) of all images that were tried: id; position in `attacks`; position
        in `OUTCOMES`; epsilon and largest change of a pixel, NaN where nothing fooled.
    kept : (n,) whether the image is in the test set; the m that are, in this order, are `images`.
    """

    images: ImageSet
    attacks: tuple[str, ...]
    ids: Int64[Tensor, " n"]
    attack: Int64[Tensor, " n"]
    outcome: Int64[Tensor, " n"]
    epsilon: Float64[Tensor, " n"]
    distance: Float64[Tensor, " n"]
    kept: Bool[Tensor, " n"]

    def __len__(self) -> int:
        return len(self.images)

    def __repr__(self) -> str:
        return f"AdversarialSet({self.images.name}: {len(self):,} of {len(self.ids):,}; {', '.join(self.attacks)})"

    def summary(self) -> pd.DataFrame:
        """One row an attack: images tried, fooled, failures, natural errors, median epsilon of those that fool."""
        rows = []
        for position, name in enumerate(self.attacks):
            mine = self.attack == position
            counts = torch.bincount(self.outcome[mine], minlength=len(OUTCOMES)).tolist()
            middle = float(self.epsilon[mine].nanquantile(0.5)) if counts[FOOLED] else float("nan")
            rows.append([name, int(mine.sum()), *counts, middle])
        return pd.DataFrame(rows, columns=["attack", "tried", *OUTCOMES, "median epsilon"])

    def tensors(self) -> dict[str, Tensor]:
        """All of it but the names, for the store; `AdversarialSet.of` takes it back."""
        own = {name: getattr(self, name) for name in (*_COLUMNS, "kept")}
        return {**own, "images": self.images.images, "labels": self.images.labels}

    @classmethod
    def of(cls, tensors: Mapping[str, Tensor], images: ImageSet, attacks: Sequence[str] = FOUR) -> "AdversarialSet":
        """Give the set of these `tensors`; `images` is what it was made from, `attacks` those it was made with."""
        own = {name: tensors[name] for name in (*_COLUMNS, "kept")}
        ids = tensors["ids"][tensors["kept"]]
        made = ImageSet(_name(images), tensors["images"], tensors["labels"], ids, images.classes)
        return cls(made, tuple(attacks), **own)


def adversarial(
    classifier: Classifier,
    images: ImageSet,
    seed: int = 0,
    *,
    attacks: Sequence[str] = FOUR,
    epsilons: Sequence[float] | None = None,
    search: str | Mapping[str, str] = "ascending",
    parameters: Mapping[str, Mapping[str, float]] | None = None,
    as_published: bool = False,
) -> AdversarialSet:
    """Make an adversarial test set for one classifier.

    Parameters
    ----------
    classifier : wraps a torch module in evaluation mode; its logits are attacked, on its device.
    images : nominal test images with true labels. They are shuffled by the seed and dealt in equal parts to the
        attacks; the set has them in the order in which they are given.
    seed : of the shuffle and of random starts.
    attacks : names, see `ATTACKS`.
    epsilons : ascending; `GRID` when not given, as published `PUBLISHED`.
    search : "ascending" or "bisection", see `attacked`; or by attack, and one that is not named is ascending.
    parameters : by attack, in place of its defaults: {"pgd": {"steps": 10}}.
    as_published : do what the authors' code does. It takes the classifier's softmax for its logits. Each attack's part
        is cut into ten batches, whose results are then joined along the axis of epsilons: of the ten images at one
        place of their batches only one gets into the set, the first that is fooled, mostly that of the first batch.
        So 10,000 images give 1,000. An image that was named wrongly from the start counts as fooled (by an epsilon of
        0) and gets in unchanged, and where none of the ten is fooled, the clean image of the first batch does. The
        shuffle is that of scikit-learn with this seed. What does not divide evenly is left out.

    Raises
    ------
    MistrustError
        What `attacked` refuses, an attack named twice, no images, too few images as published, a set without any
        image.
    """
    names = tuple(attacks)
    for position, name in enumerate(names):
        if name in names[:position]:
            raise MistrustError(f"Attack '{name}' is named twice: each gets one part of the images.")
        _ = ATTACKS[name]
    searches = dict.fromkeys(names, search) if isinstance(search, str) else search
    for name in (*(parameters or {}), *searches):
        check_known("attack", name, names)
    if not names or not len(images):
        raise MistrustError(f"There are {len(images)} images and {len(names)} attacks, expected one or more of each.")
    grid = epsilons if epsilons is not None else PUBLISHED if as_published else GRID
    each = [
        partial(
            attacked, classifier, name=name, epsilons=grid, seed=seed, softmax=as_published,
            search=searches.get(name, "ascending"), parameters=(parameters or {}).get(name),
        ) for name in names
    ]  # fmt: skip
    if as_published:
        rows, attack, done = _published(images, each, seed)
        kept = torch.ones(len(rows), dtype=torch.bool)
    else:
        rows, attack, done = _dealt(images, each, seed)
        kept = done.outcome == FOOLED
    if not bool(kept.any()):
        wrong = int((done.outcome == NATURAL_ERROR).sum())
        raise MistrustError(
            f"No image of '{images.name}' was made to fool '{classifier.name}': of {len(rows)}, {wrong} are named "
            f"wrongly as they are, and {len(rows) - wrong} are not fooled by an epsilon of {max(grid):g}. Attack a "
            "trained classifier, on images of its classes, or try larger epsilons."
        )
    made = images.take(rows[kept])
    made = ImageSet(_name(images), done.images[kept], made.labels, made.ids, made.classes)
    return AdversarialSet(
        made, names, images.ids[rows], attack, done.outcome, done.epsilon, done.distance, kept
    )  # fmt: skip


def _dealt(images: ImageSet, each: Sequence[partial[Attacked]], seed: int) -> tuple[Tensor, Tensor, Attacked]:
    """Rows in the order given, each one's attack, and what came of it."""
    attack = torch.empty(len(images), dtype=torch.int64)
    order = random.permutation(seed, "adversarial/order", len(images))
    for position, rows in enumerate(order.tensor_split(len(each))):
        attack[rows] = position
    parts = [(attack == position).nonzero()[:, 0] for position in range(len(each))]
    done = _joined([run(images=images.take(rows)) for run, rows in zip(each, parts, strict=True)])
    back = torch.cat(parts).argsort()
    return torch.arange(len(images)), attack, _some(done, back)


def _published(images: ImageSet, each: Sequence[partial[Attacked]], seed: int) -> tuple[Tensor, Tensor, Attacked]:
    """The same for the rows that get into the authors' set, attack after attack."""
    share = len(images) // len(each)
    size = share // BATCHES
    if size < 1:
        raise MistrustError(
            f"{len(images)} images are too few as published: {len(each)} attacks with {BATCHES} batches each need at "
            f"least {len(each) * BATCHES}."
        )
    order = torch.from_numpy(shuffle(np.arange(len(images)), random_state=seed))
    rows: list[Tensor] = []
    done: list[Attacked] = []
    for position, run in enumerate(each):
        batches = order[position * share :][: size * BATCHES].view(BATCHES, size)
        got, chosen = run(images=images.take(batches[0])), batches[0].clone()
        for batch in batches[1:]:
            left = (got.outcome == FAILURE).nonzero()[:, 0]
            if not len(left):
                break
            tried = run(images=images.take(batch[left]))
            better = tried.outcome != FAILURE
            for name in ("outcome", "epsilon", "distance", "images"):
                getattr(got, name)[left[better]] = getattr(tried, name)[better]
            chosen[left[better]] = batch[left[better]]
        rows.append(chosen)
        done.append(got)
    return torch.cat(rows), torch.arange(len(each)).repeat_interleave(size), _joined(done)


def _joined(parts: Sequence[Attacked]) -> Attacked:
    return Attacked(*(
        torch.cat([getattr(part, name) for part in parts]) for name in ("outcome", "epsilon", "distance", "images")
    ))  # fmt: skip


def _some(done: Attacked, rows: Tensor) -> Attacked:
    return Attacked(done.outcome[rows], done.epsilon[rows], done.distance[rows], done.images[rows])


def _name(images: ImageSet) -> str:
    return f"{images.name}-adversarial"
