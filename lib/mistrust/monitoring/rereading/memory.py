"""Table VII beside ours: megabytes of what a monitor has learnt, and of what training it makes besides."""

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


def memory(published: pd.DataFrame, ours: pd.DataFrame) -> pd.DataFrame:
    """Lay printed sizes beside counted ones.

    Parameters
    ----------
    published : the paper's rows, of which those of "table7" are read.
    ours : rows of one image set and classifier, with the table "cost".

    Returns
    -------
    A line a monitor: `monitor`; "the paper", which stands with monitors as published, for those are the paper's; "ours,
    to watch"; and "ours, with what only training needs". In the paper's megabytes, of 2^20 bytes.

    Examples
    --------
    >>> from mistrust import rows
    >>> printed = {"table": "table7", "metric": "mb", "method": "alooc", "at": "monitor", "value": 98.9}
    >>> paper = rows.check(rows.table([printed]).assign(place="Table VII"), extra=("place",))
    >>> cost = {"table": "cost", "metric": "megabytes", "method": "alooc/as published", "value": 55.76}
    >>> memory(paper, rows.table([cost])).to_dict("records")  # doctest: +NORMALIZE_WHITESPACE
    [{'monitor': 'alooc/as published', 'the paper': '98.9', 'ours, to watch': '53.2',
      'ours, with what only training needs': '97.7'}]
    """
    table = published[(published["table"] == "table7") & (published["at"] == "monitor")]
    three = set(table["method"])
    printed = {
        f"{name}{AS_PUBLISHED}": f"{value:g}" for name, value in zip(table["method"], table["value"], strict=True)
    }
    means = ours[(ours["table"] == "cost") & (ours["metric"] == "megabytes") & ours["seed"].isna()]
    own = {str(name): float(value) for name, value in zip(means["method"], means["value"], strict=True)}
    lines = []
    for name in sorted({*printed, *(one for one in own if one.partition("/")[0] in three)}):
        line = {"monitor": name, "the paper": printed.get(name, NOT_PRINTED)}
        value = own.get(name)
        whole = value if value is None or not name.startswith("alooc") else with_discriminators(value)
        line["ours, to watch"] = _text(value)
        line["ours, with what only training needs"] = _text(whole)
        lines.append(line)
    return pd.DataFrame(lines)


def _text(megabytes: float | None) -> str:
    if megabytes is None:
        return "not run"
    size = in_paper_megabytes(megabytes)
    return f"{size:.1f}" if size >= 1 else f"{size:.2g}"
