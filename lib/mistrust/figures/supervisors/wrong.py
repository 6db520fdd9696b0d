"""Is the answer wrong? By classifier and by images, since a mean over classifiers hides how much hangs on them."""

from collections.abc import Sequence

import pandas as pd

from mistrust.figures.parts import by_network
from mistrust.figures.supervisors.parts import data_in, networks_in, short, words
from mistrust.rows import select

ASKED = ("nominal", "nominal and corrupted")
METHODS = ("max_softmax", "ensemble_mean_softmax", "dsa", "mdsa", "autoencoder")


def wrong(rows: pd.DataFrame, methods: Sequence[str] = METHODS, conditions: Sequence[str] = ASKED) -> pd.DataFrame:
    """Give AUROC of wrong answers against correct ones, a line for each classifier, a column for each supervisor.

    Parameters
    ----------
    rows : rows of the chapter, with the table "trust"; means over runs are read.
    conditions : the images that are answered.

    Returns
    -------
    Text; "not run" where there is no row, and no line for a classifier that has none.

    Examples
    --------
    >>> from mistrust import rows
    >>> about = {"table": "trust", "data": "mnist", "condition": "nominal", "network": "ambiguess-conv"}
    >>> found = [{"method": "dsa", "metric": "auroc", "value": 0.947}, {"metric": "accuracy", "value": 0.989}]
    >>> wrong(rows.table(found, **about), ["dsa", "mdsa"]).iloc[0].tolist()
    ['MNIST', 'nominal', 'convolutional', '98.9%', '0.95', 'not run']
    """
    mean, _ = by_network(select(rows, table="trust", metric=["auroc", "accuracy"]))
    columns = (mean[name].tolist() for name in ("data", "condition", "network", "metric", "method", "value"))
    values = {tuple(key): value for *key, value in zip(*columns, strict=True)}
    lines = []
    for data in data_in(rows):
        for condition in conditions:
            for network in networks_in(mean):
                here = (data, condition, network)
                found = [values.get((*here, "auroc", method)) for method in methods]
                if any(value is not None for value in found):
                    right = values.get((*here, "accuracy", ""))
                    cells = ("not run" if value is None else f"{value:.2f}" for value in found)
                    accuracy = "not run" if right is None else f"{right:.1%}"
                    lines.append((words(data), condition, words(network), accuracy, *cells))
    return pd.DataFrame(lines, columns=["image set", "images", "classifier", "correct", *map(short, methods)])
