import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nan, tensor

from mistrust.errors import MistrustError
from mistrust.misclassification import (
    Statistic,
    agreement_of_levels,
    at_levels,
    class_distances,
    likelihood,
    over_levels,
)

TWO = tensor(
    [
        [[0, 0.2, 0.8], [0.5, 0, 0.5], [0.3, 0.7, 0]],
        [[0, 0.4, 0.6], [0.5, 0, 0.5], [nan, nan, nan]],
    ],
    dtype=torch.float64,
)


def some(seed, n=120, k=4, levels=3):
    draw = np.random.default_rng(seed)
    return (
        torch.from_numpy(draw.random((n, k))),
        torch.from_numpy(np.arange(n) % k),
        torch.from_numpy(np.arange(n) // k % levels + 1),
    )


def test_mean_and_population_deviation_by_hand():
    found = over_levels(TWO)
    assert np.allclose(found.mean, [[0, 0.3, 0.7], [0.5, 0, 0.5], [0.3, 0.7, 0]])
    # Two values .2 apart: .1 with 1/2, .1414 with 1/(2 - 1).
    assert np.allclose(found.deviation, [[0, 0.1, 0.1], [0, 0, 0], [0, 0, 0]])
    assert found.counted.tolist() == [2, 2, 1]
    expected = [[nan, 1 / 3, 1 / 7], [0, nan, 0], [0, 0, nan]]
    assert np.allclose(found.relative, expected, equal_nan=True)
    assert found.variation == pytest.approx((1 / 3 + 1 / 7) / 6)


def test_a_row_that_no_level_has_stays_nan():
    found = over_levels(TWO[1:])
    assert torch.isnan(found.mean[2]).all()
    assert found.counted.tolist() == [1, 1, 0]
    assert found.variation == 0


def test_each_level_is_the_matrix_of_its_inputs():
    d, y, level = some(0)
    for statistic in (Statistic(), Statistic("quantile", 0.3), Statistic("mean")):
        found = at_levels(d, y, level, statistic)
        for one, p in zip(found, (1, 2, 3), strict=True):
            assert torch.equal(one, likelihood(class_distances(d[level == p], y[level == p], statistic)))
    assert torch.equal(
        at_levels(d, y, level, Statistic(), diagonal=True)[0],
        likelihood(class_distances(d[level == 1], y[level == 1], Statistic()), diagonal=True),
    )


@pytest.mark.whole
@settings(max_examples=30)
@given(st.integers(0, 10_000), st.permutations(range(4)))
def test_laws(seed, order):
    d, y, level = some(seed)
    index = tensor(order)
    found = over_levels(at_levels(d, y, level, Statistic()))
    moved = over_levels(at_levels(d[:, index], torch.argsort(index)[y], level, Statistic()))
    assert np.allclose(moved.mean, found.mean[index][:, index])
    assert np.allclose(moved.deviation, found.deviation[index][:, index])
    assert moved.variation == pytest.approx(found.variation)
    assert np.allclose(found.mean.sum(1), 1)
    reference = at_levels(d, y, level, Statistic()).numpy()
    assert np.allclose(found.deviation, reference.std(0, ddof=0))


class TestAgreement:
    def test_levels_of_one_order_agree_wholly(self):
        one = likelihood(torch.rand(5, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(0)))
        levels = torch.stack([likelihood(1 / one**a) for a in (1.0, 0.5, 2.0)])
        cells, rows = agreement_of_levels(levels, 99, seed=0)
        assert rows.w == pytest.approx(1)
        assert 0.7 < cells.w <= 1
        assert cells.p == rows.p == 1 / 100
        assert (cells.judges, cells.items) == (3, 20)

    def test_levels_drawn_at_random_agree_by_chance(self):
        draw = torch.rand(10, 6, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
        cells, rows = agreement_of_levels(likelihood(draw), 299, seed=0)
        for found in (cells, rows):
            assert found.chance == pytest.approx(1 / 10, abs=0.01)
            assert abs(found.w - 1 / 10) < 0.1
            assert found.p > 0.01

    def test_rows_that_a_level_lacks_are_left_out(self):
        cells, _ = agreement_of_levels(TWO, 9, seed=0)
        assert cells.items == 4
        with pytest.raises(MistrustError, match="No class has inputs at every level"):
            agreement_of_levels(torch.full((2, 3, 3), nan, dtype=torch.float64), 9, seed=0)

    def test_it_depends_on_its_seed_alone(self):
        levels = likelihood(torch.rand(4, 5, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(2)))
        assert agreement_of_levels(levels, 50, seed=3) == agreement_of_levels(levels, 50, seed=3)
        assert agreement_of_levels(levels, 50, seed=3)[0].chance != agreement_of_levels(levels, 50, seed=4)[0].chance


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: over_levels(TWO[0]), r"shape \(3, 3\)"),
        (lambda: over_levels(TWO[:0]), "at least one level"),
        (lambda: over_levels(TWO[:, :2]), r"shape \(2, 2, 3\)"),
        (lambda: agreement_of_levels(TWO[:1], 9, 0), "two of each at least"),
        (lambda: agreement_of_levels(TWO.tolist(), 9, 0), "Matrices of levels are a list"),
        (lambda: agreement_of_levels(TWO[0], 9, 0), r"shape \(3, 3\), expected \(levels, k, k\)"),
        (lambda: at_levels(*(a[:0] for a in some(0)), Statistic()), "no inputs"),
        (lambda: at_levels(some(0)[0], some(0)[1], some(0)[2][:5], Statistic()), "level 5"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(MistrustError, match=message):
        call()
