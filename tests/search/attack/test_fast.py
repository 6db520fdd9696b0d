"""DeepFool with bisection: exact where the network is linear, at the boundary everywhere."""

import pytest
import torch
from torch import nn

from mistrust.errors import MistrustError, MistrustWarning
from mistrust.networks import initialise, wrap
from mistrust.search.attack import boundary, deepfool


def linear(weights, bias):
    layer = nn.Linear(weights.shape[1], len(weights))
    with torch.no_grad():
        layer.weight.copy_(weights)
        layer.bias.copy_(bias)
    return wrap(nn.Sequential(nn.Flatten(), layer.double()), [f"c{i}" for i in range(len(weights))])


@pytest.fixture(scope="module")
def images():
    return torch.rand(15, 1, 4, 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64) * 0.4 + 0.3


def test_on_a_linear_network_it_is_the_nearest_boundary_of_all_classes(images):
    weights = torch.randn(4, 16, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    classifier = linear(weights, -weights.sum(1) / 2)
    found = deepfool(classifier, images)
    logits = classifier(images)
    lead = logits.gather(1, found.label[:, None]) - logits
    slope = weights[found.label][:, None] - weights
    l2 = (lead / slope.norm(dim=2)).masked_fill(lead == 0, torch.inf)
    nearest = l2.argmin(1)
    towards = slope[torch.arange(15), nearest]
    mae = l2.amin(1) * towards.abs().mean(1) / towards.norm(dim=1)
    assert found.success.all()
    assert set(found.start) == {"gradient"}
    torch.testing.assert_close(found.l2, l2.amin(1), rtol=1e-5, atol=0)
    torch.testing.assert_close(found.mae, mae, rtol=1e-5, atol=0)
    assert (found.l2 >= l2.amin(1)).all()
    assert found.queries.unique().tolist() == [22]  # two looks of DeepFool, 20 bisections


@pytest.fixture(scope="module")
def curved():
    network = nn.Sequential(nn.Conv2d(1, 4, 3), nn.Tanh(), nn.Flatten(), nn.Linear(16, 3))
    initialise(network, 1)
    return wrap(network, ["a", "b", "c"], mean=0.5, std=0.02)


@pytest.mark.whole
def test_a_curved_network_is_left_by_a_hair(curved, images):
    """A millionth of the way back to the image, it still has its own class; and the boundary attack gets no nearer."""
    found = deepfool(curved, images.float())
    assert found.success.sum() >= 12
    ok = found.success
    assert (curved(found.images[ok]).argmax(1) != found.label[ok]).all()
    back = images.float()[ok] + (1 - 3e-6) * (found.images[ok] - images.float()[ok])
    assert (curved(back).argmax(1) == found.label[ok]).double().mean() > 0.8
    walked = boundary(curved, images.float(), donors=images.float(), steps=30, blends=30)
    assert ((walked.l2 >= found.l2 * 0.98) | ~ok).all()


def test_batch_and_alone_agree(curved, images):
    whole, blocks = deepfool(curved, images.float()), deepfool(curved, images.float(), block=4)
    torch.testing.assert_close(whole.mae, blocks.mae, rtol=1e-4, atol=0)
    assert torch.equal(whole.queries, blocks.queries)


def test_a_network_of_one_answer_is_told(images):
    classifier = linear(torch.zeros(2, 16).double(), torch.tensor([2.0, 0]).double())
    with pytest.warns(MistrustWarning, match="0 of 15 images found one"):
        found = deepfool(classifier, images, steps=3)
    assert found.mae.isinf().all()
    assert set(found.start) == {"none"}
    assert torch.equal(found.images, images)


def test_a_callable_without_gradients_is_refused(images):
    with pytest.raises(MistrustError, match="take the distance 'boundary'"):
        deepfool(lambda x: x.flatten(1).argmax(1), images)
    with pytest.raises(MistrustError, match="wraps a plain callable"):
        deepfool(wrap(lambda x: x.flatten(1)[:, :2], ["a", "b"]), images)
