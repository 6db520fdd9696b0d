"""Where the text of the paper's section VII and its own Table II disagree, as a table.

Only what the paper's own words and numbers put against each other: a sentence whose words leave room (barely any, can),
or that a tie in two digits may bear out, is none of these, whatever bound its test in the ledger has.
"""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean

import pandas as pd

from mistrust.figures.supervisors.parts import kind, short, words
from mistrust.rows import select

_SETS, _SURPRISE = ("mnist", "fmnist"), ("dsa", "lsa", "mdsa")
_UNKNOWN = ("adversarial", "corrupted", "invalid")
_OUTLIER = (*_SURPRISE, "autoencoder")
_ALL = ("max_softmax", "mc_variation_ratio", "mc_mean_softmax", "ensemble_mean_softmax", "dissector", *_OUTLIER)
_SOFTMAX_BASED = _ALL[:5]
_BUT_LSA = tuple(name for name in _ALL if name != "lsa")
# The rows that the table leaves out: the caption likens so many more to each of these.
_LIKENED = {"max_softmax": 3, "mc_mean_softmax": 2, "ensemble_mean_softmax": 2}


@dataclass(frozen=True)
class Said:
    """What a claim says of printed numbers: those of these supervisors lie on one side of a bound.

    Attributes
    ----------
    claim : its id in the ledger.
    methods, kinds, data : which numbers.
    side : of the bound.
    bound : a number, or the supervisor whose number in the same column it is.
    """

    claim: str
    methods: tuple[str, ...]
    kinds: tuple[str, ...]
    side: Callable[[float, float], bool]
    bound: float | str
    data: tuple[str, ...] = _SETS


@dataclass(frozen=True)
class Falls:
    """What a claim says of printed numbers on both image sets: from MNIST to Fashion-MNIST these fall by more.

    Attributes
    ----------
    claim, methods : as of `Said`.
    kind : of input.
    least : by more than this.
    most : whether more than half of them do; else it is their mean that falls.
    """

    claim: str
    methods: tuple[str, ...]
    kind: str
    least: float
    most: bool = False


SAID: tuple[Said | Falls, ...] = (
    # Well, and reliably: no worse than Max Softmax, which the text calls inferior there, and easily deceived.
    Said("ambiguess-surprise-detects-ood", _SURPRISE, _UNKNOWN, operator.ge, "max_softmax"),
    Said("ambiguess-adversarial-ood-reliable", _OUTLIER, ("adversarial",), operator.ge, "max_softmax"),
    Falls("ambiguess-invalid-mnist-easier", _ALL, "invalid", 0.1, most=True),
    Said("ambiguess-invalid-mnist-near-one", _BUT_LSA, ("invalid",), operator.ge, 0.95, data=("mnist",)),
    Falls("ambiguess-invalid-softmax-suffers", _SOFTMAX_BASED, "invalid", 0.1),
    Said("ambiguess-invalid-surprise-perfect", _SURPRISE, ("invalid",), operator.ge, 0.95, data=("fmnist",)),
)


def said(printed: pd.DataFrame, claims: pd.DataFrame) -> pd.DataFrame:
    """Give a line for each sentence that the paper's own table does not bear out, with the numbers that do not.

    Parameters
    ----------
    printed : the paper's numbers, with the table "detection".
    claims : columns id and claim, such as `Page.ledger`; sentences that are not among them are left out.

    Examples
    --------
    >>> from mistrust import rows
    >>> values = [{"method": name, "value": value} for name, value in (("dsa", 0.9), ("lsa", 0.86), ("mdsa", 0.96))]
    >>> about = {"table": "detection", "network": "all", "metric": "auroc", "data": "fmnist"}
    >>> printed = rows.table(values, condition="invalid/other", **about)
    >>> claims = pd.DataFrame({"id": ["ambiguess-invalid-surprise-perfect"], "claim": ["Almost perfectly."]})
    >>> said(printed, claims).to_dict("records")
    [{'The text': 'Almost perfectly.', 'Table II': 'Fashion-MNIST, invalid: DSA 0.90, LSA 0.86'}]
    """
    found = select(printed, table="detection", network="all", metric="auroc")
    numbers = {
        (row["data"], kind(row["condition"]), row["method"]): float(row["value"]) for row in found.to_dict("records")
    }
    texts = dict(zip(claims["id"], claims["claim"], strict=True))
    lines = []
    for one in SAID:
        told = _fallen(one, numbers) if isinstance(one, Falls) else _told(one, numbers)
        if one.claim in texts and told:
            lines.append((texts[one.claim], told))
    return pd.DataFrame(lines, columns=["The text", "Table II"])


def _told(one: Said, numbers: dict[tuple[str, str, str], float]) -> str:
    """The numbers that do not bear it out; nothing where all do."""
    return "; ".join(f"{where}: {', '.join(told)}" for where, told in _against(one, numbers).items())


def _fallen(one: Falls, numbers: dict[tuple[str, str, str], float]) -> str:
    """What falls, and by how much; nothing where that is as said, or a number is lacking."""
    pairs = {name: tuple(numbers.get((data, one.kind, name)) for data in _SETS) for name in one.methods}
    known = {name: (a, b) for name, (a, b) in pairs.items() if a is not None and b is not None}
    if len(known) < len(pairs):
        return ""
    # Printed with two digits: their difference is rounded, lest 0.1 be more than itself.
    falls = {name: round(a - b, 2) for name, (a, b) in known.items()}
    where = f"{words(_SETS[0])} to {words(_SETS[1])}, {one.kind}"
    if one.most:
        many = {name: fall for name, fall in falls.items() if fall > one.least}
        more, every = (len(some) + sum(_LIKENED.get(name, 0) for name in some) for some in (many, falls))
        # Where the ones that are not printed make it most, the table does not contradict the text.
        if 2 * len(many) > len(falls) or 2 * more > every:
            return ""
        each = ", ".join(f"{short(name)} {fall:.2f}" for name, fall in many.items())
        counted = f"{len(many)} of the {len(falls)} printed fall by more than {one.least} ({each})"
        return f"{where}: {counted}; with those that the caption likens to them, {more} of {every}"
    mean = fmean(falls.values())
    if mean > one.least:
        return ""
    first, second = (fmean(pair[at] for pair in known.values()) for at in (0, 1))
    alone = fmean(fall for name, fall in falls.items() if not name.startswith("ensemble"))
    return (
        f"{where}: on average over the {len(falls)} printed, {first:.2f} and {second:.2f}, a fall of {mean:.3f}; "
        f"without the ensemble, {alone:.3f}"
    )


def _against(one: Said, numbers: dict[tuple[str, str, str], float]) -> dict[str, list[str]]:
    """The numbers on the other side of the bound, by column of the table."""
    found: dict[str, list[str]] = {}
    for data in one.data:
        for what in one.kinds:
            bound = numbers.get((data, what, one.bound)) if isinstance(one.bound, str) else one.bound
            for method in one.methods:
                value = numbers.get((data, what, method))
                if bound is None or value is None or method == one.bound or one.side(value, bound):
                    continue
                beside = f" against {short(str(one.bound))} {bound:.2f}" if isinstance(one.bound, str) else ""
                found.setdefault(f"{words(data)}, {what}", []).append(f"{short(method)} {value:.2f}{beside}")
    return found
