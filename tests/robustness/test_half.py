"""sigma_50 and rates of change against the normal distribution."""

import pytest
import torch
from linear_rows import image_set, linear, random_linear
from scipy import stats

from mistrust.errors import MistrustError
from mistrust.robustness.half import FIELDS, change_rates, half, linear_rate

WEIGHT = [2.0, -1.0, 0.5, 1.5]
MANY = range(4000)


def between(lead):
    """Class 0 leads by `lead` at x = 0 as long as w x lies between -lead and lead; classes 1 and 2 take the sides."""
    return linear([[0.0] * 4, WEIGHT, [-one for one in WEIGHT]], [lead, 0.0, 0.0], classes=("0", "1", "2"))


BLACK = image_set([[0.0] * 4], [0], [9], classes=("0", "1", "2"))


class TestRates:
    @pytest.mark.whole
    def test_of_two_linear_classes(self):
        """Phi(-255 m / (sigma ||w||)): facts B1, and scipy's normal distribution."""
        network, images, weight, bias = random_linear(n=5)
        sigmas = (20.0, 60.0, 150.0, 400.0, 5000.0)
        found = change_rates(network, images, sigmas, variant="fixed-unclipped", seeds=MANY)
        lead = (images.floats().flatten(1).double() @ weight + bias).abs()
        expected = torch.from_numpy(
            stats.norm.cdf((-255 * lead[:, None] / (torch.tensor(sigmas) * weight.norm())).numpy())
        )
        assert (abs(found.rate - expected) < 4 * (expected * (1 - expected) / 4000) ** 0.5 + 1e-3).all()
        assert found.rate[:, 0].max() < 0.2
        assert found.rate[:, -1].min() > 0.4
        theory = linear_rate(lead[:, None], weight.norm(), torch.tensor(sigmas).double())
        assert torch.allclose(theory, expected, rtol=1e-9)
        assert (theory < 0.5).all()

    def test_at_sigma_0_nothing_changes(self):
        network, images, _, _ = random_linear(n=5, wrong=2)
        found = change_rates(network, images, (0.0,), seeds=range(8))
        assert found.rate.tolist() == [[0.0]] * 3
        assert torch.equal(found.misclassified, images.ids[:2])

    def test_theory_says_so_too_and_refuses_what_is_below_0(self):
        """A lead of 0 is lost in half of all fields, as soon as there are any."""
        one, two = torch.ones(2).double(), torch.tensor([0.0, 1.0]).double()
        assert linear_rate(one[:1] * 0, one[:1], two).tolist() == [0.0, 0.5]
        assert linear_rate(two, one * 0, one).tolist() == [0.0, 0.0]
        assert linear_rate(one * 0.5, one * 255, one).tolist() == pytest.approx([stats.norm.cdf(-0.5)] * 2)
        for name, bad in (("margin", (-one, one, one)), ("norm", (one, -one, one)), ("sigma", (one, one, -one))):
            with pytest.raises(MistrustError, match=f"linear_rate: {name} is -1 at its least, expected 0 or more"):
                linear_rate(*bad)
        with pytest.raises(MistrustError, match="linear_rate: sigma is nan at its least"):
            linear_rate(one, one, one * torch.nan)

    def test_blocks_change_nothing(self):
        network, images, _, _ = random_linear(n=9)
        whole, part = (change_rates(network, images, (30.0, 90.0), seeds=range(20), block=b) for b in (512, 7))
        assert torch.equal(whole.rate, part.rate)
        assert 0 < whole.rate.mean() < 0.5

    def test_a_negative_sigma_is_refused(self):
        with pytest.raises(MistrustError, match="sigma is -1, expected a number of at least 0"):
            change_rates(between(1.0), BLACK, (-1.0,))


class TestHalf:
    @pytest.mark.whole
    @pytest.mark.parametrize("lead", [0.3, 0.8])
    def test_of_a_strip_between_two_planes(self, lead):
        """The label changes where |w z| sigma / 255 > lead: half of the time at sigma = 255 lead / (||w|| 0.6745)."""
        exact = 255 * lead / (torch.tensor(WEIGHT).norm().item() * stats.norm.ppf(0.75))
        found = half(between(lead), BLACK, variant="fixed-unclipped", seeds=MANY, block=4000)
        # The median of 4,000 |z|: standard error 1.8 %.
        assert found.sigma.item() == pytest.approx(exact, rel=0.06)
        assert 0.5 <= found.rate.item() < 0.51
        assert found.fields == 4000

    @pytest.mark.whole
    def test_of_two_linear_classes_it_is_infinite(self):
        network, images, weight, bias = random_linear(n=40)
        lead = (images.floats().flatten(1).double() @ weight + bias).abs()
        # At the cap theory allows a rate of .4: 64 fields reach a half with a chance of 6 %, 1,000 never.
        far = images.take(linear_rate(lead, weight.norm(), torch.tensor(510.0)) < 0.4)
        assert len(far) > 4
        found = half(network, far, variant="fixed-unclipped", seeds=range(1000))
        assert found.sigma.isinf().all()
        assert (found.rate < 0.5).all()
        assert torch.equal(found.rate, change_rates(network, far, (510.0,), variant="fixed-unclipped",
                                                    seeds=range(1000)).rate[:, 0])  # fmt: skip

    def test_it_is_the_first_sigma_with_a_rate_of_a_half(self):
        network, images = between(0.5), image_set([[0.1 * i] * 4 for i in range(4)], [0] * 4, classes=("0", "1", "2"))
        found = half(network, images, seeds=range(50), grid=None, cap=300)
        curve = change_rates(network, images, range(1, 301), seeds=range(50))
        assert torch.equal(found.ids, curve.ids)
        for row in range(len(found.ids)):
            first = (curve.rate[row] >= 0.5).nonzero()
            if len(first):
                assert found.sigma[row] == first[0, 0] + 1
                assert found.rate[row] == curve.rate[row, first[0, 0]]
            else:
                assert found.sigma[row].isinf()
        assert found.sigma.isfinite().any()

    def test_bisection_is_stepping_where_the_rate_rises(self):
        slow, fast = (half(between(0.5), BLACK, variant="fixed-unclipped", seeds=range(64), grid=g) for g in (None, 16))
        assert torch.equal(slow.sigma, fast.sigma)
        assert torch.equal(slow.rate, fast.rate)
        assert fast.passes < slow.passes / 4
        assert slow.passes.item() == slow.sigma.item() * 64

    @pytest.mark.whole
    def test_blocks_and_order_change_nothing(self, digit_network):
        network, images = digit_network
        some = images.take(slice(0, 12))
        options = {"seeds": FIELDS[:16], "cap": 256}
        whole = half(network, some, **options)
        part = half(network, some.take(torch.arange(11, -1, -1)), block=50, **options)
        rows = [whole.ids.tolist().index(id) for id in part.ids.tolist()]
        assert torch.allclose(part.sigma, whole.sigma[rows], atol=1)  # float32: see `breaking`
        assert whole.sigma.isfinite().any()

    def test_fresh_noise_ends_too_early(self):
        """Chance lifts some rate to a half, where theory has none below it: why fixed noise is the default."""
        options = {"seeds": range(16), "grid": None, "cap": 255}
        fixed = half(between(0.5), BLACK, variant="fixed-unclipped", **options)
        fresh = half(between(0.5), BLACK, variant="fresh-unclipped", **options)
        exact = 255 * 0.5 / (torch.tensor(WEIGHT).norm().item() * stats.norm.ppf(0.75))
        assert fresh.sigma.item() < 0.9 * exact
        assert fixed.sigma.item() > 0.7 * exact

    def test_fresh_noise_with_a_grid_is_refused(self):
        with pytest.raises(MistrustError, match=r"bisection is refused.*half\(..., grid=None\)"):
            half(between(0.5), BLACK, variant="fresh-clipped")

    def test_the_misclassified_are_kept_apart(self):
        network, images, _, _ = random_linear(n=12, wrong=4)
        found = half(network, images, seeds=range(4), cap=32)
        assert torch.equal(found.misclassified, images.ids[:4])
        assert torch.equal(found.ids, images.ids[4:])
