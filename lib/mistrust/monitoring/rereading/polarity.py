"""Which answer do the printed numbers call positive, and how many images were nominal?

False-positive rate, false-negative rate and the share of positive images give everything else that a row prints. So a
row tells by itself which answer it calls positive and what share of its images was nominal, as far as its two digits
go. The sets' shares are known from how they were assembled (facts from the authors' code), and few.

Rule A: with nominal images as positives, printed FNR is the false-alarm rate, printed FPR the miss rate, printed recall
what is not alarmed of nominal images, and printed precision the share of nominal images among those not alarmed.
Rule B: then o = Pr / (1 - Pr) · FPR / Re are the odds of a nominal image, and o / (1 + o) is their share.
"""

from collections.abc import Mapping
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from mistrust.evaluation import Confusion, decisions
from mistrust.inputs.limits import within

# Nominal and OOD images of the sets: the authors' assembly rule, test split against all images transformed. FGSM and
# GTSRB with BTSC: their evaluation module's counts.
KNOWN: Mapping[str, tuple[int, int]] = {
    "cifar10": (10_000, 60_000),
    "gtsrb": (12_630, 51_839),
    "cifar10/FGSM": (10_000, 22_665),
    "gtsrb/FGSM": (12_630, 26_001),
    "gtsrb/BTSC": (15_720, 4_005),
    "gtsrb/CIFAR-10": (12_630, 60_000),
    "cifar10/GTSRB": (10_000, 51_839),
}
POLARITIES = ("nominal", "ood")
HALF = 0.005  # half a unit of the last printed digit
TOLERANCE = HALF + 0.001  # and what the steps of the grid leave
STEPS = 21

# What a printed "F1" could be.
F1 = {"weighted": decisions.weighted_f1, "accuracy": decisions.accuracy, "positive": decisions.f1}


def known_share(set_name: str) -> float:
    """Nominal share of a known set."""
    nominal, ood = KNOWN[set_name]
    return nominal / (nominal + ood)


def own_set(data: str, label: str) -> str:
    """Name the entry of `KNOWN` that a row of this data set and label should have."""
    return f"{data}/{label}" if f"{data}/{label}" in KNOWN else data


def nominal_share(precision: float, fpr: float, recall: float) -> tuple[float, float, float]:
    """Rule B: the share of nominal images, and the least and largest that its rounded numbers allow.

    Returns
    -------
    Value, low, high; NaN where the numbers are 0 / 0 (a precision of 1 without false positives).

    Raises
    ------
    MistrustError
        What is no number in [0, 1].

    Examples
    --------
    Half of the images are nominal where a tenth of each kind is taken for the other:

    >>> value, low, high = nominal_share(precision=0.9, fpr=0.1, recall=0.9)
    >>> round(value, 2), round(low, 2), round(high, 2)
    (0.5, 0.47, 0.53)
    """
    printed = {"precision": precision, "fpr": fpr, "recall": recall}
    said = [within(f"nominal_share: {name}", x, 0, 1) for name, x in printed.items()]
    ends = [np.clip([x - HALF, x + HALF], 0, 1) for x in said]
    corners = [_share(p, f, r) for p, f, r in product(*ends)]
    return _share(*said), float(np.nanmin(corners)), float(np.nanmax(corners))


def _share(precision: float, fpr: float, recall: float) -> float:
    # o / (1 + o) with o = Pr FPR / ((1 - Pr) Re), brought over one denominator.
    above, below = precision * fpr, (1 - precision) * recall
    return float(above / (above + below)) if above + below > 0 else float("nan")


def mcc_range(fpr: float, fnr: float, share: float) -> tuple[float, float]:
    """Least and largest MCC that two rounded rates allow, at this share of positives; it shows a sign that was lost.

    Examples
    --------
    Rates as printed with two decimals, at a tenth of positives, leave the second decimal of MCC open:

    >>> low, high = mcc_range(0.05, 0.3, 0.1)
    >>> round(low, 2), round(high, 2)
    (0.59, 0.63)
    """
    ends = [np.clip([x - HALF, x + HALF], 0, 1) for x in (fpr, fnr)]
    corners = [float(decisions.mcc(cells(share, f, m))) for f, m in product(*ends)]
    return min(corners), max(corners)


def readings(rows: pd.DataFrame) -> pd.DataFrame:
    """Find out, row by row, which known shares fit with which answer as positive (rules A and B).

    A share fits where some pair of rates within the rounding of the printed FPR and FNR gives the printed precision
    and MCC to rounding. F1 is not read: what it is comes after (`f1_reading`).

    Parameters
    ----------
    rows : printed rows (`printed`).

    Returns
    -------
    Their columns, and `polarity`: "nominal" (fits with nominal images as positives alone), "either" (this share or
    that, both ways), "ood", "none"; `share`, `share_low`, `share_high` by `nominal_share`; `fitting`, names of the
    known sets whose nominal share fits with nominal images as positives, joined by ", "; `own`, whether the row's own
    set is one of them.

    Examples
    --------
    A tenth of 10,000 nominal images alarms, a fifth of 60,000 noisy ones does not:

    >>> numbers = {"mcc": 0.53, "fpr": 0.2, "fnr": 0.1, "precision": 0.43, "recall": 0.9, "f1": 0.84}
    >>> found = readings(pd.DataFrame([{"data": "cifar10", "label": "spatter (2)"} | numbers]))
    >>> found[["polarity", "share", "fitting", "own"]].round(2).to_dict("records")  # nominal images are one in seven
    [{'polarity': 'nominal', 'share': 0.14, 'fitting': 'cifar10', 'own': True}]
    """
    fits = {polarity: _fits(rows, polarity) for polarity in POLARITIES}
    nominal, ood = fits["nominal"].any(1), fits["ood"].any(1)
    found = rows.copy()
    found["polarity"] = np.select([nominal & ood, nominal, ood], ["either", "nominal", "ood"], "none")
    shares = [nominal_share(*row) for row in zip(rows["precision"], rows["fpr"], rows["recall"], strict=True)]
    found[["share", "share_low", "share_high"]] = np.array(shares).reshape(-1, 3)
    names = np.array(list(KNOWN))
    found["fitting"] = [", ".join(names[fit]) for fit in fits["nominal"]]
    own = [own_set(data, label) for data, label in zip(rows["data"], rows["label"], strict=True)]
    found["own"] = [bool(fit[names == one].any()) for fit, one in zip(fits["nominal"], own, strict=True)]
    return found


def f1_reading(rows: pd.DataFrame) -> pd.DataFrame:
    """Find out what each row's printed F1 can be, at the known shares that fit its other numbers.

    Returns
    -------
    One line per row, a bool column for each name of `F1`: the weighted F1, the accuracy (which is what micro-F1 means),
    the F1 of the positives.

    Examples
    --------
    >>> numbers = {"mcc": 0.53, "fpr": 0.2, "fnr": 0.1, "precision": 0.43, "recall": 0.9, "f1": 0.84}
    >>> f1_reading(pd.DataFrame([{"data": "cifar10", "label": "spatter (2)"} | numbers])).to_dict("records")
    [{'weighted': True, 'accuracy': False, 'positive': False}]
    """
    return pd.DataFrame({name: _fits(rows, "nominal", name).any(1) for name in F1}, index=rows.index)


def _fits(rows: pd.DataFrame, polarity: str, f1: str | None = None) -> NDArray[np.bool_]:
    """Tell whether each known share (columns) explains each row, at some pair of rates within rounding."""
    steps = np.linspace(-HALF, HALF, STEPS)
    fpr = np.clip(_column(rows, "fpr") + steps[:, None], 0, 1)  # (rows, 1, steps, 1): shares and FNR come beside
    fnr = np.clip(_column(rows, "fnr") + steps, 0, 1)
    nominal = np.array([known_share(name) for name in KNOWN])[:, None, None]
    share = nominal if polarity == "nominal" else 1 - nominal
    table = cells(share, fpr, fnr)
    precision = decisions.ratio(table.tp, table.tp + table.fp)
    near = _near(precision, rows, "precision") & _near(decisions.mcc(table), rows, "mcc")
    if f1 is not None:
        near &= _near(F1[f1](table), rows, "f1")
    return np.asarray(near.any((2, 3)))


def cells(share: ArrayLike, fpr: ArrayLike, fnr: ArrayLike) -> Confusion:
    """Shares of all four outcomes, from that of positives and two rates, all (...)."""
    positive, f, m = (np.asarray(given, dtype=np.float64) for given in (share, fpr, fnr))
    negative = 1 - positive
    return Confusion(*np.broadcast_arrays(positive * (1 - m), negative * f, positive * m, negative * (1 - f)))


def _column(rows: pd.DataFrame, name: str) -> NDArray[np.float64]:
    return rows[name].to_numpy(dtype=np.float64)[:, None, None, None]


def _near(values: NDArray[np.float64], rows: pd.DataFrame, name: str) -> NDArray[np.bool_]:
    # What is not defined was printed as 0.
    return np.abs(np.nan_to_num(values) - _column(rows, name)) <= TOLERANCE
