"""What fewer training rows cost in AUROC: a table, and a sentence."""

from typing import Any

import pandas as pd

from mistrust.figures.parts import and_so_on
from mistrust.figures.supervisors.parts import data_in, in_order, words

HEADS = ("supervisor", "images", "bad input")
_WHAT = ["method", "data", "condition"]


def subsampling(benchmark: pd.DataFrame) -> pd.DataFrame:
    """Give AUROC by the share of training rows kept: a line for each supervisor, image set and kind of bad input.

    Parameters
    ----------
    benchmark : rows of the benchmark "subsampling": `level` 3 keeps a third, `seed` is the draw.

    Returns
    -------
    Text: the mean over draws and their range; one number where there is one draw. Without lines where it was not run.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [{"level": part, "seed": draw, "value": value}
    ...          for part, draw, value in ((1, 0, 0.95), (3, 0, 0.94), (3, 1, 0.92))]
    >>> one = rows.table(found, table="subsampling", metric="auroc", method="dsa", data="mnist", condition="invalid")
    >>> subsampling(one).iloc[0].tolist()
    ['DSA', 'MNIST', 'Invalid', '0.950', '0.930 (0.920 to 0.940)']
    """
    found = benchmark[benchmark["metric"] == "auroc"]
    if not len(found):
        return pd.DataFrame()
    each = found.groupby([*_WHAT, "level"])["value"].agg(["mean", "min", "max", "size"])
    parts = sorted(set(found["level"]))
    there = set(each.index.droplevel("level"))
    lines = []
    for method in in_order(found["method"]):
        for data in data_in(found):
            for kind in sorted(set(found["condition"])):
                if (method, data, kind) in there:
                    cells = [_cell(each, (method, data, kind, part)) for part in parts]
                    lines.append((*map(words, (method, data, kind)), *cells))
    return pd.DataFrame(lines, columns=[*HEADS, *(_share(part) for part in parts)])


def fewer_rows(benchmark: pd.DataFrame) -> str:
    """Say the largest loss of AUROC for each share of the rows, over supervisors, image sets and kinds of bad input.

    Parameters
    ----------
    benchmark : as in `subsampling`.

    Returns
    -------
    A sentence; that DSA alone was measured so, where there are no such rows: the chapter's own rows hold it.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [{"level": part, "seed": 0, "value": value} for part, value in ((1, 0.95), (3, 0.94), (10, 0.96))]
    >>> one = rows.table(found, table="subsampling", metric="auroc", method="dsa", data="mnist", condition="invalid")
    >>> fewer_rows(one)
    'AUROC falls by at most 0.010 with 1/3 of the rows (DSA, MNIST, invalid) and nowhere with 1/10.'
    >>> fewer_rows(rows.empty())
    'What that costs was measured for DSA alone.'
    """
    found = benchmark[benchmark["metric"] == "auroc"]
    table = found.pivot_table(index=_WHAT, columns="level", values="value") if len(found) else pd.DataFrame()
    told: list[str] = []
    for part in [float(part) for part in table.columns if part != 1] if 1 in table.columns else []:
        lost = (table[1] - table[part]).dropna()
        if not len(lost):
            continue
        place: Any = lost.idxmax()
        method, data, kind = map(str, place)
        where = f"with {_share(part)}" + ("" if told else " of the rows")
        most = f"by at most {lost.max():.3f} {where} ({words(method)}, {words(data)}, {words(kind).lower()})"
        told.append(most if lost.max() > 0 else f"nowhere {where}")
    if not told:
        return "What that costs was measured for DSA alone."
    draws = int(found[found["level"] != 1].groupby([*_WHAT, "level"]).size().max())
    over = f"; means over {draws} draws" if draws > 1 else ""
    return f"AUROC falls {and_so_on(told)}{over}."


def _cell(each: pd.DataFrame, key: tuple[Any, ...]) -> str:
    if key not in each.index:
        return "not run"
    mean, low, high, size = each.loc[key]
    return f"{mean:.3f}" + (f" ({low:.3f} to {high:.3f})" if size > 1 else "")


def _share(part: float) -> str:
    return "all rows" if part == 1 else f"1/{part:.0f}"
