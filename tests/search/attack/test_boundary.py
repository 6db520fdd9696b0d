"""The batched boundary attack against a plain loop, against itself alone, and against the known distance."""

from functools import lru_cache

import numpy as np
import pytest
import torch
from one_by_one import attack
from scipy.fft import idctn

from mistrust.data import ImageSet
from mistrust.errors import MistrustError, MistrustWarning
from mistrust.networks import wrap
from mistrust.search.attack import boundary, streams
from mistrust.search.attack.asking import Asked
from mistrust.search.attack.opened import labelled
from mistrust.search.attack.starts import NAME, started


def drawn(n, shape, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.rand(n, *shape, generator=generator, dtype=torch.float64) * 0.8 + 0.1


class Curved:
    """Two classes with a curved boundary; row by row, so that an answer does not depend on the batch."""

    def __init__(self, d):
        generator = torch.Generator().manual_seed(7)
        self.first, self.second = torch.randn(2, d, generator=generator, dtype=torch.float64)
        self.asked = 0

    def __call__(self, images):
        self.asked += len(images)
        flat = images.flatten(1).double() - 0.5
        a, b = (flat * self.first).sum(1), (flat * self.second).sum(1)
        return (a + 0.5 * b * b - 0.3 > 0).long()


@pytest.fixture(scope="module")
def images():
    return drawn(12, (1, 4, 5))


IDS = torch.tensor([5, 900, 3, 77, 4, 12, 8, 2**40, 256, 255, 1, 0])


@pytest.mark.whole
@pytest.mark.parametrize(
    ("steps", "numbers"),
    [(120, {}), (40, {"spherical_step": 0.05, "source_step": 0.04, "check_every": 2, "queues": (20, 10)})],
    ids=["as published", "quick"],
)
@pytest.mark.parametrize("frequencies", [1, 0.5], ids=["any direction", "smooth"])
def test_each_image_goes_the_way_of_a_plain_loop(images, steps, numbers, frequencies):
    """Facts 3.1 to 3.5 as loops with deques: same queries, same distance, through steps that check and adapt."""
    network, images, adapted = Curved(20), images[:4], 0
    found = boundary(network, images, ids=IDS[:4], steps=steps, seed=4, blends=50, frequencies=frequencies, **numbers)
    assert found.queries.sum() + found.shared == network.asked
    asked = Asked(network, images)
    searched = labelled(asked, images, IDS[:4])
    start = started(asked, searched, seed=4, blends=50)
    plain = {name.removesuffix("_step"): value for name, value in numbers.items()}
    sizes = (plain.get("spherical", 0.01), plain.get("source", 0.01))
    key = streams.keys(4, NAME, IDS)
    for i in range(len(images)):

        @lru_cache(maxsize=1)
        def drawn(step, i=i):
            return streams.normal(key[i].expand(25), 20 if frequencies == 1 else 6, step * 25 + torch.arange(25))

        def direction(step, number, drawn=drawn):
            if frequencies == 1:
                return drawn(step)[number].double().numpy()
            # Half of four frequencies and, rounded up, of five.
            waves = np.zeros((4, 5))
            waves[:2, :3] = drawn(step)[number].view(2, 3)
            return idctn(waves, norm="ortho").ravel()

        def label(image):
            return int(network(torch.from_numpy(image).view(1, 1, 4, 5)))

        mae, queries, end = attack(
            label, searched.pixels[i].numpy(), start.points[i].numpy(), direction, steps, **plain
        )
        assert found.mae[i].item() == pytest.approx(mae, rel=1e-9)
        assert found.queries[i].item() == 1 + start.queries[i].item() + queries
        adapted += end[:2] != sizes
    assert adapted >= 2


class Scripted:
    """Answers by the number of the query alone: some that are given, no for long, mostly yes for a while, then no."""

    def __init__(self, before=()):
        yes = np.random.default_rng(0).random(400) < 0.8
        self.answers = [*before, *[0] * 1200, *yes.astype(int), *[0] * 10**4]
        self.asked = 0

    def __call__(self, images):
        first, self.asked = self.asked, self.asked + len(images)
        return torch.tensor(self.answers[first : self.asked])


@pytest.mark.whole
@pytest.mark.parametrize(("directions", "set_back"), [(2, 1), (3, 2)])
def test_sizes_convergence_and_stop_are_those_of_a_plain_loop(directions, set_back):
    """Step sizes are set back once; with three directions they grow while it counts, so that all begins anew."""
    image, donor = drawn(1, (1, 2, 3), 1), drawn(1, (1, 2, 3), 2)
    numbers = {"directions": directions, "adaptation": 1e6}
    # The image is of class 0, the donor of class 1, and so is the first blend.
    found = boundary(
        Scripted((0, 1, 1)), image, donors=donor, steps=1600, probes=0, blends=1, seed=3, trace=[1600], **numbers
    )
    key, script = streams.keys(3, NAME, torch.arange(1)), Scripted()

    @lru_cache(maxsize=1)  # the directions of fifty steps at once: one by one they take longer than all the rest
    def drawn_ahead(fifty):
        places = torch.arange(fifty * 50 * directions, (fifty + 1) * 50 * directions)
        return streams.normal(key.expand(len(places)), 6, places).double().numpy()

    mae, queries, (_, _, resets, last) = attack(
        lambda _: int(script([0])[0]),
        image.numpy().ravel(),
        donor.numpy().ravel(),
        lambda step, number: drawn_ahead(step // 50)[step * directions + number - step // 50 * 50 * directions],
        1600,
        own=0,
        **numbers,
    )
    assert resets == set_back
    assert last < 1600
    assert found.queries.item() == 2 + queries
    assert found.shared == 1
    assert found.mae.item() == pytest.approx(mae, rel=1e-9)
    assert torch.equal(found.trace.queries[:, 0], found.queries)


@pytest.mark.whole
def test_a_batch_gives_exactly_what_each_image_gives_alone(images):
    network = Curved(20)
    together = boundary(network, images, ids=IDS, donors=images, steps=40, blends=40, trace=(0, 20, 40))
    for i in (0, 7, 11):
        alone = boundary(
            network, images[i : i + 1], ids=IDS[i : i + 1], donors=images, steps=40, blends=40, trace=(0, 20, 40)
        )
        for name in ("mae", "l2", "queries", "images", "label"):
            assert torch.equal(getattr(together, name)[i : i + 1], getattr(alone, name)), name
        assert torch.equal(together.trace.mae[i : i + 1], alone.trace.mae)
        assert (together.start[i],) == alone.start


@pytest.mark.whole
def test_neither_order_nor_block_changes_anything(images):
    network = Curved(20)
    whole = boundary(network, images, ids=IDS, donors=images, steps=30, blends=40)
    back = torch.arange(11, -1, -1)
    turned = boundary(network, images[back], ids=IDS[back], donors=images, steps=30, blends=40, block=5)
    assert torch.equal(whole.mae[back], turned.mae)
    assert torch.equal(whole.queries[back], turned.queries)
    assert not torch.equal(
        whole.mae, boundary(network, images, ids=IDS, donors=images, steps=30, blends=40, seed=1).mae
    )


@pytest.mark.whole
def test_known_answer_on_a_linear_classifier():
    """Facts 3.9 as they stand: median within 10 % of the MAE of the Euclidean projection, worst below 1.35."""
    generator = torch.Generator().manual_seed(0)
    w = torch.randn(64, generator=generator, dtype=torch.float64)
    images = drawn(8, (1, 8, 8), seed=100)
    b = -(images.flatten(1) @ w).mean()
    trace = (0, 100, 300, 1000)
    found = boundary(lambda x: ((x.flatten(1) * w).sum(1) + b > 0).long(), images, steps=1000, trace=trace)
    margin = (images.flatten(1) @ w + b).abs()
    mae, l2 = margin * w.abs().mean() / (w @ w), margin / w.norm()
    ratio = found.mae / mae
    assert abs(ratio.median() - 1) < 0.1
    assert ratio.max() < 1.35
    assert (found.l2 >= l2 * (1 - 1e-9)).all()
    assert (found.l2 / l2).median() < 1.1
    assert (found.trace.mae.diff(dim=1) <= 0).all()
    assert (found.trace.mae[:, 2] / mae).median() > 1.1  # 300 steps are too few: the test can fail
    assert torch.equal(found.trace.mae[:, 3], found.mae)
    assert torch.equal(found.trace.queries[:, 3], found.queries)


@pytest.mark.whole
def test_what_is_found_is_what_the_network_was_shown(images):
    network = Curved(20)
    found = boundary(network, images.float(), ids=IDS, steps=20, blends=40)
    assert found.images.dtype == torch.float32
    assert found.images.shape == images.shape
    assert (network(found.images) != found.label).all()
    assert ((found.images >= 0) & (found.images <= 1)).all()
    apart = (found.images.double() - images.float().double()).flatten(1)
    torch.testing.assert_close(found.mae, apart.abs().mean(1), rtol=0, atol=0)
    torch.testing.assert_close(found.l2, apart.norm(dim=1), rtol=0, atol=0)


@pytest.mark.whole
def test_a_start_that_fails_is_told_and_the_others_go_on():
    """Class 2 is never left: noise, blends and every image of the set stay in it or are not otherwise."""
    images = drawn(4, (1, 2, 2))
    images[3] = 0.95

    def network(x):
        return torch.where(x.flatten(1).mean(1) > 2, 1, 0)

    with pytest.warns(MistrustWarning, match=r"0 of 4 images found one \(4 from none\).*ids 0, 1, 2, 3"):
        found = boundary(network, images, steps=5)
    assert found.mae.isinf().all()
    assert found.l2.isinf().all()
    assert not found.success.any()
    assert torch.equal(found.images, images)

    asked = []

    def shy(x):
        """Once asked for the labels, an image with a bright corner is always the one class."""
        asked.append(len(x))
        flat = x.flatten(1)
        return torch.where(flat[:, 0] > 0.9999, 1, (flat.mean(1) > 0.5).long())

    images[0], images[1] = 0.9, 0.2
    images[2] = torch.tensor([1.0, 0.8, 0.9, 0.9]).view(1, 2, 2)
    found = boundary(shy, images, steps=10, probes=0)
    assert found.start == ("donor",) * 4
    assert found.success.all()


def test_one_image_without_a_start_leaves_the_others_theirs():
    """Noise probes are all of class 0; the only images of class 1 are among those searched, none is of class 2."""
    images = drawn(3, (1, 3, 3))
    images[:] = torch.tensor([0.05, 0.5, 0.45]).view(3, 1, 1, 1)

    def network(x):
        flat = x.flatten(1)
        return ((flat.mean(1) < 0.1) & (flat.amax(1) < 0.2)).long()

    alone = drawn(1, (1, 3, 3)).clamp(0.4, 0.6)
    with pytest.warns(MistrustWarning, match="ids 1, 2"):
        found = boundary(network, images, donors=alone, steps=10)
    assert found.start == ("noise", "none", "none")
    assert found.success.tolist() == [True, False, False]
    assert found.shared == 201


@pytest.mark.whole
def test_a_classifier_does_as_its_labels_do(images):
    linear = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(20, 3)).double()
    with torch.no_grad():
        linear[1].weight.copy_(torch.from_numpy(np.random.default_rng(0).normal(size=(3, 20))))
        linear[1].bias.copy_(-linear[1].weight.sum(1) / 2)
    classifier = wrap(linear, ["a", "b", "c"], mean=0.5, std=0.25)
    by_labels = boundary(lambda x: classifier(x).argmax(1), images, steps=10, blends=40)
    by_network = boundary(classifier, images, steps=10, blends=40)
    assert torch.equal(by_labels.mae, by_network.mae)
    named = ImageSet("named", images.float(), torch.zeros(12).long(), IDS, ("a", "b", "c"))
    assert torch.equal(boundary(classifier, named, steps=0).ids, IDS)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"steps": -1}, "steps is -1, expected a number of at least 0"),
        ({"adaptation": 0.5}, "adaptation is 0.5"),
        ({"frequencies": 0}, r"frequencies is 0, expected a number in \[1e-06, 1\]"),
        ({"trace": (3, 40)}, "at step 40, expected at most the number of steps, 10"),
        ({"ids": torch.zeros(12).long()}, "Id 0 occurs twice"),
        ({"ids": torch.arange(5)}, "expected 12 whole numbers"),
        ({"donors": torch.rand(2, 1, 3, 3)}, r"Donors are of shape \(1, 3, 3\)"),
        ({"images": torch.full((1, 1, 2, 2), 255.0)}, r"range from 255 to 255, expected \[0, 1\]"),
        ({"images": torch.zeros(1, 1, 2, 2).byte()}, "Divide bytes by 255"),
        ({"network": lambda x: x.flatten(1)[:, :2]}, r"of shape \(12, 2\), expected one whole number per image"),
        ({"network": "net"}, "The network is a str, expected a Classifier"),
    ],
    ids=lambda given: next(iter(given)) if isinstance(given, dict) else "",
)
def test_what_is_wrong_is_said(images, given, said):
    with pytest.raises(MistrustError, match=said):
        boundary(**{"network": Curved(20), "images": images, "steps": 10, **given})


def test_a_network_in_training_mode_is_refused(images):
    network = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Dropout(), torch.nn.Linear(20, 2))
    classifier = wrap(network, ["a", "b"])
    network.train()
    with pytest.raises(MistrustError, match="training mode"):
        boundary(classifier, images)


def test_logits_that_are_not_finite_are_refused(images):
    classifier = wrap(lambda x: torch.stack([x.flatten(1).mean(1).log() / 0, x.flatten(1).mean(1)], 1), ["a", "b"])
    with pytest.raises(MistrustError, match="NaN or infinite"):
        boundary(classifier, images)


def test_no_images_are_no_error():
    found = boundary(Curved(4), torch.zeros(0, 1, 2, 2), steps=5)
    assert (len(found), found.shared, found.told) == (0, 0, "boundary: 0 of 0 images found one (none).")
