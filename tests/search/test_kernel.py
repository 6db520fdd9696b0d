import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mistrust.errors import MistrustError
from mistrust.search.kernel import Coverage, Gaussian, Similarity, closeness


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
        for got, wanted in zip(
            (coverage.cover, coverage.utility, coverage.gain), plain(matrix, weights, found), strict=True
        ):
            np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-13)
        coverage.add(row)
        found.append(row)


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
    np.testing.assert_allclose(one.gain, after - weights @ cover, atol=1e-12)
    np.testing.assert_allclose(other.gain, one.gain, atol=1e-12)


@pytest.mark.parametrize("variance", [0, -1, np.nan, np.inf])
def test_variance_must_be_above_zero(variance):
    with pytest.raises(MistrustError, match="variance is"):
        Gaussian(variance)
