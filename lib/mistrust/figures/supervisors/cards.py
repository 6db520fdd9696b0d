"""The supervisors on one page."""

import pandas as pd

from mistrust.figures.supervisors.parts import in_order
from mistrust.supervisors import SUPERVISORS
from mistrust.supervisors.experiment.variants import COMPARED


def cards() -> pd.DataFrame:
    """Give a table of the chapter's supervisors, family by family: name, title, family, what they need, paper.

    Examples
    --------
    >>> cards().set_index("name").loc["dsa", ["title", "family", "needs"]].tolist()
    ['Distance-based Surprise Adequacy', 'surprise', 'logits, layer']
    """
    lines = [(name, SUPERVISORS[name].card) for name in in_order(COMPARED)]
    return pd.DataFrame(
        [(name, card.title, card.family, ", ".join(card.needs), card.paper) for name, card in lines],
        columns=["name", "title", "family", "needs", "paper"],
    )
