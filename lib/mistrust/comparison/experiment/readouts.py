"""What every scorer says of every set: the numbers that all tables are read from, before any threshold."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from mistrust.comparison.experiment.subjects import BLOCK, Subject
from mistrust.comparison.scorers import SCORERS, Reading, asked
from mistrust.comparison.troubles import NOMINAL
from mistrust.data import ImageSet
from mistrust.networks import Record, observe
from mistrust.progress import bar

HELD, PASSES, BYTES = "held", "passes", "bytes"
COLUMNS = ("ids", "labels", "predicted")
# Images that are scored at once: what compares each with all training rows prepares these anew for every block.
SCORED = 4096


@dataclass(frozen=True)
class Readings:
    """All scorers made for one subject, by name, and the arguments of `observe` that feed them."""

    subject: Subject
    by: Mapping[str, Reading]

    @classmethod
    def of(cls, subject: Subject) -> "Readings":
        """Make every scorer that the classifier can have."""
        found: dict[str, Reading] = {}
        with bar(len(subject.scorers), "fitting", "scorer") as progress:
            for name in subject.scorers:
                progress.say(scorer=name)
                one = SCORERS[name].make(subject.watched)
                found |= {name: one} if one is not None else {}
                progress.update()
        return cls(subject, found)

    def record(self, images: ImageSet) -> Record:
        """Observe once for all of them."""
        return observe(self.subject.classifier, images, **asked(self.by), seed=self.subject.seed, block=BLOCK)

    def scored(self, images: ImageSet) -> dict[str, Tensor]:
        """Score images: columns of `COLUMNS`, a scorer's values (n,) under its name, its mean passes under PASSES.

        A scorer that searches is asked about the first images alone: its column is shorter.
        """
        found: dict[str, list[Tensor]] = {}
        searched = self.subject.parameters.searched
        for start in range(0, len(images), SCORED):
            record = self.record(images.take(slice(start, start + SCORED)))
            whole = {"ids": record.ids, "labels": record.labels, "predicted": record.predicted}
            for column, values in whole.items():
                found.setdefault(column, []).append(values)
            few = record.take(torch.arange(min(max(0, searched - start), len(record))))
            for name, one in self.by.items():
                seen = few if SCORERS[name].searches else record
                if not len(seen):
                    continue
                done = one.score(seen)
                found.setdefault(name, []).append(done.values)
                found.setdefault(f"{PASSES}|{name}", []).append(done.passes)
        every = {name: torch.cat(parts) for name, parts in found.items()}
        return {name: v.mean()[None] if name.startswith(PASSES) else v for name, v in every.items()}


def readouts(subject: Subject) -> dict[str, Tensor]:
    """Make all scorers, and score everything.

    Returns
    -------
    "SET|COLUMN" -> (n,): `COLUMNS`, scores by scorer, and (1,) mean passes as "SET|passes|SCORER"; sets are "held",
    "nominal" and the troubles. "bytes|SCORER" -> (1,) what it has learnt.
    """
    readings = Readings.of(subject)
    found = {f"{BYTES}|{name}": torch.tensor([one.bytes]) for name, one in readings.by.items()}
    names = (HELD, NOMINAL, *subject.troubles)
    with bar(len(names), f"{subject.data} {subject.run}", "set") as progress:
        for name in names:
            progress.say(set=name)
            images = subject.held if name == HELD else subject.images(name)
            if len(images):
                found |= {f"{name}|{column}": values for column, values in readings.scored(images).items()}
            progress.update()
    return found
