"""The Misclassification Likelihood Matrix: which class each is most likely taken for, and whether that comes true."""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from mistrust import random
from mistrust.assess.blocks import Block, Heat, Table, Text
from mistrust.assess.kept import Failed, Tensors
from mistrust.assess.parts import perturbations
from mistrust.assess.parts.part import PARTS, Part, Piece, Told
from mistrust.assess.plan import LEVELS
from mistrust.assess.subject import Subject
from mistrust.errors import MistrustError
from mistrust.misclassification import (
    Agreement,
    Statistic,
    agreement,
    centroids,
    class_distances,
    confusion,
    distances,
    error_shares,
    likelihood,
    mean_softmax,
)

# The paper's minimum is what one image of a class decides; with few images a class that is chance.
STATISTIC = Statistic("mean")
MOST = 20  # classes that a matrix is shown of


def _pieces(subject: Subject) -> list[Piece]:
    return [] if "model" in subject.abilities.lacks else perturbations.pieces_of(subject)


def _tell(subject: Subject, pieces: Mapping[str, Tensors]) -> Told:
    labels, p, classes = subject.images.labels, subject.probabilities, subject.classes
    if len(classes) == 2:
        raise Failed("of two classes each can only be taken for the other")
    half = torch.zeros(len(labels), dtype=torch.bool)
    half[random.permutation(subject.seed, "assess/half", len(labels))[: (len(labels) + 1) // 2]] = True
    whole = _matrix(p, labels, classes)
    known = [y for y in range(len(classes)) if not bool(whole[y].isnan().all())]
    if len(known) < 3:
        raise Failed("fewer than three classes have an image that the model is right for")
    softmax = mean_softmax(p, labels)
    errors, of, spoilt = _errors(subject, pieces, ~half)
    rows = [
        {"table": "mlm", "at": f"{classes[y]}>{classes[c]}", "metric": name, "value": float(matrix[y, c]),
         "n": int((labels == y).sum())}
        for name, matrix in (("likelihood", whole), ("mean softmax", softmax))
        for y in range(len(classes)) for c in range(len(classes)) if y != c and not bool(matrix[y, c].isnan())
    ]  # fmt: skip
    blocks: list[Block] = [
        Text(
            "If an image is misclassified, which class is it taken for? The matrix says so from softmax alone: a class "
            "is the more likely, the nearer images of the true class come to its centroid on average (Sikar and "
            f"others, 2024; statistic: {STATISTIC.name}). Rows sum to 1."
        )
    ]
    if len(known) < len(classes):
        blocks.append(Text(f"Left out, since they have no centroid: {_lacking(subject, known)}."))
    if len(classes) <= MOST:
        values = [[None if y == c else float(whole[y, c]) for c in known] for y in known]
        tops = frozenset((i, known.index(int(whole[y].nan_to_num(-1).argmax()))) for i, y in enumerate(known))
        shown = [classes[y] for y in known]
        blocks.append(
            Heat(
                "Misclassification likelihood: true class down, predicted class across; each row's largest is framed",
                "true class", shown, shown, values, *_ends(whole), marked=tops, decimals=_decimals(whole),
            )
        )  # fmt: skip
    likeliest = _cells(blocks, whole, errors, classes)
    try:
        held = _agreement(subject, p, labels, half, errors)
    except MistrustError as error:
        blocks.append(Text(f"Whether the matrix predicts real errors could not be tested: {error}"))
        return Told(likeliest, rows, blocks)
    mlm, rival, among = held
    headline = likeliest
    if mlm.counted:
        chance = mlm.counted / (among - 1)
        source = f" of {spoilt:,} spoilt images" if spoilt else ""
        blocks.append(
            Text(
                f"Does it come true? Made from one half of the images and compared with the {of:,} errors{source} of "
                f"the other half, the matrix names the most frequent mistake for {mlm.top1} of {mlm.counted} classes "
                f"that have errors; the plain mean softmax, which needs no centroid, does so for {rival.top1}. Chance "
                f"would name {chance:.1f}."
            )
        )
        rows += [
            {"table": "mlm-judged", "method": name, "metric": "top1", "value": one.top1, "n": one.counted}
            for name, one in (("mlm", mlm), ("mean softmax", rival))
        ]  # fmt: skip
        headline = (
            f"Of the {mlm.counted} most frequent mistakes, the matrix predicts {mlm.top1}, the mean softmax "
            f"{rival.top1}, chance {chance:.1f}."
        )
        headline = f"{likeliest} {headline}" if mlm.top1 > chance else headline
    return Told(headline, rows, blocks)


def _matrix(p: Tensor, labels: Tensor, classes: tuple[str, ...]) -> Tensor:
    """Likelihoods (k, k); rows and columns of classes that no image is correctly given are NaN."""
    centres = centroids(p, labels, classes, partial=True)
    known = ~centres.isnan().any(1)
    whole = torch.full(centres.shape, torch.nan, dtype=torch.float64)
    if int(known.sum()) > 1:
        place = known.cumsum(0) - 1  # of each known class among them
        mine = known[labels]
        D = class_distances(distances(p, centres)[mine][:, known], place[labels[mine]], STATISTIC)
        whole[known.nonzero(), known.nonzero().T] = likelihood(D)
    return whole


def _lacking(subject: Subject, known: Sequence[int]) -> str:
    counts = subject.images.labels.bincount(minlength=len(subject.classes)).tolist()
    return "; ".join(
        f"{name} ({'it has no image' if not counts[y] else f'the model is right for none of {counts[y]} images'})"
        for y, name in enumerate(subject.classes) if y not in known
    )  # fmt: skip


def _errors(subject: Subject, pieces: Mapping[str, Tensors], of: Tensor) -> tuple[Tensor, int, int]:
    """Counts of true class by prediction of the chosen images, spoilt in every way where a model is there."""
    k = len(subject.classes)
    if not pieces:
        counts = confusion(subject.images.labels[of], subject.predicted[of], k)
        return counts, int(counts.sum() - counts.trace()), 0
    rows = subject.some(subject.sizes.perturbed, perturbations.PART)
    mine = of[rows]
    labels, counts, n = subject.images.labels[rows][mine], torch.zeros(k, k, dtype=torch.int64), 0
    for found in pieces.values():
        for level in LEVELS:
            counts += confusion(labels, found[f"level {level}"].argmax(1)[mine], k)
            n += len(labels)
    return counts, int(counts.sum() - counts.trace()), n


def _agreement(
    subject: Subject, p: Tensor, labels: Tensor, half: Tensor, errors: Tensor
) -> tuple[Agreement, Agreement, int]:
    """How well the matrix, and the mean softmax, of one half tell the errors of the other, among so many classes."""
    truth = error_shares(errors)
    estimate, rival = _matrix(p[half], labels[half], subject.classes), mean_softmax(p[half], labels[half])
    known = (~estimate.isnan().all(1)).nonzero()[:, 0]
    if len(known) < 3:
        raise MistrustError("in one half of the images fewer than three classes have one that the model is right for.")
    rows, columns = known[:, None], known[None]
    mlm, other = (agreement(one[rows, columns], truth[rows, columns]) for one in (estimate, rival))
    return mlm, other, len(known)


def _cells(blocks: list[Block], whole: Tensor, errors: Tensor, classes: tuple[str, ...]) -> str:
    """A table of the likeliest confusions beside what was seen; the headline names the first."""
    known = whole.clone().fill_diagonal_(torch.nan).flatten()
    order = [divmod(int(cell), len(classes)) for cell in known.nan_to_num(-1).argsort(descending=True, stable=True)]
    order = order[: int((~known.isnan()).sum())]
    wrong = errors.clone().fill_diagonal_(0)
    lines = []
    for y, c in order[:12]:
        total = int(wrong[y].sum())
        seen = f"{int(wrong[y, c])} of {total}" if total else "no error seen"
        lines.append((f"{classes[y]} taken for {classes[c]}", f"{float(whole[y, c]):.{_decimals(whole)}f}", seen))
    blocks.append(Table("The likeliest mistakes", ("mistake", "likelihood", "of the errors seen"), lines, words=True))
    y, c = order[0]
    return f"If it is wrong on {classes[y]}, it most likely says {classes[c]}."


def _ends(whole: Tensor) -> tuple[float, float]:
    """Values of the lightest and the darkest cell: likelihoods of many classes lie close together."""
    off = whole[~torch.eye(len(whole), dtype=torch.bool)]
    low, high = float(off.nan_to_num(1.0).min()), float(off.nan_to_num(0.0).max())
    return (low, high) if high > low else (0.0, 1.0)


def _decimals(whole: Tensor) -> int:
    """Three where two would make neighbours look alike."""
    low, high = _ends(whole)
    return 2 if high - low > 0.1 else 3


PARTS.add("matrix", Part("Which classes are mistaken for which", (), _pieces, _tell))
