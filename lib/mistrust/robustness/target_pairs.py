"""Images by target classes: the pairs that a targeted search works on, and what it finds of each.

The paper (sections 3.1 and 4, "Targeted Perturbation Results") measures how much an image must change before the
network gives another class with a probability of at least .90: the largest change of a pixel, max |I* - I|. Every
number found by a search is an upper bound: what is near may be overlooked.
"""

from dataclasses import dataclass, fields, replace

import torch
from jaxtyping import Bool, Float, Float64, Int, Int64
from torch import Tensor

from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.inputs.attacks import gradient
from mistrust.inputs.limits import as_tensor, whole
from mistrust.networks import Classifier
from mistrust.networks.checks import check_finite, check_pair
from mistrust.robustness.checks import forward, numbers_of, pixels_of, probability_of, starting_points
from mistrust.robustness.noise import GREY

# Pairs at a time: on a CPU more gain little. On a GPU take more.
BLOCK = 256
# Rows of a batch are made a multiple of this: on a CPU, float32 rows then came out bit for bit alike in every batch,
# gradients included (measured: networks of `ARCHITECTURES` on grey and colour images, one and two threads). Without it
# a pair done alone ended up to 7 grey levels from the same pair among 81: Adam makes much of rounding in tiny slopes.
TILE = 16


@dataclass(frozen=True, eq=False)
class Targeted:
    """What a targeted search found of m pairs (image, target), on the CPU.

    Attributes
    ----------
    ids : (m,) id of the image.
    source : (m,) the class that the network gives the image as it is, and correctly.
    target : (m,) the class that was sought, never the source.
    linf, l2 : (m,) largest change of a pixel, and root of the summed squares of all changes, in grey levels of 0..255
        (so l2 is that of [0, 1] images times 255); NaN where the search failed.
    steps : (m,) steps that led there; where it failed, all that were allowed.
    success : (m,) whether the target reached the probability.
    probability : (m,) of the target at the end; where it failed, that of the last step.
    misclassified : (o,) ids of the images that were named wrongly as they are, and were kept apart.
    images : (m, c, h, w) what was found, the image as it was where the search failed: uint8 where the search went by
        8 bits, otherwise floats in [0, 1]. None unless asked for.
    """

    ids: Int64[Tensor, " m"]
    source: Int64[Tensor, " m"]
    target: Int64[Tensor, " m"]
    linf: Float64[Tensor, " m"]
    l2: Float64[Tensor, " m"]
    steps: Int64[Tensor, " m"]
    success: Bool[Tensor, " m"]
    probability: Float64[Tensor, " m"]
    misclassified: Int64[Tensor, " o"]
    images: Tensor | None = None

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return (
            f"Targeted({len(self):,} pairs, {int(self.success.sum()):,} reached, {len(self.misclassified):,} "
            "misclassified images kept apart)"
        )

    def take(self, rows: Tensor) -> "Targeted":
        """Give some of the pairs: positions or a mask."""
        columns = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "misclassified"}
        return replace(self, **{name: column[rows] for name, column in columns.items() if column is not None})


class TargetPairs:
    """All pairs of a search, what they must reach, and the ledger of what became of each.

    Parameters
    ----------
    classifier : wraps a torch module in evaluation mode; the search runs on its device and in its number type.
    images : n images with true labels; those that are named wrongly as they are, are kept apart.
    targets : (n, t) classes, t an image, or None for all classes but the source.
    probability : what the target must reach, in (0, 1).
    eight_bit : whether an image counts only if it still reaches that when rounded to 8 bits.
    keep : whether to keep the images found.
    block : pairs at a time.

    Raises
    ------
    MistrustError
        What `starting_points` refuses; a plain callable; targets of another shape, outside 0 to k - 1, equal to the
        source, or named twice for an image; a probability outside (0, 1), a block below 1.
    """

    def __init__(
        self, classifier: Classifier, images: ImageSet, targets: Tensor | None, *,
        probability: float, eight_bit: bool, keep: bool, block: int,
    ) -> None:  # fmt: skip
        check_pair(classifier, images)
        _ = classifier.module
        self.classifier, self.eight_bit = classifier, eight_bit
        self.block = whole("block", block, 1)
        self.wanted = probability_of("The probability to reach", probability)
        self.start = starting_points(classifier, images, self.block)
        source = self.start.images.labels
        kept = None if targets is None else _kept(targets, images, self.start.misclassified)
        chosen = _others(source, len(classifier.classes)) if kept is None else kept
        _check_targets(chosen, self.start.images)
        t = chosen.shape[1]
        self.position = torch.arange(len(source)).repeat_interleave(t)
        self.target = chosen.reshape(-1)
        self.numbers = numbers_of(classifier)
        ids, nothing = self.start.images.ids[self.position], torch.full((len(self),), torch.nan, dtype=torch.float64)
        none = torch.zeros(len(self), dtype=torch.int64)
        self.found = Targeted(
            ids, source[self.position], self.target, nothing, nothing.clone(), none, none.bool(), nothing.clone(),
            self.start.misclassified,
            self._written(pixels_of(classifier, self.start.images))[self.position] if keep else None,
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.position)

    def clean(self, rows: Int[Tensor, " a"]) -> Float[Tensor, "a c h w"]:
        """The images of these pairs as they are, in [0, 1], on the device and in the network's number type."""
        x = self.start.images.images[self.position[rows]]
        x = x.float().div_(GREY) if x.dtype == torch.uint8 else x
        return x.to(self.classifier.device, self.numbers, copy=True)

    def slope(self, x: Float[Tensor, "a c h w"], rows: Int[Tensor, " a"]) -> tuple[Tensor, Tensor]:
        """Each target's probability (a,), and the gradient of its cross-entropy by its own image (a, c, h, w)."""
        with torch.enable_grad():
            tiled = _tiled(x.detach()).requires_grad_()
            log = self._log_probability(tiled, rows)
            # The sum's gradient is each pair's own: no image sees another.
            return log.detach().exp(), gradient(-log.sum(), tiled, last=True)[: len(x)]

    def reached(self, x: Tensor, p: Tensor, rows: Int[Tensor, " a"]) -> tuple[Bool[Tensor, " a"], Tensor, Tensor]:
        """Which of these count as reached; the images and probabilities that are to be written down of them."""
        yes = p >= self.wanted
        if not self.eight_bit or not bool(yes.any()):
            return yes, x, p
        x, p, near = x.clone(), p.clone(), yes.nonzero()[:, 0]
        x[near] = (x[near] * GREY).round() / GREY
        with torch.no_grad():
            p[near] = self._log_probability(_tiled(x[near]), rows[near.cpu()]).exp()
        return p >= self.wanted, x, p

    def distances(self, x: Tensor, rows: Int[Tensor, " a"]) -> tuple[Float64[Tensor, " a"], Float64[Tensor, " a"]]:
        """How far these images are from those given, in grey levels: largest change (a,), and Euclidean (a,)."""
        before, there = self.start.images.images[self.position[rows]], x.cpu().double() * GREY
        grey = before.double() if before.dtype == torch.uint8 else before.double() * GREY
        change = ((there.round() if self.eight_bit else there) - grey).flatten(1)
        return change.abs().amax(1), change.norm(dim=1)

    def write(self, rows: Int[Tensor, " a"], x: Tensor, p: Tensor, steps: Tensor, yes: Bool[Tensor, " a"]) -> None:
        """Write down how these pairs ended."""
        found, there = self.found, yes.cpu()
        found.steps[rows], found.success[rows], found.probability[rows] = steps, there, p.cpu().double()
        good = rows[there]
        if len(good):
            found.linf[good], found.l2[good] = self.distances(x[yes], good)
            if found.images is not None:
                found.images[good] = self._written(x[yes])

    def _log_probability(self, tiled: Tensor, rows: Tensor) -> Float[Tensor, " a"]:
        logits = forward(self.classifier, tiled)[: len(rows)]
        check_finite(logits, self.classifier)
        return logits.log_softmax(1).gather(1, self.target[rows].to(logits.device)[:, None])[:, 0]

    def _written(self, x: Float[Tensor, "a c h w"]) -> Tensor:
        return (x.cpu() * GREY).round().to(torch.uint8) if self.eight_bit else x.cpu()


def _tiled(x: Float[Tensor, "a c h w"]) -> Float[Tensor, "b c h w"]:
    """At least these rows, the first of them repeated up to a multiple of `TILE`."""
    short = -len(x) % TILE
    return torch.cat([x, x[:1].expand(short, *x.shape[1:])]) if short else x.clone()


def _others(source: Int64[Tensor, " n"], k: int) -> Int64[Tensor, "n t"]:
    """All classes but the source, ascending."""
    every = torch.arange(k).expand(len(source), k)
    return every[every != source[:, None]].view(len(source), k - 1)


def _kept(given: Tensor, images: ImageSet, apart: Int[Tensor, " o"]) -> Int64[Tensor, "m t"]:
    """The targets of the images that are not kept apart."""
    targets = as_tensor("Targets", given)
    n, kind = len(images), targets.dtype
    if targets.is_floating_point() or kind == torch.bool or targets.ndim != 2 or len(targets) != n:
        raise MistrustError(
            f"Targets are {kind} of shape {tuple(targets.shape)}, expected whole numbers of shape ({n}, t): a row an "
            "image, one column per target. One target an image: targets[:, None]."
        )
    return targets.cpu().long()[~torch.isin(images.ids, apart)]


def _check_targets(targets: Int64[Tensor, "m t"], images: ImageSet) -> None:
    k = len(images.classes)
    if targets.numel() and not 0 <= int(targets.min()) <= int(targets.max()) < k:
        raise MistrustError(f"Targets run from {int(targets.min())} to {int(targets.max())}, expected 0 to {k - 1}.")
    ordered = targets.sort(1).values
    twice = (ordered[:, 1:] == ordered[:, :-1]).any(1).nonzero()[:, 0]
    if len(twice):
        one = int(twice[0])
        raise MistrustError(
            f"Image {int(images.ids[one])} is to be taken to one class twice (targets {targets[one].tolist()}): each "
            "pair would count twice. Name every target of an image once."
        )
    same = (targets == images.labels[:, None]).any(1).nonzero()[:, 0]
    if len(same):
        one = int(same[0])
        raise MistrustError(
            f"Image {int(images.ids[one])} is to be taken to class '{images.classes[int(images.labels[one])]}', which "
            "it has as it is: a target equal to the source has no distance. Leave it out, or give targets=None for all "
            "other classes."
        )
