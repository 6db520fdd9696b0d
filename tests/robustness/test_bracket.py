"""Bracket and bisection: equal to stepping where they must be, and found out where they are not."""

import pytest
import torch
from linear_rows import CLASSES, image_set, noise_of, random_linear

from mistrust.errors import MistrustError
from mistrust.networks import wrap
from mistrust.robustness.bracket import bracketed, coarse_steps
from mistrust.robustness.breaking import breaking


@pytest.mark.whole
def test_on_two_linear_classes_it_is_stepping():
    """Without clipping the logit is monotone along z: equal by proof, and in float64 to the last pair."""
    network, images, _, _ = random_linear(n=250)
    options = {"variant": "fixed-unclipped", "seeds": (0, 1, 2, 3)}
    exact, quick = breaking(network, images, **options), bracketed(network, images, audit=1, **options)
    for name in ("sigma", "broken", "new_label", "ids", "effective"):
        assert torch.equal(getattr(quick.breaking, name), getattr(exact, name))
    assert torch.allclose(quick.breaking.probability, exact.probability, rtol=1e-9, equal_nan=True)
    assert not quick.audit.mismatched.any()
    assert quick.audit.mismatched.numel() == 1000


@pytest.mark.whole
@pytest.mark.parametrize("variant", ["fixed-clipped", "fixed-unclipped"])
def test_on_a_trained_network_it_is_stepping(variant, digit_network):
    network, images = digit_network
    some = images.take(slice(0, 80))
    options = {"variant": variant, "seeds": (0, 1)}
    exact, quick = breaking(network, some, **options), bracketed(network, some, audit=0, **options)
    assert exact.broken.double().mean() > 0.5
    assert (exact.sigma == quick.breaking.sigma).double().mean() >= 0.99
    assert (exact.broken == quick.breaking.broken).double().mean() >= 0.99
    # sigma / 16 + 4 passes, one more where the last grid point was passed by; a closer look takes a few more.
    expected = (exact.sigma / 16).ceil() + 4 * exact.broken
    coarse = bracketed(network, some, audit=0, close=0, **options).breaking
    assert ((coarse.passes - expected).abs() <= 1).double().mean() >= 0.99
    assert (quick.breaking.passes >= coarse.passes).double().mean() >= 0.99
    assert coarse.computed < quick.breaking.computed < exact.computed / 4


def reentry(*windows, sure=1.0):
    """Class 1 of one pixel that is .5 when clean, where the noise has moved it by a number of grey levels inside."""

    def network(x):
        moved = (x.flatten(1)[:, 0] - 0.5) * 255
        inside = torch.stack([torch.minimum(moved - low, high - moved) for low, high in windows], 1).amax(1)
        return torch.stack([torch.zeros_like(inside), sure * inside], 1)

    return wrap(network, CLASSES, name="re-entry")


ONE = image_set([[0.5]] * 3, [0] * 3, [3, 700, 12])


class TestReentry:
    """A label that comes back. Noise of 1 moves the pixel by sigma."""

    def both(self, *windows, sure=1.0, **options):
        given = {"variant": noise_of([1.0], clipped=False), "seeds": (0,)}
        network = reentry(*windows, sure=sure)
        return breaking(network, ONE, **given), bracketed(network, ONE, **given, **options)

    def test_a_window_between_two_grid_points_is_missed_and_told(self):
        exact, quick = self.both((19.5, 27.5), (200.5, 9999), audit=1)
        assert exact.sigma.flatten().tolist() == [20, 20, 20]
        assert quick.breaking.sigma.flatten().tolist() == [201, 201, 201]
        assert quick.audit.mismatched.all()
        assert torch.equal(quick.audit.sigma, exact.sigma)
        assert repr(quick.audit) == "Audit(3 of 3 pairs differ)"

    def test_where_the_label_nearly_leaves_a_closer_look_finds_the_window(self):
        """Clean, the logit is 0.39 below 0, a margin of 0.19; at 16 it is 0.07, below a quarter of it: 24 is tried."""
        for after in ((200.5, 9999), ()):
            windows = ((19.5, 27.5), after) if after else ((19.5, 27.5),)
            exact, quick = self.both(*windows, sure=0.02, audit=1)
            assert torch.equal(quick.breaking.sigma, exact.sigma)
            assert torch.equal(quick.breaking.probability, exact.probability)
            assert quick.breaking.broken.all()
            assert not quick.audit.mismatched.any()
            _, coarse = self.both(*windows, sure=0.02, audit=1, close=0)
            assert coarse.audit.mismatched.all()
            assert (coarse.close, quick.close) == (0, 0.25)
            _, harder = self.both(*windows, sure=0.02, audit=1, close=0.15)
            assert harder.audit.mismatched.all()

    def test_a_window_that_nothing_follows_is_censored_and_told(self):
        exact, quick = self.both((19.5, 27.5), audit=1)
        assert exact.broken.all()
        assert not quick.breaking.broken.any()
        assert quick.breaking.sigma.unique().tolist() == [510]
        assert quick.audit.mismatched.all()

    def test_two_windows_in_one_grid_step_give_a_change_that_is_not_the_first(self):
        exact, quick = self.both((17.5, 19.5), (28.5, 9999), audit=1)
        assert exact.sigma.unique().tolist() == [18]
        assert quick.breaking.sigma.unique().tolist() == [29]

    def test_without_an_audit_nothing_is_told(self):
        _, quick = self.both((19.5, 27.5), (200.5, 9999), audit=0)
        assert quick.audit.mismatched.shape == (0, 1)
        assert repr(quick.audit) == "Audit(0 of 0 pairs differ)"

    def test_a_grid_of_one_step_misses_nothing(self):
        exact, quick = self.both((19.5, 27.5), (200.5, 9999), grid=1)
        assert torch.equal(quick.breaking.sigma, exact.sigma)
        assert torch.equal(quick.breaking.passes, exact.passes)


@pytest.mark.whole
def test_a_closer_look_does_not_depend_on_the_batch():
    """Pixels end at 0 and 255, so that margins of many images come back towards 0: in float64, to the last pass."""
    network, images, _, _ = random_linear(n=40)
    options = {"variant": "fixed-clipped", "seeds": (0, 1, 2), "audit": 0}
    whole = bracketed(network, images, **options).breaking
    order = torch.arange(39, -1, -1)
    for block in (1, 7, 16):
        part = bracketed(network, images.take(order), block=block, **options).breaking
        for name in ("sigma", "broken", "passes", "new_label"):
            assert torch.equal(getattr(part, name).flip(0), getattr(whole, name))
    coarse = bracketed(network, images, close=0, **options).breaking
    assert (whole.passes > coarse.passes).any()


class TestAudit:
    @pytest.mark.whole
    def test_who_is_audited_depends_on_id_and_seed_alone(self):
        network, images, _, _ = random_linear(n=300, wrong=10)
        options = {"variant": "fixed-unclipped", "seeds": (0,), "cap": 32, "audit": 0.2}
        whole = bracketed(network, images, **options)
        assert 40 <= len(whole.audit.position) <= 80
        ids = whole.breaking.ids[whole.audit.position]
        order = torch.arange(299, -1, -3)
        part = bracketed(network, images.take(order), block=11, **options)
        theirs = part.breaking.ids[part.audit.position]
        assert set(theirs.tolist()) == set(ids.tolist()) & set(images.ids[order].tolist())
        other = bracketed(network, images, audit_seed=1, **options)
        assert set(other.breaking.ids[other.audit.position].tolist()) != set(ids.tolist())

    def test_rows_of_the_audit_are_those_of_their_images(self):
        network, images, _, _ = random_linear(n=60)
        options = {"variant": "fixed-unclipped", "seeds": (0, 1), "cap": 128}
        quick = bracketed(network, images.take(torch.arange(59, -1, -1)), audit=0.5, **options)
        assert 0 < len(quick.audit.position) < 60
        assert torch.equal(quick.audit.sigma, quick.breaking.sigma[quick.audit.position])
        assert torch.equal(quick.audit.broken, quick.breaking.broken[quick.audit.position])
        assert quick.audit.broken.any()

    @pytest.mark.whole
    def test_the_passes_are_those_of_the_bisection(self):
        network, images, _, _ = random_linear(n=60)
        without, all_of_it = (bracketed(network, images, variant="fixed-unclipped", audit=a) for a in (0, 1))
        assert torch.equal(without.breaking.passes, all_of_it.breaking.passes)


class TestGrid:
    def test_it_ends_at_the_cap(self):
        assert coarse_steps(1, 510, 16).tolist() == [*range(16, 510, 16), 510]
        assert coarse_steps(0.5, 8, 2).tolist() == [4, 8, 12, 16]
        assert coarse_steps(1, 5, 16).tolist() == [5]

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"grid": 2.5}, "grid is 2.5, expected a whole multiple of step 1"),
            ({"grid": 0.5}, r"grid is 0.5, expected a number of at least 1"),
            ({"close": -0.1}, r"close is -0.1, expected a number in \[0, 1\]"),
            ({"audit": 1.5}, r"audit is 1.5, expected a number in \[0, 1\]"),
        ],
    )
    def test_wrong_settings_are_refused(self, options, message):
        with pytest.raises(MistrustError, match=message):
            bracketed(reentry((1, 2)), ONE, **options)


@pytest.mark.parametrize("variant", ["fresh-clipped", "fresh-unclipped"])
def test_fresh_noise_is_refused(variant):
    message = f"Variant '{variant}' draws other noise at each sigma.*bisection is refused.*variant with fixed noise"
    with pytest.raises(MistrustError, match=message):
        bracketed(reentry((1, 2)), ONE, variant=variant)
