"""What captions call rows: whose they are, of which image sets, and of how many networks."""

import pandas as pd

from mistrust.figures.image_sets import TITLES
from mistrust.figures.parts import and_so_on

ALL = "all"


def called(name: str, found: pd.DataFrame) -> str:
    """Say whose rows these are, and what they are of.

    Parameters
    ----------
    name : "Our full run", "This run".
    found : rows of one table; those of single networks have a seed.

    Examples
    --------
    >>> from mistrust import rows
    >>> both = [{"seed": seed, "value": 0.9} for seed in (0, 1)]
    >>> called("This run", rows.table(both, table="accuracy", metric="accuracy", data="mnist"))
    'This run: MNIST; 2 networks.'
    """
    return f"{name}: {subjects(found)}."


def subjects(found: pd.DataFrame) -> str:
    """Say of which image sets rows are, and of how many networks, by their seeds; of several architectures of each.

    Networks are counted image set by image set and condition by condition, since one may have more than another. Rows
    that are of "all" image sets or architectures are means over others. Where all are means over models (or
    autoencoders), it is over how many networks.

    Examples
    --------
    >>> from mistrust import rows
    >>> made = [{"seed": seed, "network": network} for network, seed in (("a", 0), ("a", 1), ("b", 0))]
    >>> subjects(rows.table(made, table="accuracy", metric="accuracy", data="mnist", value=0.9))
    'MNIST; 2 architectures, 1 to 2 networks of each'
    >>> subjects(rows.table(made, table="accuracy", metric="accuracy", data="mnist", value=0.9).assign(network="all"))
    'MNIST; 2 networks of each architecture'
    >>> made = [{"seed": seed, "condition": name} for name, seed in (("clean", 0), ("clean", 1), ("fog", 0))]
    >>> subjects(rows.table(made, table="accuracy", metric="accuracy", data="mnist", value=0.9))
    'MNIST; 1 to 2 networks'
    >>> subjects(rows.table([{"over": "models", "n": 39}], table="labels", metric="p first", data="mnist", value=0.5))
    'MNIST; 39 networks'
    >>> means = [{"over": "models", "n": 3, "network": "all"}]
    >>> subjects(rows.table(means, table="trust", metric="auroc", data="mnist", value=0.9))
    'MNIST; 3 networks of each architecture'
    """
    sets = [name for name in found["data"].unique() if name not in (ALL, "")]
    named = [and_so_on(dict.fromkeys(TITLES.get(name, name) for name in sets))] if sets else []
    return "; ".join([*named, *([", ".join(trained)] if (trained := _trained(found)) else [])])


def _trained(found: pd.DataFrame) -> list[str]:
    seeds = found[found["seed"].notna()].groupby(["network", "data", "condition"])["seed"].nunique()
    if seeds.empty:
        models = found.loc[found["over"].eq("models"), "n"].dropna()
        mean = " of each architecture" if (found["network"] == ALL).all() else ""
        return [f"{_count(models.min(), models.max(), 'network')}{mean}"] if len(models) else []
    single = seeds.drop(ALL, level="network", errors="ignore")
    if single.empty:
        return [f"{_count(seeds.min(), seeds.max(), 'network')} of each architecture"]
    count, architectures = _count(single.min(), single.max(), "network"), single.index.unique("network")
    return [count] if len(architectures) == 1 else [f"{len(architectures)} architectures", f"{count} of each"]


def _count(least: float, most: float, what: str) -> str:
    span = f"{least:.0f} to {most:.0f}" if least < most else f"{most:.0f}"
    return f"{span} {what}{'s' if most > 1 else ''}"
