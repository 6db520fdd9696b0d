"""Made-up rows of the MLM chapter, of any size: numbers that look like results and are easy to foretell."""

import numpy as np
import pandas as pd
import pytest

from mistrust import rows as tidy

METHODS = ("minimum", "quantile=0.001", "quantile=0.01", "quantile=0.05", "mean", "mean softmax")
PERTURBATIONS = (
    "brightness", "contrast", "defocus_blur", "fog", "frost", "gaussian_noise", "impulse_noise", "motion_blur",
    "pixelation", "shot_noise", "snow", "zoom_blur",
)  # fmt: skip


def made_rows(classes=tuple("0123456789"), perturbations=PERTURBATIONS, levels=tuple(range(1, 11)), seeds=(0, 1, 2)):
    """All tables that figures read; each network's numbers, and their mean where there is more than one network."""
    random = np.random.default_rng(0)
    single = []

    def add(table, value, **more):
        for seed, number in zip(seeds, np.broadcast_to(value, len(seeds)), strict=True):
            single.append({"table": table, "seed": seed, "value": float(number), **more})

    def vary(value, by):
        return np.clip(value + by * random.standard_normal(len(seeds)), 0.001, 0.999)

    cells = [(a, b) for a in classes for b in classes if a != b]
    fall = {level: 0.98 - 0.5 * ((i + 1) / len(levels)) ** 2 for i, level in enumerate(levels)}
    network = {"method": "network", "metric": "accuracy"}
    for level in levels:
        values = [vary(fall[level] - 0.01 * i, 0.05) for i, _ in enumerate(perturbations)]
        for name, value in zip(perturbations, values, strict=True):
            add("accuracy", value, condition=f"perturbed/{name}", level=level, **network)
            here = {"condition": f"perturbed/{name}", "level": level, "method": "calibrated"}
            add("calibration", vary(fall[level], 0.01), metric="accuracy", **here)
            add("calibration", fall[level], metric="target", **here)
        add("accuracy", np.mean(values, axis=0), condition="perturbed/all", level=level, **network)
        for true in classes:
            shares = random.dirichlet([0.3] * len(classes)) * (1 - fall[level])
            shares[classes.index(true)] += fall[level]
            for name, share in zip(classes, shares, strict=True):
                where = {"condition": "perturbed/all", "level": level, "at": name, "method": true}
                add("softmax", share, metric="mean softmax", **where)
    for a, b in cells:
        at = {"at": f"{a}>{b}"}
        add("misses", random.poisson(1.2, len(seeds)), condition="clean", method="network", metric="count", n=980, **at)
    for method in (*METHODS, "confusion"):
        metric = "share" if method == "confusion" else "likelihood"
        for a in classes:
            shares = random.dirichlet([0.7] * (len(classes) - 1))
            for b, share in zip([c for c in classes if c != a], shares, strict=True):
                more = {} if method == "confusion" else {"low": 0.9 * share, "high": 1.1 * share}
                where = {"condition": "perturbed/all", "at": f"{a}>{b}", "method": method}
                add("matrix", share, metric=metric, **where, **more)
    for image, (a, b) in enumerate([cells[-1], cells[0]], 1):
        for name in classes:
            near = {a: (0.52, 0.6), b: (0.46, 0.55)}.get(name, (0.02 / (len(classes) - 1), 1.1))
            where = {
                "condition": "clean",
                "method": f"image {image}",
                "at": name,
                "note": f"id {image}68, {a} in cluster {b}",
            }
            add("misclustered", near[0], metric="softmax", **where)
            add("misclustered", near[1], metric="distance", **where)
    for i, method in enumerate((*METHODS, "marginal")):
        where = {"condition": "perturbed/all", "method": method}
        for metric, value in (("top-1 share", 0.4), ("spearman", 0.5), ("total variation", 0.2)):
            add("agreement", vary(value + 0.05 * i, 0.04), metric=metric, **where)
    for method, start in (("minimum", 0.4), ("quantile=0.05", 0.8)):
        for n in (100, 300, 500, 1000, 3000, 5000):
            where = {"condition": "perturbed/all", "method": method, "at": f"n={n}"}
            distance = start * (n**-0.4 if method == "minimum" else 1)
            add("growth", vary(distance, 0.05 * distance), metric="median distance", **where)
            add("growth", vary(0.4 + 0.05 * np.log10(n), 0.04), metric="top-1 share", **where)
    for i, method in enumerate(("distance", "max softmax")):
        where = {"condition": "perturbed/all", "method": method}
        add("abstention", vary(0.85 - 0.02 * i, 0.01), metric="auroc", **where)
        for step in range(1, 21):
            risk = (0.24 + 0.02 * i) * (step / 20) ** 2
            add("abstention", vary(risk, 0.05 * risk), metric="risk", at=f"coverage={step / 20:g}", **where)

    frame = tidy.table(single)
    if len(seeds) < 2:
        return frame
    same = ["table", "method", "condition", "level", "at", "metric"]
    groups = frame.groupby(same, dropna=False, sort=False)["value"]
    mean = groups.mean().reset_index()
    spread = 2 * groups.std().to_numpy() + 0.001
    mean = mean.assign(low=mean["value"] - spread, high=mean["value"] + spread, over="models", n=len(seeds))
    return tidy.table([*frame.to_dict("records"), *mean.to_dict("records")])


@pytest.fixture(scope="session")
def once():
    """Draw what several tests look at once: a figure of the same frames, asked for by the same words."""
    made = {}

    def draw(figure, *given, **named):
        asked = (*given, *named.values())
        key = figure, *named, *((id(one) if isinstance(one, pd.DataFrame) else repr(one)) for one in asked)
        if key not in made:
            made[key] = asked, figure(*given, **named)  # frames as well: while they are there, no other has their id
        return made[key][1]

    return draw


@pytest.fixture
def make_rows():
    """The function that makes rows, for tests that need another size."""
    return made_rows


@pytest.fixture(scope="session")
def all_rows():
    """Rows of the whole chapter: ten classes, twelve perturbations, ten levels, three networks."""
    return made_rows()


@pytest.fixture(scope="session")
def few_rows():
    """Three classes with words for names, two perturbations, three levels, one network without a mean."""
    return made_rows(("Ankle boot", "Bag", "T-shirt/top"), ("fog", "snow"), (1, 2, 5), (4,))
