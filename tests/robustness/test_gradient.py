"""Linear estimates where they are exact, beside finite differences, and beside the first step of foolbox's DeepFool."""

import warnings

import pytest
import torch
from linear_rows import image_set, linear
from torch import nn

from mistrust.errors import MistrustError
from mistrust.networks import wrap
from mistrust.robustness.gradient import linear_estimate

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from foolbox import PyTorchModel
    from foolbox.attacks import L2DeepFoolAttack, LinfDeepFoolAttack

CLASSES = ("a", "b", "c", "d")
ONE = image_set([[0.2, 0.8, 0.5, 0.7]], [1], ids=[7])
B8 = linear([[0, 0, 0, 0], [2, -1, 0.5, 1.5]], [0, -0.6])


class TestLinearNetwork:
    """Facts B8: l / |w|_1 = 15.30, l / |w|_2 = 27.934, to p >= .6 35.979 and to p >= .9 127.36 grey levels."""

    def test_the_estimate_is_the_distance(self):
        found = linear_estimate(B8, ONE)
        assert found.margin.item() == pytest.approx(0.3, abs=1e-6)
        assert found.nearest_linf.item() == found.runner_up_linf.item() == pytest.approx(15.30, abs=1e-4)
        assert found.nearest_l2.item() == found.runner_up_l2.item() == pytest.approx(27.934, abs=5e-4)
        assert found.linf.isnan().tolist() == [[False, True]]
        assert (found.predicted.item(), found.runner_up.item(), found.ids.item()) == (1, 0, 7)

    def test_a_probability_lies_beyond_the_boundary(self):
        assert linear_estimate(B8, ONE, probability=0.6).linf[0, 0] == pytest.approx(35.979, abs=5e-4)
        assert linear_estimate(B8, ONE, probability=0.9).linf[0, 0] == pytest.approx(127.36, abs=5e-3)

    def test_several_classes_and_the_nearest_is_not_the_runner_up(self):
        """Class c is a shorter way than b, although b has the higher logit: 3 / 10 against 1 / 1 in the unit box."""
        names = ("a", "b", "c")
        classifier = linear([[0, 0], [1, 0], [0, 10]], [1, -0.5, -7], classes=names)
        point = image_set([[0.5, 0.5]], [0], classes=names)
        found = linear_estimate(classifier, point)
        assert found.runner_up.item() == 1
        assert found.margin.item() == pytest.approx(1)
        assert found.l2[0, 1:].tolist() == pytest.approx([255, 0.3 * 255])
        assert found.nearest_l2.item() == pytest.approx(0.3 * 255)
        assert found.runner_up_l2.item() == pytest.approx(255)
        assert linear_estimate(classifier, point, candidates=1).nearest_l2.item() == pytest.approx(255)


@pytest.mark.parametrize(("norm", "attack"), [("l2", L2DeepFoolAttack), ("linf", LinfDeepFoolAttack)])
def test_the_nearest_is_deepfools_first_step(norm, attack, small, images):
    """Foolbox's DeepFool, stopped after one step and without overshoot; it adds 1e-4 to each step."""
    found = linear_estimate(small, images)
    right = images.images[torch.isin(images.ids, found.ids)].double()
    model = PyTorchModel(small.module, bounds=(0, 1), device="cpu", preprocessing={"mean": 0.5, "std": 0.25})
    there, _, _ = attack(steps=1, overshoot=0, loss="logits")(model, right, found.predicted, epsilons=None)
    change = (there - right).flatten(1) * 255
    theirs = change.norm(dim=1) if norm == "l2" else change.abs().amax(1)
    assert len(theirs) == 19
    assert (theirs - getattr(found, f"nearest_{norm}")).abs().max() < 1e-4 * 255 * 1.1
    assert theirs.median() > 5


def test_each_distance_is_margin_over_the_gradients_norm(small, images):
    """By finite differences of the logits, pixel by pixel."""
    found = linear_estimate(small, images)
    row, step = 5, 1e-5
    x = images.images[torch.isin(images.ids, found.ids)][row].double()
    units = step * torch.eye(64, dtype=torch.float64).view(64, 1, 8, 8)
    slope = ((small(x + units) - small(x - units)) / (2 * step)).detach()
    z, own = small(x[None])[0].detach(), int(found.predicted[row])
    for other in set(range(4)) - {own}:
        lead, change = float(z[own] - z[other]), slope[:, own] - slope[:, other]
        assert found.l2[row, other] == pytest.approx(255 * lead / float(change.norm()), rel=1e-5)
        assert found.linf[row, other] == pytest.approx(255 * lead / float(change.abs().sum()), rel=1e-5)


def test_blocks_and_misclassified_images(small, images):
    whole, parts = linear_estimate(small, images), linear_estimate(small, images, block=6)
    assert whole.misclassified.tolist() == [10]
    assert len(whole.ids) == 19
    assert torch.allclose(whole.l2, parts.l2, equal_nan=True)
    assert whole.l2.isnan().sum() == 19
    near = linear_estimate(small, images, candidates=2)
    assert near.l2.isnan().sum() == 2 * 19
    kept = ~near.l2.isnan()
    assert torch.equal(near.l2[kept], whole.l2[kept])


def test_a_flat_network_is_infinitely_far():
    class Flat(nn.Module):
        def forward(self, x):
            return 0 * x.flatten(1)[:, :2] + torch.tensor([0.0, 3.0])

    found = linear_estimate(wrap(Flat(), ("0", "1")), ONE)
    assert found.nearest_l2.isinf().all()
    assert found.nearest_linf.isinf().all()


def test_bad_input(small, images):
    plain = wrap(lambda x: small.network(x), CLASSES)
    with pytest.raises(MistrustError, match="wraps a plain callable"):
        linear_estimate(plain, images)
    with pytest.raises(MistrustError, match="block is 0, expected"):
        linear_estimate(small, images, block=0)
    with pytest.raises(MistrustError, match=r"linear_estimate: probability is 0.3, expected a number in \[0.5, 1\)"):
        linear_estimate(small, images, probability=0.3)
    with pytest.raises(MistrustError, match=r"candidates is 4, expected a number in \[1, 3\]"):
        linear_estimate(small, images, candidates=4)
