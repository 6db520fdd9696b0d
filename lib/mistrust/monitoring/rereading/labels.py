"""Rule C: which set a printed row is really of.

The authors' evaluation module draws each row from a run by its place in a hand-typed list of run ids, and labels it by
its place in another. Where the lists run differently the labels are wrong. The moves below were read in these lists;
the printed numbers confirm them: a row's share of nominal images, its false-alarm rate, rows that occur twice.
"""

from collections.abc import Callable, Mapping

import pandas as pd

from mistrust.monitoring.rereading.printed import labelled

SEVERITIES = (2, 5)
SHIFTS = ("snow", "fog", "brightness", "contrast", "saturate")
NOISES = ("gaussian noise", "impulse noise", "shot noise", "spatter", "speckle noise", "defocus blur")

_ORDER = [labelled(name, level) for name in NOISES for level in SEVERITIES]
_NEXT = [*(labelled(name, SEVERITIES[0]) for name in SHIFTS), "rotated"]
# Label -> what the row holds, for OOB and ODIN: their lists run severity by severity, the labels ALOOC's way.
SHIFT: Mapping[str, str] = {
    **dict(zip(["rotated", *(labelled(name, SEVERITIES[1]) for name in SHIFTS)], _NEXT, strict=True)),
    **{labelled(name, SEVERITIES[0]): labelled(name, SEVERITIES[1]) for name in SHIFTS},
}
ANOMALY: Mapping[str, str] = {
    labelled(name, level): labelled(name, 4 - level)
    for name in ("pixel trap", "row add logic", "shifted pixel")
    for level in (1, 3)
}
# ODIN's first twelve labels each hold the variation before: an OOB run stands first in its list.
NOISE: Mapping[str, str] = dict(zip(_ORDER[1:], _ORDER[:-1], strict=True))
SWAPPED: Mapping[str, str] = {"cifar10": "gtsrb", "gtsrb": "cifar10"}

KEPT, MOVED, DROPPED = "kept", "moved", "dropped"
Verdict = tuple[str, str, str, str]  # status, true data, true label, why


def _kept(data: str, label: str, method: str) -> Verdict:
    return KEPT, data, label, ""


def _novelty(data: str, label: str, method: str) -> Verdict:
    return DROPPED, "", "", "novelty: rows are exchanged, and which is which stays partly open"


def _fgsm(data: str, label: str, method: str) -> Verdict:
    if method == "odin":
        return _kept(data, label, method)
    return MOVED, SWAPPED[data], label, "the two data sets' rows are exchanged"


def _shift(data: str, label: str, method: str) -> Verdict:
    true = label if method == "alooc" else SHIFT[label]
    if true == "rotated":
        return DROPPED, data, true, "rotated: labels were not moved, so the set holds no OOD image"
    if true == label:
        return _kept(data, label, method)
    return MOVED, data, true, "labels stand in ALOOC's order, rows in the monitor's own"


def _anomaly(data: str, label: str, method: str) -> Verdict:
    if method == "alooc":
        return _kept(data, label, method)
    return MOVED, data, ANOMALY[label], "severities 1 and 3 are exchanged"


def _noise(data: str, label: str, method: str) -> Verdict:
    if method == "oob" and (data, label) == ("cifar10", "speckle noise (2)"):
        return DROPPED, "gtsrb", label, "the same run as GTSRB's row stands in CIFAR-10's list"
    if method != "odin" or label not in _ORDER:
        return _kept(data, label, method)
    if label == _ORDER[0]:
        return DROPPED, data, _ORDER[-1], "OOB's run stands first in ODIN's list"
    return MOVED, data, NOISE[label], "an OOB run stands first in the list and moves the labels by one"


RULES: Mapping[str, Callable[[str, str, str], Verdict]] = {
    "novelty": _novelty,
    "adversarial": _fgsm,
    "shift": _shift,
    "anomaly": _anomaly,
    "noise": _noise,
}


def mended(rows: pd.DataFrame) -> pd.DataFrame:
    """Put each printed row where it belongs (rule C).

    Parameters
    ----------
    rows : printed rows of the complete tables (`printed`).

    Returns
    -------
    Their columns, and `status` ("kept", "moved", "dropped"), `true_data` and `true_label` (empty where open), `why`,
    and `ranked`: whether the set that the row is of has a row of every monitor left, so that it can be ranked.

    Examples
    --------
    >>> common = {"data": "gtsrb", "kind": "anomaly", "label": "pixel trap (1)"}
    >>> found = mended(pd.DataFrame([common | {"method": "alooc"}, common | {"method": "odin"}]))
    >>> found[["method", "status", "true_label"]].to_numpy().tolist()
    [['alooc', 'kept', 'pixel trap (1)'], ['odin', 'moved', 'pixel trap (3)']]
    """
    verdicts = [
        RULES[kind](data, label, method)
        for kind, data, label, method in zip(rows["kind"], rows["data"], rows["label"], rows["method"], strict=True)
    ]
    found = rows.copy()
    found[["status", "true_data", "true_label", "why"]] = pd.DataFrame(verdicts, index=rows.index, dtype=object)
    left = found[found["status"] != DROPPED]
    monitors = left.groupby(["true_data", "true_label"])["method"].nunique()
    whole = set(monitors.index[monitors == found["method"].nunique()])
    found["ranked"] = [
        status != DROPPED and (data, label) in whole
        for status, data, label in zip(found["status"], found["true_data"], found["true_label"], strict=True)
    ]
    return found


def displaced(table: pd.DataFrame) -> pd.DataFrame:
    """Give the rows that move or drop out, for a table: what they are printed under, what they are of, and why.

    Parameters
    ----------
    table : rows by `mended` or `reread`.

    Returns
    -------
    One line per row, in the order of `table`: `data`, `printed under`, `monitor`; `is of`, a set of the same data,
    "data, set" of other, or "dropped"; and `why`.

    Examples
    --------
    >>> common = {"data": "gtsrb", "kind": "anomaly", "label": "pixel trap (1)"}
    >>> found = mended(pd.DataFrame([common | {"method": "alooc"}, common | {"method": "odin"}]))
    >>> displaced(found).to_dict("records")  # doctest: +NORMALIZE_WHITESPACE
    [{'data': 'gtsrb', 'printed under': 'pixel trap (1)', 'monitor': 'odin', 'is of': 'pixel trap (3)',
      'why': 'severities 1 and 3 are exchanged'}]
    """
    away = table[table["status"] != KEPT]
    elsewhere = away["true_data"] + ", " + away["true_label"]
    place = away["true_label"].where(away["true_data"] == away["data"], elsewhere)
    return pd.DataFrame(
        {
            "data": away["data"],
            "printed under": away["label"],
            "monitor": away["method"],
            "is of": place.where(away["status"] == MOVED, DROPPED),
            "why": away["why"],
        }
    ).reset_index(drop=True)
