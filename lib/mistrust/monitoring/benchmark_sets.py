"""The 79 benchmark sets of the paper, made from rules: what is nominal, what is faulty or new, and how many of each.

Ferreira and others (2021), sections III-A and IV-A; rules and counts from the authors' code (their data profile and
evaluation modules). 3 sets of novelty, 2 adversarial, 12 of anomalies, 22 of shifts and 40 of noise.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from mistrust.errors import MistrustError, UnknownName
from mistrust.inputs.faults import CATEGORIES, FAULTS
from mistrust.registry import Registry

# Labels of BTSC that show a sign of GTSRB, as the authors' code maps them. 32 is doubtful: in BTSC it holds speed
# limits of several values, and counts as that of 70 here.
SHARED_SIGNS = (
    (0, 22), (3, 19), (4, 20), (5, 21), (7, 28), (10, 25), (11, 26), (13, 18), (16, 24), (17, 11), (19, 13), (21, 14),
    (22, 17), (28, 15), (32, 4), (34, 35), (36, 36), (61, 12),
)  # fmt: skip
DOUBTFUL_SIGNS = (32,)
# `btsc-test`, the copy at hand, has no image of 11 and 36: so many of shared classes, and of these of doubtful ones.
SHARED_AT_HAND, DOUBTFUL_AT_HAND = 1_235, 422
SHARED_CLASSES_AT_HAND = 16


@dataclass(frozen=True)
class BenchmarkSet:
    """One benchmark set: a rule, no images.

    Attributes
    ----------
    nominal : the set whose classes are known ("gtsrb"); its test part is the nominal half.
    category : of the other half, one of `mistrust.inputs.faults.CATEGORIES`.
    variation : what tables call the other half ("gaussian noise").
    severity : of the fault, None where it has none.
    fault : by which it is made, see `mistrust.inputs.FAULTS`; "" for novelty, and for a fault of your own.
    novel : the set whose images are new; "" where they are not.
    shared : (label in the novel set, label in the nominal one) of classes that both have. Their images are nominal.

    Raises
    ------
    MistrustError
        An unknown category or fault, a severity that the fault does not have, a fault of another category, novelty
        with a fault or without a novel set.
    """

    nominal: str
    category: str
    variation: str
    severity: int | None = None
    fault: str = ""
    novel: str = ""
    shared: tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        if self.category not in CATEGORIES:
            raise UnknownName("category of benchmark sets", self.category, CATEGORIES)
        if (self.category == "novelty") != bool(self.novel) or (self.novel and self.fault):
            raise MistrustError(
                f"A set of category '{self.category}' has fault '{self.fault}' and novel set '{self.novel}': novelty "
                "comes from a novel set, all else from a fault."
            )
        if self.fault:
            entry = FAULTS[self.fault]
            if entry.category != self.category:
                raise MistrustError(
                    f"Fault '{self.fault}' is of category '{entry.category}', the set of '{self.category}'."
                )
            if entry.levels and self.severity not in range(1, entry.levels + 1):
                raise MistrustError(
                    f"Fault '{self.fault}' has severities 1 to {entry.levels}, got {self.severity}."
                )  # fmt: skip
            if not entry.levels and self.severity is not None:
                raise MistrustError(f"Fault '{self.fault}' has no severities, got {self.severity}. Leave it out.")

    @property
    def name(self) -> str:
        """As in "gtsrb/noise/gaussian_noise/5"."""
        kind = self.fault or self.novel or self.variation
        return "/".join([self.nominal, self.category, kind, *([] if self.severity is None else [str(self.severity)])])

    @property
    def condition(self) -> str:
        """What rows call it: "noise/gaussian noise", with the severity as level."""
        return f"{self.category}/{self.variation}"


@dataclass(frozen=True)
class Sizes:
    """How many images there are to make a set of.

    Attributes
    ----------
    train, test : of the nominal set.
    novel : of the novel set, all parts together.
    shared : of these, those of classes that the nominal set has.
    kept : draws of the published FGSM that fooled its surrogate: a count that no other gives.
    """

    train: int = 0
    test: int = 0
    novel: int = 0
    shared: int = 0
    kept: int | None = None


@dataclass(frozen=True)
class Counts:
    """How many images a set has.

    Attributes
    ----------
    nominal : images of known classes as they are.
    made : images that are faulty or new.
    out : of these, those that count as out-of-distribution: all of them, but for rotation as published.
    """

    nominal: int
    made: int
    out: int

    @property
    def share(self) -> float:
        """The share of nominal images, 1 - the prevalence of what must alarm."""
        return 1 - self.out / (self.nominal + self.made)


def counts(entry: BenchmarkSet, sizes: Sizes, *, as_published: bool = False) -> Counts:
    """Count the images of a set without making one.

    By default only the test part is made faulty, each image once: neither classifier nor monitor has seen it. As
    published train and test part are, rotation gives four copies that all count as nominal, because labels of rotated
    images were not moved, and FGSM has as many images as draws that fooled its surrogate.

    Raises
    ------
    MistrustError
        The published FGSM without `sizes.kept`.
    """
    if entry.novel:
        new = sizes.novel - sizes.shared
        return Counts(sizes.test + sizes.shared, new, new)
    if not as_published:
        return Counts(sizes.test, sizes.test, sizes.test)
    if entry.category == "adversarial":
        if sizes.kept is None:
            raise MistrustError(
                "How many images the published FGSM has depends on the classifier that it was made with: give the "
                "number of draws that fooled it, Sizes(..., kept=...)."
            )
        return Counts(sizes.test, sizes.kept, sizes.kept)
    copies = bool(entry.fault) and FAULTS[entry.fault].copies
    made = (sizes.train + sizes.test) * (FAULTS[entry.fault].times if entry.fault else 1)
    return Counts(sizes.test, made, 0 if copies else made)


# The complete sets of the paper, and what its FGSM kept (authors' evaluation module).
PUBLISHED_SIZES = {
    "cifar10": {"": Sizes(50_000, 10_000, kept=22_665), "gtsrb": Sizes(50_000, 10_000, novel=51_839)},
    "gtsrb": {
        "": Sizes(39_209, 12_630, kept=26_001),
        "btsc": Sizes(39_209, 12_630, novel=7_095, shared=3_090),
        "cifar10": Sizes(39_209, 12_630, novel=60_000),
    },
}
_NOVEL = (
    ("gtsrb", "btsc", "BTSC", SHARED_SIGNS),
    ("gtsrb", "cifar10", "CIFAR-10", ()),
    ("cifar10", "gtsrb", "GTSRB", ()),
)


def _rules() -> Iterator[BenchmarkSet]:
    for nominal, novel, variation, shared in _NOVEL:
        yield BenchmarkSet(nominal, "novelty", variation, novel=novel, shared=shared)
    for category in CATEGORIES[1:]:
        for nominal in ("cifar10", "gtsrb"):
            for name, fault in FAULTS.items():
                if fault.category == category:
                    variation = fault.title if fault.needs_classifier else name.replace("_", " ")
                    for severity in fault.severities or (None,):
                        yield BenchmarkSet(nominal, category, variation, severity, name)


BENCHMARK_SETS = Registry[BenchmarkSet]("benchmark set", "mistrust list benchmark-sets")
for _entry in _rules():
    BENCHMARK_SETS.add(_entry.name, _entry)
