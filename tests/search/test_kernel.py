from copy import deepcopy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mistrust.errors import MistrustError
from mistrust.search.kernel import Coverage, Gaussian, Similarity, closeness
from mistrust.search.methods.lazily import largest
from mistrust.search.methods.table import first_best


def plain(matrix, weights, found):
    """Cover, utility and every gain from their definitions, with loops."""
    n = len(weights)
    cover = [max((matrix[x, q] for q in found), default=0.0) for x in range(n)]
    utility = sum(weights[x] * cover[x] for x in range(n))
    gain = [sum(weights[x] * max(cover[x], matrix[x, j]) for x in range(n)) - utility for j in range(n)]
    return cover, utility, gain


@pytest.mark.parametrize("of", [Gaussian(0.05), Gaussian(0.001), closeness])
@given(seed=st.integers(0, 1000), n=st.integers(1, 12), kept=st.sampled_from([0, 10**6]))
def test_coverage_equals_its_definition(of, seed, n, kept):
    draw = np.random.default_rng(seed)
    features = draw.integers(0, 4, (n, 2)).astype(float)  # with duplicates
    weights = draw.random(n)
    similarity = Similarity.make(features, of, kept)
    distances = np.sqrt(((features[:, None] - features[None]) ** 2).sum(2))
    distances /= distances.max() or 1
    matrix = 1 - distances if of is closeness else np.exp(-(distances**2) / of.variance)
    np.testing.assert_allclose(similarity.rows(slice(None)), matrix, rtol=1e-12, atol=1e-15)
    coverage, found = Coverage(similarity, weights), []
    for row in draw.permutation(n)[:4]:
        cover, utility, gain = plain(matrix, weights, found)
        np.testing.assert_allclose(coverage.cover, cover, rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(coverage.utility, utility, rtol=1e-12, atol=1e-13)
        assert (coverage.bound >= np.array(gain) - 1e-13).all()
        np.testing.assert_allclose(coverage.bound[coverage.exact], np.array(gain)[coverage.exact], atol=1e-12)
        some = draw.permutation(n)[: n // 2]
        coverage.measure(some)
        assert coverage.exact[some].all()
        np.testing.assert_allclose(coverage.bound[coverage.exact], np.array(gain)[coverage.exact], atol=1e-12)
        coverage.add(row)
        found.append(row)


@pytest.mark.parametrize("of", [Gaussian(0.05), closeness])
@given(seed=st.integers(0, 1000), n=st.integers(1, 60))
def test_the_largest_is_that_of_all_gains(of, seed, n):
    """Found by bounds, with ties: instances that stand at one place, of one weight."""
    draw = np.random.default_rng(seed)
    weights, chance = draw.integers(1, 3, n) / 2, draw.integers(0, 4, n) / 4
    coverage = Coverage(Similarity.make(draw.integers(0, 5, (n, 2)).astype(float), of), weights)
    left = np.ones(n, dtype=bool)
    for _ in range(min(n, 8)):
        before, whole = deepcopy(coverage), deepcopy(coverage)
        whole.measure(np.arange(n))
        scale = coverage.utility

        def worth(gain, scale=scale):
            return chance * (gain + scale)

        row = largest(coverage, worth, left, scale)
        assert row == first_best(worth(whole.bound), left, scale)
        assert row == largest(coverage, worth, left, scale)  # again
        np.testing.assert_array_equal(before.bound >= coverage.bound - 1e-12, True)
        left[row] = False
        if draw.random() < 0.7:
            coverage.add(row)


def test_few_are_measured_where_the_best_is_clear():
    draw = np.random.default_rng(0)
    coverage = Coverage(Similarity.make(draw.normal(size=(500, 3)), Gaussian(0.05)), np.ones(500))
    coverage.add(7)
    assert not coverage.exact.any()
    largest(coverage, lambda gain: gain * np.arange(500), np.ones(500, dtype=bool))
    assert 0 < coverage.exact.sum() < 250


def test_an_error_that_covers_nothing_more_leaves_what_was_measured():
    coverage = Coverage(Similarity.make(np.array([[0.0], [0.0], [1.0]]), closeness), np.ones(3))
    coverage.add(0)
    coverage.measure(np.arange(3))
    coverage.add(1)  # where the first one stands
    assert coverage.exact.all()


def test_an_error_that_covers_little_more_changes_what_others_would_add():
    """Twins but for 1 - K = 2e-7: the second takes that much of what its neighbours would add."""
    similarity = Similarity.make(np.array([[0.0], [1e-4], [2e-4], [1.0]]), Gaussian(0.05))
    coverage = Coverage(similarity, np.ones(4))
    for row in (0, 1):
        coverage.add(row)
        assert not coverage.exact.any()
        coverage.measure(np.arange(4))
    gains = np.maximum(similarity.matrix[:2].max(0), similarity.matrix).sum(1) - similarity.matrix[:2].max(0).sum()
    assert gains[2] > 1e-8
    np.testing.assert_allclose(coverage.bound, gains, atol=1e-15)


def test_more_blocks_than_one():
    """At 400 rows a block holds 163: what is kept, what is made anew, and the plain sums are the same."""
    draw = np.random.default_rng(1)
    features, weights = draw.normal(size=(400, 3)), draw.random(400)
    kept, anew = (Similarity.make(features, Gaussian(0.05), kept) for kept in (10**6, 0))
    assert anew.matrix is None
    np.testing.assert_allclose(kept.matrix, anew.rows(slice(None)), rtol=1e-13)
    np.testing.assert_array_equal(kept.matrix, kept.matrix.T)
    one, other = Coverage(kept, weights), Coverage(anew, weights)
    for row in (5, 390, 200):
        one.add(row)
        other.add(row)
    cover = kept.matrix[:, [5, 390, 200]].max(1)
    after = weights @ np.maximum(cover[:, None], kept.matrix)
    for coverage in (one, other):
        coverage.measure(np.arange(400))
        np.testing.assert_allclose(coverage.bound, after - weights @ cover, atol=1e-12)


@pytest.mark.parametrize("variance", [0, -1, np.nan, np.inf])
def test_variance_must_be_above_zero(variance):
    with pytest.raises(MistrustError, match="variance is"):
        Gaussian(variance)
