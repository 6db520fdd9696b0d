"""Made-up rows of the robustness chapter: numbers that look like results and are easy to foretell."""

import numpy as np
import pytest

from mistrust import rows as tidy
from mistrust.pictures import pack
from mistrust.publishing.published import published

CLASSES = ("T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot")
FOUR = ("alexnet6-w16", "vgg9-w16", "resnet14-w8", "inception14-w8")
NETWORKS = ("alexnet6-w16", "alexnet6-w32", "vgg9-w16", "resnet14-w8", "inception14-w8", "inception20-w8")
LAYERS = ("input", "conv1", "pool1", "conv2", "logits")
COMPONENTS = {"source": 0.25, "target": 0.3, "source x target": 0.15, "image": 0.12, "seed": 0.03, "rest": 0.15}


def made_rows(classes=CLASSES, networks=NETWORKS, four=FOUR, seeds=(0, 1), side=8, data="fmnist", means=True):
    """All tables that figures read. `four` networks have bubbles, matrices, layers, variants and regions."""
    random = np.random.default_rng(0)
    records = []

    def add(table, metric, value, half=None, **more):
        ends = {} if half is None else {"low": float(value) - half, "high": float(value) + half}
        row = {"table": table, "metric": metric, "value": float(value), "data": data, **ends}
        records.append({**row, "condition": "all", **more})

    def over_seeds(table, metric, value, half, **more):
        """Rows of single networks around a value, and their mean with its interval."""
        for seed in seeds:
            add(table, metric, value + half * (seed - np.mean(seeds)) / 2, seed=seed, **more)
        if means and len(seeds) > 1:
            add(table, metric, value, half, over="models", n=len(seeds), **more)

    for k, name in enumerate(networks):
        here = {"network": name}
        depth, width = (int(one.lstrip("abcdefghijklmnopqrstuvwxyz-")) for one in name.split("-"))
        over_seeds("networks", "accuracy", 0.86 + 0.005 * k, 0.01, **here)
        over_seeds("networks", "depth", depth, 0, **here)
        over_seeds("networks", "parameters", 900 * depth * width * (k + 1), 0, **here)
        over_seeds("targeted", "linf", 30 + 2 * k, 3, method="adam", **here)
        sigma = 60 + 9 * k
        for method, factor in (("fixed-clipped", 1), ("fresh-clipped", 0.75), ("fixed-unclipped", 1.15),
                               ("fresh-unclipped", 0.8)):  # fmt: skip
            if method == "fixed-clipped" or name in four:
                where = {"method": method, **here}
                over_seeds("random", "capped mean", factor * sigma, 12, **where)
                over_seeds("random", "mean", factor * sigma - 3, 12, **where)
                over_seeds("random", "median", 0.9 * factor * sigma, 12, **where)
                over_seeds("random", "unbroken", 0.01 * k, 0.005, **where)
        for level in (0, 32, 64, 128, 510):
            over_seeds("survival", "surviving", 0.02 + 0.98 * np.exp(-((level / sigma) ** 1.5)), 0.02, level=level,
                       method="fixed-clipped", **here)  # fmt: skip
        for m, method in enumerate(("margin", "linear estimate", "ddn")):
            for g, goal in enumerate(("random", "targeted")):
                over_seeds("looks", f"spearman with {goal}", 0.3 + 0.2 * m + 0.1 * g - 0.01 * k, 0.08, method=method,
                           **here)  # fmt: skip
    for f, name in enumerate(four):
        here = {"network": name}
        for rate in (0.1, 1, 25):
            where = {"method": "adam", "level": rate, **here}
            over_seeds("targeted", "linf", 65 + 4 * np.log(rate) ** 2 + 6 * f, 3, **where)
            over_seeds("targeted", "steps", (65 + 4 * np.log(rate) ** 2) / rate, 2 / rate, **where)
            over_seeds("targeted", "l2", 900 + 70 * np.log(rate / 0.1) + 30 * f, 30, **where)
            over_seeds("targeted", "success", 1 if rate < 10 else 0.97, 0, **where)
        for condition, c in (("half", 0.95), ("fraction", 1.05)):
            over_seeds("networks", "accuracy", min(1, c * (0.86 + 0.02 * f)), 0.01, **here | {"condition": condition})
            over_seeds("random", "capped mean", (60 + 20 * f) * (c - 0.2), 8, method="fixed-clipped",
                       **here | {"condition": condition})  # fmt: skip
        for condition in ("all", "half"):
            for a, source in enumerate(classes):
                for b, target in enumerate(classes):
                    if a == b:
                        continue
                    where = {"at": f"{source}>{target}", **here, "condition": condition}
                    reached = 0.0 if (a, b) == (1, 0) and f == 0 else 0.8 if b == len(classes) - 1 else 1.0
                    over_seeds("matrix", "success", reached, 0, **where)
                    if reached:
                        over_seeds("matrix", "linf", 10 + 3 * b + 2 * a + 5 * f + random.uniform(0, 9), 1, **where)
        for part, share in COMPONENTS.items():
            over_seeds("variance", "share", share, 0.01, at=part, **here)
        for i, layer in enumerate(LAYERS):
            for m, method in enumerate(("elementwise", "channel")):
                where = {"at": layer, "level": i / (len(LAYERS) - 1), "method": method, **here}
                broken = 0.2 if layer.startswith("conv") and not m else 0.9 - 0.05 * i
                over_seeds("layers", "broken", broken, 0.03, **where)
                over_seeds("layers", "new probability", 0.45 + 0.01 * i, 0.03, **where)
                if broken >= 0.5:
                    over_seeds("layers", "median", 1.5 + 0.2 * i + m, 0.2, **where)
        for c, one in enumerate(classes):
            for level in np.arange(-3, 13, 3.0):
                here_too = {"at": one, "level": level, "method": "relative", **here}
                left = round(30 * np.exp(-max(0, level) / (3 + f)))
                over_seeds("regions", "samples", left, 0, **here_too)
                found = 1 + round(0.06 * (c + f) * max(0, level))
                over_seeds("regions", "bubbles", min(left, found) if left else 0, 0, **here_too)
        broken = {"network": name, "method": "fixed-clipped", "seed": 0}
        grey = pack(np.full((side, side), 100, np.uint8))
        add("pair", "source", 4, at=classes[0], note=grey, **broken)
        add("pair", "sigma", 60 + f, at=classes[1], note=grey, **broken)
        over_seeds("edges", "checked", 290, 0, at=classes[0], **here)
        over_seeds("edges", "grid wrong", f / 290, 0, at=classes[0], **here)
        image = {"network": name, "condition": "image", "seed": 0, "method": "adam"}
        picture = np.full((side, side), 100, np.uint8)
        for c, target in enumerate(classes):
            if target == classes[4 % len(classes)]:
                add("bubble", "source", 4, at=target, note=pack(picture), **image)
                add("bubble", "source", 4, at=target, note=pack(picture), **image | {"method": "tight"})
                continue
            add("bubble", "success", 1, at=target, **image | {"method": "tight"})
            add("bubble", "linf", 10 + c, at=target, **image | {"method": "tight"})
            failed = (f, c) in ((0, 2), (1, 2))
            changed = np.clip(picture + random.integers(-5 - 3 * c, 6 + 3 * c, picture.shape), 0, 255).astype(np.uint8)
            add("bubble", "success", float(not failed), at=target, note="" if failed else pack(changed), **image)
            if not failed:
                add("bubble", "linf", 18 + 4 * c + 7 * f, at=target, **image)
    for i, name in enumerate(  # of all together, and within families somewhat less
        ("depth ~ accuracy", "depth ~ random", "depth ~ random | accuracy", "depth ~ random | parameters",
         "parameters ~ accuracy", "parameters ~ targeted", "parameters ~ targeted | depth", "accuracy ~ random",
         "accuracy ~ targeted", "bubbles ~ accuracy", "bubbles ~ random")
    ):  # fmt: skip
        where = {"n": len(networks), "condition": ""}
        add("relations", "spearman", 0.7 - 0.12 * i, method=name, **where)
        within = f"{name}, family" if "|" in name else f"{name} | family"
        if not name.startswith("bubbles"):
            add("relations", "spearman", 0.5 - 0.12 * i, 0.35, method=within, over="models", **where)
    return tidy.table(records, chapter="robustness")


@pytest.fixture
def make_rows():
    """The function that makes rows, for tests that need another size."""
    return made_rows


@pytest.fixture(scope="session")
def all_rows():
    """Six networks, ten classes with words for names, two seeds."""
    return made_rows()


@pytest.fixture(scope="session")
def few_rows():
    """One network, four classes, one seed: no means, no relations between networks."""
    return made_rows(classes=tuple("0123"), networks=FOUR[:1], four=FOUR[:1], seeds=(0,))


@pytest.fixture(scope="session")
def printed():
    """The paper's published rows."""
    return published("robustness")
