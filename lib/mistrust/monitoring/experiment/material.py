"""Images of one nominal set, parted by what they are for, and the benchmark sets that are made of them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import torch

from mistrust import random
from mistrust.data import ImageSet, load
from mistrust.data.loading import entry as source
from mistrust.inputs.faults import CATEGORIES, FAULTS
from mistrust.monitoring.benchmark_sets import BENCHMARK_SETS, BenchmarkSet
from mistrust.monitoring.experiment.parameters import PAPERS, Parameters

# What stands for the paper's sets of novelty where the nominal set is a thinned copy; of each its test part.
COPIES = {"btsc": "btsc-test", "cifar10": "cifar10-jpeg", "gtsrb": "gtsrb-thin"}
LEFT_OUT = "left out"


@dataclass(frozen=True)
class Material:
    """One nominal set.

    Attributes
    ----------
    parameters : of the chapter.
    data : its name.
    """

    parameters: Parameters
    data: str

    @property
    def train(self) -> ImageSet:
        """What classifiers and monitors are fitted on."""
        return self._part("train", self.parameters.trained_on)

    @property
    def _test(self) -> ImageSet:
        return self._part("test", self.parameters.images)

    def calibrate(self, run: int) -> ImageSet:
        """Test images that set thresholds, other ones in every run."""
        return self._test.take(self._order(run)[: self.limit])

    def test(self, run: int) -> ImageSet:
        """The nominal half of every benchmark set: the other test images, in the order of the test part."""
        return self._test.take(self._order(run)[self.limit :].sort().values)

    @property
    def entries(self) -> list[BenchmarkSet]:
        """The benchmark sets, in the order of the paper's tables."""
        p = self.parameters
        if self.data in PAPERS:
            found = [one for one in BENCHMARK_SETS.values() if one.nominal == PAPERS[self.data]]
            return [
                replace(one, nominal=self.data) for one in found if one.novel or not p.faults or one.fault in p.faults
            ]
        return list(self._own())

    def novel(self, entry: BenchmarkSet) -> tuple[ImageSet, ...]:
        """The images of a set of novelty; none of other sets."""
        if not entry.novel:
            return ()
        return (self._left_out(),) if entry.novel == LEFT_OUT else tuple(load(*one) for one in self._read(entry.novel))

    @property
    def reads(self) -> list[tuple[str, str]]:
        """Name and part of all image sets that are read: its own, then those of novelty."""
        own = [(self.data, split) for split in ("train", "test")]
        others = [one for entry in self.entries if entry.novel not in ("", LEFT_OUT) for one in self._read(entry.novel)]
        return list(dict.fromkeys([*own, *others]))

    def _read(self, novel: str) -> list[tuple[str, str]]:
        """Name and part of what a set of novelty consists of."""
        if novel in COPIES and self.data not in COPIES:
            return [(COPIES[novel], "test")]
        return [(novel, part) for part in source(novel).splits]

    def examples(self, entry: BenchmarkSet, count: int, run: int) -> tuple[ImageSet, ...]:
        """Some images of a set of novelty, none of shared classes; none of other sets."""
        if not entry.novel:
            return ()
        some, shared = self.novel(entry)[0], torch.tensor([theirs for theirs, _ in entry.shared], dtype=torch.int64)
        rows = (~torch.isin(some.labels, shared)).nonzero()[:, 0]
        order = random.permutation(self.parameters.seed + run, f"monitoring/shown/{entry.novel}", len(rows))
        return (some.take(rows[order[:count]]),)

    def _own(self) -> Iterator[BenchmarkSet]:
        """Rules for a set that the paper does not have, in its order of categories."""
        p, grey = self.parameters, self.train.images.shape[1] != 3
        if p.left_out:
            yield BenchmarkSet(self.data, "novelty", LEFT_OUT, novel=LEFT_OUT)
        for name in p.novel:
            yield BenchmarkSet(self.data, "novelty", name, novel=name)
        for category in CATEGORIES[1:]:
            for name, fault in FAULTS.items():
                if fault.category == category and (not p.faults or name in p.faults) and not (grey and fault.colour):
                    title = fault.title if fault.needs_classifier else name.replace("_", " ")
                    for severity in fault.severities or (None,):
                        yield BenchmarkSet(self.data, category, title, severity, name)

    def _part(self, split: str, count: int) -> ImageSet:
        found = _known(self.data, split, () if self.data in PAPERS else self.parameters.left_out)
        return found.take(slice(0, count)) if count else found

    def _left_out(self) -> ImageSet:
        """Test images of the classes that no network learnt."""
        whole = load(self.data, "test")
        chosen = [whole.classes.index(name) for name in self.parameters.left_out]
        return whole.take(torch.isin(whole.labels, torch.tensor(chosen)))

    def _order(self, run: int) -> torch.Tensor:
        return random.permutation(self.parameters.seed + run, "monitoring/calibration", len(self._test))

    @property
    def limit(self) -> int:
        """How many test images set thresholds."""
        return round(self.parameters.calibration * len(self._test))


def inputs(parameters: Parameters) -> dict[str, str]:
    """Give what the experiment reads: the checksum of each part of the image sets, those of novelty among them.

    Examples
    --------
    >>> found = inputs(Parameters(data=("digits",)))
    >>> list(found), found["digits/train"] != found["digits/test"]
    (['digits/train', 'digits/test', 'photos/train', 'photos/test'], True)
    """
    read = dict.fromkeys(one for data in parameters.data for one in Material(parameters, data).reads)
    return {f"{name}/{part}": load(name, part).checksum for name, part in read}


@lru_cache(maxsize=8)
def _known(data: str, split: str, left_out: tuple[str, ...]) -> ImageSet:
    """A part of a set without some of its classes, whose names go with them."""
    whole = load(data, split)
    kept = [place for place, name in enumerate(whole.classes) if name not in left_out]
    if len(kept) == len(whole.classes):
        return whole
    some = whole.take(torch.isin(whole.labels, torch.tensor(kept)))
    labels = torch.searchsorted(torch.tensor(kept), some.labels)
    return replace(some, labels=labels, classes=tuple(whole.classes[place] for place in kept))
