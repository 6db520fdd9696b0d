"""`Monitor`: a classifier, a fitted supervisor and a threshold as one function from images to alarms."""

import warnings
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from typing import Any, Self

import torch
from jaxtyping import Bool, Float64, Int
from torch import Tensor

from mistrust.data import ImageSet
from mistrust.errors import MistrustError, MistrustWarning
from mistrust.inputs.limits import check_set, whole
from mistrust.networks import Classifier, observe
from mistrust.networks.checks import check_classifier
from mistrust.networks.fingerprint import fingerprint
from mistrust.networks.record import as_members
from mistrust.supervisors import saving
from mistrust.supervisors.contract import NotFitted, Supervisor, check_supervisor
from mistrust.supervisors.doubts import Fitting, constant, doubts
from mistrust.supervisors.given_images import check_given, parts
from mistrust.supervisors.identity import as_shape, check_same, identity
from mistrust.supervisors.learnt import check_network
from mistrust.supervisors.needed import SAMPLES, needed
from mistrust.supervisors.threshold_rules import Quantile
from mistrust.supervisors.thresholds import Threshold, check_threshold, make_threshold


@dataclass(frozen=True, eq=False)
class Watched:
    """What a monitor says of n images: `alarms` (n,) bool, `scores` (n,) float64, `predicted` classes (n,) int64.

    Examples
    --------
    >>> from mistrust.supervisors.made_up import made_up
    >>> it = made_up()
    >>> monitor = Monitor.fit(it.classifier, make_supervisor("max_softmax"), it.training, it.nominal)
    >>> said = monitor.watch(torch.cat([it.nominal.floats()[:2], it.novel.floats()[:1]]))
    >>> said.alarms
    tensor([False, False,  True])
    >>> torch.equal(said.predicted[:2], it.nominal.labels[:2])
    True
    """

    alarms: Bool[Tensor, " n"]
    scores: Float64[Tensor, " n"]
    predicted: Int[Tensor, " n"]


@dataclass(frozen=True, eq=False)
class Monitor:
    """Says which images not to trust a classifier with: `monitor(images) -> alarms`.

    An image's alarm does not depend on the images beside it: alone, in a stream or in a batch its score is the same
    to rounding. Memory is bounded by `block`.

    Attributes
    ----------
    classifier : what is monitored.
    supervisor, threshold : fitted ones; where the threshold was fitted with groups, they are the predicted classes. The
        monitor holds copies, which share what was learnt: fitting the given ones again leaves it as it is.
    members : further classifiers, for supervisors that read an ensemble.
    samples, seed : passes with dropout on, and of their masks, for supervisors that read samples.
    block : images in one pass.
    shape : (channels, height, width) of the images that it was fitted on; () where nobody said. With it a saved monitor
        knows a plain function again, by its answers to a few made images.

    Raises
    ------
    NotFitted
        The supervisor or the threshold is not fitted.
    MistrustError
        The classifier, the supervisor or the threshold is none, but its name, say; members that are no list of
        classifiers; the supervisor was fitted on other classes or
        another network, reads members and there are none, or reads true labels, which no monitor has; samples, a seed
        or a block that is no whole number, a block below 1; a shape of other than three whole numbers.

    Examples
    --------
    A classifier, and images like its training images and others that belong to no class of it:

    >>> from mistrust.supervisors.made_up import made_up
    >>> it = made_up()
    >>> supervisor = make_supervisor("mdsa", layer="hidden")
    >>> monitor = Monitor.fit(it.classifier, supervisor, it.training, it.nominal, Quantile(0.05))
    >>> usual, novel = monitor(it.nominal), monitor(it.novel)
    >>> bool(usual.float().mean() <= 0.05), bool(novel.all())
    (True, True)
    >>> monitor(it.novel.floats()[:2])  # plain tensors of pixels do as well
    tensor([True, True])
    """

    classifier: Classifier
    supervisor: Supervisor
    threshold: Threshold
    members: tuple[Classifier, ...] = ()
    samples: int = SAMPLES
    seed: int = 0
    block: int = 128
    shape: tuple[int, ...] = ()
    _identities: tuple[dict[str, Any], ...] = field(init=False, repr=False)  # whose weights may change afterwards

    def __post_init__(self) -> None:
        check_supervisor(self.supervisor)
        check_threshold(self.threshold)
        check_classifier(self.classifier)
        object.__setattr__(self, "members", as_members(self.members))
        for name, value in {**_counts(self.samples, self.seed, self.block), "shape": as_shape(self.shape)}.items():
            object.__setattr__(self, name, value)
        for name in ("supervisor", "threshold"):  # whoever made it may fit it again, for another monitor
            object.__setattr__(self, name, copy(getattr(self, name)))
        classifiers = (self.classifier, *self.members)
        object.__setattr__(self, "_identities", tuple(identity(one, self.shape) for one in classifiers))
        learnt = self.supervisor.fitted
        if learnt is None or self.threshold.limits is None:
            unfitted = self.supervisor.card.title if learnt is None else str(self.threshold)
            raise NotFitted(
                f"{unfitted} is not fitted yet: Monitor.fit(classifier, supervisor, training, nominal) fits both."
            )
        if learnt.classes != self.classifier.classes:
            raise MistrustError(
                f"{self.supervisor.card.title} was fitted on a classifier with the classes {learnt.classes}, "
                f"'{self.classifier.name}' has {self.classifier.classes}. Fit it again on a record of this classifier."
            )
        check_network(
            self.supervisor.card, learnt, fingerprint(self.classifier), f"classifier '{self.classifier.name}'"
        )
        if "labels" in self.supervisor.card.needs:
            raise MistrustError(
                f"{self.supervisor.card.title} reads true labels to score, and nobody has those of new images: it "
                "can be evaluated, but is no monitor."
            )
        needed([self.supervisor], members=self.members)

    @classmethod
    def fit(
        cls,
        classifier: Classifier,
        supervisor: Supervisor,
        training: ImageSet,
        nominal: ImageSet,
        threshold: Threshold | None = None,
        *,
        by_class: bool | None = None,
        members: Sequence[Classifier] = (),
        samples: int = SAMPLES,
        seed: int = 0,
        block: int = 128,
    ) -> Self:
        """Fit a supervisor on training images and a threshold on nominal ones, and give the monitor of both.

        Parameters
        ----------
        supervisor : is fitted in place, and may be fitted again: the monitor holds a copy.
        training : what the classifier was trained on, or a part of it.
        nominal : other images of the same kind, to set the limit by. The rules "class_mean" and "training_extreme"
            were published with the training images themselves.
        threshold : a rule, fitted in place as well; `Quantile(0.05)` where none is given.
        by_class : whether each predicted class has a limit of its own; the rule's own habit where not said.

        Raises
        ------
        MistrustError
            Images that are no `ImageSet`, a supervisor or a threshold that is none, but its name, say; samples, a seed
            or a block that is no whole number; what `observe`, the supervisor or the rule refuse.

        Warns
        -----
        MistrustWarning
            More nominal images alarm than the rule promises, since their scores are infinite; names their classes. Many
            nominal images are training images, and the rule was not published with those. All nominal scores are equal,
            and what is read is the same of all training images. By class, some have too few nominal images.
        """
        for images in (training, nominal):
            check_set("Monitor.fit", images)
        rule = Quantile(0.05) if threshold is None else threshold
        check_threshold(rule)  # before anything is fitted
        samples, seed, block = _counts(samples, seed, block).values()
        members = as_members(members, classifier)
        asked = needed([supervisor], samples=samples, members=members, fitting=True)
        record = observe(classifier, training, **asked, seed=seed, block=block)
        supervisor.fit(record)
        unread = constant(supervisor, record)
        del record  # of all training images: not needed beside those of the nominal ones
        asked = needed([supervisor], samples=samples, members=members)
        scores, predicted = _scored(classifier, supervisor, nominal, asked, seed, block)
        grouped = rule.by_class if by_class is None else by_class
        rule.fit(scores, predicted if grouped else None)
        title = supervisor.card.title
        for told in doubts(Fitting(title, rule, training, nominal, scores, predicted, grouped, unread)):
            warnings.warn(told, MistrustWarning, stacklevel=2)
        return cls(classifier, supervisor, rule, members, samples, seed, block, tuple(nominal.images.shape[1:]))

    def __call__(self, images: Tensor | ImageSet) -> Bool[Tensor, " n"]:
        """Give the alarms of images (n, channels, height, width), uint8 or in [0, 1], or of an `ImageSet`."""
        return self.watch(images).alarms

    def watch(self, images: Tensor | ImageSet) -> Watched:
        """Give alarms, scores and predicted classes, from one pass.

        Dropout masks are keyed by the ids of an `ImageSet`, and by the pixels of images that have no ids.

        Raises
        ------
        MistrustError
            Images that are neither a tensor nor an `ImageSet`, of another shape or range; an `ImageSet` of other
            classes than the classifier's.
        """
        check_given(images)
        asked = needed([self.supervisor], samples=self.samples, members=self.members)
        scores = torch.zeros(len(images), dtype=torch.float64)
        predicted = torch.zeros(len(images), dtype=torch.int64)
        for rows, part in parts(images, self.classifier.classes, by_pixels="samples" in asked):
            scores[rows], predicted[rows] = _scored(
                self.classifier, self.supervisor, part, asked, self.seed, self.block
            )
        grouped = self.threshold.limits is not None and len(self.threshold.limits.groups) > 0
        return Watched(self.threshold.alarms(scores, predicted if grouped else None), scores, predicted)

    def save(self, folder: str | Path) -> Path:
        """Write all but the classifier into a folder, whole or not at all, over an older one if there is one.

        What tells it from others is: its name, its normalisation, and its weights when the monitor was made; or, of a
        plain function that was wrapped without a `key`, its answers then to a few made images.

        Raises
        ------
        MistrustError
            See `save_supervisor`.
        """
        supervisor, learnt = saving.described(self.supervisor)
        rule = self.threshold
        card = {
            "supervisor": supervisor,
            "threshold": {"name": rule.name, "parameters": saving.plain(rule.parameters(), f"threshold '{rule.name}'")},
            "monitor": {
                "classifier": self._identities[0],
                "members": list(self._identities[1:]),
                "samples": self.samples, "seed": self.seed, "block": self.block, "shape": list(self.shape),
            },
        }  # fmt: skip
        tensors = {f"supervisor/{name}": values for name, values in learnt.items()}
        tensors |= {f"threshold/{name}": values for name, values in rule.state().items()}
        return saving.write(folder, card, tensors)


def load_monitor(
    folder: str | Path, classifier: Classifier, members: Sequence[Classifier] = (), *, any_classifier: bool = False
) -> Monitor:
    """Read a saved monitor and put it on its classifier.

    Parameters
    ----------
    classifier : the one that it was fitted for, known by its weights, name and normalisation; a plain function, by its
        `key`, or else by its answers to a few made images.
    members : the further classifiers that it was fitted with, in the same order.
    any_classifier : take others than it was fitted for; its limit may then mean nothing.

    Raises
    ------
    MistrustError
        No monitor there, a file truncated or altered, a supervisor or threshold in no table, another classifier;
        members that are no list of classifiers.

    Examples
    --------
    >>> from mistrust.supervisors.made_up import made_up
    >>> it = made_up()
    >>> monitor = Monitor.fit(it.classifier, make_supervisor("max_softmax"), it.training, it.nominal)
    >>> again = load_monitor(monitor.save("my_monitor"), it.classifier)
    >>> torch.equal(again.watch(it.novel).scores, monitor.watch(it.novel).scores)
    True
    >>> load_monitor("my_monitor", it.members[0])  # other weights: its limit would mean nothing
    Traceback (most recent call last):
    mistrust.errors.MistrustError: The monitor in my_monitor was fitted for another classifier: ...
    """
    card, tensors = saving.read(folder)
    place, members = Path(folder), as_members(members)
    if not {"monitor", "threshold"} <= set(card):
        raise MistrustError(
            f"{place} holds a supervisor without a threshold: load it with load_supervisor(folder), and make a monitor "
            "with Monitor(classifier, supervisor, threshold)."
        )
    about = card["monitor"]
    check_classifier(classifier)
    shape = tuple(about.get("shape", ()))
    if not any_classifier:
        check_same("classifier", [about["classifier"]], [identity(classifier, shape)], place)
        check_same("members", about["members"], [identity(one, shape) for one in members], place)
    supervisor = saving.from_card(card["supervisor"], saving.part(tensors, "supervisor"), place)
    if any_classifier and supervisor.fitted is not None:
        supervisor.fitted = replace(supervisor.fitted, network="")
    name, parameters = card["threshold"]["name"], saving.restored(card["threshold"]["parameters"])
    with saving.made_again(place):
        rule = make_threshold(name, **parameters)
    rule.restore(saving.part(tensors, "threshold"))
    settings = {name: int(about[name]) for name in ("samples", "seed", "block")}
    return Monitor(classifier, supervisor, rule, tuple(members), **settings, shape=shape)


def _counts(samples: Any, seed: Any, block: Any) -> dict[str, int]:
    """Plain whole numbers, whichever library they came from: a card holds nothing else."""
    lowest = {"samples": (samples, 0), "seed": (seed, -inf), "block": (block, 1)}
    return {name: whole(name, value, low) for name, (value, low) in lowest.items()}


def _scored(
    classifier: Classifier, supervisor: Supervisor, images: ImageSet, asked: dict[str, Any], seed: int, block: int
) -> tuple[Float64[Tensor, " n"], Int[Tensor, " n"]]:
    """Scores and predicted classes, recorded and forgotten block by block."""
    scores, predicted = [torch.zeros(0, dtype=torch.float64)], [torch.zeros(0, dtype=torch.int64)]
    for start in range(0, len(images), block):
        record = observe(classifier, images.take(slice(start, start + block)), **asked, seed=seed, block=block)
        scores.append(supervisor.score(record))
        predicted.append(record.predicted)
    return torch.cat(scores), torch.cat(predicted)
