"""Where bisection found what stepping finds: pairs of image and noise that were searched both ways, as a table."""

from collections.abc import Iterator

import pandas as pd

from mistrust.figures.parts import and_so_on, numbers_at, singles
from mistrust.figures.robustness.parts import FAMILIES, OTHER, RIGHT, family, family_title, in_order, words
from mistrust.rows import empty, select

BAR = 0.99  # of the pairs that are searched both ways
EVERY = "all"
SEARCHED = "these networks, every image"  # of the benchmark


def audit(rows: pd.DataFrame, benchmark: pd.DataFrame | None = None, *, method: str = RIGHT) -> pd.DataFrame:
    """Give one line per family, then all, then one line per network of the benchmark, all of them, and grids alone.

    Parameters
    ----------
    rows : rows of the chapter, with the table "random", metric re-entry (share of audited pairs that mismatch, n pairs)
        of single networks, of every image set and variant of training.
    benchmark : rows of the benchmark "audit", in which every image was searched both ways; None for none. Its metric
        "equal" has `at` "grid=8" where that grid was searched without the closer look of the experiment.
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
        lines += _measured(benchmark[benchmark["metric"] == "equal"])
    return pd.DataFrame(lines, columns=["networks", "audited", "the same", "share", "bar met"])


def _measured(equal: pd.DataFrame) -> Iterator[tuple[str, int, int, str, str]]:
    """Give the benchmark's lines: a network each, all together, and all together on grids without a closer look."""
    counts = equal.assign(same=(equal["value"] * equal["n"]).round().astype(int), n=equal["n"].astype(int))
    usual, alone = counts[counts["at"] == ""], numbers_at(counts, "grid")
    for name in in_order(usual["network"]):
        one = usual[usual["network"] == name].iloc[0]
        yield _line(f"{words(name)}, every image", one["n"], one["same"])
    if len(usual):
        yield _line(SEARCHED, int(usual["n"].sum()), int(usual["same"].sum()))
    for grid, own in sorted(alone.groupby("grid"), reverse=True):
        networks = in_order(own["network"])
        who = words(networks[0]) if len(networks) == 1 else f"all {len(networks)}"
        yield _line(f"{who}, every image, grid of {grid:g} alone", int(own["n"].sum()), int(own["same"].sum()))


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


def audited_every(benchmark: pd.DataFrame) -> str:
    """Say in words on how many images both searches agree, of those of the benchmark; "not run" where there are none.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [{"network": "vgg6-w16", "value": 1, "n": 50}, {"network": "vgg9-w16", "value": 0.96, "n": 50}]
    >>> audited_every(rows.table(found, table="audit", metric="equal")), audited_every(rows.empty())
    ('98 of 100 (98.00%)', 'not run')
    """
    table = audit(empty(), benchmark)
    whole = table[table["networks"] == SEARCHED]
    if whole.empty:
        return "not run"
    return f"{whole['the same'].iloc[0]:,} of {whole['audited'].iloc[0]:,} ({whole['share'].iloc[0]})"


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
