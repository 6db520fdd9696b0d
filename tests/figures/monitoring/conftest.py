"""Made-up rows of the chapter on safety monitors: numbers that look like results and are easy to foretell."""

import numpy as np
import pytest

from mistrust import rows as tidy
from mistrust.monitoring.rereading import printed, ranking, reread
from mistrust.pictures import pack
from mistrust.publishing.published import published

THREE = ("alooc", "oob", "odin")
OTHERS = ("max_softmax", "mdsa")
SETS = (
    ("novelty/BTSC", None), ("adversarial/FGSM", None), ("anomaly/pixel trap", 1), ("anomaly/pixel trap", 3),
    ("shift/fog", 2), ("shift/fog", 5), ("shift/rotated", None), ("noise/gaussian noise", 2),
    ("noise/gaussian noise", 5),
)  # fmt: skip
# Of ten cases: nominal, then faulty, then novel.
NOMINAL, FAULTY, NOVEL = (2, 3, 90, 5), (20, 30, 10, 40), (60, 40)


def made_rows(data=("gtsrb-thin",), sets=SETS, side=6, count=3, runs=2, ranked="all"):
    """All tables that figures read. `side` of images in pixels, `count` of images of a set."""
    random = np.random.default_rng(0)
    records = []

    def add(table, metric, value, **more):
        records.append({"table": table, "metric": metric, "value": float(value), **more})

    def runs_of(table, metric, value, **more):
        """Rows of single runs around a value, and their mean."""
        for run in range(runs):
            add(table, metric, value + 0.01 * (run - (runs - 1) / 2), seed=run, **more)
        add(table, metric, value, **more)

    for place, name in enumerate(data):
        here = {"data": name, "network": "farm-lenet"}
        for j, (condition, level) in enumerate(sets):
            where = {**here, "condition": condition, **({} if level is None else {"level": level})}
            for k, method in enumerate(THREE):
                add("detection", "fnr", 0.9 - 0.1 * k - 0.05 * j - 0.2 * place, method=method, **where)
                add("detection", "auroc", 0.4 + 0.1 * k + 0.04 * j, method=method, **where)
                novel = condition.startswith("novelty")
                counts = (*NOMINAL, *((0,) * 4 if novel else FAULTY), *(NOVEL if novel else (0, 0)))
                for case, number in enumerate(counts, 1):
                    add("cases", "images", number, method=method, at=str(case), seed=0, n=200, **where)
            if not condition.startswith("novelty"):
                more = {"low": 0.8 - 0.05 * j, "high": 0.9 - 0.05 * j}
                add("accuracy", "accuracy", 0.85 - 0.05 * j, method="network", **more, **where)
        for condition, level in (("nominal", None), *sets):
            where = {**here, "condition": condition, **({} if level is None else {"level": level})}
            for at in range(count):
                image = pack(random.integers(0, 256, (side, side, 3)).astype(np.uint8))
                add("shown", "label", at, at=str(at), seed=0, note=image, **where)
        runs_of("nominal", "accuracy", 0.95, method="network", condition="nominal", **here)
        kinds = [*dict.fromkeys(one.partition("/")[0] for one, _ in sets), "all sets"]
        for k, method in enumerate((*THREE, *OTHERS)):
            for v, variant in enumerate(("", "/published rule", "/as published") if method in THREE else ("",)):
                own = {**here, "method": f"{method}{variant}"}
                runs_of("nominal", "fpr", 0.05 + 0.2 * v + 0.02 * k, condition="nominal", **own)
                for j, kind in enumerate(kinds):
                    where = {"condition": f"{kind}/mean", **own}
                    runs_of("summary", "fnr", 0.8 - 0.2 * v - 0.05 * k - 0.01 * j, at="ood", **where)
                    if not variant:
                        runs_of("summary", "auroc", 0.6 + 0.05 * k + 0.01 * j, at="ood", **where)
                    if not variant and method in THREE:
                        shares = {"safety-gain": 0.1 + 0.1 * k, "residual-hazard": 0.4 - 0.1 * k}
                        for metric, value in {**shares, "availability-cost": 0.05 * (k + 1)}.items():
                            runs_of("summary", metric, value, at="failures", **where)
    for name in dict.fromkeys((*data, *([ranked] if len(data) > 1 else []))):
        for condition, shift in (("three monitors", 0.0), ("three monitors as published", 0.5)):
            where = {"data": name, "network": "farm-lenet", "condition": condition, "n": 9}
            ending = "/as published" if shift else ""
            for method, rank in zip(THREE, (2.8 - shift, 2.0, 1.2 + shift), strict=True):
                add("ranks", "rank", rank, method=f"{method}{ending}", **where)
            add("ranks", "critical difference", 0.9, **where)
            add("ranks", "p", 0.02, **where)
        where = {"data": name, "network": "farm-lenet", "condition": "all monitors", "n": 9}
        for k, method in enumerate((*THREE, *OTHERS)):
            add("ranks", "rank", 5 - k, method=method, **where)
        add("ranks", "critical difference", 1.5, **where)
    return tidy.table(records, chapter="monitoring")


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
    return made_rows(("cifar10-jpeg", "gtsrb-thin"))


@pytest.fixture(scope="session")
def read_again():
    """The paper's printed rows, read again."""
    return reread(printed(published("monitoring")))


@pytest.fixture(scope="session")
def ranked_again(read_again):
    """Ranks of the printed rows."""
    return ranking(read_again)
