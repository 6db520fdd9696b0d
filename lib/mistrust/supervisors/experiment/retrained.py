"""Supervisors that train a network of their own, fitted without the ambiguous images: what does that change?

It takes them minutes, so the first classifier of each kind alone is asked, in a piece of its own.
"""

from collections.abc import Iterator

from mistrust.supervisors.experiment.methods import TRAINING, without_ambiguous
from mistrust.supervisors.experiment.parameters import Parameters
from mistrust.supervisors.experiment.tested import SETS, UnderTest, joined, scores, set_scores
from mistrust.supervisors.tables import Row
from mistrust.supervisors.tables.detection import detection


def asked(parameters: Parameters) -> tuple[str, ...]:
    """Which of them are asked for.

    Examples
    --------
    >>> asked(Parameters(also_nominal=("knn", "autoencoder")))
    ('autoencoder',)
    """
    return tuple(name for name in parameters.also_nominal if name in TRAINING and name in parameters.compared)


def retrained(one: UnderTest) -> Iterator[Row]:
    """Rows of the table "variants": AUROC of every kind of bad input."""
    p = one.parameters
    fitted = one.fitted(list(without_ambiguous(asked(p), p, one.architecture, one.features, one.run)))
    found = joined({name: set_scores(one, name, fitted) for name in SETS})
    nominal, *kinds = scores(found, SETS, variants=True)
    for kind in kinds:
        yield from detection(nominal, kind, 0, p.seed, table="variants")
