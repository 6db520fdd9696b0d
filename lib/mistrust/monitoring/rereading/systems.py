"""Table V beside ours: as its code computes it, and by one measure for the classifier with and without a monitor."""

from collections.abc import Mapping, Sequence

import pandas as pd

AS_PUBLISHED = "/as published"
ALONE = "network"  # the classifier, without a monitor
NOT_PRINTED, NOT_RUN, NOT_ASKED = "not printed", "not run", "–"


def systems(
    published: pd.DataFrame, data: str, ours: Mapping[str, pd.DataFrame], names: Mapping[str, str], network: str
) -> pd.DataFrame:
    """Lay Table V of one image set beside our rows.

    Parameters
    ----------
    published : the paper's rows, of which those of "table5" are read.
    data : the paper's name of the image set.
    ours : what a run is called -> its rows; each gives two columns.
    names : the paper's name of each of our image sets.
    network : whose monitors are meant, the mean over its runs.

    Returns
    -------
    One line per monitor, and one for the classifier alone: `monitor`; "the paper, as coded", which stands with the
    monitors as published, for those are the paper's; and of each run "as coded", by the paper's own formula, the mean
    over the sets of novelty, and "one measure": MCC of the system's answers on nominal images (`impact.answers_mcc`),
    with its interval. As coded is asked of the paper's three alone.

    Examples
    --------
    >>> from mistrust import rows
    >>> printed = {"table": "table5", "metric": "mcc", "data": "gtsrb", "method": "oob", "value": 0.64}
    >>> paper = rows.check(rows.table([printed]).assign(place="Table V"), extra=("place",))
    >>> here = {"table": "nominal", "data": "gtsrb-thin", "network": "farm-lenet", "method": "oob/as published"}
    >>> found = [here | {"condition": "nominal", "metric": "mcc", "value": 0.872, "low": 0.806, "high": 0.918},
    ...          here | {"condition": "novelty/BTSC", "metric": "mcc as published", "value": 0.136}]
    >>> systems(paper, "gtsrb", {"full": rows.table(found)}, {"gtsrb-thin": "gtsrb"}, "farm-lenet").iloc[0].to_dict()
    ... # doctest: +NORMALIZE_WHITESPACE
    {'monitor': 'oob/as published', 'the paper, as coded': '0.64', 'full, as coded': '0.14',
     'full, one measure': '0.872 [0.806, 0.918]'}
    """
    table = published[(published["table"] == "table5") & (published["data"] == data)]
    printed = {
        name if name == ALONE else f"{name}{AS_PUBLISHED}": f"{value:.2f}"
        for name, value in zip(table["method"], table["value"], strict=True)
    }
    three = set(table["method"]) - {ALONE}
    copies = [name for name, paper in names.items() if paper == data]
    own = {title: _of(rows, copies, network) for title, rows in ours.items()}
    known = {str(name) for coded, one in own.values() for name in (*coded, *one)} | set(printed)
    lines = []
    for name in sorted(known, key=lambda name: (name != ALONE, name.partition("/")[0] not in three, name)):
        asked = name == ALONE or name.partition("/")[0] in three
        line = {"monitor": name, "the paper, as coded": printed.get(name, NOT_PRINTED)}
        for title, (coded, one) in own.items():
            line[f"{title}, as coded"] = coded.get(name, NOT_RUN if asked else NOT_ASKED)
            line[f"{title}, one measure"] = one.get(name, NOT_RUN)
        lines.append(line)
    return pd.DataFrame(lines)


def worse(rows: pd.DataFrame, network: str, names: Sequence[str] = ("alooc", "oob", "odin")) -> str:
    """Count the monitors, right, with which the system answers worse than without one: "5 of 6".

    Parameters
    ----------
    rows : rows of a run, with the table "nominal".
    network : whose monitors are meant, the mean over its runs.
    names : which monitors; each counts once for each image set.

    Returns
    -------
    By MCC of the answers on nominal images; "not run" where there are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> here = {"table": "nominal", "condition": "nominal", "metric": "mcc", "data": "digits", "network": "farm-lenet"}
    >>> found = [here | {"method": name, "value": mcc}
    ...          for name, mcc in (("network", 0.9), ("oob", 0.8), ("odin", 0.91))]
    >>> worse(rows.table(found), "farm-lenet")
    '1 of 2'
    """
    means = rows[rows["seed"].isna() & (rows["table"] == "nominal") & (rows["condition"] == "nominal")]
    found = means[(means["metric"] == "mcc") & (means["network"] == network)]
    alone = found[found["method"] == ALONE].set_index("data")["value"]
    asked = found[found["method"].isin(list(names)) & found["data"].isin(alone.index)]
    below = asked["value"].to_numpy() < alone.loc[asked["data"]].to_numpy()
    return f"{int(below.sum())} of {len(below)}" if len(below) else NOT_RUN


def _of(rows: pd.DataFrame, copies: list[str], network: str) -> tuple[dict[str, str], dict[str, str]]:
    """What a run has by monitor, as coded and by one measure."""
    nominal = rows[(rows["table"] == "nominal") & (rows["network"] == network) & rows["data"].isin(copies)]
    means = nominal[nominal["seed"].isna()]
    coded = means[means["metric"] == "mcc as published"].groupby("method")["value"].mean()
    one = means[(means["metric"] == "mcc") & (means["condition"] == "nominal")]
    return (
        {str(name): f"{round(value, 2) + 0.0:.2f}" for name, value in coded.items()},  # no -0.00
        {str(line["method"]): _interval(line["value"], line["low"], line["high"]) for line in one.to_dict("records")},
    )


def _interval(value: float, low: float, high: float) -> str:
    return f"{value:.3f} [{low:.3f}, {high:.3f}]" if low < high else f"{value:.3f}"  # NaN is no end
