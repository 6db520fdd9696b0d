"""Targeted searches against a linear network's closed forms, against torch's own Adam, and their laws."""

import math

import pytest
import torch
from linear_rows import image_set, linear
from torch import nn

from mistrust import random
from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.networks import initialise, wrap
from mistrust.robustness.target_pairs import Targeted
from mistrust.robustness.targeted import targeted
from mistrust.robustness.tight import tight

CLASSES = ("a", "b", "c", "d")
SEARCHES = (targeted, tight)
FEW = {targeted: {"steps": 50, "rate": 8}, tight: {"steps": 10, "bisections": 4}}  # for laws that hold for any


# Facts B8: the logit of class 1 is w.x + b, that of class 0 is 0; the image has .3 and class 1.
B8 = linear([[0, 0, 0, 0], [2, -1, 0.5, 1.5]], [0, -0.6])
ONE = image_set([[0.2, 0.8, 0.5, 0.7]], [1], ids=[7])


class Small(nn.Module):
    """A small convolutional network, trained on nothing, sure of its answers."""

    def __init__(self, dtype):
        super().__init__()
        self.parts = nn.Sequential(
            nn.Conv2d(1, 6, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(54, 12), nn.ReLU(), nn.Linear(12, 4)
        )
        initialise(self, 1)
        self.to(dtype)

    def forward(self, x):
        return 25 * self.parts(x)


def small(dtype=torch.float64):
    return wrap(Small(dtype), CLASSES, mean=0.5, std=0.25)


@pytest.fixture(scope="module")
def images():
    """14 images of 8x8 bytes with the network's own answers as labels, but for two of them."""
    pixels = (random.uniform(3, "targeted", torch.arange(14), (1, 8, 8)) * 256).to(torch.uint8)
    labels = small()(pixels.double() / 255).argmax(1)
    labels[[4, 11]] = (labels[[4, 11]] + 1) % 4
    return ImageSet("made-up", pixels, labels, torch.arange(14) * 7 + 5, CLASSES)


def same(one, two, tolerance=1e-9):
    columns = ("ids", "source", "target", "steps", "success")
    assert all(torch.equal(getattr(one, name), getattr(two, name)) for name in columns)
    for name in ("linf", "l2", "probability"):
        a, b = (getattr(found, name).nan_to_num(-1) for found in (one, two))
        assert torch.allclose(a, b, rtol=0, atol=tolerance)


class TestClosedForm:
    """The smallest change to p >= .6 is (.3 + ln 1.5) / |w|_1 * 255 = 35.979 (facts B8)."""

    LEAST = (0.3 + math.log(1.5)) / 5 * 255

    @pytest.mark.parametrize(
        ("rate", "steps", "linf"), [(0.5, 77, 36.365), (1, 38, 36.590), (2, 19, 37.154), (5, 8, 39.507)]
    )
    def test_adam_takes_so_many_steps_and_ends_so_far(self, rate, steps, linf):
        found = targeted(B8, ONE, rate=rate, probability=0.6, eight_bit=False)
        assert found.steps.tolist() == [steps]
        assert found.linf.item() == pytest.approx(linf, abs=5e-4)
        assert found.linf.item() >= self.LEAST
        assert found.success.all()
        assert (found.source.item(), found.target.item(), found.ids.item()) == (1, 0, 7)

    @pytest.mark.whole
    def test_the_bound_is_found_to_half_a_grey_level(self):
        found = tight(B8, ONE, probability=0.6, eight_bit=False)
        assert pytest.approx(35.979, abs=5e-4) == self.LEAST
        assert self.LEAST <= found.linf.item() <= self.LEAST + 255 / 2**9

    def test_steps_of_one_grey_level_along_the_sign_are_36_and_go_36(self):
        """Facts B8. One bound of half the range and a reach of 128 grey levels make steps of one."""
        found = tight(B8, ONE, probability=0.6, eight_bit=False, bisections=1, steps=128, reach=128 / 255 / 0.5)
        assert found.steps.tolist() == [36]
        assert found.linf.item() == pytest.approx(36, abs=1e-9)
        assert found.success.all()

    @pytest.mark.whole
    @pytest.mark.parametrize("search", SEARCHES)
    def test_the_box_makes_ninety_per_cent_impossible_and_that_is_a_failure(self, search):
        found = search(B8, ONE, keep=True)
        assert not found.success.any()
        assert found.linf.isnan().all()
        assert found.l2.isnan().all()
        assert found.steps.item() == {targeted: 512, tight: 60}[search]
        # All that the box allows: l falls by 1.9 to -1.6.
        assert found.probability.item() == pytest.approx(1 / (1 + math.exp(-1.6)), abs=2e-3)
        assert torch.equal(found.images, torch.tensor([51, 204, 128, 178]).view(1, 1, 1, 4).to(torch.uint8))

    def test_an_image_that_is_there_already_takes_no_step(self):
        found = targeted(B8, ONE, probability=0.4, eight_bit=False)
        assert (found.steps.item(), found.linf.item(), found.l2.item()) == (0, 0, 0)


@pytest.mark.whole
def test_adam_is_torchs_adam(images):
    """One pair after another by torch.optim.Adam, clamped after each step, the probability looked at before it."""
    classifier, some = small(), images.take([0, 1])
    found = targeted(classifier, some, rate=4, steps=40, eight_bit=False)
    assert found.success.sum() >= 3
    place = {int(id): row for row, id in enumerate(some.ids)}
    for row in range(len(found)):
        clean = some.floats()[[place[int(found.ids[row])]]].double()
        x, target = clean.clone().requires_grad_(), found.target[row : row + 1]
        optimiser = torch.optim.Adam([x], lr=4 / 255)
        for step in range(41):
            out = classifier.network(classifier.scaled(x))
            if out.softmax(1)[0, target] >= 0.9 or step == 40:
                break
            optimiser.zero_grad()
            nn.functional.cross_entropy(out, target).backward()
            optimiser.step()
            x.data.clamp_(0, 1)
        assert found.steps[row] == step
        assert found.success[row] == (step < 40)
        if step < 40:
            assert found.linf[row] == pytest.approx(float((x - clean).detach().abs().max()) * 255, abs=1e-4)
            assert found.l2[row] == pytest.approx(float((x - clean).detach().norm()) * 255, abs=1e-4)


@pytest.mark.parametrize("search", SEARCHES)
class TestLaws:
    def test_what_is_kept_reaches_the_target_as_bytes_and_is_measured_so(self, search, images):
        classifier = small()
        found = search(classifier, images, keep=True, **FEW[search])
        assert found.success.sum() > 20
        place = {int(id): row for row, id in enumerate(images.ids)}
        clean = images.images[[place[int(id)] for id in found.ids]].double()
        change = (found.images.double() - clean).flatten(1)
        yes = found.success
        assert found.images.dtype == torch.uint8
        assert torch.equal(found.linf[yes], change[yes].abs().amax(1))
        assert torch.allclose(found.l2[yes], change[yes].norm(dim=1))
        p = classifier(found.images.double() / 255).softmax(1).gather(1, found.target[:, None])[:, 0]
        assert (p[yes] >= 0.9).all()
        assert torch.allclose(p[yes], found.probability[yes])
        assert (change[~yes] == 0).all()
        assert (found.probability[~yes] < 0.9).all()

    def test_every_other_class_of_every_image_that_is_classified_correctly(self, search, images):
        found = search(small(), images, **FEW[search])
        assert found.misclassified.tolist() == images.ids[[4, 11]].tolist()
        right = [row for row in range(14) if row not in (4, 11)]
        known = [(int(images.ids[row]), int(images.labels[row])) for row in right]
        expected = [(id, source, target) for id, source in known for target in range(4) if target != source]
        assert list(zip(found.ids.tolist(), found.source.tolist(), found.target.tolist(), strict=True)) == expected
        assert found.images is None

    @pytest.mark.whole
    def test_given_targets_are_the_same_pairs(self, search, images):
        whole = search(small(), images, **FEW[search])
        targets = torch.stack([(images.labels + 2) % 4, (images.labels + 1) % 4], 1)
        some = search(small(), images, targets, **FEW[search])
        assert len(some) == 24
        pairs = zip(some.ids, some.target, strict=True)
        rows = [int(((whole.ids == id) & (whole.target == target)).nonzero()) for id, target in pairs]
        same(some, whole.take(torch.tensor(rows)))

    @pytest.mark.whole
    @pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
    @pytest.mark.parametrize("eight_bit", [True, False])
    def test_a_pair_does_not_depend_on_its_batch(self, search, dtype, eight_bit, images):
        """In float64 but for the last digits; in float32 bit for bit, as batches are made multiples of 16 rows."""
        classifier = small(dtype)
        whole = search(classifier, images, eight_bit=eight_bit, **FEW[search])
        for part, block in (([9, 2, 5], 256), ([12], 1), (range(14), 7)):
            some = search(classifier, images.take(list(part)), eight_bit=eight_bit, block=block, **FEW[search])
            rows = torch.cat([(whole.ids == id).nonzero()[:, 0] for id in some.ids.unique_consecutive()])
            same(some, whole.take(rows), tolerance=0 if dtype == torch.float32 else 1e-9)

    @pytest.mark.whole
    def test_more_is_asked_the_farther_it_is(self, search, images):
        easy, hard = (search(small(), images, probability=p, **FEW[search]) for p in (0.5, 0.99))
        both = easy.success & hard.success
        assert (hard.success <= easy.success).all()
        assert hard.linf[both].mean() > easy.linf[both].mean()

    def test_neither_images_nor_network_nor_the_global_generator_change(self, search, images):
        classifier, before, state = small(), images.images.clone(), torch.random.get_rng_state()
        search(classifier, images.take([0]), **FEW[search])
        assert torch.equal(images.images, before)
        assert torch.equal(torch.random.get_rng_state(), state)
        assert all(p.grad is None for p in classifier.module.parameters())


@pytest.mark.whole
def test_rounding_goes_on_until_bytes_are_enough(images):
    """At a coarse rate the first float image that arrives is often lost by rounding: then more steps are taken."""
    options = {"rate": 0.5, "probability": 0.6, "steps": 200}
    floats, bytes_ = (targeted(small(), images, eight_bit=eight, **options) for eight in (False, True))
    both = floats.success & bytes_.success
    assert (bytes_.steps[both] >= floats.steps[both]).all()
    assert (bytes_.steps[both] > floats.steps[both]).any()


@pytest.mark.whole
def test_the_tight_search_is_tighter(images):
    adam, pgd = targeted(small(), images, rate=1), tight(small(), images)
    both = adam.success & pgd.success
    assert both.sum() > 20
    assert (pgd.linf <= adam.linf)[both].double().mean() > 0.9
    assert pgd.linf[both].mean() < 0.9 * adam.linf[both].mean()


@pytest.mark.whole
def test_pairs_that_are_done_make_room_for_others(images):
    seen, classifier = [], small()
    handle = classifier.module.register_forward_hook(lambda _, given, __: seen.append(len(given[0])))
    found = targeted(classifier, images, block=16, steps=100, rate=4, eight_bit=False)
    handle.remove()
    assert max(seen) == 16
    # Three looks at the clean images, then full batches to the end: blocks that wait for their slowest take more.
    waiting = sum(int(some.max()) + 1 for some in found.steps.split(16))
    assert len(seen) - 3 < waiting


class TestBadInput:
    @pytest.mark.parametrize("search", SEARCHES)
    def test_targets(self, search, images):
        with pytest.raises(
            MistrustError, match=r"shape \(14,\), expected whole numbers of shape \(14, t\).*\[:, None\]"
        ):
            search(small(), images, torch.zeros(14, dtype=torch.int64))
        with pytest.raises(MistrustError, match=r"Targets are torch.float32 of shape \(14, 1\)"):
            search(small(), images, torch.zeros(14, 1))
        with pytest.raises(MistrustError, match="Targets run from -1 to -1, expected 0 to 3"):
            search(small(), images, torch.full((14, 1), -1))
        with pytest.raises(
            MistrustError, match=r"Image 5 is to be taken to class '\w'.*equal to the source has no dist"
        ):
            search(small(), images, images.labels[:, None])
        with pytest.raises(MistrustError, match=r"Image \d+ is to be taken to one class twice \(targets \["):
            search(small(), images, ((images.labels + 1) % 4)[:, None].repeat(1, 2))

    def test_a_misclassified_image_has_no_target_to_refuse(self, images):
        targets = (images.labels + 1) % 4
        targets[4] = images.labels[4]
        assert len(targeted(small(), images, targets[:, None], steps=1)) == 12

    @pytest.mark.parametrize("search", SEARCHES)
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"probability": 0}, r"The probability to reach is 0, expected a number in \(0, 1\)"),
            ({"probability": 1}, r"The probability to reach is 1, expected a number in \(0, 1\)"),
            ({"block": 0}, "block is 0, expected a number of at least 1"),
            ({"steps": 0}, "steps is 0, expected a number of at least 1"),
            ({"steps": 1.5}, "steps is 1.5, expected a whole number"),
        ],
    )
    def test_settings(self, search, options, message, images):
        with pytest.raises(MistrustError, match=message):
            search(small(), images, **options)

    def test_settings_of_one_search(self, images):
        with pytest.raises(MistrustError, match="targeted: rate is 0, expected"):
            targeted(small(), images, rate=0)
        with pytest.raises(MistrustError, match="tight: bisections is 0, expected"):
            tight(small(), images, bisections=0)
        with pytest.raises(MistrustError, match=r"tight: reach is 0\.5, expected a number of at least 1"):
            tight(small(), images, reach=0.5)

    def test_a_plain_callable_and_a_network_in_training_mode(self, images):
        network = small()
        with pytest.raises(MistrustError, match="wraps a plain callable: it has no layers and no gradients"):
            targeted(wrap(lambda x: network.network(x), CLASSES), images)
        network.module.train()
        with pytest.raises(MistrustError, match="training mode"):
            targeted(network, images)

    def test_a_network_that_cuts_its_gradient(self, images):
        class Cut(Small):
            def forward(self, x):
                return super().forward(x.detach()).detach()

        with pytest.raises(MistrustError, match=r"no gradient to follow. Remove \.detach"):
            targeted(wrap(Cut(torch.float64), CLASSES, mean=0.5, std=0.25), images)


def test_it_says_what_it_is(images):
    found = targeted(small(), images.take([0, 4]), steps=1)
    assert isinstance(found, Targeted)
    assert repr(found) == "Targeted(3 pairs, 0 reached, 1 misclassified images kept apart)"
    kept = targeted(small(), images.take([0, 4]), steps=1, keep=True).take(torch.tensor([2]))
    assert (len(kept), kept.images.shape) == (1, (1, 1, 8, 8))
