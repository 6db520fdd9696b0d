"""How many passes over the images do supervisors that are trained need? A table, and what fewer passes cost."""

from collections.abc import Mapping, Sequence

import pandas as pd

from mistrust.figures.supervisors.parts import data_in, words

HEADS = ("supervisor", "images", "bad input")


def epochs(benchmark: pd.DataFrame) -> pd.DataFrame:
    """Give AUROC by passes, a line for each supervisor, image set and kind of bad input.

    Parameters
    ----------
    benchmark : rows of the benchmark "epochs".

    Returns
    -------
    Text; without lines where the benchmark was not run, and "not run" after passes that a supervisor was not given.

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
    passes = [f"{level:.0f}" for level in sorted(set(found["level"]))]
    return pd.DataFrame(list(lines.values()), columns=[*HEADS, *passes]).fillna("not run")


def fewer(benchmark: pd.DataFrame, passes: Mapping[str, int]) -> str:
    """Say how far AUROC after so many passes lies from that after the most, over image sets and kinds of bad input.

    The most are those after which an image set has every kind of bad input. Image sets are named, since others were
    not measured.

    Parameters
    ----------
    passes : by supervisor; one that was not measured after so many is left out.

    Returns
    -------
    A sentence; that it was not measured, where there are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [{"level": passes, "value": value} for passes, value in ((8, 0.93), (16, 0.95))]
    >>> one = rows.table(found, table="epochs", metric="auroc", method="autoencoder", data="mnist", condition="invalid")
    >>> fewer(one, {"autoencoder": 8, "dissector": 10})
    'After 8 passes, the AUROC of Autoencoder on MNIST differs by -0.020 to -0.020 from that after 16.'
    >>> fewer(rows.empty(), {"autoencoder": 8})
    'What more passes would change was not measured.'
    """
    told = []
    for method, count in passes.items():
        found = benchmark[(benchmark["metric"] == "auroc") & (benchmark["method"] == method)]
        by_most: dict[float, list[str]] = {}
        for data in data_in(found):
            by_most.setdefault(_most(found[found["data"] == data], count), []).append(data)
        more = {most: names for most, names in by_most.items() if most > count}
        for most, names in more.items():
            held = found[found["data"].isin(names)].pivot(index=["data", "condition"], columns="level", values="value")
            apart = held[count] - held[most]
            told.append(
                f"After {count} passes, the AUROC of {words(method)}{_on(names)} differs by "
                f"{apart.min():+.3f} to {apart.max():+.3f} from that after {most:.0f}."
            )
        for names in (names for most, names in by_most.items() if more and most <= count):
            told.append(f"What more passes would change for {words(method)}{_on(names)} was not measured.")
    return " ".join(told) or "What more passes would change was not measured."


def _most(found: pd.DataFrame, count: int) -> float:
    """The most passes after which one image set has every kind of bad input; 0 where it lacks one after `count`."""
    complete = found.pivot(index="condition", columns="level", values="value").dropna(axis=1).columns
    return float(max(complete)) if count in complete else 0.0


def _on(names: Sequence[str]) -> str:
    return f" on {' and '.join(words(name) for name in names)}"
