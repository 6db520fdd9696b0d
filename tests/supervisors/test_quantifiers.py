import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import entropy as scipy_entropy

from mistrust.errors import MistrustError
from mistrust.supervisors.quantifiers import (
    mean_softmax,
    mutual_information,
    of_logits,
    predictive_entropy,
    variation_ratio,
)  # fmt: skip

ALL = (variation_ratio, mean_softmax, predictive_entropy, mutual_information)
SAMPLES = [(0.8, 0.1, 0.1), (0.6, 0.3, 0.1), (0.2, 0.7, 0.1), (0.4, 0.35, 0.25)]
ONE_HOT = [(1, 0, 0), (0, 1, 0), (0, 1, 0), (0, 0, 1)]


def of(*vectors):
    """Samples of one image."""
    return torch.tensor(vectors, dtype=torch.float64).unsqueeze(1)


def drawn(samples, n, k, seed=0):
    return torch.from_numpy(np.random.default_rng(seed).dirichlet(np.full(k, 0.3), (samples, n)))


class TestGolden:
    """../shared/facts/ambiguess.md, section 11: float64 numpy, by the definitions; one-hot samples by hand."""

    @pytest.mark.parametrize(
        ("vectors", "quantifier", "expected"),
        [
            (SAMPLES, mean_softmax, -0.5),
            (SAMPLES, variation_ratio, 0.25),
            (SAMPLES, predictive_entropy, 1.4242740891),
            (SAMPLES, mutual_information, 0.1910137299),
            (ONE_HOT, mean_softmax, -0.5),
            (ONE_HOT, variation_ratio, 0.5),
            (ONE_HOT, predictive_entropy, 1.5),
            (ONE_HOT, mutual_information, 1.5),
        ],
    )
    def test_to_the_printed_digits(self, vectors, quantifier, expected):
        assert quantifier(of(*vectors)).item() == pytest.approx(expected, abs=5e-11)

    def test_mean_entropy_is_what_the_information_leaves(self):
        p = of(*SAMPLES)
        assert (predictive_entropy(p) - mutual_information(p)).item() == pytest.approx(1.2332603593, abs=5e-11)

    def test_equal_entries_vote_for_the_lowest_class(self):
        # Votes 0 and 0; for the highest class they would be 1 and 2.
        assert variation_ratio(of((0.5, 0.5, 0), (0.4, 0.2, 0.4))).item() == 0

    def test_one_sample_has_no_disagreement(self):
        p = of(SAMPLES[2])
        assert variation_ratio(p).item() == 0
        assert mutual_information(p).item() == 0
        assert mean_softmax(p).item() == -0.7
        assert predictive_entropy(p).item() == pytest.approx(scipy_entropy(SAMPLES[2], base=2))

    def test_against_scipy(self):
        p = drawn(7, 50, 4)
        numpy = p.numpy()
        whole = scipy_entropy(numpy.mean(0), base=2, axis=-1)
        votes = numpy.argmax(-1)
        ratios = [1 - np.bincount(votes[:, i]).max() / 7 for i in range(50)]
        assert predictive_entropy(p).numpy() == pytest.approx(whole, rel=1e-12)
        assert mutual_information(p).numpy() == pytest.approx(
            whole - scipy_entropy(numpy, base=2, axis=-1).mean(0), rel=1e-10
        )
        assert mean_softmax(p).numpy() == pytest.approx(-numpy.mean(0).max(-1), rel=1e-14)
        assert variation_ratio(p).numpy() == pytest.approx(np.array(ratios), rel=1e-14)


class TestLaws:
    @given(st.integers(1, 9), st.integers(1, 6), st.integers(2, 5), st.integers(0, 1000))
    def test_ranges_and_what_does_not_matter(self, samples, n, k, seed):
        p = drawn(samples, n, k, seed)
        found = {one: one(p) for one in ALL}
        assert all(v.shape == (n,) and v.dtype == torch.float64 for v in found.values())
        assert bool((found[variation_ratio] <= 1 - 1 / min(samples, k) + 1e-12).all())
        assert bool((found[mean_softmax] <= -1 / k + 1e-12).all())
        assert bool((found[predictive_entropy] <= np.log2(k) + 1e-12).all())
        assert bool((found[mutual_information] <= np.log2(min(samples, k)) + 1e-12).all())
        assert all(bool((found[one] >= 0).all()) for one in (variation_ratio, mutual_information))
        for other in (p.flip(0), p.flip(2)):  # no two entries are equal, so that votes go with the classes
            for one in ALL:
                assert torch.allclose(one(other), found[one], rtol=0, atol=1e-12)

    def test_samples_that_agree_have_no_information_whatever_rounding_does(self):
        p = drawn(1, 500, 10).expand(37, -1, -1)
        assert bool((mutual_information(p) >= 0).all())
        assert float(mutual_information(p).max()) < 1e-14

    @pytest.mark.parametrize("quantifier", ALL)
    @pytest.mark.parametrize(("samples", "k"), [(1, 2), (3, 10), (100, 10), (33, 7)])
    def test_an_image_has_the_same_bits_among_any_others(self, quantifier, samples, k):
        logits = torch.from_numpy(np.random.default_rng(0).normal(0, 3, (samples, 101, k))).float()
        whole = of_logits(quantifier, logits)
        for block in (1, samples * k * 7, samples * k * 100, samples * k * 101):
            assert torch.equal(of_logits(quantifier, logits, block), whole)
        rows = torch.tensor([100, 3, 3, 50])
        assert torch.equal(of_logits(quantifier, logits[:, rows]), whole[rows])

    def test_logits_become_softmax_in_float64(self):
        logits = torch.tensor([[[0.0, 10.0]], [[0.0, 11.0]]])
        p = 1 / (1 + np.exp([10.0, 11.0]))
        expected = scipy_entropy([p.mean(), 1 - p.mean()], base=2)
        assert of_logits(predictive_entropy, logits).item() == pytest.approx(expected, rel=1e-10)

    def test_no_images(self):
        assert all(of_logits(one, torch.zeros(3, 0, 4)).shape == (0,) for one in ALL)


@pytest.mark.parametrize("quantifier", ALL)
def test_no_samples_are_refused(quantifier):
    with pytest.raises(MistrustError, match=r"shape is \(0, 5, 3\), expected \(S, n, k\).*samples=32"):
        quantifier(torch.zeros(0, 5, 3, dtype=torch.float64))
    with pytest.raises(MistrustError, match="There are no samples"):
        of_logits(quantifier, torch.zeros(0, 5, 3))


@pytest.mark.parametrize("quantifier", ALL)
def test_logits_that_are_no_numbers_are_refused(quantifier):
    """Of NaN the variation ratio said 0: every sample votes for it."""
    logits = torch.zeros(4, 5, 3)
    logits[1, 2, 0] = torch.nan
    with pytest.raises(MistrustError, match="logits of samples hold 1 number of 60 that is NaN or infinite"):
        of_logits(quantifier, logits)
