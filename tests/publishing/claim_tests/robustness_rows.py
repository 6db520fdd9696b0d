"""Rows of which what the paper on robustness estimation says is true, and what makes each of its claims fail."""

import numpy as np
from mlm_rows import wobble
from printed_numbers import printed_as

from mistrust import rows as tidy
from mistrust.pictures import pack
from mistrust.publishing.claim_tests.robustness.imagenet import PRINTED
from mistrust.publishing.claim_tests.robustness.reading import ALL, DATA, FRACTION, HALF
from mistrust.publishing.claim_tests.robustness.relations import SIDES

FAMILY = {"alexnet": ("alexnet6-w16", "alexnet8-w16"), "vgg": ("vgg6-w16",), "resnet": ("resnet8-w8", "resnet14-w8"),
          "inception": ("inception14-w8",)}  # fmt: skip
VARIED = ("alexnet6-w16", "vgg6-w16", "resnet8-w8", "inception14-w8")  # trained on parts, too
# Breaking sigma, targeted distance, accuracy.
VALUES = {"alexnet": (3.0, 3.2, 0.72), "vgg": (4.0, 1.6, 0.83), "resnet": (6.0, 2.4, 0.91),
          "inception": (7.0, 3.6, 0.92)}  # fmt: skip
PARTS = {ALL: (1, 1, 0), HALF: (0.2, 0.5, -0.1), FRACTION: (0.4, 0.7, 0.05)}
FEWER = {"alexnet": 5.0, "vgg": 4.0, "resnet": 3.0, "inception": 2.0}  # bubbles at half of the median margin
CLASSES = "0123"
LAYERS = [("conv1", 0.0, 3.0, 0.3), ("conv2", 0.25, 2.5, 0.5), ("conv3", 0.5, 2.0, 0.8), ("fc1", 0.75, 1.5, 0.95),
          ("fc2", 1.0, 1.0, 0.97)]  # fmt: skip
NEGATIVE = ("parameters ~ targeted | family", "parameters ~ targeted | depth, family", "bubbles ~ accuracy",
            "bubbles ~ random")  # fmt: skip
LITTLE = ("accuracy ~ random | family", "accuracy ~ targeted | family", "depth ~ targeted | parameters, family")
RELATIONS = (*(name for name, _ in SIDES.values()), *LITTLE, *NEGATIVE[1:])
# What stands beside each, over all families together: the contrary, which is told and decides nothing.
BESIDE = {name: name.replace(", family", "").replace(" | family", "") for name in RELATIONS if "family" in name}
COLUMNS = ("table", "network", "method", "condition", "level", "at", "metric")


def known(name, sigma, linf, accuracy):
    """Trained on all, on the images of some classes: other numbers than on those of all."""
    return {
        ("known", name, "", ALL, None, "", "accuracy"): accuracy + 0.01,
        ("known", name, "fixed-clipped", ALL, None, "", "capped mean"): 0.9 * sigma,
        ("known", name, "adam", ALL, None, "", "linf"): 0.9 * linf,
        ("known", name, "adam", ALL, None, "", "success"): 0.99,
    }


def one_network(name):
    """(table, network, method, condition, level, at, metric) -> value, of one network."""
    family = name.rstrip("-w0123456789")
    sigma, linf, accuracy = VALUES[family]
    found = {}
    for condition, (noise, distance, more) in PARTS.items():
        if condition != ALL and name not in VARIED:
            continue
        found |= {
            ("networks", name, "", condition, None, "", "accuracy"): accuracy + more,
            ("random", name, "fixed-clipped", condition, None, "", "capped mean"): sigma * noise,
            ("random", name, "fixed-unclipped", condition, None, "", "capped mean"): 300 - sigma,
            ("random", name, "fixed-clipped", condition, None, "", "unbroken"): 0.02,
            ("looks", name, "margin", condition, None, "", "spearman with random"): 0.4,
            ("targeted", name, "adam", condition, None, "", "linf"): linf * distance,
            ("targeted", name, "adam", condition, 5.0, "", "linf"): 99 - linf,
            ("targeted", name, "adam beside tight", condition, None, "", "linf"): linf * distance,
            ("targeted", name, "tight", condition, None, "", "linf"): linf * distance / 1.05,
        }
    if name in VARIED:
        found |= known(name, sigma, linf, accuracy)
    found["targeted", name, "adam", ALL, None, "", "success"] = 0.98
    for at, share in (("source", 0.4), ("target", 0.2), ("image", 0.1), ("source x target", 0.1), ("rest", 0.2)):
        found["variance", name, "", ALL, None, at, "share"] = share
    for source in CLASSES:
        for target in CLASSES:
            if source != target:
                found["matrix", name, "", ALL, None, f"{source}>{target}", "success"] = 0.9 if target == "3" else 1.0
    for at, place, median, probability in LAYERS:
        found |= {
            ("layers", name, "elementwise", ALL, place, at, "median"): median,
            ("layers", name, "elementwise", ALL, place, at, "broken"): 0.8,
            ("layers", name, "elementwise", ALL, place, at, "new probability"): probability,
            ("layers", name, "channel", ALL, place, at, "median"): 4 - median,
            ("layers", name, "channel", ALL, place, at, "broken"): 0.8,
        }
    for at in CLASSES:
        found["regions", name, "", ALL, 0.0, at, "bubbles"] = 28.0
        found["regions", name, "", ALL, 0.0, at, "samples"] = 30.0
        found["regions", name, "", ALL, None, at, "median margin"] = 4.0
        for share in (0.0, 0.5):  # of the median margin: another scale, on which they look whole
            found["regions", name, "relative", ALL, share, at, "bubbles"] = FEWER[family]
            found["regions", name, "relative", ALL, share, at, "samples"] = 20.0
    return found


EACH = {key: value for names in FAMILY.values() for name in names for key, value in one_network(name).items()}
EXACT = ("matrix", "regions")  # counted


# Half of it black, which nothing darkens: noise, clipped, is like its neighbours there.
SOURCE = np.where(np.arange(28) < 14, 0, 100).astype(np.uint8) * np.ones((28, 1), dtype=np.uint8)


def changed(seed, size=1):
    """The image, by noise changed in squares of so many pixels a side."""
    noise = np.random.default_rng(seed).integers(-20, 21, (28 // size, 28 // size))
    return (SOURCE + np.kron(noise, np.ones((size, size), dtype=int))).clip(0, 255).astype(np.uint8)


def pictures(name):
    """One image, and what it was changed to for each class."""
    common = {"table": "bubble", "network": name, "method": "adam", "condition": "image", "seed": 0}
    yield {**common, "at": "0", "metric": "source", "value": 7, "note": pack(SOURCE)}
    for seed in range(1, 10):  # as many as there are other classes
        yield {**common, "at": str(seed), "metric": "success", "value": 1, "note": pack(changed(seed))}


def as_said(seeds=3):
    """Rows by seed and their means, of the image set that counts; beside them one that says the contrary."""
    records = []
    for key, value in EACH.items():
        where = dict(zip(COLUMNS, key, strict=True))
        spread = 0.0 if key[0] in EXACT else 1.0
        for seed in range(seeds):
            records.append({**where, "seed": seed, "value": value + spread * wobble(seed, str(key))})
            records.append({**where, "seed": seed, "data": "cifar10", "value": 1 - value})
        records.append({**where, "value": value, "low": value - 1e-6, "high": value + 1e-6, "over": "models"})
    for name in VARIED:
        records += pictures(name)
    for name in RELATIONS:
        where = {"table": "relations", "method": name, "metric": "spearman", "over": "models"}
        value = 0.3 if name in LITTLE else -0.8 if name in NEGATIVE else 0.8
        records.append({**where, "value": value, "low": value - 0.1, "high": value + 0.1})
        records.append({**where, "data": "cifar10", "value": -value, "low": -value - 0.1, "high": -value + 0.1})
        if name in BESIDE:
            records.append({**where, "method": BESIDE[name], "value": -value, "over": ""})
    for table, (metric, method) in {"random": ("mean", "fixed-clipped"), "targeted": ("linf", "adam")}.items():
        for network, value in PRINTED[table].items():
            where = {"table": table, "network": network, "method": method, "condition": ALL, "metric": metric}
            interval = {"value": value * 1.01, "low": value * 0.97, "high": value * 1.05, "over": "images"}
            records.append({**where, **interval, "data": "imagenet_sample"})
    return tidy.table([{"data": DATA, **one} for one in records], chapter="robustness", profile="full")


def put(to, family="", data=DATA, **where):
    """These numbers are another, whatever they are now: of single networks and of their mean."""

    def alter(rows):
        found = rows["data"].eq(data) & rows["network"].str.startswith(family)
        for column, value in where.items():
            wanted = value if isinstance(value, list) else [value]
            found &= rows[column].isin(wanted)
        assert found.any(), where
        keys = ["network", "condition", "level", "at"]
        shift = to - rows[found].groupby(keys, dropna=False)["value"].transform("mean")
        for column in ("value", "low", "high"):
            rows.loc[found, column] += shift
        return rows

    return alter


def related(to, name):
    return put(to, table="relations", method=name)


def sigma(to, family="", condition=ALL):
    return put(to, family, table="random", method="fixed-clipped", metric="capped mean", condition=condition)


def distance(to, family="", condition=ALL, method="adam"):
    where = {"table": "targeted", "method": method, "metric": "linf", "condition": condition}
    return put(to, family, level=float("nan"), **where)  # learning rates that vary are another matter


def accuracy(to, family="", condition=ALL):
    return put(to, family, table="networks", metric="accuracy", condition=condition)


def at_layers(to, metric, at):
    return put(to, table="layers", method="elementwise", metric=metric, at=at)


def both(*changes):
    def alter(rows):
        for change in changes:
            rows = change(rows)
        return rows

    return alter


def bubbles(to):
    return put(to, table="regions", method="", metric="bubbles", level=0.0)


def smoothed(rows):
    """Changes of two neighbours are the same."""
    at = rows["table"].eq("bubble") & rows["metric"].eq("success")
    assert at.any()
    rows.loc[at, "note"] = [pack(changed(seed, size=2)) for seed in range(at.sum())]
    return rows


# What makes each claim fail that our rows decide.
FAILS = {
    "accuracy-incomplete": both(*(related(0.9, name) for name in LITTLE[:2])),
    "several-components": bubbles(1.0),
    "change-required": distance(1.0, method="tight"),
    "small-bubbles": bubbles(2.0),
    "weak-is-best": put(1.0, table="regions", method="", metric="bubbles", level=0.0, at="2"),
    "bubbles-non-robust": related(0.4, "bubbles ~ random"),
    "depth-random": related(-0.5, "depth ~ random | family"),
    "depth-accuracy": related(-0.5, "depth ~ accuracy | family"),
    "depth-beside-accuracy": related(-0.5, "depth ~ random | accuracy, family"),
    "depth-not-size": related(-0.5, "depth ~ random | parameters, family"),
    "parameters-accuracy": related(-0.5, "parameters ~ accuracy | family"),
    "parameters-random": related(-0.5, "parameters ~ random | family"),
    "parameters-targeted": related(0.5, "parameters ~ targeted | family"),
    "size-not-depth": related(0.5, "parameters ~ targeted | depth, family"),
    "resnet-over-alexnet": sigma(7.0, "alexnet"),
    "noise-imperceptible": sigma(60.0),
    "easy-to-generate": put(0.4, table="random", method="fixed-clipped", metric="unbroken"),
    "low-confidence": put(-0.4, table="looks", method="margin", metric="spearman with random"),
    "imagenet-random": put(80.0, "resnet152", data="imagenet_sample", table="random"),
    "imagenet-targeted": put(2.4, "vgg16", data="imagenet_sample", table="targeted"),
    "targeted-imperceptible": distance(40.0),
    "changes-structure": smoothed,
    "inception-over-vgg": distance(1.0, "inception"),
    "class-lines": put(0.5, table="variance", at="image"),
    "layers-resilient": at_layers(9.0, "median", ["fc1", "fc2"]),
    "layers-confidence": at_layers(0.1, "new probability", ["fc1", "fc2"]),
    "layers-very-confident": at_layers(0.6, "new probability", ["fc1", "fc2"]),
    "half-accuracy": accuracy(0.95, "vgg", HALF),
    "fraction-accuracy": accuracy(0.7, "resnet", FRACTION),
    "half-random": sigma(9.0, "vgg", HALF),
    "fraction-random": sigma(9.0, "alexnet", FRACTION),
    "half-targeted": distance(9.0, "inception", HALF),
    "fraction-targeted": distance(9.0, "vgg", FRACTION),
    "targets-fail": put(0.5, table="targeted", metric="success"),
    "failures-one-off": put(0.9, table="matrix", metric="success"),
    "vgg-below-alexnet": accuracy(0.6, "vgg"),
}
FAILS = {f"urem-{name}": change for name, change in FAILS.items()}
# Judged by an upper bound, which confirms nothing.
BOUNDED = [f"urem-{name}" for name in ("several-components", "change-required", "small-bubbles", "weak-is-best")]
# Judged by a row's own interval: over networks, or over the images of the very network.
BY_ROW = [
    f"urem-{name}" for name in
    ("accuracy-incomplete", "bubbles-non-robust", "depth-random", "depth-accuracy", "depth-beside-accuracy",
     "depth-not-size", "parameters-accuracy", "parameters-random", "parameters-targeted", "size-not-depth",
     "imagenet-random", "imagenet-targeted")
]  # fmt: skip
# Judged between training seeds, and between networks.
BY_SEED = [
    f"urem-{name}" for name in
    ("resnet-over-alexnet", "inception-over-vgg", "vgg-below-alexnet", "half-accuracy", "fraction-accuracy",
     "half-random", "fraction-random", "half-targeted", "fraction-targeted")
]  # fmt: skip
BY_NETWORK = [name for name in FAILS if name not in (*BY_ROW, *BY_SEED)]


# What makes each claim of printed numbers be judged the other way.
def of_255(rows):
    """Percentages as they should be."""
    for method, metric in (("random", "mean"), ("targeted", "linf")):
        for network in PRINTED["random"]:
            at = rows["table"].eq("table1") & rows["network"].eq(network) & rows["method"].eq(method)
            value = rows.loc[at & rows["metric"].eq(metric), "value"].item()
            rows.loc[at & rows["metric"].eq("percent"), "value"] = round(100 * value / 255, 1)
    return rows


def per_layer(rows):
    """Twice the layers, twice sigma."""
    for network, layers in (("alexnet", 8), ("vgg16", 16), ("resnet152", 152), ("inception_v3", 48)):
        rows = printed_as(1.3 * layers, table="table1", network=network, metric="mean")(rows)
    return rows


def as_torchvision(rows):
    known = rows[rows["table"].eq("torchvision") & rows["metric"].eq("top-5 accuracy")].set_index("network")["value"]
    for network, value in known.items():
        rows = printed_as(value, table="table2", condition=ALL, network=network)(rows)
    return rows


def as_table_1_leaves(rows):
    errors = rows[rows["table"].eq("table1") & rows["metric"].eq("top-5 error")].set_index("network")["value"]
    for network, error in errors.items():
        rows = printed_as(1 - error, table="table2", condition=ALL, network=network)(rows)
    return rows


INCEPTION = {"network": "inception_v3"}
OTHERWISE = {
    "tables-agree": as_table_1_leaves,
    "weakly-generalised": printed_as(2, table="text", metric="samples of a bubble"),
    "targeted-deviation": printed_as(0, table="text", metric="standard deviation"),
    "code-online": printed_as(1, table="code", metric="repositories found"),
    "percent-of-255": of_255,
    "table1-depth": printed_as(0.05, table="table1", metric="top-5 error", **INCEPTION),  # ahead of ResNet152 with 311
    "proportional": per_layer,
    "alexnet-most-robust": printed_as(3.7, table="table1", metric="linf", network="alexnet"),
    "original-accuracy": as_torchvision,
    "top5-error": printed_as(0.3, table="table1", metric="top-5 error", network="alexnet"),
    "alexnet-activations": printed_as(8, table="torchvision", metric="activations", network="alexnet"),
    "resnet101-parameters": printed_as(45e6, table="text", metric="parameters", network="resnet101"),
    "coco": printed_as(0.5, table="table2", network="alexnet", condition=ALL),
    "kernel-sizes": printed_as("7x7", column="at", table="text", metric="kernel size", network="vgg16"),
    "inception-outputs": printed_as(1, table="torchvision", metric="outputs in training", **INCEPTION),
    "angular-steps": printed_as(0.4, table="text", metric="degrees"),
    "validation-images": printed_as(0, table="text", metric="images per class", condition="training"),
    "full-imagenet": printed_as(50_000, table="text", metric="images"),
    "batch-normalisation": printed_as(200, table="torchvision", metric="batch normalisations", network="vgg16"),
    "alexnet-layers": printed_as(8, table="text", network="alexnet", metric="layers"),
    "vgg-convolutions": printed_as(13, table="text", network="vgg16", metric="convolutions"),
    "inception-layers": printed_as(48, table="text", metric="layers", **INCEPTION),
    "parameters": printed_as(27e6, table="table1", metric="parameters", **INCEPTION),
    "resnet-lighter": printed_as(20.0, table="torchvision", metric="gflops", network="resnet152"),
}
OTHERWISE = {f"urem-{name}": change for name, change in OTHERWISE.items()}


def coco(rows):
    at = rows["table"].eq("table2") & rows["network"].eq("alexnet")
    rows.loc[at, "data"] = "coco"
    return rows


OTHERWISE["urem-coco"] = coco
PRINTED_HOLDS = (
    "urem-parameters", "urem-resnet-lighter", "urem-kernel-sizes", "urem-inception-outputs", "urem-angular-steps",
    "urem-batch-normalisation", "urem-top5-error",
)  # fmt: skip


def by_the_tables(numbers, seeds=3):
    """Rows by Tables 1 to 3: each network of the paper stands for its family."""
    families = {
        "alexnet": "alexnet6-w16",
        "vgg16": "vgg6-w16",
        "resnet152": "resnet8-w8",
        "inception_v3": "inception14-w8",
    }
    records = []
    for table, ours in (
        ("table2", {"table": "networks", "metric": "accuracy"}),
        ("table3", {"table": "random", "method": "fixed-clipped", "metric": "capped mean"}),
        ("table1", {"table": "targeted", "method": "adam", "metric": "linf"}),
    ):
        known = {**ours, "table": "known"}  # the paper tells nothing of images of some classes alone: as of all
        found = numbers[(numbers["table"] == table) & numbers["metric"].isin(["accuracy", "mean", "linf"])]
        for one in found.itertuples():
            if (table, one.metric) == ("table1", "mean"):
                continue  # Table 3 has them as well
            for seed in range(seeds):
                value = one.value + wobble(seed, f"{table} {one.network} {one.condition}")
                where = {"network": families[one.network], "condition": one.condition, "seed": seed}
                records.append({**ours, **where, "value": value})
                if one.condition == ALL:
                    records.append({**known, **where, "value": value})
    return tidy.table(records, chapter="robustness", profile="full", data=DATA)
