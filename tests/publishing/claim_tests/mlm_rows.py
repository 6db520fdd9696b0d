"""Rows of networks of which what the MLM paper says is true, and what makes each of its claims fail."""

import pandas as pd

from mistrust import rows as tidy
from mistrust.evaluation import between_models
from mistrust.publishing.claim_tests.misclassification.reading import CORNER, DIGITS, TWELVE


def wobble(seed, name):
    """Small differences between networks, the same every time."""
    return ((seed * 7919 + sum(map(ord, name)) * 104729) % 1000 / 1000 - 0.5) * 2e-4


# Accuracy at levels 1 and 10, such that what section 4.4 says of them is true.
ENDS = dict.fromkeys(TWELVE, (0.975, 0.47)) | {
    "brightness": (0.99, 0.50), "contrast": (0.975, 0.54), "fog": (0.975, 0.53),
    "pixelation": (0.975, 0.43), "shot_noise": (0.975, 0.44), "zoom_blur": (0.975, 0.3632),
}  # fmt: skip
LEVELS = range(1, 11)
# MNIST's test images by digit.
SIZES = dict(zip(DIGITS, (980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009), strict=True))
# How often a seven is taken for each other digit, and what the matrix says of it: in one order.
SEVENS = dict(zip("012345689", (2, 3, 20, 4, 5, 7, 8, 9, 10), strict=True))


def printed_counts():
    """Misses, cell by cell, of which all that sections 4.1 and 4.5 say is true."""
    misses = dict.fromkeys((f"{y}>{c}" for y in DIGITS for c in DIGITS if y != c), 6.0)
    misses |= {f"0>{c}": 1.0 for c in DIGITS[1:]} | {f"1>{c}": 2.0 for c in DIGITS if c != "1"}
    misses |= {f"5>{c}": 3.0 for c in DIGITS if c != "5"} | {f"8>{c}": 20.0 for c in DIGITS if c != "8"}
    misses |= {"8>0": 50, "8>6": 50, "8>9": 50, "3>5": 12, "3>7": 12, "9>7": 90}
    misses |= {f"7>{c}": float(count) for c, count in SEVENS.items()}
    return misses | {f"{y}>{c}": 0.0 for y in "012" for c in "89"}


def image(own, cluster):
    """Softmax and distances of a misclustered image: sure of two classes, a little nearer to the second of them."""
    softmax = {d: 0.001 * (1 + int(d)) for d in DIGITS} | {own: 0.495, cluster: 0.45}
    distance = {d: 1.2 - softmax[d] for d in DIGITS} | {own: 0.69651, cluster: 0.69650}
    return softmax, distance


def near_one(perturbations):
    """(table, condition, method, level, at, metric) -> value, of what differs a little between networks."""
    found = {
        ("accuracy", "clean", "network", None, "train", "accuracy"): 0.9838,
        ("accuracy", "clean", "network", None, "test", "accuracy"): 0.9846,
    }
    for level in LEVELS:
        along = {name: ENDS[name][0] + (level - 1) / 9 * (ENDS[name][1] - ENDS[name][0]) for name in perturbations}
        along["all"] = sum(along.values()) / len(along)
        for name, value in along.items():
            found["accuracy", f"perturbed/{name}", "network", level, "", "accuracy"] = value
        for d in DIGITS:
            value = 0.95 - 0.05 * level if d == "5" else 0.01
            found["softmax", "perturbed/all", "5", level, d, "mean softmax"] = value
    matrix = dict.fromkeys(printed_counts(), 0.1) | {f"7>{c}": n / 70 for c, n in SEVENS.items()}
    matrix |= {f"{y}>{c}": 0.02 for y in "012" for c in "89"}
    for at, value in matrix.items():
        found["matrix", "perturbed/all", "minimum", None, at, "likelihood"] = value
        found["levels", "perturbed/all", "minimum", None, at, "deviation"] = 0.01
    for tenths in range(1, 9):
        found["retention", "perturbed/all", "limit", None, f"{tenths / 10:g}", "accuracy kept"] = 0.99 - tenths / 50
    rest = {
        ("retention", "limit", "0.05", "accuracy kept"): 0.99,
        ("levels", "minimum", "", "kendall w"): 0.6,
        ("levels", "minimum", "", "kendall w by chance"): 0.1,
        ("agreement", "minimum", "", "spearman"): 0.7,
        ("agreement", "minimum", "", "top-1 share"): 0.8,
        ("agreement", "minimum", "", "total variation"): 0.3,
        ("agreement", "marginal", "", "total variation"): 0.5,
        ("agreement", "mean softmax", "", "spearman within rows"): 0.8,
        ("agreement", "marginal", "", "spearman within rows"): 0.6,
        ("agreement", "clean confusion", "", "spearman"): 0.4,
        ("abstention", "distance", "", "auroc"): 0.82,
        ("abstention", "max softmax", "", "auroc"): 0.78,
        ("abstention", "distance", "", "risk-coverage area"): 0.05,
        ("abstention", "max softmax", "", "risk-coverage area"): 0.09,
    }
    found |= {(table, "perturbed/all", method, None, at, metric): v for (table, method, at, metric), v in rest.items()}
    return found


def exact():
    """The same of what all networks share: counts, drift, and images."""
    found = {("misses", "clean", "network", None, at, "count"): value for at, value in printed_counts().items()}
    drift = dict.fromkeys(DIGITS, 1e-14) | {"5": 1.3e-4, "6": 2.3e-4, "8": 1.4e-4}
    found |= {("drift", "clean", "KMeans", None, d, "distance"): value for d, value in drift.items()}
    found["misclustered", "clean", "KMeans", None, "", "count"] = 2
    for name, cluster in (("image 1", "5"), ("image 2", "8")):
        for metric, values in zip(("softmax", "distance"), image("6", cluster), strict=True):
            found |= {("misclustered", "clean", name, None, d, metric): value for d, value in values.items()}
    return found


def as_printed(seeds=range(6), perturbations=TWELVE):
    """Rows of networks of which all that the paper says is true, but that snow and impulse noise fall throughout."""
    names = ("table", "condition", "method", "level", "at", "metric")
    records = []
    for values, differ in ((near_one(perturbations), True), (exact(), False)):
        for where, value in values.items():
            named = dict(zip(names, where, strict=True))
            named |= {"n": SIZES[named["at"][0]]} if named["table"] == "misses" else {}
            records += [{"seed": s, "value": value + differ * wobble(s, str(where)), **named} for s in seeds]
    return tidy.table(records, chapter="misclassification", profile="full", data="mnist", network="mlm-cnn")


# Where numbers of several networks are close to normal, as in the chapter's own mean rows.
SCALE = {"accuracy": "logit", "likelihood": "arcsine", "auroc": "arcsine", "count": "root"}
BY = [name for name in tidy.IDENTITY if name != "seed"]


def with_means(rows):
    """These rows of networks and their mean rows (no seed), as the experiment makes them.

    Of several networks the interval is one between networks, of a single one that over its images, which is narrow.
    """
    single = rows[rows["seed"].notna()]
    single = single.assign(low=single["value"] - 1e-6, high=single["value"] + 1e-6, over="images")
    part = single[_read_as_means(single)]
    group = part.groupby(BY, dropna=False, sort=False).ngroup().to_numpy()
    values, means = part["value"].to_numpy(), []
    for place, head in enumerate(part[~part.duplicated(BY)].to_dict("records")):  # a group's first row, in their order
        mean, own = {**head, "seed": None}, values[group == place]
        if len(own) > 1:
            scale = SCALE.get(mean["metric"], "identity")
            # Made-up numbers that are to contradict a claim may lie where no share can.
            found = between_models(own.clip(0, 1) if scale in ("logit", "arcsine") else own, scale=scale)
            mean |= {"value": float(own.mean()), "low": found.low, "high": found.high, "over": "models", "n": found.n}
        means.append(mean)
    return tidy.check(pd.concat([single, pd.DataFrame(means)], ignore_index=True) if means else single)


def _read_as_means(rows):
    """Of tables that have mean rows, those that some test may read; of all of them the making would take long."""
    tables = rows["table"].isin(["accuracy", "agreement", "abstention"]) & ~rows["level"].between(2, 9)
    cells = (rows["table"] == "matrix") & (rows["at"].isin([*CORNER, "9>7"]))
    return tables | cells | ((rows["table"] == "misclustered") & (rows["method"] == "KMeans"))


def changed(change, **where):
    """A function that alters the values of the rows that `where` selects."""

    def alter(rows):
        found = tidy.select(rows, **where).index
        assert len(found), where
        rows.loc[found, "value"] = [change(value) for value in rows.loc[found, "value"]]
        return rows

    return alter


def put(value, **where):
    return changed(lambda _: value, **where)


def plus(value, **where):
    return changed(lambda v: v + value, **where)


def clean(at, value):
    return put(value, table="misses", at=at)


def perturbed(name, level, value):
    return plus(value, table="accuracy", condition=f"perturbed/{name}", level=level)


def by_turns(rows):
    """The digit that a network misses most is one that most others miss least."""
    rows = changed(lambda _: 10, table="misses")(rows)
    for remainder, most, least in ((0, "0", "1"), (1, "1", "0")):
        for digit, value in ((most, 50), (least, 0)):
            rows.loc[(rows["seed"] % 2 == remainder) & rows["at"].str.startswith(f"{digit}>"), "value"] = value
    return rows


def more(rows):
    """Six networks more whose images are misclustered alike: those of one network count as one in the worst case."""
    of = rows["table"].isin(["misclustered", "drift"]) & rows["seed"].notna()
    return pd.concat([rows, rows[of].assign(seed=rows["seed"] + 6)], ignore_index=True)


def both(*changes):
    def alter(rows):
        for change in changes:
            rows = change(rows)
        return rows

    return alter


RISE = both(perturbed("snow", 2, 0.06), perturbed("impulse_noise", 2, 0.06))
# What makes a claim hold that the rows of all the others contradict.
HOLDS = {"mlm-snow-impulse-rise": RISE}
IMAGES = {"table": "misclustered", "method": ["image 1", "image 2"]}
# What makes each claim fail.
FAILS = {
    "mlm-classes-differ": by_turns,
    "mlm-accuracy-train": put(0.95, table="accuracy", at="train"),
    "mlm-accuracy-test": put(0.995, table="accuracy", at="test"),
    "mlm-test-above-train": put(0.9866, table="accuracy", at="train"),
    "mlm-zero-least": clean("0>1", 400),
    "mlm-eight-most": clean("4>1", 500),
    "mlm-one-five-seldom": clean("5>1", 300),
    "mlm-eight-as-zero-six-nine": clean("8>6", 2),
    "mlm-three-as-five-seven": clean("3>7", 0),
    "mlm-nine-as-seven-top": clean("4>9", 120),
    "mlm-seven-as-two": clean("7>1", 60),
    "mlm-row-seven": put(0.001, table="matrix", at=["7>2", "7>9", "7>8", "7>6"]),
    "mlm-corner-zeros": clean("2>8", 9),
    "mlm-drift-small": put(0.01, table="drift", at="3"),
    "mlm-drift-none-in-most": put(1e-4, table="drift", at=["0", "1", "2", "3"]),
    "mlm-drift-five-six-eight": put(1e-4, table="drift", at=["0", "1"]),
    "mlm-drift-by-ambiguous": put(1e-4, table="drift", at="3"),  # no image left or entered the cluster of threes
    "mlm-two-sixes": put(0.5, metric="softmax", at="1", **IMAGES),  # both are ones
    "mlm-misclustered-two-tops": both(more, put(0.46, metric="softmax", at="1", **IMAGES)),
    "mlm-drift-explains-misclustering": put(0.8, metric="distance", at="6", **IMAGES),
    "mlm-inverse-relation": put(0.1, metric="distance", at="1", **IMAGES),
    "mlm-mean-accuracy-ends": perturbed("all", 10, 0.2),
    "mlm-accuracy-extremes": perturbed("zoom_blur", 10, -0.2),
    "mlm-accuracy-falls": perturbed("gaussian_noise", 7, 0.2),
    "mlm-each-ends-lower": perturbed("frost", 10, 0.6),
    "mlm-accuracy-falls-linearly": perturbed("gaussian_noise", 10, -0.2),
    "mlm-brightness-ends": perturbed("brightness", 10, -0.2),
    "mlm-snow-impulse-rise": perturbed("snow", 2, -0.02),
    "mlm-gradual": perturbed("defocus_blur", 10, -0.1),
    "mlm-most-resilient": perturbed("motion_blur", 10, 0.05),
    "mlm-three-below-sixty": perturbed("pixelation", 10, 0.25),
    "mlm-three-harm-more": perturbed("shot_noise", 10, 0.1),
    "mlm-five-stays-five": put(0.6, table="softmax", level=9, at="8"),
    "mlm-softmax-informs": put(0.9, table="agreement", method="marginal", metric="spearman within rows"),
    "mlm-orders-confusions": put(-0.7, table="agreement", method="minimum", metric="spearman"),
    "mlm-is-a-likelihood": put(0.6, table="agreement", method="minimum", metric="total variation"),
    "mlm-finds-top-confusion": put(0.2, table="agreement", metric="top-1 share"),
    "mlm-pairs-consistent": put(0.05, table="levels", metric="kendall w"),
    "mlm-deviation-low": put(0.2, table="levels", metric="deviation"),
    "mlm-corner-low": put(0.2, table="matrix", at="2>8"),
    "mlm-nine-as-seven-low": put(0.5, table="matrix", at="9>7"),
    "mlm-thresholds-cut-risk": put(0.95, table="retention", at="0.5"),
    "mlm-distance-tells-errors": put(0.4, table="abstention", method="distance", metric="auroc"),
    "mlm-all-probabilities": put(0.2, table="abstention", method="distance", metric="risk-coverage area"),
    "mlm-adds-to-confusion": put(0.9, table="agreement", method="clean confusion"),
}


# What makes each claim of printed numbers be judged the other way.
def printed_as(to, **where):
    return put(to, table="text", **where)


OTHERWISE = {
    "mlm-parameters": printed_as(5, metric="kernel size", at="first"),
    "mlm-logits": printed_as(0.1, metric="example probability"),
    "mlm-learning-rate": put(1, table="code", metric="learning rate falls"),
    "mlm-normalised": put(0.5, table="code", metric=["pixel mean", "pixel deviation"]),
    "mlm-perturbed-images": printed_as(1_210_000, metric="images", at="perturbed"),
    "mlm-image-nearest": printed_as(8, metric="nearest other digit"),
    "mlm-images-misclassified": printed_as(0, metric="misclassified"),
}
PRINTED_HOLDS = ("mlm-parameters",)
