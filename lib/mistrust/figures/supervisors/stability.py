"""How far runs differ: standard deviations of AUROC between runs of one architecture, as a table."""

import math

import pandas as pd

from mistrust.figures.supervisors.apart import one_autoencoder
from mistrust.figures.supervisors.parts import conditions_in, data_in, family, short, words
from mistrust.rows import select

SHARED = ("ensemble", "reconstruction")  # families of which runs share members, or the whole autoencoder, if they do


def too_small(runs: int) -> float:
    """Give the share by which the standard deviation of so many runs is too small, on average over normal values.

    That is 1 - c4 of quality control: sqrt(2 / (n - 1)) gamma(n / 2) / gamma((n - 1) / 2) is the mean of the sample's
    standard deviation where the true one is 1.

    Parameters
    ----------
    runs : 2 or more.

    Examples
    --------
    >>> [round(too_small(runs), 4) for runs in (2, 3, 5)]
    [0.2021, 0.1138, 0.06]
    """
    return 1 - math.sqrt(2 / (runs - 1)) * math.gamma(runs / 2) / math.gamma((runs - 1) / 2)


def stability(rows: pd.DataFrame, methods: tuple[str, ...]) -> pd.DataFrame:
    """Give a line for each image set and kind of bad input: the mean and the largest standard deviation between runs.

    A standard deviation is that of one supervisor's AUROC between the runs of one architecture. Runs share all
    but one member of their ensembles, so the last column leaves these out, and the autoencoder where they share it.

    Parameters
    ----------
    rows : rows of the chapter, with the table "detection"; those of single networks are read.
    methods : which supervisors.

    Returns
    -------
    Text; without lines where no architecture has a second run.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [{"seed": run, "value": value} for run, value in enumerate((0.9, 0.92))]
    >>> about = {"metric": "auroc", "method": "dsa", "network": "ambiguess-fc", "data": "mnist"}
    >>> one = rows.table(found, table="detection", condition="invalid/other", **about)
    >>> stability(one, ("dsa",)).drop(columns=["images", "bad input"]).to_dict("records")
    [{'numbers': 1, 'mean sd': '0.014', 'largest sd': '0.014 (DSA)', 'mean sd without what runs share': '0.014'}]
    """
    held = select(rows, table="detection", metric="auroc", method=list(methods))
    groups = held[held["seed"].notna()].groupby(["data", "condition", "network", "method"])["value"]
    found = groups.std().dropna().rename("sd").reset_index()
    shared = SHARED if one_autoencoder(rows) else SHARED[:1]
    lines = []
    for data in data_in(found):
        for condition in conditions_in(found):
            here = found[(found["data"] == data) & (found["condition"] == condition)]
            own = here[[family(name) not in shared for name in here["method"]]]
            if len(here):
                most = here.loc[here["sd"].idxmax()]
                lines.append(
                    {
                        "images": words(data),
                        "bad input": words(condition),
                        "numbers": len(here),
                        "mean sd": f"{here['sd'].mean():.3f}",
                        "largest sd": f"{most['sd']:.3f} ({short(str(most['method']))})",
                        "mean sd without what runs share": f"{own['sd'].mean():.3f}" if len(own) else "–",
                    }
                )
    return pd.DataFrame(lines)
