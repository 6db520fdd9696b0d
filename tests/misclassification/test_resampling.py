import tracemalloc

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from mistrust import random
from mistrust.errors import MistrustError
from mistrust.misclassification import Statistic, bootstrap, class_distances, matrix, resampling

STATISTICS = [Statistic(), Statistic("mean"), *(Statistic("quantile", q) for q in (0.0, 0.01, 0.05, 0.5, 0.99, 1.0))]


def by_definition(distance, labels, base, statistic, resamples, seed):
    """D of each resample as its definition reads: every input weighed, sorted and counted one by one."""
    ids, position = np.unique(base, return_inverse=True)
    draw = random.generator(seed, f"bootstrap/{statistic.name}")
    counts = draw.multinomial(len(ids), np.full(len(ids), 1 / len(ids)), size=resamples)
    k = distance.shape[1]
    result = np.full((resamples, k, k), np.nan)
    for b, weights in enumerate(counts[:, position].astype(float)):
        for y in range(k):
            w, d = weights[labels == y], distance[labels == y]
            if w.sum() == 0:
                continue
            if statistic.kind == "mean":
                result[b, y] = w @ d / w.sum()
                continue
            goal = max(statistic.share * w.sum() - 1e-9, 0.5)
            for c in range(k):
                order = np.argsort(d[:, c], kind="stable")
                result[b, y, c] = d[order[np.flatnonzero(np.cumsum(w[order]) >= goal)[0]], c]
    return result


def inputs(seed, images, versions, k, digits):
    draw = np.random.default_rng(seed)
    labels = draw.integers(0, k, images)
    distance = np.tile(draw.random((images, k)), (versions, 1)) + 0.3 * draw.random((images * versions, k))
    return distance.round(digits), np.tile(labels, versions), np.tile(draw.permutation(images) * 3, versions)


def check(distance, labels, base, statistic, resamples=12):
    found = bootstrap(*map(torch.from_numpy, (distance, labels, base)), statistic, resamples, seed=5).numpy()
    expected = by_definition(distance, labels, base, statistic, resamples, seed=5)
    if statistic.kind == "mean":
        assert np.allclose(found, expected, rtol=1e-12, atol=0, equal_nan=True)
    else:
        assert np.array_equal(found, expected, equal_nan=True)


@pytest.mark.whole
@settings(max_examples=60)
@given(
    st.integers(0, 10_000), st.integers(1, 30), st.integers(1, 8), st.integers(2, 4), st.integers(1, 12),
    st.sampled_from(STATISTICS),
)  # fmt: skip
def test_it_is_the_definition(seed, images, versions, k, digits, statistic):
    check(*inputs(seed, images, versions, k, digits), statistic)


@pytest.mark.parametrize("statistic", STATISTICS, ids=lambda s: s.name)
@pytest.mark.parametrize(
    "squeeze",
    [
        {},
        {"NEAREST": 1},  # the nearest inputs are too few: all must be sorted
        {"NEAREST": 40},
        {"STRETCHES": 3},
        {"CELLS": 64},  # many small blocks
        {"NEAREST": 40, "STRETCHES": 1000, "CELLS": 500},
    ],
)
def test_it_does_not_depend_on_what_was_sorted_and_counted_at_once(statistic, squeeze, monkeypatch):
    for name, value in squeeze.items():
        monkeypatch.setattr(resampling, name, value)
    check(*inputs(1, 60, 40, 2, 3), statistic)
    # Some images hold nearly all near inputs: resamples without them must look far.
    distance, labels, base = inputs(2, 30, 80, 2, 12)
    distance[base < 9] /= 100
    check(distance, labels, base, statistic, resamples=40)


def test_it_does_not_depend_on_how_many_resamples_are_held_at_once(monkeypatch):
    arrays = [torch.from_numpy(a) for a in inputs(3, 40, 10, 3, 12)]
    for statistic in STATISTICS:
        whole = bootstrap(*arrays, statistic, 17, seed=0)
        monkeypatch.setattr(matrix, "DRAWN", 200)
        assert torch.allclose(bootstrap(*arrays, statistic, 17, seed=0), whole, rtol=1e-12, equal_nan=True)
        monkeypatch.undo()


def test_memory_does_not_grow_with_inputs_times_resamples():
    arrays = [torch.from_numpy(a) for a in inputs(4, 200, 1000, 2, 12)]
    tracemalloc.start()
    bootstrap(*arrays, Statistic("quantile", 0.5), 200, seed=0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60e6  # a weight for every input and resample would be 160 MB in float32


def test_the_plain_statistic_is_numpys():
    distance, labels, _ = inputs(5, 50, 7, 3, 2)
    d, y = torch.from_numpy(distance), torch.from_numpy(labels)
    for q in (0, 0.001, 0.3, 0.5, 0.999, 1):
        expected = [np.quantile(distance[labels == k], q, axis=0, method="inverted_cdf") for k in range(3)]
        assert np.array_equal(class_distances(d, y, Statistic("quantile", q)), expected)


def test_no_resamples_are_refused():
    arrays = [torch.from_numpy(a) for a in inputs(6, 4, 2, 2, 2)]
    with pytest.raises(MistrustError, match="at least one resample, got 0"):
        bootstrap(*arrays, Statistic(), 0, seed=0)
    with pytest.raises(MistrustError, match=r"resamples is 2\.5, expected a whole number"):
        bootstrap(*arrays, Statistic(), 2.5, seed=0)
