"""Table VII beside ours: megabytes of what a monitor has learnt, and of what training it makes besides."""

from collections.abc import Mapping

import pandas as pd

from mistrust.supervisors.alooc import Design

AS_PUBLISHED = "/as published"
NOT_PRINTED = "not printed"
# The paper's megabyte, in bytes: of its classifier it prints 3.8, and the file has 4,022,148 bytes.
PAPER_MEGABYTE = 2**20


def with_discriminators(megabytes: float) -> float:
    """Megabytes of ALOOC with the second network that its training makes for each class, from those of its refiners.

    Watching reads the refiner alone. The size that the paper prints for a class fits both networks of the port that
    ours follow, and by that size the port was found (`supervisors.alooc.networks`).

    Examples
    --------
    >>> round(with_discriminators(1.0), 2)
    1.84
    """
    design = Design(3, 32, 32)  # as many weights for 28 x 28
    return megabytes * (1 + design.size("discriminator") / design.size("refiner"))


def in_paper_megabytes(megabytes: float) -> float:
    """Give megabytes of 10^6 bytes in those of 2^20, which the paper counts in.

    Examples
    --------
    >>> round(in_paper_megabytes(4.022148), 1)  # the file of the paper's classifier, of which it prints 3.8
    3.8
    """
    return megabytes * 1e6 / PAPER_MEGABYTE


def memory(
    published: pd.DataFrame, data: str, ours: Mapping[str, pd.DataFrame], names: Mapping[str, str], network: str
) -> pd.DataFrame:
    """Lay printed sizes beside counted ones.

    Parameters
    ----------
    published : the paper's rows, of which those of "table7" are read.
    data : the paper's name of the image set.
    ours : what a run is called -> its rows, of which those of the table "cost" are read; each gives two columns.
    names : the paper's name of each of our image sets.
    network : whose monitors are meant, the mean over its runs.

    Returns
    -------
    One line per monitor: `monitor`; "the paper", which stands with monitors as published, for those are the paper's;
    and of each run "to watch" and "with what only training needs". In the paper's megabytes, of 2^20 bytes.

    Examples
    --------
    >>> from mistrust import rows
    >>> printed = {"table": "table7", "metric": "mb", "data": "gtsrb", "method": "alooc", "at": "monitor"}
    >>> paper = rows.check(rows.table([printed | {"value": 98.9}]).assign(place="Table VII"), extra=("place",))
    >>> here = {"table": "cost", "metric": "megabytes", "data": "gtsrb-thin", "network": "farm-lenet"}
    >>> full = rows.table([here | {"method": "alooc/as published", "value": 55.76}])
    >>> found = memory(paper, "gtsrb", {"full": full}, {"gtsrb-thin": "gtsrb"}, "farm-lenet")
    >>> found.to_dict("records")  # doctest: +NORMALIZE_WHITESPACE
    [{'monitor': 'alooc/as published', 'the paper': '98.9', 'full, to watch': '53.2',
      'full, with what only training needs': '97.7'}]
    """
    table = published[(published["table"] == "table7") & (published["at"] == "monitor") & (published["data"] == data)]
    three = set(table["method"])
    printed = {
        f"{name}{AS_PUBLISHED}": f"{value:g}" for name, value in zip(table["method"], table["value"], strict=True)
    }
    copies = [name for name, paper in names.items() if paper == data]
    own = {title: _learnt(rows, copies, network) for title, rows in ours.items()}
    known = {name for sizes in own.values() for name in sizes if name.partition("/")[0] in three}
    lines = []
    for name in sorted({*printed, *known}):
        line = {"monitor": name, "the paper": printed.get(name, NOT_PRINTED)}
        for title, sizes in own.items():
            value = sizes.get(name)
            whole = value if value is None or not name.startswith("alooc") else with_discriminators(value)
            line[f"{title}, to watch"] = _text(value)
            line[f"{title}, with what only training needs"] = _text(whole)
        lines.append(line)
    return pd.DataFrame(lines)


def _learnt(rows: pd.DataFrame, copies: list[str], network: str) -> dict[str, float]:
    """Megabytes of a run by monitor."""
    cost = rows[(rows["table"] == "cost") & (rows["metric"] == "megabytes") & rows["data"].isin(copies)]
    means = cost[(cost["network"] == network) & cost["seed"].isna()]
    return {str(name): float(value) for name, value in zip(means["method"], means["value"], strict=True)}


def _text(megabytes: float | None) -> str:
    if megabytes is None:
        return "not run"
    size = in_paper_megabytes(megabytes)
    return f"{size:.1f}" if size >= 1 else f"{size:.2g}"
