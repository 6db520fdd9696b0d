"""What is left of breaking sigma and of accuracy with half of the samples, or a tenth of the classes (Tables 2 and 3).

Half of the samples would leave a fifth of sigma, a tenth of the classes a third, although accuracy falls with the one
and rises with the other. Another recipe would explain both, downloaded weights against the authors' own training: our
inference, for the paper does not say how it trained.
"""

import pandas as pd

from mistrust.robustness.rereading.printed import by_network

VARIANTS = ("half", "fraction")


def left(published: pd.DataFrame) -> pd.DataFrame:
    """Printed numbers of a training variant over those of the whole training set.

    Returns
    -------
    One line per network, in the paper's order; for each variant ("half" of the samples, "fraction": a tenth of the
    classes) the share of breaking sigma that is left, "sigma, half", and the points of accuracy gained, "accuracy,
    half" (a difference of shares).

    Examples
    --------
    >>> from mistrust.publishing.published import published
    >>> left(published("robustness")).loc["alexnet"].round(3).to_dict()
    {'sigma, half': 0.155, 'accuracy, half': -0.258, 'sigma, fraction': 0.351, 'accuracy, fraction': 0.05}
    """
    columns = {}
    for variant in VARIANTS:
        sigma = by_network(published, "table3", "mean", condition=variant)
        columns[f"sigma, {variant}"] = sigma / by_network(published, "table3", "mean", condition="all")
        accuracy = by_network(published, "table2", "accuracy", condition=variant)
        columns[f"accuracy, {variant}"] = accuracy - by_network(published, "table2", "accuracy", condition="all")
    return pd.DataFrame(columns)
