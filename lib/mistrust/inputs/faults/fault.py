"""`Fault`: a template by which images are made faulty, and `faulty`, which applies it to an image set."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from mistrust import random
from mistrust.data import ImageSet
from mistrust.errors import MistrustError, check_known
from mistrust.inputs.draws import Draws
from mistrust.inputs.faults.copies import copied
from mistrust.inputs.limits import check_made, check_set, whole
from mistrust.inputs.perturbations import CORRUPTIONS, perturbed, to_uint8
from mistrust.networks import Classifier
from mistrust.registry import Registry

CATEGORIES = ("novelty", "adversarial", "anomaly", "shift", "noise")

# (classifier, images (n, c, h, w) float32 in [0, 1], labels (n,), draws) -> images of the same shape.
Attack = Callable[[Classifier, Tensor, Tensor, Draws], Tensor]


@dataclass(frozen=True)
class Fault:
    """One fault template.

    Attributes
    ----------
    category : one of `CATEGORIES`; a fault that changes images is no "novelty".
    corruption : the entry of `mistrust.inputs.CORRUPTIONS` that it applies; "" for an attack.
    severities : those of the benchmark; none where the fault has no severity.
    copies : whether it has no severity, and gives a copy of each image at every level of the corruption instead.
    published : parameters of the corruption as the authors' code has them, where that slips.
    attack, attack_as_published : in place of a corruption: what needs a classifier.
    colour : whether images must have three channels.
    title, source : those of the corruption, if not given.

    Raises
    ------
    MistrustError
        An unknown category or corruption, severities that the corruption does not have, neither or both of corruption
        and attack.

    Examples
    --------
    >>> fault = FAULTS["gaussian_noise"]
    >>> fault.category, fault.severities, fault.needs_classifier
    ('noise', (2, 5), False)
    """

    category: str
    corruption: str = ""
    severities: tuple[int, ...] = ()
    copies: bool = False
    published: Mapping[str, float] = field(default_factory=dict)
    attack: Attack | None = None
    attack_as_published: Attack | None = None
    colour: bool = False
    title: str = ""
    source: str = ""

    def __post_init__(self) -> None:
        check_known("category of faults", self.category, CATEGORIES[1:])
        if bool(self.corruption) == (self.attack is not None):
            raise MistrustError("A fault has either the name of a corruption or an attack, expected one of the two.")
        if self.corruption:
            entry = CORRUPTIONS[self.corruption]
            object.__setattr__(self, "title", self.title or entry.title)
            object.__setattr__(self, "source", self.source or entry.source)
            if not set(self.severities) <= set(range(1, len(entry.levels) + 1)):
                raise MistrustError(
                    f"Severities of the benchmark are {self.severities}, but '{self.corruption}' has 1 to "
                    f"{len(entry.levels)}."
                )

    @property
    def levels(self) -> int:
        """How many severities it can be applied at; 0 where it has none."""
        return 0 if self.copies or not self.corruption else len(CORRUPTIONS[self.corruption].levels)

    @property
    def times(self) -> int:
        """How many faulty images come of each."""
        return len(CORRUPTIONS[self.corruption].levels) if self.copies else 1

    @property
    def needs_classifier(self) -> bool:
        """Whether `faulty` must be given a classifier."""
        return self.attack is not None

    @property
    def differs_as_published(self) -> bool:
        """Whether the authors' code makes other images than the paper describes."""
        return bool(self.published) or self.attack_as_published is not None


FAULTS = Registry[Fault]("fault", "mistrust list faults")


def faulty(
    images: ImageSet,
    fault: str,
    severity: int | None = None,
    *,
    seed: int = 0,
    as_published: bool = False,
    classifier: Classifier | None = None,
) -> ImageSet:
    """Make every image of a set faulty.

    Parameters
    ----------
    images : n images in [0, 1] or grey levels, with the true labels.
    fault : see `FAULTS`.
    severity : 1, 2, ...; none for faults that have no severity.
    seed : of the draws, which are each image's own, by its id.
    as_published : with the slip of the authors' code, where there is one (`differs_as_published`).
    classifier : what an attack fools.

    Returns
    -------
    ImageSet
        uint8: what the formula gives, in [0, 1], cut off to whole grey levels (`to_uint8`), as the benchmark stores its
        sets. Labels and ids stay. A fault that gives several copies gives `times` n images, copy after copy, each with
        all images in order; copy 0 keeps the ids, the others have those of `copied`. The result of some images is
        that part of the result of all.

    Raises
    ------
    MistrustError
        Images that are no `ImageSet`, an unknown fault, a severity that it does not have, none where it needs one, no
        classifier where it needs one, grey images where it needs colours, a fault whose images leave [0, 1] or have
        another shape.

    Examples
    --------
    >>> from mistrust.data import load
    >>> noisy = faulty(load("digits", "test"), "gaussian_noise", 2)
    >>> noisy.images.shape
    torch.Size([500, 1, 8, 8])
    """
    entry = FAULTS[fault]
    check_set("faulty", images)
    level = _level(entry, fault, severity)
    _check(entry, fault, classifier, images)
    if entry.attack is not None and classifier is not None:
        attack = (as_published and entry.attack_as_published) or entry.attack
        made = torch.empty(images.images.shape, dtype=torch.uint8)
        for here in images.ids.argsort(stable=True).split(random.BLOCK):
            some = images.take(here)
            draws = Draws(seed, f"fault/{fault}", some.ids)
            fooling = attack(classifier, some.floats(), some.labels, draws)
            check_made(f"Fault '{fault}'", fooling, some.images.shape)
            made[here] = to_uint8(fooling)
        return replace(images, images=made)
    settings = CORRUPTIONS[entry.corruption].levels
    parts = []
    for setting in settings if entry.copies else (settings[level - 1],):
        chosen = {**setting, **entry.published} if as_published else setting
        parts.append(perturbed(images, entry.corruption, chosen, seed=seed).images)
    if not entry.copies:
        return replace(images, images=parts[0])
    ids = torch.cat([copied(images.ids, number) for number in range(len(parts))])
    return ImageSet(images.name, torch.cat(parts), images.labels.repeat(len(parts)), ids, images.classes)


def _level(entry: Fault, fault: str, severity: int | None) -> int:
    """The severity as a level of the corruption; 1 where the fault has no severity."""
    if entry.levels == 0:
        if severity is not None:
            raise MistrustError(f"Fault '{fault}' has no severities, got {severity!r}. Leave it out.")
        return 1
    try:
        return whole("severity", severity, 1, entry.levels)
    except MistrustError:
        raise MistrustError(f"Fault '{fault}' has severities 1 to {entry.levels}, got {severity!r}.") from None


def _check(entry: Fault, fault: str, classifier: Classifier | None, images: ImageSet) -> None:
    if entry.needs_classifier and classifier is None:
        raise MistrustError(
            f"Fault '{fault}' is an attack and needs the classifier that it fools: faulty(..., classifier=...)."
        )
    if entry.colour and images.images.shape[1] != 3:
        have = ", ".join(name for name, one in FAULTS.items() if not one.colour)
        raise MistrustError(
            f"Fault '{fault}' changes colours, but images of '{images.name}' have {images.images.shape[1]} channels, "
            f"expected 3. Those for any images: {have}."
        )
