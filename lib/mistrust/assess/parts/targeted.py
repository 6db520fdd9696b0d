"""How far each class is from the others: targeted changes of a sample of images, where the model has gradients."""

from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor

from mistrust.assess.blocks import Block, Heat, Table, Text
from mistrust.assess.kept import Failed, Tensors
from mistrust.assess.parts.part import PARTS, Part, Piece, Told, in_chunks
from mistrust.assess.subject import BLOCK, Subject
from mistrust.robustness.matrix import perturbation_matrix
from mistrust.robustness.target_pairs import Targeted
from mistrust.robustness.targeted import targeted

PART, CHUNK = "targeted", 6
TARGETS = 9  # classes that an image is taken to at most: the likeliest
STEPS, PROBABILITY = 200, 0.90
MOST = 20  # classes that a matrix is shown of
COLUMNS = ("ids", "source", "target", "linf", "l2", "steps", "success", "probability", "misclassified")


def _targets(subject: Subject, rows: Tensor) -> Tensor:
    """The likeliest other classes of each image (n, t)."""
    count = min(TARGETS, len(subject.classes) - 1)
    others = subject.logits[rows].scatter(1, subject.images.labels[rows][:, None], -torch.inf)
    return others.topk(count, 1).indices


def _pieces(subject: Subject) -> list[Piece]:
    rows = subject.some(subject.sizes.targeted, PART, subject.correct)

    def make(some: Tensor) -> Tensors:
        found = targeted(
            subject.classifier, subject.images.take(some), _targets(subject, some), steps=STEPS,
            probability=PROBABILITY, block=BLOCK,
        )  # fmt: skip
        return {name: getattr(found, name) for name in COLUMNS}

    spec = {"steps": STEPS, "probability": PROBABILITY, "targets": TARGETS}
    return in_chunks(rows, CHUNK, make, spec)


def _tell(subject: Subject, pieces: Mapping[str, Tensors]) -> Told:
    if not pieces:
        raise Failed("no image is classified correctly, so there is no correct answer to change")
    found = Targeted(**{name: torch.cat([piece[name] for piece in pieces.values()]) for name in COLUMNS})
    k, classes = len(subject.classes), subject.classes
    reached = found.linf[found.success].numpy()
    images, failed = len(found.ids.unique()), int((~found.success).sum())
    if not len(reached):
        raise Failed(f"none of {len(found)} searches made the model give its target with probability {PROBABILITY:g}")
    middle = float(np.median(reached))
    nearest = torch.stack([
        found.linf[(found.ids == id) & found.success].amin() if bool(((found.ids == id) & found.success).any())
        else torch.tensor(torch.nan, dtype=torch.float64) for id in found.ids.unique()
    ]).numpy()  # fmt: skip
    matrix = perturbation_matrix(found, k)
    rows = [
        {"table": "targeted", "metric": "median linf", "value": middle, "n": len(reached)},
        {"table": "targeted", "metric": "failures", "value": failed, "n": len(found)},
        *(
            {"table": "targeted", "at": f"{classes[y]}>{classes[c]}", "metric": "mean linf",
             "value": float(matrix.mean[y, c]), "n": int(matrix.count[y, c])}
            for y in range(k) for c in range(k) if int(matrix.count[y, c])
        ),
    ]  # fmt: skip
    blocks: list[Block] = [
        Text(
            f"{images} correctly classified images are changed deliberately, by Adam at 2 grey levels per step, until "
            f"the model gives another class with a probability of {PROBABILITY:g} (UREM, section 3.1): each towards "
            f"its {min(TARGETS, k - 1)} likeliest other classes. In the median of {len(reached):,} pairs that reach "
            f"their target, the pixel that changes most changes by {middle:.1f} of 255 grey levels; towards the "
            f"nearest class of each image, by {float(np.nanmedian(nearest)):.1f}. Each number is an upper bound: a "
            f"better search may find less. {_failed(failed, len(found))} within {STEPS} steps."
        )
    ]
    if k <= MOST:
        down = [y for y in range(k) if int(matrix.count[y].sum())]
        values = [[None if y == c else float(matrix.mean[y, c]) for c in range(k)] for y in down]
        top = float(np.nanmax(matrix.mean.numpy()))
        blocks.append(
            Heat(
                "Largest change of a pixel in grey levels, mean over images that reach the target; true class down, "
                "target across",
                "true class", [classes[y] for y in down], classes, values,
                0.0, max(top, 1e-6), decimals=0 if top >= 10 else 1,
            )
        )  # fmt: skip
    cells = [(float(matrix.mean[y, c]), y, c) for y in range(k) for c in range(k) if int(matrix.count[y, c])]
    lines = [
        (f"{classes[y]} to {classes[c]}", f"{value:.1f}", f"{int(matrix.count[y, c])}")
        for value, y, c in sorted(cells)[:8]
    ]
    blocks.append(Table("The nearest pairs", ("from, to", "grey levels", "images"), lines))
    _, y, c = min(cells)
    headline = (
        f"In the median, a change of {middle:.1f} grey levels per pixel is enough to make it give another class; "
        f"the nearest pair is {classes[y]} to {classes[c]}."
    )
    return Told(headline, rows, blocks, read=images)


def _failed(failed: int, searched: int) -> str:
    """How many searches ended without their target."""
    if not failed:
        return f"All {searched:,} pairs reached their target"
    return f"{failed:,} of {searched:,} pairs did not reach their target"


PARTS.add(PART, Part("How small a deliberate change is enough", ("model", "gradients"), _pieces, _tell))
