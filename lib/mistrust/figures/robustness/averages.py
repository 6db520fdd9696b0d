"""Breaking noise averaged in three ways, and what was censored, as a table."""

from collections.abc import Mapping

import pandas as pd

from mistrust.figures.dots import estimate, value_of
from mistrust.figures.parts import singles
from mistrust.figures.robustness.parts import ALL, RIGHT, in_order, of, words
from mistrust.figures.written import Write, percent, plain, two

# Column -> metric, and how it is written.
_COLUMNS: Mapping[str, tuple[str, Write]] = {
    "plain mean": ("mean", plain),
    "capped mean": ("capped mean", plain),
    "median": ("median", plain),
    "never broken": ("unbroken", percent),
    "σ50": ("sigma50", plain),
    "left after clipping": ("effective", plain),
    "new label": ("new probability", two),
}
NOT_REACHED, NOT_RUN = "not reached", "not run"


def averages(rows: pd.DataFrame, *, method: str = RIGHT, data: str | None = None) -> pd.DataFrame:
    """Give one line per network: what its images' breaking noise is, by every summary that the rows hold.

    Parameters
    ----------
    rows : rows of the chapter, with the table "random".
    method : the variant of noise.
    data : which image set; None for the first.

    Returns
    -------
    Column "network", then text: "plain mean" (grey levels, of what broke), "capped mean" (what never broke counts as
    the cap), "median" (Kaplan and Meier's; "not reached" where more than half of the images, of some seed, never
    break), "never broken" (share), "σ50" (median over images of the noise at which half of many draws change the
    answer, and the share of images that have none), "left after clipping" (standard deviation, in grey
    levels, of what happened to the pixels where they broke) and "new label" (its probability there). Means over seeds,
    the first two with intervals.

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    Of an image in ten that never breaks the plain mean knows nothing:

    >>> from mistrust import rows
    >>> found = [{"metric": "mean", "value": 60}, {"metric": "capped mean", "value": 105}]
    >>> found.append({"metric": "unbroken", "value": 0.1})
    >>> common = {"table": "random", "method": "fixed-clipped", "network": "vgg9-w16", "data": "mnist", "seed": 0}
    >>> averages(rows.table(found, **common)).iloc[0, :5].tolist()
    ['VGG-9 w16', '60', '105', 'not reached', '10%']
    """
    held = of(rows, "random", "breaking noise", data=data, condition=ALL, method=method)
    lines = []
    for name in in_order(held["network"]):
        own = held[held["network"] == name]
        lines.append((words(name), *(_cell(own, metric, write) for metric, write in _COLUMNS.values())))
    return pd.DataFrame(lines, columns=["network", *_COLUMNS])


def _cell(own: pd.DataFrame, metric: str, write: Write) -> str:
    found = own[own["metric"] == metric]
    if metric == "median" and len(singles(found)) < len(singles(own[own["metric"] == "unbroken"])):
        return NOT_REACHED  # the mean of the seeds that reach theirs would be too low
    if found.empty:
        return NOT_RUN
    if metric.endswith("mean"):
        return estimate(found, write)
    lacking = own[own["metric"] == f"{metric} unreached"]
    return write(value_of(found)) + (f", none for {percent(value_of(lacking))}" if len(lacking) else "")
