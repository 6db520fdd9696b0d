"""Which supervisors can be had for a model, by the pass that they share, and why the others cannot."""

from dataclasses import dataclass

from mistrust.assess.subject import Subject
from mistrust.supervisors import SUPERVISORS

# Which group of supervisors shares a pass, and what its members need; the first that fits is taken.
GROUPS = ("logits", "layer", "dropout", "gradients")
SCALE = ("energy", "max_logit")  # constant, or max softmax again, where outputs are probabilities


@dataclass(frozen=True)
class Line:
    """One supervisor: its name, its group, and what it needs of the model (entries of `NEEDS`)."""

    name: str
    group: str
    needs: tuple[str, ...]


def line(name: str) -> Line:
    """What a supervisor of the table needs, in the words of the report."""
    card = SUPERVISORS[name].card
    reads = card.reads
    if "members" in reads:
        return Line(name, "", ("members",))
    if card.family == "reconstruction" or "layers" in reads:
        return Line(name, "", ("training",))
    if "layer" in reads:
        return Line(name, "layer", ("layer", "train", *(("head",) if "network" in reads else ())))
    if "samples" in reads:
        return Line(name, "dropout", ("dropout",))
    if "network" in reads:
        return Line(name, "gradients", ("gradients",))
    return Line(name, "logits", ("scale",) if name in SCALE else ())


def chosen(subject: Subject) -> tuple[list[Line], list[tuple[str, str]]]:
    """The supervisors that can be had for this model, and the others with the reason."""
    lines, left = list[Line](), list[tuple[str, str]]()
    for name in SUPERVISORS:
        one = line(name)
        reason = subject.abilities.missing(one.needs)
        if reason:
            left.append((SUPERVISORS[name].card.title, reason))
        else:
            lines.append(one)
    return lines, left
