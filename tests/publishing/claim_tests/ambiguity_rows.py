"""Rows of networks and sets of which what the AmbiGuess paper says is true, and what makes each of its claims fail."""

from itertools import product

import pandas as pd
from mlm_rows import plus, put, wobble

from mistrust import rows as tidy

SETS = ("mnist", "fmnist")
ARCHITECTURES = ("ambiguess-conv", "ambiguess-fc")
AMBIGUOUS = "ambiguous/ambiguess"
# Top-1, top-2, top-pair, entropy, excess entropy by data and condition, after mixed training.
TABLE_I = {
    ("mnist", AMBIGUOUS): (0.50, 0.9799, 0.9537, 1.22, 0.235),
    ("fmnist", AMBIGUOUS): (0.50, 0.945, 0.8671, 1.33, 0.345),
    ("mnist", "nominal"): (0.9698, 0.99, None, 0.15, None),
    ("fmnist", "nominal"): (0.8843, 0.96, None, 0.35, None),
}
METRICS = ("top-1", "top-2", "top-pair", "entropy", "excess entropy")
CLEAN = {"mnist": 0.9742, "fmnist": 0.8837}


def performance(seeds):
    """Rows by architecture and seed, and their means over architectures."""
    found = []
    for (data, condition), values in TABLE_I.items():
        for metric, value in zip(METRICS, values, strict=True):
            if value is None:
                continue
            clean = CLEAN[data] if (condition, metric) == ("nominal", "top-1") else value - 0.01
            for method, mean in (("mixed", value), ("clean", clean)):
                where = {"table": "performance", "data": data, "method": method, "condition": condition}
                found += of_networks(seeds, mean, {**where, "metric": metric})
    return found


def of_networks(seeds, mean, where):
    """A value of every architecture and seed, and one per seed over architectures: a little different each."""
    names = (*ARCHITECTURES, "all")
    return [
        {**where, "network": name, "seed": seed, "value": mean + 10 * wobble(seed, name + str(where))}
        for name in names
        for seed in seeds
    ]


def alone(table, value, half, **where):
    """A row with an interval of its own."""
    return {"table": table, "value": value, "low": value - half, "high": value + half, "over": "images", **where}


def strips():
    """A plane in which ten digits lie side by side: but for neighbours, a third digit is between any two."""
    cells = [(x, y) for x in range(20) for y in range(5)]
    return [
        {"table": "vae-plane", "data": "mnist", "metric": "largest", "value": 0.9,
         "at": f"z0={x / 10 - 1:.2f},z1={y / 2 - 1:.2f}", "condition": str(x // 2)}
        for x, y in cells
    ]  # fmt: skip


def of_sets():
    """Rows that have one interval each, over images or autoencoders."""
    found = [
        {"table": "natural", "data": "mnist", "metric": "candidates", "value": 300},
        {"table": "natural", "data": "mnist", "metric": "count", "value": 16},
        {"table": "sets", "data": "mnist", "method": "ambiguess", "condition": "test",
         "metric": "largest probability", "value": 0.60},
        {"table": "sets", "data": "mnist", "method": "ambiguous-mnist", "condition": "test",
         "metric": "unambiguous", "value": 0.37},
        alone("calibration", 0.06, 0.01, data="glyphs", condition="known world", method="normalised",
              metric="absolute error"),
    ]  # fmt: skip
    for data in SETS:
        found += [
            {"table": "natural", "data": data, "metric": "entropy", "at": f"id={rank}", "level": rank, "value": 1.0,
             "condition": ("4/9", "4/9", "3/5", "3/5")[rank % 4]}
            for rank in range(1, 33)
        ]  # fmt: skip
        low = 0.1 if data == "fmnist" else 0.0
        for metric, value in (
            ("auroc entropy", 0.96),
            ("auroc density", 0.86),
            ("ambiguous", 0.85 - low),
            ("bad", 0.1),
            ("share on pair", 0.95),
        ):
            found.append(alone("oddness", value, 0.01, data=data, method="ambiguess", metric=metric))
        found.append(alone("oddness", 0.85, 0.01, data=data, method="midpoint", metric="share on pair"))
        where = {"data": data, "method": "normalised", "metric": "ambiguous at the origin"}
        found.append(alone("labels", 0.9, 0.05, level=0.25, **where))
        found.append(alone("labels", 0.03, 0.01, data=data, method="prior", metric="mean difference"))
        where = {"data": data, "condition": "ensemble", "method": "normalised", "metric": "slope"}
        found.append(alone("calibration", 1.0, 0.05, **where))
        for metric in ("pair distance", "pair distance, 10% quantile", "nearest neighbour"):
            where = {"data": data, "method": "jacobian minus uniform", "metric": metric}
            found += [alone("diversity", value, 0.02, level=z, **where) for z, value in ((3, -0.1), (5, 0.1))]
        for metric, value in (("codes between", 0.02),):
            for pair, seed in product(range(8), range(2)):
                where = {"data": data, "metric": metric, "seed": seed, "at": f"{pair}/9"}
                found.append({"table": "autoencoders", "value": value, **where})
        for seed in range(8):
            for at, share in (("4/9", 1), ("3/8", 1), ("all classes", 2)):
                for metric, value in (("steps to converge", 500), ("parameters", 200_000)):
                    where = {"data": data, "metric": metric, "seed": seed, "at": at}
                    where["condition"] = at if share == 2 else "two classes"
                    found.append({"table": "convergence", "value": share * value + seed, **where})
    return found + strips()


def as_said(seeds=range(6)):
    """Rows of which all that sections I to VI say is true."""
    return tidy.table([*performance(seeds), *of_sets()], chapter="ambiguity", profile="full")


def moved(value, **where):
    """Another value, the interval as wide as before."""

    def alter(rows):
        found = tidy.select(rows, **where).index
        assert len(found), where
        step = value - rows.loc[found, "value"]
        for column in ("value", "low", "high"):
            rows.loc[found, column] += step
        return rows

    return alter


def widened(**where):
    """Intervals so wide that they say nothing."""

    def alter(rows):
        found = tidy.select(rows, **where).index
        rows.loc[found, ["low", "high"]] = [-100.0, 100.0]
        return rows

    return alter


def spread(first):
    """Naturally ambiguous images of MNIST from this rank on, each of another pair."""

    def alter(rows):
        found = tidy.select(rows, table="natural", data="mnist", metric="entropy")
        found = found[found["level"] >= first]
        rows.loc[found.index, "condition"] = [f"{rank // 10}/{rank % 10}" for rank in range(len(found))]
        return rows

    return alter


def corners(rows):
    """A plane in which nothing is clear but ten spots on a circle: no way between two leads through a third."""
    plane = rows["table"] == "vae-plane"
    rows.loc[plane, "value"] = 0.3
    spots = ["z0=-1.00,z1=-1.00", "z0=0.90,z1=-1.00", "z0=-1.00,z1=1.00", "z0=0.90,z1=1.00"]
    for i, at in enumerate(spots):
        rows.loc[plane & (rows["at"] == at), "condition"] = str(i)
        rows.loc[plane & (rows["at"] == at), "value"] = 0.9
    return rows


def performing(value, data, metric, condition=AMBIGUOUS, method="mixed"):
    where = {"table": "performance", "data": data, "metric": metric, "condition": condition, "method": method}
    return plus(value, **where)


def odd(value, metric, data="mnist"):
    return moved(value, table="oddness", data=data, metric=metric)


def even(metric):
    return moved(-0.1, table="diversity", level=5.0, metric=metric, data="fmnist")


# What makes each claim fail.
FAILS = {
    "ambiguess-natural-scarce": put(90, table="natural", metric="count"),
    "ambiguess-natural-eighteen": put(90, table="natural", metric="count"),
    "ambiguess-at-frontier": odd(0.7, "auroc entropy", "fmnist"),
    "ambiguess-vae-third-class": corners,
    "ambiguess-two-classes-easier": put(100, table="convergence", metric="steps to converge", at="all classes"),
    "ambiguess-no-third-class": moved(0.5, table="oddness", metric="share on pair", method="ambiguess", data="mnist"),
    "ambiguess-natural-some-pairs": spread(1),
    "ambiguess-clusters-apart": put(0.2, table="autoencoders", metric="codes between"),
    "ambiguess-middle-ambiguous": moved(0.2, table="labels", metric="ambiguous at the origin", data="fmnist"),
    "ambiguess-label-is-posterior": moved(0.3, table="labels", method="prior", data="mnist"),
    "ambiguess-label-fits-judges": moved(4.0, table="calibration", condition="ensemble", data="mnist"),
    "ambiguess-label-true-in-known-world": moved(0.3, table="calibration", condition="known world"),
    "ambiguess-diverse-on-average": even("pair distance"),
    "ambiguess-diverse-among-similar": even("pair distance, 10% quantile"),
    "ambiguess-diverse-nearest": even("nearest neighbour"),
    "ambiguess-top-1-lower": performing(-0.3, "fmnist", "top-1", "nominal"),
    "ambiguess-clean-lower-top-1": performing(0.1, "mnist", "top-1", method="clean"),
    "ambiguess-clean-out-of-distribution": odd(0.5, "auroc density"),
    "ambiguess-doubt-from-ambiguity": performing(0.6, "fmnist", "excess entropy"),
    "ambiguess-clean-in-line": performing(-0.2, "fmnist", "top-pair", method="clean"),
    "ambiguess-cost-negligible": performing(-0.05, "mnist", "top-1", "nominal"),
    "ambiguess-nominal-accuracy": performing(0.03, "fmnist", "top-1", "nominal", "clean"),
    "ambiguess-top-1-half": performing(0.2, "fmnist", "top-1"),
    "ambiguess-top-2-as-nominal": performing(-0.2, "mnist", "top-2"),
    "ambiguess-top-pair-mnist": performing(-0.1, "mnist", "top-pair"),
    "ambiguess-top-pair-fashion": performing(0.1, "fmnist", "top-pair"),
    "ambiguess-entropy-higher": performing(-0.8, "fmnist", "entropy"),
    "ambiguess-below-ambiguous-mnist": performing(0.3, "mnist", "top-1"),
    "ambiguess-harder-than-ambiguous-mnist": performing(0.08, "mnist", "top-1"),
    "ambiguess-top-2-above-ambiguous-mnist": performing(-0.06, "mnist", "top-2"),
    "ambiguess-ambiguous-mnist-one-class": put(0.38, table="sets", metric="unambiguous"),
    "ambiguess-entropy-above-ambiguous-mnist": performing(0.2, "mnist", "excess entropy"),
    "ambiguess-few-bad": odd(0.5, "bad"),
    "ambiguess-fashion-seldom-ambiguous": odd(0.9, "ambiguous", "fmnist"),
    "ambiguess-fashion-both-classes": odd(0.8, "bad", "fmnist"),
    "ambiguess-top-2-near-all": performing(-0.1, "fmnist", "top-2"),
}
# Claims that printed numbers decide: what is printed is no matter of chance, and leaves nothing open.
PRINTED = ["ambiguess-ambiguous-mnist-one-class"]
# What leaves a claim open where no number of networks does: a wide interval, or about as many for it as against it.
OPEN = {
    "ambiguess-natural-scarce": put(28, table="natural", metric="count"),
    "ambiguess-natural-eighteen": put(10, table="natural", metric="count"),
    "ambiguess-natural-some-pairs": spread(17),
    "ambiguess-vae-third-class": lambda rows: rows[
        (rows["table"] != "vae-plane") | rows["condition"].isin(list("012345"))
    ].reset_index(drop=True),
    "ambiguess-two-classes-easier": put(
        100, table="convergence", metric="parameters", at="all classes", seed=[0, 1, 2, 3]
    ),
    "ambiguess-clusters-apart": put(0.2, table="autoencoders", metric="codes between", seed=[0]),
} | {
    f"ambiguess-{claim}": widened(table=table)
    for claim, table in {
        "at-frontier": "oddness", "middle-ambiguous": "labels", "label-is-posterior": "labels",
        "label-fits-judges": "calibration", "label-true-in-known-world": "calibration",
        "diverse-on-average": "diversity", "diverse-among-similar": "diversity", "diverse-nearest": "diversity",
        "clean-out-of-distribution": "oddness", "few-bad": "oddness", "fashion-seldom-ambiguous": "oddness",
        "no-third-class": "oddness", "fashion-both-classes": "oddness",
    }.items()
}  # fmt: skip
# Claims of networks, which those of one data set that disagree leave open.
BY_NETWORK = [name for name in FAILS if name not in (*OPEN, *PRINTED)]


# What makes each claim of printed numbers be judged the other way.
def printed_as(to, **where):
    return put(to, **where)


def adding_up_to_one(rows):
    """Clusters that lie nearer: both densities add up to 1 at their centres, and halfway between them as well."""
    for which, mean in (("first", -0.4593), ("second", 0.4593)):
        rows = put(mean, table="text", metric="mean", at=which)(rows)
    return put(0.41602, table="text", metric="standard deviation")(rows)


def by_the_formula(rows):
    for metric in ("gradient of the energy", "cells transposed"):
        rows = put(0, table="code", metric=metric)(rows)
    return rows


def with_top_pair(rows):
    """AmbiguousMNIST has a top-pair accuracy, too, and a lower one."""
    theirs = rows[rows["condition"].eq("ambiguous/ambiguous-mnist") & rows["metric"].eq("top-2")]
    return pd.concat([rows, theirs.assign(metric="top-pair", value=0.8)], ignore_index=True)


def counted_at_the_end(rows):
    for metric in ("accuracy over all steps", "cut of logits"):
        rows = put(0, table="code", metric=metric)(rows)
    return rows


OTHERWISE = {
    "discriminator-checked": counted_at_the_end,
    "data-released": printed_as(1, table="code", metric="data sets on the hub"),
    "pairs-exponential": printed_as(803, table="text", metric="pairs", level=30),  # 190 x 190 / 45 = 802.2
    "density-is-posterior": adding_up_to_one,
    "labels-normalised": printed_as(0, table="code", metric="softmax of logits"),
    "cells-by-gradient": by_the_formula,
    "four-indicators": with_top_pair,
}
OTHERWISE = {f"ambiguess-{name}": change for name, change in OTHERWISE.items()}
PRINTED_HOLDS = ("ambiguess-data-released",)
