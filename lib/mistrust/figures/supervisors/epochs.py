"""How many passes over the images do supervisors that are trained need? A table, and what fewer passes cost."""

import pandas as pd

from mistrust.figures.supervisors.parts import words

NOT_RUN, HEADS = "not run", ("supervisor", "images", "bad input")


def epochs(benchmark: pd.DataFrame) -> pd.DataFrame:
    """Give AUROC by passes, a line for each supervisor, image set and kind of bad input.

    Parameters
    ----------
    benchmark : rows of the benchmark "epochs".

    Returns
    -------
    Text; without lines where the benchmark was not run.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [{"level": passes, "value": value} for passes, value in ((1, 0.9), (30, 0.95))]
    >>> one = rows.table(found, table="epochs", metric="auroc", method="autoencoder", data="mnist", condition="invalid")
    >>> epochs(one).to_dict("list")
    {'supervisor': ['Autoencoder'], 'images': ['MNIST'], 'bad input': ['Invalid'], '1': ['0.900'], '30': ['0.950']}
    """
    found = benchmark[benchmark["metric"] == "auroc"]
    if not len(found):
        return pd.DataFrame()
    lines: dict[tuple[str, ...], dict[str, str]] = {}
    for row in found.sort_values("level", kind="stable").to_dict("records"):
        names = tuple(words(str(row[name])) for name in ("method", "data", "condition"))
        lines.setdefault(names, dict(zip(HEADS, names, strict=True)))[f"{row['level']:.0f}"] = f"{row['value']:.3f}"
    return pd.DataFrame(list(lines.values()))


def fewer(benchmark: pd.DataFrame, method: str, passes: int) -> str:
    """Say how far AUROC after so many passes lies from that after the most, over image sets and kinds of bad input.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [{"level": passes, "value": value} for passes, value in ((8, 0.93), (30, 0.95))]
    >>> one = rows.table(found, table="epochs", metric="auroc", method="autoencoder", data="mnist", condition="invalid")
    >>> fewer(one, "autoencoder", 8), fewer(one, "dissector", 8)
    ('-0.020 to -0.020', 'not run')
    """
    found = benchmark[(benchmark["metric"] == "auroc") & (benchmark["method"] == method)]
    if passes not in set(found["level"]):
        return NOT_RUN
    table = found.pivot_table(index=["data", "condition"], columns="level", values="value")
    apart = table[passes] - table[max(table.columns)]
    return f"{apart.min():+.3f} to {apart.max():+.3f}"
