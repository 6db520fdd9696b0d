"""What three times the training did for pairs without an accepted autoencoder, in words."""

import pandas as pd

from mistrust.rows import select

NOT_RUN = "not run"
# The gate that most pairs of an image set fail.
GATES = {"mnist": "discrimination", "fmnist": "labelling"}
LABELLING = 0.9  # the second gate's share


def longer(rows: pd.DataFrame, data: str) -> dict[str, str]:
    """Say which pairs passed after all, which did not, and by how much.

    Parameters
    ----------
    rows : rows of the chapter, with the table "longer".
    data : "mnist" or "fmnist".

    Returns
    -------
    Texts by name: "accepted" ("1 of 12"), "passed" and "failed" (pairs), "gate" (range of the gate that most fail),
    "first gate" (range of discrimination of those that fail), "second gate" (pairs that fail labelling, too); "not run"
    where there are no such rows, "none" where no pair is meant.

    Examples
    --------
    >>> from mistrust import rows
    >>> one = {"metric": "share accepted", "at": "all", "value": 0.5, "n": 2}
    >>> pairs = [{"metric": "share accepted", "at": at, "value": value} for at, value in (("1/7", 0.0), ("4/9", 1.0))]
    >>> gates = [{"metric": name, "at": "1/7", "value": 0.5} for name in ("discrimination", "labelling")]
    >>> longer(rows.table([one, *pairs, *gates], table="longer", data="mnist"), "mnist")["failed"]
    '1/7'
    >>> longer(rows.empty(), "mnist")["gate"]
    'not run'
    """
    held = select(rows, table="longer", data=data)
    whole = select(held, metric="share accepted", at="all")
    shares = held[(held["metric"] == "share accepted") & (held["at"] != "all")].set_index("at")["value"]
    lost = held[held["at"].isin(shares.index[shares == 0])]
    second = lost[(lost["metric"] == "labelling") & (lost["value"] < LABELLING)]["at"].unique()
    counted = [f"{value * n:.0f} of {n:.0f}" for value, n in zip(whole["value"], whole["n"], strict=True)]
    return {
        "accepted": ", ".join(counted) or NOT_RUN,
        "passed": ", ".join(shares.index[shares > 0]) or NOT_RUN,
        "failed": ", ".join(shares.index[shares == 0]) or NOT_RUN,
        "gate": _range(lost[lost["metric"] == GATES[data]]["value"]),
        "first gate": _range(lost[lost["metric"] == "discrimination"]["value"]),
        "second gate": (", ".join(second) or "none") if len(held) else NOT_RUN,
    }


def _range(values: "pd.Series[float]") -> str:
    return f"{values.min():.2f} to {values.max():.2f}" if len(values) else NOT_RUN
