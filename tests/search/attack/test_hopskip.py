"""HopSkipJump against a plain loop over one image, against foolbox's own, and against the known distance."""

import warnings
from importlib import import_module
from math import ceil, log2, sqrt

import numpy as np
import pytest
import torch

from mistrust.errors import MistrustError, MistrustWarning
from mistrust.networks import initialise, wrap
from mistrust.search.attack import hopskip, streams
from mistrust.search.attack.asking import Asked
from mistrust.search.attack.hopskip import NAME
from mistrust.search.attack.opened import labelled
from mistrust.search.attack.smooth import directions
from mistrust.search.attack.starts import started

module = import_module("mistrust.search.attack.hopskip")  # the package has a function of that name
IDS = torch.tensor([5, 900, 3, 77, 4, 12, 8, 2**40, 256, 255, 1, 0])
D = 20


def drawn(n, shape, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.rand(n, *shape, generator=generator, dtype=torch.float64) * 0.8 + 0.1


def curved(images):
    """Two classes with a curved boundary; row by row, so that an answer does not depend on the batch."""
    first, second = torch.randn(2, D, generator=torch.Generator().manual_seed(7), dtype=torch.float64)
    flat = images.flatten(1).double() - 0.5
    return ((flat * first).sum(1) + 0.5 * (flat * second).sum(1) ** 2 - 0.3 > 0).long()


@pytest.fixture(scope="module")
def images():
    return drawn(12, (1, 4, 5))


def plain(label, original, begin, normal, steps, draws):
    """Nearest MAE by each step and queries, by loops over one image in numpy; normal(turn) -> d numbers."""
    own, queries, turn = label(original), 0, 0
    maes = []

    def other(point):
        nonlocal queries
        queries += 1
        return label(point) != own

    def back(beyond):
        low, high = 0.0, 1.0
        for _ in range(ceil(1.5 * log2(len(original)))):
            middle = (low + high) / 2
            if other(original + middle * (beyond - original)):
                high = middle
            else:
                low = middle
        maes.append(min(np.abs(high * (beyond - original)).mean(), maes[-1] if maes else np.inf))
        return original + high * (beyond - original)

    here = back(begin)
    for step in range(1, steps + 1):
        length = np.linalg.norm(here - original)
        seen = []
        for _ in range(ceil(draws * sqrt(step))):
            direction = normal(turn)
            turn += 1
            moved = np.clip(here + length / len(original) * direction / np.linalg.norm(direction), 0, 1)
            seen.append((1.0 if other(moved) else -1.0, moved - here))
        mean = np.mean([sign for sign, _ in seen])
        slope = sum((sign if abs(mean) == 1 else sign - mean) * moved for sign, moved in seen)
        jump = length / sqrt(step)
        while True:
            there = np.clip(here + jump * slope / np.linalg.norm(slope), 0, 1)
            if other(there):
                break
            jump /= 2
        here = back(there)
    return maes[1:], queries


@pytest.mark.whole
def test_each_image_goes_the_way_of_a_plain_loop(images):
    found = hopskip(curved, images[:4], ids=IDS[:4], steps=4, draws=15, seed=4, blends=50, trace=range(1, 5))
    searched = labelled(Asked(curved, images), images[:4], IDS[:4])
    start = started(Asked(curved, images), searched, seed=4, blends=50)
    keys = streams.keys(4, NAME, IDS[:4])
    for i in range(4):
        maes, queries = plain(
            lambda image: int(curved(torch.from_numpy(image).view(1, 1, 4, 5))),
            searched.pixels[i].numpy(),
            start.points[i].numpy(),
            lambda turn, i=i: streams.normal(keys[i : i + 1], D, torch.tensor([turn]))[0].double().numpy(),
            4,
            15,
        )
        np.testing.assert_allclose(found.trace.mae[i], maes, rtol=1e-7)
        assert found.queries[i] == 1 + start.queries[i] + queries


@pytest.mark.whole
def test_a_batch_gives_what_each_image_gives_alone_whatever_the_block(images):
    given = {"donors": images, "steps": 3, "draws": 30, "blends": 40, "trace": (0, 2, 3)}
    together = hopskip(curved, images, ids=IDS, **given)
    for block in (1, 7, 64):
        some = [0, 7, 11]
        alone = hopskip(curved, images[some], ids=IDS[some], block=block, **given)
        assert torch.equal(together.queries[some], alone.queries)
        torch.testing.assert_close(together.mae[some], alone.mae, rtol=1e-12, atol=0)
        torch.testing.assert_close(together.trace.mae[some], alone.trace.mae, rtol=1e-12, atol=0)
    other = hopskip(curved, images, ids=IDS, seed=1, **given)
    assert not torch.equal(together.mae, other.mae)


@pytest.mark.whole
@pytest.mark.parametrize("frequencies", [1.0, 0.5])
def test_strips_of_directions_give_what_one_piece_gives(images, monkeypatch, frequencies):
    """And no more of them are in memory than the block or one strip holds, however many are drawn."""
    most = []

    def watched(key, *rest):
        most.append(len(key))
        return directions(key, *rest)

    monkeypatch.setattr(module, "directions", watched)
    found = []
    for strip in (1000, 16):
        monkeypatch.setattr(module, "STRIP", strip)
        most.clear()
        given = {"donors": images, "steps": 4, "draws": 90, "blends": 40, "block": 40, "frequencies": frequencies}
        found.append((hopskip(curved, images, ids=IDS, **given), max(most)))
    (whole, large), (strips, small) = found
    assert (large, small) == (180, 32)  # 90 sqrt(4), and twice 15 or 16 of two images
    assert torch.equal(whole.queries, strips.queries)
    torch.testing.assert_close(whole.mae, strips.mae, rtol=1e-9, atol=0)


@pytest.mark.parametrize("frequencies", [1.0, 0.5])
def test_directions_are_as_long_as_asked_for(frequencies):
    key, turn, length = torch.arange(5), torch.arange(5) + 3, torch.arange(5).double()
    plain = directions(key, turn, (2, 6, 7), frequencies)
    sized = directions(key, turn, (2, 6, 7), frequencies, length)
    torch.testing.assert_close(sized, plain / plain.norm(dim=1, keepdim=True) * length[:, None])


@pytest.mark.parametrize(
    ("side", "block", "most"),
    [(28, None, 256), (28, 512, 256), (64, 512, 32), (28, 8, 8), (4, 512, 512), (4, None, 512)],
)
def test_fewer_large_images_are_shown_in_one_pass(side, block, most):
    shown = []

    def dark(images):
        shown.append(len(images))
        return torch.zeros(len(images)).long()

    asked = Asked(dark, torch.zeros(1, 1, side, side), block)
    assert len(asked(torch.zeros(most + 3, side * side))) == most + 3
    assert (shown, asked.count) == ([most, 3], most + 3)


def linear(d, n, seed=2):
    side = int(sqrt(d))
    w = torch.randn(d, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    images = drawn(n, (1, side, side), seed=seed)
    b = -(images.flatten(1) @ w).mean()
    margin = (images.flatten(1) @ w + b).abs()
    return images, (lambda x: ((x.flatten(1) * w).sum(1) + b > 0).long()), margin * w.abs().mean() / (w @ w)


@pytest.mark.whole
def test_known_answer_with_64_inputs():
    """The bar of the boundary attack's 1,000 steps (facts 3.9), in a tenth of their queries."""
    images, network, mae = linear(64, 24)
    found = hopskip(network, images, steps=6, trace=(0, 1, 6))
    ratio = found.mae / mae
    assert abs(ratio.median() - 1) < 0.1
    assert ratio.max() < 1.35
    assert (found.trace.mae.diff(dim=1) <= 0).all()
    assert (found.trace.mae[:, 1] / mae).median() > 1.1  # one jump is too few: the test can fail
    assert torch.equal(found.trace.mae[:, 2], found.mae)
    assert torch.equal(found.trace.queries[:, 2], found.queries)
    assert found.queries.double().mean() < 2000


@pytest.mark.whole
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_it_comes_as_near_as_foolbox_with_as_many_queries():
    """Foolbox 3's HopSkipJump from the same starts: other random numbers, so medians of thirty images.

    One image at a time: foolbox 3.3.4 divides the slopes of a batch by the length of all of them together.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from foolbox import PyTorchModel
        from foolbox.attacks import HopSkipJumpAttack
    module = torch.nn.Sequential(torch.nn.Conv2d(1, 6, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(216, 3))
    initialise(module, 2)
    classifier = wrap(module, ["a", "b", "c"], mean=0.5, std=0.05)
    images = drawn(30, (1, 8, 8)).float()
    start = hopskip(classifier, images, donors=images, steps=0)
    ours = hopskip(classifier, images, donors=images, steps=4)
    asked = 0

    class Counted(torch.nn.Module):
        def forward(self, x):
            nonlocal asked
            asked += len(x)
            return classifier(x)

    model = PyTorchModel(Counted().eval(), bounds=(0, 1), device="cpu")
    torch.manual_seed(0)
    attack = HopSkipJumpAttack(steps=4, initial_gradient_eval_steps=100)
    theirs = torch.cat(
        [
            attack.run(model, images[i : i + 1], start.label[i : i + 1], starting_points=start.images[i : i + 1])
            for i in range(30)
        ]
    )
    l2 = (theirs - images).double().flatten(1).norm(dim=1)
    assert ours.l2.median() / l2.median() == pytest.approx(1, abs=0.1)
    assert (ours.l2.median(), l2.median()) < (0.7 * start.l2.median(), 0.7 * start.l2.median())
    assert float((ours.queries - start.queries).sum()) < 1.2 * asked


def test_no_steps_give_the_start_and_a_failed_start_is_told(images):
    start = hopskip(curved, images, donors=images, steps=0, blends=40, trace=(0,))
    assert torch.equal(start.trace.mae[:, 0], start.mae)
    near = hopskip(curved, images, donors=images, steps=2, draws=20, blends=40)
    assert (near.mae < start.mae).all()
    with pytest.warns(MistrustWarning, match=r"hopskip: 0 of 12 images found one \(12 from none\)") as told:
        lost = hopskip(lambda x: torch.zeros(len(x)).long(), images, steps=2)
    assert told[0].filename == __file__  # the line that called it
    assert lost.mae.isinf().all()
    assert torch.equal(lost.images, images)
    assert len(hopskip(curved, torch.zeros(0, 1, 4, 5), steps=2)) == 0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"steps": -1}, "steps is -1, expected a number of at least 0"),
        ({"draws": 0}, "draws is 0, expected a number of at least 1"),
        ({"reach": 0}, "reach is 0"),
        ({"frequencies": 2}, r"frequencies is 2, expected a number in \[1e-06, 1\]"),
        ({"trace": (3, 40)}, "at step 40, expected at most the number of steps, 10"),
        ({"ids": torch.zeros(12).long()}, "Id 0 occurs twice"),
        ({"network": lambda x: x.flatten(1)[:, :2]}, r"of shape \(12, 2\), expected one whole number per image"),
    ],
    ids=lambda given: next(iter(given)) if isinstance(given, dict) else "",
)
def test_what_is_wrong_is_said(images, given, said):
    with pytest.raises(MistrustError, match=said):
        hopskip(**{"network": curved, "images": images, "steps": 10, **given})
