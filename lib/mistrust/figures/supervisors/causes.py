"""Why some supervisors do not what was expected of them on ambiguous inputs: a table of evidence, and sentences."""

from collections.abc import Iterator

import pandas as pd

from mistrust.figures.parts import by_network
from mistrust.figures.supervisors.parts import NETWORKS, data_in, kind, networks_in, short, words
from mistrust.over_models import EVERY
from mistrust.rows import select

_KIND = "ambiguous"
_VOTES, _MEAN = "mc_variation_ratio", "mc_mean_softmax"
_BROKEN = f"{_VOTES}/ties broken by mean softmax"
_INFORMATION = ("mc_mutual_information", "ensemble_mutual_information")
_CLIPS = ("react", "react/quantile 0.95", "react/quantile 0.99", "react/quantile 1")
# What is set beside a supervisor, and why.
_BESIDE = (_BROKEN, *(f"{name}/mean entropy" for name in _INFORMATION), *_CLIPS[1:])
_LITTLE = 0.005  # of AUROC: of a smaller gap no share is told


def causes(rows: pd.DataFrame) -> pd.DataFrame:
    """Give AUROC on ambiguous inputs of supervisors and of what explains them, a line each, one column per network.

    Parameters
    ----------
    rows : rows of the chapter, with the tables "detection" and "variants"; means over runs are read.

    Returns
    -------
    Text, "0.62 → 0.81" from the supervisor to what stands beside it; without lines where nothing was run.

    Examples
    --------
    >>> from mistrust import rows
    >>> about = {"network": "ambiguess-fc", "metric": "auroc", "data": "mnist", "condition": "ambiguous/ambiguess"}
    >>> found = [{"table": table, "method": f"react{other}", "value": value, **about}
    ...          for table, other, value in (("detection", "", 0.62), ("variants", "/quantile 1", 0.81))]
    >>> causes(rows.table(found)).iloc[0].tolist()
    ['ReAct', 'clipped at the largest value', 'MNIST', '0.62 → 0.81']
    """
    values = _values(rows)
    networks = [name for name in networks_in(rows) if any(key[1] == name and key[2] in _BESIDE for key in values)]
    lines = []
    for variant in _BESIDE:
        first, _, how = variant.partition("/")
        for data in data_in(rows):
            both = {name: (values.get((data, name, first)), values.get((data, name, variant))) for name in networks}
            if any(None not in pair for pair in both.values()):
                cells = ("not run" if None in pair else f"{pair[0]:.2f} → {pair[1]:.2f}" for pair in both.values())
                lines.append((short(first), words(how), words(data), *cells))
    return pd.DataFrame(lines, columns=["supervisor", "instead", "images", *map(words, networks)])


def causes_told(rows: pd.DataFrame) -> dict[str, str]:
    """Say what the rows tell of ties, of disagreement and of ReAct's clip, each in sentences.

    Examples
    --------
    >>> from mistrust import rows
    >>> list(causes_told(rows.empty()).values())[0]
    'How many of them tie, and what that costs, was not measured.'
    """
    values = _values(rows)
    return {
        "ties": " ".join(_ties(rows, values)) or "How many of them tie, and what that costs, was not measured.",
        "disagreement": _disagreement(values) or "The mean entropy of the same samples was not measured.",
        "clip": _clips(values) or "Why it costs AUROC with one network and not with another was not examined.",
    }


Values = dict[tuple[str, str, str], float]


def _values(rows: pd.DataFrame) -> Values:
    """AUROC on ambiguous inputs by image set, network and supervisor or variant."""
    held = select(rows, table=["detection", "variants"], metric="auroc")
    mean, _ = by_network(held[held["condition"].map(kind) == _KIND])
    columns = (mean[name].tolist() for name in ("data", "network", "method", "value"))
    return {(data, network, method): value for data, network, method, value in zip(*columns, strict=True)}


def _ties(rows: pd.DataFrame, values: Values) -> Iterator[str]:
    held = select(rows, table="causes", metric="share tied", method=_VOTES, network=EVERY)
    held = held[held["seed"].isna()]
    for data in data_in(held):
        share = {kind(row["condition"]): row["value"] for row in held[held["data"] == data].to_dict("records")}
        three = [values.get((data, EVERY, name)) for name in (_VOTES, _BROKEN, _MEAN)]
        if not {"nominal", _KIND} <= share.keys() or None in three:
            continue
        votes, broken, mean = (float(value) for value in three if value is not None)
        text = (
            f"{words(data)}: {share['nominal']:.0%} of nominal and {share[_KIND]:.0%} of ambiguous inputs share their "
            "set's most frequent value; with ties broken by the mean softmax of the same passes, AUROC goes from "
            f"{votes:.2f} to {broken:.2f}"
        )
        gap = mean - votes
        way = (broken - votes) / gap if gap > _LITTLE else -1
        yield (
            f"{text}, {way:.0%} of the way to mean softmax."
            if 0 <= way <= 1
            else f"{text}; mean softmax has {mean:.2f}."
        )


def _disagreement(values: Values) -> str:
    told = list[str]()
    higher = list[bool]()
    for data in dict.fromkeys(key[0] for key in values):
        for name in _INFORMATION:
            ours, entropy = (values.get((data, EVERY, one)) for one in (name, f"{name}/mean entropy"))
            if ours is not None and entropy is not None:
                told.append(f"{words(data)}, {short(name)} {ours:.2f} and {entropy:.2f}")
                higher.append(entropy > ours)
    if not told:
        return ""
    verdict = (
        "In each, the doubt that all samples share detects ambiguity better than their disagreement does"
        if all(higher)
        else "In none does the doubt that all samples share detect ambiguity better than their disagreement does"
        if not any(higher)
        else f"In {sum(higher)} of {len(higher)}, the doubt that all samples share detects ambiguity better than their "
        "disagreement does"
    )
    return f"AUROC of mutual information, and of the mean entropy of the same samples: {'; '.join(told)}. {verdict}."


def _clips(values: Values, data: str = "mnist") -> str:
    told = list[str]()
    for network in NETWORKS:
        each = [values.get((data, network, name)) for name in _CLIPS]
        found = [value for value in each if value is not None]
        if len(found) == len(_CLIPS):
            numbers = f"{', '.join(f'{value:.2f}' for value in found[:-1])} and {found[-1]:.2f}"
            energy = values.get((data, network, "energy"))
            beside = "" if energy is None else f" (Energy: {energy:.2f})"
            told.append(f"{numbers} with the {words(network)} network{beside}")
    if not told:
        return ""
    return (
        "Clipped at the 0.9, 0.95 and 0.99 quantiles of the training features and at their largest value, it has "
        f"{'; '.join(told)}."
    )
