"""The images to label next, or to look at again: where answers that the model is sure of are most likely wrong."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from mistrust.assess.blocks import Block, Gallery, Link, Shot, Table, Text, picture
from mistrust.assess.kept import Failed, Tensors
from mistrust.assess.parts.part import PARTS, Part, Piece, Told, in_chunks
from mistrust.assess.subject import Subject
from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.search.attack import deepfool
from mistrust.search.labelling import Ranked, Scores, exported, labelling_page, rank
from mistrust.search.labelling.columns import as_csv
from mistrust.search.labelling.pictures import held
from mistrust.search.measures import chances, p_value, sdr_interval
from mistrust.search.pool import THRESHOLD

PART, CHUNK = "labelling", 100
LEAST, FRACTION = 60, 0.3  # below so many images the trend of distance on confidence is no trend; its window
CHOICE = 4  # images that each place on the list is chosen from, at least: less is no search


def _threshold(subject: Subject) -> float:
    """The paper's, of confident answers; 0 where fewer than the budget lie above it: a list of all answers, then."""
    above = int((subject.probabilities.max(1).values > THRESHOLD).sum())
    return THRESHOLD if above >= min(subject.budget, len(subject.images)) else 0.0


def _sure(subject: Subject) -> Tensor:
    """Rows of answers above the threshold; where distances are measured, up to as many as these are measured for."""
    above = subject.probabilities.max(1).values > _threshold(subject)
    return subject.some(len(above) if _no_distances(subject) else subject.sizes.near, PART, above)


def _no_distances(subject: Subject) -> str:
    """Why the order goes by confidence alone; "" where distances are measured."""
    if "gradients" in subject.abilities.lacks:
        return "without gradients there are no distances"
    above = int((subject.probabilities.max(1).values > THRESHOLD).sum())
    if not _threshold(subject):
        count = f"only {above} answer{'s' if above > 1 else ''}" if above else "no answer"
        return f"{count} {'have' if above > 1 else 'has'} a confidence above {THRESHOLD:g}"
    enough = min(above, CHOICE * subject.budget)
    slow = f"distances of {enough:,} images do not fit into the time: give more by --minutes"
    return "" if subject.sizes.near >= enough else slow


def _pieces(subject: Subject) -> list[Piece]:
    if _no_distances(subject):
        return []

    def make(some: Tensor) -> Tensors:
        found = deepfool(subject.classifier, subject.images.take(some))
        return {"rows": some, "mae": found.mae}

    return in_chunks(_sure(subject), CHUNK, make)


def _tell(subject: Subject, pieces: Mapping[str, Tensors]) -> Told:
    rows, scores = _scores(subject, pieces)
    budget = min(subject.budget, len(rows))
    method = None if scores.distance is not None else "low_confidence"
    try:
        more = {"fraction": FRACTION} if method is None else {}
        ranked = rank(scores, budget, method, _threshold(subject), parameters=more)
    except MistrustError as error:
        raise Failed(str(error)) from error
    known = {name: int(row) for name, row in zip(scores.names, rows, strict=True)}
    places = [known[query.name] for query in ranked.queries]
    wrong = (~subject.correct[places]).numpy()
    confidence = np.array([query.confidence for query in ranked.queries])
    errors, expected = int(wrong.sum()), float((1 - confidence).sum())
    by = (
        "small distances to another class for their confidence come first (Bennette and others, 2020; distance: "
        "DeepFool)"
        if method is None
        else f"the least sure come first ({_no_distances(subject) or 'there are too few for distances'})"
    )
    share = errors / budget if budget else 0.0
    sure = bool(_threshold(subject))
    confident, above = (f" with a confidence above {THRESHOLD:g}", " above the threshold") if sure else ("", "")
    pool = ~subject.correct[rows].numpy()
    blocks: list[Block] = [
        Text(
            f"If you can look at {budget} of the images again, or label as many like these, take the "
            f"answers{confident} in this order, in which {by}. Your labels were not used for the order, so they show "
            f"how good it is: {errors} of these {budget} answers {_are(errors)} wrong ({share:.0%}), where "
            f"the confidences lead one to expect {expected:.1f}; of all {len(rows):,} answers{above}, "
            f"{int(pool.sum()):,} {_are(int(pool.sum()))} wrong ({pool.mean():.1%})."
        )
    ]
    tidy: list[dict[str, object]] = [
        {"table": "labelling", "method": ranked.method, "metric": "errors", "value": errors, "n": budget},
        {"table": "labelling", "method": ranked.method, "metric": "expected errors", "value": expected, "n": budget},
        {"table": "labelling", "method": "pool", "metric": "errors", "value": int(pool.sum()), "n": len(rows)},
    ]  # fmt: skip
    if expected > 0:
        blocks.append(_sdr(errors, confidence, expected, tidy, ranked.method))
    files = {"label/ranked.csv": as_csv(ranked.frame())}
    if subject.shown:
        blocks.append(_gallery(subject, ranked, places, wrong))
        files["label/label.html"] = _page(subject, ranked, places)
        blocks.append(
            Link(
                "label/label.html", "The page to label them on",
                f", which keeps answers in your browser; then: mistrust search --answers {exported(ranked)}. The list "
                "is in label/ranked.csv.",
            )
        )  # fmt: skip
    else:
        lines = [
            (str(q.rank), q.name, q.predicted, f"{q.confidence:.3f}", "wrong" if bad else "right")
            for q, bad in zip(ranked.queries, wrong, strict=True)
        ]
        blocks.append(
            Table("The list", ("rank", "image", "predicted", "confidence", "by your label"), lines, words=True)
        )
    of = f"all with more than {THRESHOLD:.0%} confidence" if sure else "all"
    headline = (
        f"Of the {budget} answers to look at first, {errors} {_are(errors)} wrong ({share:.0%}; of {of} "
        f"{pool.mean():.1%})."
    )
    return Told(headline, tidy, blocks, files=files, read=len(rows))


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _scores(subject: Subject, pieces: Mapping[str, Tensors]) -> tuple[np.ndarray, Scores]:
    """What the search reads: names, predictions, confidences, distances where there are enough."""
    rows = torch.cat([piece["rows"] for piece in pieces.values()]) if pieces else _sure(subject)
    distance = None
    if len(rows) >= LEAST and pieces:
        mae = torch.cat([piece["mae"] for piece in pieces.values()])
        good = torch.isfinite(mae) & (mae > 0)
        if int(good.sum()) >= LEAST:
            rows, distance = rows[good], mae[good].double().numpy()
    top = subject.probabilities[rows].max(1)
    predicted = tuple(subject.classes[c] for c in top.indices.tolist())
    names = tuple(subject.names[row] for row in rows.tolist())
    return rows.numpy(), Scores(
        names, predicted, top.values.clamp_max(1.0).numpy(), distance, None, Path("these images")
    )


def _sdr(errors: int, confidence: np.ndarray, expected: float, tidy: list[dict[str, object]], method: str) -> Text:
    p = chances(confidence)
    low, high = sdr_interval(errors, p, 0.95)
    tidy.append(
        {"table": "labelling", "method": method, "metric": "sdr", "value": errors / expected, "low": float(low),
         "high": float(high), "over": "images", "n": len(p)}
    )  # fmt: skip
    return Text(
        f"That is {errors / expected:.1f} times as many as the confidences promise (SDR; 95% interval {low:.1f} to "
        f"{high:.1f}, exact; chance of so many if they were honest: {float(p_value(errors, p)):.2g})."
    )


def _gallery(subject: Subject, ranked: Ranked, places: list[int], wrong: np.ndarray) -> Gallery:
    shots = []
    for query, row, bad in zip(ranked.queries, places, wrong, strict=True):
        label = subject.classes[int(subject.images.labels[row])]
        lines = (f"{query.rank}. {query.predicted}", f"{100 * query.confidence:.1f}% sure", f"label: {label}")
        alt = f"Rank {query.rank}: the model says {query.predicted}, the label is {label}."
        shots.append(Shot(_pixels(subject.images, row), alt, lines, bool(bad)))
    return Gallery("The list, first to last; frames mark answers that differ from your label", shots)


def _page(subject: Subject, ranked: Ranked, places: list[int]) -> str:
    images = [held(picture(_pixels(subject.images, row))) for row in places]  # whoever answers looks closely
    return labelling_page(ranked, images, [Path(query.name) for query in ranked.queries], folder="")


def _pixels(images: ImageSet, row: int) -> np.ndarray:
    return (images.take([row]).floats()[0] * 255).round().to(torch.uint8).numpy()


PARTS.add(PART, Part("Which images to label next", (), _pieces, _tell))
