"""Why a monitor finds one kind of fault and not another, as far as rows tell."""

import pandas as pd

from mistrust import random
from mistrust.evaluation import clustered_rank_correlation
from mistrust.figures.monitoring.parts import EVERY, THREE, categories_in, kind, of, words
from mistrust.figures.parts import some
from mistrust.figures.written import interval
from mistrust.rows import select

TIED = "sets where all alarm"
RESAMPLES = 1000


def by_category(rows: pd.DataFrame, metric: str = "fpr95") -> pd.DataFrame:
    """Give the means of a metric of the paper's three over the sets of each category.

    Parameters
    ----------
    rows : rows of the chapter, with the table "detection".
    metric : "fpr95": of nominal images that alarm where 95% of the others do; or any other of that table.

    Returns
    -------
    One line per image set, classifier and monitor, in words: "data", "classifier", "monitor", a column for each
    category and one over all sets; `TIED`, in how many sets the metric is exactly 1, of how many.

    Raises
    ------
    NoRows
        There are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> common = {"table": "detection", "data": "mnist5k", "network": "farm-lenet", "method": "oob", "metric": "fpr95"}
    >>> found = [{"condition": "shift/fog", "value": 1.0}, {"condition": "noise/gaussian noise", "value": 0.5}]
    >>> by_category(rows.table(found, **common)).to_dict("records")  # doctest: +NORMALIZE_WHITESPACE
    [{'data': 'MNIST, 5,000 images', 'classifier': 'LeNet', 'monitor': 'OOB', 'Shift': '1.00', 'Noise': '0.50',
      'All sets': '0.75', 'sets where all alarm': '1 of 2'}]
    """
    found = select(rows[rows["seed"].isna()], table="detection", metric=metric, method=list(THREE))
    some(found, f"{metric} of the three monitors")
    kinds = categories_in(found)
    lines = []
    for (data, network, method), own in found.groupby(["data", "network", "method"]):
        means = own.groupby(own["condition"].map(kind))["value"].mean()
        line = {"data": words(str(data)), "classifier": words(str(network)), "monitor": words(str(method))}
        line |= {words(one): f"{means[one]:.2f}" if one in means else "–" for one in kinds}
        lines.append({**line, words(EVERY): f"{own['value'].mean():.2f}", TIED: tied(own, data=str(data),
                      network=str(network), method=str(method))})  # fmt: skip
    return pd.DataFrame(lines)


def tied(rows: pd.DataFrame, method: str, *, data: str | None = None, network: str | None = None) -> str:
    """Count the sets of which a monitor cannot find 95% before all nominal images alarm: "36 of 40".

    So it is where a twentieth of the set's faulty images, or more, have the least score that there is: no threshold
    tells them from nominal ones.

    Parameters
    ----------
    rows : rows of the chapter, with the table "detection".
    data : of one image set; None for all.
    network : whose monitor; None for all.

    Examples
    --------
    >>> from mistrust import rows
    >>> common = {"table": "detection", "data": "mnist5k", "network": "farm-lenet", "method": "oob", "metric": "fpr95"}
    >>> found = [{"condition": "shift/fog", "value": 1.0}, {"condition": "noise/gaussian noise", "value": 0.5}]
    >>> tied(rows.table(found, **common), "oob")
    '1 of 2'
    """
    asked = {name: value for name, value in (("data", data), ("network", network)) if value is not None}
    found = select(rows[rows["seed"].isna()], table="detection", metric="fpr95", method=method, **asked)
    return f"{int((found['value'] == 1).sum())} of {len(found)}" if len(found) else "not run"


def disturbed(rows: pd.DataFrame, method: str, *, data: str, network: str) -> str:
    """Write the rank correlation, over faults and severities, of a monitor's AUROC and the classifier's accuracy there.

    Near -1: it sees what disturbs the classifier, and no more. With a bootstrap interval over faults, each with all its
    severities; "not known" where there are too few sets.

    Parameters
    ----------
    rows : rows of the chapter, with the tables "detection" or "others", and "accuracy". Novelties are left out: no
        answer is right there.

    Examples
    --------
    >>> from mistrust import rows
    >>> common = {"data": "mnist5k", "network": "farm-lenet"}
    >>> three = (("shift/fog", 0.9, 0.2), ("noise/shot noise", 0.6, 0.8), ("shift/snow", 0.7, 0.5))
    >>> found = [{"table": "detection", "method": "oob", "metric": "auroc", "condition": one, "value": value}
    ...          for one, value, _ in three]
    >>> right = [{"table": "accuracy", "method": "network", "metric": "accuracy", "condition": one, "value": value}
    ...          for one, _, value in three]
    >>> disturbed(rows.table([*found, *right], **common), "oob", data="mnist5k", network="farm-lenet")
    '-1.00 (-1.00 to -1.00)'
    """
    means = select(rows[rows["seed"].isna()], data=data, network=network)
    means = means[~means["condition"].str.startswith("novelty/")].assign(level=means["level"].fillna(0))
    detected = select(means, table=["detection", "others"], method=method, metric="auroc")
    right = select(means, table="accuracy", metric="accuracy")
    both = detected.merge(right, on=["condition", "level"], suffixes=("", " right"))
    draw = random.generator(0, f"figures/disturbed/{method}/{data}/{network}")
    one = clustered_rank_correlation(both["value"], both["value right"], both["condition"], RESAMPLES, draw)
    return interval(one.value, one.low, one.high) if one.value == one.value else "not known"


def accuracies(rows: pd.DataFrame, *, data: str | None = None, network: str | None = None) -> dict[str, float]:
    """Give the classifier's mean accuracy over the sets of each category of faults, by category.

    Parameters
    ----------
    rows : rows of the chapter, with the table "accuracy".
    data, network : which image set and classifier; None for the first.

    Raises
    ------
    NoRows
        There are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> common = {"table": "accuracy", "data": "mnist5k", "network": "farm-lenet", "metric": "accuracy"}
    >>> found = [{"condition": "shift/fog", "value": 0.8}, {"condition": "shift/snow", "value": 0.6}]
    >>> accuracies(rows.table(found, **common))
    {'shift': 0.7}
    """
    found = of(rows[rows["seed"].isna()], "accuracy", "accuracy under faults", data=data, network=network)
    means = found.groupby(found["condition"].map(kind))["value"].mean()
    return {one: float(means[one]) for one in categories_in(found)}
