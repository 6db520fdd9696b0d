"""Someone who knows the supervisor attacks it: how far must pixels move until a mistake goes unnoticed?

The paper says of softmax that stronger attacks would pass it, and of surprise adequacies, autoencoders and Dissector
that specific attacks "might be possible in theory, but they are clearly much harder" (section VII-C), and tries none.
Each classifier is asked in a piece of its own.
"""

from collections.abc import Iterator
from dataclasses import replace

from torch import Tensor

from mistrust.data import ImageSet
from mistrust.supervisors.evading import ALARMS, evade
from mistrust.supervisors.experiment.methods import Method, methods
from mistrust.supervisors.experiment.parameters import Parameters
from mistrust.supervisors.experiment.some_of import some_of
from mistrust.supervisors.experiment.tested import UnderTest
from mistrust.supervisors.tables import Row
from mistrust.supervisors.tables.evaded import ALONE, TOO, evaded

# How far a pixel of [0, 1] may change, and the share of nominal test inputs that a supervisor may stop.
EPSILONS, STOPPED = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32), 0.05


def asked(parameters: Parameters) -> tuple[str, ...]:
    """Which supervisors are asked for.

    Examples
    --------
    >>> asked(Parameters(evaded=20, supervisors=("mdsa", "energy"))), asked(Parameters())
    (('mdsa',), ())
    """
    return tuple(name for name in parameters.compared if name in ALARMS) if parameters.evaded else ()


def attacked(one: UnderTest) -> Iterator[Row]:
    """Rows of the table "evaded"."""
    p = one.parameters
    fitted = one.fitted([line for line in methods(p, one.architecture, one.features, one.run) if line.name in asked(p)])
    nominal = one.scored(one.tried, fitted)
    limits = {line.name: float(nominal[line.name].quantile(1 - STOPPED)) for line in fitted}
    right = (nominal["predicted"] == one.tried.labels).nonzero().flatten()
    some = some_of(one.tried.take(right), p.evaded)

    plain = evade(one.classifier, some, epsilons=EPSILONS)
    unnoticed = _unnoticed(one, _changed(some, plain.images), fitted, limits)
    yield from evaded(ALONE, plain.epsilon.numpy(), {name: past.numpy() for name, past in unnoticed.items()}, EPSILONS)
    for line in fitted:
        found = evade(one.classifier, some, line.supervisor, limits[line.name], epsilons=EPSILONS)
        past = _unnoticed(one, _changed(some, found.images), [line], limits)[line.name]
        yield from evaded(TOO, found.epsilon.numpy(), {line.name: past.numpy()}, EPSILONS)


def _changed(some: ImageSet, images: Tensor) -> ImageSet:
    return replace(some, name=f"{some.name}, evading", images=images)


def _unnoticed(one: UnderTest, images: ImageSet, fitted: list[Method], limits: dict[str, float]) -> dict[str, Tensor]:
    """Whether each image is mistaken and passes, by the supervisors' own scores in place of what was followed."""
    found = one.scored(images, fitted)
    wrong = found["predicted"] != images.labels
    return {line.name: wrong & (found[line.name] <= limits[line.name]) for line in fitted}
