"""Which settings were tried, and which run here: Table I of the paper beside the parameters of runs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pandas as pd

from mistrust.monitoring.experiment.methods import fixed, three
from mistrust.monitoring.experiment.parameters import Parameters
from mistrust.supervisors import Supervisor


@dataclass(frozen=True)
class Case:
    """One image set of one run: its monitors by name, and how far boxes are enlarged as published."""

    monitors: Mapping[str, Supervisor]
    gamma: float

    def value(self, monitor: str, name: str) -> str:
        """One parameter of a monitor, as text."""
        found = self.monitors[monitor].parameters()[name]
        return f"{found:g}" if isinstance(found, float) else str(found)


# By monitor and parameter, as the paper names them: what a run has in their place.
SETTINGS: Mapping[tuple[str, str], Callable[[Case], str]] = {
    ("alooc", "optimizer"): lambda case: case.value("alooc", "optimiser").upper(),
    ("alooc", "epoch"): lambda case: case.value("alooc", "epochs"),
    ("alooc", "loss threshold"): lambda _: "average per class",
    ("oob", "gamma"): lambda case: f"{case.gamma:g}",
    ("oob", "number of clusters"): lambda case: case.value("oob", "clusters"),
    ("oob", "dimensionality reduction"): lambda _: "ISOMAP",
    ("odin", "temperature"): lambda case: case.value("odin", "temperature"),
    ("odin", "magnitude"): lambda case: case.value("odin", "epsilon"),
    ("odin", "confidence threshold"): lambda _: "lowest of training images",
}


def settings(published: pd.DataFrame, runs: Mapping[str, Parameters]) -> pd.DataFrame:
    """Lay the printed settings beside those of runs, whose monitors are meant as published.

    As they are right, all thresholds are at one rate of false alarms, and boxes lie in all dimensions.

    Parameters
    ----------
    published : the paper's rows, of which those of "table1" are read.
    runs : what a run is called -> its parameters.

    Returns
    -------
    A line a parameter: `monitor`, `parameter`, "the paper" with all that it tried, and a column for each run with what
    its image sets have, in their order.

    Examples
    --------
    >>> from mistrust import rows
    >>> tried = [{"method": "oob", "metric": "number of clusters", "at": k, "value": float(k)} for k in ("0", "3", "5")]
    >>> paper = rows.check(rows.table(tried, table="table1").assign(place="Table I"), extra=("place",))
    >>> full = Parameters(data=("gtsrb-thin", "cifar10-jpeg"))
    >>> settings(paper, {"our full run": full, "this run": Parameters()}).iloc[0].tolist()
    ['oob', 'number of clusters', '0, 3, 5', '3, 5', '3']
    """
    printed = published[published["table"] == "table1"]
    cases = {
        title: [Case(three(one, data, "hidden", one.seed), fixed(data)) for data in one.data]
        for title, one in runs.items()
    }
    lines = []
    for (monitor, name), tried in printed.groupby(["method", "metric"], sort=False):
        asked = SETTINGS[str(monitor), str(name)]
        ours = {title: ", ".join(dict.fromkeys(map(asked, each))) for title, each in cases.items()}
        lines.append({"monitor": monitor, "parameter": name, "the paper": ", ".join(tried["at"]), **ours})
    return pd.DataFrame(lines)
