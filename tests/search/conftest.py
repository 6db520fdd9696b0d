from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from mistrust.search.pool import Pool

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def known_set():
    """Known-answer set A of facts 11 on this paper (worked out there, by a program of its own): sixteen instances."""
    return pd.read_csv(HERE / "known_set.csv")


@pytest.fixture(scope="session")
def known_answers():
    """From the same place: what each search gives on it as printed, by (method, what)."""
    table = pd.read_csv(HERE / "known_answers.csv", dtype=str)
    return {(row.method, row.what): row.numbers.split() for row in table.itertuples(index=False)}


def make_pool(n=120, seed=0, **more):
    """Instances in lumps of the plane, with everything that a search may read, and the answers by row."""
    draw = np.random.default_rng(seed)
    lump = draw.integers(0, 4, n)
    confidence = 1 - 0.33 * draw.random(n)
    pool = Pool(
        ids=draw.permutation(10 * n)[:n],
        confidence=confidence,
        features=draw.normal(size=(4, 3))[lump] * 4 + draw.normal(size=(n, 3)),
        distance=np.exp(draw.normal(size=n) * 0.3 + 3 * confidence),
        clusters=lump,
        scores={"surprise": draw.random(n) + 0.1},
    )
    return pool.with_(**more), draw.random(n) < 2 * (1 - confidence)


@pytest.fixture(scope="session")
def pools():
    return make_pool


@pytest.fixture(
    params=[
        "abc", ["0.5", "0.6"], [[1], [2, 3]], [0.5 + 1j, 0.6], [10**400, 1], {"a": 1},
        torch.tensor([0.5, 0.6], requires_grad=True),
    ],
    ids=["text", "digits", "ragged", "complex", "huge", "a mapping", "a gradient"],
)  # fmt: skip
def no_numbers(request):
    """What is no row of numbers, or only looks like one."""
    return request.param
