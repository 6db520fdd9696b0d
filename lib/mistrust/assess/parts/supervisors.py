"""Supervisors against each kind of bad input: would one have raised an alarm?"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from mistrust import random
from mistrust.assess.bad_inputs import BAD, numbered
from mistrust.assess.blocks import Block, Folded, Gallery, Heat, Shot, Table, Text
from mistrust.assess.kept import Tensors
from mistrust.assess.parts.judged import ERRORS, FEW, TIED, Judged, best, doubt, shown, wide
from mistrust.assess.parts.obtainable import GROUPS, chosen
from mistrust.assess.parts.part import PARTS, Part, Piece, Told
from mistrust.assess.subject import BLOCK, Subject
from mistrust.data import ImageSet
from mistrust.errors import MistrustError, StoreError
from mistrust.evaluation import auroc, cluster_bootstrap, counted_auroc, ordered, percentile_interval
from mistrust.networks import Record
from mistrust.supervisors import SUPERVISORS, Supervisor, make_supervisor

PART, NOMINAL = "supervisors", "nominal"
EVERY, CHEAP = "every image", ("logits", "layer")  # whose own errors are judged by all images: a pass at most
RESAMPLES, SAMPLES, FITTED = 200, 16, 2000


def kinds(subject: Subject) -> dict[str, ImageSet]:
    """Nominal images and every kind of bad input that can be made of them; the adversarial ones from the store."""
    if subject.given:
        return {NOMINAL: subject.given["images"].images}
    base = subject.images.take(subject.some(subject.sizes.scored, PART))
    found = {NOMINAL: base}
    for name, kind in BAD.items():
        if kind.gradients and "gradients" in subject.abilities.lacks:
            continue
        made = subject.kept(
            PART, f"images {name}", partial(_made, subject, name, base), images=subject.sizes.scored
        )  # fmt: skip
        if len(made["images"]):
            found[name] = ImageSet(name, made["images"], made["labels"], made["ids"], subject.classes)
    return found


def _made(subject: Subject, name: str, base: ImageSet) -> Tensors:
    try:
        images = BAD[name].make(subject.classifier, numbered(base), subject.seed)
    except StoreError:
        raise
    except MistrustError:  # no image fooled, one class only: the column is then missing, which the report says
        return {"images": base.images[:0], "labels": base.labels[:0], "ids": base.ids[:0]}
    of_several = int(base.ids.max()) + 1 + torch.arange(len(images))  # resampled apart from every image
    return {"images": images.images, "labels": images.labels, "ids": torch.cat([base.ids, of_several])[images.ids]}


def _pieces(subject: Subject) -> list[Piece]:
    lines, _ = chosen(subject)
    spec = {"images": subject.sizes.scored, "layer": subject.abilities.layer}
    return [
        Piece(group, partial(_scores, subject, [one.name for one in lines if one.group == group], group),
              {**spec, **({"errors": EVERY} if group in CHEAP else {})})
        for group in GROUPS if any(one.group == group for one in lines)
    ]  # fmt: skip


def _scores(subject: Subject, names: Sequence[str], group: str) -> Tensors:
    """Scores of every kind by every supervisor of a group, "kind/name"; reasons of those that could not be fitted."""
    layers = [subject.abilities.layer] if group == "layer" else []
    samples = SAMPLES if group == "dropout" else 0
    observed = partial(_observed, subject, layers=layers, samples=samples)
    sets = kinds(subject)
    fitted, found = _fitted(subject, names, group, observed, sets[NOMINAL])
    for kind, images in sets.items():
        for part in _blocks(images):
            record = observed(part, kind="images")
            for one in fitted:
                found.setdefault(f"{kind}/{one.name}", []).append(one.score(record))
            if group == GROUPS[0]:
                found.setdefault(f"{kind}/right", []).append(record.correct)
        if group == GROUPS[0]:
            found[f"{kind}/ids"] = [images.ids]
    if group in CHEAP and not subject.given:
        for part, logits in zip(_blocks(subject.images), subject.logits.split(8 * BLOCK), strict=True):
            record = observed(part, kind="images") if layers else Record(part, subject.classifier, logits)
            for one in fitted:
                found.setdefault(f"{EVERY}/{one.name}", []).append(one.score(record))
    return {name: torch.cat(parts) for name, parts in found.items()}


def _fitted(
    subject: Subject, names: Sequence[str], group: str, observed: Callable[..., Record], nominal: ImageSet
) -> tuple[list[Supervisor], dict[str, list[Tensor]]]:
    """Fitted supervisors, and why the others are not, as text in tensors."""
    images = nominal if subject.train is None else subject.train
    if not subject.given:
        images = images.take(random.permutation(subject.seed, "assess/fit", len(images))[:FITTED].sort().values)
    record = observed(images, kind="images" if subject.train is None else "train")
    fitted: list[Supervisor] = []
    failed: dict[str, list[Tensor]] = {}
    for name in names:
        known = {field.name for field in fields(SUPERVISORS[name])}  # pyrefly: ignore[bad-argument-type]
        given = {"layer": subject.abilities.layer} if "layer" in known and group == "layer" else {}
        try:
            one = make_supervisor(name, **given).fit(record)
            one.score(record.take(torch.arange(min(len(record), 2))))
            fitted.append(one)
        except StoreError:
            raise
        except MistrustError as error:
            failed[f"failed/{name}"] = [torch.tensor(list(str(error).encode()), dtype=torch.uint8)]
    return fitted, failed


def _observed(subject: Subject, images: ImageSet, *, layers: Sequence[str], samples: int, kind: str) -> Record:
    if subject.given:
        return subject.given[kind] if len(subject.given[kind]) == len(images) else subject.given[kind].take(
            torch.isin(subject.given[kind].ids, images.ids).nonzero()[:, 0]
        )  # fmt: skip
    return subject.observed(images, layers, samples)


def _blocks(images: ImageSet) -> Iterable[ImageSet]:
    size = 8 * BLOCK  # supervisors that compare with all training rows prepare these anew for every block
    return (images.take(slice(i, i + size)) for i in range(0, max(len(images), 1), size))


def _tell(subject: Subject, pieces: Mapping[str, Tensors]) -> Told:
    lines, left = chosen(subject)
    found = {name: values for piece in pieces.values() for name, values in piece.items()}
    left += [
        (SUPERVISORS[name.removeprefix("failed/")].card.title, bytes(values.tolist()).decode())
        for name, values in found.items() if name.startswith("failed/")
    ]  # fmt: skip
    there = [name for name in BAD if f"{name}/right" in found]
    if not subject.given:
        left += [
            (f"{BAD[name].title} images", subject.abilities.missing(("gradients",)) if BAD[name].gradients
             and "gradients" in subject.abilities.lacks else "none could be made of these images")
            for name in BAD if name not in there
        ]  # fmt: skip
    names = [one.name for one in lines if f"{NOMINAL}/{one.name}" in found]
    columns = [ERRORS, *there]
    rows: list[dict[str, Any]] = []
    table: dict[tuple[str, str], Judged | None] = {}
    for name in names:
        for column in columns:
            estimate = _auroc(subject, found, name, column)
            table[name, column] = estimate
            if estimate is not None:
                rows.append(
                    {"table": "supervisors", "method": name, "condition": f"bad/{column}", "metric": "auroc",
                     "value": estimate.value, "low": estimate.low, "high": estimate.high, "over": "images",
                     "n": estimate.bad}
                )  # fmt: skip
    blocks = _blocks_of(subject, found, table, names, columns)
    return Told(_headline(table, names, columns), rows, blocks, left, read=len(found[f"{NOMINAL}/ids"]))


def _auroc(subject: Subject, found: Mapping[str, Tensor], name: str, column: str) -> Judged | None:
    """AUROC with its bootstrap interval by base image; None where one side is empty."""
    nominal, right, ids = (found[f"{NOMINAL}/{what}"].numpy() for what in (name, "right", "ids"))
    if column == ERRORS and f"{EVERY}/{name}" in found:
        scores, bad, base = found[f"{EVERY}/{name}"].numpy(), ~subject.correct.numpy(), subject.images.ids.numpy()
    elif column == ERRORS:
        scores, bad, base = nominal, ~right, ids
    else:
        other, theirs = found[f"{column}/{name}"].numpy(), found[f"{column}/ids"].numpy()
        scores = np.concatenate([nominal, other])
        bad = np.concatenate([np.zeros(len(nominal), dtype=bool), np.ones(len(other), dtype=bool)])
        base = np.concatenate([ids, theirs])
    if bad.all() or not bad.any():
        return None
    order = ordered(scores, bad)

    def resampled(weights: np.ndarray) -> float:
        held = weights[bad].sum() > 0 and weights[~bad].sum() > 0
        return counted_auroc(order.counted(weights)) if held else float("nan")

    draw = random.generator(subject.seed, f"assess/auroc/{column}")
    low, high = map(float, percentile_interval(cluster_bootstrap(base, resampled, RESAMPLES, draw)))
    sides = int(bad.sum()), int((~bad).sum())
    # Where all resamples agree, as they must where no bad input is below a good one, the width is no certainty.
    if min(sides) < FEW or high - low < 1e-9:
        low = high = float("nan")
    return Judged(auroc(scores, bad), low, high, *sides)


def _title(column: str) -> str:
    return "own errors" if column == ERRORS else BAD[column].title


Estimates = Mapping[tuple[str, str], Judged | None]


def _by(first: Sequence[str], one: Judged, column: str) -> str:
    if one.high < 0.495:  # of the best of them, and as it is written: all are misled
        return f"worse than guessing: trusted more than {'correct answers' if column == ERRORS else 'ordinary inputs'}"
    if one.value <= 0.5 + TIED:
        return "no better than guessing"
    return f"by {SUPERVISORS[first[0]].card.title}" if len(first) == 1 else f"by {len(first)} of them alike"


def _headline(table: Estimates, names: Sequence[str], columns: Sequence[str]) -> str:
    told = [
        f"{_title(column)} {text}{',' if ',' in text else ''} {_by(first, one, column)}"
        for column in columns
        if (first := best(table, names, column)) and (one := table[first[0], column]) and (text := shown(one, column))
    ]
    if not told:
        return "No supervisor could be judged."
    if len(names) == 1:
        return f"AUROC of one supervisor: {'; '.join(told)}."
    choice = "; the intervals do not allow for this choice" if any(map(wide, table.values())) else ""
    return (
        f"Best AUROC of {len(names)} supervisors: {'; '.join(told)}. Each was chosen as the best on these same images, "
        f"so on others expect somewhat less{choice}."
    )


def _blocks_of(
    subject: Subject, found: Mapping[str, Tensor], table: Estimates, names: Sequence[str], columns: Sequence[str]
) -> list[Block]:
    def mean(name: str) -> float:
        values = [one.value for column in columns if (one := table[name, column]) is not None]
        return -float(np.mean(values)) if values else 1.0

    order = sorted(names, key=mean)
    values = [[None if (one := table[name, column]) is None else one.value for column in columns] for name in order]
    marked = frozenset(
        (order.index(name), j) for j, column in enumerate(columns) for name in best(table, names, column)
    )
    titles = [SUPERVISORS[name].card.title for name in order]
    n = len(found[f"{NOMINAL}/ids"])
    wrong = int((~found[f"{NOMINAL}/right"]).sum())
    words = (
        "A supervisor scores how suspicious an input is. AUROC is the chance that it finds a bad input more "
        f"suspicious than an ordinary one: 0.5 is guessing, 1 is perfect, and below 0.5 bad inputs look less "
        f"suspicious than ordinary ones. Ordinary inputs are {n:,} of the images; "
        f"own errors are the {wrong:,} of them that the model gets wrong{_of_all(subject, n)}."
    )
    blocks: list[Block] = [Text(words)]
    if columns[1:]:
        made = "; ".join(f"{BAD[name].title}: {BAD[name].about}" for name in columns[1:])
        blocks.append(Text(f"How the bad inputs are made from them: {made}."))
    blocks.append(
        Heat("AUROC, the best on average first; the best of each column is framed", "supervisor", titles,
             [_title(column) for column in columns], values, 0.5, 1.0, marked=marked)
    )  # fmt: skip
    if not subject.given:  # whom the first column is judged by
        wrong, n = int((~subject.correct).sum()), len(subject.images)
    if said := doubt(wrong, n - wrong):
        blocks.append(Text(said))
    cells = [
        (title, *(shown(table[name, column], column) for column in columns))
        for title, name in zip(titles, order, strict=True)
    ]
    blocks.append(
        Folded(
            "Intervals",
            [Table(f"AUROC with 95% intervals (bootstrap by image, {RESAMPLES} resamples); with a count in its place "
                   f"where there are fewer than {FEW}, or the interval would have no width",
                   ("supervisor", *map(_title, columns)), cells)],
        )
    )  # fmt: skip
    if subject.shown:
        blocks.append(_looks(subject))
    return blocks


def _of_all(subject: Subject, scored: int) -> str:
    """Say which supervisors are judged by all errors, where not all images are scored."""
    if scored == len(subject.images):
        return ""
    every = int((~subject.correct).sum())
    return (
        f", or, of supervisors that read logits or a layer, the {every:,} among all {len(subject.images):,} images; "
        "these alone are compared in that column"
    )


def _looks(subject: Subject) -> Gallery:
    shots = []
    for name, images in kinds(subject).items():
        title = "ordinary" if name == NOMINAL else BAD[name].title
        alt = f"An example of the {title} inputs that supervisors were tried on."
        shots.append(Shot((images.floats()[0] * 255).round().to(torch.uint8).numpy(), alt, (title,)))
    return Gallery("One input of each kind", shots)


PARTS.add(PART, Part("Which supervisor would have noticed", (), _pieces, _tell))
