"""How much noise changes a right answer: the breaking standard deviation of a sample of images."""

from collections.abc import Mapping

import torch

from mistrust.assess.blocks import Block, Drawn, Gallery, Shot, Text
from mistrust.assess.drawn import survival_picture
from mistrust.assess.kept import Failed, Tensors
from mistrust.assess.parts.part import PARTS, Part, Piece, Told, in_chunks
from mistrust.assess.plan import CAP, SEEDS, STEP
from mistrust.assess.subject import BLOCK, Subject
from mistrust.evaluation import Estimate
from mistrust.figures.written import interval, plain
from mistrust.robustness.breaking import breaking
from mistrust.robustness.censored import censored, survival

PART, CHUNK, SHOWN = "noise", 25, 8


def _pieces(subject: Subject) -> list[Piece]:
    rows = subject.some(subject.sizes.noisy, PART, subject.correct)

    def make(some: torch.Tensor) -> Tensors:
        found = breaking(
            subject.classifier, subject.images.take(some), seeds=SEEDS, step=STEP, cap=CAP, block=2 * BLOCK
        )  # fmt: skip
        return {"ids": found.ids, "sigma": found.sigma, "broken": found.broken, "label": found.new_label}

    spec = {"step": STEP, "cap": CAP, "seeds": SEEDS}
    return in_chunks(rows, CHUNK, make, spec)


def _tell(subject: Subject, pieces: Mapping[str, Tensors]) -> Told:
    if not pieces:
        raise Failed("no image is classified correctly, so there is no correct answer to change")
    sigma, broken, ids, label = (
        torch.cat([piece[name] for piece in pieces.values()]) for name in ("sigma", "broken", "ids", "label")
    )
    found = censored(sigma, broken, ids, seed=subject.seed)
    median = found.median
    rows = [
        {"table": "noise", "metric": name, "value": one.value, "low": one.low, "high": one.high, "over": "images",
         "n": len(ids)}
        for name, one in (("median", median), ("capped mean", found.capped_mean), ("unbroken", found.unbroken))
        if one.value == one.value and one.value != float("inf")
    ]  # fmt: skip
    blocks: list[Block] = [
        Text(
            f"Gaussian noise is added to {len(ids)} correctly classified images, by {STEP:g} grey levels more per step "
            f"up to {CAP:g}, until the answer changes ({len(SEEDS)} noise patterns each; pixels run from 0 to 255; "
            f"UREM, section 3.1). {_half(median, 'answers', 'a standard deviation')}; "
            f"{100 * found.unbroken.value:.0f}% never do."
        ),
        Drawn(survival_picture(survival(sigma, broken), CAP, len(ids))),
    ]
    weakest = sigma.mean(1).argsort(stable=True)[:SHOWN]
    shots = []
    for i in weakest.tolist():
        row = int((subject.images.ids == ids[i]).nonzero()[0])
        name, said = subject.classes[int(subject.images.labels[row])], label[i][broken[i]]
        now = f"then {subject.classes[int(said[0])]}" if len(said) else "holds"
        shots.append(
            Shot(
                (subject.images.take([row]).floats()[0] * 255).round().to(torch.uint8).numpy(),
                f"Image of class {name} whose answer changes with little noise ({now}).",
                (name, f"{plain(float(sigma[i].mean()))} grey levels", now),
            )
        )
    blocks.append(Gallery("Those whose answers change first (mean over noise patterns)", shots))
    return Told(f"{_half(median, 'correct answers', 'noise')}.", rows, blocks, read=len(ids))


def _half(median: Estimate, what: str, at: str) -> str:
    """Where half of the answers have changed; or that fewer had, when the strongest noise was reached."""
    if median.value == float("inf"):
        return f"Fewer than half of the {what} change at {at} of up to {CAP:g} grey levels"
    told = interval(median.value, median.low, median.high, plain)
    return f"Half of the {what} change at {at} of {told} grey levels or less"


PARTS.add(PART, Part("How much noise changes its answer", ("model",), _pieces, _tell))
