"""Printed numbers by network: a series in the order of the paper's columns."""

from collections.abc import Mapping

import pandas as pd

from mistrust import rows as tidy
from mistrust.errors import MistrustError

# The paper's four networks by torchvision's names, as the paper calls them, in the order of its columns.
NETWORKS: Mapping[str, str] = {
    "alexnet": "AlexNet", "vgg16": "VGG16", "resnet152": "ResNet152", "inception_v3": "InceptionV3",
}  # fmt: skip


def by_network(published: pd.DataFrame, table: str, metric: str, **where: str) -> "pd.Series[float]":
    """One printed number of each network.

    Parameters
    ----------
    published : the chapter's published rows (`publishing.published`).
    table, metric : which number ("table1", "top-5 error").
    where : further columns (`method="random"`, `condition="half"`, `at=""`).

    Returns
    -------
    (4,) indexed by network, in the paper's order.

    Raises
    ------
    MistrustError
        A network without this number, or with several; names them.

    Examples
    --------
    >>> from mistrust.publishing.published import published
    >>> by_network(published("robustness"), "table1", "mean", method="random").to_dict()
    {'alexnet': 66.3, 'vgg16': 79.8, 'resnet152': 136.4, 'inception_v3': 196.6}
    """
    found = tidy.select(published, table=table, metric=metric, network=list(NETWORKS), **where)
    counts = found["network"].value_counts()
    wrong = [name for name in NETWORKS if counts.get(name, 0) != 1]
    if wrong:
        what = ", ".join([f"'{metric}'", *(f"{column} '{value}'" for column, value in where.items())])
        raise MistrustError(
            f"Published table '{table}' has not just one {what} of {', '.join(wrong)}. "
            f"Its metrics: {', '.join(sorted(set(tidy.select(published, table=table)['metric']))) or 'none'}."
        )
    return found.set_index("network")["value"].loc[list(NETWORKS)]
