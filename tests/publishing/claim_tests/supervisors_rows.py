"""Rows of which what section VII of the AmbiGuess paper says is true, and what makes each of its claims fail."""

from itertools import combinations, product

import pandas as pd
from mlm_rows import wobble
from printed_numbers import printed_as

from mistrust import rows as tidy
from mistrust.publishing.claim_tests.supervisors.attacked import AS_PUBLISHED, SOFTMAX
from mistrust.publishing.claim_tests.supervisors.reading import (
    ADVERSARIAL,
    AMBIGUOUS,
    CORRUPTED,
    DROPOUT,
    ENSEMBLES,
    INVALID,
    KINDS,
    OUTLIER,
    PLAIN,
    SIXTEEN,
    SOFTMAX_BASED,
    SURPRISE,
    TITLES,
    UNKNOWN,
)
from mistrust.supervisors.tables.evaded import ALONE, TOO

CONV, FC = "ambiguess-conv", "ambiguess-fc"
LIKE_MEAN = [name for name in DROPOUT if name != "mc_variation_ratio"]
# Plain softmax, VR, the other three on samples, ensembles, Dissector, DSA, LSA, MDSA, autoencoder.
LINES = [PLAIN, ["mc_variation_ratio"], LIKE_MEAN, ENSEMBLES, *([name] for name in ("dissector", *OUTLIER))]
VALUES = {
    ("mnist", AMBIGUOUS): (0.985, 0.97, 0.985, 0.985, 0.98, 0.40, 0.17, 0.31, 0.45),
    ("mnist", ADVERSARIAL): (0.82, 0.58, 0.62, 0.30, 0.84, 0.93, 0.85, 0.94, 0.95),
    ("mnist", CORRUPTED): (0.78, 0.70, 0.79, 0.77, 0.77, 0.88, 0.82, 0.86, 0.84),
    ("mnist", INVALID): (0.962, 0.966, 0.963, 0.96, 0.968, 0.985, 0.945, 0.985, 0.998),
    ("fmnist", AMBIGUOUS): (0.94, 0.93, 0.94, 0.93, 0.92, 0.31, 0.16, 0.32, 0.47),
    ("fmnist", ADVERSARIAL): (0.815, 0.52, 0.54, 0.30, 0.84, 0.85, 0.83, 0.86, 0.84),
    ("fmnist", CORRUPTED): (0.71, 0.66, 0.73, 0.74, 0.72, 0.87, 0.82, 0.83, 0.77),
    ("fmnist", INVALID): (0.73, 0.72, 0.77, 0.74, 0.75, 0.965, 0.96, 0.97, 0.55),
}
BASE = {
    (data, kind, name): value
    for (data, kind), values in VALUES.items()
    for names, value in zip(LINES, values, strict=True)
    for name in names
}
BASE |= {("fmnist", kind, "knn"): 0.5 for kind in (INVALID, CORRUPTED)}  # a seventeenth, of which one sentence speaks


def deviation(cell):
    """What runs of one architecture differ by."""
    value = BASE[cell]
    if cell[1:] == (AMBIGUOUS, "lsa"):
        return 0.06
    return 0.016 if value < 0.95 else 0.3 * (1 - value)


def as_said(runs=3, base=BASE, spread=deviation):
    """Rows of single classifiers; the two architectures differ from run to run in opposite ways, their mean hardly.

    Beside them stand rows that say the contrary and that no claim may read.
    """
    records = []
    for cell, value in base.items():
        where = dict(zip(("data", "condition", "method"), cell, strict=True))
        for sign, network in ((1, CONV), (-1, FC)):
            for seed in range(runs):
                shift = sign * (seed % 3 - 1) * spread(cell) + wobble(seed, network + str(cell))
                records.append({**where, "network": network, "seed": seed, "value": value + shift})
        for network, seed in (("ambiguess-fc-relu", 0), ("ambiguess-fc-relu", 1), ("densenet-se", 0), ("all", None)):
            records.append({**where, "network": network, "seed": seed, "value": 1 - value, "over": "images"})
    energy = [{**one, "method": "energy", "value": 0.5} for one in records if one["method"] == "lsa"]
    fpr = [{**one, "metric": "fpr", "value": 0.5} for one in records if one["seed"] == 0]
    common = {"chapter": "supervisors", "profile": "full", "table": "detection", "metric": "auroc"}
    return tidy.table(
        [*records, *energy, *fpr, *made_otherwise(runs), *attacked_knowing(runs), *two_as_one(), *timed()], **common
    )


def made_otherwise(runs):
    """Rows of another table: an autoencoder's squared error, and surprise fitted on nominal images alone."""
    for data in TITLES:
        for network, value in ((CONV, 0.502), (FC, 0.498), ("ambiguess-fc-relu", 0.99)):
            for seed in range(runs):
                one = {"data": data, "network": network, "seed": seed, "value": value + wobble(seed, network + data)}
                yield {**one, "table": "variants", "condition": INVALID, "method": "autoencoder/mse"}
                for name in SURPRISE:
                    alone = {
                        **one,
                        "condition": AMBIGUOUS,
                        "method": f"{name}/nominal only",
                        "value": one["value"] + 0.2,
                    }
                    yield {**alone, "table": "variants"}


def their_way(softmax, outlier, networks=(CONV, FC), entropy=None):
    """More rows: of images attacked in the authors' way, what each supervisor has; by image set where it is a dict."""

    def alter(rows):
        found = []
        values = dict.fromkeys(OUTLIER, outlier) | dict.fromkeys(SOFTMAX, softmax)
        values |= {} if entropy is None else {"softmax_entropy": entropy}
        for data, network, (name, value) in product(TITLES, networks, values.items()):
            one = {"data": data, "network": network, "method": name, "seed": 0, "condition": AS_PUBLISHED}
            found.append({**one, "value": value[data] if isinstance(value, dict) else value})
        more = tidy.table(found, chapter="supervisors", profile="full", table="other-sets", metric="auroc")
        return pd.concat([rows, more], ignore_index=True)

    return alter


def attacked_knowing(runs):
    """Rows of attacks that know the supervisor, and of those that do not, which say the contrary."""
    for data, (network, sign), seed in product(TITLES, ((CONV, 1), (FC, -1), ("ambiguess-fc-relu", 0)), range(runs)):
        for name, level in product(("max_softmax", *OUTLIER, "dissector"), (0.02, 0.08)):
            value = (0.7 if name == "max_softmax" else 0.2) + 0.1 * sign + level + wobble(seed, network + data + name)
            one = {"data": data, "network": network, "seed": seed, "method": name, "level": level, "table": "evaded"}
            yield {**one, "metric": "share unnoticed", "condition": TOO, "value": value if sign else 1.0, "n": 50}
            alone = 0.3 if name == "max_softmax" else 0.9
            yield {**one, "metric": "share unnoticed", "condition": ALONE, "value": alone, "n": 50}


def two_as_one():
    """Rows of pairs, means over networks and runs: well where one reads a softmax and the other does not."""
    for data, (first, second) in product(TITLES, combinations(sorted(SIXTEEN), 2)):
        value = 0.85 if len({first, second} & {*OUTLIER}) == 1 else 0.6
        one = {"data": data, "network": "all", "method": f"{first} + {second}", "condition": "every kind", "n": 3}
        one |= {"value": value, "low": value - 0.02, "high": value + 0.02, "over": "models", "table": "together"}
        yield {**one, "metric": "least auroc"}
        yield {**one, "metric": "mean auroc", "value": 0.5, "low": 0.49, "high": 0.51}


def timed():
    """Rows of benchmarks: MDSA and the autoencoder are fast, plain softmax still faster, and DSA is slow."""
    apart = {"dsa": 200.0, "mdsa": 20.0, "autoencoder": 20.0, **dict.fromkeys(PLAIN, 1.0)}
    for (condition, passed), workers in product((("alone", 10.0), ("one record", 0.0)), ("1 threads", "2 threads")):
        for number, name in enumerate(SIXTEEN):
            time = {"metric": "microseconds an image", "value": apart.get(name, 60.0 + number) + passed, "at": workers}
            yield {"table": "supervisors", "method": name, "condition": condition, "data": "mnist5k", **time}
    for name, seconds in (("dsa", 0.5), ("mdsa", 0.1)):
        at = f"{name}, 1 threads, 1000 queries"
        yield {"table": "surprise", "method": "mistrust", "at": at, "metric": "seconds", "value": seconds}
    for power in range(4):
        size, at = {"level": 10.0 ** (3 + power), "value": 0.02 * 9.0**power}, "growth, dsa"
        yield {"table": "surprise", "method": "mistrust", "at": at, "metric": "seconds", **size}


def ours(rows):
    """Which rows the paper's architectures have that all runs are of."""
    return rows["network"].isin([CONV, FC]) & rows["metric"].eq("auroc") & rows["table"].eq("detection")


def moved(to, methods, kinds=KINDS, data=tuple(TITLES)):
    """The mean of these numbers is another."""

    def alter(rows):
        for cell in [cell for cell in BASE if cell[0] in data and cell[1] in kinds and cell[2] in methods]:
            found = ours(rows)
            for column, value in zip(("data", "condition", "method"), cell, strict=True):
                found &= rows[column].eq(value)
            assert found.any(), cell
            rows.loc[found, "value"] += to - rows.loc[found, "value"].mean()
        return rows

    return alter


def at(to, method, kind, data):
    return moved(to, [method], [kind], [data])


def several(*changes):
    def alter(rows):
        for change in changes:
            rows = change(rows)
        return rows

    return alter


def spread(factor, data=tuple(TITLES), methods=SIXTEEN, kinds=KINDS, networks=(CONV, FC)):
    """Runs differ by so many times more."""

    def alter(rows):
        found = ours(rows) & rows["data"].isin(data) & rows["method"].isin(methods) & rows["condition"].isin(kinds)
        found &= rows["network"].isin(networks)
        by = rows[found].groupby(["data", "condition", "method", "network"])["value"]
        rows.loc[found, "value"] += (factor - 1) * (rows.loc[found, "value"] - by.transform("mean"))
        return rows

    return alter


def one_autoencoder(rows):
    """All runs share it, so that its numbers are the same but on adversarial images, which differ by run."""
    found = rows["network"].isin([CONV, FC]) & rows["method"].isin(["autoencoder", "autoencoder/mse"])
    found &= rows["condition"].ne(ADVERSARIAL)
    rows.loc[found, "value"] = rows[found].groupby(["data", "condition", "method"])["value"].transform("mean").round(6)
    return rows


def as_network(name, like):
    """Another network has all runs, with the numbers of one that has them."""

    def alter(rows):
        copied = rows[ours(rows) & rows["network"].eq(like)]
        others = rows[rows["network"] != name]
        return tidy.table([*others.to_dict("records"), *copied.assign(network=name).to_dict("records")])

    return alter


def turned(rows):
    """One architecture orders the supervisors the other way round."""
    found = ours(rows) & rows["network"].eq(FC)
    rows.loc[found, "value"] = 1 - rows.loc[found, "value"]
    return rows


def elsewhere(table, to):
    """The mean of another table's numbers is another."""

    def alter(rows):
        found = rows["table"].eq(table) & rows["network"].isin([CONV, FC])
        rows.loc[found, "value"] += to - rows.loc[found, "value"].mean()
        return rows

    return alter


def evading(method, to, condition=TOO):
    """Who knows this supervisor, or the network alone, gets such a share past it."""

    def alter(rows):
        found = rows["table"].eq("evaded") & rows["method"].eq(method) & rows["condition"].eq(condition)
        assert found.any()
        rows.loc[found, "value"] = to
        return rows

    return alter


def times(factor, method, table="supervisors", workers="", condition=None):
    """So many times as long, in one way of measuring or in all."""

    def alter(rows):
        found = rows["table"].eq(table) & (rows["method"].eq(method) | rows["at"].str.startswith(f"{method}, "))
        found &= rows["at"].str.contains(workers, regex=False)
        found &= True if condition is None else rows["condition"].eq(condition)
        assert found.any()
        rows.loc[found, "value"] *= factor
        return rows

    return alter


def grown(*factors):
    """DSA's time by training rows, from few to many, so many times as long."""

    def alter(rows):
        found = rows["at"].eq("growth, dsa")
        rows.loc[found, "value"] *= list(factors)
        return rows

    return alter


def level_pegging(data):
    """On ambiguous images neither group leads, so that what scatters most makes the order."""
    return moved(0.9, [*SOFTMAX_BASED, *OUTLIER], [AMBIGUOUS], data)


def in_one_order(kind):
    """On digits, what is ambiguous and what is of another kind is detected best by the same."""
    low = {name: 0.3 + BASE["mnist", AMBIGUOUS, name] / 3 for name in OUTLIER}
    low |= {"mc_variation_ratio": 0.5, "dissector": 0.52}
    return several(*(at(value, name, kind, "mnist") for name, value in low.items()))


EIGHT = (*PLAIN, *DROPOUT)
steady = spread(0.1, methods=["lsa"], kinds=[AMBIGUOUS])
# What makes each claim fail.
FAILS = {
    "ambiguous-in-distribution": moved(0.8, SURPRISE, [AMBIGUOUS], ["mnist"]),
    "complementary": moved(0.5, OUTLIER, [CORRUPTED], ["fmnist"]),
    "aleatoric-not-implied": in_one_order(INVALID),
    "aleatoric-opposite": in_one_order(INVALID),
    "only-softmax-sees-ambiguity": at(0.9, "dsa", AMBIGUOUS, "mnist"),
    "softmax-four-alike": at(0.6, "deep_gini", CORRUPTED, "mnist"),
    "quantifiers-alike": at(0.5, "ensemble_mutual_information", INVALID, "fmnist"),
    "softmax-sees-ambiguity": at(0.6, "softmax_entropy", AMBIGUOUS, "fmnist"),
    "indirect-softmax-sees-ambiguity": at(0.6, "dissector", AMBIGUOUS, "mnist"),
    "ood-blind-to-ambiguity": at(0.8, "autoencoder", AMBIGUOUS, "mnist"),
    "ood-barely-above-chance": moved(0.6, ["autoencoder", "dsa"], [AMBIGUOUS], ["mnist"]),
    "surprise-low-on-ambiguous": at(0.6, "lsa", AMBIGUOUS, "mnist"),
    "surprise-detects-ood": at(0.6, "lsa", CORRUPTED, "fmnist"),
    "adversarial-ood-reliable": at(0.7, "lsa", ADVERSARIAL, "mnist"),
    "adversarial-softmax-good-mnist": moved(0.6, EIGHT, [ADVERSARIAL], ["mnist"]),
    "adversarial-softmax-less-fashion": moved(0.9, EIGHT, [ADVERSARIAL], ["fmnist"]),
    "adversarial-minimal-easy": at(0.7, "prediction_confidence_score", ADVERSARIAL, "mnist"),
    "adversarial-softmax-deceived": moved(0.9, EIGHT, [ADVERSARIAL], ["mnist"]),
    "adversarial-ood-more-reliable": at(0.7, "lsa", ADVERSARIAL, "fmnist"),
    "adversarial-dissector-more-reliable": at(0.6, "dissector", ADVERSARIAL, "mnist"),
    "corrupted-comparable": several(
        moved(0.5, EIGHT, [CORRUPTED], ["mnist"]),
        moved(0.95, [name for name in SIXTEEN if name not in EIGHT], [CORRUPTED], ["mnist"]),
    ),
    "corrupted-dsa-superior": at(0.75, "dsa", CORRUPTED, "fmnist"),
    "corrupted-dsa-alone": at(0.865, "mdsa", CORRUPTED, "fmnist"),
    "corrupted-softmax-less-fashion": moved(0.5, SOFTMAX_BASED, [CORRUPTED], ["mnist"]),
    "corrupted-dsa-best": at(0.95, "mdsa", CORRUPTED, "mnist"),
    "corrupted-mdsa-near-dsa": at(0.7, "mdsa", CORRUPTED, "fmnist"),
    "invalid-mnist-easier": moved(0.99, SIXTEEN, [INVALID], ["fmnist"]),
    "invalid-mnist-near-one": at(0.8, "max_softmax", INVALID, "mnist"),
    "invalid-softmax-suffers": moved(0.95, SOFTMAX_BASED, [INVALID], ["fmnist"]),
    "invalid-features-collapse": at(0.9, "knn", INVALID, "fmnist"),
    "invalid-surprise-perfect": at(0.9, "dsa", INVALID, "fmnist"),
    "invalid-autoencoder-mnist": at(0.9, "autoencoder", INVALID, "mnist"),
    "invalid-autoencoder-fashion": at(0.8, "autoencoder", INVALID, "fmnist"),
    "adversarial-stronger-ineffective": evading("max_softmax", 0.3),
    "adversarial-not-immune": evading("dsa", 0.01),
    "adversarial-specific-harder": evading("lsa", 0.9),
    "adversarial-depends-on-data": evading("max_softmax", 0.78, ALONE),  # as many as where attacks go on
    "invalid-autoencoder-rebuilds": elsewhere("variants", 0.9),
    "invalid-autoencoder-no-option": at(0.8, "autoencoder", INVALID, "fmnist"),
    "invalid-mdsa-reliable": at(0.7, "mdsa", INVALID, "fmnist"),
    "softmax-above-chance": at(0.4, "ensemble_mutual_information", CORRUPTED, "fmnist"),
    "softmax-strength-ambiguity": moved(0.995, SOFTMAX_BASED, [INVALID], ["mnist"]),
    "softmax-inferior-on-epistemic": moved(0.9, OUTLIER, [INVALID], ["mnist"]),
    "sd-mean": spread(4),
    "sd-most-negligible": spread(6),
    "sd-few-large": spread(6),
    "five-enough": spread(6),
    "sd-large-where-low": several(steady, spread(20, ["mnist"], PLAIN, [AMBIGUOUS])),
    "sd-harmless": level_pegging(tuple(TITLES)),
    "every-kind-detected": moved(0.7, SIXTEEN, [ADVERSARIAL], ["fmnist"]),
    "no-supervisor-for-all": moved(0.9, ["dsa"]),
    "architectures-agree": turned,
    "softmax-very-well-on-ambiguity": at(0.8, "ensemble_mean_softmax", AMBIGUOUS, "mnist"),
    "softmax-disadvantages": moved(0.7, OUTLIER, [ADVERSARIAL]),
    "ood-often-better": moved(0.5, OUTLIER, UNKNOWN),
}
FAILS = {f"ambiguess-{name}": change for name, change in FAILS.items()}
# What leaves claims on standard deviations open: the architectures disagree on one of the two sets.
OPEN = dict.fromkeys(["sd-mean", "sd-most-negligible", "sd-few-large", "five-enough"], spread(8, ["fmnist"]))
# One exception of those that are counted may be that one's own.
OPEN["sd-large-where-low"] = spread(20, ["mnist"], PLAIN[:1], [AMBIGUOUS], [CONV])
OPEN["sd-harmless"] = several(level_pegging(["mnist"]), spread(0.1, ["mnist"], ["lsa"], [AMBIGUOUS], [FC]))
OPEN = {f"ambiguess-{name}": change for name, change in OPEN.items()}
BY_RUN = [name for name in FAILS if name not in OPEN]
# Of three runs never decided: the interval of so few runs' standard deviation is too wide.
MANY = "ambiguess-sd-highest"
# What is counted over measurements of time: no run, no architecture. What makes it fail, and what leaves it open.
TIMED = {
    "mdsa-much-faster": (several(times(20, "mdsa"), times(20, "mdsa", "surprise")), times(20, "mdsa", "surprise")),
    "mdsa-fast": (times(20, "mdsa"), times(20, "mdsa", workers="1 threads")),
    "autoencoder-fast": (times(20, "autoencoder"), times(20, "autoencoder", workers="2 threads")),
    "softmax-fast": (times(20, "deep_gini"), times(20, "max_softmax", workers="1 threads")),
    "dsa-grows-linearly": (grown(1, 3, 9, 27), grown(1, 1, 1, 0.5)),
}
TIMED = {f"ambiguess-{name}": changes for name, changes in TIMED.items()}


def paired(to, *names, data=tuple(TITLES)):
    """Pairs detect their networks' weakest kind so well: those of these two, or all."""

    def alter(rows):
        found = rows["metric"].eq("least auroc") & rows["data"].isin(data)
        found &= rows["method"].eq(" + ".join(names)) if names else True
        assert found.any()
        rows.loc[found, ["value", "low", "high"]] = [to, to - 0.02, to + 0.02]
        return rows

    return alter


# Read from means over networks and runs: what makes it fail, and what leaves it open.
OF_MEANS = {"ambiguess-several-for-all": (paired(0.6, data=["fmnist"]), paired(0.6, "max_softmax", "mdsa"))}


def printed(table, runs=3):
    """Rows by Table II, where those that it does not print are like those that the caption names."""
    base = {(one.data, one.condition, one.method): one.value for one in table.itertuples()}
    alike = dict.fromkeys(PLAIN[1:], "max_softmax")
    alike |= dict.fromkeys(LIKE_MEAN, "mc_mean_softmax") | dict.fromkeys(ENSEMBLES, "ensemble_mean_softmax")
    for data, kind in VALUES:
        for name, like in alike.items():
            if (data, kind, like) in base:
                base[data, kind, name] = base[data, kind, like]
    return as_said(runs, base, lambda _: 0.002)


# What makes each claim of printed numbers be judged the other way.
OTHERWISE = {
    "autoencoder-without-classifier": printed_as(1, table="code", metric="outputs of the classifier"),
    "ensemble-not-attacked": printed_as(1, table="code", metric="members that were attacked"),
    "adversarial-minimal": printed_as(*(0.001 * 2**step for step in range(13)), metric="strength of attacks"),
    "four-attacks": printed_as(3, table="code", metric="attacks"),
    "fully-connected-dnn": printed_as(3, metric="hidden layers with an activation"),
    "ensemble-retrained": printed_as(20, metric="members like the network"),
    "dissector-each-layer": printed_as(3, metric=["sub-models", "sub-models that count"]),
    "dsa-share": printed_as(0.3, table="code", metric="share of training rows"),
    "numbers-reported": printed_as(512, table="text", metric="standard deviations", at="all"),
    "sd-small-everywhere": printed_as(0, table="text", metric="standard deviations", at="above 0.05"),
}
OTHERWISE = {f"ambiguess-{name}": change for name, change in OTHERWISE.items()}
PRINTED_HOLDS = ("autoencoder-without-classifier", "ensemble-not-attacked", "four-attacks", "numbers-reported")
PRINTED_HOLDS = tuple(f"ambiguess-{name}" for name in PRINTED_HOLDS)
# What the authors' way of attacking gives in `their_way`, by claim, where it contradicts what is said.
CONTRARY = {
    "surprise-detects-ood": (0.9, 0.5),
    "adversarial-ood-reliable": (0.9, 0.5),
    "adversarial-softmax-good-mnist": (0.6, 0.5),
    "adversarial-softmax-less-fashion": ({"mnist": 0.7, "fmnist": 0.9}, 0.5),
    "adversarial-softmax-deceived": (0.9, 0.5),
    "adversarial-ood-more-reliable": (0.9, 0.5),
    "softmax-above-chance": (0.4, 0.5),
    "softmax-strength-ambiguity": (0.999, 0.5),
    "softmax-inferior-on-epistemic": (0.9, 0.5),
    "softmax-disadvantages": (0.9, 0.5),
    "aleatoric-not-implied": (0.9, 0.5),
    "aleatoric-opposite": (0.9, 0.5),
}
CONTRARY = {f"ambiguess-{name}": values for name, values in CONTRARY.items()}
# What they give where it bears out what is said.
ALIKE = dict.fromkeys(CONTRARY, (0.75, 0.9))
ALIKE["ambiguess-adversarial-softmax-deceived"] = (0.65, 0.9)
ALIKE["ambiguess-adversarial-softmax-less-fashion"] = ({"mnist": 0.9, "fmnist": 0.7}, 0.5)
# Sentences on one kind of attack, or on what was not tried so.
OF_ONE_KIND = ("adversarial-minimal-easy", "adversarial-dissector-more-reliable", "quantifiers-alike")
OF_ONE_KIND = tuple(f"ambiguess-{name}" for name in OF_ONE_KIND)
# What our adversarial images alone make of each.
REFUTED = {
    "surprise-detects-ood": at(0.6, "lsa", ADVERSARIAL, "mnist"),
    "adversarial-ood-reliable": at(0.7, "lsa", ADVERSARIAL, "mnist"),
    "adversarial-softmax-good-mnist": moved(0.6, EIGHT, [ADVERSARIAL], ["mnist"]),
    "adversarial-softmax-less-fashion": moved(0.9, EIGHT, [ADVERSARIAL], ["fmnist"]),
    "adversarial-softmax-deceived": moved(0.9, EIGHT, [ADVERSARIAL], ["mnist"]),
    "adversarial-ood-more-reliable": at(0.7, "lsa", ADVERSARIAL, "fmnist"),
    "softmax-above-chance": at(0.4, "max_softmax", ADVERSARIAL, "fmnist"),
    "softmax-strength-ambiguity": moved(0.995, SOFTMAX_BASED, [ADVERSARIAL], ["mnist"]),
    "softmax-inferior-on-epistemic": moved(0.6, OUTLIER, [ADVERSARIAL], ["mnist"]),
    "softmax-disadvantages": moved(0.7, OUTLIER, [ADVERSARIAL]),
    "aleatoric-not-implied": in_one_order(ADVERSARIAL),
    "aleatoric-opposite": in_one_order(ADVERSARIAL),
}
REFUTED = {f"ambiguess-{name}": change for name, change in REFUTED.items()}
