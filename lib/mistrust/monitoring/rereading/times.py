"""The printed times of Table VI beside a benchmark's: how many times the classifier's own a monitor takes, or both."""

import pandas as pd

NOT_PRINTED, NOT_MEASURED = "not printed", "not measured"
AS_PUBLISHED = "/as published"
BOTH = "classifier and monitor, 1 at once"


def times(published: pd.DataFrame, benchmark: pd.DataFrame) -> pd.DataFrame:
    """Lay printed times beside measured ones.

    Parameters
    ----------
    published : the paper's rows, of which seconds of "table6" are read.
    benchmark : rows of `benchmarks/monitors.py`: ratios by image set and number of images at once, of a monitor that is
        given the classifier's pass, and of both.

    Returns
    -------
    One line per monitor of the benchmark: `monitor`; "the paper, 1 at once", which stands with monitors as published,
    for those are the paper's; for each image set and number at once how many times the classifier's time it takes; and
    how many times both take together, from one image to its alarm, over the image sets from least to most. The record
    between the two and the decision take time as well.

    Examples
    --------
    >>> from mistrust import rows
    >>> seconds = {"table": "table6", "method": "odin", "metric": "seconds"}
    >>> spent = [seconds | {"at": "network", "value": 0.0007}, seconds | {"at": "monitor", "value": 0.0246}]
    >>> paper = rows.check(rows.table(spent).assign(place="Table VI"), extra=("place",))
    >>> ours = {"table": "cost", "metric": "ratio", "data": "gtsrb-thin", "level": 1, "value": 5.3}
    >>> both = [ours | {"metric": "ratio of both", "data": data, "value": n} for data, n in (("a", 6.6), ("b", 6.1))]
    >>> timed = rows.table([one | {"method": name} for name in ("odin", "odin/as published") for one in (ours, *both)])
    >>> times(paper, timed).to_dict("list")  # doctest: +NORMALIZE_WHITESPACE
    {'monitor': ['odin', 'odin/as published'], 'the paper, 1 at once': ['not printed', '0.0246 s, 35.1 times'],
     'gtsrb-thin, 1 at once': ['5.3', '5.3'], 'classifier and monitor, 1 at once': ['6.1 to 6.6', '6.1 to 6.6']}
    """
    seconds = published[(published["table"] == "table6") & (published["metric"] == "seconds")]
    spent = seconds.pivot_table(index="method", columns="at", values="value")
    printed = {
        f"{name}{AS_PUBLISHED}": f"{one['monitor']:g} s, {one['monitor'] / one['network']:.1f} times"
        for name, one in spent.iterrows()
    }
    ratios = benchmark[benchmark["metric"] == "ratio"]
    where = [f"{data}, {level:.0f} at once" for data, level in zip(ratios["data"], ratios["level"], strict=True)]
    ours = ratios.assign(where=where).pivot_table(index="method", columns="where", values="value")
    cells = [printed.get(str(name), NOT_PRINTED) for name in ours.index]
    found = pd.DataFrame({"monitor": ours.index, "the paper, 1 at once": cells})
    for name in ours.columns:
        found[name] = ours[name].map("{:.1f}".format).to_numpy()
    both = benchmark[(benchmark["metric"] == "ratio of both") & (benchmark["level"] == 1)]
    spans = {name: _span(one) for name, one in both.groupby("method")["value"]}
    found[BOTH] = [spans.get(name, NOT_MEASURED) for name in ours.index]
    return found


def _span(values: "pd.Series[float]") -> str:
    """The least and the most, once where they round to the same."""
    return " to ".join(dict.fromkeys(f"{end:.1f}" for end in (values.min(), values.max())))
