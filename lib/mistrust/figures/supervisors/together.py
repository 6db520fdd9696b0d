"""Two supervisors as one: which pairs detect every kind."""

import pandas as pd

from mistrust.figures.interactive import Interactive, table
from mistrust.figures.parts import by_network, some
from mistrust.figures.supervisors.detection import SHADES
from mistrust.figures.supervisors.parts import LETTERS, cell, conditions_in, of, plus_minus, words

_SINGLES = 5
_LEAST, _MEAN = "least auroc", "mean auroc"
_NOTE = (
    "Least: the AUROC on each network's weakest kind, averaged over networks, so it may be less than any in its line."
)


def together(
    rows: pd.DataFrame, most: int = 15, *, data: str | None = None, network: str = "all", caption: str = ""
) -> Interactive:
    """Show the best pairs by their least AUROC over kinds, and the best five single supervisors beside them.

    Parameters
    ----------
    rows : rows of the chapter, with the table "together".
    most : pairs at most.
    data : which image set; None for the first.
    network : which architecture; "all" is the mean over them, or the only one that there is.

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> measured = {"max_softmax": (0.6, 0.8), "dsa": (0.55, 0.85), "max_softmax + dsa": (0.75, 0.9)}
    >>> found = [
    ...     {"method": method, "metric": metric, "value": value}
    ...     for method, values in measured.items()
    ...     for metric, value in zip(("least auroc", "mean auroc"), values)
    ... ]
    >>> made = together(rows.table(found, table="together", condition="every kind", data="mnist"))
    >>> made.alt.partition("inputs. ")[2]
    'Best pair: Max Softmax + DSA, least 0.75, mean 0.90. Best single one: Max Softmax, least 0.60, mean 0.80.'
    """
    held = by_network(of(rows, "together", "pairs of supervisors", data=data, network=network))[0]
    kinds = conditions_in(held)
    column = held["condition"].where(held["condition"].isin(kinds), held["metric"])
    values = held.assign(column=column).pivot(index="method", columns="column", values="value")
    values = values.sort_values([_LEAST, _MEAN], ascending=False, kind="stable")
    pair = values.index.str.contains(" + ", regex=False)
    some(values[pair], "pairs of supervisors")
    shown = pd.concat([values[pair].head(most), values[~pair].head(_SINGLES)])
    shown = shown.sort_values([_LEAST, _MEAN], ascending=False, kind="stable")
    ends, unsure = plus_minus(held[held["metric"] == _LEAST], shown.index, "the least")
    heads = {_LEAST: "least", _MEAN: "mean", **{one: words(one) for one in kinds}}
    first, single = values[pair].iloc[0], values[~pair].iloc[0]
    alt = (
        f"Table of the best {min(most, int(pair.sum()))} of {int(pair.sum())} pairs of supervisors and the best "
        f"{min(_SINGLES, int((~pair).sum()))} single ones, by the least AUROC over {len(kinds)} kinds of bad inputs. "
        f"Best pair: {words(str(first.name))}, least {first[_LEAST]:.2f}, mean {first[_MEAN]:.2f}. Best single one: "
        f"{words(str(single.name))}, least {single[_LEAST]:.2f}, mean {single[_MEAN]:.2f}."
    )
    return table(
        {
            "supervisors": [cell(str(name)) for name in shown.index],
            "least": shown[_LEAST].tolist(),
            **ends,
            **{head: shown[name].tolist() for name, head in heads.items()},
        },
        title=f"Two supervisors as one: AUROC by kind, the least and the mean, {words(held['data'].iloc[0])}",
        alt=alt,
        shades=dict.fromkeys(heads.values(), SHADES),
        digits=2,
        caption=" ".join(part for part in (caption, _NOTE, unsure, LETTERS) if part),
    )
