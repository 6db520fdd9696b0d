"""The supervisors on one page."""

import pandas as pd

from mistrust.figures.supervisors.parts import in_order
from mistrust.supervisors import SUPERVISORS, defaults
from mistrust.supervisors.experiment.variants import COMPARED


def cards() -> pd.DataFrame:
    """Give a table of the chapter's supervisors, family by family, from their cards.

    Examples
    --------
    >>> cards().set_index("name").loc["dsa", ["title", "family", "needs"]].tolist()
    ['Distance-based Surprise Adequacy', 'surprise', 'logits, layer']
    """
    lines = [(name, SUPERVISORS[name].card) for name in in_order(COMPARED)]
    return pd.DataFrame(
        [
            (name, one.title, one.family, ", ".join(one.needs), defaults(name), one.cost, f"{one.paper}; {one.section}")
            for name, one in lines
        ],
        columns=["name", "title", "family", "needs", "parameters", "cost", "paper"],
    )
