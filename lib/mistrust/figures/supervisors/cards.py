"""The supervisors on one page."""

import pandas as pd

from mistrust.figures.supervisors.parts import in_order
from mistrust.supervisors import SUPERVISORS, Card, defaults
from mistrust.supervisors.experiment.variants import COMPARED


def cards() -> pd.DataFrame:
    """Give a table of the chapter's supervisors, family by family, from their cards.

    Examples
    --------
    >>> cards().set_index("name").loc["dsa", ["title", "family", "needs"]].tolist()
    ['Distance-based Surprise Adequacy', 'surprise', 'logits, layer']
    >>> cards().set_index("name").loc["dissector", "needs"]
    'logits, layers; to fit: labels'
    """
    lines = [(name, SUPERVISORS[name].card) for name in in_order(COMPARED)]
    return pd.DataFrame(
        [
            (name, one.title, one.family, _needs(one), defaults(name), one.cost, f"{one.paper}; {one.section}")
            for name, one in lines
        ],
        columns=["name", "title", "family", "needs", "parameters", "cost", "paper"],
    )


def _needs(card: Card) -> str:
    """What scoring reads, and what fitting reads beyond it."""
    more = ", ".join(card.fits)
    return ", ".join(card.needs) + (f"; to fit: {more}" if more else "")
