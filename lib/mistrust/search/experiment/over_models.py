"""All rows of the chapter: of single models, the gates of their panels, means, and lift over models and panels."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import pandas as pd

from mistrust import rows as tidy
from mistrust.evaluation import Estimate
from mistrust.over_models import means, shared
from mistrust.pieces import gather
from mistrust.search import gates
from mistrust.search.experiment.checks import check
from mistrust.search.experiment.conditions import NAMED, treated
from mistrust.search.experiment.parameters import CHAPTER, Parameters
from mistrust.search.experiment.pieces import missing, piece, pieces
from mistrust.search.lift import LEAST, Lift, combined, lift
from mistrust.search.tables import LEVELS, Row, estimated

# Where numbers of several models are close to normal; what is not named is taken as it is.
SCALE = {
    "accuracy": "logit", "validation accuracy": "logit", "training accuracy": "logit", "ece": "arcsine",
    "ece before": "arcsine", "residual auc": "logit", "sdr": "root", "whole sdr": "root", "pool sdr": "root",
    "mean of ratios": "root", "errors": "root", "sure errors": "root", "utility": "root", "lift": "root",
    "matched lift": "root", "success": "arcsine", "changed": "arcsine", "noise starts": "arcsine",
    "confidence correlation": "fisher", "distance reliability": "fisher", "residual reliability": "fisher",
    "distance agreement": "fisher", "residual agreement": "fisher",
    "distance agreement with foolbox": "fisher", "residual agreement with foolbox": "fisher",
    "sdr once": "root", "sdr anew": "root", "same queries": "arcsine",
    "gates": "arcsine", "certain": "arcsine", "attacked": "arcsine", "p": "arcsine", "spread": "arcsine",
    "pool": "root", "pool size": "root", "n": "root", "expected": "root", "expected alike": "root",
    "temperature": "root", "replicate sd": "root",
}  # fmt: skip
BY = ["chapter", "data", "network", "table", "method", "condition", "level", "at", "metric"]
# Tables of one model's images, nothing to be averaged; and curves, whose means "searches" has where they count.
ALONE = ("rank", "steps", "authors", "overall", "curves", "insight")
PANEL = ["data", "network", "condition", "at", "seed"]
MODEL = ["data", "network", "condition", "seed"]
# What "lift" and "matched lift" hold errors against: what of a search's rows, and whether the pool's SDR is taken in.
AGAINST = {"lift": ("expected", True), "matched lift": ("expected alike", False)}
EVERY, ATTACK = "all", "boundary"


def rows(parameters: Parameters) -> pd.DataFrame:
    """Give all rows: of every piece, gates, means over models, and lift over panels.

    Examples
    --------
    >>> rows(Parameters(authors="nowhere.csv"))  # refused before anything is trained
    Traceback (most recent call last):
    mistrust.errors.MistrustError: authors names nowhere.csv, which is no file. ...
    """
    check(parameters)
    return together(gather(piece, missing, parameters, pieces(parameters)), parameters)


def together(single: pd.DataFrame, parameters: Parameters) -> pd.DataFrame:
    """Give rows of single models, as many as there are, with what follows from them.

    Examples
    --------
    Rows of two models come back with their mean:

    >>> from mistrust import rows
    >>> models = [{"seed": seed, "value": value} for seed, value in ((0, 0.8), (1, 0.9))]
    >>> single = rows.table(models, table="panel", metric="accuracy", condition="digits/20")
    >>> found = together(single, Parameters())
    >>> found[["seed", "value", "over"]].round(3).values.tolist()
    [[0.0, 0.8, ''], [1.0, 0.9, ''], [nan, 0.85, 'models']]
    """
    judged = _framed(gated(single, parameters.distance))
    whole = pd.concat([single, judged], ignore_index=True)
    several = whole[~whole["table"].isin(ALONE)]
    mean = tidy.table(means(several, BY, lambda row: SCALE.get(row["metric"], "identity")))
    over = _framed(overall(whole, parameters))
    return tidy.check(pd.concat([whole, mean, over], ignore_index=True))


def _framed(found: Iterator[Row]) -> pd.DataFrame:
    listed = list(found)
    return tidy.table(listed, chapter=CHAPTER) if listed else tidy.empty()


def gated(single: pd.DataFrame, distance: str) -> Iterator[Row]:
    """Rows "gates", one per panel: 1 where all of facts 12 are passed; the note says which are not.

    Several models are judged beside each other, and the attack's second run counts for all panels of its mechanism
    where whole pools have a distance that draws.
    """
    known = single[(single["table"] == "panel") & single["seed"].notna()]
    pools = known[known["at"] != ""].pivot(index=PANEL, columns="metric", values="value")
    networks = known[known["at"] == ""].pivot(index=MODEL, columns="metric", values="value")
    if pools.empty:
        return
    accuracies = known[(known["at"] == "") & (known["metric"] == "accuracy")]
    odd = _odd(networks.join(accuracies.set_index(MODEL)["n"].rename("images")))
    retest = _retest(single) if distance == ATTACK else {}  # of another distance it says nothing
    beside = Counter(key[:-1] for key in networks.index.tolist())
    for (data, network, condition, at, seed), one in zip(pools.index.tolist(), pools.to_dict("records"), strict=True):
        numbers = {str(name): float(value) for name, value in one.items() if value == value}
        again = numbers.get("retest", retest.get(str(condition).partition("/")[0]))
        panel = gates.Panel(
            instances=_whole(numbers, "pool"), errors=_whole(numbers, "errors"), attacked=numbers.get("attacked"),
            start_kind=numbers.get("start kind"), start_p=numbers.get("start p"),
            temperature_limit=bool(numbers.get("temperature limit", 0.0)),
            certain=numbers.get("certain"), undefined=_whole(numbers, "undefined"), retest=again,
            models=beside[data, network, condition],
            odd=odd.get((data, network, condition, seed)),
        )  # fmt: skip
        missed = [each.text for each in gates.judged(panel) if each.verdict != gates.MET]
        yield {
            "table": "panel", "data": data, "network": network, "condition": condition, "at": at, "seed": seed,
            "metric": "gates", "value": float(not missed), "note": "; ".join(missed),
        }  # fmt: skip


def _whole(numbers: Mapping[str, float], name: str) -> int | None:
    return int(numbers[name]) if name in numbers else None


def _odd(networks: pd.DataFrame) -> dict[tuple[object, ...], bool]:
    """Whether a model's accuracy or temperature stands out among its condition's; of fewer than three none is known.

    `images` are those that the accuracy was measured on.
    """
    found: dict[tuple[object, ...], bool] = {}
    for _, group in networks.groupby(level=MODEL[:-1]):
        if len(group) >= 3:
            strange = gates.odd_accuracy(group["accuracy"], images=group["images"])
            strange |= gates.odd_temperature(group["temperature"])
            found |= dict(zip(group.index.tolist(), strange.tolist(), strict=True))
    return found


def _retest(single: pd.DataFrame) -> dict[str, float]:
    """Test-retest correlation of the attack's residual by mechanism, at the most steps."""
    found = single[(single["table"] == "attack") & (single["metric"] == "residual reliability")]
    if found.empty:
        return {}
    found = found[found["level"] == found["level"].max()]
    return found.groupby(found["condition"].str.partition("/")[0])["value"].mean().to_dict()


def overall(single: pd.DataFrame, parameters: Parameters) -> Iterator[Row]:
    """Lift over models of each mechanism, and over mechanisms by random effects.

    Panels that miss a gate are left out, and conditions of which fewer than five models are left; the note names those
    that count. Classes and doses of one seed share test images and most training images: their errors are added, and
    so is what they are held against.
    """
    passed = single[(single["table"] == "panel") & (single["metric"] == "gates") & (single["value"] == 1)]
    keys = set(passed[PANEL].itertuples(index=False, name=None))
    searched = single[(single["table"] == "searches") & single["seed"].notna()]
    inside = np.array([key in keys for key in searched[PANEL].itertuples(index=False, name=None)], dtype=bool)
    searched = searched[inside]
    if searched.empty:
        return
    pool = single[(single["table"] == "panel") & (single["metric"] == "pool sdr") & single["seed"].notna()]
    own = pool.set_index(PANEL)["value"]
    for (method, level), group in searched[searched["level"].isin(LEVELS)].groupby(["method", "level"]):
        wide = group.pivot(index=PANEL, columns="metric", values="value").join(own.rename("pool"), how="left")
        for metric, (what, pooled) in AGAINST.items():
            if not {"errors", what} <= set(wide.columns):
                continue
            both = pd.DataFrame({"errors": wide["errors"], "against": wide[what] * (wide["pool"] if pooled else 1.0)})
            for scope, found, conditions in _scopes(both.dropna(), parameters.mechanisms):
                common = {"table": "overall", "condition": scope, "method": method, "level": level}
                yield {**common, "metric": metric, **estimated(found, "models"), "note": ", ".join(conditions)}
                # The interval is symmetric on the logarithm: half of it is what a lift must reach to be told from 1.
                least = float(np.sqrt(found.high / found.low))
                yield {**common, "metric": f"detectable {metric}", "value": least, "n": found.n}


def _scopes(both: pd.DataFrame, mechanisms: Iterable[str]) -> Iterator[tuple[str, Estimate, list[str]]]:
    """Lift of each mechanism, and of all that stand for the paper's, with the conditions that count."""
    by_model = both.groupby(level=MODEL).sum()
    found = {name: _lift(by_model, treated(name)) for name in mechanisms}
    known = {name: one for name, one in found.items() if one is not None}
    for name, (one, conditions) in known.items():
        yield NAMED[name].prefix, Estimate(one.value, one.low, one.high, len(one.models)), conditions
    papers = {name: one for name, one in known.items() if not NAMED[name].ours} or known
    pooled = _pooled([one for one, _ in papers.values()])
    if pooled is not None:
        yield EVERY, pooled, [condition for _, conditions in papers.values() for condition in conditions]


def _lift(by_model: pd.DataFrame, conditions: Iterable[str]) -> tuple[Lift, list[str]] | None:
    """Lift over the models of a mechanism, its conditions added up, and which of them have models enough."""
    groups = {str(one): group for one, group in by_model.groupby(level="condition")}
    kept = [one for one in conditions if one in groups and len(groups[one]) >= LEAST]
    kept = [one for one in kept if (groups[one]["against"] > 0).all()]
    # A dose may have further models, with which others have nothing in common: it must not cost them their lift.
    kept = shared({one: set(groups[one].index.get_level_values("seed")) for one in kept}, LEAST)
    if not kept:
        return None
    chosen = pd.concat([groups[one].droplevel("condition") for one in kept])
    several = chosen.groupby(level="seed").size()
    summed = chosen.groupby(level="seed").sum()[several == len(kept)]
    return lift(summed["errors"], summed["against"], np.ones(len(summed))), kept


def _pooled(lifts: list[Lift]) -> Estimate | None:
    """One number of several mechanisms; of one alone its own interval between models."""
    if not lifts:
        return None
    models = sum(len(one.models) for one in lifts)
    if len(lifts) == 1:
        return Estimate(lifts[0].value, lifts[0].low, lifts[0].high, models)
    if any(not one.log_error > 0 for one in lifts):
        return None
    found = combined([np.log(one.value) for one in lifts], [one.log_error for one in lifts])
    return Estimate(found.value, found.low, found.high, models)
