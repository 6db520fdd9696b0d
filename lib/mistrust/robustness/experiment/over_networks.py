"""All rows of the chapter: of single networks, means over training seeds, and relations over networks."""

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from mistrust import rows as tidy
from mistrust.evaluation import partial_spearman, rank_correlation
from mistrust.networks.architectures.families.family import family_of
from mistrust.over_models import means
from mistrust.pieces import gather
from mistrust.robustness.experiment.checks import check
from mistrust.robustness.experiment.parameters import ALL, CHAPTER, Parameters
from mistrust.robustness.experiment.pieces import missing, piece, pieces
from mistrust.robustness.relation_names import within
from mistrust.robustness.tables import Row, estimated
from mistrust.robustness.tables.regions import RELATIVE, class_by_class
from mistrust.robustness.tables.targets import variance_over_seeds

# Where numbers of several networks are close to normal; what is not named is taken as it is.
SCALE = {
    "accuracy": "logit", "success": "arcsine", "unbroken": "arcsine", "broken": "arcsine", "surviving": "arcsine",
    "new probability": "logit", "share": "arcsine", "re-entry": "arcsine", "grid wrong": "arcsine",
    "grid wrong at 0": "arcsine", "bent": "arcsine", "sigma50 unreached": "arcsine",
    "spearman with random": "fisher", "spearman with targeted": "fisher",
}  # fmt: skip
BY = ["chapter", "data", "network", "table", "method", "condition", "level", "at", "metric"]
# At which share of the median margin bubbles are counted where networks are set side by side.
HALF_WAY = 0.5
# What relations are of, by network: table, method (None takes the chapter's first variant of noise), metric.
MEASURES: Mapping[str, tuple[str, str | None, str]] = {
    "depth": ("networks", "", "depth"),
    "parameters": ("networks", "", "parameters"),
    "accuracy": ("networks", "", "accuracy"),
    "random": ("random", None, "capped mean"),
    "targeted": ("targeted", "adam", "linf"),
    # What a look tells, mean over images.
    "margin": ("looks", "margin", "mean"),
    "linear estimate": ("looks", "linear estimate", "mean"),
    "ddn": ("looks", "ddn", "mean"),
}
# Which rank correlations over networks are told; "depth ~ random | accuracy" holds accuracy fixed. Networks of one
# family are alike, so each is told within families, too: to take all for independent would promise more than is known,
# and what families differ by would pass for what depth does.
RELATIONS = (
    "depth ~ accuracy", "depth ~ random", "depth ~ targeted", "depth ~ random | accuracy",
    "depth ~ random | parameters", "depth ~ targeted | parameters",
    "parameters ~ accuracy", "parameters ~ random", "parameters ~ targeted",
    "parameters ~ targeted | depth", "accuracy ~ random", "accuracy ~ targeted", "random ~ targeted",
    "random ~ targeted | accuracy", "margin ~ random | accuracy", "margin ~ targeted | accuracy",
    "linear estimate ~ random | accuracy", "linear estimate ~ targeted | accuracy",
    "ddn ~ random | accuracy", "ddn ~ targeted | accuracy", "bubbles ~ accuracy", "bubbles ~ random",
)  # fmt: skip


# Tables that are of one image, or of one network's images: nothing to be averaged.
ALONE = ("bubble", "pair", "variance")


def rows(parameters: Parameters) -> pd.DataFrame:
    """Give all rows: of every piece, means over training seeds, and relations over networks.

    Examples
    --------
    What the images cannot give is refused at once; all else takes seconds for a few images, hours for `full`:

    >>> rows(Parameters(data="digits", region_classes=11))
    Traceback (most recent call last):
    mistrust.errors.MistrustError: region_classes is 11, and 'digits' has 10 classes; 0 takes all.
    """
    check(parameters)
    return together(gather(piece, missing, parameters, pieces(parameters)), parameters)


def together(single: pd.DataFrame, parameters: Parameters) -> pd.DataFrame:
    """Give rows of single networks, as many as there are, with what follows from them: means and relations.

    Examples
    --------
    A network that was trained twice has a mean, with an interval between its two seeds:

    >>> from mistrust import rows as tidy
    >>> two = [{"seed": 0, "value": 0.8}, {"seed": 1, "value": 0.9}]
    >>> common = {"chapter": CHAPTER, "data": "digits", "network": "resnet8-w8", "condition": "all"}
    >>> single = tidy.table(two, table="networks", metric="accuracy", **common)
    >>> whole = together(single, Parameters(data="digits", networks=("resnet8-w8",)))
    >>> whole["over"].tolist(), whole["value"].round(3).tolist()
    (['', '', 'models'], [0.8, 0.9, 0.85])
    """
    single = single[~_spare(single, parameters)]
    several = single[~single["table"].isin(ALONE) & ~_some_unreached(single)]
    mean = _from_zero(tidy.table(means(several, BY, lambda row: SCALE.get(row["metric"], "identity"))))
    related = tidy.table({"chapter": CHAPTER, "data": parameters.data, **row} for row in relations(single, parameters))
    ours = single[(single["data"] == parameters.data) & (single["condition"] == ALL) & single["seed"].notna()]
    by_class = tidy.table(
        {"chapter": CHAPTER, "data": parameters.data, "condition": ALL, **row}
        for row in class_by_class(ours, parameters.resamples, parameters.seed)
    )
    return tidy.check(pd.concat([single, mean, tidy.table(_over_seeds(single)), related, by_class], ignore_index=True))


def _from_zero(mean: pd.DataFrame) -> pd.DataFrame:
    """No interval below 0 of what cannot be: noise, distances, margins and counts; of three seeds t reaches far."""
    least = np.where(mean["metric"].str.startswith("spearman"), -1.0, 0.0)
    return mean.assign(low=mean["low"].clip(lower=pd.Series(least, mean.index)))


def _over_seeds(single: pd.DataFrame) -> Iterator[Row]:
    """What training seeds do to the matrices of a network that was trained several times."""
    cells = single[(single["table"] == "matrix") & (single["metric"] == "linf")]
    by = ["chapter", "data", "network", "condition"]
    for key, own in cells.groupby(by, sort=False):
        if own["seed"].nunique() > 1 and own["at"].nunique() > 1:
            yield from ({**dict(zip(by, key, strict=True)), **row} for row in variance_over_seeds(own))


def _some_unreached(frame: pd.DataFrame) -> "pd.Series[bool]":
    """Medians that only some training seeds reach: the mean of those that do would be too low."""
    keys = [one for one in BY if one != "metric"]
    # Each seed that was measured has this row, whether its median was reached or not.
    measured, reached = (
        frame[frame["metric"].isin(metrics)].groupby(keys, dropna=False, as_index=False).agg(**{name: ("seed", "size")})
        for name, metrics in (("measured", ("unbroken", "broken")), ("reached", ("median",)))
    )
    both = reached.merge(measured, on=keys)
    few = both[both["reached"] < both["measured"]]
    found = frame[keys].merge(few[keys].drop_duplicates(), on=keys, how="left", indicator=True)["_merge"] == "both"
    return pd.Series(found.to_numpy(), index=frame.index) & (frame["metric"] == "median")


def _spare(frame: pd.DataFrame, parameters: Parameters) -> "pd.Series[bool]":
    """Distances in whole matrices of networks that represent no family, which nobody reads: files stay small."""
    return (
        (frame["table"] == "matrix") & (frame["metric"] == "linf") & ~frame["network"].isin(parameters.representatives)
    )


def relations(single: pd.DataFrame, parameters: Parameters) -> Iterator[Row]:
    """Rank correlations over networks, of their means over training seeds, on the chapter's own image set.

    Of all networks together the value alone, which describes these networks; with the family held fixed ("depth ~
    random | family") its interval, too, which takes networks for independent within their family.
    """
    known = single[(single["data"] == parameters.data) & (single["condition"] == ALL)]
    columns = {name: _by_network(known, parameters, *where) for name, where in MEASURES.items()}
    columns["bubbles"] = _bubbles(known)
    table = pd.DataFrame(columns)
    for name in RELATIONS:
        both, _, fixed = name.partition(" | ")
        # Regions are also traced of networks that are no part of the comparison: few are small enough.
        rows = table if "bubbles" in both else table[table.index.isin(parameters.networks)]
        chosen = rows[[*both.split(" ~ "), *([fixed] if fixed else [])]].dropna()
        if len(chosen) < 3 + bool(fixed):
            continue
        first, second, *given = (np.asarray(column, dtype=np.float64) for _, column in chosen.items())
        value = partial_spearman(first, second, given)
        if value == value:
            yield {"table": "relations", "method": name, "metric": "spearman", "value": value, "n": len(chosen)}
        of = [family_of(network) for network in chosen.index]
        if len(set(of)) == len(of):
            continue
        held = [np.array([one == name for one in of], dtype=np.float64) for name in sorted(set(of))[1:]]
        found = rank_correlation(first, second, [*given, *held])
        if found.value == found.value:
            yield {"table": "relations", "method": within(name), "metric": "spearman", **estimated(found, "models")}


def _by_network(
    known: pd.DataFrame, parameters: Parameters, table: str, method: str | None, metric: str
) -> "pd.Series[float]":
    wanted = parameters.variants[0] if method is None else method
    found = known[(known["table"] == table) & (known["metric"] == metric) & (known["method"] == wanted)]
    found = found[found["level"].isna()]
    # Equal means of several seeds are a tie, in whatever order they were added up.
    return found.groupby("network")["value"].mean().round(9)


def _bubbles(known: pd.DataFrame) -> "pd.Series[float]":
    """Bubbles half way up to the median margin, mean over classes; as many samples were traced of each."""
    found = known[(known["table"] == "regions") & (known["method"] == RELATIVE) & (known["level"] == HALF_WAY)]
    return found[found["metric"] == "bubbles"].groupby("network")["value"].mean()
