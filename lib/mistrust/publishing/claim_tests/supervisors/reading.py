"""What the claims of the supervisors' chapter share: sixteen supervisors, four kinds of input, how they are read.

A number of Table II is the mean of the AUROC over the paper's architectures in one run; the runs make the interval.
What is read are rows of single classifiers, averaged over those of the paper's architectures that have all runs.

Words of the paper stand for bounds on the scale of Hosmer and Lemeshow (Applied Logistic Regression, section 5.2.4):
an AUROC of 0.7 is acceptable discrimination, 0.8 excellent, 0.9 outstanding.
"""

from collections.abc import Iterable, Sequence
from itertools import product

import pandas as pd

from mistrust.errors import MistrustError
from mistrust.publishing.estimates import Estimate, NotRun, Reader, between_models

CHAPTER = "supervisors"
MNIST, FASHION = "mnist", "fmnist"
# The paper's two sets by their names in rows, as a reader calls them.
TITLES = {MNIST: "MNIST", FASHION: "Fashion-MNIST"}
ARCHITECTURES = ("ambiguess-conv", "ambiguess-fc", "resnet50-v1", "densenet-se")
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
PLAIN, DROPOUT, ENSEMBLES = SIXTEEN[:4], SIXTEEN[4:8], SIXTEEN[8:11]
SURPRISE = ("dsa", "lsa", "mdsa")
OUTLIER = (*SURPRISE, "autoencoder")
# "Softmax-based approaches (including MC-Dropout, Ensembles and Dissector)": all but the outlier detectors.
SOFTMAX_BASED = tuple(name for name in SIXTEEN if name not in OUTLIER)
# Where Dissector is set against them.
WITHOUT_DISSECTOR = (*PLAIN, *DROPOUT, *ENSEMBLES)

ACCEPTABLE, WELL, VERY_WELL, ALMOST_PERFECT = 0.7, 0.8, 0.9, 0.95
CHANCE = 0.5
# "More than .1 higher" is what the paper calls superior; half of it is still alike.
SUPERIOR, ALIKE = 0.1, 0.05

# Data, kind, supervisor: one number of Table II.
Cell = tuple[str, str, str]


def cells(methods: Iterable[str], kinds: Sequence[str] = KINDS, data: Sequence[str] = tuple(TITLES)) -> list[Cell]:
    """All of these, without ensembles on adversarial images: the paper left these out (section VII-A)."""
    found = product(data, kinds, methods)
    return [(d, kind, name) for d, kind, name in found if not (kind == ADVERSARIAL and name in ENSEMBLES)]


def by_network(rows: Reader, wanted: Sequence[Cell]) -> pd.DataFrame:
    """AUROC of single classifiers: a line an architecture and run, a column a cell.

    Only architectures that have all cells in as many runs as any other: what was trained less often would leave few
    runs to compare.
    """
    found = pd.concat([rows.find(table="detection", metric="auroc", **where) for where in _places(wanted)])
    single = found[found["seed"].notna()]
    if single.duplicated(["network", "seed", "data", "condition", "method"]).any():
        raise MistrustError("Several AUROCs of one classifier where one was expected, in the table 'detection'.")
    wide = single.pivot(index=["network", "seed"], columns=["data", "condition", "method"], values="value")
    for cell in wanted:
        if cell not in wide.columns:
            raise NotRun(f"{named(cell)}, by run")
    complete = wide[sorted(set(wanted))].dropna().sort_index()
    runs = complete.groupby(level="network").size()
    if runs.empty:
        raise NotRun("one classifier that all of these supervisors watched")
    return complete.loc[complete.index.get_level_values("network").isin(runs.index[runs == runs.max()])]


def _places(wanted: Sequence[Cell]) -> list[dict[str, list[str]]]:
    """Where the cells' rows are: kinds that are asked of the same supervisors are read at once."""
    asked: dict[str, dict[str, None]] = {}
    for _, kind, name in wanted:
        asked.setdefault(kind, {})[name] = None
    kinds: dict[tuple[str, ...], list[str]] = {}
    for kind, names in asked.items():
        kinds.setdefault(tuple(names), []).append(kind)
    common = {"data": [*dict.fromkeys(data for data, _, _ in wanted)], "network": list(ARCHITECTURES)}
    return [{**common, "condition": alike, "method": list(names)} for names, alike in kinds.items()]


def detected(rows: Reader, wanted: Sequence[Cell]) -> pd.DataFrame:
    """AUROC by run, each the mean over architectures: a line a run, a column a cell."""
    return by_network(rows, wanted).groupby(level="seed").mean()


def level(found: pd.DataFrame, cell: Cell) -> Estimate:
    """The mean over runs with its interval, which stays between 0 and 1."""
    return between_models(found[cell].to_list(), scale="logit")


def typical(found: pd.DataFrame, data: str, kind: str, methods: Sequence[str]) -> "pd.Series[float]":
    """The mean over these supervisors by run; ensembles are no part of it on adversarial images."""
    each = [found[cell] for cell in cells(methods, [kind], [data])]
    return pd.concat(each, axis=1).mean(axis=1)


def named(cell: Cell) -> str:
    """What a cell holds, for readers: "MNIST, corrupted: AUROC of DSA"."""
    data, kind, method = cell
    return f"{on(data, kind)}: AUROC of {NAMES[method]}"


def on(data: str, kind: str) -> str:
    """A test set, for readers: "MNIST, corrupted"."""
    return f"{TITLES[data]}, {kind.partition('/')[0]}"
