"""A benchmark set as a stream: nominal images and those that are faulty or new, shuffled, with flags, in blocks."""

from collections.abc import Callable, Sequence
from functools import partial

import torch
from jaxtyping import Bool, Int64
from torch import Tensor

from mistrust import random
from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.inputs.faults import FAULTS, faulty
from mistrust.inputs.limits import check_set
from mistrust.monitoring.benchmark_sets import BENCHMARK_SETS, BenchmarkSet
from mistrust.monitoring.parts import NOMINAL, NOVELTY, OOD, Part, coinciding, fitting, known_classes
from mistrust.monitoring.sizes import resized
from mistrust.monitoring.stream import Stream
from mistrust.networks import Classifier

# How many images of each part the published FGSM draws from.
_DRAWN_FROM = 101
_BLOCK = 512

Making = Callable[[ImageSet], ImageSet]


def assemble(
    entry: BenchmarkSet | str,
    test: ImageSet,
    *,
    train: ImageSet | None = None,
    novel: ImageSet | Sequence[ImageSet] = (),
    make: Making | None = None,
    classifier: Classifier | None = None,
    seed: int = 0,
    as_published: bool = False,
    side: int | None = None,
) -> Stream:
    """Assemble a benchmark set.

    Parameters
    ----------
    entry : one of `BENCHMARK_SETS`, or its name; or a rule of your own.
    test : nominal images that neither classifier nor monitor was fitted on.
    train : those that they were fitted on; read as published alone.
    novel : where the entry is of novelty: images of another set, one part or several, resized to the nominal size and
        brought to its channels. Those of shared classes count as nominal, with the nominal label, and are flagged. A
        class that has the name of a nominal one must be among these.
    make : what makes images faulty, in place of the entry's fault: the same number of images, same ids and shape.
    classifier : for a fault that is an attack; it knows the classes of `test`.
    seed : of the faults and of the order.
    as_published : what the authors' code does. It makes the train part faulty as well: five of six images of CIFAR-10's
        sets are ones that classifier and monitor were fitted on. Rotation gives all four copies, whose labels are not
        moved: all count as nominal, and the set has no image that is out. FGSM draws from the first 101 images of each
        part, as often as there are images, and keeps what fools the classifier. Faults are as published.
    side : bring `test` and `train` to so many pixels a side, before anything is made of them, and novel images with
        them; None leaves 32 x 32 as it is. The paper's traffic signs have `PUBLISHED_SIDES["gtsrb"]`, which is 28. A
        classifier that watches them is trained on images of that size as well: `mistrust.monitoring.sizes.resized`.

    Returns
    -------
    Stream
        By default as many faulty images as nominal ones, each made from another test image; rotated by one of the four
        angles, drawn by id.

    Examples
    --------
    >>> from mistrust.data import load
    >>> rule = BenchmarkSet("photos", "shift", "fog", 2, "fog")
    >>> assemble(rule, load("photos", "test"))
    Stream(photos/shift/fog/2: 260 images, 130 of them out-of-distribution)
    >>> assemble(rule, load("photos", "test"), side=28).whole().images.images.shape
    torch.Size([260, 3, 28, 28])
    >>> assemble("gtsrb/shift/fog/2", load("photos", "test"))  # a rule of the paper, by its name, on other images
    Stream(gtsrb/shift/fog/2: 260 images, 130 of them out-of-distribution)

    Raises
    ------
    MistrustError
        An unknown name of a benchmark set, images that are no `ImageSet`; no train part as published, no novel images
        where the entry has them, or some where it has none; sets whose classes, ids, channels or sizes do not go
        together; novel images of a class that is known by the same name and not shared; no image that is out, but for
        the published rotation; and what `faulty` and `resized` refuse.
    """
    entry = entry if isinstance(entry, BenchmarkSet) else BENCHMARK_SETS[entry]
    novels = tuple(novel) if isinstance(novel, Sequence) and not isinstance(novel, str) else (novel,)
    _check(entry, test, train, novels, classifier)
    if side is not None:
        test, train = resized(test, side), None if train is None else resized(train, side)
    parts = [Part.of(test, torch.arange(len(test)), NOMINAL)]
    if entry.novel:
        parts += [_novel(entry, test, one) for one in novels]
    else:
        making = make or _making(entry, seed, as_published, classifier)
        if as_published and train is None:
            raise MistrustError(
                f"As published the faulty images of '{entry.name}' are made from train and test part: "
                "assemble(..., train=...)."
            )
        for split, one in (("train", train), ("test", test)):
            if one is not None and (as_published or split == "test"):
                parts.append(_faulty(entry, one, split, making, make is not None, seed, as_published, classifier))
    stream = Stream(entry.name, test, tuple(parts), random.permutation(seed, "stream/order", sum(map(len, parts))))
    if not bool(stream.out.any()) and not (as_published and _copies(entry)):
        raise MistrustError(
            f"'{entry.name}' has no image that is out-of-distribution: nothing could be detected, and there is no rate "
            "of misses. Give images to make faulty, or novel ones of classes that are not shared."
        )
    return stream


def _copies(entry: BenchmarkSet) -> bool:
    return bool(entry.fault) and FAULTS[entry.fault].copies


def _making(entry: BenchmarkSet, seed: int, as_published: bool, classifier: Classifier | None) -> Making:
    if not entry.fault:
        raise MistrustError(f"'{entry.name}' names no fault: assemble(..., make=...) says how images become faulty.")
    if FAULTS[entry.fault].needs_classifier and classifier is None:
        raise MistrustError(
            f"Fault '{entry.fault}' is an attack and needs the classifier that it fools: assemble(..., classifier=...)."
        )
    return partial(
        faulty, fault=entry.fault, severity=entry.severity, seed=seed, as_published=as_published, classifier=classifier
    )


def _faulty(
    entry: BenchmarkSet,
    images: ImageSet,
    split: str,
    making: Making,
    own: bool,
    seed: int,
    as_published: bool,
    classifier: Classifier | None,
) -> Part:
    """The faulty half, or that of it which comes from one part of the nominal set."""
    rows, n = torch.arange(len(images)), len(images)
    if own:
        return Part.of(images, rows, OOD, making, copies=1)
    times = FAULTS[entry.fault].times
    if as_published and times > 1:
        pick = torch.arange(times).repeat_interleave(n)
        return Part.of(images, rows.repeat(times), NOMINAL, making, copies=pick + 1, pick=pick)
    if as_published and classifier is not None and FAULTS[entry.fault].needs_classifier:
        drawn = _fooling(images, split, making, seed, classifier)
        return Part.of(images, drawn, OOD, making, copies=_occurrence(drawn) + 1)
    if times > 1:
        pick = random.keyed(seed, f"copies/{entry.fault}", images.ids, lambda g, m: g.integers(0, times, m))
        return Part.of(images, rows, OOD, making, copies=pick + 1, pick=pick)
    return Part.of(images, rows, OOD, making, copies=1)


def _fooling(
    images: ImageSet, split: str, making: Making, seed: int, classifier: Classifier
) -> Int64[Tensor, " m"]:  # fmt: skip
    """Draw as many images as there are from the first 101, and keep the draws whose faulty image is named wrongly."""
    first = images.take(slice(0, _DRAWN_FROM))
    if not len(first):
        return torch.empty(0, dtype=torch.int64)
    with torch.no_grad():
        named = torch.cat([classifier(some).argmax(1).cpu() for some in making(first).floats().split(_BLOCK)])
    drawn = random.generator(seed, f"stream/fgsm/{split}").integers(0, len(first), len(images))
    rows = torch.from_numpy(drawn)
    return rows[(named != first.labels)[rows]]


def _occurrence(rows: Int64[Tensor, " m"]) -> Int64[Tensor, " m"]:
    """How often each entry has stood before."""
    order = rows.argsort(stable=True)
    ordered = rows[order]
    first = torch.searchsorted(ordered, ordered)
    return torch.empty_like(rows).index_copy_(0, order, torch.arange(len(rows)) - first)


def _novel(entry: BenchmarkSet, test: ImageSet, novel: ImageSet) -> Part:
    """Images of another set: new ones without a label, and those of shared classes with the nominal one."""
    both = coinciding(test.classes, novel, entry.shared)
    if both:
        names, mapped = known_classes(both, novel, test.name)
        raise MistrustError(
            f"Novel images of '{novel.name}' are of classes that '{test.name}' has by the same name: {names}. If they "
            f"show the same, map them, and they count as nominal: {mapped}. If names are alike by chance, give the "
            "novel set others: dataclasses.replace(images, classes=...)."
        )
    known = torch.full((len(novel.classes),), -1)
    for theirs, ours in entry.shared:
        if not (0 <= theirs < len(novel.classes) and 0 <= ours < len(test.classes)):
            raise MistrustError(
                f"'{entry.name}' shares class {theirs} of '{novel.name}' as class {ours} of '{test.name}', but these "
                f"have {len(novel.classes)} and {len(test.classes)} classes: the map was made for other sets."
            )
        known[theirs] = ours
    label = known[novel.labels]
    shared: Bool[Tensor, " n"] = label >= 0
    kind = torch.where(shared, NOMINAL, NOVELTY)
    make = fitting(test, novel)
    return Part(novel, torch.arange(len(novel)), label.clamp_min(0), kind, shared, torch.ones_like(label), None, make)


def _check(
    entry: BenchmarkSet,
    test: ImageSet,
    train: ImageSet | None,
    novels: Sequence[ImageSet],
    classifier: Classifier | None,
) -> None:
    check_set("assemble(..., test)", test)
    for one in novels:
        check_set("assemble(novel=...)", one)
    if bool(entry.novel) != bool(novels):
        raise MistrustError(
            f"'{entry.name}' is of category '{entry.category}', and {len(novels)} novel sets are given, expected "
            + ("one or more: assemble(..., novel=...)." if entry.novel else "none.")
        )
    if train is not None:
        check_set("assemble(train=...)", train)
        if train.classes != test.classes or train.images.shape[1:] != test.images.shape[1:]:
            raise MistrustError(
                f"'{train.name}' has {len(train.classes)} classes and images of {tuple(train.images.shape[1:])}, "
                f"'{test.name}' {len(test.classes)} and {tuple(test.images.shape[1:])}: expected two parts of one set."
            )
        if bool(torch.isin(train.ids, test.ids).any()):
            raise MistrustError(
                f"An image of '{train.name}' is in '{test.name}' as well (same id): ids are unique over train and test."
            )
    if classifier is not None and classifier.classes != test.classes:
        raise MistrustError(
            f"Classifier '{classifier.name}' knows other classes than '{test.name}': {len(classifier.classes)} "
            f"({', '.join(classifier.classes[:3])}, ...) and {len(test.classes)} ({', '.join(test.classes[:3])}, ...)."
        )
