"""A classifier with its monitors, and what they say of every benchmark set: the readouts, before any threshold."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from time import monotonic

import torch
from torch import Tensor

from mistrust.data import ImageSet
from mistrust.monitoring.assembly import assemble
from mistrust.monitoring.experiment.material import Material
from mistrust.monitoring.experiment.methods import watching
from mistrust.monitoring.experiment.parameters import PAPERS, Parameters
from mistrust.monitoring.jpeg import as_jpeg
from mistrust.monitoring.parts import NOMINAL as NOMINAL_KIND
from mistrust.monitoring.parts import Part, fitting
from mistrust.monitoring.stream import Stream
from mistrust.networks import ARCHITECTURES, Classifier, Record, observe, trained
from mistrust.progress import bar
from mistrust.store import Scratch
from mistrust.supervisors import SUPERVISORS, Supervisor, needed
from mistrust.supervisors.head import feature_layer

TRAIN, CALIBRATE, NOMINAL, AS_JPEG, LEARNT = "train", "calibrate", "nominal", "traffic signs as JPEG", "learnt"
# The monitors of which a published rule reads training images.
ON_TRAINING = ("alooc", "odin")
BLOCK = 512
# Images that are scored at once: what compares each with all training rows prepares these anew for every block.
SCORED = 4096
PAUSE = 60.0  # seconds between two checkpoints


@dataclass(frozen=True)
class System:
    """One classifier of one nominal set, with all its monitors.

    Attributes
    ----------
    parameters : of the chapter.
    data, architecture : what and how.
    run : number of the classifier, from 0.
    """

    parameters: Parameters
    data: str
    architecture: str
    run: int

    @property
    def material(self) -> Material:
        """The images."""
        return Material(self.parameters, self.data)

    @cached_property
    def classifier(self) -> Classifier:
        """Trained on the nominal training images."""
        return self._trained(self.run)

    @cached_property
    def members(self) -> list[Classifier]:
        """What makes an ensemble of it: further classifiers, the same for all runs."""
        first = self.parameters.runs_of(self.architecture)
        return [self._trained(first + number) for number in range(self.parameters.members - 1)]

    @property
    def ensemble(self) -> bool:
        """Whether any monitor reads the members."""
        return any("members" in SUPERVISORS[one].card.needs for one in self.parameters.supervisors or SUPERVISORS)

    def _trained(self, number: int) -> Classifier:
        p, recipe = self.parameters, ARCHITECTURES[self.architecture].recipe
        if p.network_epochs:
            recipe = replace(recipe, epochs=p.network_epochs)
        return trained(self.architecture, self.material.train, recipe, p.seed + number)

    def readouts(self, scratch: Scratch | None = None) -> dict[str, Tensor]:
        """Fit all monitors, and score everything.

        Parameters
        ----------
        scratch : keeps the sets that are scored, every minute; those found there are not scored again.

        Returns
        -------
        "SET|METHOD" -> (n,) float64 scores, and "SET|predicted", "SET|labels", "SET|kind", "SET|shared", "SET|ids" of
        every set: "train" (by those alone whose published rule reads it), "calibrate", "nominal", and the faulty or
        novel part of each benchmark set, the nominal half being the same for all; the controls of `_controls`; and
        "learnt|METHOD", how many bytes a monitor has learnt.
        """
        found = dict(scratch.load() or {}) if scratch is not None else {}
        fitted, kept = self.fitted(), monotonic()
        ruled = {name: one for name, one in fitted.items() if name.partition("/")[0] in ON_TRAINING}
        for name, stream in self._streams():
            if f"{name}|predicted" in found:
                continue
            chosen = ruled if name == TRAIN else fitted
            found |= self.scores(name, stream, chosen)
            if scratch is not None and monotonic() - kept > PAUSE:
                scratch.save(found)
                kept = monotonic()
        return found | {f"{LEARNT}|{name}": torch.tensor([learnt_bytes(one)]) for name, one in fitted.items()}

    def scores(self, name: str, stream: Stream, watched: Mapping[str, Supervisor]) -> dict[str, Tensor]:
        """Score a stream by fitted monitors: the tensors of one set, as `readouts` names them."""
        return scored(name, stream, watched, partial(self._observed, watched=watched))

    def _streams(self) -> Iterator[tuple[str, Stream]]:
        """All that is scored, by name."""
        nominal, seed = self.material.test(self.run), self.parameters.seed + self.run
        yield TRAIN, plain(self.material.train)
        yield CALIBRATE, plain(self.material.calibrate(self.run))
        yield NOMINAL, plain(nominal)
        for entry in self.material.entries:
            novel = self.material.novel(entry)
            stream = assemble(entry, nominal, novel=novel, classifier=self.classifier, seed=seed)
            yield entry.name, without_nominal(stream)
        for name, images in self._controls(nominal):
            yield name, plain(images)

    def _controls(self, nominal: ImageSet) -> Iterator[tuple[str, ImageSet]]:
        """Of the paper's two sets: traffic signs as JPEG, since the photographs at hand are JPEG."""
        paper = PAPERS.get(self.data)
        if paper == "gtsrb":
            yield AS_JPEG, as_jpeg(nominal)
        if paper == "cifar10":
            signs = [one for one in self.material.entries if one.novel == "gtsrb"]
            for images in self.material.novel(signs[0]) if signs else ():
                fit = fitting(nominal, images)
                yield (
                    AS_JPEG,
                    as_jpeg(replace(fit(images), labels=torch.zeros_like(images.labels), classes=nominal.classes)),
                )

    def fitted(self) -> dict[str, Supervisor]:
        """Fit every monitor of the comparison."""
        return self.fit(self.watched())

    def watched(self) -> dict[str, Supervisor]:
        """Give every monitor of the comparison, unfitted."""
        features = feature_layer(observe(self.classifier, self.material.train.take(slice(0, 2))))
        return watching(self.parameters, self.data, self.classifier, features, self.run)

    def fit(self, found: dict[str, Supervisor]) -> dict[str, Supervisor]:
        """Fit these monitors, and give them; one pass over the training images serves all that read one layer."""
        train = self.material.train
        layers = {str(getattr(one, "layer", "")) for one in found.values()} - {""}
        record = observe(self.classifier, train, layers=sorted(layers), block=BLOCK)
        small = self._observed(train.take(slice(0, 2)), found)
        with bar(len(found), "fitting", "monitor") as progress:
            for name, one in found.items():
                progress.say(monitor=name)
                # What learns nothing but the classes may read samples or members, which no one records of all images.
                one.fit(record if one.card.learns else small)
                progress.update()
        return found

    def _observed(self, images: ImageSet, watched: Mapping[str, Supervisor]) -> Record:
        p = self.parameters
        # Trained when the first monitor reads them.
        members = self.members if any("members" in one.card.needs for one in watched.values()) else ()
        asked = needed(list(watched.values()), samples=p.samples, members=members)
        return observe(self.classifier, images, **asked, seed=p.seed, block=BLOCK)


def scored(
    name: str, stream: Stream, fitted: Mapping[str, Supervisor], observed: Callable[[ImageSet], Record]
) -> dict[str, Tensor]:
    """Score a stream, block by block, part after part: the tensors of one set, as `System.readouts` names them."""
    found: dict[str, list[Tensor]] = {}
    with bar(len(stream), name, "image") as progress:
        for block in stream.blocks(SCORED, shuffled=False):
            record = observed(block.images)
            columns = {
                "predicted": record.predicted, "labels": block.labels, "kind": block.kind,
                "shared": block.shared.to(torch.uint8), "ids": block.images.ids,
                **{method: one.score(record) for method, one in fitted.items()},
            }  # fmt: skip
            for column, values in columns.items():
                found.setdefault(f"{name}|{column}", []).append(values)
            progress.update(len(block))
    return {column: torch.cat(parts) for column, parts in found.items()}


def learnt_bytes(one: Supervisor) -> int:
    """How many bytes of tensors a fitted monitor holds: what would be saved of it."""
    return 0 if one.fitted is None else sum(v.numel() * v.element_size() for v in one.fitted.state.values())


def plain(images: ImageSet) -> Stream:
    """Images as they are, all nominal, as a stream."""
    part = Part.of(images, torch.arange(len(images)), NOMINAL_KIND)
    return Stream(images.name, images, (part,), torch.arange(len(images)))


def without_nominal(stream: Stream) -> Stream:
    """The faulty or novel part of a benchmark set."""
    parts = stream.parts[1:]
    return replace(stream, parts=parts, order=torch.arange(sum(map(len, parts))))
