"""Made-up rows of the AmbiGuess chapter, of any size: numbers that look like results and are easy to foretell."""

import numpy as np
import pytest

from mistrust import rows as tidy
from mistrust.pictures import pack

METHODS = (
    "uniform",
    "jacobian",
    "differences",
    "energy",
    "energy transposed",
    "uniform transposed",
    "jacobian transposed",
    "differences transposed",
    "as published",
)
SETS = ("ambiguess", "as published", "mixing", "midpoint")
RULES = ("normalised", "softmax", "prior")


def fade(first, second, share):
    """An image between two: `share` of the first."""
    return np.round(share * first + (1 - share) * second).astype(np.uint8)


def made_rows(pairs=("4/9", "3/8"), classes=tuple("0123456789"), seeds=(0, 1, 2), images=None, shape=(6, 6)):
    """All tables that figures read. `images` are two images (one per class); `seeds` those of networks."""
    random = np.random.default_rng(0)
    ends = images or [random.integers(0, 256, shape).astype(np.uint8) for _ in range(2)]
    records = []

    def add(table, metric, value, half=None, **more):
        interval = {} if half is None else {"low": float(value) - half, "high": float(value) + half, "over": "images"}
        records.append({"table": table, "metric": metric, "value": float(value), **interval, **more})

    def networks(table, metric, value, half, **more):
        values = [value + half * s for s in np.linspace(-0.5, 0.5, len(seeds))] if len(seeds) > 1 else [value]
        for seed, one in zip(seeds, values, strict=True):
            add(table, metric, one, seed=seed, **more)
        if len(seeds) > 1:
            add(table, metric, value, half, **more)

    def first(z0, steep=3.0):
        return 1 / (1 + np.exp(steep * (z0 + 0.1)))

    for pair in pairs:
        for z0 in np.linspace(-3, 3, 13):
            p = first(z0)
            add("interpolation", "p first", p, condition=pair, at=f"z0={z0:.2f}", note=pack(fade(*ends, p)))
        for z0 in np.linspace(-2, 2, 5):
            for z1 in (1.0, 0.0, -1.0):
                p = first(z0)
                add("plane", "p first", p, condition=pair, at=f"z0={z0:.2f},z1={z1:.2f}", note=pack(fade(*ends, p)))
        x, y = np.meshgrid(np.linspace(-0.96, 0.96, 25), np.linspace(-4.8, 4.8, 25))
        band = np.exp(-((x / 0.3) ** 2))
        weights = {"uniform": band, "jacobian": band * np.exp(-((y / 4) ** 2)), "energy": band * (1 + 0.1 * y),
                   "as published": band * np.exp(-((y / 1.2) ** 2))}  # fmt: skip
        for method, weight in weights.items():
            for z0, z1, chance in zip(x.ravel(), y.ravel(), (weight / weight.sum()).ravel(), strict=True):
                add("cells", "chance", chance, condition=pair, method=method, at=f"z0={z0:.2f},z1={z1:.2f}")
        for member in range(4):
            more = {"at": pair, "seed": member}
            for ending, right in (("", 0.97), (" as published", 0.95)):
                add(
                    "autoencoders",
                    f"discrimination{ending}",
                    0.54 + 0.02 * random.random() + 0.05 * bool(ending),
                    **more,
                )
                add("autoencoders", f"labelling{ending}", right - 0.02 * member, **more)
    for method, share in (("default", 0.95), ("as published", 0.4)):
        add("acceptance", "share accepted", share, 0.05, method=method, at="all", n=20)
    for rule, steep in zip(RULES, (2.5, 3.2, 6), strict=True):
        for z0 in np.linspace(-0.96, 0.96, 13):
            add("labels", "p first", first(z0, steep), 0.05, method=rule, at=f"z0={z0:.2f}")
        for level in (0.25, 0.4):
            add("labels", "share of cells", level, method=rule, level=level)
    for i, method in enumerate(METHODS):
        for bound in (2, 3, 5):
            narrow = 0.5 if "transposed" in method else 1.0
            values = {"pair distance": 5, "pair distance, 10% quantile": 0.8, "nearest neighbour": 0.05,
                      "coverage": 0.8,
                      "deviation of z1": 2, "share kept": 0.9}  # fmt: skip
            for metric, value in values.items():
                size = value * narrow * (1 - 0.03 * i) * bound / 5
                networks("diversity", metric, size, 0.05 * size, method=method, level=bound)
    for i, name in enumerate(SETS):
        add("sets", "largest probability", 0.5625 + 0.01 * i, method=name, condition="test")
        add("oddness", "auroc density", 0.55 + 0.12 * i, 0.02, method=name)
        add("oddness", "ambiguous", 0.6 - 0.15 * i, 0.03, method=name)
    for trained, lift in (("mixed", 0), ("clean", -0.07)):
        for i, condition in enumerate(("nominal", *(f"ambiguous/{s}" for s in SETS))):
            top = 0.985 if condition == "nominal" else 0.53 - 0.02 * i + lift
            more = {"network": "all", "method": trained, "condition": condition}
            networks("performance", "top-1", top, 0.02, **more)
            networks("performance", "top-2", 0.97 - 0.03 * i + lift / 2, 0.02, **more)
            if condition != "nominal":
                networks("performance", "top-pair", 0.94 - 0.1 * i + lift, 0.03, **more)
    for condition in ("ensemble", "known world"):
        for method, slope in (
            ("normalised", 0.9),
            ("softmax", 0.8),
            ("prior", 0.5),
            ("mixing", 0.3),
            ("midpoint", 0.4),
        ):
            for i in range(1, 11):
                where = {"condition": condition, "method": method, "at": f"bin={i}", "n": 100}
                stated = (i - 0.5) / 10
                add("calibration", "stated", stated, **where)
                add("calibration", "observed", 0.5 + slope * (stated - 0.5), 0.04, **where)
            add("calibration", "absolute error", 0.1 + 0.2 * (1 - slope), condition=condition, method=method)
    add("natural", "candidates", 300, method="judges")
    add("natural", "count", 41, method="judges")
    for rank in range(1, 21):
        image = pack(fade(*ends, 0.5 + 0.01 * rank))
        where = {"method": "judges", "condition": pairs[rank % len(pairs)], "at": f"id={100 + rank}", "level": rank}
        add("natural", "entropy", 1 - 0.01 * rank, note=image, **where)
    for method in ("best", "worst", "random"):
        for rank in range(1, 11):
            where = {"method": method, "condition": pairs[rank % len(pairs)], "level": rank}
            p = 0.4 + 0.02 * rank
            add("examples", "stated", p, note=pack(fade(*ends, p)), **where)
            add("examples", "judged", {"best": p, "random": 0.7, "worst": 0.98}[method], **where)
            add("examples", "share on pair", 0.9, **where)
    for i, z0 in enumerate(np.linspace(-2, 2, 15)):
        for j, z1 in enumerate(np.linspace(-2, 2, 15)):
            angle = (np.arctan2(j - 7, i - 7) + np.pi) / (2 * np.pi + 1e-9)
            name = classes[int(angle * len(classes))]
            image = pack(fade(*ends, (i + j) / 28))
            at = f"z0={z0:.2f},z1={z1:.2f}"
            add("vae-plane", "largest", 0.4 + 0.03 * max(abs(i - 7), abs(j - 7)), condition=name, at=at, note=image)
    return tidy.table(records, chapter="ambiguity")


@pytest.fixture
def make_rows():
    """The function that makes rows, for tests that need another size."""
    return made_rows


@pytest.fixture(scope="session")
def all_rows():
    """Two pairs of digits, three networks."""
    return made_rows()


@pytest.fixture(scope="session")
def few_rows():
    """Long names with a "/", coloured images, one network without a mean."""
    return made_rows(("T-shirt/top/Ankle boot",), ("T-shirt/top", "Ankle boot"), (4,), shape=(6, 6, 3))
