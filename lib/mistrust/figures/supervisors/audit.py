"""How adversarial images were searched, and how often the search missed an earlier epsilon, in a sentence."""

import pandas as pd

from mistrust.figures.parts import and_so_on
from mistrust.figures.supervisors.parts import words
from mistrust.rows import select


def audited(rows: pd.DataFrame) -> str:
    """Say for which attacks bisection was audited, and for how many images an earlier epsilon fools.

    Parameters
    ----------
    rows : rows of the chapter, with the table "audit": a row for each attack and network.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [{"seed": run, "value": value, "n": 100} for run, value in enumerate((0.0, 0.02))]
    >>> audited(rows.table(found, table="audit", metric="share earlier", method="pgd")).partition(": ")[2]
    'PGD 2 of 200.'
    >>> audited(rows.empty())
    'All four attacks were searched in this way; how often it missed was not measured.'
    """
    found = select(rows, table="audit", metric="share earlier")
    if found.empty:
        return "All four attacks were searched in this way; how often it missed was not measured."
    told = []
    for name in dict.fromkeys(found["method"]):
        here = found[found["method"] == name]
        told.append(f"{words(name)} {(here['value'] * here['n']).sum():,.0f} of {here['n'].sum():,.0f}")
    return (
        "So only the attacks that take many steps at each epsilon are searched in this way; the others try one epsilon "
        f"after the other. Images that an earlier epsilon fools, of those on which all were tried in turn: "
        f"{and_so_on(told)}."
    )
