"""Rows of one classifier, from the scores of all inputs: which supervisor notices what, and what else is told of it."""

from collections.abc import Iterable, Iterator, Mapping

from torch import Tensor

from mistrust.supervisors.experiment import audit
from mistrust.supervisors.experiment.tested import ADVERSARIAL, LABELLED, SETS, SEVERITY, UnderTest, scores
from mistrust.supervisors.tables import NOMINAL, Row, Scores
from mistrust.supervisors.tables.attacked import attacked
from mistrust.supervisors.tables.causes import following, ties
from mistrust.supervisors.tables.detection import detection
from mistrust.supervisors.tables.mistaken import mistaken
from mistrust.supervisors.tables.shown import shown
from mistrust.supervisors.tables.spread import spread
from mistrust.supervisors.tables.together import together
from mistrust.supervisors.tables.trust import trust

EXAMPLES = 8  # inputs of each kind that are shown as they are


def classified(one: UnderTest, tensors: Mapping[str, Tensor]) -> Iterator[Row]:
    """All tables of one classifier; pictures and spreads of the first alone.

    Parameters
    ----------
    tensors : what `all_scores` gave.
    """
    p, names = one.parameters, list(SETS)
    nominal, *kinds = scores(tensors, names)
    for kind in kinds:
        yield from detection(nominal, kind, p.resamples, p.seed)
    every = list(scores(tensors, names, variants=True))
    lines = [name for name in every[0].by if "/" in name]
    for kind in every[1:] if lines else []:
        yield from detection(every[0].of(lines), kind.of(lines), 0, p.seed, table="variants")
    for kind in kinds:
        yield from detection(following(nominal), following(kind), 0, p.seed, table="variants")
    yield from ties((nominal, *kinds))
    known = [part for part in (nominal, *kinds) if part.name in LABELLED]
    for part in known:
        yield from trust(part.name, [part])
    yield from trust("nominal and corrupted", [part for part in known if part.kind in (NOMINAL, "corrupted")])
    yield from attacked(ADVERSARIAL, one.attacked)
    yield from audit.audited(one)
    methods = list(nominal.by)
    yield from together(nominal, kinds, methods)
    if one.severities:
        yield from _severities(one, nominal, tensors)
    if one.run == 0 and one.architecture == p.architectures[0]:
        yield from spread(nominal, kinds, methods)
        yield from mistaken(nominal, kinds, one.sets, methods, p.shown)
        yield from shown(one.sets, {name: tensors[f"{name}|predicted"] for name in names}, EXAMPLES)


def _severities(one: UnderTest, nominal: Scores, tensors: Mapping[str, Tensor]) -> Iterable[Row]:
    """AUROC of every corruption at every severity, and the classifier's accuracy."""
    (every,) = scores(tensors, [SEVERITY])
    count = len(every) // len(one.severities)
    for place, (name, level) in enumerate(one.severities):
        here = slice(place * count, (place + 1) * count)
        by = {method: values[here] for method, values in every.by.items()}
        bad = Scores(f"corrupted/{name.rpartition('/')[2]}", nominal.ids[:count], every.correct[here], by)
        yield from detection(nominal.of(by), bad, 0, one.parameters.seed, table="severity", level=level)
        accuracy = {"table": "severity", "condition": bad.name, "level": level, "metric": "accuracy"}
        yield {**accuracy, "value": float(bad.correct.mean()), "n": count}
