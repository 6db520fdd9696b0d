"""What was expected of the full run before it was made, and whether it was met, as a table."""

import operator
from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from mistrust.ambiguity.experiment.parameters import PAPERS
from mistrust.figures.parts import by_network
from mistrust.figures.supervisors.parts import BAD, data_in, family, in_order, kind, short, words
from mistrust.rows import select
from mistrust.supervisors import SUPERVISORS

_MNIST, _FASHION, _BOTH = ("mnist",), ("fmnist",), ("mnist", "fmnist")
_FAMILIES = ("softmax", "sampling", "ensemble", "layers")  # that read a softmax, directly or not
_VOTES = "mc_variation_ratio"
_LACKING = "not run"


def softmax_family() -> tuple[str, ...]:
    """Every supervisor that reads a softmax, or what classifiers of hidden layers say."""
    return tuple(name for name in SUPERVISORS if family(name) in _FAMILIES)


@dataclass(frozen=True)
class Expected:
    """AUROCs of some supervisors lie on one side of a number, or of all those of others in the same column.

    Attributes
    ----------
    text : in words.
    methods : whose; empty is the softmax family.
    kinds, data : on which inputs.
    side : of the bound.
    bound : a number, or supervisors; empty is the softmax family without `methods`.
    """

    text: str
    methods: tuple[str, ...]
    kinds: tuple[str, ...]
    data: tuple[str, ...]
    side: Callable[[float, float], bool]
    bound: float | tuple[str, ...]


EXPECTED = (
    Expected("Softmax family at least 0.90", (), ("ambiguous",), _MNIST, operator.ge, 0.90),
    Expected("Softmax family at least 0.85", (), ("ambiguous",), _FASHION, operator.ge, 0.85),
    Expected("DSA, LSA and MDSA below 0.55", ("dsa", "lsa", "mdsa"), ("ambiguous",), _BOTH, operator.lt, 0.55),
    Expected("DSA and MDSA above the softmax family", ("dsa", "mdsa"), ("invalid",), _BOTH, operator.gt, ()),
    Expected("Autoencoder at least 0.97", ("autoencoder",), ("invalid",), _MNIST, operator.ge, 0.97),
    Expected("Autoencoder below 0.75", ("autoencoder",), ("invalid",), _FASHION, operator.lt, 0.75),
    *(Expected("VR lowest of the softmax family", (_VOTES,), (name,), _BOTH, operator.lt, ()) for name in BAD),
)


def expected(rows: pd.DataFrame, *, network: str = "all") -> pd.DataFrame:
    """Give a line for each thing that was expected: on what, met or missed, which supervisors miss it, which networks.

    Parameters
    ----------
    rows : rows of the chapter, with the table "detection".
    network : which architecture; "all" is the mean over them.

    Returns
    -------
    Text; "not run" where there are no such rows. A supervisor without a mean over architectures is left out. The last
    column names the paper's architectures which alone would give the other result.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [{"method": name, "value": value} for name, value in (("dissector", 0.89), ("deep_gini", 0.92))]
    >>> about = {"table": "detection", "network": "all", "metric": "auroc", "data": "mnist"}
    >>> expected(rows.table(found, condition="ambiguous/ambiguess", **about)).iloc[0].tolist()
    ['Softmax family at least 0.90', 'MNIST, ambiguous', 'missed', 'Dissector 0.89', '']
    """
    every = select(rows, table="detection", metric="auroc")
    held = by_network(select(every, network=network))[0]
    values = _values(held)
    alone = {name: _values(by_network(every[every["network"] == name])[0]) for name in PAPERS if name != network}
    order = data_in(held)
    lines = []
    for one in EXPECTED:
        for data in sorted(one.data, key=lambda name: order.index(name) if name in order else len(order)):
            for what in one.kinds:
                where = f"{words(data)}, {what}"
                result, against = _verdict(one, values.get((data, what), {}))
                others = [
                    words(name)
                    for name, found in alone.items()
                    if result != _LACKING and _verdict(one, found.get((data, what), {}))[0] not in (result, _LACKING)
                ]
                lines.append((one.text, where, result, against, "; ".join(others)))
    return pd.DataFrame(lines, columns=["expected", "on", "result", "missed by", "not so with this network alone"])


def _values(held: pd.DataFrame) -> dict[tuple[str, str], dict[str, float]]:
    """AUROC by image set and kind of input, and by supervisor."""
    values: dict[tuple[str, str], dict[str, float]] = {}
    for row in held.to_dict("records"):
        values.setdefault((row["data"], kind(row["condition"])), {})[row["method"]] = float(row["value"])
    return values


def _apart(value: float, bound: float) -> str:
    """Write with two decimals, with three where two would read as the bound itself."""
    return f"{value:.3f}" if f"{value:.2f}" == f"{bound:.2f}" else f"{value:.2f}"


def _verdict(one: Expected, values: dict[str, float]) -> tuple[str, str]:
    """Whether these numbers are as expected, and those that are not; a rival is named where it is the bound."""
    methods = [name for name in in_order(one.methods or softmax_family()) if name in values]
    if not methods:
        return _LACKING, ""
    if isinstance(one.bound, float):
        against = [
            f"{short(name)} {_apart(values[name], one.bound)}"
            for name in methods
            if not one.side(values[name], one.bound)
        ]
        return ("missed" if against else "met"), ", ".join(against)
    rivals = [name for name in in_order(one.bound or softmax_family()) if name in values and name not in methods]
    pairs = [(name, rival) for name in methods for rival in rivals if not one.side(values[name], values[rival])]
    if not pairs:
        return "met", ""
    name = pairs[0][0]
    others = [rival for first, rival in pairs if first == name]
    where = "below" if one.side(0.0, 1.0) else "above"
    return "missed", f"{short(name)} {values[name]:.2f}, {len(others)} of {len(rivals)} lie {where} it"
