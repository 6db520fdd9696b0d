"""The printed times of Table VI beside a benchmark's: how many times the classifier's own a monitor takes."""

import pandas as pd

NOT_PRINTED = "not printed"
AS_PUBLISHED = "/as published"


def times(published: pd.DataFrame, benchmark: pd.DataFrame) -> pd.DataFrame:
    """Lay printed times beside measured ones.

    Parameters
    ----------
    published : the paper's rows, of which seconds of "table6" are read.
    benchmark : rows of `benchmarks/monitors.py`: ratios by image set and number of images at once.

    Returns
    -------
    A line a monitor of the benchmark: `monitor`; "the paper, 1 at once", which stands with monitors as published, for
    those are the paper's; and for each image set and number at once how many times the classifier's time it takes.

    Examples
    --------
    >>> from mistrust import rows
    >>> seconds = {"table": "table6", "method": "odin", "metric": "seconds"}
    >>> spent = [seconds | {"at": "network", "value": 0.0007}, seconds | {"at": "monitor", "value": 0.0246}]
    >>> paper = rows.check(rows.table(spent).assign(place="Table VI"), extra=("place",))
    >>> ours = {"table": "cost", "metric": "ratio", "data": "gtsrb-thin", "level": 1, "value": 5.3}
    >>> timed = rows.table([ours | {"method": name} for name in ("odin", "odin/as published")])
    >>> times(paper, timed).to_dict("list")  # doctest: +NORMALIZE_WHITESPACE
    {'monitor': ['odin', 'odin/as published'], 'the paper, 1 at once': ['not printed', '0.0246 s, 35.1 times'],
     'gtsrb-thin, 1 at once': ['5.3', '5.3']}
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
    return found
