"""The paper's printed numbers, read again (`mistrust.robustness.rereading`), in words for readers."""

import pandas as pd

from mistrust.figures.robustness.parts import TRAINED, words
from mistrust.figures.written import two
from mistrust.robustness import rereading
from mistrust.robustness.rereading.left import VARIANTS


def percentages(printed: pd.DataFrame) -> pd.DataFrame:
    """Give Table 1's percentages, and what they would be of 255 and of 256.

    Returns
    -------
    Columns "measure", "network", "grey levels", "printed", then for each denominator "of 255" and "can be of 255".

    Examples
    --------
    >>> from mistrust.publishing.published import published
    >>> percentages(published("robustness")).iloc[0].tolist()
    ['breaking noise', 'AlexNet', '66.3', '25.9%', '26.0%', 'no', '25.9%', 'yes']
    """
    found = rereading.percentages(printed)
    shown = {
        "measure": found["measure"].map(words), "network": found["network"].map(words),
        "grey levels": found["value"].map("{:.1f}".format), "printed": found["percent"].map("{:.1f}%".format),
    }  # fmt: skip
    for one in rereading.CANDIDATES:
        shown[f"of {one}"] = found[f"of {one}"].map("{:.1f}%".format)
        shown[f"can be of {one}"] = found[f"fits {one}"].map({True: "yes", False: "no"})
    return pd.DataFrame(shown)


def orders(printed: pd.DataFrame) -> pd.DataFrame:
    """Give rank correlations over the paper's four networks with exact p-values.

    Returns
    -------
    Columns "of", "with", "rank correlation", "p".

    Examples
    --------
    >>> from mistrust.publishing.published import published
    >>> orders(published("robustness")).iloc[2].tolist()
    ['layers, as printed', 'breaking noise', '1.00', '0.08']
    """
    found = rereading.orders(printed)
    return pd.DataFrame({
        "of": found["count"], "with": found["measure"].map(words),
        "rank correlation": found["spearman"].map(two), "p": found["p"].map(two),
    })  # fmt: skip


def left(printed: pd.DataFrame) -> pd.DataFrame:
    """Give what is left of Table 3's breaking noise, and what Table 2's accuracy gains, with less to train on.

    Returns
    -------
    Column "network", then for each variant of training the share of breaking noise and the points of accuracy.

    Examples
    --------
    >>> from mistrust.publishing.published import published
    >>> left(published("robustness")).iloc[0].tolist()
    ['AlexNet', '16%', '-25.8', '35%', '+5.0']
    """
    found = rereading.left(printed)
    shown = {"network": list(found.index.map(words))}
    for one in VARIANTS:
        shown[f"noise left, {TRAINED[one]}"] = list(found[f"sigma, {one}"].map("{:.0%}".format))
        shown[f"accuracy gained (points), {TRAINED[one]}"] = list(
            (100 * found[f"accuracy, {one}"]).map("{:+.1f}".format)
        )
    return pd.DataFrame(shown)


def accuracies(printed: pd.DataFrame) -> pd.DataFrame:
    """Give every accuracy that is known of the paper's four networks.

    Returns
    -------
    Column "network", then Table 2's, Table 1's (one minus the top-5 error), and torchvision's two.

    Examples
    --------
    >>> from mistrust.publishing.published import published
    >>> accuracies(published("robustness")).iloc[0].tolist()
    ['AlexNet', '72.0%', '79.1%', '56.5%', '79.1%']
    """
    found = rereading.accuracies(printed)
    columns = {
        "table 2": "Table 2", "table 1": "Table 1, 100% − top-5 error", "top-1": "torchvision, top-1",
        "top-5": "torchvision, top-5",
    }  # fmt: skip
    each = {title: found[column].map("{:.1%}".format).to_numpy() for column, title in columns.items()}
    return pd.DataFrame({"network": found.index.map(words), **each})
