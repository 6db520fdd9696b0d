"""Table 2's accuracies beside Table 1's errors and what torchvision states of the same networks.

Table 1's errors are, digit by digit, those of PyTorch's documentation of its weights (0.1.12), so the networks of
Table 1 are known. Table 2 calls its first line the original networks, and does not say whether it counts the first
answer or the first five.
"""

import pandas as pd

from mistrust.robustness.rereading.printed import by_network


def accuracies(published: pd.DataFrame) -> pd.DataFrame:
    """Every accuracy that is known of the four networks.

    Returns
    -------
    One line per network, in the paper's order: `table 2`, as printed ("Full"); `table 1`, one minus the printed top-5
    error; `top-1`, `top-5`, by torchvision's metadata; `documented`, one minus the top-5 error in PyTorch's old
    documentation. Shares.

    Examples
    --------
    >>> from mistrust.publishing.published import published
    >>> accuracies(published("robustness")).loc["alexnet"].round(3).to_dict()
    {'table 2': 0.72, 'table 1': 0.791, 'top-1': 0.565, 'top-5': 0.791, 'documented': 0.791}
    """
    return pd.DataFrame({
        "table 2": by_network(published, "table2", "accuracy", condition="all"),
        "table 1": 1 - by_network(published, "table1", "top-5 error"),
        "top-1": by_network(published, "torchvision", "accuracy"),
        "top-5": by_network(published, "torchvision", "top-5 accuracy"),
        "documented": 1 - by_network(published, "torchvision", "top-5 error"),
    })  # fmt: skip
