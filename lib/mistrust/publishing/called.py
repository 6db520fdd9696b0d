"""What captions call rows: whose they are, of which image sets, and of how many networks."""

import pandas as pd


def called(name: str, found: pd.DataFrame) -> str:
    """Say whose rows these are, of which image sets and of how many networks.

    Parameters
    ----------
    name : "Our full run", "This run".
    found : rows of one table; those of single networks have a seed.

    Examples
    --------
    >>> from mistrust import rows
    >>> both = [{"seed": seed, "value": 0.9} for seed in (0, 1)]
    >>> called("This run", rows.table(both, table="accuracy", metric="accuracy", data="mnist"))
    'This run: mnist, 2 networks.'
    """
    return f"{name}: {', '.join([', '.join(found['data'].unique()), *_trained(found)])}."


def _trained(found: pd.DataFrame) -> list[str]:
    """How many networks rows are of, by their seeds; of several architectures how many of each."""
    seeds = found[found["seed"].notna()].groupby("network")["seed"].nunique()
    if seeds.empty:
        return []
    least, most = seeds.min(), seeds.max()
    count = f"{least} to {most} networks" if least < most else f"{most} network{'s' if most > 1 else ''}"
    return [count] if len(seeds) == 1 else [f"{len(seeds)} architectures", f"{count} of each"]
