"""What the claims of the supervisors' chapter share: sixteen supervisors, four kinds of input, how they are read.

A number of Table II is the mean of the AUROC over the paper's architectures in one run; the runs make the interval.
What is read are rows of single classifiers, averaged over those of the paper's architectures that have all runs.

Runs may share one autoencoder an image set: equal numbers in all runs are then those of one network, which alone
decides nothing. Where a verdict on a mean turns on one architecture, `by_architecture` tells of each. All members of an
ensemble but the first are the same in all runs, always, so that its intervals are widened (`wider`).

Words of the paper stand for bounds on the scale of Hosmer and Lemeshow (Applied Logistic Regression, section 5.2.4):
an AUROC of 0.7 is acceptable discrimination, 0.8 excellent, 0.9 outstanding.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit, logit

from mistrust.errors import MistrustError
from mistrust.publishing import profiles
from mistrust.publishing.chapters import CHAPTERS
from mistrust.publishing.estimates import Estimate, NotRun, Reader, between_models, difference, digits
from mistrust.publishing.independent import unpaired
from mistrust.supervisors.experiment import shared_members

CHAPTER = "supervisors"
MNIST, FASHION = "mnist", "fmnist"
# The paper's two sets by their names in rows, as a reader calls them.
TITLES = {MNIST: "MNIST", FASHION: "Fashion-MNIST"}
ARCHITECTURES = ("ambiguess-conv", "ambiguess-fc", "resnet50-v1", "densenet-se")
# The fully connected one as it is drawn, not as it is coded: it stands beside the others and counts in no mean.
BESIDE = "ambiguess-fc-relu"
CALLED = {
    "ambiguess-conv": "convolutional", "ambiguess-fc": "linear", "resnet50-v1": "ResNet-50", "densenet-se": "DenseNet",
    BESIDE: "with ReLU, which counts in no mean,",
}  # fmt: skip
AMBIGUOUS, ADVERSARIAL = "ambiguous/ambiguess", "adversarial/four attacks"
CORRUPTED, INVALID = "corrupted/corruptions", "invalid/other"
KINDS = (AMBIGUOUS, ADVERSARIAL, CORRUPTED, INVALID)
# Out of distribution: the paper's epistemic uncertainty.
UNKNOWN = (ADVERSARIAL, CORRUPTED, INVALID)

NAMES = {
    "max_softmax": "Max Softmax", "prediction_confidence_score": "PCS", "deep_gini": "DeepGini",
    "softmax_entropy": "Softmax Entropy",
    "mc_variation_ratio": "MC-Dropout (VR)", "mc_mean_softmax": "MC-Dropout (MS)",
    "mc_predictive_entropy": "MC-Dropout (PE)", "mc_mutual_information": "MC-Dropout (MI)",
    "ensemble_mean_softmax": "Ensemble (MS)", "ensemble_predictive_entropy": "Ensemble (PE)",
    "ensemble_mutual_information": "Ensemble (MI)",
    "dissector": "Dissector", "dsa": "DSA", "lsa": "LSA", "mdsa": "MDSA", "autoencoder": "Autoencoder",
}  # fmt: skip
SIXTEEN = tuple(NAMES)
FURTHER = {"knn": "KNN"}  # none of the sixteen
PLAIN, DROPOUT, ENSEMBLES = SIXTEEN[:4], SIXTEEN[4:8], SIXTEEN[8:11]
SURPRISE = ("dsa", "lsa", "mdsa")
AUTOENCODER = "autoencoder"
OUTLIER = (*SURPRISE, AUTOENCODER)
# "Softmax-based approaches (including MC-Dropout, Ensembles and Dissector)": all but the outlier detectors.
SOFTMAX_BASED = tuple(name for name in SIXTEEN if name not in OUTLIER)
# Where Dissector is set against them.
WITHOUT_DISSECTOR = (*PLAIN, *DROPOUT, *ENSEMBLES)

ACCEPTABLE, WELL, VERY_WELL, ALMOST_PERFECT = 0.7, 0.8, 0.9, 0.95
CHANCE = 0.5
# "More than .1 higher" is what the paper calls superior; half of it is still alike.
SUPERIOR, ALIKE = 0.1, 0.05

MEMBERS = "members"  # what frames of rows carry beside their numbers: how many networks an ensemble has

# Data, kind, supervisor: one number of Table II.
Cell = tuple[str, str, str]


def cells(methods: Iterable[str], kinds: Sequence[str] = KINDS, data: Sequence[str] = tuple(TITLES)) -> list[Cell]:
    """All of these, without ensembles on adversarial images: the paper left these out (section VII-A)."""
    found = product(data, kinds, methods)
    return [(d, kind, name) for d, kind, name in found if not (kind == ADVERSARIAL and name in ENSEMBLES)]


def by_network(rows: Reader, wanted: Sequence[Cell], networks: Sequence[str] = ARCHITECTURES) -> pd.DataFrame:
    """AUROC of single classifiers: one line per architecture and run, one column per cell.

    Only architectures that have all cells in as many runs as any other: what was trained less often would leave few
    runs to compare.
    """
    values: dict[tuple[str, float], dict[Cell, float]] = {}
    for where in _places(wanted, networks):
        _gather(rows.find(table="detection", metric="auroc", **where), values)
    held = {cell for line in values.values() for cell in line}
    for cell in wanted:
        if cell not in held:
            raise NotRun(f"{named(cell)}, by run")
    columns = sorted(set(wanted))
    complete = {at: row for at, line in sorted(values.items()) if not np.isnan(row := _line(line, columns)).any()}
    if not complete:
        raise NotRun("one classifier that all of these supervisors watched")
    runs = Counter(network for network, _ in complete)
    kept = [at for at in complete if runs[at[0]] == max(runs.values())]
    found = pd.DataFrame(
        np.array([complete[at] for at in kept]),
        index=pd.MultiIndex.from_tuples(kept, names=["network", "seed"]),
        columns=pd.MultiIndex.from_tuples(columns, names=["data", "condition", "method"]),
    )
    found.attrs[MEMBERS] = members_of(str(rows.frame["profile"].iloc[0]))
    return found


@cache
def members_of(profile: str) -> int:
    """How many members the ensembles of a profile have: rows do not say it, and those of no profile have `full`'s."""
    chapter = CHAPTERS[CHAPTER]
    known = profile if profile in profiles.names(chapter) else "full"
    return int(getattr(profiles.profile(chapter, known), MEMBERS))


def _gather(found: pd.DataFrame, values: dict[tuple[str, float], dict[Cell, float]]) -> None:
    """Put single classifiers' numbers where they belong. Plainly: a pivot of texts takes longer."""
    columns = (found[name].to_list() for name in ("network", "seed", "data", "condition", "method", "value"))
    for network, seed, data, condition, method, value in zip(*columns, strict=True):
        if seed != seed:  # of several
            continue
        line = values.setdefault((network, seed), {})
        if (data, condition, method) in line:
            raise MistrustError("Several AUROCs of one classifier where one was expected, in the table 'detection'.")
        line[data, condition, method] = value


def _line(line: dict[Cell, float], columns: Sequence[Cell]) -> NDArray[np.float64]:
    return np.array([line.get(cell, np.nan) for cell in columns])


def _places(wanted: Sequence[Cell], networks: Sequence[str]) -> list[dict[str, list[str]]]:
    """Where the cells' rows are: kinds that are asked of the same supervisors are read at once."""
    asked: dict[str, dict[str, None]] = {}
    for _, kind, name in wanted:
        asked.setdefault(kind, {})[name] = None
    kinds: dict[tuple[str, ...], list[str]] = {}
    for kind, names in asked.items():
        kinds.setdefault(tuple(names), []).append(kind)
    common = {"data": [*dict.fromkeys(data for data, _, _ in wanted)], "network": list(networks)}
    return [{**common, "condition": alike, "method": list(names)} for names, alike in kinds.items()]


def detected(rows: Reader, wanted: Sequence[Cell]) -> pd.DataFrame:
    """AUROC by run, each the mean over architectures: one line per run, one column per cell."""
    return by_network(rows, wanted).groupby(level="seed").mean()


def each_architecture(rows: Reader, wanted: Sequence[Cell]) -> list[pd.DataFrame]:
    """AUROC by run of each of the paper's architectures alone: one line per run, one column per cell."""
    found = by_network(rows, wanted)
    return [runs.droplevel("network") for _, runs in found.groupby(level="network")]


def by_architecture(rows: Reader, wanted: Sequence[Cell], tell: Callable[[pd.DataFrame], str]) -> str:
    """What there is to tell of each architecture alone, for a verdict's evidence: "by network: convolutional ...".

    Parameters
    ----------
    tell : says it of one architecture's AUROCs, one line per run, one column per cell.
    """
    found = by_network(rows, wanted, (*ARCHITECTURES, BESIDE))
    each = {str(name): runs.droplevel("network") for name, runs in found.groupby(level="network")}
    return "by network: " + ", ".join(f"{CALLED[name]} {tell(each[name])}" for name in CALLED if name in each)


@dataclass(frozen=True)
class OfOne(Estimate):
    """The number of the one autoencoder that all runs share: it has no interval, and so decides nothing."""

    def __str__(self) -> str:
        return f"{digits(self.value)[0]} (one autoencoder, the same in all runs)"


def over_runs(values: "pd.Series[float]", *, one: bool = False) -> Estimate:
    """The mean over runs with its interval, which stays between 0 and 1; without one where all runs have `one`."""
    return of_one(float(values.mean())) if one else between_models(values.to_list(), scale="logit")


def level(found: pd.DataFrame, cell: Cell) -> Estimate:
    """The mean over runs with its interval, which is that of other ensembles where it is of one."""
    estimate = over_runs(found[cell], one=of_shared(found, cell))
    return _widened(estimate, wider(found), logit) if cell[2] in ENSEMBLES else estimate


def wider(found: pd.DataFrame) -> float:
    """By how much the interval of an ensemble's mean is wider than runs promise that share all its members but one.

    Parameters
    ----------
    found : one line per run.

    Examples
    --------
    Three runs of five members:

    >>> round(wider(pd.DataFrame(index=[0, 1, 2])) ** 2)
    13
    """
    return shared_members.wider(len(found), found.attrs.get(MEMBERS) or members_of("full"))


def _widened(estimate: Estimate, times: float, scale: Callable[[float], float] = float) -> Estimate:
    """The same with an interval so many times as wide, on the logit scale or as it is."""
    if not (np.isfinite(estimate.low) and np.isfinite(estimate.high)):
        return estimate
    back = expit if scale is logit else float
    middle, low, high = map(scale, (estimate.value, estimate.low, estimate.high))
    ends = (back(middle + times * (end - middle)) for end in (low, high))
    low, high = map(float, ends)
    return replace(estimate, low=low, high=high)


def fall(found: pd.DataFrame, method: str, kind: str) -> Estimate:
    """What is lost from MNIST to Fashion-MNIST, between runs that share but a number."""
    mnist, fashion = (MNIST, kind, method), (FASHION, kind, method)
    lost = unpaired(found[mnist], found[fashion])
    if method in ENSEMBLES:
        return _widened(lost, wider(found))
    return of_one(lost.value) if of_shared(found, mnist) and of_shared(found, fashion) else lost


def gap(found: pd.DataFrame, first: Cell, second: Cell) -> Estimate:
    """By how much one cell exceeds another in the same runs; as in `level` where an ensemble or the autoencoder is one.

    What members that are the same in all runs do to two quantifiers of one ensemble may cancel or not: it is not known.
    """
    lead = difference(found[first], found[second])
    if of_shared(found, first) or of_shared(found, second):
        return of_one(lead.value)
    return _widened(lead, wider(found)) if {first[2], second[2]} & {*ENSEMBLES} else lead


def typical_fall(found: pd.DataFrame, kind: str, methods: Sequence[str]) -> Estimate:
    """What these supervisors lose from MNIST to Fashion-MNIST on average, as in `fall`."""
    return unpaired(typical(found, MNIST, kind, methods), typical(found, FASHION, kind, methods))


def same(values: "pd.Series[float]") -> bool:
    """Whether an autoencoder's numbers on images that are the same in all runs show it to be the same as well."""
    return len(values) > 1 and values.nunique() == 1


def one_autoencoder(found: pd.DataFrame, data: str) -> bool:
    """Whether all runs have one autoencoder: its numbers are the same on every kind, adversarial images aside.

    Those differ by run, so they do not tell; and equal numbers on one kind of several may be chance.
    """
    alike = [one for one in found.columns if (one[0], one[2]) == (data, AUTOENCODER) and one[1] != ADVERSARIAL]
    return bool(alike) and all(same(found[one]) for one in alike)


def of_shared(found: pd.DataFrame, cell: Cell) -> bool:
    """Whether a cell holds numbers of the one autoencoder of all runs."""
    data, _, method = cell
    return method == AUTOENCODER and one_autoencoder(found, data)


def of_one(value: float) -> Estimate:
    """A number that all runs owe to one autoencoder: without an interval."""
    return OfOne(value, -np.inf, np.inf, 1)


def typical(found: pd.DataFrame, data: str, kind: str, methods: Sequence[str]) -> "pd.Series[float]":
    """The mean over these supervisors by run; ensembles are no part of it on adversarial images."""
    each = [found[cell] for cell in cells(methods, [kind], [data])]
    return pd.concat(each, axis=1).mean(axis=1)


def named(cell: Cell) -> str:
    """What a cell holds, for readers: "MNIST, corrupted: AUROC of DSA"."""
    data, kind, method = cell
    return f"{on(data, kind)}: AUROC of {(NAMES | FURTHER)[method]}"


def on(data: str, kind: str) -> str:
    """A test set, for readers: "MNIST, corrupted"."""
    return f"{TITLES[data]}, {kind.partition('/')[0]}"
