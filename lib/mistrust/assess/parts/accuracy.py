"""How often the model is right, class by class, and whether it is as often right as it is sure."""

from collections.abc import Mapping

import numpy as np

from mistrust.assess.blocks import Block, Drawn, Table, Text
from mistrust.assess.drawn import reliability_picture
from mistrust.assess.kept import Tensors
from mistrust.assess.parts.part import PARTS, Part, Piece, Told
from mistrust.assess.subject import Subject
from mistrust.evaluation import share
from mistrust.figures.written import interval, percent
from mistrust.misclassification import confusion
from mistrust.search.reliability import reliability

BINS = 20
FEW = 30  # images of a class below which its accuracy says little


def _pieces(subject: Subject) -> list[Piece]:
    if subject.given:
        return []
    return [Piece("clean", lambda: {"logits": subject.passed(subject.images)})]


def _tell(subject: Subject, pieces: Mapping[str, Tensors]) -> Told:
    right, labels, n = subject.correct, subject.images.labels, len(subject.images)
    whole = share(int(right.sum()), n)
    counts = confusion(labels, subject.predicted, len(subject.classes))
    confidence = subject.probabilities.max(1).values
    found = reliability(confidence.clamp(1e-12, 1).numpy(), right.numpy(), BINS)
    held = found.n > 0
    error = float((found.n[held] * np.abs(found.accuracy[held] - found.confidence[held])).sum() / n)
    sure = confidence > 0.95
    wrong_sure = int((sure & ~right).sum())
    rows = [_row("all", whole.value, whole.low, whole.high, n)]
    rows.append({"table": "calibration", "metric": "ece", "value": error, "n": n, "note": f"{BINS} bins"})
    rows.append({"table": "calibration", "metric": "wrong above 0.95", "value": wrong_sure, "n": int(sure.sum())})
    lines, absent = list[tuple[str, ...]](), list[str]()
    for c, name in enumerate(subject.classes):
        m = int(counts[c].sum())
        if m == 0:
            absent.append(name)
            continue
        one = share(int(counts[c, c]), m)
        rows.append(_row(name, one.value, one.low, one.high, m))
        off = counts[c].clone()
        off[c] = 0
        mistake = f"{subject.classes[int(off.argmax())]} ({int(off.max())})" if int(off.max()) else "-"
        lines.append((name, str(m), interval(one.value, one.low, one.high, percent), mistake))
    blocks: list[Block] = [
        Text(
            f"Correct for {interval(whole.value, whole.low, whole.high, lambda v: f'{100 * v:.1f}%')} of {n:,} images "
            "(95% interval, exact)."
        ),
        Table(
            "Accuracy by true class", ("class", "images", "correct (95% interval)", "most frequent mistake (images)"),
            lines, words=True,
        ),
        Drawn(reliability_picture(found, n)),
        Text(
            f"{_of_sure(wrong_sure, int(sure.sum()), 'with a confidence above 0.95').capitalize()}. Confidence and "
            f"accuracy differ by {error:.3f} on average (expected calibration error, {BINS} bins, weighted by "
            "images)."
        ),
    ]  # fmt: skip
    if absent:
        blocks.append(Text(f"No images of: {', '.join(absent)}."))
    small = [line[0] for line in lines if int(line[1]) < FEW]
    if small:
        shown = ", ".join(small[:8]) + (" and others" if len(small) > 8 else "")
        blocks.append(Text(f"Fewer than {FEW} images of {shown}: see how wide their intervals are."))
    headline = (
        f"Correct for {percent(whole.value)} of {n:,} images ({percent(whole.low)} to {percent(whole.high)}); "
        f"{_of_sure(wrong_sure, int(sure.sum()), 'given with more than 95% confidence')}."
    )
    return Told(headline, rows, blocks, read=n)


def _of_sure(wrong: int, sure: int, how: str) -> str:
    """How many sure answers are wrong; that there is none says more than none of none."""
    return (
        f"{wrong:,} of {sure:,} answers {how} {'is' if wrong == 1 else 'are'} wrong" if sure else f"no answer is {how}"
    )


def _row(name: str, value: float, low: float, high: float, n: int) -> dict[str, object]:
    return {
        "table": "accuracy", "condition": "clean", "at": name, "metric": "accuracy", "value": value, "low": low,
        "high": high, "over": "images", "n": n,
    }  # fmt: skip


PARTS.add("accuracy", Part("How often it is correct", (), _pieces, _tell))
