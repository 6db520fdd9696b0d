"""Breaking standard deviations against hand-worked answers, and what they must not depend on."""

from math import exp

import pytest
import torch
from linear_rows import CLASSES, image_set, linear, noise_of, random_linear

from mistrust import random
from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.networks import initialise, wrap
from mistrust.robustness.breaking import breaking
from mistrust.robustness.checks import forward
from mistrust.robustness.noise import VARIANTS, effective, noisy

FIELDS = ("sigma", "broken", "new_label", "probability", "effective", "passes")

# Facts B8, worked by hand: l = w x + b is the logit of class 1, class 0 has 0.
WEIGHT, BIAS, Z = (2.0, -1.0, 0.5, 1.5), -0.6, (-1.0, 0.5, 0.25, -0.5)
GOLDEN = linear([[0.0] * 4, WEIGHT], [0.0, BIAS])
FREE, STOPPED = (0.2, 0.8, 0.5, 0.7), (0.05, 0.8, 0.5, 0.9)


class TestGolden:
    @pytest.mark.parametrize(
        ("pixels", "clipped", "exact"),
        [(FREE, False, 24.48), (FREE, True, 24.48), (STOPPED, False, 24.48), (STOPPED, True, 45.33)],
    )
    def test_it_breaks_at_the_next_step(self, pixels, clipped, exact):
        one, found = image_set([pixels], [1]), {}
        for step in (1, 0.01):
            found[step] = breaking(GOLDEN, one, variant=noise_of(Z, clipped=clipped), seeds=[0], step=step, cap=51)
        assert float(found[1].sigma) == int(exact) + 1  # 25 and 46
        assert float(found[0.01].sigma) - 0.01 < exact + 0.005
        assert float(found[0.01].sigma) > exact - 0.005
        assert found[1].broken.all()
        assert found[1].new_label.tolist() == [[0]]
        assert found[1].passes.tolist() == [[int(exact) + 1]]

    def test_probability_and_noise_at_the_break(self):
        found = breaking(GOLDEN, image_set([FREE], [1]), variant=noise_of(Z, clipped=False), seeds=[0])
        left = 0.3 - 25 / 255 * 3.125
        assert float(found.probability) == pytest.approx(1 / (1 + exp(left)), abs=1e-6)
        # z has mean -0.1875 and mean square 0.390625.
        assert float(found.effective) == pytest.approx(25 * (0.390625 - 0.1875**2) ** 0.5, abs=1e-5)
        # Clipped, at 46: -.05 (where it stops), .0902, .0451, -.0902.
        stop = breaking(GOLDEN, image_set([STOPPED], [1]), variant=noise_of(Z, clipped=True), seeds=[0])
        change = torch.tensor([-0.05, 46 / 510, 46 / 1020, -46 / 510]).double()
        assert float(stop.effective) == pytest.approx(255 * float(change.std(correction=0)), abs=1e-4)

    @pytest.mark.parametrize("clipped", [False, True])
    @pytest.mark.parametrize("z", [(1.0, -0.5, -0.25, 0.5), (0.5, 1.0, 0.0, 0.0)])
    def test_with_w_z_of_0_or_more_it_never_breaks(self, z, clipped):
        found = breaking(GOLDEN, image_set([FREE], [1]), variant=noise_of(z, clipped=clipped), seeds=[0])
        assert not found.broken.any()
        assert found.sigma.tolist() == [[510]]
        assert found.new_label.tolist() == [[-1]]
        assert found.probability.isnan().all()
        assert found.passes.tolist() == [[510]]
        assert "1 unbroken at 510" in repr(found)

    def test_it_breaks_at_the_cap_or_is_censored_there(self):
        def at(cap):
            return breaking(GOLDEN, image_set([FREE], [1]), variant=noise_of(Z, clipped=False), seeds=[0], cap=cap)

        assert (at(25).sigma.item(), at(25).broken.item()) == (25, True)
        assert (at(24).sigma.item(), at(24).broken.item()) == (24, False)


def test_linear_networks_break_where_theory_says():
    network, images, weight, bias = random_linear(n=200)
    found = breaking(network, images, variant="fixed-unclipped", seeds=(4, 9), cap=255)
    for column, seed in enumerate((4, 9)):
        z = VARIANTS["fixed-unclipped"].draw(torch.full((200,), seed), images.ids, torch.zeros(200), (1, 1, 16))
        slope = z.flatten(1).double() @ weight / 255
        lead = images.floats().flatten(1).double() @ weight + bias
        exact = -lead / slope
        falls = (exact > 0) & (exact < 255)
        assert falls.sum() > 60
        assert (~falls).sum() > 60
        assert torch.equal(found.broken[:, column], falls)
        assert torch.equal(found.sigma[falls, column], exact[falls].ceil())
        assert torch.equal(found.new_label[falls, column], 1 - images.labels[falls])


class TestMisclassified:
    def test_they_are_kept_apart_and_named(self):
        network, images, _, _ = random_linear(wrong=7)
        found = breaking(network, images, seeds=(0, 1), cap=30)
        assert torch.equal(found.misclassified, images.ids[:7])
        assert torch.equal(found.ids, images.ids[7:])
        assert torch.equal(found.labels, images.labels[7:])
        assert found.sigma.shape == (53, 2)
        assert "53 images x 2 seeds" in repr(found)
        assert "7 misclassified kept apart" in repr(found)
        alone = breaking(network, images.take(slice(7, None)), seeds=(0, 1), cap=30)
        assert all(
            torch.equal(getattr(found, one).nan_to_num(-1), getattr(alone, one).nan_to_num(-1)) for one in FIELDS
        )


class Small(torch.nn.Module):
    """A small convolutional network in float64, which answers alike in every batch but for about 1e-15."""

    def __init__(self):
        super().__init__()
        self.parts = torch.nn.Sequential(
            torch.nn.Conv2d(1, 6, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(216, 5)
        ).double()
        self.most = 0

    def forward(self, x):
        self.most = max(self.most, len(x))
        return self.parts(x)


@pytest.fixture(scope="module")
def small():
    network = Small()
    initialise(network, 3)
    return wrap(network, ("a", "b", "c", "d", "e"), mean=0.5, std=0.25)


@pytest.fixture(scope="module")
def small_images(small):
    pixels = random.uniform(3, "small", torch.arange(40), (1, 8, 8))
    labels = small(pixels.double()).argmax(1)
    labels[::8] = (labels[::8] + 1) % 5
    return ImageSet("made-up", pixels, labels, torch.arange(40) * 211 + 5, small.classes)


@pytest.mark.parametrize("variant", list(VARIANTS))
class TestBatch:
    @pytest.mark.whole
    def test_blocks_order_and_subset_change_nothing(self, variant, small, small_images):
        options = {"variant": variant, "seeds": (0, 5), "cap": 90}
        whole = breaking(small, small_images, **options)
        assert 0.2 < whole.broken.double().mean() < 1
        assert whole.sigma[whole.broken].unique().numel() > 10
        some = torch.tensor([33, 2, 19, 1, 30, 11])
        for part, block in ((torch.arange(40), 1000), (torch.arange(40), 7), (some, 64), (some.sort().values, 1)):
            small.module.most = 0
            found = breaking(small, small_images.take(part), block=block, **options)
            assert small.module.most <= block
            assert len(found) == len(part) - int((part % 8 == 0).sum())
            rows = [whole.ids.tolist().index(id) for id in found.ids.tolist()]
            for name in FIELDS:
                ours, theirs = getattr(found, name), getattr(whole, name)[rows]
                if name in ("probability", "effective"):  # floats: the last digits of float64
                    assert torch.allclose(ours, theirs, rtol=1e-12, atol=0, equal_nan=True)
                else:
                    assert torch.equal(ours, theirs)

    def test_seeds_are_columns(self, variant, small, small_images):
        both = breaking(small, small_images, variant=variant, seeds=(0, 5), cap=60)
        alone = breaking(small, small_images, variant=variant, seeds=(5,), cap=60)
        assert torch.equal(both.sigma[:, 1:], alone.sigma)
        assert not torch.equal(both.sigma[:, :1], alone.sigma)

    def test_a_larger_cap_moves_only_what_was_unbroken(self, variant, small, small_images):
        low, high = (breaking(small, small_images, variant=variant, seeds=(1,), cap=cap) for cap in (40, 120))
        assert torch.equal(high.sigma[low.broken], low.sigma[low.broken])
        assert (high.sigma[~low.broken] > 40).all()
        assert (high.broken & ~low.broken).any()

    def test_coarser_steps_see_some_of_the_same_trials(self, variant, small, small_images):
        fine, coarse = (breaking(small, small_images, variant=variant, seeds=(1,), step=s, cap=60) for s in (1, 4))
        assert (coarse.sigma >= fine.sigma).all()
        assert (coarse.sigma % 4 == 0).all()
        hit = fine.broken & (fine.sigma % 4 == 0)
        assert hit.any()
        assert torch.equal(coarse.sigma[hit], fine.sigma[hit])


@pytest.mark.whole
@pytest.mark.parametrize("variant", list(VARIANTS))
def test_every_break_can_be_made_again(variant, digit_network):
    """The label holds at every step before sigma and changes at sigma, image by image, by the classifier's own call."""
    network, images = digit_network
    found = breaking(network, images.take(slice(0, 30)), variant=variant, seeds=(2,), cap=400)
    assert found.broken.double().mean() > 0.5
    kind = VARIANTS[variant]
    for row in range(0, len(found), 6):
        pixels = images.take(images.ids == found.ids[row]).floats()
        last = int(found.sigma[row])
        each = [torch.full((last,), number) for number in (2, int(found.ids[row]))]
        sigmas = torch.arange(1.0, last + 1)
        changed = noisy(pixels, kind.draw(*each, sigmas, (1, 28, 28)), sigmas, clipped=kind.clipped)
        with torch.no_grad():
            logits = network(changed) if kind.clipped else forward(network, changed)
        labels = logits.argmax(1)
        assert (labels[:-1] == found.labels[row]).all()
        assert (labels[-1] != found.labels[row]) == found.broken[row, 0]
        assert float(found.effective[row]) == pytest.approx(float(effective(pixels, changed[-1:])), rel=1e-5)
        if found.broken[row, 0]:
            assert labels[-1] == found.new_label[row, 0]
            assert float(found.probability[row, 0]) == pytest.approx(float(logits[-1].softmax(0).max()), abs=1e-4)


@pytest.mark.whole
def test_in_float32_a_batch_moves_hardly_anything(digit_network):
    network, images = digit_network
    some = images.take(slice(0, 60))
    one, other = (breaking(network, some, seeds=(0, 1), block=block) for block in (512, 50))
    assert (one.sigma == other.sigma).double().mean() >= 0.99
    assert (one.sigma - other.sigma).abs().max() <= 1


@pytest.mark.whole
def test_fresh_noise_breaks_sooner(digit_network):
    """Facts B1: each step is a new trial; fresh noise gave 24 to 31 % less."""
    network, images = digit_network
    some = images.take(slice(0, 60))
    fixed, fresh = (breaking(network, some, variant=v, seeds=(0,)) for v in ("fixed-clipped", "fresh-clipped"))
    assert fresh.sigma.mean() < 0.9 * fixed.sigma.mean()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"variant": "fixed"}, "no variant of noise 'fixed'"),
        ({"seeds": (1, 1)}, "seeds are"),
        ({"seeds": (0.5, 1.7)}, r"seeds are \(0.5, 1.7\), expected whole numbers"),
        ({"seeds": 3}, "seeds are 3, expected whole numbers"),
        ({"cap": 10.5}, "cap is 10.5, expected a whole multiple of step 1"),
        ({"block": 0}, "block is 0"),
    ],
)
def test_wrong_settings_are_refused(options, message):
    with pytest.raises(MistrustError, match=message):
        breaking(GOLDEN, image_set([FREE], [1]), **options)


def test_a_network_that_breaks_down_on_the_way_is_refused():
    def fails(x):
        flat = x.flatten(1).sum(1)
        return torch.stack([flat, torch.where(flat > 3, torch.nan, flat + 1)], 1)

    with pytest.raises(MistrustError, match="'mine' gave NaN or infinite outputs"):
        breaking(wrap(fails, CLASSES, name="mine"), image_set([FREE], [1]), variant=noise_of([1.0] * 4, clipped=False))
