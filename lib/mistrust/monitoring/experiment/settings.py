"""Which settings were tried, and which run here: Table I of the paper beside the parameters of runs and trials."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import pandas as pd

from mistrust.monitoring.experiment.methods import fixed, three
from mistrust.monitoring.experiment.parameters import PAPERS, Parameters
from mistrust.monitoring.experiment.tried import ENLARGEMENTS, PROJECTIONS, clusters_of
from mistrust.supervisors import Supervisor

OPTIMISERS = {"adam": "ADAM", "rmsprop": "RMSProp"}  # as the paper spells them


@dataclass(frozen=True)
class Case:
    """One image set of one run: its name, its monitors by name, and how far boxes are enlarged as published."""

    data: str
    monitors: Mapping[str, Supervisor]
    gamma: float

    def value(self, monitor: str, name: str) -> str:
        """One parameter of a monitor, as text."""
        found = self.monitors[monitor].parameters()[name]
        return f"{found:g}" if isinstance(found, float) else str(found)


# By monitor and parameter, as the paper names them: what a run has in their place.
SETTINGS: Mapping[tuple[str, str], Callable[[Case], str]] = {
    ("alooc", "optimizer"): lambda case: OPTIMISERS[case.value("alooc", "optimiser")],
    ("alooc", "epoch"): lambda case: case.value("alooc", "epochs"),
    ("alooc", "loss threshold"): lambda _: "average per class",
    ("oob", "gamma"): lambda case: f"{case.gamma:g}",
    ("oob", "number of clusters"): lambda case: case.value("oob", "clusters"),
    ("oob", "dimensionality reduction"): lambda _: "ISOMAP",
    ("odin", "temperature"): lambda case: case.value("odin", "temperature"),
    ("odin", "magnitude"): lambda case: case.value("odin", "epsilon"),
    ("odin", "confidence threshold"): lambda _: "lowest of training images",
}
NUMBERS = (("oob", "gamma"), ("oob", "number of clusters"))  # that are tried
# What the trials of a run vary; what is not named here they leave as it runs. No clusters are one box per class.
TRIED: Mapping[tuple[str, str], Callable[[Case], Iterable[str]]] = {
    ("alooc", "optimizer"): lambda _: OPTIMISERS.values(),
    ("oob", "gamma"): lambda _: (f"{gamma:g}" for gamma in ENLARGEMENTS),
    ("oob", "number of clusters"): lambda case: (str(many if many > 1 else 0) for many in clusters_of(case.data)),
    ("oob", "dimensionality reduction"): lambda _: PROJECTIONS.values(),
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
    its image sets have, in their order. A run that has trials, which is one on the paper's image sets, has a second
    column with all that these are to try, the least first; which of them have run, rows say (table "tried").

    Examples
    --------
    >>> from mistrust import rows
    >>> tried = [{"method": "oob", "metric": "number of clusters", "at": k, "value": float(k)} for k in ("0", "3", "5")]
    >>> paper = rows.check(rows.table(tried, table="table1").assign(place="Table I"), extra=("place",))
    >>> full = Parameters(data=("gtsrb-thin", "cifar10-jpeg"))
    >>> found = settings(paper, {"our full run": full, "this run": Parameters()})
    >>> found.columns[2:].tolist()
    ['the paper', 'our full run', 'our full run, to try', 'this run']
    >>> found.iloc[0].tolist()  # 17 are those of one image set, 5 of the other
    ['oob', 'number of clusters', '0, 3, 5', '3, 5', '0, 3, 5, 17', '3']
    """
    printed = published[published["table"] == "table1"]
    cases = {
        title: [Case(data, three(one, data, "hidden", one.seed), fixed(data)) for data in one.data]
        for title, one in runs.items()
    }
    lines = []
    for (monitor, name), tried in printed.groupby(["method", "metric"], sort=False):
        ours: dict[str, str] = {}
        for title, each in cases.items():
            ours |= _cells(title, each, (str(monitor), str(name)))
        lines.append({"monitor": monitor, "parameter": name, "the paper": ", ".join(tried["at"]), **ours})
    return pd.DataFrame(lines)


def _cells(title: str, cases: list[Case], at: tuple[str, str]) -> dict[str, str]:
    """What a run has in the place of one parameter, and what its trials have."""
    own = list(dict.fromkeys(map(SETTINGS[at], cases)))
    ours = [case for case in cases if case.data in PAPERS]
    if not ours:
        return {title: ", ".join(own)}
    varied = list(dict.fromkeys(value for case in ours for value in TRIED[at](case))) if at in TRIED else own
    varied = sorted(varied, key=float) if at in NUMBERS else varied
    return {title: ", ".join(own), f"{title}, to try": ", ".join(varied)}
