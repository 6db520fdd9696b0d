"""Made-up rows of the supervisors' chapter: numbers that look like results and are easy to foretell."""

import numpy as np
import pytest

from mistrust import rows as tidy
from mistrust.pictures import pack

METHODS = ("dsa", "max_softmax", "mc_mutual_information", "autoencoder", "dissector", "prediction_confidence_score")
BAD = ("ambiguous/ambiguess", "adversarial/four attacks", "corrupted/corruptions", "invalid/other")
KINDS = ("nominal", *BAD)


def made_rows(data=("mnist",), methods=METHODS, side=6, count=4, classes=("1", "7"), runs=2):
    """All tables that figures read. `side` of images in pixels, `count` of images of a kind."""
    random = np.random.default_rng(0)
    records = []

    def add(table, metric, value, **more):
        records.append({"table": table, "metric": metric, "value": float(value), **more})

    for name in data:
        for k, method in enumerate(methods):
            for j, condition in enumerate(BAD):
                where = {"data": name, "method": method, "condition": condition}
                value = 0.95 - 0.1 * k + 0.02 * j - (0.3 if name == "fmnist" else 0)
                for network in ("ambiguess-conv", "all"):
                    for run in range(runs if network != "all" else 0):
                        add("detection", "auroc", value + 0.01 * run, network=network, seed=run, **where)
                    add("detection", "auroc", value, network=network, low=value - 0.02, high=value + 0.02, **where)
                    add("detection", "fpr", 0.3, network=network, **where)
                add("together", "auroc", value, network="all", **where)
            where = {"data": name, "method": method, "network": "all", "condition": "every kind"}
            add("together", "mean auroc", 0.95 - 0.1 * k, **where)
            add("together", "least auroc", 0.9 - 0.1 * k, **where)
            for other in methods[k + 1 :]:
                pair = {"data": name, "method": f"{method} + {other}", "network": "all"}
                for condition in BAD:
                    add("together", "auroc", 0.93 - 0.1 * k, condition=condition, **pair)
                add("together", "mean auroc", 0.96 - 0.1 * k, condition="every kind", **pair)
                add("together", "least auroc", 0.91 - 0.1 * k, condition="every kind", **pair)
            trust = {"data": name, "method": method, "network": "all", "condition": "nominal", "n": 1000}
            for metric, value in (("auroc", 0.9 - 0.1 * k), ("risk 95%", 0.02 + 0.005 * k), ("excess area", 0.004),
                                  ("risk 80%", 0.01 + 0.005 * k), ("area", 0.006)):  # fmt: skip
                add("trust", metric, value, **trust)
            first = {"data": name, "method": method, "network": "ambiguess-conv", "seed": 0}
            for j, condition in enumerate(KINDS):
                shares = np.full(20, (0.8 - 0.1 * j + 0.05 * k) / 19) if j else np.full(20, 0.05)
                shares[-1] = 1 - shares[:-1].sum()
                for left, share in zip(np.arange(20) / 20, shares, strict=True):
                    add("spread", "share", share, condition=condition, at=f"{left:.2f}", **first)
                for rank in range(count):
                    image = pack(random.integers(0, 256, (side, side)).astype(np.uint8))
                    place = 1 - 0.01 * rank if condition == "nominal" else 0.1 * j + 0.02 * rank
                    add("mistaken", "place", place, condition=condition, at=str(rank), note=image, **first)
            for condition, past in (("attack/network alone", 0.0), ("attack/supervisor too", 0.3)):
                for level in (0.02, 0.08):
                    where = {"data": name, "method": method, "condition": condition, "level": level}
                    for network, value in (("ambiguess-conv", 2 * level), ("ambiguess-fc", level), ("all", 0.9)):
                        add("evaded", "share unnoticed", past + 0.02 * k + value, network=network, **where)
            for corruption, lift in (("fog", 0.0), ("shear", 0.1)):
                for level in range(1, 6):
                    where = {"condition": f"corrupted/{corruption}", "level": level}
                    add("severity", "auroc", 0.4 - 0.02 * k + 0.08 * level + lift, **where, **first)
        add("trust", "accuracy", 0.96, data=name, network="all", condition="nominal", n=1000)
        add("trust", "accuracy", 0.0, data=name, network="all", condition="adversarial/four attacks", n=400)
        where = {"data": name, "network": "ambiguess-conv", "seed": 0}
        for level in range(1, 6):
            for corruption in ("fog", "shear"):
                add("severity", "accuracy", 1 - 0.1 * level, condition=f"corrupted/{corruption}", level=level, **where)
        for condition in KINDS:
            for at in range(8):
                image = pack(random.integers(0, 256, (side, side)).astype(np.uint8))
                more = {"condition": condition, "method": classes[at % len(classes)], "at": str(at), "note": image}
                add("inputs", "predicted", at % len(classes), **where, **more)
            for at in range(4):
                both = pack(random.integers(0, 256, (side, 2 * side)).astype(np.uint8))
                add("rebuilt", "reconstruction error", 100 + at, condition=condition, at=str(at), note=both, **where)
    up, across = np.mgrid[0:12, 0:12]
    for k, method in enumerate(methods):
        grey = np.where(across + up > 8 + k, 255, 60).astype(np.uint8)
        add("seen", "share of the plane", (grey > 242).mean(), data="three clusters", method=method, note=pack(grey))
    for i in range(30):
        where = {
            "condition": f"class/{('left', 'right', 'top')[i % 3]}",
            "at": f"x={0.02 * i:.3f},y={0.3 + 0.01 * i:.3f}",
        }
        add("seen", "point", i % 3, data="three clusters", **where)
    return tidy.table(records, chapter="supervisors")


def made_benchmark(methods=METHODS):
    """Rows of the benchmark: the later a method, the slower, but the last, which is as fast as the first."""
    records = []
    for k, method in enumerate(methods):
        time = 10.0 ** (k % (len(methods) - 1))
        for condition, value in (("alone", time + 50), ("one record", time)):
            records.append(
                {"method": method, "condition": condition, "metric": "microseconds an image", "value": value}
            )
        records.append({"method": method, "metric": "state megabytes", "value": 2.5})
    return tidy.table(records, table="supervisors")


@pytest.fixture
def make_rows():
    """The function that makes rows, for tests that need another size."""
    return made_rows


@pytest.fixture(scope="session")
def all_rows():
    """One image set."""
    return made_rows()


@pytest.fixture(scope="session")
def both_rows():
    """Two image sets."""
    return made_rows(("fmnist", "mnist"))


@pytest.fixture(scope="session")
def benchmark_rows():
    """Times and sizes of the same supervisors."""
    return made_benchmark()
