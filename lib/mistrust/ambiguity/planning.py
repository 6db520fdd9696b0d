"""What is wanted of an ambiguous set, checked as far as can be without training (paper, section V)."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path

import torch

from mistrust.ambiguity.adversarial import Training
from mistrust.ambiguity.composition import Composition
from mistrust.ambiguity.formats import FORMATS, checked
from mistrust.ambiguity.grid import Grid
from mistrust.ambiguity.jacobian import WEIGHTS
from mistrust.ambiguity.labels import LABELS
from mistrust.ambiguity.origin import Origin, origin
from mistrust.ambiguity.pairs import Pair, pairs_of, title
from mistrust.ambiguity.release import ready
from mistrust.ambiguity.sampling import Scheme
from mistrust.ambiguity.sampling import checked as checked_delta
from mistrust.data import ImageSet, load
from mistrust.errors import MistrustError
from mistrust.parameters import Checked, parameter

# The paper's batches and epochs are for some 12,000 images a pair, which makes 960 steps. Where a pair has fewer than
# PLENTY, batches are smaller, this many a pass, and more steps are needed before the gates open (found by trial on
# `digits` and `mnist5k`, 260 and 800 images a pair).
PLENTY, STEPS_A_PASS, SMALLEST, STEPS = 11_000, 25, 32, 2000
# A pair whose autoencoders fail the gates is tried with further seeds until it has as many good ones as are wanted,
# or this many times as many were tried.
PATIENCE = 5


@dataclass(frozen=True)
class Making(Checked):
    """How a set is made; the defaults are those of the chapter, which says where they differ from the paper's.

    Examples
    --------
    >>> Making(train=2000, test=1000, delta_test=0.1).composition.delta_test
    0.1
    """

    train: int = parameter(20_000, "images to learn from", low=1, source="section V.C")
    test: int = parameter(10_000, "images to test with", low=1, source="section V.C")
    models: int = parameter(2, "good autoencoders a pair of classes; train and test share none", low=1, high=1000)
    tries: int = parameter(0, "autoencoders of a pair that are trained at most; 0: five times `models`", low=0)
    delta_train: float = parameter(0.4, "largest |p1 - p2| of a train image", low=0, high=1, source="section V.C")
    delta_test: float = parameter(0.25, "the same of a test image", low=0, high=1, source="section V.C")
    z_bound: float = parameter(Grid.bound, "how far the grid reaches where the classes do not differ, in σ", low=0)
    cells: int = parameter(Grid.cells, "grid cells an axis", low=1, source="section V.B.3")
    latent: int = parameter(2, "dimensions of the latent space", low=1, high=20, source="section V.B.1")
    epochs: int = parameter(0, "passes over a pair's images; 0 fits the number of images", low=0)
    batch: int = parameter(0, "images a step; 0 fits the number of images", low=0)
    label: str = parameter("normalised", "rule for p(c|z)", source="section V.B.2")
    weight: str = parameter("jacobian", "rule for the weight of a cell", source="section V.B.3")
    pooled: bool = parameter(False, "pairs with more good autoencoders have more images, as published")
    shared: bool = parameter(False, "train and test from the same autoencoders, as published")
    gates_as_coded: bool = parameter(
        False, "gates with the values that the authors' code takes", source="section V.B.1"
    )
    leave_out: bool = parameter(False, "leave out pairs without enough good autoencoders, which is an error else")
    seed: int = parameter(0, "of all draws", low=0)

    @property
    def most(self) -> int:
        """Autoencoders of a pair that are trained at most."""
        return max(self.models, self.tries or PATIENCE * self.models)

    @property
    def composition(self) -> Composition:
        """The part that is about drawing."""
        scheme = Scheme(Grid(self.cells, self.z_bound), self.weight, self.label)
        return Composition(scheme, self.delta_train, self.delta_test, not self.pooled, self.shared)


@dataclass(frozen=True, eq=False)
class Plan:
    """What would be made, checked as far as can be checked without training.

    Attributes
    ----------
    images : the training images.
    origin : of what set, under which licence.
    pairs : of classes, by position, the lower first.
    making, formats, folder : how, in which forms, and where; folder is None where nothing is to be written.

    Examples
    --------
    >>> wanted = plan("digits", Making(train=200, test=100), pairs=["4/9"])
    >>> for line in wanted.text.splitlines()[4:6]:
    ...     print(line)
    images: 200 train with |p1 - p2| < 0.4, 100 test with < 0.25
    labels: normalised; cells: 50 an axis, weighted by jacobian, z within 3 σ
    >>> wanted.training.batch, Training().batch  # few images want smaller batches than the paper's
    (32, 1000)
    """

    images: ImageSet
    origin: Origin
    pairs: tuple[Pair, ...]
    making: Making
    formats: tuple[str, ...]
    folder: Path | None

    @property
    def training(self) -> Training:
        """The paper's recipe where every pair has images enough for it; else one that fits the pair with the fewest."""
        counts = torch.bincount(self.images.labels, minlength=len(self.images.classes))
        fewest = min(int(counts[first] + counts[second]) for first, second in self.pairs)
        fits = Training.batch if fewest >= PLENTY else max(fewest // STEPS_A_PASS, SMALLEST)
        batch = self.making.batch or fits
        passes = (
            Training.epochs if batch >= Training.batch else max(Training.epochs, ceil(STEPS / ceil(fewest / batch)))
        )
        return Training(epochs=self.making.epochs or passes, batch=batch)

    @property
    def text(self) -> str:
        """The plan for a reader, a line a matter."""
        how, n = self.making, len(self.pairs)
        titles = [title(self.images.classes, pair) for pair in self.pairs]
        shown = ", ".join(titles[:10]) + (f" and {n - 10} more" if n > 10 else "")
        sides = "both parts" if how.shared else "train or test"
        lines = [
            f"from: {self.origin.name}, {self.origin.title}: {len(self.images):,} training images",
            f"licence: {self.origin.terms}",
            f"pairs of classes: {n} ({shown})",
            f"autoencoders: {n * how.models} that pass the gates, {how.models} a pair, each for {sides} "
            f"(at most {how.most} tries a pair), {self.training.epochs} epochs of batches of "
            f"{self.training.batch}",
            f"images: {how.train:,} train with |p1 - p2| < {how.delta_train:g}, "
            f"{how.test:,} test with < {how.delta_test:g}",
            f"labels: {how.label}; cells: {how.cells} an axis, weighted by {how.weight}, z within {how.z_bound:g} σ",
            f"seed: {how.seed}",
        ]
        if self.folder is not None:
            lines.append(f"to: {self.folder} ({', '.join(self.formats)}, with a data card)")
        return "\n".join(lines)


def plan(
    data: str | ImageSet,
    making: Making | None = None,
    *,
    pairs: Sequence[str | Sequence[str | int]] | None = None,
    out: Path | str | None = None,
    licence: str | None = None,
    formats: Sequence[str] = tuple(FORMATS),
) -> Plan:
    """Check what is wanted and say what would be made; trains nothing and writes nothing.

    Parameters
    ----------
    data : a set's name (`mistrust data list`, or a folder of your own images), or training images.
    making : how; None for the defaults.
    pairs : pairs of classes: "3/8", or two names or positions each; None for all.
    out : a folder that does not exist yet; None to write nothing.
    licence : of your own images; for a set of the table it must be left out.
    formats : entries of `FORMATS`.

    Raises
    ------
    MistrustError
        Whatever can be known to be wrong: a folder that is there or cannot be written, no licence, pairs that are none
        or without images, an unknown rule or format, delta_max outside (0, 1], one autoencoder per pair where train and
        test are to share none.

    Examples
    --------
    >>> found = plan("digits", Making(train=200, test=100), pairs=["4/9"])
    >>> found.pairs, len(found.images) > 1000
    (((4, 9),), True)
    >>> plan("digits", pairs=["4/x"])
    Traceback (most recent call last):
    mistrust.errors.UnknownName: There is no class 'x'. Known: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9.
    """
    how = making or Making()
    where = origin(data, licence)
    for delta in (how.delta_train, how.delta_test):
        checked_delta(delta)
    LABELS[how.label], WEIGHTS[how.weight]  # unknown names fail here
    how.composition.scheme.grid.count(how.latent)  # an empty grid, and one of too many cells
    if how.models < 2 and not how.shared:
        raise MistrustError(
            f"models is {how.models}, but train and test share no autoencoder: take at least 2 a pair, or share them "
            "(--shared; shared=True in Python), as the published sets do."
        )
    forms = checked(tuple(formats))
    folder = None if out is None else ready(out)
    images = load(data, "train") if isinstance(data, str) else data
    return Plan(images, where, pairs_of(images, pairs), how, forms, folder)
