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
    'All four attacks were searched so; how often it missed was not run.'
    """
    found = select(rows, table="audit", metric="share earlier")
    if found.empty:
        return "All four attacks were searched so; how often it missed was not run."
    told = []
    for name in dict.fromkeys(found["method"]):
        here = found[found["method"] == name]
        told.append(f"{words(name)} {(here['value'] * here['n']).sum():,.0f} of {here['n'].sum():,.0f}")
    return (
        "So only the attacks that take many steps at each epsilon are searched, the others try one after the other. "
        f"Images that an earlier one fools, of those tried in turn: {and_so_on(told)}."
    )
