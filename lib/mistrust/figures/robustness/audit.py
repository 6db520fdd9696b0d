"""Where bisection found what stepping finds: pairs of image and noise that were searched both ways, as a table."""

import pandas as pd

from mistrust.figures.parts import and_so_on, singles
from mistrust.figures.robustness.parts import FAMILIES, OTHER, RIGHT, family, family_title, in_order, words
from mistrust.rows import select

BAR = 0.99  # of the pairs that are searched both ways
EVERY = "all"


def audit(rows: pd.DataFrame, benchmark: pd.DataFrame | None = None, *, method: str = RIGHT) -> pd.DataFrame:
    """Give a line a family, then all, then a line a network of the benchmark.

    Parameters
    ----------
    rows : rows of the chapter, with the table "random", metric re-entry (share of audited pairs that mismatch, n pairs)
        of single networks, of every image set and variant of training.
    benchmark : rows of the benchmark "audit", in which every image was searched both ways; None for none.
    method : the variant of noise.

    Returns
    -------
    Columns "networks", "audited" and "the same" (numbers of pairs), "share" (of them that are the same), "bar met"
    (whether that is `BAR` or more).

    Examples
    --------
    >>> from mistrust import rows
    >>> common = {"table": "random", "metric": "re-entry", "method": "fixed-clipped", "seed": 0}
    >>> found = [
    ...     {"network": "vgg9-w16", "value": 0, "n": 100},
    ...     {"network": "resnet8-w8", "value": 0.04, "n": 100},
    ... ]
    >>> audit(rows.table(found, **common))[["networks", "the same", "bar met"]].values.tolist()
    [['VGG style', 100, 'yes'], ['ResNet style', 96, 'no'], ['all', 196, 'no']]
    """
    found = singles(select(rows, table="random", metric="re-entry", method=method))
    lines = []
    groups = [(family_title(one), found[found["network"].map(family) == one]) for one in (*FAMILIES, OTHER)]
    for title, own in (*groups, (EVERY, found)):
        if len(own):
            audited = int(own["n"].sum())
            lines.append(_line(title, audited, audited - round(float((own["value"] * own["n"]).sum()))))
    if benchmark is not None:
        equal = benchmark[benchmark["metric"] == "equal"]
        for name in in_order(equal["network"]):
            one = equal[equal["network"] == name].iloc[0]
            n = int(one["n"])
            lines.append(_line(f"{words(name)}, every image", n, round(float(one["value"]) * n)))
    return pd.DataFrame(lines, columns=["networks", "audited", "the same", "share", "bar met"])


def _line(title: str, audited: int, same: int) -> tuple[str, int, int, str, str]:
    share = same / audited
    return title, audited, same, f"{share:.2%}", "yes" if share >= BAR else "no"


def audited(rows: pd.DataFrame, *, method: str = RIGHT) -> str:
    """Say in words on how many pairs both searches agree, of all; "not run" where nothing was audited.

    Examples
    --------
    >>> from mistrust import rows
    >>> common = {"table": "random", "metric": "re-entry", "method": "fixed-clipped", "seed": 0}
    >>> audited(rows.table([{"network": "vgg9-w16", "value": 0.04, "n": 100}], **common)), audited(rows.empty())
    ('96 of 100 (96.00%)', 'not run')
    """
    table = audit(rows, method=method)
    if table.empty:
        return "not run"
    whole = table[table["networks"] == EVERY].iloc[0]
    return f"{whole['the same']:,} of {whole['audited']:,} ({whole['share']})"


def missed(rows: pd.DataFrame, *, method: str = RIGHT) -> str:
    """Name the families that stay below `BAR`; "none" where none does, "not run" where nothing was audited.

    Examples
    --------
    >>> from mistrust import rows
    >>> common = {"table": "random", "metric": "re-entry", "method": "fixed-clipped", "seed": 0}
    >>> found = [{"network": "vgg9-w16", "value": 0, "n": 9}, {"network": "resnet8-w8", "value": 0.1, "n": 10}]
    >>> missed(rows.table(found, **common))
    'ResNet style'
    """
    table = audit(rows, method=method)
    if table.empty:
        return "not run"
    names = table[(table["bar met"] == "no") & (table["networks"] != EVERY)]["networks"]
    return and_so_on(names) if len(names) else "none"
